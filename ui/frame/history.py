"""The browser's history: one entry per page, whatever its controls write into the address."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer


@cache
def _component() -> ComponentRenderer:
    return st.components.v2.component("trilens_history", js=Path(__file__).with_suffix(".js").read_text("utf-8"))


def ready() -> None:
    """Patch the history before a page writes its first address at the end of its run."""
    with st.sidebar:
        _component()(key="_history", height=1)
