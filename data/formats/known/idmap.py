"""JSON objects of captions by id: `{id: caption | [captions]}`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from data.fields.names import IDS, NEUTRAL, PREDICTED, REFERENCES, norm
from data.files.printed_lists import has_caption, has_data
from data.findings import TrustedText, named
from data.formats.columns.run_labels import label_runs
from data.formats.nesting.nested_records import of_run
from data.formats.nesting.run_keys import has_references
from data.formats.nesting.value_kinds import of_splits
from data.records import Part, Record, Source

_SAMPLED = frozenset(["seed", "random_seed"])
"""Settings that may differ between the captions of one run."""
_FIELDS = frozenset([*IDS, *PREDICTED, *REFERENCES, *NEUTRAL])


def matches(value: Any) -> bool:
    """Return whether most of the first values are captions or lists of captions, and the object is not a table, a set
    of splits or a record.
    """
    if not isinstance(value, dict) or not value or _are_fields(value) or _are_columns(value) or of_splits(value):
        return False
    if _has_records(value):
        return False
    values = list(value.values())[:20]
    good = sum(1 for one in values if isinstance(one, str) or (isinstance(one, list) and _is_captions(one)))
    return 2 * good > len(values)


def holds_records(value: dict[str, Any]) -> bool:
    """Return whether an object contains records rather than captions.

    Records are objects, or lists with an object that has no caption, or that has references, a model or settings other
    than a seed beside its caption.
    """
    listed = (row for one in value.values() if isinstance(one, list) for row in one if isinstance(row, dict))
    return any(isinstance(one, dict) for one in value.values()) or any(
        not has_caption(row) or has_references(row) or of_run(row).keys() - _SAMPLED for row in listed
    )


def _are_fields(keys: Iterable[str]) -> bool:
    known = [norm(key) in _FIELDS or norm(key).removesuffix("s") in _FIELDS for key in keys]
    return sum(known) > 1 and 2 * sum(known) > len(known)


def _has_records(value: dict[str, Any]) -> bool:
    """Return whether one of several keys contains records with ids, and the others contain single values."""
    lists = [one for one in value.values() if isinstance(one, dict | list)]
    if len(lists) != 1 or len(value) < 2 or not isinstance(lists[0], list):
        return False
    rows = [row for row in lists[0] if isinstance(row, dict)]
    name = next((name for name in IDS if rows and all(name in row for row in rows)), None)
    return len(rows) == len(lists[0]) and name is not None and len({str(row[name]) for row in rows}) == len(rows) > 1


def _are_columns(value: dict[str, Any]) -> bool:
    """Return whether an object is a table.

    It has `columns` and `data`, or columns of equal length, one of which has a name for ids.
    """
    if {"columns", "data"} <= value.keys():
        return True
    if not any(norm(key) in IDS for key in value) or len(value) < 2:
        return False
    return all(isinstance(one, list) for one in value.values()) and len({len(one) for one in value.values()}) == 1


def _is_captions(values: list[Any]) -> bool:
    return all(
        isinstance(one, str)
        or (isinstance(one, dict) and ("caption" in one or "text" in one))
        or (isinstance(one, list) and has_data(one))
        for one in values
    )


def load(source: Source) -> Part:
    """Read captions by id: predictions, unless the file is declared or named as references."""
    role = source.role("predictions")
    records = []
    for index, (key, value) in enumerate(source.value.items()):
        where = source.where(index)
        id = source.checked_id(key, where)
        if id is None:
            continue
        captions = source.captions("" if value is None else value, "caption", where, id)
        record = Record(id, where, captions) if role == "references" else Record(id, where, [], {source.run: captions})
        records.append(record)
    beside = (one for of in source.value.values() if isinstance(of, list) for one in of if isinstance(one, list))
    count = max((len(one) for one in beside if has_data(one)), default=0)
    if count > 2:  # a single number is the caption's score
        source.log.add("fields_left", source.name, columns=TrustedText(named([f"`[{k}]`" for k in range(1, count)])))
    labels = label_runs(source, [source.run]) if role != "references" else {}
    neutral = source.reading.role is None
    return Part(source.name, "id_captions", records, len(source.value), labels, neutral=neutral)
