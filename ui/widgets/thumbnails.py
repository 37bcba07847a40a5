"""Show the picture of a point on hover: plotly's own labels can contain only text.

A picture is fetched when the pointer first reaches one of its points, so page size does not grow with the number of
points.
"""

from __future__ import annotations

import base64
import io
from pathlib import Path

import streamlit as st

from data.study import Study
from figures.images.pictures import Picture
from ui.frame import errors
from ui.frame.browser import component
from ui.session import state
from ui.session.pictures import picture_of

SIDE = 150
_POINTER = component(Path(__file__).with_name("pointer.js"))


@errors.fragment()
def follow(study: Study, chart: str) -> None:
    """Show pictures on hover in the chart with that key; its points have (row, position of the item) as customdata."""
    key = f"{chart}_pointer"
    asked = st.session_state.get(key)
    item = _place(study, asked.get("wanted") if asked else None)
    picture = "" if item is None else of(study, item)
    some = state.is_demo() or bool(_given()) or any(item.image for item in study.items)
    data = {"chart": chart, "study": study.digest, "pictures": some, "item": item, "picture": picture}
    _POINTER(key=key, data=data, height=1, on_wanted_change=_nothing)


def of(study: Study, place: int) -> str:
    """Return the small picture of the item at that position as a data URI; "" if it has none."""
    return _thumbnail(study, study.digest, place, state.is_demo(), _given())


def _nothing() -> None:
    """Do nothing: a requested picture reruns this part of the page."""


def _place(study: Study, wanted: object) -> int | None:
    return wanted if isinstance(wanted, int) and 0 <= wanted < len(study.items) else None


def _given() -> str:
    given = state.loaded().pictures
    return "" if given is None else given.digest


@st.cache_resource(max_entries=2_000, show_spinner=False)
def _thumbnail(_study: Study, digest: str, place: int, demo: bool, given: str) -> str:
    picture = picture_of(_study.items[place])
    return "" if picture is None else _small(picture)


def _small(given: Picture) -> str:
    """A JPEG of at most 2 SIDE px each way, as a data URI; "" for a file that is not a picture."""
    from PIL import Image

    try:
        with Image.open(io.BytesIO(given.content)) as picture:
            picture.draft("RGB", (2 * SIDE, 2 * SIDE))
            small = picture.convert("RGB")
            small.thumbnail((2 * SIDE, 2 * SIDE))
    except (OSError, ValueError, Image.DecompressionBombError):
        return ""
    buffer = io.BytesIO()
    small.save(buffer, "JPEG", quality=60)
    return "data:image/jpeg;base64," + base64.b64encode(buffer.getvalue()).decode()
