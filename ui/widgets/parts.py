"""Parts of a page of which one is open: the address says which, and the others are not drawn."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import streamlit as st

from ui.frame import errors
from ui.session import address


def tabs(name: str, titles: Mapping[str, str], at_times: Collection[str] = ()) -> str:
    """Show a tab for each part and return the open one, the first by default; the address has it under `name`.

    Where a part of those that the page has `at_times` is gone, the first one opens without a message.
    """
    if (asked := address.value(name)) not in titles and asked in at_times:
        address.forget(name)
    opened = address.select_one(name, list(titles), next(iter(titles)))
    key = f"{name}_tabs"
    st.session_state[key] = titles[opened]

    def take() -> None:
        now = next((part for part, title in titles.items() if title == st.session_state[key]), None)
        if now is not None:  # A browser that shows an earlier run may send a title of that one.
            address.store(name, now)

    st.tabs(list(titles.values()), key=key, on_change=errors.callback(take))
    return opened
