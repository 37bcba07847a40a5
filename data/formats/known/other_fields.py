"""List the fields of a known format that its loader does not read, to which a person may give a role."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from data.files.limits import MAX_COLUMNS
from data.findings import FieldTable, TrustedText
from data.formats.columns import metadata
from data.formats.nesting import unshown_fields
from data.formats.nesting.nested_records import flat
from data.records import Columns, Record, Source, plain

_SHOWN = 3


class Beside:
    """The fields, by path, that a loader leaves unread; those that a person declared to be metadata are read here."""

    def __init__(self, source: Source) -> None:
        self._source, self._wanted = source, frozenset(source.reading.columns.metadata)
        self._unread: dict[str, None] = {}
        self._left: dict[str, None] = {}
        self._given: dict[str, list[tuple[Record, str, Any]]] = {}
        self._failed: set[str] = set()

    def take(self, records: Iterable[Record], row: Mapping[str, Any], names: Iterable[str], outer: str = "") -> None:
        """Note the fields `names` of a row that describes the records; `outer` is the path that leads to the row."""
        found, told = list(records), {name: row[name] for name in names if name in row}
        if len(self._left) < MAX_COLUMNS:
            self._left |= dict.fromkeys(f"{outer}{path}" for path in unshown_fields.within([told]))
        for path, value in flat(told).items() if told else ():
            if len(self._unread) < MAX_COLUMNS:
                self._unread[f"{outer}{path}"] = None
            if f"{outer}{path}" in self._wanted and value not in (None, ""):
                self._give(found, path, value, f"{outer}{path}")

    def _give(self, records: list[Record], path: str, value: Any, name: str) -> None:
        try:
            made = plain(value)
        except ValueError:
            self._failed.add(name)
            return
        for record in records:
            if record.metadata.setdefault(path, made) != made:  # rows of one item differ, or it has another such fact
                self._failed.add(name)
            else:
                self._given.setdefault(name, []).append((record, path, made))

    def say(
        self,
        rows: Sequence[Any],
        roles: Mapping[str, Sequence[str]],
        hidden: Collection[str] = (),
        hint: TrustedText = metadata.NOTHING,
    ) -> None:
        """Report the unread fields, and keep the first records, so that people can assign roles to these fields.

        `roles` are the loader's field names for each role; the first that exists is read. `hidden` fields are read,
        too, but have none of these roles.
        """
        for name in self._failed:
            for record, path, made in self._given.pop(name, []):
                if record.metadata.get(path) == made:
                    del record.metadata[path]
        metadata.say(self._source.log, "fields_left", self._source.name, [*self._left])
        if not self._unread:
            return
        first = [row for row in rows[:_SHOWN] if isinstance(row, dict)]
        there = {key for row in first for key in row}
        known = {name: role for role, names in roles.items() for name in [n for n in names if n in there][:1]}
        parts = [{key: flat({key: one}) for key, one in row.items() if key not in hidden} for row in first]
        paths = {path: known.get(key) for part in parts for key, of in part.items() for path in of}
        paths |= _by_run(rows, known)
        header = tuple(dict.fromkeys([*paths, *self._unread]))
        cells = [{path: one for of in part.values() for path, one in of.items()} for part in parts]
        table = tuple(tuple(row.get(name) for name in header) for row in cells)
        read = {path: role for path, role in paths.items() if role} | dict.fromkeys(self._given, "metadata")
        self._source.log.fields[self._source.name] = FieldTable(self._source.name, header, table, read)
        done = {*self._given, *self._source.reading.columns.ignored}
        metadata.say(
            self._source.log, "ignored_columns", self._source.name, [n for n in self._unread if n not in done], hint
        )


def _by_run(rows: Sequence[Any], known: Mapping[str, str]) -> dict[str, str]:
    """Return the role of each path in objects that contain captions by run, even if only later records have a run."""
    found: dict[str, str] = {}
    seen: set[tuple[str, str]] = set()
    for row in rows:
        for top, role in known.items() if isinstance(row, dict) else ():
            inner = row.get(top)
            new = [run for run in inner if (top, run) not in seen] if isinstance(inner, dict) else []
            if isinstance(inner, dict) and new:
                seen |= {(top, run) for run in new}
                found |= dict.fromkeys(flat({top: {run: inner[run] for run in new}}), role)
    return found


def completed(columns: Columns, table: FieldTable) -> Columns:
    """Return a person's roles for fields of a known format, with the roles that its loader gives to other fields.

    `table` contains these fields and roles. Return no roles if the person's agree with the loader's and beyond that
    only declare unread fields as metadata or ignored, which the loader handles itself. Roles that name no field of the
    table stay unchanged.
    """
    if not set(columns.named) <= set(table.header):
        return columns
    stated = {"id": columns.id, "candidates": columns.captions, "references": columns.references}
    agree = all(table.roles.get(name) == role for role, names in stated.items() for name in names)
    beside, other = (
        {*columns.metadata, *columns.ignored},
        columns.settings or columns.scores or columns.ratings or columns.run,
    )
    if beside and agree and not other and not any(table.roles.get(name, "metadata") != "metadata" for name in beside):
        return Columns()
    own = {role: tuple(n for n, of in table.roles.items() if of == role and n not in columns.named) for role in stated}
    own = {role: names for role, names in own.items() if not stated[role]}
    by_run = bool(own.get("candidates")) and all("." in name for name in own["candidates"])
    made = replace(columns, id=own.get("id") or columns.id, captions=own.get("candidates") or columns.captions)
    return replace(made, references=own.get("references") or columns.references, each=columns.each or by_run)
