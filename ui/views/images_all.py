"""All images at once: a contact sheet of those on which runs differ most, and a table with the captions of all."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from data.study import Run, Study
from figures.images import sheet
from figures.style.html import alike
from figures.style.numbers import count
from figures.style.palette import styles_of
from figures.style.run_names import short_names
from figures.style.wording import item_noun, item_title
from metrics.analysis.feasibility import has_references
from metrics.base import Metric
from metrics.engine.scoring import Results
from ui.frame import errors, look
from ui.frame.wording import plain
from ui.session import address
from ui.views.images import Choices
from ui.views.images_order import Order, offered
from ui.widgets import image_marks, image_picker, show, thumbnails

SHEET = 6
"""The number of images on a contact sheet: two rows, so that a sheet fits on a screen."""
_SHEET_AT = "sheet_page"
_WIDE, _NARROW, _HIGH = 220, 90, 620
"""Widths in px of text columns and number columns, and the height in px of the table."""


def show_sheet(study: Study, order: Order, chosen: Choices, found: Results) -> None:
    """Show one sheet of images in order, each with the chosen runs' captions and values and a button that opens the
    image.
    """
    metric, total = next(iter(_metrics(study, chosen)), None), len(order.positions)
    start = min(int(st.session_state.get(_SHEET_AT) or 0), (total - 1) // SHEET) * SHEET
    shown = order.positions[start : start + SHEET]
    styles, short, mode = styles_of(study), short_names(study.runs), look.mode()
    with st.grid(3, min_column_width=250, gap=("medium", "medium")) as grid:
        for k in shown:
            said = [
                sheet.Said(short[run.name], styles[run.model].text(mode), *_said(study, run, k, metric, found))
                for run in chosen.runs
            ]
            with grid.cell(), st.container(gap=None):
                look.block(sheet.card(image_picker.title(study, study.items[k]), thumbnails.of(study, k), said))
                _opener(f"Open {item_noun(study)}", study.items[k].id, f"sheet_{k}")
    if total > SHEET:
        _turn(start // SHEET, total)
    by = f" Numbers: {metric.label} of the {item_noun(study)}." if metric is not None else ""
    signed = [metric.signature] if metric is not None else []
    look.footer(f"{start + 1:,} to {start + len(shown):,} of {count(total, item_noun(study))}.{by}", *signed)


def show_table(study: Study, order: Order, here: int, chosen: Choices, found: Results) -> None:
    """Show a row for each image of the order with the runs' captions and values; a button opens the selected one.

    Selecting a row does not open it, since a click on a heading, which sorts, also selects the first row.
    """
    metrics, positions = _metrics(study, chosen), order.positions
    seen = listing(study, order, chosen.runs, metrics, found).drop(columns="Id")
    name, short = item_title(study), short_names(study.runs)
    columns: dict[str, object] = {name: st.column_config.TextColumn(width=_WIDE)}
    for run in chosen.runs:
        columns[short[run.name]] = st.column_config.TextColumn(width=_WIDE)
        for metric in metrics:
            said = f"{plain(metric.label)} of {plain(short[run.name])}"
            columns[_of_run(metric, short[run.name])] = st.column_config.NumberColumn(
                metric.label, width=_NARROW, help=said, format="%.2f"
            )
    _opener(plain(f"Open {image_picker.title(study, study.items[here])}"), study.items[here].id, "table_open")
    take = lambda row: address.store("image", study.items[positions[row]].id)  # noqa: E731
    show.listing(seen, "image_list", take, columns=columns, height=_HIGH)
    said = f"{count(len(positions), item_noun(study))}. Click a heading to sort, a row to select it."
    look.footer(said, *(metric.signature for metric in metrics))
    show.downloads(
        lambda: listing(study, order, chosen.runs, metrics, found, whole=True),
        "image_list_all",
        name="images and captions",
        signatures=[metric.signature for metric in metrics],
    )


def listing(
    study: Study, order: Order, runs: Sequence[Run], metrics: Sequence[Metric], found: Results, whole: bool = False
) -> pd.DataFrame:
    """Return a row for each image: its name, what orders it, each run's captions and values, marks and the id.

    Of several captions the most frequent one is shown, with the number of others; all of them if `whole`.
    """
    shown, short = list(order.positions), short_names(study.runs)
    items = [study.items[k] for k in shown]
    columns: dict[str, object] = {item_title(study): [image_picker.title(study, item) for item in items]}
    if order.values is not None:
        columns[order.name] = order.values[shown]
    for run in runs:
        columns[short[run.name]] = [_line(run.candidates.get(item.id, ()), whole) for item in items]
        for metric in metrics:
            result = found.get((run.name, metric.name))
            if result is not None and len(result.items):
                columns[_of_run(metric, short[run.name])] = result.items[shown]
    columns |= image_marks.columns(study, shown)
    if has_references(study):
        columns["People"] = [_line(item.references, whole) for item in items]
    columns["Id"] = [item.id for item in items]
    return pd.DataFrame(columns)


def _of_run(metric: Metric, run: str) -> str:
    return f"{metric.label}, {run}"


def _metrics(study: Study, chosen: Choices) -> list[Metric]:
    able = offered(study)
    by = {name: able[name] for name in chosen.order.metrics} | {metric.name: metric for metric in chosen.metrics}
    return list(by.values())[:2]


def _said(study: Study, run: Run, k: int, metric: Metric | None, found: Results) -> tuple[str, float]:
    result = None if metric is None else found.get((run.name, metric.name))
    value = float(result.items[k]) if result is not None and len(result.items) else float("nan")
    return _line(run.candidates.get(study.items[k].id, ())), value


def _line(texts: Sequence[str], whole: bool = False) -> str:
    groups = alike(texts)
    if whole:
        return " | ".join(text.strip() for text in texts)
    more = f" (+{len(groups) - 1} other)" if len(groups) == 2 else f" (+{len(groups) - 1} others)"
    return "" if not groups else groups[0][0].strip() + (more if len(groups) > 1 else "")


def _opener(label: str, item: str, key: str) -> None:
    st.button(label, key=key, type="tertiary", on_click=errors.callback(_open), args=(item,))


def _open(item: str) -> None:
    address.store("image", item)
    address.forget("images_as")


def _turn(page: int, total: int) -> None:
    with image_picker.row():
        for label, key, to in (("Previous", "sheet_back", page - 1), ("Next", "sheet_on", page + 1)):
            beyond = not 0 <= to * SHEET < total
            st.button(label, key=key, disabled=beyond, on_click=errors.callback(_open_sheet), args=(to,))


def _open_sheet(page: int) -> None:
    st.session_state[_SHEET_AT] = page
