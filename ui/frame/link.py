"""Copying the address of a view: one button on every page, beside the description of the study."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

_HERE = Path(__file__)


@cache
def _component() -> ComponentRenderer:
    return st.components.v2.component(
        "trilens_link",
        html='<div><button type="button">Copy link</button><span role="status"></span></div>',
        css=_HERE.with_suffix(".css").read_text("utf-8"),
        js=_HERE.with_suffix(".js").read_text("utf-8"),
    )


def button(about: str) -> None:
    """Show the button; `about` says what the link opens, and for how long."""
    _component()(key="_link", data={"about": about})
