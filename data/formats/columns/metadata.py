"""Columns without a role: a column whose values agree within every item becomes metadata of the items."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from data.findings import Log, TrustedText, some
from data.formats.columns.contents import cell_of
from data.records import Part, Record, Source, plain

MOST_COLUMNS, LONGEST = 50, 50_000
"""Maximum number of columns that are read as metadata, and maximum number of characters in a value, such as an article
that captions summarise.
"""
_LONGEST_NAME = 1_000
_NUMBER = re.compile(r"[+-]?(?:0|[1-9]\d{0,14})(?:\.\d{1,17})?(?:[eE][+-]?\d{1,2})?")
_BLOB = re.compile(r"data:[\w.+-]+/[\w.+-]+;base64,|[!-~]{1000}|(?:[!-~]{60,}+\s++){10}")
"""A picture's bytes written as text: a data address, or long lines of ASCII without a blank."""
NOTHING = TrustedText("")


class Facts:
    """The values of some columns by item, for as long as they agree.

    With `rows`, each row is an item, and `told` returns the columns whose values differ in every row.
    """

    def __init__(self, header: Sequence[str], places: Iterable[int], rows: bool = False) -> None:
        self.header, every = header, list(places)
        self._told: dict[int, dict[str, None]] = {place: {} for place in every[:MOST_COLUMNS]} if rows else {}
        names: dict[str, int] = {}
        for place in every:
            names.setdefault(str(plain(header[place].strip()))[:_LONGEST_NAME], place)
        self.names = {place: name for name, place in list(names.items())[:MOST_COLUMNS]}
        self.unused = [place for place in every if place not in self.names]
        self._values: dict[int, dict[str, Any]] = {place: {} for place in self.names}

    def take(self, id: str, row: Sequence[Any]) -> None:
        """Add the cells of one row of an item; drop any column that differs within an item."""
        for place, known in list(self._told.items()):
            cell = cell_of(row, place)
            text = "" if isinstance(cell, bool | dict | list | bytes) or cell is None else str(cell).strip()
            if not text or text in known:
                del self._told[place]
            else:
                known[text] = None
        for place in list(self._values):
            cell = cell_of(row, place)
            if cell is None or cell == "":
                continue
            value = _fact(cell)
            known = self._values[place].setdefault(id, value)
            if value is None or known != value:
                del self._values[place]
                self.unused.append(place)

    def told(self) -> dict[str, list[str]]:
        """Return the columns whose values differ in every row, with the values in row order."""
        return {self.header[place]: list(known) for place, known in self._told.items() if known}

    def give(self, records: Iterable[Record], source: Source) -> list[int]:
        """Write the values into the records' metadata, and report the columns read and ignored; return the columns
        read.
        """
        read = {place: _numbers(found) for place, found in self._values.items() if found}
        for record in records:
            record.metadata |= {self.names[k]: found[record.id] for k, found in read.items() if record.id in found}
        empty = [place for place, found in self._values.items() if not found]
        for code, places in (("metadata_columns", list(read)), ("ignored_columns", sorted([*self.unused, *empty]))):
            say(source.log, code, source.name, [self.header[place] for place in places])
        return list(read)


def say(log: Log, code: str, file: str, columns: Sequence[str], hint: TrustedText = NOTHING) -> None:
    """Add a finding that names the columns, or the first of many; add none if there are no columns."""
    if columns:
        log.add(code, file, columns=TrustedText(some(columns)), hint=hint)


def say_left_out(value: Any, rows: list[Any], source: Source) -> None:
    """Report lists that lie beside columns but have another length, and so are not columns."""
    known = {name for row in rows[:1] if isinstance(row, dict) for name in row}
    lists = {name: one for name, one in value.items() if isinstance(one, list)} if isinstance(value, dict) else {}
    if any(len(lists[name]) == len(rows) for name in known & lists.keys()):
        say(
            source.log,
            "ignored_columns",
            source.name,
            [name for name, one in lists.items() if name not in known and one],
        )


def check(parts: Sequence[Part], log: Log) -> list[Part]:
    """Return the parts without metadata that differ within one item, in a table or between tables; report these
    metadata.

    Such metadata describe captions.
    """
    tables = [part for part in parts if part.format == "table"]
    known: dict[tuple[str, str], Any] = {}
    apart: set[str] = set()
    for record in (record for part in tables for record in part.records):
        of = record.metadata.items()
        apart |= {name for name, value in of if known.setdefault((record.id, name), value) != value}
    if not apart:
        return list(parts)
    for part in tables:
        said = dict.fromkeys(name for record in part.records for name in record.metadata if name in apart)
        say(log, "differing_columns", part.file, list(said))
    return [_without(part, apart) if part.format == "table" else part for part in parts]


def _without(part: Part, names: set[str]) -> Part:
    def left(record: Record) -> Record:
        return replace(record, metadata={name: of for name, of in record.metadata.items() if name not in names})

    return replace(part, records=[left(record) for record in part.records])


def _fact(cell: Any) -> Any:
    """Return a cell as a metadata value; None if it is not a single value, is too long, or contains a
    picture's bytes.
    """
    if isinstance(cell, bool | int | float):
        return plain(cell)
    if isinstance(cell, dict | list | tuple | bytes):
        return None
    text = str(cell).strip()
    return plain(text) if len(text) <= LONGEST and not _BLOB.match(text) else None


def _numbers(found: dict[str, Any]) -> dict[str, Any]:
    """Return the values as numbers if all are texts such as 7, but not 007; otherwise return them unchanged."""
    if not all(isinstance(value, str) and _NUMBER.fullmatch(value) for value in found.values()):
        return found
    whole = not any(mark in value for value in found.values() for mark in ".eE")
    return {id: int(value) if whole else float(value) for id, value in found.items()}
