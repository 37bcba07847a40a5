"""Links in our own HTML (`a.tl-go`), which a click follows within the session, as it does those of the menu."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer


@cache
def _component() -> ComponentRenderer:
    return st.components.v2.component("trilens_follow", js=Path(__file__).with_suffix(".js").read_text("utf-8"))


def asked() -> tuple[str, dict[str, list[str]]] | None:
    """Return the page and the query of the link that was clicked since the last run; the page is "" for the same one.

    Call it on every page. The browser sends the link: its page may not exist.
    """
    href = getattr(_component()(key="_follow", height=1, on_go_change=lambda: None), "go", None)
    if not isinstance(href, str):
        return None
    parts = urlsplit(href)
    return parts.path, parse_qs(parts.query)
