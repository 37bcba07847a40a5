"""Kinds of values in JSON, such as texts, objects, records under splits or keys, and columns of references.

References beside a list of captions form one list per caption or, as in sacreBLEU, one list per person.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import takewhile
from typing import Any, TypeGuard

from data.fields.names import IDS, NEUTRAL, PREDICTED, REFERENCES, rank
from data.files import printed_lists

_SPLITS = frozenset(["train", "training", "val", "valid", "validation", "dev", "test", "testing"])

_TIMES = frozenset(["timestamp", "timestamps", "segment", "start", "start_time"])

_CAPTION, _OF_A_CAPTION = "caption", {"caption", "image_id", "id"}


def is_text(value: Any) -> bool:
    """Return whether a value is a text or a list of one or more texts."""
    return isinstance(value, str) or (
        isinstance(value, list) and bool(value) and all(isinstance(v, str) for v in value)
    )


def is_object(value: Any) -> TypeGuard[dict[str, Any]]:
    """Return whether a value is a JSON object."""
    return isinstance(value, dict)


def are_objects(value: Any) -> TypeGuard[list[dict[str, Any]]]:
    """Return whether a value is a list of objects that is not empty."""
    return isinstance(value, list) and bool(value) and all(map(is_object, value))


def has_caption(row: dict[str, Any]) -> bool:
    """Return whether a record has texts under a name for captions other than people's."""
    return any(is_text(one) and rank(name, [*PREDICTED, *NEUTRAL]) is not None for name, one in row.items())


def _texts(columns: dict[str, Any]) -> tuple[str, str] | None:
    said = [n for n, c in columns.items() if rank(n, PREDICTED) is not None and all(isinstance(v, str) for v in c)]
    refs = [n for n, c in columns.items() if rank(n, REFERENCES) is not None and all(is_text(v) for v in c)]
    refs = [name for name in refs if all(isinstance(v, list) for v in columns[name])]
    return (said[0], refs[0]) if len(said) == len(refs) == 1 else None


def transposed(columns: dict[str, Any]) -> dict[str, list[Any]] | None:
    """Return a list of captions, and several lists with one reference for every caption, as columns; None for other
    columns.
    """
    columns = {name: column for name, column in columns.items() if isinstance(column, list) and column}
    names = _texts(columns)
    if names is None or {len(one) for one in columns[names[1]]} != {len(columns[names[0]])}:
        return None
    beside = {name: one for name, one in columns.items() if name != names[1] and len(one) == len(columns[names[0]])}
    return {**beside, names[1]: [list(one) for one in zip(*columns[names[1]])]}


