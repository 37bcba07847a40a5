"""Columns that name the run that people preferred, in a table with a column of captions for each run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from data.fields.criteria import BESIDE, can_be_person
from data.fields.names import norm, unnumbered, words
from data.findings import TrustedText, clip, named
from data.formats.columns import row_runs
from data.formats.columns.assigned_roles import ColumnRoles
from data.formats.columns.contents import cell_of, is_written, values
from data.formats.numbers.preferences import VOTES, WINNER, is_tie
from data.formats.numbers.scores import number
from data.formats.tables.table import Table
from data.ratings.human_ratings import UNNAMED
from data.records import PreferenceRow, ScoreRow, Source, kind

_SIDE = re.compile(r".*_\(?([a-z]|\d)\)?|([a-z]|\d)[:.)].+")
"""The letter or number of a column, as in `caption_a`, `BLIP (A)` and `A: BLIP`."""
_AGAINST = ("candidate", "challenger")
"""Words for the run that is compared with a baseline, as in Vertex AI's pairs."""
_ODD = 4
_OF_TWO = {0: (1.0, 0.0, 0.0), 1: (0.0, 1.0, 0.0), None: (0.5, 0.5, 1.0)}


def columns(header: Sequence[str], sample: Sequence[Sequence[Any]], roles: ColumnRoles | None) -> tuple[int, ...]:
    """Return the columns whose cells each name one of the runs in `roles`, or a tie; there may be one per person or
    criterion.

    A cell may contain a run's name, the first words of it, or the letter or number of its column; numbers count only in
    columns with a name such as `winner`. Up to a quarter of the cells may contain anything else.
    """
    if roles is None or not are_distinct(roles):
        return ()
    taken, found = roles.used(), []
    for k, name in enumerate(header):
        said = values(sample, k) if k not in taken else []
        sides = [side(one, header, roles) for one in said]
        known = norm(name) in WINNER or not any(str(one).strip().isdecimal() for one in said)
        if known and any(one in roles.named for one in sides) and _ODD * sides.count(-1) <= len(sides):
            found.append(k)
    # Beside a column with a known name, another column may state which run was shown first.
    sure = [k for k in found if norm(header[k]) in WINNER]
    told = {k for k in found if {*words(header[k])} & {*WINNER, *BESIDE}}
    return tuple(k for k in found if k in told or not sure)


def are_distinct(roles: ColumnRoles) -> bool:
    """Return whether several runs with different names each have a column of captions."""
    return len(set(roles.named.values())) == len(roles.named) > 1


def side(said: Any, header: Sequence[str], roles: ColumnRoles) -> int | None:
    """Return the column of captions that a cell names, None for a tie, and -1 for anything else."""
    word = norm(str(said))
    whole = [k for k, run in roles.named.items() if word in (norm(run), norm(header[k]), *_letter(header[k]))]
    begun = [k for k, run in roles.named.items() if norm(run).startswith(f"{word}_")]
    against = [k for k, run in roles.named.items() if word in _AGAINST and "baseline" not in words(run)]
    found = whole or begun or (against if len(roles.named) == 2 else [])
    return found[0] if len(found) == 1 else None if is_tie(str(said).strip().lower()) else -1


def _letter(name: str) -> tuple[str, ...]:
    match = _SIDE.fullmatch(norm(name))
    return tuple(filter(None, match.groups())) if match else ()


def rows(
    source: Source,
    header: Sequence[str],
    table: Sequence[tuple[str, Sequence[Any]]],
    roles: ColumnRoles,
    choices: Sequence[int],
) -> Iterator[PreferenceRow]:
    """Yield the preferences between the two runs of each row.

    With more than two runs, or if requests identify the items, only report the columns.
    """
    name = TrustedText(named([f"`{clip(header[k])}`" for k in choices]))
    told = TrustedText(named([clip(run) for run in roles.named.values()]))
    if len(roles.named) > 2 or roles.told_by >= 0:
        source.log.add("preferences_beside", source.name, column=name, runs=told)
        return
    source.log.add("preferences_read", source.name, column=name, runs=told)
    criteria = _criteria(header, choices)
    for count, (where, row) in enumerate(table, 1):
        item = row_runs.item_of(row, count, roles)
        for choice, criterion in criteria.items():
            if item is None or cell_of(row, choice) in (None, ""):
                continue
            chosen = side(cell_of(row, choice), header, roles)
            if chosen == -1:
                say_unclear(source, where, item, cell_of(row, choice))
                continue
            place = None if chosen is None else [*roles.named].index(chosen)
            yield pair(where, row, item, roles.named, _OF_TWO[place], criterion)


