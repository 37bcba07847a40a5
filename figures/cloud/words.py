"""Sentences and tables of the caption cloud: verdict, reading guide, footer and underlying numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from data.study import Item, Run, Study
from figures.style.escaping import Strong
from figures.style.lines import line_of, model_names
from figures.style.numbers import count, num, percent
from figures.style.run_names import short_names
from figures.style.wording import item_noun, names_in_a_row
from metrics.analysis.cloud.captions import METHODS, TRUST_NEIGHBOURS, Layout, Points, Projection
from metrics.analysis.cloud.view import PEOPLE, REGIONS, RUN, TEMPERATURE, CloudView, Group
from metrics.analysis.feasibility import has_references
from metrics.arrays import Integers
from metrics.text.encoder import encoder_label

_WORDS = "Words: typical of the place."
CLEAR = 0.1
"""Difference in reach above which the verdict compares sets: a fixed threshold, not a test."""
WHERE = (
    f"“In the middle”, “apart” and “in one part” are used where a share is more than {100 * CLEAR:.0f} points from "
    "that of people's captions: a fixed threshold, not a test."
)


def verdict(study: Study, layout: Layout, runs: Sequence[Run]) -> tuple[str, ...]:
    """Return whose captions lie as people's do and whose do not, in the embedding space, not the plane."""
    known = [(run, _at(study, run)) for run in runs]
    known = [(run, k) for run, k in known if np.isfinite(layout.reach[k])]
    if not runs:
        return ("No run is chosen: these are people's captions alone.",)
    if not known:
        of_people = "two captions by people and one of these runs" if has_references(study) else "captions by people"
        return (f"No {item_noun(study)} has {of_people}, so there is nothing to compare.",)
    short = short_names(study.runs)
    ordered = sorted(known, key=lambda pair: abs(layout.reach[pair[1]] - layout.chance[pair[1]]))
    (run, k), *others = [ordered[0], ordered[-1]] if len(ordered) > 1 else ordered
    expected = f", against {percent(float(layout.chance[k]))} had people written them. "
    if others and _alike(layout, k, others[0][1]):
        return _both(short[run.name], short[others[0][0].name], layout, k, others[0][1])
    said = ["Captions of ", Strong(short[run.name]), f" lie {_where(layout, k)}: ", *_nearest(layout, k), expected]
    for other, at in others:
        said += ["Those of ", Strong(short[other.name]), f" lie {_where(layout, at, 'them')}: "]
        said += [Strong(percent(float(layout.reach[at]))), ". "]
    said += [_spread(short[one.name], layout, at) for one, at in ((run, k), *others)]
    return (*filter(None, said), "A description, not a test.")


def _alike(layout: Layout, one: int, other: int) -> bool:
    """Whether the same is said of two runs: where they lie, and what is expected of both."""
    same = _where(layout, one) == _where(layout, other)
    return same and percent(float(layout.chance[one])) == percent(float(layout.chance[other]))


def _both(first: str, second: str, layout: Layout, k: int, at: int) -> tuple[str, ...]:
    said = ["Captions of ", Strong(first), " and ", Strong(second), f" lie {_where(layout, k)}: they come nearest to "]
    said += [Strong(percent(float(layout.reach[k]))), " and ", Strong(percent(float(layout.reach[at]))), " of them"]
    said += [f", against {percent(float(layout.chance[k]))} had people written them. "]
    said += [_spread(first, layout, k), _spread(second, layout, at)]
    return (*filter(None, said), "A description, not a test.")


def _nearest(layout: Layout, k: int) -> tuple[str, ...]:
    return "they come nearest to ", Strong(percent(float(layout.reach[k]))), " of them"


def _where(layout: Layout, k: int, people: str = "people's") -> str:
    """Where a run's captions of an image lie: among people's, in the middle, in one part of them, or apart."""
    lead, relative = float(layout.reach[k] - layout.chance[k]), _relative(layout, k)
    if abs(lead) <= CLEAR:
        return f"among {people}"
    if lead > 0:
        return f"in the middle of {people}"
    return f"in one part of {people}" if relative < 1 else f"apart from {people}"


