"""Selections in the caption cloud: one caption by a click, several by a box or a lasso, stored in the address.

A chart whose figure changes is rebuilt and loses its selection; the address keeps it.
"""

from __future__ import annotations

from typing import Any

import streamlit as st

from data.study import Study
from metrics.analysis.cloud.captions import Points, Projection
from metrics.analysis.cloud.selection import Area, Kind, Plane, drawn, read
from metrics.analysis.cloud.view import CloudView
from ui.frame import errors
from ui.session import address
from ui.widgets import show

CHART = "cloud_chart"
_OF = "_cloud_area_of"


def areas(study: Study, of: Projection) -> tuple[Area, ...]:
    """Return the areas in the address for this plane; areas of a previously viewed plane are forgotten.

    `address.show_unknown` reports anything that is not an area.
    """
    plane = (study.digest, of.signature)
    if st.session_state.setdefault(_OF, plane) != plane:
        st.session_state[_OF] = plane
        address.forget("area")
    known = {text: area for text in address.values("area") or () if (area := read(text)) is not None}
    return tuple(known[text] for text in address.select_several("area", list(known), ()))


def take(chart: str, plane: Plane) -> None:
    """Store the areas drawn, or else the point clicked; called before the next run of the page."""
    selection = st.session_state[chart].selection
    shapes: list[tuple[Kind, Any]] = [("box", shape) for shape in selection.box]
    shapes += [("lasso", shape) for shape in selection.lasso]
    found = [drawn(kind, list(zip(shape["x"], shape["y"])), plane) for kind, shape in shapes]
    texts = [area.text for area in found if area is not None]
    rows = {int(row) for row, *_ in show.picked(chart)}
    if texts:
        address.store("area", *texts)
    elif len(rows) == 1:
        address.store("pick", str(rows.pop()))
        if chart != CHART:  # Maps do not show the chosen caption beside them.
            address.store("part", "caption")


def clear() -> None:
    """Show a button that removes the areas."""
    st.button(
        "Clear the selection",
        key="cloud_clear",
        type="tertiary",
        icon=":material/close:",
        on_click=errors.callback(address.store),
        args=("area",),
    )


def check_pick(of: Points) -> None:
    """Have `address.show_unknown` report the number of a selected caption if no caption has this number."""
    asked = address.value("pick")
    if asked:
        address.select_several(
            "pick", [asked] if asked.isascii() and asked.isdecimal() and int(asked) < len(of) else [], ()
        )


def picked(view: CloudView) -> int | None:
    """Return the row of the selected caption if it is shown, else of the first central caption shown.

    The latter belongs to the emphasised item if there is one. Without a central caption, it is the first caption shown;
    None if none is shown.
    """
    shown = view.shown
    asked = address.value("pick")
    if asked and int(asked) in shown:
        return int(asked)
    own = shown[(view.points.item[shown] == view.focus) | (view.focus is None)]
    middle = own[view.layout.central[own]]
    first = middle if len(middle) else own
    return int(first[0]) if len(first) else None