def say_unclear(source: Source, where: str, item: str, cell: Any) -> None:
    """Report a cell that names no run."""
    source.log.add("pair_unclear", source.name, where, item, found=TrustedText(kind(cell)))


def _criteria(header: Sequence[str], choices: Sequence[int]) -> dict[int, str]:
    """Return the criterion of each column of preferences: its name, unless this means the winner, a person or a
    number.
    """
    names = [norm(header[k]) for k in choices]
    numbered = len({unnumbered(name) for name in names}) == 1
    people = numbered or all(map(can_be_person, names))
    return {k: UNNAMED if people or norm(header[k]) in WINNER else header[k].strip() for k in choices}


def votes(
    source: Source,
    header: Sequence[str],
    table: Sequence[tuple[str, Sequence[Any]]],
    roles: ColumnRoles,
    each: dict[str, dict[int, int]],
) -> Iterator[PreferenceRow]:
    """Yield the votes for two runs that each have a column of votes; take these columns from `each`, with a finding."""
    name = next((one for one in each if norm(one) in VOTES), "")
    if len(roles.named) != 2 or roles.told_by >= 0 or not name:
        return
    places = each.pop(name)
    told = TrustedText(named([clip(run) for run in roles.named.values()]))
    source.log.add("preferences_read", source.name, column=TrustedText(f"`{clip(name)}`"), runs=told)
    for count, (where, row) in enumerate(table, 1):
        item = row_runs.item_of(row, count, roles)
        first, second = (number(cell_of(row, places[k])) for k in roles.named)
        if item is not None and first is not None and second is not None and min(first, second) >= 0 < first + second:
            yield pair(where, row, item, roles.named, (first, second, 0.0))


def pair(
    where: str,
    row: Sequence[Any],
    item: str,
    runs: Mapping[int, str],
    votes: tuple[float, float, float],
    criterion: str = UNNAMED,
) -> PreferenceRow:
    """Return the votes for two runs as a preference; `runs` maps the columns of their captions to their names."""
    texts = [one if isinstance(one, str) and one else None for one in (cell_of(row, k) for k in runs)]
    first, second = (ScoreRow(where, "", None, run, item, None, text) for run, text in zip(runs.values(), texts))
    return PreferenceRow(first, second, *votes[:2], criterion, "", votes[2])


def may_choose(header: Sequence[str]) -> bool:
    """Return whether a column has a name for the preferred run."""
    return any(norm(name) in WINNER for name in header)


def with_runs(found: Table, runs: frozenset[str]) -> Table:
    """Return a table without texts that states which of two runs was preferred, with new columns that name both runs.

    The other files must have exactly two `runs`; each cell of a column such as `preferred` names one of them, or states
    a tie. Other tables are returned unchanged.
    """
    names, sample = [norm(name) for name in found.header], found.sample()
    places = [k for k, name in enumerate(names) if name in WINNER]
    if len(runs) != 2 or len(places) != 1 or any(is_written(sample, k) for k in range(len(names))):
        return found
    told = {str(cell).strip().lower() for cell in values(sample, places[0])}
    known = {run.lower() for run in runs}
    if not told & known or not all(one in known or is_tie(one) for one in told):
        return found
    width, beside = len(names), sorted(runs)
    rows = ((where, [*row, *[None] * (width - len(row)), *beside]) for where, row in found.rows)
    return replace(found, header=[*found.header, "run_a", "run_b"], rows=rows)
