"""Turn captions under numbered keys, `{"0": .., "1": ..}` or `{"caption_1": ..}`, into lists."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice, pairwise
from typing import Any

from data.fields.names import NEUTRAL, PREDICTED, REFERENCES, base, norm, rank, whose
from data.formats.nesting.value_kinds import is_object

_FIELDS = [*PREDICTED, *REFERENCES, *NEUTRAL]
_LOOKED_AT = 20


def as_lists(value: Any, runs: Iterable[str] = ()) -> Any:
    """Return the value with captions under numbered keys, in records or in items by id, turned into lists.

    Keys in `runs` are not numbers of captions. In an object of objects, the outer keys are items rather than runs if
    the texts under one outer key share more words than the texts under one inner key.
    """
    if isinstance(value, list):
        return [_of_record(row) for row in value] if any(map(_holds, islice(value, _LOOKED_AT))) else value
    if not isinstance(value, dict) or not value:
        return value
    rows = list(value.values())
    if all(isinstance(row, dict) and _counts(row, runs) for row in rows):
        return {key: list(row.values()) for key, row in value.items()} if _are_items(value) else value
    if all(map(is_object, rows)) and any(map(_holds, rows[:_LOOKED_AT])):
        return {key: _of_record(row) for key, row in value.items()}
    name = next((key for key, one in value.items() if isinstance(one, list) and any(map(_holds, one[:_LOOKED_AT]))), "")
    return {**value, name: as_lists(value[name], value.get("runs") or ())} if name else value


def _holds(row: Any) -> bool:
    return isinstance(row, dict) and any(_is_list(key, one) for key, one in row.items())


def _of_record(row: Any) -> Any:
    if not _holds(row):
        return row
    return {key: list(one.values()) if _is_list(key, one) else one for key, one in row.items()}


def _is_list(key: str, value: Any) -> bool:
    """Return whether a field contains texts, or a model's objects, under keys that number them."""
    if (rank(key, _FIELDS) is not None or whose(key)) and _counts(value):
        return True
    if not isinstance(value, dict) or not value or whose(key) != "model":
        return False
    return all(map(is_object, value.values())) and _count_up(list(value))


def _count_up(numbers: list[str]) -> bool:
    return numbers in ([str(k) for k in range(first, first + len(numbers))] for first in (0, 1))


def _counts(value: Any, runs: Iterable[str] = ()) -> bool:
    """Return whether an object of texts has keys that count from 0 or 1: numbers, or one name for captions with
    numbers.
    """
    if not isinstance(value, dict) or not value or not all(isinstance(one, str) for one in value.values()):
        return False
    if any(key in value for key in runs):
        return False
    names = {base(norm(key)) for key in value}
    if len(names) != 1 or not names <= {"", *_FIELDS}:
        return False
    numbers = [norm(key)[len(base(norm(key))) :].strip("_()[]#") for key in value]
    return _count_up(numbers)


def _are_items(value: dict[str, dict[str, str]]) -> bool:
    """Return whether each inner object contains an item's captions, which are not numbered or share the most words.

    They are not numbered if some inner key does not begin with a digit. Otherwise, texts in one object must share more
    words than texts under the same key in different objects, and no outer key may be a name for captions.
    """
    if not all(key[:1].isdigit() for row in value.values() for key in row):
        return True
    if any(norm(key) in _FIELDS for key in value):
        return False
    rows = [dict(islice(row.items(), _LOOKED_AT)) for row in islice(value.values(), _LOOKED_AT)]
    columns = [[row[key] for row in rows if key in row] for key in dict.fromkeys(key for row in rows for key in row)]
    return _shared([list(row.values()) for row in rows]) > _shared(columns)


def _shared(groups: Iterable[list[str]]) -> float:
    found = [share for group in groups for share in _neighbours(group)]
    return sum(found) / len(found) if found else 0


def _neighbours(texts: list[str]) -> Iterator[float]:
    words = [set(text.lower().split()) for text in texts]
    for one, other in pairwise(words):
        yield len(one & other) / max(len(one | other), 1)
