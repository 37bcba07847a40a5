"""Records without ids that share the values of a field, such as instructions, with records of other files."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from data.fields.names import norm
from data.findings import Log, clip
from data.matching.match_ids import forms, forms_of
from data.records import Part, as_id, rename

_NUMBER = re.compile(r"[-+]?[\d.,]+(?:e[-+]?\d+)?", re.IGNORECASE)
_LEAST_SHARED = 0.5
"""Minimum share of the values of the smaller file that must match for a field to identify the items of two files."""


def settle(parts: Sequence[Part], log: Log) -> None:
    """Give records without ids the ids of items in another file that have the same value of a field, with a finding.

    The same is done for records with ids if no other file has any id of their file, for example because ids are paths
    with a training step. The field has a different value in each record of a file. Its values are ids in the other
    file, or values of the field there that has the same name. If all files list their records in the same order, the
    records are matched by position later instead.
    """
    _settle_apart([part for part in parts if part.records and not part.by_place], log)
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


def _settle_apart(parts: Sequence[Part], log: Log) -> None:
    """Give the items of a file the ids of an earlier file that has exactly the same values of a field; add a finding.

    This is done only if no other file has any id of the file.
    """
    own = [forms_of(record.id for record in part.records) for part in parts]
    times = Counter(form for one in own for form in one)
    known: dict[tuple[str, frozenset[str]], tuple[Part, dict[str, str]]] = {}
    for part in (part for part, one in zip(parts, own) if all(times[form] == 1 for form in one)):
        for field in part.records[0].metadata:
            ids = {str(one.metadata[field]): one.id for one in part.records if field in one.metadata}
            if not 1 < len(ids) == len(part.records) or all(map(_NUMBER.fullmatch, ids)):
                continue
            other, met = known.setdefault((field, frozenset(ids)), (part, ids))
            if other is not part:
                rename(part, [met[str(one.metadata[field])] for one in part.records])
                log.add("ids_by_field", part.file, field=f"`{clip(field)}`", other=other.file)
                break


def _met(others: Sequence[Part], part: Part) -> tuple[str, Part, Mapping[str, str]] | None:
    """Return a field, the first other file that has enough of the field's values, and the ids of that file by value.

    Return None if no other file has enough of them.
    """
    for other in others:
        for field, values in part.told.items():
            for ids in (_known(other, field), {} if other.by_place else _named(other, values)):
                if _are_shared(values, ids):
                    return field, other, ids
    return None


def _in_one_order(part: Part, field: str, other: Part, ids: Mapping[str, str]) -> bool:
    return other.by_place and [ids.get(value) for value in part.told[field]] == [one.id for one in other.records]


def _are_shared(values: Sequence[str], ids: Mapping[str, str]) -> bool:
    """Return whether enough values match: at least half of the shorter list, and at least two. If all values are
    numbers, which occur in many fields, all must match.
    """
    shared = sum(value in ids for value in values)
    if all(map(_NUMBER.fullmatch, values)):
        return 1 < shared == len(values) == len(ids)
    return shared >= max(_LEAST_SHARED * min(len(values), len(ids)), 2)


def _known(part: Part, field: str) -> Mapping[str, str]:
    if told := _same(field, part.told):
        return {value: record.id for value, record in zip(part.told[told], part.records)}
    facts = ((record, _same(field, record.metadata)) for record in part.records)
    said = [(str(record.metadata[name]), record.id) for record, name in facts if name]
    return dict(said) if len({value for value, _ in said}) == len(said) else {}


def _same(field: str, names: Iterable[str]) -> str:
    """Return the name that equals the field's apart from case and punctuation, such as `MR` for `mr`; "" if there is
    none.
    """
    return next((name for name in names if norm(name) == norm(field)), "")


def _named(part: Part, values: Sequence[str]) -> Mapping[str, str]:
    """Map values to the ids of a file that match them, ignoring differences such as folders and extensions; values that
    match none are left out.
    """
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
