"""Requirements of charts on a page: the plotly library preloaded, and click events on points."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

_CODE = Path(st.__file__).parent / "static" / "static" / "js"


@cache
def _component() -> ComponentRenderer:
    return st.components.v2.component("trilens_charts", js=Path(__file__).with_suffix(".js").read_text("utf-8"))


@cache
def library() -> str:
    """Return the name of the file in Streamlit's front end that draws charts; it contains plotly."""
    return next(_CODE.glob("PlotlyChart.*.js")).name


def ready() -> None:
    """Fetch the library once the page is idle, and listen for clicks on the whole page."""
    with st.sidebar:
        _component()(key="_charts", data={"library": library()}, height=1)
