"""Settings and seeds on the Data page: replicate runs, detected automatically or grouped manually."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pandas as pd
import streamlit as st

from data.check import Loaded
from data.run_settings import regroup
from data.study import Study
from figures.style.numbers import count
from metrics.analysis.replicates.grouping import replicates
from ui.frame import errors, look
from ui.session import state

_UNDO = "_seeds_before"
LONGEST = 200
"""Maximum length in characters of a setting's name."""


def editor(study: Study, demo: bool) -> None:
    """Show an editor for the setting of each run; the grouping is stored with the study. The demo cannot be edited."""
    if demo or len(study.runs) < 2:
        return
    found = {name: of.name for of in replicates(study.runs) for name in of.runs}
    several = sum(len(of.runs) > 1 for of in replicates(study.runs))
    with st.expander("Settings and seeds", icon=":material/grain:"):
        look.figure_title(
            f"{count(several, 'setting')} with several seeds",
            "Runs of one setting differ only in their seed. Give runs the same setting name to group them.",
        )
        table = pd.DataFrame({"Run": list(found), "Setting": list(found.values())})
        columns = {
            "Run": st.column_config.TextColumn(disabled=True, width="medium"),
            "Setting": st.column_config.TextColumn(required=True, max_chars=LONGEST, width="medium"),
        }
        key = f"seeds_{state.token()[:16]}_{len(_before())}"
        edited = st.data_editor(table, hide_index=True, row_height=32, column_config=columns, key=key)
        changed = by_hand(study, dict(zip(edited["Run"], edited["Setting"])), found)
        with st.container(horizontal=True, gap="small"):
            if changed is not None:
                st.button("Apply", icon=":material/check:", key="seeds_apply", on_click=group, args=(changed,))
            if _before():
                st.button("Undo", icon=":material/undo:", key="seeds_undo", on_click=undo)


def by_hand(study: Study, wanted: Mapping[str, str], found: Mapping[str, str]) -> dict[str, str] | None:
    """Return the setting of every run as the table shows it, by run name; None if these are the detected ones, `found`.

    Runs whose setting was not changed are included, so that automatic detection cannot change it.
    """
    names = {run: " ".join(str(setting).split())[:LONGEST] or run for run, setting in wanted.items()}
    if names == dict(found):
        return None
    return {run.name: names[run.name] for run in study.runs}


def _before() -> list[tuple[str, dict[str, str]]]:
    """Earlier groupings, each with its study, the latest last.

    A grouping of runs that have been renamed or removed cannot be restored, nor can any grouping before it.
    """
    stored: list[tuple[str, dict[str, str]]] = st.session_state.setdefault(_UNDO, [])
    kept = [one for one in stored if one[0] == state.token()]
    names = {run.name for run in state.whole_study().runs}
    lost = [k for k, (_, settings) in enumerate(kept) if not settings.keys() <= names]
    return kept[lost[-1] + 1 :] if lost else kept


@errors.callback
def group(settings: Mapping[str, str]) -> None:
    """Make runs with the same setting replicates; `settings` maps run names to settings. `undo` reverts this."""
    now = {run.name: run.setting for run in state.whole_study().runs if run.setting}
    st.session_state[_UNDO] = [*_before(), (state.token(), now)]
    _change(settings)


@errors.callback
def undo() -> None:
    """Return to the grouping before the last change."""
    if not (kept := _before()):
        return
    *rest, (_, before) = kept
    st.session_state[_UNDO] = rest
    _change(before)


def _change(settings: Mapping[str, str]) -> None:
    def grouped(old: Loaded) -> Loaded | None:
        if old.study is None:
            return None
        called = old.marks.present(run.name for run in old.study.runs)
        now = {called.get(run, run): setting for run, setting in settings.items()}
        return replace(old, study=regroup(old.study, now))

    state.update(grouped)