def _spread(name: str, layout: Layout, k: int) -> str:
    """How varied a run's captions of one image are, as a share of people's."""
    relative = _relative(layout, k)
    return (
        f"Two captions of {name} differ {percent(relative)} as much as two by people. " if np.isfinite(relative) else ""
    )


def _relative(layout: Layout, k: int) -> float:
    return float(layout.within[k] / layout.within[0]) if layout.within[0] > 0 else float("nan")


def _at(study: Study, run: Run) -> int:
    return 1 + [r.name for r in study.runs].index(run.name)


def rings(view: CloudView, picked: bool) -> str:
    """Return what rings are drawn around."""
    found = view.found is not None and len(view.found) > 0
    small = " Small rings: captions found." if found else ""
    return small + (f" {'Large ring' if found else 'Ring'}: the chosen caption." if picked else "")


def others(drawn: int, of: int) -> str:
    """Return where the runs are that are not drawn; "" if all are."""
    return f" {count(of - drawn, 'more run')}: press Runs." if drawn < of else ""


def reading(view: CloudView) -> str:
    """Return one line on how to read the figure."""
    if view.metric is not None:
        rows = np.concatenate([group.rows for group in view.groups])
        missing = view.value is None or not np.isfinite(view.value[rows]).all()
        left_out = " Captions without a value are left out." if missing else ""
        return f"Open circles: people. Dotted: where half and 80 % of their captions lie.{left_out}"
    shaded = f" of the first {REGIONS} groups" if len(view.groups) > REGIONS else ""
    shades = {RUN: " A model's later runs are darker.", TEMPERATURE: " The hotter, the darker."}.get(view.by, "")
    starred = view.stars is not None and len(view.stars) > 0
    stars = " Stars: central captions, by distance of embeddings." if starred else ""
    return f"Open circles: people. Shaded: where half and 80 % of captions lie{shaded}.{shades}{stars}"


def panels_reading(view: CloudView, most: int) -> str:
    """Return one line on how to read panels that share one plane."""
    few = f" The first {most} of {len(view.groups)}." if len(view.groups) > most else ""
    if view.metric is not None:
        return f"All panels show one plane. Dotted: where half and 80 % of people's captions lie. {_WORDS}{few}"
    return f"All panels show one plane. Shaded: where half and 80 % of captions lie. Dotted: people's. {_WORDS}{few}"


def panel_reading(view: CloudView, group: Group | None) -> str:
    """Return the line below a panel's name: the number of its captions, or of people's, and how many differ."""
    rows = (group or view.people).rows
    n, different = len(rows), len({view.points.texts[row] for row in rows})
    if different == n:
        return count(n, "caption")
    return f"{count(n, 'caption')}, {'all the same' if different == 1 else f'{different:,} different'}"


def sets_reading(study: Study) -> str:
    """Return what the columns of the runs' table are."""
    return (
        "People's nearest: the share of people's captions whose nearest other caption of the same "
        f"{item_noun(study)} is the run's; by chance: if the run wrote as people do. Distance within: mean "
        f"cosine distance of two captions of one {item_noun(study)}."
    )


def sample(of: Points, study: Study) -> str:
    """Return how many captions there are, and how they were sampled."""
    if len(of) == of.total:
        return f"all {count(of.total, 'caption')}"
    chosen = [study.items[k] for k in np.unique(of.item).tolist()]
    whole = "" if len(chosen) == len(study.items) else f" of {len(chosen):,} {item_noun(study)}s drawn at random"
    there = sum(len(i.references) + sum(len(r.candidates.get(i.id, ())) for r in study.runs) for i in chosen)
    thinned = ", large sets thinned at random" if there > len(of) else ""
    return f"{len(of):,} of {count(of.total, 'caption')}{whole}{thinned}, the same {item_noun(study)}s for every run"


def trust(layout: Layout) -> str:
    """Return how far the picture can be trusted, in one sentence."""
    if not np.isfinite(layout.trust):
        return "Too few captions to tell how far the plane can be trusted."
    rows = "" if layout.trust_rows >= layout.n_nodes else f", {layout.trust_rows:,} of {layout.n_nodes:,} points"
    return f"Trustworthiness {num(layout.trust)} (k = {TRUST_NEIGHBOURS}{rows}; 1: no false neighbours, 0.5: random)."


