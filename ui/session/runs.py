"""Runs of the open study as people want them: under which name and model, with which settings, shown or hidden."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import streamlit as st

from data.marks import Marks, of_study, renamed
from data.settings import relabel
from data.study import Settings
from ui.session import state

_BEFORE = "_runs_before"


@dataclass(frozen=True)
class RunLabel:
    """What a run is called and counted by, and whether pages show it."""

    name: str
    model: str
    settings: Settings
    shown: bool = True


def labels() -> dict[str, RunLabel]:
    """Return the labels of all runs of the open study, hidden ones too, by their names."""
    study = state.whole_study()
    hidden, runs = of_study(state.loaded().marks, study).hidden, study.runs
    return {run.name: RunLabel(run.name, run.model, run.settings, run.name not in hidden) for run in runs}


def changed(wanted: Mapping[str, RunLabel], drawn: Mapping[str, RunLabel]) -> dict[str, RunLabel]:
    """Return those of the wanted labels that differ from the ones that a page had drawn."""
    return {name: label for name, label in wanted.items() if label != drawn.get(name)}


def refused(wanted: Mapping[str, RunLabel]) -> str:
    """Return why runs cannot have these labels, "" where they can: others may have changed the study meanwhile."""
    now, study = labels(), state.whole_study()
    every = {**now, **wanted}
    if wanted.keys() - now.keys():
        return "somebody else has renamed or removed a run meanwhile."
    if not any(label.shown for label in every.values()):
        return "at least one run must be shown."
    names = [label.name for label in every.values()]
    rated = {name for one in study.systems for name in one.systems} - now.keys()
    if state.is_demo() or (len(names) == len(set(names)) and not rated & set(names)):
        return ""
    taken = next(name for name in names if names.count(name) > 1 or name in rated)
    return f"{taken} is the name of another run or of a system that people rated."


def change(wanted: Mapping[str, RunLabel]) -> bool:
    """Give runs these labels, by their names; `undo` takes it back. Return False if refused or without room for it."""
    old = labels()
    before = {label.name: old[name] for name, label in wanted.items() if name in old and label != old[name]}
    if not before and wanted.keys() <= old.keys():
        return True
    if not _apply(wanted):
        return False
    st.session_state[_BEFORE] = state.token(), before
    return True


def show_all() -> None:
    """Show the hidden runs again."""
    change({name: replace(label, shown=True) for name, label in labels().items()})


def can_undo() -> bool:
    """Return whether the last change of the runs can be undone: the runs are still there, and their names free."""
    token, before = st.session_state.get(_BEFORE, ("", {}))
    return bool(before) and token == state.token() and not refused(before)


def undo() -> None:
    """Take back the last change of this session."""
    if can_undo():
        _, before = st.session_state.pop(_BEFORE)
        _apply(before)


def _apply(wanted: Mapping[str, RunLabel]) -> bool:
    """Rename, relabel, hide and show; the shared demo's runs are only hidden and shown. Return False if refused."""
    if refused(wanted):
        return False
    loaded, every = state.loaded(), {**labels(), **wanted}
    names = {name: label.name for name, label in every.items() if label.name != name}
    hidden = frozenset(label.name for label in every.values() if not label.shown)
    if state.is_demo() or loaded.study is None:
        return state.mark(lambda marks: replace(marks, hidden=hidden))
    study = relabel(loaded.study, {name: (label.model, label.settings) for name, label in every.items()})
    marks = replace(loaded.marks, names=_by_file(loaded.marks, names), hidden=hidden)
    return state.change_study(replace(loaded, study=renamed(study, names), marks=marks))


def _by_file(marks: Marks, names: Mapping[str, str]) -> dict[str, str]:
    """The names given by hand, by the names in the files, after some runs got other names than they have now."""
    files = {now: file for file, now in marks.names.items()}
    found = {**marks.names, **{files.get(now, now): new for now, new in names.items()}}
    return {file: name for file, name in found.items() if file != name}
