"""The parts of the Images page: runs, metrics and order; captions side by side; the image's place among all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from data.study import Item, Run, Study
from figures.export.column_metrics import better_ends
from figures.images import strips as images_strips
from figures.images import words as images_words
from figures.images.strips import Strip
from figures.images.titles import WHOLE
from figures.style.numbers import count, num
from figures.style.palette import styles_of
from figures.style.run_names import short_names
from figures.style.wording import direction_arrow, item_noun, item_title, n_items
from metrics.analysis.feasibility import first_runs, is_quick, why_impossible
from metrics.analysis.ordering import disagreement, in_order, shares_below
from metrics.arrays import Floats
from metrics.base import Metric, Undefined
from metrics.distances.base import Distance, ItemDistances, item_distances
from metrics.engine.scoring import Results
from ui.frame import look
from ui.jobs import chance, registry
from ui.jobs.jobs import ScoreView, jobs
from ui.session import address, state
from ui.session.pictures import picture_of
from ui.widgets import distance_picker, image_marks, image_picker, metric_picker, parts, show

PREFERRED = (
    ("cider_d", "meteor", "bert", "rouge_l"),
    ("trm_meteor", "trm_bert", "trm_cider_d", "trm_bow"),
    ("distinct_2",),
)
"""The default metrics: from each row the first that is already scored, else one that is quickly computed."""
QUICK = ("cider_d", "trm_bow", "distinct_2")
PATIENCE = 10.0
"""Most seconds that a default metric may take."""
ACROSS = 4
"""Number of default runs, and most lists of captions side by side."""
LISTED, BESIDE_PICTURE = 4, 5
"""Visible captions of a folded list, and of the one by people beside a picture."""
ORDERS = {
    "file": "As in the file",
    "metric": "One metric",
    "difference": "Difference of two runs",
    "disagreement": "Disagreement of two metrics",
}
ENDS = {"low": "Lowest first", "high": "Highest first"}


@dataclass(frozen=True)
class ImagesChoice:
    """The filter of the images, and their order: a kind from ORDERS, the metrics and runs that it needs, its end."""

    kind: str
    metrics: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()
    descending: bool = False
    marked: str = image_marks.EVERY


@dataclass(frozen=True)
class Order:
    """The images in the order shown: `positions` among the study's items, `values` of all items, and their name."""

    positions: tuple[int, ...]
    values: Floats | None = None
    name: str = ""


def offered() -> dict[str, Metric]:
    """Return the metrics with one value per image, except those of the references alone."""
    return {name: by for name, by in registry.metrics().items() if by.of_items and by.family != "references"}


def choose(study: Study) -> tuple[tuple[Run, ...], tuple[Metric, ...], ImagesChoice]:
    """Show the control of runs, and metrics and order under Options; show nothing for a study of references alone."""
    if not study.runs:
        return (), (), ImagesChoice("file")
    able = offered()
    metrics = address.select_several(
        "measures", list(able), _first_metrics(study) if address.values("measures") is None else ()
    )
    runs = choose_runs(study)
    with st.popover(":gray[Options]", key="options_panel", type="tertiary"):
        choice = replace(choose_order(study, runs), marked=image_marks.choose(study))
        metrics = metric_picker.pills("Metrics", "measures", able, metrics)
    return runs, tuple(able[name] for name in metrics), choice


def choose_runs(study: Study) -> tuple[Run, ...]:
    """Show a small panel with the runs to compare; none for a study of references alone."""
    return image_picker.choose_runs(study, "beside", first_runs(study), "Runs side by side")


def choose_order(study: Study, runs: Sequence[Run]) -> ImagesChoice:
    """Show the controls of the order of the images; return the choice."""
    kind = address.select("Order", "order", list(ORDERS), "file", format_func=ORDERS.__getitem__)
    if kind == "file" or not runs:
        return ImagesChoice("file")
    names, called = [run.name for run in runs], short_names(study.runs)
    able = offered()
    for name, options in (("by", able), ("of", names), ("against", names)):
        address.follow(name, options)
    quality, distance = _order_metrics(study)
    by = [metric_picker.select("Metric", "by", able, quality)]
    if kind == "disagreement":
        by.append(metric_picker.select("minus", "less", able, distance))
    of = [address.select("Run", "of", names, names[0], format_func=called.__getitem__)]
    if kind == "difference":
        of.append(address.select("minus run", "against", names, names[-1], format_func=called.__getitem__))
    end = address.select("From", "from", list(ENDS), "low", format_func=ENDS.__getitem__)
    return ImagesChoice(kind, tuple(by), tuple(of), end == "high")


def _order_metrics(study: Study) -> tuple[str, str]:
    """The default metrics of an order: CIDEr-D and TRM by bags of words, if they can have values."""
    able = [name for name, metric in offered().items() if why_impossible(study, metric) is None] or list(offered())
    quality, distance = (name if name in able else able[0] for name in QUICK[:2])
    return quality, distance


