"""Ranks that people gave to the captions of several runs: of any two captions of an item, the one with the better rank
counts as preferred.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple, TypeVar

from data.fields.models import RATER
from data.fields.names import IDS, RUNS, norm, words
from data.fields.word_lists import in_name
from data.files import printed_lists
from data.findings import TrustedText, clip, named
from data.formats.columns import row_runs
from data.formats.columns.assigned_roles import ColumnRoles
from data.formats.columns.contents import cell_of, is_written, tells_all_apart, values
from data.formats.columns.distinguishing_columns import LOOKED_AT
from data.formats.numbers import preferred_runs
from data.formats.numbers.columns_of_runs import run_in
from data.formats.numbers.rater_columns import judged_by
from data.formats.numbers.scores import number
from data.formats.tables.table import Table
from data.ratings.human_ratings import UNNAMED
from data.records import PreferenceRow, ScoreRow, Source

RANKS = frozenset(["rank", "ranks", "ranking", "rang"])
"""Names of columns of ranks, of which 1 is the best."""
_ORDERS = RANKS | {"order", "ordering", "preference_order"}
"""Names of columns that list runs, best first."""
_ENDS = ("best", "worst")
_PLACE = re.compile(r"(?:rank|rang|place|choice)_?(\d{1,2})|(\d{1,2})(?:st|nd|rd|th)_?(?:place|choice|rank)?")
_BETWEEN = re.compile(r"\s*[>≻,;|]\s*")
_FEWEST, _ALL, _MOST = 2, 3, 50
"""Minimum number of ranked runs; the number of runs at which only one lies between the best and the worst; maximum
number of ranked runs.
"""
_PAIR = ("run_a", "run_b", "preferred")
Rows = Sequence[tuple[str, Sequence[Any]]]
Named = TypeVar("Named")
RunOf = Callable[[Any], str | None]
"""A function that returns the run that a cell names, or None."""
Votes = tuple[float, float, float]
"""The votes for each of two runs, and the ties between them."""
_BETTER: Votes = (1.0, 0.0, 0.0)
_EQUAL: Votes = (0.5, 0.5, 1.0)


class Ranks(NamedTuple):
    """The columns that rank runs: ranks by run, a list of runs in order (-1 if there is none), runs by place, or both
    ends.

    `ends` are the columns of the best and the worst run.
    """

    of_runs: Mapping[int, str] = {}
    listed: int = -1
    places: Mapping[int, int] = {}
    ends: tuple[int, ...] = ()

    @property
    def columns(self) -> set[int]:
        """The positions of all these columns."""
        return {*self.of_runs, *self.places, *self.ends, self.listed} - {-1}


def may_rank(header: Sequence[str]) -> bool:
    """Return whether any column has a name for a rank, or columns together have names for both ends of a ranking."""
    said = [{*words(name)} for name in header]
    ends = all(any(end in of for of in said) for end in _ENDS)
    return ends or any(norm(name) in _ORDERS or _PLACE.fullmatch(norm(name)) for name in header)


def as_pairs(table: Table, source: Source) -> Table:
    """Return a table of ranks of other files' runs, without captions, as a table of pairs; return others unchanged."""
    runs, sample = sorted(source.reading.runs_beside), table.sample()
    named_so = bool(RANKS & {word.removesuffix("s") for word in in_name(source.stem)})
    ranks = _found(table.header, sample, runs, named_so) if len(runs) >= _FEWEST else None
    if ranks is None or any(is_written(sample, k) for k in {*range(len(table.header))} - ranks.columns):
        return table
    say(source, [table.header[k] for k in sorted(ranks.columns)])
    kept, run_of = [k for k in range(len(table.header)) if k not in ranks.columns], _namer(runs)
    rows = (
        (where, [*(cell_of(row, k) for k in kept), one, other, "tie" if votes == _EQUAL else one])
        for where, row in table.rows
        for one, other, votes in _pairs(row, ranks, runs, run_of)
    )
    return replace(table, header=[*(table.header[k] for k in kept), *_PAIR], rows=rows)


def from_rows(table: Table, source: Source) -> Table:
    """Return a table with one row per run and its rank, without captions, as a table of pairs; return others unchanged.

    Rows that differ only in run and rank are the same person's ranks of the runs.
    """
    names, sample = [norm(name) for name in table.header], table.sample()
    ranks, runs = ([k for k, name in enumerate(names) if name in known] for known in (RANKS, {*RUNS}))
    if len(ranks) != 1 or len(runs) != 1 or any(is_written(sample, k) for k in range(len(names))):
        return table
    kept = [k for k in range(len(names)) if k not in (*ranks, *runs)]
    if not any(names[k] in IDS for k in kept):
        return table
    rows = list(table.rows)
    groups: dict[str, dict[str, tuple[str, Sequence[Any]]]] = {}
    for where, row in rows:
        group = groups.setdefault(str([cell_of(row, k) for k in kept]), {})
        group[str(cell_of(row, runs[0]))] = where, row
    most = max(map(len, groups.values()), default=0)
    if sum(map(len, groups.values())) < len(rows) or most < _FEWEST or not are_ranks(sample, ranks[0], most):
        return replace(table, rows=iter(rows))
    say(source, [table.header[ranks[0]]])
    made = (
        (where, [*(cell_of(row, k) for k in kept), one, other, "tie" if votes == _EQUAL else one])
        for group in groups.values()
        for where, row in [next(iter(group.values()))]
        for one, other, votes in _by_rank({run: _rank(cell_of(of, ranks[0])) for run, (_, of) in group.items()})
    )
    return replace(table, header=[*(table.header[k] for k in kept), *_PAIR], rows=made)


