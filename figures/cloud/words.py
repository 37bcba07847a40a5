"""Sentences and tables of the caption cloud: verdict, reading guide, footer and underlying numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd

from data.study import Item, Run, Study
from figures.style.escaping import Strong
from figures.style.lines import line_of, model_names
from figures.style.numbers import count, num, p_phrase, percent
from figures.style.run_names import short_names
from figures.style.wording import article, item_noun, names_in_a_row
from metrics.analysis.cloud.captions import DRAWS, METHODS, TRUST_NEIGHBOURS, Layout, Points, Projection
from metrics.analysis.cloud.view import PEOPLE, REGIONS, RUN, TEMPERATURE, CloudView, Group, standing
from metrics.analysis.feasibility import has_references
from metrics.arrays import Integers
from metrics.pvalues import holm
from metrics.text.encoder import encoder_label

_WORDS = "Words: typical of the place."
WHERE = (
    f"Tested: a run's share of people's nearest captions, among {DRAWS} random ways to say which captions of {{}} are "
    "the run's; two-sided, corrected for the runs shown (Holm)."
)


def verdict(study: Study, layout: Layout, runs: Sequence[Run]) -> tuple[str, ...]:
    """Return which runs' captions lie as people's do and which do not, in the embedding space, not the plane."""
    known = [(run, _at(study, run)) for run in runs]
    known = [(run, k) for run, k in known if np.isfinite(layout.reach[k])]
    if not runs:
        return ("No run is chosen: these are people's captions alone.",)
    if not known:
        of_people = "two captions by people and one of these runs" if has_references(study) else "captions by people"
        return (f"No {item_noun(study)} has {of_people}, so there is nothing to compare.",)
    names = [short_names(study.runs)[run.name] for run, _ in known]
    found = standing(layout, [k for _, k in known])
    rest = _undetected([names[k] for k in found.alike], [names[k] for k in found.undecided], bool(found.differ))
    if not found.differ:
        return rest
    (first, *others), at = found.differ, known[found.differ[0]][1]
    where = "in the middle of people's" if layout.reach[at] > layout.chance[at] else "away from most of people's"
    reach, chance = (percent(float(share[at])) for share in (layout.reach, layout.chance))
    said = ["Captions of ", Strong(names[first]), f" lie {where}: they come nearest to ", Strong(reach)]
    said += [f" of them, against {chance} had people written them ({p_phrase(float(found.p[first]))}). "]
    if others:
        said += [f"Those of {names_in_a_row([names[k] for k in others], 2)} do not lie as people's do, either. "]
    return tuple(filter(None, [*said, *rest, _spread(names[first], layout, at)]))


def _undetected(alike: Sequence[str], unknown: Sequence[str], some: bool) -> tuple[str, ...]:
    """The runs whose captions are not found to lie elsewhere than people's, and those with too few captions to tell."""
    said: list[str] = []
    if alike:
        who = f"any of {len(alike)} runs" if len(alike) > 1 and not some and not unknown else names_in_a_row(alike, 2)
        said += ["No difference between where captions lie and where people's do is detected for ", Strong(who), ". "]
    if unknown:
        said += [f"Too few captions to tell where those of {names_in_a_row(unknown, 2)} lie. "]
    return tuple(said)


def _spread(name: str, layout: Layout, k: int) -> str:
    """The variety of a run's captions of one image, as a share of that of people's."""
    relative = _relative(layout, k)
    return (
        f"Two captions of {name} differ {percent(relative)} as much as two by people. " if np.isfinite(relative) else ""
    )


def _relative(layout: Layout, k: int) -> float:
    return float(layout.within[k] / layout.within[0]) if layout.within[0] > 0 else float("nan")


def _at(study: Study, run: Run) -> int:
    return 1 + [r.name for r in study.runs].index(run.name)


def rings(view: CloudView, picked: bool) -> str:
    """Return the meaning of the rings; "" without any."""
    found = view.found is not None and len(view.found) > 0
    small = " Small rings: captions found." if found else ""
    return small + (f" {'Large ring' if found else 'Ring'}: the chosen caption." if picked else "")


def others(drawn: int, of: int) -> str:
    """Return how to see the runs that are not drawn; "" if all are."""
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
    """Return the meaning of the columns of the runs' table."""
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
        f"{centre}; equal captions{shared}. {trust(view.layout)} Numbers come from the embeddings, not the plane. "
        f"{WHERE.format(article(noun))} Central: nearest to the rest of its set by "
        f"{encoder_label(projection.encoder)} distance."
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
    corrected = dict(zip(map(partial(_at, study), runs), holm(layout.p[[_at(study, run) for run in runs]])))
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
                "Corrected p": corrected[k] if k else np.nan,
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
