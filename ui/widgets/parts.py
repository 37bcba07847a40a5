"""Parts of a page of which one is open: the address says which, and the others are neither computed nor drawn."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from ui.frame import errors
from ui.session import address


def tabs(name: str, titles: Mapping[str, str]) -> str:
    """Show a tab for each part and return the open one, the first by default; the address has it under `name`."""
    opened = address.select_one(name, list(titles), next(iter(titles)))
    key = f"{name}_tabs"
    st.session_state[key] = titles[opened]

    def take() -> None:
        now = st.session_state[key]
        address.store(name, next(part for part, title in titles.items() if title == now))

    st.tabs(list(titles.values()), key=key, on_change=errors.callback(take))
    return opened
