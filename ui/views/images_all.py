"""All images at once: a contact sheet of those on which runs differ most, and a table with the captions of all."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from data.study import Item, Run, Study
from figures.images import contact_sheet
from figures.images.all_images import Heads, Row, RunHead, Sort, items_table
from figures.images.caption_cells import Said
from figures.images.titles import WHOLE
from figures.style.escaping import short
from figures.style.numbers import count
from figures.style.palette import styles_of
from figures.style.run_names import short_names
from figures.style.wording import heading, item_noun, item_title
from metrics.analysis.feasibility import has_references
from metrics.analysis.images_defaults import spread
from metrics.base import Metric
from metrics.engine.scoring import Results
from metrics.guide.documentation import direction
from metrics.mathematics.arrays import Floats
from ui.frame import errors, look
from ui.session import state
from ui.views.images import Choices, show_opening
from ui.views.images_order import Order, offered
from ui.widgets import image_marks, image_picker, show, thumbnails

SHEET, ROWS = 6, 12
"""The number of images on a contact sheet (two rows of cards, which fit on a screen) and in a table.

Without pictures, twice as many cards fit.
"""
_AT = "images_all_at"


def show_sheet(study: Study, order: Order, chosen: Choices, found: Results) -> None:
    """Show one sheet of images in order, each with the captions of the chosen runs and their values by one metric."""
    metrics = sorted(_metrics(study, chosen), key=lambda one: one.name not in chosen.order.metrics)[:1]
    size = SHEET if any(thumbnails.of(study, k) for k in order.positions[:SHEET]) else 2 * SHEET
    start, shown = _page(order, size)
    metric = next(iter(metrics), None)
    told = f"The number is {metric.label}: {direction(metric)}." if metric is not None else ""
    show_opening(study, chosen, told)
    with st.grid(3, min_column_width=250, gap=("medium", "medium")) as grid:
        for k in shown:
            item, said = study.items[k], _said(study, k, chosen.runs, metrics, found)
            picture = thumbnails.of(study, k)
            with grid.cell():
                name = image_picker.title(study, item)
                look.block(contact_sheet.card(name, _link(item), picture, item.references, said, metric))
    _turn(study, order, start, size)
    _foot(metrics)


def show_table(study: Study, order: Order, chosen: Choices, found: Results) -> None:
    """Show a page of the table: a row for each image; headings sort, and a click on a row opens its image."""
    metrics, key = _metrics(study, chosen), "image_list"
    start, shown = _page(order, ROWS)
    heads, values = _heads(study, order, chosen, metrics, found)
    stars, notes = state.loaded().marks.stars, state.loaded().marks.notes
    rows = []
    for k in shown:
        item = study.items[k]
        name = image_picker.title(study, item, WHOLE)
        people = item.references if not item.references or short(item.references[0].strip(), WHOLE) != name else ()
        mark = " ".join([*["★"] * (item.id in stars), *["note"] * (item.id in notes)])
        number = None if values is None else float(values[k])
        said = _said(study, k, chosen.runs, metrics, found)
        rows.append(Row(name, _link(item), people, said, thumbnails.of(study, k), mark, number))
    noun = item_noun(study)
    show_opening(study, chosen, f"Click a heading to sort, a row to open its {noun}.")
    look.block(items_table(heads, rows, metrics, f"All {noun}s"))
    _turn(study, order, start, ROWS)
    _foot(metrics)
    show.downloads(
        lambda: listing(study, order, chosen.runs, metrics, found),
        f"{key}_all",
        name="images and captions",
        signatures=[metric.signature for metric in metrics],
    )


def _heads(
    study: Study, order: Order, chosen: Choices, metrics: Sequence[Metric], found: Results
) -> tuple[Heads, Floats | None]:
    """The headings with their links, and the values of the column that belongs to no run; None without that column."""
    by, styles, called = chosen.order, styles_of(study), short_names(study.runs)
    noun, runs = item_noun(study), chosen.runs
    file = Sort(
        item_title(study),
        image_picker.here(order="file"),
        "ascending" if by.kind == "file" else "",
        "Sort as in the file",
    )
    end, other = ("descending", "low") if by.descending else ("ascending", "high")

    def sort(metric: Metric, run: Run) -> Sort:
        here = by.kind == "metric" and by.metrics == (metric.name,) and by.runs == (run.name,)
        link = image_picker.here(order="metric", by=metric.name, of=run.name, **{"from": other if here else "high"})
        about = f"Sort by {metric.label} of {called[run.name]}, {direction(metric)}"
        return Sort(heading(metric), link, end if here else "", about)

    of_runs = [
        RunHead(called[run.name], styles[run.model].text(look.mode()), [sort(metric, run) for metric in metrics])
        for run in runs
    ]
    if order.values is not None and by.kind in ("difference", "disagreement"):
        return Heads(file, Sort(order.name, "", end), of_runs), order.values
    by_gap = by.metrics if by.kind == "spread" else [metric.name for metric in metrics if metric.has_better_side]
    main = next((metric for metric in metrics if metric.name in by_gap), None)
    of = [found.get((run.name, main.name)) for run in runs] if main else []
    results = [result for result in of if result is not None and len(result.items)]
    if main is None or len(runs) < 2 or len(results) < len(runs):
        return Heads(file, None, of_runs), None
    about = f"Sort by the gap between the best and the worst of these runs by {main.label}, on each {noun}"
    link = image_picker.here(order="spread", by=main.name)
    return Heads(file, Sort("Gap", link, "descending" if by.kind == "spread" else "", about), of_runs), spread(results)


def listing(study: Study, order: Order, runs: Sequence[Run], metrics: Sequence[Metric], found: Results) -> pd.DataFrame:
    """Return a row for each image, in order.

    The columns: its name, what orders it, each run's captions and values, marks, references, the id.
    """
    shown, short = list(order.positions), short_names(study.runs)
    items = [study.items[k] for k in shown]
    columns: dict[str, object] = {item_title(study): [image_picker.title(study, item) for item in items]}
    if order.values is not None:
        columns[order.name] = order.values[shown]
    for run in runs:
        columns[short[run.name]] = [_line(run.candidates.get(item.id, ())) for item in items]
        for metric in metrics:
            result = found.get((run.name, metric.name))
            if result is not None and len(result.items):
                columns[_of_run(metric, short[run.name])] = result.items[shown]
    columns |= image_marks.columns(study, shown)
    if has_references(study):
        columns["People"] = [_line(item.references) for item in items]
    columns["Id"] = [item.id for item in items]
    return pd.DataFrame(columns)


def _of_run(metric: Metric, run: str) -> str:
    return f"{metric.label}, {run}"


def _metrics(study: Study, chosen: Choices) -> list[Metric]:
    """The displayed metrics, at most two: the one that orders the images is among them."""
    first = [metric.name for metric in chosen.metrics][:2]
    if chosen.order.metrics and chosen.order.metrics[0] not in first:
        first = [chosen.order.metrics[0], *first[:1]]
    return [offered(study)[name] for name in first]


def _said(study: Study, k: int, runs: Sequence[Run], metrics: Sequence[Metric], found: Results) -> list[Said]:
    styles, called, mode = styles_of(study), short_names(study.runs), look.mode()

    def value(run: Run, metric: Metric) -> float:
        result = found.get((run.name, metric.name))
        return float(result.items[k]) if result is not None and len(result.items) else float("nan")

    return [
        Said(
            called[run.name],
            styles[run.model].text(mode),
            run.candidates.get(study.items[k].id, ()),
            [value(run, metric) for metric in metrics],
        )
        for run in runs
    ]


def _line(texts: Sequence[str]) -> str:
    return " | ".join(text.strip() for text in texts)


def _link(item: Item) -> str:
    return image_picker.here(images_as="one", image=item.id)


def _page(order: Order, size: int) -> tuple[int, tuple[int, ...]]:
    """Where the open page of a list begins, and the images on it; another order or filter opens at its first page."""
    kept, start = st.session_state.get(_AT, ((), 0))
    start = start - start % size if kept == order.positions and start < len(order.positions) else 0
    return start, order.positions[start : start + size]


def _turn(study: Study, order: Order, start: int, size: int) -> None:
    """Show which images are listed, and buttons for the page before and after them."""
    total = len(order.positions)
    end = min(start + size, total)
    some = f"{start + 1:,} to {end:,} of {count(total, item_noun(study))}" if size < total else ""
    if not some:
        look.figure_title("", f"{count(total, item_noun(study))}")
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        for label, key, to in (("Previous", "sheet_back", start - size), ("Next", "sheet_on", start + size)):
            beyond = not 0 <= to < total
            st.button(label, key=key, disabled=beyond, on_click=errors.callback(_open), args=(order.positions, to))
        look.figure_title("", some)


def _foot(metrics: Sequence[Metric]) -> None:
    facts = [f"{heading(metric)}: {direction(metric)}" for metric in metrics]
    best = ["bold: the best of these runs"] if any(metric.has_better_side for metric in metrics) else []
    look.figure_footer([*facts, *best], (), [metric.signature for metric in metrics])


def _open(positions: tuple[int, ...], start: int) -> None:
    st.session_state[_AT] = positions, start
