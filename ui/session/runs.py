"""Labels of the open study's runs that people can change: name, model, settings, and whether the run is shown."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import streamlit as st

from data.check import Loaded
from data.marks import Marks, of_study, renamed
from data.run_settings import relabel
from data.study import Settings, Study
from ui.session import state

_BEFORE = "_runs_before"


@dataclass(frozen=True)
class RunLabel:
    """The name, model and settings of a run, and whether pages show it."""

    name: str
    model: str
    settings: Settings
    shown: bool = True


Labels = Mapping[str, RunLabel]


@dataclass(frozen=True)
class Change:
    """The requested labels of runs, and the labels that the page displayed, by the runs' names at that time.

    Only differences are applied, so that simultaneous changes of the same runs by others survive.
    """

    wanted: Labels
    drawn: Labels

    def __bool__(self) -> bool:
        return bool(self.wanted)

    @staticmethod
    def between(drawn: Labels, wanted: Labels) -> Change:
        """Return the change for the runs whose `wanted` labels differ from the `drawn` ones that a page displayed."""
        new = {name: label for name, label in wanted.items() if label != drawn[name]}
        return Change(new, {name: drawn[name] for name in new})

    def undone(self) -> Change:
        """Return the inverse change, by the names that runs have after this change."""
        after = {label.name: label for name, label in self.wanted.items()}
        before = {label.name: self.drawn[name] for name, label in self.wanted.items()}
        return Change(before, after)

    def of(self, now: Labels) -> dict[str, RunLabel]:
        """Return all labels after the change, given the labels `now`."""
        changed = {name: _merged(now[name], label, self.drawn[name]) for name, label in self.wanted.items()}
        return {**now, **changed}


def _merged(now: RunLabel, wanted: RunLabel, drawn: RunLabel) -> RunLabel:
    """The current label of a run with the differences between the `wanted` and the `drawn` one applied."""
    settings = replace(now.settings, **_news(wanted.settings, drawn.settings))
    return replace(now, **{**_news(wanted, drawn), "settings": settings})


def _news(wanted: Any, drawn: Any) -> dict[str, Any]:
    names = [field.name for field in fields(wanted)]
    return {name: getattr(wanted, name) for name in names if getattr(wanted, name) != getattr(drawn, name)}


def labels() -> dict[str, RunLabel]:
    """Return the labels of all runs of the open study, including hidden ones, by their names."""
    return _labels(state.loaded(), state.whole_study())


def _labels(loaded: Loaded, study: Study) -> dict[str, RunLabel]:
    hidden, runs = of_study(loaded.marks, study).hidden, study.runs
    return {run.name: RunLabel(run.name, run.model, run.settings, run.name not in hidden) for run in runs}


def refused(change: Change) -> str:
    """Return why a change is impossible, for example because others have changed the study meanwhile; "" if it is
    possible.
    """
    return _refused(change, labels(), state.whole_study())


def _refused(change: Change, now: Labels, study: Study) -> str:
    if change.wanted.keys() - now.keys():
        return "somebody else has renamed or removed a run meanwhile."
    every = change.of(now).values()
    if not any(label.shown for label in every):
        return "at least one run must be shown."
    names = [label.name for label in every]
    rated = {name for one in study.systems for name in one.systems} - now.keys()
    if state.is_demo() or (len(names) == len(set(names)) and not rated & set(names)):
        return ""
    taken = next(name for name in names if names.count(name) > 1 or name in rated)
    return f"{taken} is the name of another run or of a system that people rated."


def change(new: Change) -> bool:
    """Change runs; `undo` reverts the change. Return False if it cannot be made."""
    if not new:
        return not refused(new)
    if not state.update(lambda old: _applied(old, new)):
        return False
    st.session_state[_BEFORE] = state.token(), new.undone()
    return True


def show(names: Collection[str]) -> bool:
    """Show some hidden runs again; return False if that is not possible."""
    now = {name: label for name, label in labels().items() if name in names}
    return change(Change.between(now, {name: replace(label, shown=True) for name, label in now.items()}))


def show_all() -> None:
    """Show the hidden runs again."""
    show(labels().keys())


def can_undo() -> bool:
    """Return whether the last change of runs can be undone.

    It can if the same study is open, and the inverse change is not refused.
    """
    token, back = st.session_state.get(_BEFORE, ("", None))
    return back is not None and token == state.token() and not refused(back)


def undo() -> None:
    """Undo the last change of this session."""
    if can_undo():
        _, back = st.session_state.pop(_BEFORE)
        state.update(lambda old: _applied(old, back))


def _applied(old: Loaded, new: Change) -> Loaded | None:
    """The study with its runs renamed, relabelled, hidden and shown; None if the change is refused.

    Runs of the shared demo can only be hidden and shown.
    """
    study = old.study if old.study is not None else state.whole_study()
    now = _labels(old, study)
    if _refused(new, now, study):
        return None
    every = new.of(now)
    if state.is_demo() or old.study is None:
        return replace(old, marks=replace(old.marks, hidden=_hidden(every.items())))
    names = {name: label.name for name, label in every.items() if label.name != name}
    study = relabel(study, {name: (label.model, label.settings) for name, label in every.items()})
    marks = old.marks.called(_by_file(old.marks, names), names).remodelled(_models(now, every))
    hidden = _hidden((label.name, label) for label in every.values())
    return replace(old, study=renamed(study, names), marks=replace(marks, hidden=hidden))


def _models(before: Labels, after: Labels) -> dict[str, str]:
    found: dict[str, set[str]] = {}
    for name, label in before.items():
        found.setdefault(label.model, set()).add(after[name].model)
    return {old: next(iter(new)) for old, new in found.items() if len(new) == 1 and new != {old}}


def _hidden(named: Iterable[tuple[str, RunLabel]]) -> frozenset[str]:
    return frozenset(name for name, label in named if not label.shown)


def _by_file(marks: Marks, names: Mapping[str, str]) -> dict[str, str]:
    files = {now: file for file, now in marks.names.items()}
    found = {**marks.names, **{files.get(now, now): new for now, new in names.items()}}
    return {file: name for file, name in found.items() if file != name}
