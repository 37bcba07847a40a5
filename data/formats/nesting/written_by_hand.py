"""Make records of layouts that people write in a few lines of Python: rows below a header, columns, pairs, scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from data.fields.names import IDS, TOLD_OF, is_known, norm, rank, whose
from data.formats.nesting.value_kinds import is_text

_FEWEST, _WORDS = 2, 3
_DEPTH = 4
_OF_LISTS = ("ref", "refs", "reference", "references", "gold", "target", "targets", "gt", "gts")


def as_records(value: Any) -> Any:
    """Return a value in one of these layouts as records, or with its pairs as objects; return other
    values unchanged.
    """
    if isinstance(value, list):
        rows = _below_header(value)
        found = [_with_pairs(row) if isinstance(row, dict) else row for row in rows]
        return rows if all(a is b for a, b in zip(rows, found)) else found
    if not isinstance(value, dict) or len(value) < _FEWEST:
        return value
    return _scored(value) or _columns(value) or _with_pairs(value)


def _below_header(rows: list[Any]) -> list[Any]:
    """Return rows as records if the first is a header with an id and a column of texts; return other rows unchanged."""
    if len(rows) < _FEWEST or not all(isinstance(row, list) and len(row) == len(rows[0]) for row in rows):
        return rows
    header = rows[0]
    if not all(isinstance(name, str) and name for name in header) or len(set(header)) < len(header):
        return rows
    named = any(rank(name, IDS) is not None for name in header) and any(
        is_known(name) or whose(name) for name in header
    )
    return [dict(zip(header, row)) for row in rows[1:]] if named else rows


def _scored(value: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a record for each caption that is the key of its score: `{"1.jpg": {"a dog runs": 0.61}}`; else []."""
    if not all(isinstance(of, dict) and of for of in value.values()):
        return []
    texts = [text for of in value.values() for text in of]
    numbers = all(isinstance(one, int | float) for of in value.values() for one in of.values())
    said = sum(len(text.split()) for text in texts) >= _WORDS * len(texts) and 2 * len(set(texts)) > len(texts)
    if not numbers or not said:
        return []
    return [{"id": id, "caption": text, "score": one} for id, of in value.items() for text, one in of.items()]


def _columns(value: dict[str, Any]) -> list[dict[str, Any]]:
    """Return columns as records: equally long lists of sources, references and outputs, or pandas' objects; else []."""
    columns = [*value.values()]
    if all(isinstance(column, dict) for column in columns):
        keys = [*columns[0]]
        counted = keys == [str(k) for k in range(len(keys))] and len(keys) >= _FEWEST
        if not counted or any([*column] != keys for column in columns) or not _has_id(value):
            return []
        return [{name: column[key] for name, column in value.items()} for key in keys]
    lists = all(isinstance(column, list) and len(column) == len(columns[0]) >= _FEWEST for column in columns)
    if not lists or not all(is_text(cell) for column in columns for cell in column):
        return []
    named = any(norm(name) in _OF_LISTS for name in value) and any(norm(name) in TOLD_OF for name in value)
    return [dict(zip(value, row)) for row in zip(*columns)] if named else []


def _has_id(names: Sequence[str] | dict[str, Any]) -> bool:
    return any(norm(name) in IDS for name in names)


def _with_pairs(value: Any, depth: int = _DEPTH) -> Any:
    """Return the value, with each list of pairs of a distinct name and a text turned into an object."""
    if depth == 0:
        return value
    if isinstance(value, dict) and not any(isinstance(one, dict | list) for one in value.values()):
        return value
    if isinstance(value, dict):
        made = {key: _with_pairs(one, depth - 1) for key, one in value.items()}
        return value if all(made[key] is one for key, one in value.items()) else made
    if not isinstance(value, list):
        return value
    if len(value) >= _FEWEST and all(_is_pair(one) for one in value) and len({one[0] for one in value}) == len(value):
        return {one[0]: one[1] for one in value}
    return value


def _is_pair(one: Any) -> bool:
    named = isinstance(one, list) and len(one) == 2 and isinstance(one[0], str) and len(one[0].split()) == 1
    return named and isinstance(one[1], str) and len(one[1].split()) >= _WORDS
