"""Join tables that are side by side in one sheet, by their ids."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from data.fields.names import IDS, norm, rank
from data.formats.columns.contents import cell_of

Rows = Iterator[tuple[str, Sequence[Any]]]


def parts(header: Sequence[str], sample: Sequence[Sequence[Any]]) -> list[list[int]]:
    """Return the columns of each table, the id first; [] unless empty columns separate tables that each have an id.

    No two other columns may have the same name.
    """
    groups: list[list[int]] = [[]]
    for k, name in enumerate(header):
        if name.strip() or any(_filled(row, [k]) for row in sample):
            groups[-1].append(k)
        elif groups[-1]:
            groups.append([])
    found = [sorted(of, key=lambda k: (rank(header[k], IDS) is None, k)) for of in groups if of]
    others = [norm(header[k]) for _, *of in found for k in of]
    named = all(rank(header[of[0]], IDS) is not None for of in found)
    return found if len(found) > 1 and named and len(set(others)) == len(others) else []


def joined(header: Sequence[str], found: Sequence[Sequence[int]], rows: Rows) -> tuple[list[str], Rows]:
    """Return the column names of all tables, with one column of ids, and the rows of the joined table.

    The rows of the first table come first. The first row of an id has the cells of the other tables, as a list if the
    id has several cells in a column; ids that are missing from the first table follow.
    """
    (first, *own), *others = found
    places = [k for _, *of in others for k in of]
    kept, beside = list[tuple[str, Sequence[Any]]](), dict[str, tuple[str, dict[int, list[Any]]]]()
    for where, row in rows:
        kept += [(where, row)] if any(_filled(row, own)) else []
        for id, *of in others:
            for k in _filled(row, of):
                beside.setdefault(_name(row, id), (where, {}))[1].setdefault(k, []).append(row[k])

    def cells(id: str) -> list[Any]:
        _, told = beside.pop(id, ("", {}))
        return [of[0] if len(of) == 1 else of or "" for of in (told.get(k, []) for k in places)]

    def each() -> Rows:
        for where, row in kept:
            yield where, [*(cell_of(row, k) for k in (first, *own)), *cells(_name(row, first))]
        for id, (where, _) in list(beside.items()):
            yield where, [id, *[""] * len(own), *cells(id)]

    return [header[k] for k in (first, *own, *places)], each()


def _name(row: Sequence[Any], id: int) -> str:
    return "" if (cell := cell_of(row, id)) is None else str(cell).strip()


def _filled(row: Sequence[Any], places: Sequence[int]) -> list[int]:
    return [k for k in places if cell_of(row, k) not in ("", None)]
