"""Sentences and tables of the caption cloud: how to read it, its footers, and the numbers behind it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from data.study import Study
from figures.cloud.labels import limited
from figures.cloud.spread_and_nearness_words import doing
from figures.images.titles import title
from figures.style.line_styles import line_of, model_names
from figures.style.numbers import count, num, temperature
from figures.style.run_names import short_names
from figures.style.wording import item_noun, names_in_a_row
from metrics.analysis.cloud.captions import METHODS, TRUST_NEIGHBOURS, Layout, Points, Projection
from metrics.analysis.cloud.spread_and_nearness import Standings
from metrics.analysis.cloud.view import PEOPLE, REGIONS, RUN, TEMPERATURE, CloudView
from metrics.analysis.feasibility import has_references
from metrics.mathematics.arrays import Integers
from metrics.text.encoder import encoder_label


def rings(view: CloudView, picked: bool) -> str:
    """Return sentences that explain the rings; "" if no ring is drawn."""
    found = view.found is not None and len(view.found) > 0
    small = " Small rings: captions found." if found else ""
    return small + (f" {'Large ring' if found else 'Ring'}: the chosen caption." if picked else "")


def others(drawn: int, of: int) -> str:
    """Return how to see the runs that are not drawn; "" if all are drawn."""
    return f" {count(of - drawn, 'more run')}: press Runs." if drawn < of else ""


def reading(view: CloudView) -> str:
    """Return one line on how to read the figure."""
    circles = "Open circles: people. " if len(view.people.rows) else ""
    if view.metric is not None:
        rows = np.concatenate([group.rows for group in view.groups])
        missing = view.value is None or not np.isfinite(view.value[rows]).all()
        left_out = " Captions without a value are left out." if missing else ""
        return f"{circles}Dotted: where half and 80 % of their captions lie.{left_out}"
    captions = f"the captions of the first {REGIONS} groups" if len(view.groups) > REGIONS else "captions"
    shades = {RUN: " A model's later runs are darker.", TEMPERATURE: " The hotter, the darker."}.get(view.by, "")
    starred = view.stars is not None and len(view.stars) > 0
    stars = " Stars: central captions, by distance of embeddings." if starred else ""
    return f"{circles}Shaded: where half and 80 % of {captions} lie.{shades}{stars}"


def maps_reading(view: CloudView) -> str:
    """Return one line on how to read maps of single runs that share one plane."""
    grey = "Grey: people. " if len(view.people.rows) else ""
    far = "" if np.array_equal(limited(view.layout.xy), view.layout.xy) else " At the edge: farther out."
    return f"{grey}Larger: given more often.{far}"


def in_brief(frame: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """Return the runs' table as a page shows it, without the numbers that all runs share, and a sentence with these
    numbers.

    People come first, then the runs, of which those nearest to people's captions come first.
    """
    of_people = frame["Set"] == PEOPLE
    runs = frame[~of_people]
    there = [name for name in ("Captions", "Different", "People's own") if name in frame]
    same = [name for name in there if frame[name].nunique() == 1]  # people have no own share, which does not count
    same = same if len(runs) > 1 else []
    said = [f"{name[0].lower()}{name[1:]} {_plainly(runs[name].iloc[0])}" for name in same]
    ordered = (
        runs.sort_values("People's nearest", ascending=False, kind="stable") if "People's nearest" in runs else runs
    )
    left = [*same, *(["Distance within"] if "Spread, people's = 1" in frame else [])]  # the spread is their ratio
    shown = pd.concat([frame[of_people], ordered], ignore_index=True).drop(columns=left, errors="ignore")
    return shown, f" The same for all: {', '.join(said)}." if said else ""


def _plainly(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:.3f}"


def sets_reading(study: Study, within: bool) -> str:
    """Return the meaning of the columns of the runs' table, which may have distances `within` an item."""
    inside = f"Distance within: mean cosine distance between two captions of one {item_noun(study)}. " if within else ""
    if not has_references(study):
        return inside
    return (
        "People's nearest: the share of people's captions whose nearest other caption of the same "
        f"{item_noun(study)} is the run's; people's own: the share expected if the run wrote as people do. "
        f"{inside}p: corrected for all runs (Holm)."
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
    """Return one sentence on how far the picture can be trusted."""
    if not np.isfinite(layout.trust):
        return "Too few captions to measure how far the plane can be trusted."
    rows = "" if layout.trust_rows >= layout.n_nodes else f", {layout.trust_rows:,} of {layout.n_nodes:,} points"
    return f"Trustworthiness {num(layout.trust)} (k = {TRUST_NEIGHBOURS}{rows}; 1: no false neighbours, 0.5: random)."


def footer(study: Study, view: CloudView, projection: Projection) -> str:
    """Return a footer: n, the sample, how far to trust the picture, and the source of the numbers."""
    how = METHODS[projection.method]
    if projection.method == "umap":
        how += (
            f" with {projection.neighbours} neighbours, minimum distance {projection.apart:g}, seed {projection.seed}"
        )
    noun = item_noun(study)
    centre = f", each {noun} centred on the mean of people's captions" if projection.centred else ""
    shared = f" (if they are of several {noun}s, at the mean of their positions)" if projection.centred else ""
    shown = len(view.shown)
    return (
        f"n = {sample(view.points, study)}; {shown:,} shown. One {how} of "
        f"{encoder_label(projection.encoder)} embeddings for the whole study"
        f"{centre}. Equal captions share a point{shared}; those of one run are one mark, larger for more captions. "
        f"{trust(view.layout)} Numbers come from the embeddings, not the plane. "
        f"Central: the caption nearest to the rest of its set, by {encoder_label(projection.encoder)} distance."
    )


def print_footer(study: Study, view: CloudView) -> str:
    """Return the footer in print: the number of captions, how to read the figure, and how far to trust it."""
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
        names = {group.name: f"T {temperature(float(group.name))}" if group.of else group.name for group in view.groups}
    else:
        names = short_names(study.runs) if view.by == RUN else model_names(map(line_of, study.runs))
    return replace(view, groups=tuple(replace(group, name=names[group.name]) for group in view.groups))


def runs_table(study: Study, layout: Layout, of: Points, found: Standings) -> pd.DataFrame:
    """Return a row for each set, people first: captions, distinct captions, nearness, spread and result.

    Columns without content are left out, as is the column of models if the name of each run begins with its model's.
    """
    models = model_names(map(line_of, study.runs))
    corrected = dict(zip(found.known, found.found.p.tolist()))
    spread = "Spread, people's = 1" if found.within else "Different, people's = 1"
    rows = [
        {
            **_set(PEOPLE, "", 0, layout, of),
            "Corrected p": np.nan,
            spread: 1.0 if found.known else np.nan,
            "Result": "",
        }
    ] * has_references(study)
    of_people = len(rows)
    for k, run in enumerate(study.runs):
        own = _set(run.name, models[run.model], 1 + k, layout, of)
        own |= {"Corrected p": corrected.get(k, np.nan), spread: found.spread[k]}
        rows.append({**own, "Result": doing(found, k)})
    frame = pd.DataFrame(rows)
    of_runs = frame.iloc[of_people:] if study.runs else frame
    empty = [name for name in frame if of_runs[name].isin(("", np.nan)).all()]
    short = short_names(study.runs)
    same = ["Model"] if all(short[run.name].startswith((run.model, models[run.model])) for run in study.runs) else []
    return frame.drop(columns=[*empty, *same], errors="ignore")


def _set(name: str, model: str, k: int, layout: Layout, of: Points) -> dict[str, object]:
    mine = np.flatnonzero(of.group == k)
    return {
        "Set": name,
        "Model": model,
        "Captions": len(mine),
        "Different": len({of.texts[row] for row in mine}),
        "People's nearest": layout.reach[k],
        "People's own": layout.chance[k],
        "Distance within": layout.within[k],
    }


def captions_table(study: Study, view: CloudView, rows: Integers) -> pd.DataFrame:
    """Return the distinct captions in these rows of the points, with item (name, id), set, count, place and value."""
    of, names = view.points, [PEOPLE, *(run.name for run in study.runs)]
    keys = [(of.texts[row], int(of.group[row]), int(of.item[row])) for row in rows]
    times: dict[tuple[str, int, int], int] = {}
    for key in keys:
        times[key] = times.get(key, 0) + 1
    first = dict(zip(reversed(keys), reversed(rows.tolist())))
    kept = np.array([first[key] for key in times], dtype=np.int64)
    known = {item: title(study, study.items[item]) for item in {item for _, _, item in times}}
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