def footer(study: Study, view: CloudView, projection: Projection) -> str:
    """Return a footer: n, the sample, the trust in the picture, and the source of the numbers."""
    how = METHODS[projection.method]
    if projection.method == "umap":
        how += (
            f" with {projection.neighbours} neighbours, minimum distance {projection.apart:g}, seed {projection.seed}"
        )
    noun = item_noun(study)
    centre = f", each {noun} moved to the mean of what people wrote" if projection.centred else ""
    shared = f" of one {noun} share a point, and lie apart on others" if projection.centred else " share a point"
    shown = len(view.shown)
    return (
        f"n = {sample(view.points, study)}; {shown:,} shown. One {how} of "
        f"{encoder_label(projection.encoder)} embeddings for the whole study"
        f"{centre}; equal captions{shared}. {trust(view.layout)} Numbers come from the embeddings, not the "
        f"plane. {WHERE} Central: nearest to the rest of its set by {encoder_label(projection.encoder)} distance."
    )


def print_footer(study: Study, view: CloudView) -> str:
    """Return the footer in print: how many captions, how to read the figure, and how far to trust it."""
    trusted = f" Trustworthiness {num(view.layout.trust)}." if np.isfinite(view.layout.trust) else ""
    return f"n = {sample(view.points, study)}; {len(view.shown):,} shown. {reading(view)}{trusted}"


def alt(view: CloudView, projection: Projection) -> str:
    """Return the text alternative of the figure."""
    names = [PEOPLE.casefold(), *([names_in_a_row([group.name for group in view.groups], 6)] if view.groups else [])]
    return (
        f"{METHODS[projection.method]} of {count(len(view.shown), 'caption')}: {' and '.join(names)}, "
        f"coloured by {view.metric.label if view.metric else view.by}. The tables list them."
    )


def with_short_names(study: Study, view: CloudView) -> CloudView:
    """Return the view with the names that models and runs have on every page."""
    if view.by == TEMPERATURE:
        return view
    names = short_names(study.runs) if view.by == RUN else model_names(map(line_of, study.runs))
    return replace(view, groups=tuple(replace(group, name=names[group.name]) for group in view.groups))


def runs_table(study: Study, layout: Layout, runs: Sequence[Run], of: Points) -> pd.DataFrame:
    """Return a row per set, people first: captions, distinct ones, nearness to people's, and spread within an item."""
    rows, models = [], model_names(map(line_of, study.runs))
    for name, model, k in [(PEOPLE, "", 0), *((run.name, models[run.model], _at(study, run)) for run in runs)]:
        mine = np.flatnonzero(of.group == k)
        rows.append(
            {
                "Set": name,
                "Model": model,
                "Captions": len(mine),
                "Different": len({of.texts[row] for row in mine}),
                "People's nearest": layout.reach[k],
                "By chance": layout.chance[k],
                "Distance within": layout.within[k],
                "Distance, people's = 1": _relative(layout, k),
            }
        )
    return pd.DataFrame(rows)


def captions_table(study: Study, view: CloudView, rows: Integers, name: Callable[[Item], str]) -> pd.DataFrame:
    """Return captions with their item, set, count in the set and coordinates; items by `name` and by id."""
    of, names = view.points, [PEOPLE, *(run.name for run in study.runs)]
    keys = [(of.texts[row], int(of.group[row]), int(of.item[row])) for row in rows]
    times: dict[tuple[str, int, int], int] = {}
    for key in keys:
        times[key] = times.get(key, 0) + 1
    first = dict(zip(reversed(keys), reversed(rows.tolist())))
    kept = np.array([first[key] for key in times], dtype=np.int64)
    known = {item: name(study.items[item]) for item in {item for _, _, item in times}}
    frame = pd.DataFrame(
        {
            "Caption": [text for text, _, _ in times],
            "Set": [names[group] for _, group, _ in times],
            item_noun(study).title(): [known[item] for _, _, item in times],
            "Times": list(times.values()),
            "Central": view.layout.central[kept],
            "x": view.layout.xy[kept, 0],
            "y": view.layout.xy[kept, 1],
        }
    )
    if view.metric is not None and view.value is not None:
        frame[view.metric.label] = view.value[kept]
    return frame.assign(Id=[study.items[item].id for _, _, item in times], row=kept)
