"""Parts of a page: tabs, of which the address stores the open one, and columns."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import streamlit as st

from ui.frame import errors
from ui.session import address


def tabs(name: str, titles: Mapping[str, str], at_times: Collection[str] = ()) -> str:
    """Show a tab for each part; return the open one, by default the first.

    The address stores it as `name`. If the address names a part that exists only `at_times` and is missing, the first
    opens without a message.
    """
    if (asked := address.value(name)) not in titles and asked in at_times:
        address.forget(name)
    opened = address.select_one(name, list(titles), next(iter(titles)))
    key = f"{name}_tabs"
    st.session_state[key] = titles[opened]

    def take() -> None:
        now = next((part for part, title in titles.items() if title == st.session_state[key]), None)
        if now is not None:  # A browser that shows an earlier run may send a title from that run.
            address.store(name, now)

    st.tabs(list(titles.values()), key=key, on_change=errors.callback(take))
    return opened


_TABLET = 570
"""Width in px of a page on a tablet, with the menu beside it."""


def columns(n: int, least: int, name: str, most: int = 4) -> Any:
    """Return a grid for `n` parts of at least `least` px, at most `most` in a row.

    It has no more rows than that needs.
    """
    across = -(-n // -(-n // most))
    wide = "wide" if across * least > _TABLET else "slim"
    return st.grid(across, min_column_width=least, gap=("medium", "medium"), key=f"tl-of-{across}-{wide}-{name}")
