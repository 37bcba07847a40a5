"""Runs and models that an address names by a former name, and hidden runs that it names."""

from __future__ import annotations

import streamlit as st

from ui.session import state, visit

CHOICES = ("run", "runs", "a", "b", "of", "against", "base", "beside", "drawn", "with", "sets_of", "rated_runs")
"""Choices whose values are names of runs."""
_OTHERWISE = {"robustness": ("of",), "judgments": ("with",)}
"""By page, the CHOICES that do not contain runs there."""
_HIDDEN = "_links_hidden"


def bring(page: str) -> None:
    """Update choices to the current names of runs and models, and record hidden runs that the address names."""
    here = page, state.token()
    marks, runs = state.loaded().marks, state.whole_study().runs
    formerly = marks.present(run.name for run in runs)
    visit.translate("models", marks.present_models(run.model for run in runs))
    kept_for, asked = st.session_state.get(_HIDDEN, (here, {}))
    found = dict(asked) if kept_for == here else {}
    gone = _hidden()
    for name in CHOICES:
        chosen = visit.read(name)
        if not chosen or name in _OTHERWISE.get(page, ()):
            continue
        visit.translate(name, formerly)
        if visit.was_asked(name) and gone.intersection(now := visit.read(name) or ()):
            found[name] = now
    st.session_state[_HIDDEN] = here, found


def settle(name: str) -> None:
    """Record that the reader has overridden a choice in the address."""
    st.session_state.get(_HIDDEN, ("", {}))[1].pop(name, None)


def hidden() -> tuple[str, ...]:
    """Return the hidden runs that this page's address names."""
    gone = _hidden()
    return tuple(dict.fromkeys(run for of in _asked().values() for run in of if run in gone))


def resume() -> None:
    """Restore the choices in which the address named hidden runs, once these runs are shown."""
    for name, values in _asked().items():
        visit.put(name, values)


def _asked() -> dict[str, visit.Values]:
    found: dict[str, visit.Values] = st.session_state.get(_HIDDEN, ("", {}))[1]
    return found


def _hidden() -> frozenset[str]:
    shown = {run.name for run in state.unsliced_study().runs}
    return frozenset(run.name for run in state.whole_study().runs if run.name not in shown)