def ordered(study: Study, results: Results, choice: ImagesChoice) -> Order:
    """Return all images in the chosen order; in file order while the numbers are missing."""
    kind, by, of = choice.kind, choice.metrics, choice.runs
    everything = tuple(range(len(study.items)))
    needed = [(run, metric) for metric in by for run in of]
    if kind == "file" or any(key not in results or not len(results[key].items) for key in needed):
        return Order(everything)
    columns = [results[key].items for key in needed]
    metrics, called = [registry.metrics()[name] for name in by], short_names(study.runs)
    of = tuple(called[name] for name in of)
    if kind == "metric":
        values, name = columns[0], f"{metrics[0].label}, {of[0]}"
    elif kind == "difference":
        values, name = columns[0] - columns[1], f"{metrics[0].label}, {of[0]} less {of[1]}"
    else:
        values = disagreement(columns[0], columns[1], _up(metrics[0]), _up(metrics[1]))
        name = f"{metrics[0].label} less {metrics[1].label} in rank, {of[0]}"
    return Order(tuple(in_order(values, choice.descending).tolist()), values, name)


def matching(study: Study, runs: Sequence[Run], words: str) -> set[int]:
    """Return positions of the images with a caption, reference or id that contains `words`, in any case."""
    wanted = words.casefold()

    def texts(item: Item) -> list[str]:
        said = [caption for run in runs for caption in run.candidates.get(item.id, ())]
        return [item.id, *item.references, *said]

    return {k for k, item in enumerate(study.items) if any(wanted in text.casefold() for text in texts(item))}


def search(study: Study, runs: Sequence[Run], order: Order) -> tuple[Order, str]:
    """Show a search field; return the order without the images that do not match."""
    words = address.text(
        "Search captions",
        "find",
        width=190,
        placeholder="Search captions",
        icon=":material/search:",
        label_visibility="collapsed",
    )
    if not words:
        return order, ""
    found = matching(study, runs, words)
    if not found:
        return Order((), order.values, order.name), words
    return Order(tuple(k for k in order.positions if k in found), order.values, order.name), words


def only_marked(study: Study, order: Order, choice: ImagesChoice) -> Order:
    """Return the order restricted to images with a star or a note, as chosen."""
    return replace(order, positions=image_marks.marked(study, order.positions, choice.marked))


def show_none(study: Study, choice: ImagesChoice, words: str) -> None:
    """Show that no image is listed, and why."""
    none = f"in none of {count(len(study.items), item_noun(study))}"
    if choice.marked == image_marks.EVERY:
        look.empty("No caption has these words", f"“{words}” is {none}.")
        return
    what = "a star" if choice.marked == image_marks.STARRED else "a note"
    why = f"“{words}” is in none that has {what}." if words else f"Give {what} to one first, or show all under Options."
    look.empty(f"No {item_noun(study)} has {what}" if not words else "No caption has these words", why)


def results(study: Study, metrics: Sequence[Metric], choice: ImagesChoice) -> ScoreView:
    """Return existing numbers and the job for missing ones, for the metrics shown and those of the order."""
    names = dict.fromkeys([*(metric.name for metric in metrics), *choice.metrics])
    return jobs().view(study, [registry.metrics()[name] for name in names], state.session())


def show_image(
    study: Study, here: int, runs: Sequence[Run], metrics: Sequence[Metric], found: Results, words: str
) -> None:
    """Show the reading, then the picture, the captions by people and those of each run, side by side."""
    item = study.items[here]
    if reading := images_words.reading(study, here, runs, metrics, found):
        look.verdict(*reading, kicker=f"This {item_noun(study)}", more=[images_words.CAUTION.format(item_noun(study))])
    space = distance_picker.metric(study).space
    matrices = {run.name: _distances(study, study.digest, run.name, here, space, space.signature) for run in runs}
    some = next((m for m in matrices.values() if m is not None), None)
    pictured = picture_of(item) is not None
    if pictured:
        with st.grid(2, min_column_width=270, gap=("medium", "medium")) as two:
            with two.cell():
                image_picker.show_picture(item)
                image_marks.panel(study, item)
            with two.cell():
                image_picker.show_references(item, some, words, BESIDE_PICTURE)
    else:
        look.figure_title(image_picker.title(item, WHOLE), image_picker.missing_picture(item))
        image_marks.panel(study, item)
    across = len(runs) + (not pictured)
    with st.grid(min(max(across, 1), ACROSS), min_column_width=160, gap=("medium", "medium")) as grid:
        if not pictured:
            with grid.cell():
                image_picker.show_references(item, some, words, LISTED)
        _runs(study, item, runs, matrices, words, grid)
    _nobody(study, runs)
    central = f" Central: smallest mean {space.label} distance to the rest of its side." if some is not None else ""
    look.footer(f"{images_words.of_all(study)}{central}".strip(), *(metric.signature for metric in metrics))


def _runs(
    study: Study,
    item: Item,
    runs: Sequence[Run],
    matrices: Mapping[str, ItemDistances | None],
    words: str,
    grid: Any,
) -> None:
    styles = styles_of(study)
    for run in runs:
        with grid.cell():
            image_picker.show_candidates(item, run, styles[run.model], matrices[run.name], words, LISTED)
            image_picker.page_link("triangles", "Triangles", "change_history", image=item.id, run=run.name)