class Choice(NamedTuple):
    """The columns beside captions that state which run is preferred; `ranks` has their meaning if they rank runs."""

    columns: tuple[int, ...] = ()
    ranks: Ranks | None = None


def choice(table: Table, roles: ColumnRoles | None) -> Choice:
    """Return the columns that show which run is preferred.

    They list runs in order, or name the best, the worst or one of two runs; or they rank the caption in each row,
    beside the names of runs and raters, and each rater ranks several runs once for an item.
    """
    header, sample = table.header, table.sample()
    if roles is not None and preferred_runs.are_distinct(roles):
        free = ["" if k in roles.used() else name for k, name in enumerate(header)]
        if ranks := _in_cells(free, sample, _namer_beside(header, roles)):
            return Choice(tuple(sorted(ranks.columns)), ranks)
    if (found := preferred_runs.columns(header, sample, roles)) or roles is None or not roles.runs:
        return Choice(found)
    raters = [k for k, name in enumerate(header) if norm(name) in RATER]
    able = [k for k, name in enumerate(header) if norm(name) in RANKS and k not in roles.used()]
    able = [k for k in able if raters and len(roles.predicted) == 1 and are_ranks(sample, k, _MOST)]
    rows = table.sample(LOOKED_AT) if able else []
    apart = able and tells_all_apart(rows, [*roles.ids(), *raters], roles.runs)
    return Choice((able[0],), Ranks({able[0]: ""})) if apart else Choice()


def preferences(
    source: Source, header: Sequence[str], rows: Rows, roles: ColumnRoles, of: Choice, rater: int
) -> list[PreferenceRow]:
    """Return the pairs of runs in the columns that `choice` returned; a rater's ranks for one item compare all of its
    runs.
    """
    return judged_by(source, header, rows, rater, _compared(source, header, rows, roles, of, rater))


def _compared(
    source: Source, header: Sequence[str], rows: Rows, roles: ColumnRoles, of: Choice, rater: int
) -> Iterator[PreferenceRow]:
    if of.ranks is None:
        yield from preferred_runs.rows(source, header, rows, roles, of.columns)
        return
    say(source, [header[k] for k in of.columns])
    if not of.ranks.of_runs:
        yield from _beside(source, header, rows, roles, of.ranks)
        return
    place, groups = of.columns[0], dict[tuple[str, str], dict[ScoreRow, float | None]]()
    for count, (where, row) in enumerate(rows, 1):
        item, said = row_runs.item_of(row, count, roles), cell_of(row, roles.predicted[0])
        if item is not None and isinstance(said, str):
            run = row_runs.run_of(source, partial(cell_of, row), roles, header, {})
            one = ScoreRow(where, "", None, run, item, None, said)
            groups.setdefault((item, str(cell_of(row, rater))), {})[one] = _rank(cell_of(row, place))
    for group in groups.values():
        for first, second, votes in _by_rank(group):
            if first.run != second.run:
                yield PreferenceRow(first, second, *votes[:2], UNNAMED, "", votes[2])


def _beside(
    source: Source, header: Sequence[str], rows: Rows, roles: ColumnRoles, ranks: Ranks
) -> Iterator[PreferenceRow]:
    """Yield the pairs of runs that each row ranks beside their captions."""
    places, run_of = {run: k for k, run in roles.named.items()}, _namer_beside(header, roles)
    for count, (where, row) in enumerate(rows, 1):
        item = row_runs.item_of(row, count, roles)
        if item is None:
            continue
        made = [*_pairs(row, ranks, [*places], run_of)]
        for one, other, votes in made:
            yield preferred_runs.pair(where, row, item, {places[one]: one, places[other]: other}, votes)
        unclear = [cell for k in sorted(ranks.columns) if (cell := cell_of(row, k)) not in (None, "")]
        if unclear and not made:
            preferred_runs.say_unclear(source, where, item, unclear[0])


def _namer_beside(header: Sequence[str], roles: ColumnRoles) -> RunOf:
    """Return a function from a cell to the run that it names, for example by the letter of the run's column."""
    return lambda cell: (
        roles.named.get(side) if (side := preferred_runs.side(cell, header, roles)) is not None else None
    )


def say(source: Source, columns: Sequence[str]) -> None:
    """Report that columns were read as ranks."""
    source.log.add("ranks_read", source.name, columns=TrustedText(named([f"`{clip(name)}`" for name in columns])))


def are_ranks(sample: Sequence[Sequence[Any]], place: int, runs: int) -> bool:
    """Return whether a column contains ranks from 1 to the number of runs."""
    found = [_rank(cell) for cell in values(sample, place)]
    return bool(found) and all(one is not None and 1 <= one <= runs for one in found)


