"""The Tab order: first a link to the menu, then the controls of the page."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

_HERE = Path(__file__)


@cache
def _component() -> ComponentRenderer:
    return st.components.v2.component(
        "trilens_keyboard",
        html='<button type="button">Go to the menu</button>',
        css=_HERE.with_suffix(".css").read_text("utf-8"),
        js=_HERE.with_suffix(".js").read_text("utf-8"),
    )


def begin(page: str) -> None:
    """Begin a page, identified by its address: call this before anything else that Tab can reach."""
    _component()(key="_keyboard", data={"page": page}, height=1)
