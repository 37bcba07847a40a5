"""Numbers from a study bundle: a notice above every page that shows them, and a mark in files saved there."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from data.study import Study
from figures.notes.bundle import came_along, not_computed
from metrics.analysis import bundle
from ui.frame import errors
from ui.jobs import study_metrics
from ui.jobs.jobs import jobs
from ui.session import state

_SENTENCE, _NAME = "_brought", "-bundle-numbers"


def notice(study: Study, entries: Mapping[str, bytes]) -> None:
    """Show how many numbers came with the open study's bundle, if any, and a button to compute them here."""
    foreign = bundle.foreign_keys(study, jobs().cache.with_bundle(entries), study_metrics.idf())
    st.session_state[_SENTENCE] = not_computed(foreign)
    if not foreign:
        return
    with st.container(horizontal=True, gap="small", vertical_alignment="center", key="brought"):
        st.caption(f"Not computed here: {came_along(foreign)}.", width="content")
        st.button(
            "Compute here",
            key="compute_here",
            type="tertiary",
            icon=":material/refresh:",
            on_click=errors.callback(state.forget_numbers),
            help="Forgets what the bundle brought and computes it on this server.",
        )


def sentence() -> str:
    """Return the sentence for a saved file about numbers from a bundle; "" if there are none."""
    return str(st.session_state.get(_SENTENCE, ""))


def stem(name: str) -> str:
    """Return a file's name, marked if numbers come from a bundle: formats such as CSV have no room for a sentence."""
    return name + _NAME if sentence() else name