def turned(columns: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Return the columns, with a square table of references transposed if this lets it share over 1.5 times as many
    words with the captions.
    """
    names = _texts(columns)
    if names is None or {len(one) for one in columns[names[1]]} != {len(columns[names[0]])}:
        return columns
    said, refs = (columns[name] for name in names)
    other = [list(one) for one in zip(*refs)]
    return {**columns, names[1]: other} if _shared(said, other) > 1.5 * _shared(said, refs) else columns


def of_splits(value: dict[str, Any]) -> list[dict[str, Any]] | None:
    """Return the records under the names of splits, in lists or by id, each with its split, as R2Gen writes them.

    Lists of `values` under the names of several tasks, as in GEM, are read in the same way. Return None for other
    names, or for values other than records.
    """
    tasks = {key: one.get("values") for key, one in value.items() if isinstance(one, dict)}
    if len(tasks) == len(value) > 1 and all(isinstance(of, list) and of for of in tasks.values()):
        rows = [(key, row) for key, of in tasks.items() for row in of or []]
        return [{"task": key, **row} for key, row in rows] if all(isinstance(row, dict) for _, row in rows) else None
    if not all(key.lower() in _SPLITS and isinstance(one, list | dict) for key, one in value.items()):
        return None
    found = {
        key: [{"id": id, **row} if isinstance(row, dict) else row for id, row in one.items()]
        if isinstance(one, dict)
        else one
        for key, one in value.items()
    }
    if not all(isinstance(row, dict) for rows in found.values() for row in rows):
        return None
    return [{"split": key, **row} for key, rows in found.items() for row in rows]


def response(value: Any) -> Any:
    """Return a model's response to one request, whose answers are its `choices`, as a list of one record; return other
    values unchanged.
    """
    return [value] if isinstance(value, dict) and are_objects(value.get("choices")) else value


def bare_captions(value: Any) -> Any:
    """Return an object with captions by id on several sides, `{"gts": {id: [{"caption": ..}]}, "res": ..}`, with bare
    texts in place of the objects that contain them.

    Pycocoevalcap takes such objects. Other values are returned unchanged, as is an object whose sides share no id.
    """
    sides = [key for key, one in value.items() if _are_by_id(one)] if is_object(value) else []
    texts = {key: {id: [row[_CAPTION] for row in rows] for id, rows in value[key].items()} for key in sides}
    counts = Counter(id for of in texts.values() for id in of)
    return {**value, **texts} if any(count > 1 for count in counts.values()) else value


def _are_by_id(value: Any) -> bool:
    rows = [row for of in value.values() for row in (of if are_objects(of) else [{}])] if is_object(value) else []
    return bool(rows) and all(isinstance(row.get(_CAPTION), str) and row.keys() <= _OF_A_CAPTION for row in rows)


def untokenised(value: Any) -> Any:
    """Return a value that consists of lists of tokens, within lists or objects, with a text for each list of tokens.

    All are joined if there are several lists, and at least half of them look like the tokens of a caption; other values
    are returned unchanged.
    """
    lists = [] if is_text(value) else list(takewhile(bool, _lists_of_words(value)))
    alike = sum(len(printed_lists.untokenised(one)) < len(one) for one in lists)
    return _joined(value) if 2 * alike >= len(lists) > 1 and all(_lists_of_words(value)) else value


def _lists_of_words(value: Any) -> Iterator[list[str]]:
    """Yield the innermost lists, which contain words; an empty list stands for anything else."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    if isinstance(value, list) and is_text(value) and all(len(one.split()) == 1 for one in value):
        yield value
    elif not inner:
        yield []
    else:
        for one in inner:
            yield from _lists_of_words(one)


def _joined(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _joined(one) for key, one in value.items()}
    return " ".join(value) if is_text(value) else [_joined(one) for one in value]


def is_keyed(value: dict[str, Any]) -> bool:
    """Return whether an object has ids in `keys` and their texts in `values`, like GEM's submissions."""
    keys, texts = value.get("keys"), value.get("values")
    if not isinstance(keys, list) or not isinstance(texts, list):
        return False
    return len(keys) == len(texts) and all(map(is_text, texts))


def is_film(value: dict[str, Any]) -> bool:
    """Return whether an object has a single key, a film's name, with a list of events that have times but no id."""
    (events,) = value.values() if len(value) == 1 else (None,)
    if not are_objects(events):
        return False
    return all(_TIMES & one.keys() and not any(rank(name, IDS) is not None for name in one) for one in events)


def of_object(value: dict[str, Any]) -> list[dict[str, Any]]:
    """Return an object of unknown fields as records: one per row if its values are columns, else a single record."""
    columns = value and all(isinstance(one, list) for one in value.values()) and len({*map(len, value.values())}) == 1
    return [dict(zip(value, cells)) for cells in zip(*value.values())] if columns else [value]


def by_level(index: list[Any], id: str) -> list[dict[str, Any]]:
    """Return the fields of each row from an index of pandas: the id, and the further levels by name (`level_1`)."""
    levels = [[key[0], *map(str, key[1:])] if isinstance(key, list) and key else [key] for key in index]
    names = [id, *(f"level_{k}" for k in range(1, max(map(len, levels), default=1)))]
    return [dict(zip(names, of)) for of in levels]


def _shared(said: list[str], references: list[list[str]]) -> float:
    """Return the mean share of a caption's words that occur in one of its references."""
    pairs = [
        (set(text.lower().split()), set(ref.lower().split())) for text, refs in zip(said, references) for ref in refs
    ]
    return sum(len(one & ref) / max(len(one), 1) for one, ref in pairs) / max(len(pairs), 1)
