"""Find values that no column of the records shows: within lists of texts or conversations, and beside the records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from data.fields.names import TURN, norm
from data.files.printed_lists import TEXT_KEYS
from data.formats.nesting.nested_records import flat
from data.formats.nesting.setting_keys import are_settings
from data.formats.nesting.turns import is_trace, last_turn, question, speaker, text_of

_LOOKED_AT, _OF_LISTS, _LONGEST = 2_000, 20, 100
_OF_TURNS = ("role", "from", "type")
_OF_TABLES = ("columns", "data", "index", "keys", "values", "dataset")
"""Names of the parts of a table, which are read as a table, and of the data set."""
_NOTHING: tuple[Any, ...] = (None, "", [], {})


def within(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Return the paths of the values that `nested_records.flat` leaves out, in the first 2,000 records."""
    found: dict[str, None] = {}
    for row in rows[:_LOOKED_AT]:
        if any(isinstance(one, dict | list) for one in row.values()):
            whole, parts = _covered(flat(row))
            left = (path for path in _leaves("", row) if path not in whole and path not in found)
            found |= dict.fromkeys(path for path in left if not is_within(path, parts))
    return list(found)


def beside(value: Any, rows: Sequence[Any]) -> list[str]:
    """Return the paths of the values in an object that are absent from the records found in it."""
    if not isinstance(value, dict):
        return []
    first = [row for row in rows[:_LOOKED_AT] if isinstance(row, dict)]
    fields = {part for row in first for key in _keys(row) for part in (key, *key.split("."))}
    cells = {
        str(one) for row in rows if isinstance(row, dict) for one in row.values() if not isinstance(one, dict | list)
    }
    texts = (text for row in first for one in row.values() if isinstance(one, list) for text in one)
    cells |= {text for text in texts if isinstance(text, str)}
    columns = any(isinstance(value.get(key), list) for key in fields)
    found = dict.fromkeys(_beside("", value, fields, cells))
    return [path for path in found if not (columns and isinstance(value.get(path), list))]


def _beside(path: str, value: Any, fields: set[str], cells: set[str]) -> Iterator[str]:
    if isinstance(value, list):
        for one in value[:_OF_LISTS]:
            yield from _beside(f"{path}[]" if path else "", one, fields, cells) if isinstance(one, dict | list) else ()
        return
    for key, one in value.items() if isinstance(value, dict) else ():
        name = f"{path}.{key}" if path else str(key)
        if key in fields or norm(key) in _OF_TABLES or one in _NOTHING:
            continue
        named = key in cells or key.isdecimal() or are_settings([key])
        if isinstance(one, dict) or (isinstance(one, list) and any(isinstance(of, dict | list) for of in one)):
            yield from _beside(path if named else name, one, fields, cells)
        elif not (
            named or all(isinstance(text, str) and text in cells for text in (one if isinstance(one, list) else [one]))
        ):
            yield name


def _keys(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, one in value.items():
            yield str(key)
            yield from _keys(one)
    elif isinstance(value, list):
        for one in value:
            yield from _keys(one)


def _leaves(path: str, value: Any, turn: bool = False) -> Iterator[str]:
    """Yield the path of each value, except the text and the speaker of each turn of a conversation."""
    if isinstance(value, dict) and value:
        shown = (text_of(value)[0], *_OF_TURNS) if turn or speaker(value) else ()
        for key, one in value.items():
            if key not in shown:
                yield from _leaves(f"{path}.{key}" if path else str(key), one)
    elif isinstance(value, list) and any(isinstance(one, dict) for one in value):
        turns = all(isinstance(one, dict) for one in value) and (last_turn(value) or question(value)) is not None
        for one in value:
            yield from _leaves(f"{path}[]", one, turns and speaker(one) is not None)
    elif value not in _NOTHING:
        yield path


def _covered(fields: dict[str, Any]) -> tuple[set[str], set[str]]:
    """Return the paths whose values flat fields show unchanged, and the paths below which they show every value."""
    parts = set[str]()
    for path, value in fields.items():
        objects = [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
        if isinstance(value, dict) or (objects and is_trace(objects)):
            parts.add(path)
        parts |= {*_texts(path, objects)} if objects else set()
    return {path.replace(TURN, "[]") for path in fields}, parts


def _texts(path: str, value: Any) -> Iterator[str]:
    """Yield the paths of the texts that are read from objects with captions."""
    if isinstance(value, list) and any(isinstance(one, dict) for one in value):
        for one in value:
            yield from _texts(f"{path}[]", one)
    elif isinstance(value, dict):
        for key in [key for key in TEXT_KEYS if key in value][:1]:
            yield from _texts(f"{path}.{key}", value[key])
    else:
        yield path


def is_within(path: str, parts: Iterable[str]) -> bool:
    """Return whether a path is one of `parts` or leads to a field within one of them."""
    return any(path == one or path.startswith((f"{one}.", f"{one}[")) for one in parts)
