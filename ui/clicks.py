"""Lets clicks on the points of charts be heard although the hand moved just before, which plotly alone does not."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer


@cache
def _listener() -> ComponentRenderer:
    return st.components.v2.component("trilens_clicks", js=Path(__file__).with_suffix(".js").read_text("utf-8"))


def follow() -> None:
    """Listen on the whole page."""
    _listener()(key="_clicks", height=1)
