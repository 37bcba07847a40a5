"""Hidden runs: a line above each page that says how many there are, with a button that shows them."""

from __future__ import annotations

import streamlit as st

from figures.notes.hidden import hidden_runs
from ui.frame import errors
from ui.session import runs, state


def notice() -> None:
    """Show how many runs of the open study are hidden, if any."""
    whole, part = state.whole_study(), state.unsliced_study()
    if whole is part:
        return
    with st.container(horizontal=True, gap="small", vertical_alignment="center", key="hidden_notice"):
        st.caption(f"{hidden_runs(len(whole.runs) - len(part.runs), len(whole.runs))}.", width="content")
        st.button(
            "Show all runs",
            key="hidden_show",
            type="tertiary",
            icon=":material/visibility:",
            on_click=errors.callback(runs.show_all),
            help="No page counts hidden runs: not in ranks, tests, or files saved there. Hide single runs on Data.",
        )
