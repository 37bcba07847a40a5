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
from figures.style.wording import item_noun, names_in_a_row
from metrics.analysis.cloud.captions import METHODS, TRUST_NEIGHBOURS, Layout, Points, Projection
from metrics.analysis.cloud.view import REGIONS, RUN, TEMPERATURE, CloudView
from metrics.analysis.feasibility import has_references
from metrics.arrays import Integers
from metrics.text.encoder import encoder_label

CLEAR = 0.1
"""Difference in reach above which the verdict compares sets: a fixed threshold, not a test."""
WHERE = (
    f"In the middle, elsewhere, narrow: said where a share is over {100 * CLEAR:.0f} points from that of people, a "
    "fixed threshold."
)


def verdict(study: Study, layout: Layout, runs: Sequence[Run]) -> tuple[str, ...]:
    """Return which runs are closest to people's captions and which farthest, in the embedding space, not the plane."""
    known = [(run, _at(study, run)) for run in runs]
    known = [(run, k) for run, k in known if np.isfinite(layout.reach[k])]
    if not runs:
        return ("No run is chosen: these are the references alone.",)
    if not known:
        of_people = "two references and a caption of these runs" if has_references(study) else "captions by people"
        return (f"No {item_noun(study)} has {of_people}: nothing to set them against.",)
    ordered = sorted(known, key=lambda pair: abs(layout.reach[pair[1]] - layout.chance[pair[1]]))
    picked = [ordered[0], ordered[-1]] if len(ordered) > 1 else ordered
    said: list[str] = []
    for run, k in picked:
        reach, chance = float(layout.reach[k]), float(layout.chance[k])
        begin = " Those of " if said else "Captions of "
        said += [begin, Strong(run.name), " are nearest to ", Strong(percent(reach)), " of what people wrote "]
        said += [f"({percent(chance)} if they wrote as people do)", _why(reach - chance, _relative(layout, k)), "."]
    return (*filter(None, said), " Descriptive, not tested.")


def _why(lead: float, relative: float) -> str:
    """How a run's captions of one item lie: close together, elsewhere, in the middle, or none of these."""
    if not np.isfinite(relative):
        return ""
    where = (
        "" if abs(lead) <= CLEAR else "in the middle, " if lead > 0 else "elsewhere, " if relative >= 1 else "narrow, "
    )
    return f": they lie {where}{num(relative, 2)} times as far apart as people's"


def _relative(layout: Layout, k: int) -> float:
    return float(layout.within[k] / layout.within[0]) if layout.within[0] > 0 else float("nan")


def _at(study: Study, run: Run) -> int:
    return 1 + [r.name for r in study.runs].index(run.name)


def reading(view: CloudView) -> str:
    """Return one line on how to read the figure."""
    if view.metric is not None:
        rows = np.concatenate([group.rows for group in view.groups])
        missing = view.value is None or not np.isfinite(view.value[rows]).all()
        left_out = " Captions without a value are left out." if missing else ""
        return f"Open circles: references, the regions of half and 80 % of them dotted.{left_out}"
    shaded = f" of the first {REGIONS} groups" if len(view.groups) > REGIONS else ""
    shades = {RUN: " A model's later runs are stronger.", TEMPERATURE: " The hotter, the stronger."}.get(view.by, "")
    starred = view.stars is not None and len(view.stars) > 0
    stars = " Stars: central captions, by distance of embeddings." if starred else ""
    return f"Open circles: references. Shaded: where half and 80 % of captions lie{shaded}.{shades}{stars}"


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
        how += f" with {projection.neighbours} neighbours, least distance {projection.apart:g}, seed {projection.seed}"
    centre = f", each {item_noun(study)} moved to the mean of its references" if projection.centred else ""
    shown = len(view.shown)
    return (
        f"n = {sample(view.points, study)}; {shown:,} shown. One {how} of "
        f"{encoder_label(projection.encoder)} embeddings for the whole study"
        f"{centre}; equal captions share a point. {trust(view.layout)} Numbers are of the embeddings, not of the "
        f"plane. {WHERE} Central: nearest to the rest of its set by {encoder_label(projection.encoder)} distance."
    )


def print_footer(study: Study, view: CloudView) -> str:
    """Return the footer in print: how many captions, how to read the figure, and how far to trust it."""
    trusted = f" Trustworthiness {num(view.layout.trust)}." if np.isfinite(view.layout.trust) else ""
    return f"n = {sample(view.points, study)}; {len(view.shown):,} shown. {reading(view)}{trusted}"


def alt(view: CloudView, projection: Projection) -> str:
    """Return the text alternative of the figure."""
    names = names_in_a_row([group.name for group in view.groups], 6) if view.groups else "no runs"
    return (
        f"{METHODS[projection.method]} of {count(len(view.shown), 'caption')}: references and {names}, "
        f"coloured by {view.metric.label if view.metric else view.by}. The tables list them."
    )


def with_model_names(study: Study, view: CloudView) -> CloudView:
    """Return the view with the model names of every page; see `model_names`."""
    if view.by in (RUN, TEMPERATURE):
        return view
    names = model_names(map(line_of, study.runs))
    return replace(view, groups=tuple(replace(group, name=names[group.name]) for group in view.groups))


def runs_table(study: Study, layout: Layout, runs: Sequence[Run], of: Points) -> pd.DataFrame:
    """Return a row per set, references first: captions, distinct ones, reach, its even odds, distance within items."""
    rows, models = [], model_names(map(line_of, study.runs))
    for name, model, k in [("References", "", 0), *((run.name, models[run.model], _at(study, run)) for run in runs)]:
        mine = np.flatnonzero(of.group == k)
        rows.append(
            {
                "Set": name,
                "Model": model,
                "Captions": len(mine),
                "Different": len({of.texts[row] for row in mine}),
                "Reach": layout.reach[k],
                "Even odds": layout.chance[k],
                "Distance within": layout.within[k],
                "Of references'": _relative(layout, k),
            }
        )
    return pd.DataFrame(rows)


def captions_table(study: Study, view: CloudView, rows: Integers, name: Callable[[Item], str]) -> pd.DataFrame:
    """Return captions with their item, set, count in the set and coordinates; items by `name` and by id."""
    of, names = view.points, ["References", *(run.name for run in study.runs)]
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