def in_sheet(
    source: Source,
    header: Sequence[str],
    table: Rows,
    roles: ColumnRoles,
    each: dict[str, dict[int, int]],
) -> Iterator[PreferenceRow]:
    """Yield the pairs of runs that each have a column of ranks beside their captions; remove these columns from
    `each`.
    """
    name = next((one for one in each if norm(one) in RANKS), "")
    if not name or roles.told_by >= 0:
        return
    places = each.pop(name)
    say(source, [header[k] for k in places.values()])
    for count, (where, row) in enumerate(table, 1):
        item = row_runs.item_of(row, count, roles)
        ranks = {k: _rank(cell_of(row, place)) for k, place in places.items()}
        for one, other, votes in _by_rank(ranks) if item is not None else ():
            pair = {one: roles.named[one], other: roles.named[other]}
            yield preferred_runs.pair(where, row, item or "", pair, votes)


def _found(
    header: Sequence[str], sample: Sequence[Sequence[Any]], runs: Collection[str], named_so: bool
) -> Ranks | None:
    """Return the columns of ranks, or None.

    If the file is named after ranks (`named_so`), a column may be named after a run alone.
    """
    inside = {k: of for k, name in enumerate(header) if (of := run_in(name, frozenset(runs))) is not None}
    told = {k: run for k, (run, measure) in inside.items() if norm(measure) in RANKS or (named_so and not measure)}
    told = {k: run for k, run in told.items() if are_ranks(sample, k, len(runs))}
    if len(set(told.values())) == len(told) >= _FEWEST:
        return Ranks(told)
    return _in_cells(header, sample, _namer(runs))


def _in_cells(header: Sequence[str], sample: Sequence[Sequence[Any]], run_of: RunOf) -> Ranks | None:
    """Return the columns of ranks whose cells name runs; None if there are none.

    A column may name the run in one place, the best or the worst run, or list the runs in order.
    """
    names = [k for k in range(len(header)) if (cells := values(sample, k)) and all(map(run_of, cells))]
    marks = {k: _PLACE.fullmatch(norm(header[k])) for k in names}
    places = {k: int(match[1] or match[2]) for k, match in marks.items() if match}
    if len(set(places.values())) == len(places) >= _FEWEST:
        return Ranks(places=places)
    ends = [[k for k in names if end in words(header[k])] for end in _ENDS]
    if all(len(of) == 1 for of in ends):
        return Ranks(ends=(ends[0][0], ends[1][0]))
    for k, name in enumerate(header):
        lists = [_in_order(cell, run_of) for cell in values(sample, k)] if norm(name) in _ORDERS else []
        if lists and all(lists):
            return Ranks(listed=k)
    return None


def _rank(cell: Any) -> float | None:
    """Return the rank in a cell: a whole number, or a half such as 1.5 for two runs that share ranks 1 and 2; else
    None.
    """
    value = number(cell)
    return value if value is not None and value * 2 % 1 == 0 else None


def _namer(runs: Collection[str]) -> RunOf:
    known = {norm(run): run for run in runs}
    return lambda cell: known.get(norm(str(cell)))


def _in_order(cell: Any, run_of: RunOf) -> list[str]:
    """Return the runs in a list such as `["blip", "git"]` or `blip > git`; [] for any other cell."""
    found = cell if isinstance(cell, list) else printed_lists.listed(cell) if isinstance(cell, str) else None
    found = found or (_BETWEEN.split(cell.strip()) if isinstance(cell, str) else [])
    runs = [run for one in found if (run := run_of(one)) is not None]
    return runs if len(set(runs)) == len(found) >= _FEWEST else []


def _pairs(row: Sequence[Any], ranks: Ranks, runs: Sequence[str], run_of: RunOf) -> Iterator[tuple[str, str, Votes]]:
    """Yield every pair of runs for which a row states that the first was preferred, or that neither was.

    If a row states only the best and the worst run, they form the only pair, unless a single run lies between them.
    """
    by_run: dict[str, float | None] = {run: _rank(cell_of(row, k)) for k, run in ranks.of_runs.items()}
    by_run |= {run: k for k, run in enumerate(_in_order(cell_of(row, ranks.listed), run_of))}
    by_run |= {run: place for k, place in ranks.places.items() if (run := run_of(cell_of(row, k))) is not None}
    ends = [run for k in ranks.ends if (run := run_of(cell_of(row, k))) is not None]
    if len(set(ends)) == len(_ENDS):
        middle = [run for run in runs if run not in ends] if len(runs) == _ALL else []
        by_run = {run: k for k, run in enumerate([ends[0], *middle, ends[1]])}
    yield from _by_rank(by_run)


def _by_rank(ranks: Mapping[Named, float | None]) -> Iterator[tuple[Named, Named, Votes]]:
    known = {name: rank for name, rank in ranks.items() if rank is not None}
    for (one, first), (other, second) in combinations(known.items(), 2):
        if first == second:
            yield one, other, _EQUAL
        else:
            yield *((one, other) if first < second else (other, one)), _BETTER
