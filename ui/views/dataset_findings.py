"""The list of findings in the files of a study, worst first, with buttons that switch repairs on or off."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd
import streamlit as st

from data.check import REPAIRS, Finding, Loaded, repair_files
from data.files.safe_csv import to_csv
from data.findings import merged, unmarked
from figures.dataset import html, words
from figures.style.numbers import count
from figures.style.run_names import in_sentence, short_names
from figures.style.wording import item_noun
from ui.frame import errors, look
from ui.views import upload

Change = Callable[[Callable[[Loaded], Loaded]], object]
OPEN, MOST = 4, 60
"""Maximum number of errors and warnings visible at first, and of findings in the list; a table lists all."""


@dataclass(frozen=True)
class _Said:
    """Data for the lines of the list.

    `applied` are the repairs in force, or None if none is offered; `noun` is the noun for items; `names` stay
    unchanged; `change` makes a repair; `mends` is the number of findings that each repair fixes; `shown` are the
    repairs that already have a button.
    """

    applied: Sequence[str] | None
    noun: str
    names: Sequence[str]
    change: Change
    mends: Mapping[str, int]
    shown: set[str]
    short: Mapping[str, str]
    """Short names of runs by their names."""


def in_sight(loaded: Loaded) -> int:
    """Return the number of findings that are visible before anything is opened."""
    return len(_first(_together(merged(loaded.findings))))


def _first(every: Sequence[Finding]) -> list[Finding]:
    """Return the errors and warnings in sight: the first of those that one repair mends, at most OPEN in all."""
    bad = [one for one in every if one.severity != "note"]
    leads = {one.fix or one: one for one in reversed(bad)}
    return [one for one in bad if leads[one.fix or one] is one][:OPEN]


def show(
    loaded: Loaded, editable: bool, key: str = "checks", noun: str = "item", change: Change = upload.change
) -> None:
    """Show all findings; `editable` adds buttons for repairs, which `change` makes.

    `noun` replaces "item" if no study could be made from the files.
    """
    if not loaded.files and not loaded.findings:
        return
    if not loaded.findings:
        look.figure_title("Checks", arrow="Nothing to fix.")
        return
    every = _together(merged(loaded.findings))
    look.figure_title("Checks", arrow=words.found(every, loaded.applied))
    first = _first(every)
    rest = [one for one in every if one not in first]
    offered = editable and loaded.draft is not None
    said = _Said(
        loaded.applied if offered else None,
        item_noun(loaded.study) if loaded.study is not None else noun,
        html.named(loaded.study, loaded.findings),
        change,
        Counter(one.fix for one in every if one.fix),
        set(),
        short_names(loaded.study.runs) if loaded.study is not None else {},
    )
    with st.container(key=f"tl-{key}", gap="xsmall"):
        with st.container(gap=None):
            _lines(first, said, key)
        if rest:
            with st.expander(_folded(rest), key=f"{key}_rest"):
                _lines(rest[: MOST - len(first)], said, f"{key}_more")
                _table(loaded.findings, key)


def _folded(rest: Sequence[Finding]) -> str:
    kinds = [(sum(one.severity == kind for one in rest), kind) for kind in html.SIGNS]
    return " and ".join(count(n, f"more {kind}" if kind != "note" else kind) for n, kind in kinds if n)


def _lines(found: Sequence[Finding], said: _Said, key: str) -> None:
    for k, one in enumerate(found):
        with st.container(key=f"tl-{key}-line-{k}", horizontal=True, vertical_alignment="center", gap="small"):
            mended = words.repaired(one, said.applied or ())
            short = replace(one, problem=in_sentence(one.problem, said.short))
            line = html.finding(short, said.noun, (*said.names, *said.short.values()), mended)
            look.block(line if one.severity == "error" else html.one_line(line))
            if said.applied is not None and one.fix is not None and (one.fix in said.applied or not mended):
                _switch(one.fix, one.fix in said.applied, f"{key}_{k}", said)


def _together(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings, reordered so that those with the same severity and repair follow the first of them.

    This first one has the button.
    """
    first: dict[tuple[str, str], int] = {}
    place = {
        one: k if one.fix is None else first.setdefault((one.severity, one.fix), k) for k, one in enumerate(findings)
    }
    return sorted(findings, key=place.__getitem__)


def _switch(name: str, on: bool, key: str, said: _Said) -> None:
    if name in said.shown:
        return
    said.shown.add(name)
    n = said.mends[name]
    many = f" ({'both' if n == 2 else f'all {n:,}'})" if n > 1 else ""
    st.button(
        f"{f'Undo: {words.MENDS[name].lower()}' if on else words.MENDS[name]}{many}",
        key=f"fix_{name}_{on}_{key}",
        icon=":material/undo:" if on else None,
        help=f"{REPAIRS[name]} It mends {n:,} findings in this list." if many else REPAIRS[name],
        on_click=_set,
        args=(name, not on, said.change),
    )


@errors.callback
def _set(name: str, on: bool, change: Change) -> None:
    change(lambda now: repair_files(now, [name] if on else [], [] if on else [name]))


def _table(findings: Sequence[Finding], key: str) -> None:
    table = pd.DataFrame([vars(one) for one in findings]).drop(columns="code")
    st.download_button(
        f"All {len(findings):,} as CSV",
        to_csv(table.assign(problem=table["problem"].map(unmarked), repair=table["repair"].map(unmarked))),
        "checks.csv",
        "text/csv",
        key=f"{key}_csv",
        on_click="ignore",
        icon=":material/download:",
    )