def _nobody(study: Study, runs: Sequence[Run]) -> None:
    if not study.runs:
        look.empty("This study has only captions by people", "Add files of generated captions on the Data page.")
    elif not runs:
        look.empty("No run is chosen", f"Choose runs above to see what they say of this {item_noun(study)}.")


def show_parts(
    study: Study, order: Order, here: int, runs: Sequence[Run], metrics: Sequence[Metric], found: Results
) -> None:
    """Show the tabs: this image among all, its numbers, and all images in the order."""
    one = item_noun(study)
    titles = {"numbers": f"This {one} in numbers", "among": "Among all"} if runs and metrics else {}
    titles |= {"list": f"All {count(len(order.positions), one)} in this order"}
    part = parts.tabs("part", titles, ("among", "numbers"))
    if part == "among":
        _among(study, here, runs, metrics, found)
    elif part == "numbers":
        _numbers(study, here, runs, metrics, found)
    else:
        _list(study, order, here)


def _list(study: Study, order: Order, here: int) -> None:
    """Show the images of the order as a paged table; selecting a row shows its image."""
    place = order.positions.index(here)
    start = place - place % image_picker.PAGE
    listed = order.positions[start : start + image_picker.PAGE]
    frame = _listing(study, order, range(start, start + len(listed))).drop(columns="Id")
    show.listing(frame, "image_list", lambda row: address.store("image", study.items[listed[row]].id))
    whole = range(len(order.positions))
    show.downloads(lambda: _listing(study, order, whole), "image_list_all", name="images in order")


def _listing(study: Study, order: Order, places: Sequence[int]) -> pd.DataFrame:
    shown = [order.positions[place] for place in places]
    columns: dict[str, list[object]] = {
        "Place": [place + 1 for place in places],
        item_title(study): [image_picker.title(study.items[k]) for k in shown],
    }
    if order.values is not None:
        columns[order.name] = [float(order.values[k]) for k in shown]
    columns |= image_marks.columns(study, shown)
    columns["First caption by people"] = ["".join(study.items[k].references[:1]) for k in shown]
    columns["Id"] = [study.items[k].id for k in shown]
    return pd.DataFrame(columns)


def _numbers(study: Study, here: int, runs: Sequence[Run], metrics: Sequence[Metric], found: Results) -> None:
    values = {metric.label: [_value(found, run, metric, here) for run in runs] for metric in metrics}
    table = pd.DataFrame({"Run": [run.name for run in runs], **values, **chance.columns(study, here, runs, metrics)})
    look.figure_title("", images_words.directions(metrics))
    show.table(
        table,
        "image_numbers",
        name="image numbers",
        best=better_ends(table, registry.metrics().values()),
        waiting=_waiting(runs, metrics, found),
        caption=f"{study.name}, {image_picker.title(study.items[here])}: values of each run.",
    )
    _undefined(here, runs, metrics, found)


def _waiting(runs: Sequence[Run], metrics: Sequence[Metric], found: Results) -> dict[str, set[int]]:
    """The rows of the runs, by the label of a metric, whose numbers are being computed."""
    return {m.label: {k for k, run in enumerate(runs) if (run.name, m.name) not in found} for m in metrics}


def _among(study: Study, here: int, runs: Sequence[Run], metrics: Sequence[Metric], found: Results) -> None:
    """Show a strip of all images for each metric, with the place of this one."""
    _undefined(here, runs, metrics, found)
    drawn = [(metric, rows) for metric in metrics if (rows := _rows(study, here, runs, metric, found))]
    if drawn:
        look.figure_title("", images_strips.legend([row for _, rows in drawn for row in rows], item_noun(study)))
    with st.grid("auto", min_column_width=280, gap=("medium", "medium")) as grid:
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
    said = images_strips.legend(rows, item_noun(study))
    look.figure_title(metric.label, "", direction_arrow(metric))
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


def _up(metric: Metric) -> bool:
    """Whether higher values are shown as more: higher diversity is not better, but it is more."""
    return metric.higher_is_better or not metric.has_better_side


@st.cache_resource(max_entries=256, show_spinner="Comparing captions with one another")
def _distances(
    _study: Study, digest: str, run: str, position: int, _space: Distance, signature: str
) -> ItemDistances | None:
    try:
        return item_distances(_study, run, position, _space, jobs().cache)
    except Undefined:
        return None


def _first_metrics(study: Study) -> list[str]:
    found = []
    for row, quick in zip(PREFERRED, QUICK):
        wanted = [by for name in row if why_impossible(study, by := registry.metrics()[name]) is None]
        there = jobs().view(study, wanted, state.session(), start=False).results
        scored = (m.name for m in wanted if all((r.name, m.name) in there for r in study.runs))
        soon = (m.name for m in sorted(wanted, key=lambda m: m.name != quick) if is_quick(study, m, PATIENCE))
        if (first := next(scored, None) or next(soon, None)) is not None:
            found.append(first)
    return found
