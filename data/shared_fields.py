"""Records without ids that say the same in a field as the records of other files, such as the same instruction."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from data.findings import Log, clip
from data.match import forms
from data.records import Part, as_id, rename

_NUMBER = re.compile(r"[-+]?[\d.,]+(?:e[-+]?\d+)?", re.IGNORECASE)
_LEAST_SHARED = 0.5
"""The least share of the smaller file's values that make a field one that tells the items of two files apart."""


def settle(parts: Sequence[Part], log: Log) -> None:
    """Give records without ids those of the items that other files know by the value of a field, with a finding.

    The field has another value in each record of a file. Its values are ids of another file, or occur in a field of the
    same name there. If all files have their records in one order, they are left to be matched by place.
    """
    placed = [part for part in parts if part.by_place and part.told]
    others = [part for part in parts if part.records and not part.by_place]
    found = [(part, *met) for k, part in enumerate(placed) if (met := _met([*others, *placed[:k]], part)) is not None]
    if all(_in_one_order(part, field, other, ids) for part, field, other, ids in found):
        return
    for part, field, other, ids in found:
        if not _in_one_order(part, field, other, ids):
            log.add("ids_by_field", part.file, field=f"`{clip(field)}`", other=other.file)
    for part, field, other, ids in found:
        _give(part, field, ids)
        other.by_place = False


def _met(others: Sequence[Part], part: Part) -> tuple[str, Part, Mapping[str, str]] | None:
    """A field of a file, the first other file that has its values, and the ids of that file by value."""
    for other in others:
        for field, values in part.told.items():
            for ids in (_known(other, field), {} if other.by_place else _named(other, values)):
                if _are_shared(values, ids):
                    return field, other, ids
    return None


def _in_one_order(part: Part, field: str, other: Part, ids: Mapping[str, str]) -> bool:
    """Whether two files without ids have the same values in the same order."""
    return other.by_place and [ids.get(value) for value in part.told[field]] == [one.id for one in other.records]


def _are_shared(values: Sequence[str], ids: Mapping[str, str]) -> bool:
    """Whether enough values are known; of numbers, which many fields have, all of both files must be the same."""
    shared = sum(value in ids for value in values)
    if all(map(_NUMBER.fullmatch, values)):
        return 1 < shared == len(values) == len(ids)
    return shared >= max(_LEAST_SHARED * min(len(values), len(ids)), 2)


def _known(part: Part, field: str) -> Mapping[str, str]:
    """The ids of a file by the value of a field; empty if two items have the same."""
    if field in part.told:
        return {value: record.id for value, record in zip(part.told[field], part.records)}
    said = [(str(record.metadata[field]), record.id) for record in part.records if field in record.metadata]
    return dict(said) if len({value for value, _ in said}) == len(said) else {}


def _named(part: Part, values: Sequence[str]) -> Mapping[str, str]:
    """The ids of a file that are values of the field, but for folders, endings and the like."""
    ids = {form: record.id for record in part.records for _, form in forms(record.id)}
    return {value: id for value in values if (id := next((ids[f] for _, f in forms(value) if f in ids), None))}


def _give(part: Part, field: str, ids: Mapping[str, str]) -> None:
    taken = set(ids.values())
    names = []
    for value, record in zip(part.told[field], part.records):
        names.append(ids.get(value) or _free(as_id(value) or record.id, taken))
        taken.add(names[-1])
    rename(part, names)
    part.by_place = False


def _free(name: str, taken: set[str]) -> str:
    number, free = 2, name
    while free in taken:
        free, number = f"{name} ({number})", number + 1
    return free
