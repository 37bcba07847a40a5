"""What charts need of the page they stand on: their library at hand, and clicks on their points that are heard."""

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
    """Name of the file of Streamlit's front end that draws charts; it carries plotly."""
    return next(_CODE.glob("PlotlyChart.*.js")).name


def ready() -> None:
    """Fetch the library once the page has nothing else to do, and listen on the whole page."""
    _component()(key="_charts", data={"library": library()}, height=1)
