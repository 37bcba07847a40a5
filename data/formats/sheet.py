"""Sheets of captions with ratings by people beside them, a row for each caption."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import Any

from data.findings import Log
from data.formats import ratings, row_runs, scores, table
from data.formats.names import norm
from data.formats.roles import column_roles
from data.formats.stated import ColumnRoles
from data.formats.table import Table
from data.records import Part, RatingRow, Source, as_id, kind

_ASKED = ratings.CRITERIA | frozenset(
    ["fluency", "conciseness", "relevance", "grammaticality", "informativeness", "naturalness", "quality", "coherence"]
)
"""Criteria that only people rate; beside one of these, `accuracy` and others are ratings, too."""
_BESIDE = _ASKED | ratings.PERHAPS | {"accuracy", "completeness", "diversity", "creativity", "helpfulness"}
_SCALE = re.compile(r"_?[(\[].*[)\]]$")
_PEEK = 200


def load(source: Source, found: Table) -> Part | None:
    """The captions of a table, and ratings in columns named like criteria, such as `Fluency (1-5)`."""
    first = list(islice(found.rows, _PEEK))
    criteria = _criteria(found.header, [row for _, row in first])
    rows = chain(first, found.rows)
    if not criteria:
        return table.load(replace(source, value=replace(found, rows=rows)))
    kept = list(rows)
    roles = column_roles(found.header, replace(source, log=Log()), [row for _, row in kept[:_PEEK]])
    single = roles is not None and len(roles.predicted) == 1
    part = table.load(replace(source, value=replace(found, rows=iter(kept))), criteria if single else ())
    if part is not None and roles is not None and single:
        part.ratings = list(_ratings(source, found.header, kept, roles, criteria))
    return part


def _criteria(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> dict[int, str]:
    names = {place: _SCALE.sub("", norm(name)) for place, name in enumerate(header) if name}
    rated = {place: header[place].strip() for place, name in names.items() if name in _BESIDE}
    rated = {place: name for place, name in rated.items() if scores.numbers(rows, place)}
    return rated if any(names[place] in _ASKED for place in rated) else {}


def _ratings(
    source: Source,
    header: list[str],
    rows: Sequence[tuple[str, Sequence[Any]]],
    roles: ColumnRoles,
    criteria: dict[int, str],
) -> Iterator[RatingRow]:
    """A rating for each numeric cell; the position of a caption is that of its row among those of its item and run."""
    places: Counter[tuple[str, str]] = Counter()
    for where, row in rows:

        def cell(column: int, row: Sequence[Any] = row) -> Any:
            return row[column] if 0 <= column < len(row) else None

        item, caption = as_id(cell(roles.id)), cell(roles.predicted[0]) or ""
        if item is None or not isinstance(caption, str):
            continue
        run = row_runs.run_of(source, cell, roles, header, {})
        place = places[item, run]
        places[item, run] += 1
        for column, criterion in criteria.items():
            value = scores.number(cell(column))
            if value is not None:
                yield RatingRow(where, criterion, value, run, item, place, caption)
            elif not scores.is_gap(cell(column)):
                found = kind(cell(column))
                source.log.add("rating_not_number", source.name, where, item, name=criterion, found=found)
