"""Hidden runs: a line above each page that states their number, with a button that shows them."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from figures.notes.hidden import hidden_runs, linked
from figures.style.escaping import short
from ui.frame import errors
from ui.frame.wording import plain
from ui.session import run_links, runs, state

_LONGEST = 60


def notice() -> None:
    """Show the number of hidden runs of the open study, if any, and those that the link names."""
    whole, part = state.whole_study(), state.unsliced_study()
    if whole is part:
        return
    hidden, named = len(whole.runs) - len(part.runs), run_links.hidden()
    with st.container(horizontal=True, gap="small", vertical_alignment="center", key="hidden_notice"):
        said = f"{hidden_runs(hidden, len(whole.runs))}."
        said += f" {linked([plain(short(one, _LONGEST)) for one in named])}." if named else ""
        st.caption(said, width="content")
        if named:
            _button("Show it" if len(named) == 1 else "Show them", "hidden_show_named", _show_named, "")
        if len(named) < hidden:
            about = "No page counts hidden runs: not in ranks, tests, or files saved there. Hide single runs on Data."
            _button("Show all runs", "hidden_show", runs.show_all, about)


def _show_named() -> None:
    if runs.show(run_links.hidden()):
        run_links.resume()


def _button(words: str, key: str, on_click: Callable[[], None], about: str) -> None:
    st.button(
        words,
        key=key,
        type="tertiary",
        icon=":material/visibility:",
        on_click=errors.callback(on_click),
        help=about or None,
    )
