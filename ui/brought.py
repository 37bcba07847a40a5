"""A word above every page that shows numbers which a study bundle brought: they were not computed here."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from data.bundle import NUMBERS
from figures.numbers import count
from ui import state
from ui.jobs import jobs


def notice(entries: Mapping[str, bytes]) -> None:
    """How much of the open study came along with its bundle, and the way to compute it here; nothing without any."""
    own = jobs().cache
    foreign = [key for key in entries if not own.has_own(key)]
    if not foreign:
        return
    with st.container(horizontal=True, gap="small", vertical_alignment="center", key="brought"):
        st.caption(f"Not computed here: {_what(foreign)} came with the study bundle.", width="content")
        st.button(
            "Compute here", key="compute_here", type="tertiary", icon=":material/refresh:",
            on_click=state.forget_numbers, help="Forgets what the bundle brought and computes it on this server.",
        )  # fmt: skip


def _what(keys: list[str]) -> str:
    numbers = sum(key.startswith(NUMBERS) for key in keys)
    figures = len(keys) - numbers
    parts = [count(numbers, "number")] if numbers else []
    parts += [f"what {count(figures, 'figure')} {'is' if figures == 1 else 'are'} drawn from"] if figures else []
    return " and ".join(parts)
