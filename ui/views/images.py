"""The parts of the Images page: runs, metrics and order; captions side by side; the image's place among all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from data.ratings.human_ratings import ratings_of
from data.study import Item, Run, Study
from figures.export.column_metrics import better_ends
from figures.images import strips as images_strips
from figures.images import words as images_words
from figures.images.caption_cells import RATING, digits
from figures.images.strips import Strip
from figures.images.titles import WHOLE, asked
from figures.images.values_table import MetricColumn, RunValues, values_table
from figures.notes import flags
from figures.style.numbers import num
from figures.style.palette import styles_of
from figures.style.run_names import short_names
from figures.style.wording import direction_arrow, heading, item_noun, item_title, n_items
from figures.triangles import words as triangles_words
from metrics.analysis.caption_scores import caption_ratings, caption_values
from metrics.analysis.defaults import first_to_rank
from metrics.analysis.feasibility import has_references, is_quick, runs_with_sets, why_impossible
from metrics.analysis.images_defaults import shown_runs
from metrics.analysis.item_order import shares_below
from metrics.base import Metric, Undefined
from metrics.distances.base import Distance, ItemDistances, item_distances
from metrics.engine.scoring import Results
from metrics.guide.documentation import direction
from metrics.mathematics.arrays import Floats
from metrics.suite.ratings import PREFIX, rating_metrics
from ui.frame import look
from ui.frame.wording import plain
from ui.jobs import chance, progress, study_metrics
from ui.jobs.jobs import ScoreView, jobs
from ui.session import address, state
from ui.session.pictures import picture_of
from ui.views import images_order
from ui.views.images_order import QUICK, ImagesChoice
from ui.widgets import distance_picker, figure, image_marks, image_picker, metric_picker, parts, show

PREFERRED = (
    ("cider_d", "meteor", "bert", "rouge_l"),
    ("trm_meteor", "trm_bert", "trm_cider_d", "trm_bow"),
    ("distinct_2",),
)
"""The default metrics: from each row, the first one that is already scored, else one that is quick to compute."""
PATIENCE = 10.0
"""Maximum seconds that a default metric may take."""
ACROSS = 4
"""The number of default runs, and the maximum number of lists of captions side by side."""
LISTED, BESIDE_PICTURE = 4, 5
"""The number of captions visible in a folded list, and in the list of human captions beside a picture."""
IN_A_ROW, SHORT = 3, 300
"""The largest number of captions in a row of the numbers, and their largest length in characters."""
PARTS = {"one": "One {}", "sheet": "Contact sheet", "table": "Table"}
"""The views of the page, by their names in the address."""


@dataclass(frozen=True)
class Choices:
    """The runs side by side, the displayed metrics, the order, and the metric, if any, that chose the runs."""

    runs: tuple[Run, ...]
    metrics: tuple[Metric, ...]
    order: ImagesChoice
    told_by: Metric | None = None


def choose(study: Study) -> tuple[Choices, DeltaGenerator | None]:
    """Show the controls for runs and, under Options, for metrics and order; return the choice and a container for more.

    Show nothing for a study with only references.
    """
    if not study.runs:
        return Choices((), (), ImagesChoice("file")), None
    able = images_order.offered(study)
    metrics = address.select_several(
        "measures", list(able), _first_metrics(study) if address.values("measures") is None else ()
    )
    first, main, ready = images_order.telling_runs(study, [able[name] for name in metrics], shown_runs)
    runs = image_picker.choose_runs(study, "beside", first, "Runs side by side", keep=ready)
    with st.popover(":gray[Options]", key="options_panel", type="tertiary"):
        more = st.container()
        order = images_order.choose_order(study, runs, main)
        order = replace(order, marked=image_marks.choose(study))
        metrics = metric_picker.pills("Metrics", "measures", able, metrics)
        metric_picker.say_lacking(study, images_order.computed(), able)
    told = ready and {run.name for run in runs} == {run.name for run in first}
    by_rank = tuple(first) if told else runs
    # What orders the images is always shown, first.
    by = list(dict.fromkeys([*order.metrics, *([main.name] if told and main else [])]))[:1]
    shown = [able[name] for name in dict.fromkeys([*by, *metrics])]
    return Choices(by_rank, tuple(shown), order, main if told else None), more


def show_opening(study: Study, chosen: Choices, how: str = "") -> None:
    """Show a line on why these runs and these images come first, and `how` to read what follows."""
    said = images_words.opening(study, chosen.runs, chosen.order.kind, chosen.order.metric, chosen.told_by)
    if said or how:
        look.figure_title("", f"{said} {how}".strip())


def results(study: Study, metrics: Sequence[Metric], choice: ImagesChoice) -> ScoreView:
    """Return existing numbers and the job for missing ones, for the displayed metrics and those of the order."""
    able = images_order.offered(study)
    names = dict.fromkeys([*(metric.name for metric in metrics), *choice.metrics])
    return jobs().view(study, [able[name] for name in names], state.session())


def ways(study: Study) -> str:
    """Show buttons for one image, the contact sheet and the table; return the chosen one."""
    if address.value("part") == "list":  # the name of the table in older links
        address.forget("part")
        address.store("images_as", "table")
    with image_picker.row("content"):
        named = {name: title.format(item_noun(study)) for name, title in PARTS.items()}
        return address.segments(
            "Show", "images_as", list(named), "one", format_func=named.__getitem__, label_visibility="collapsed"
        )


def show_image(study: Study, here: int, chosen: Choices, found: Results, words: str) -> None:
    """Show the verdict on an image, its picture, the human captions, and those of each run."""
    item, runs, metrics = study.items[here], chosen.runs, chosen.metrics
    if reading := images_words.reading(study, here, runs, metrics, found):
        look.verdict(*reading, kicker=images_words.CAUTION.format(item_noun(study)))
    space = distance_picker.metric(study).space
    matrices: dict[str, ItemDistances | None] = {}
    if has_references(study):  # without them, the centre of a run's few captions says nothing
        with progress.during("Comparing captions with one another"):
            matrices = {
                one.name: _distances(study, study.digest, one.name, here, space, space.signature) for one in runs
            }
    some = next((m for m in matrices.values() if m is not None), None)
    _people(study, item, some, words)
    if _in_rows(item, runs):
        _numbers(study, here, runs, metrics, found)
    else:
        with parts.columns(max(len(runs), 1), 160, "runs", ACROSS) as grid:
            _runs(study, here, chosen, found, matrices, words, grid)
    _triangles(study, item, runs)
    _nobody(study, runs)
    if missing := image_picker.missing_picture(item):
        look.figure_title("", missing)
    central = f"Central: smallest mean {space.label} distance to the rest of its side." if some is not None else ""
    look.figure_footer([central] if central else [], (), [metric.signature for metric in metrics])


def _in_rows(item: Item, runs: Sequence[Run]) -> bool:
    """Whether there are runs, all with few enough and short enough captions to fit in the table of numbers."""
    said = [run.candidates.get(item.id, ()) for run in runs]
    return bool(runs) and all(len(of) <= IN_A_ROW and all(len(text) <= SHORT for text in of) for of in said)


def _people(study: Study, item: Item, distances: ItemDistances | None, words: str) -> None:
    """Show the picture, if any, the text that the captions respond to, and the human captions."""
    pictured, whole = picture_of(item) is not None, asked(study, item)
    picture, people = st.columns((2, 3), gap="medium") if pictured else (None, st.container())
    if picture is not None:
        with picture:
            image_picker.show_picture(item)
    with people:
        if whole and not pictured and (len(whole) > WHOLE or not item.references):
            look.captions(item_title(study), [look.Caption(whole)])
        if has_references(study):
            image_picker.show_references(item, distances, words, BESIDE_PICTURE)


def _runs(
    study: Study,
    here: int,
    chosen: Choices,
    found: Results,
    matrices: Mapping[str, ItemDistances | None],
    words: str,
    grid: Any,
) -> None:
    item, styles = study.items[here], styles_of(study)
    for run in chosen.runs:
        values = _caption_values(study, run, here, chosen.metrics, found)
        with grid.cell():
            image_picker.show_candidates(
                item, run, styles[run.model], matrices.get(run.name), words, LISTED, values=values
            )


def _triangles(study: Study, item: Item, runs: Sequence[Run]) -> None:
    called = short_names(study.runs)
    with image_picker.row():
        for run in (one for one in runs if not triangles_words.too_few(item, one)):
            label = plain(f"Triangles of {called[run.name]}")
            image_picker.page_link("triangles", label, "change_history", image=item.id, run=run.name)


def _caption_values(
    study: Study, run: Run, here: int, metrics: Sequence[Metric], found: Results
) -> image_picker.CaptionValues:
    texts, k = run.candidates.get(study.items[here].id, ()), study.runs.index(run)
    columns: dict[str, Floats] = {}
    metric = next((one for one in metrics if one.grain == "candidate" and (run.name, one.name) in found), None)
    if metric is not None:
        columns[metric.label] = caption_values(texts, here, found[run.name, metric.name])
    whole = np.nan
    if ratings := ratings_of(study)[:1]:
        columns[RATING], whole = caption_ratings(texts, k, here, ratings[0])
    return image_picker.CaptionValues(*images_words.caption_values(texts, columns, whole))


def _nobody(study: Study, runs: Sequence[Run]) -> None:
    if not study.runs:
        look.empty("This study has only captions by people", "Add files of generated captions on the Data page.")
    elif not runs:
        look.empty("No run is chosen", f"Choose runs above to see what they say about this {item_noun(study)}.")


def show_parts(study: Study, here: int, runs: Sequence[Run], metrics: Sequence[Metric], found: Results) -> None:
    """Show, below an image, its place among all and, unless they are with the captions, its numbers."""
    if not (runs and metrics):
        return
    if _in_rows(study.items[here], runs):
        if address.toggle(f"Compare with the other {item_noun(study)}s", "among"):
            _among(study, here, runs, metrics, found)
        return
    titles = {"numbers": f"This {item_noun(study)} in numbers", "among": "Among all"}
    if parts.tabs("part", titles) == "among":
        _among(study, here, runs, metrics, found)
    else:
        _numbers(study, here, runs, metrics, found)


def _numbers(study: Study, here: int, runs: Sequence[Run], metrics: Sequence[Metric], found: Results) -> None:
    values = {metric.label: [_value(found, run, metric, here) for run in runs] for metric in metrics}
    place = st.container(gap="xsmall")
    by_chance = chance.columns(study, here, runs, metrics)
    table = pd.DataFrame({"Run": [run.name for run in runs], **values, **by_chance})
    waiting, styles, called = _waiting(runs, metrics, found), styles_of(study), short_names(study.runs)
    ends, said_here = better_ends(table, study_metrics.metrics().values()), _in_rows(study.items[here], runs)

    of_captions = {run.name: _caption_values(study, run, here, metrics, found) for run in runs}

    def body() -> None:
        rows = [
            RunValues(
                called[run.name],
                styles[run.model].text(look.mode()),
                [of[k] for of in values.values()],
                texts if said_here else None,
                of_captions[run.name].of if said_here and len(texts) > 1 else {},
                flags.mark(flags.flag(study, run)),
            )
            for k, run in enumerate(runs)
            for texts in [run.candidates.get(study.items[here].id, ())]
        ]
        ranges = {
            m.label: zip(*(by_chance.get(f"{m.label} by chance {e}", []) for e in ("from", "to"))) for m in metrics
        }
        columns = [
            MetricColumn(
                heading(m),
                direction(m),
                m.higher_is_better if m.has_better_side else None,
                waiting[m.label],
                dict(enumerate(ranges[m.label])),
                digits(m, values[m.label]),
                *_rated(study, m),
            )
            for m in metrics
        ]
        scored = next((of_captions[run.name].head for run, row in zip(runs, rows) if row.scores), "")
        look.block(values_table(rows, columns, scored))

    said = f"{study.name}, {image_picker.title(study, study.items[here])}: values of each run."
    twin = figure.Twin(table, {"best": ends, "waiting": waiting, "caption": said})
    title = "What each run says" if said_here else "Each run by each metric"
    with place:
        figure.figure("image", title, body=body, twin=twin, metrics=metrics, name="image numbers")
        _undefined(here, runs, metrics, found)


def _rated(study: Study, metric: Metric) -> tuple[float, float | None]:
    """Where bars begin and end: at the lowest and the highest of people's ratings; for other metrics, 0 and no fixed
    end.
    """
    of = next((one for one in ratings_of(study) if f"{PREFIX}{one.criterion}" == metric.name), None)
    return (0.0, None) if of is None else (float(of.value.min()), float(of.value.max()))


def _waiting(runs: Sequence[Run], metrics: Sequence[Metric], found: Results) -> dict[str, set[int]]:
    return {m.label: {k for k, run in enumerate(runs) if (run.name, m.name) not in found} for m in metrics}


def _among(study: Study, here: int, runs: Sequence[Run], metrics: Sequence[Metric], found: Results) -> None:
    _undefined(here, runs, metrics, found)
    drawn = [(metric, rows) for metric in metrics if (rows := _rows(study, here, runs, metric, found))]
    if drawn:
        look.figure_title("", images_strips.legend(item_noun(study)))
    with st.grid(min(max(len(drawn), 1), 3), min_column_width=280, gap=("medium", "medium")) as grid:
        for metric, rows in drawn:
            with grid.cell(), look.figure():
                _strips(study, metric, rows)


def _rows(study: Study, here: int, runs: Sequence[Run], metric: Metric, found: Results) -> list[Strip]:
    styles, rows, called = styles_of(study), [], short_names(study.runs)
    for run in runs:
        result = found.get((run.name, metric.name))
        if result is not None and len(result.items):
            below = float(shares_below(result.items)[here])
            rows.append(Strip(called[run.name], styles[run.model], result.items, float(result.items[here]), below))
    return rows


def _strips(study: Study, metric: Metric, rows: Sequence[Strip]) -> None:
    noun = item_noun(study)
    said = f"{images_strips.legend(noun)} {images_strips.thinned(rows, noun)}".strip()
    look.figure_title(heading(metric), "", direction_arrow(metric))
    words = "; ".join(f"{row.name} {num(row.here, images_strips.digits_of(rows))}" for row in rows)
    show.chart(
        lambda on: images_strips.strips(rows, metric.label, on.mode),
        f"strip_{metric.name}",
        f"{metric.label}: {words}",
        f"strips {metric.label}",
        footer=f"{said} n = {n_items(study, len(study.items))}. {metric.signature}",
    )


def _undefined(here: int, runs: Sequence[Run], metrics: Sequence[Metric], found: Results) -> None:
    for why in _reasons(here, runs, metrics, found):
        look.figure_title("", why)


def _reasons(here: int, runs: Sequence[Run], metrics: Sequence[Metric], found: Results) -> list[str]:
    said: dict[str, list[str]] = {}
    called = short_names(state.study().runs)
    for metric in metrics:
        for run in runs:
            result = found.get((run.name, metric.name))
            if result is not None and np.isnan(_value(found, run, metric, here)):
                why = result.error or result.reasons.get(here) or "undefined"
                said.setdefault(f"{metric.label}: {why}", []).append(called[run.name])
    return [f"{why} ({', '.join(names[:6])}{' and others' if len(names) > 6 else ''})" for why, names in said.items()]


def _value(found: Results, run: Run, metric: Metric, here: int) -> float:
    result = found.get((run.name, metric.name))
    return float(result.items[here]) if result is not None and len(result.items) else np.nan


@st.cache_resource(max_entries=256, show_spinner=False)
def _distances(
    _study: Study, digest: str, run: str, position: int, _space: Distance, signature: str
) -> ItemDistances | None:
    try:
        return item_distances(_study, run, position, _space, jobs().cache)
    except Undefined:
        return None


def _first_metrics(study: Study) -> list[str]:
    found, by = list(rating_metrics(study))[:1], study_metrics.metrics()
    of_sets = 2 * len(runs_with_sets(study)) > len(study.runs)
    ranks = first_to_rank(study, [metric for metric in by.values() if metric.of_items])
    for row, quick in zip(PREFERRED, QUICK) if of_sets else ((PREFERRED[0], QUICK[0]),):
        first_of_all = ranks.name if ranks is not None and ranks.name in row and not found else ""
        wanted = [by[name] for name in row if why_impossible(study, by[name]) is None]
        wanted.sort(key=lambda m: m.name != first_of_all)
        there = jobs().view(study, wanted, state.session(), start=False).results
        scored = (m.name for m in wanted if all((r.name, m.name) in there for r in study.runs))
        order = sorted(wanted, key=lambda m: m.name not in (quick, first_of_all))
        soon = (m.name for m in order if is_quick(study, m, PATIENCE))
        if (first := next(scored, None) or next(soon, None)) is not None:
            found.append(first)
    return found
