"""Records in JSON of any shape, and their fields by path: `vars.image`, `choices[].message.content`."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator
from typing import Any

from data.fields.models import states_judge
from data.fields.names import (
    ALSO_CALLED,
    CONTAINERS,
    IDS,
    NEUTRAL,
    NO_CAPTION,
    RECORDS,
    RUNS,
    TURN,
    VAGUE_IDS,
    is_known,
    leaf,
    norm,
    rank,
    whose,
    words,
)
from data.files.printed_lists import TEXT_KEYS
from data.formats.nesting import value_kinds
from data.formats.nesting.run_keys import are_kinds, has_runs, in_one_order
from data.formats.nesting.turns import is_trace, last_answer, last_turn, question, speaker, text_of, written_beside
from data.formats.nesting.value_kinds import are_objects, is_object, is_text
from data.run_settings import SETTING_NAMES, stated
from data.study import Settings

KEY = "id"
"""The field for the key of a record that has no id."""
VALUE = "caption"
"""The field for a record that is just a text or a list of texts."""
RUN = "run"
"""The field for the key of a record if that key names its run."""
_OF_RUNS = frozenset([*RUNS, *SETTING_NAMES, *ALSO_CALLED])
"""Names of fields that state a run or a setting."""
_ID = re.compile(r"\d+|.+\.[A-Za-z]\w{2,3}|(?=.*\d).*[_/].*\d")
_INNER = re.compile(r"(?:\[-?\d*\])?\.|\[")  # after the name of an object or a list, in the path of a field in it
_DEPTH = 6
_LONGEST_NAME = 500
PICTURE = re.compile(r"\S+\.(jpe?g|png|webp|gif|bmp|tiff?|wav|flac|mp3|mp4|avi|webm)", re.IGNORECASE)
"""File names of pictures, sounds and films."""
_LOOKED_AT = 20
_HOTTEST = 2
"""The highest number in a field `T` that is taken as a temperature."""


def rows_of(value: Any, depth: int = 4) -> list[dict[str, Any]] | None:
    """Return the records in a parsed JSON value; None if there are none.

    The records are a list, a table, the values of an object, its columns, or the longest list of objects within it.
    JSON within a text is parsed. Bare texts become records with one field, the caption.
    """
    if isinstance(value, str | list):
        return _of_text(value, depth) if isinstance(value, str) else _of_list(value)
    if not isinstance(value, dict) or not value or depth == 0:
        return None
    found = value_kinds.of_splits(value) or _wrapped(value, depth) or _of_columns(value) or _within(value, depth)
    found = found or _by_run(value)
    return found or _of_results(value) or _by_key(value)


def _of_text(value: str, depth: int) -> list[dict[str, Any]] | None:
    try:
        return rows_of(json.loads(value), depth - 1) if depth and value.lstrip()[:1] in ("[", "{") else None
    except (ValueError, RecursionError):
        return None


def _of_list(value: list[Any]) -> list[dict[str, Any]] | None:
    if any(isinstance(row, dict) for row in value):
        return _unwrapped(value)
    if value and all(map(are_objects, value)):
        return [{VALUE: row} for row in value]
    if all(isinstance(row, list) and len(row) == len(value[0]) for row in value) and _are_names(value[:1]):
        return [dict(zip(value[0], row)) for row in value[1:]] or None
    if value and all(is_text(row) for row in value) and not _are_cells(value):
        return [{VALUE: row} for row in value]
    if value and all(isinstance(row, list) and len(row) == len(value[0]) for row in value):
        return [{f"column {place}": cell for place, cell in enumerate(row, 1)} for row in value]
    return None


def _are_names(first: list[list[Any]]) -> bool:
    """Return whether the first of several rows has names of columns, at least two of them known."""
    names = [cell for row in first for cell in row if isinstance(cell, str)]
    known = [name for name in names if is_known(name) or rank(name, IDS) is not None]
    return len(known) > 1 and len(set(names)) == len(names) == len(first[0])


def bare(value: Any) -> Any:
    """Return the value with each list of one record within a list, as in VIST, replaced by that record."""
    if isinstance(value, dict):
        return {key: bare(one) if isinstance(one, list) else one for key, one in value.items()}
    if isinstance(value, list) and value and all(isinstance(row, list) and len(row) == 1 for row in value):
        return [row[0] for row in value] if all(is_object(row[0]) for row in value) else value
    return value


def _unwrapped(rows: list[Any]) -> list[Any]:
    """Return the records; if each is the only value under a key of its own, as in WebNLG, that key becomes its id."""
    alone = all(is_object(row) and len(row) == 1 and all(map(is_object, row.values())) for row in rows)
    keys = [key for row in rows for key in row] if alone else []
    return (
        [{KEY: key, **inner} for row in rows for key, inner in row.items()] if len(set(keys)) == len(keys) > 1 else rows
    )


def _are_cells(rows: list[Any]) -> bool:
    """Return whether lists are rows of a table: one column has distinct single words, and another has sentences."""
    if not all(isinstance(row, list) and len(row) == len(rows[0]) for row in rows) or len(rows) < 2:
        return False
    columns = list(zip(*rows))
    ids = any(len(set(one)) == len(one) and all(len(cell.split()) == 1 for cell in one) for one in columns)
    return ids and any(sum(len(cell.split()) for cell in one) >= 3 * len(one) for one in columns)


def _of_columns(value: dict[str, Any]) -> list[dict[str, Any]] | None:
    """Return the records of a table that pandas or wandb wrote as columns by name or as a header and rows, or None."""
    header, data, index = value.get("columns"), value.get("data", value.get("values")), value.get("index")
    if "name" in value and isinstance(data, list) and isinstance(index, list):  # a Series
        header, data = [value["name"] or VALUE], [[one] for one in data]
    if isinstance(header, list) and isinstance(data, list) and all(isinstance(row, list) for row in data):
        index = index if isinstance(index, list) and len(index) == len(data) else []
        ids = value_kinds.by_level(index, KEY) if index and not _counted([*map(str, index)]) else [{}] * len(data)
        names = [str(tuple(name) if isinstance(name, list) else name) for name in header]
        return [{**id, **dict(zip(names, row))} for id, row in zip(ids, data)]
    if value_kinds.is_keyed(value):
        return [{KEY: key, VALUE: text} for key, text in zip(value["keys"], value["values"])]
    columns = {name: column for name, column in value.items() if isinstance(column, list | dict)}
    if any(are_objects(one) and _says(one[0]) and _has_id(one[0]) for one in columns.values()):
        return None  # beside lists that these records share, as in VisDial
    said = [column for name, column in columns.items() if is_known(name) and _has_text(column)]
    beside = of_run({name: one for name, one in value.items() if not isinstance(one, list)})
    if len({(type(column), len(column)) for column in said}) != 1:
        turned = value_kinds.transposed(columns)
        return [{**row, **beside} for row in _rows(turned)] if turned else None
    columns = {name: one for name, one in columns.items() if type(one) is type(said[0]) and len(one) == len(said[0])}
    if all(isinstance(column, list) for column in columns.values()):
        if any(isinstance(cell, dict) for column in columns.values() for cell in column):
            return None
        rows = _rows(value_kinds.turned({name: column for name, column in columns.items() if isinstance(column, list)}))
        return [{**row, **beside} for row in rows]
    if all(isinstance(column, dict) for column in columns.values()):
        keys = list(next(iter(columns.values())))
        if all(list(column) == keys for column in columns.values()):
            rows = _rows({name: [column[key] for key in keys] for name, column in columns.items()})
            beside = of_run({name: one for name, one in value.items() if not isinstance(one, list | dict)})
            index = {} if _counted(keys) and any(map(_is_id, columns)) else {KEY: keys}
            return [{**{name: of[k] for name, of in index.items()}, **row, **beside} for k, row in enumerate(rows)]
    return None


def _has_text(column: list[Any] | dict[str, Any]) -> bool:
    return any(is_text(one) for one in (column.values() if isinstance(column, dict) else column))


def _rows(columns: dict[str, list[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(columns, cells)) for cells in zip(*columns.values())]


def _compares(value: Any) -> bool:
    """Return whether a value is a list of records that each have texts by both models and people."""
    rows = value[:_LOOKED_AT] if isinstance(value, list) else []
    told = [{whose(name) for name, one in row.items() if isinstance(one, str)} for row in rows if is_object(row)]
    return bool(told) and all({"model", "people"} <= one for one in told)


def _within(value: dict[str, Any], depth: int) -> list[dict[str, Any]] | None:
    """Return the records under the key that has most of them, with facts about the run from other keys, or None.

    The records are a list of objects, an object, the value under a name such as `results`, or JSON in the only text.
    """
    scalars = sum(not isinstance(one, dict | list) for one in value.values())
    objects = {key: one for key, one in value.items() if isinstance(one, dict) and one}
    lists = {key: one for key, one in value.items() if isinstance(one, list) and any(isinstance(v, dict) for v in one)}
    named = {key: one for key, one in value.items() if norm(key) in CONTAINERS and isinstance(one, dict | list)}
    made = {key: rows_of(one, depth - 1) for key, one in named.items()} if len(value) > 1 else {}
    found = {key: rows for key, rows in made.items() if rows}
    if not found and len(objects) == len(value) == 1:
        key, inner = next(iter(objects.items()))
        inside = (inner, *filter(is_object, inner.values()))
        compared = any(map(_compares, inner.values()))
        valued = any(map(is_object, listed)) if isinstance(listed := inner.get("values"), list) else False
        if valued or compared or norm(key) in {*CONTAINERS, "database"} or any(map(value_kinds.is_keyed, inside)):
            return rows_of(inner, depth - 1)
    told = [key for key, one in lists.items() if any(is_object(row) and _says(row) for row in one)]
    if len(told) == 1 < len(lists):
        lists = {key: lists[key] for key in told}
    listed = bool(lists) and not value_kinds.is_film(value) and not has_runs(value)
    if not found and listed and (scalars or len(lists) == 1 or objects):
        found = {key: _unwrapped(one) for key, one in lists.items()}
    if not found and len(objects) < len(value):
        found = {key: rows for key, one in objects.items() if (rows := rows_of(one, depth - 1))}
    if found:
        # Of equally large sets of records, the one in a list under the key itself is surer than one further inside.
        chosen = max(found, key=lambda key: (len(found[key]), isinstance(value[key], list)))
        beside = of_run({key: one for key, one in value.items() if key != chosen})
        return [{**row, **{k: v for k, v in beside.items() if k not in row}} for row in found[chosen] if is_object(row)]
    texts = [one for one in value.values() if isinstance(one, str) and one.lstrip()[:1] in ("[", "{")]
    return rows_of(texts[0], depth - 1) if len(texts) == len(value) == 1 else None


def _wrapped(value: dict[str, Any], depth: int) -> list[dict[str, Any]] | None:
    """Return the records with ids in the only object that wraps some; None unless a field or a run names it."""
    wraps = {key: one for key, one in value.items() if isinstance(one, dict) and _wraps(key, one)}
    if len(wraps) != 1 or any(isinstance(one, list) for one in value.values()):
        return None
    beside = of_run({key: one for key, one in value.items() if key not in wraps})
    return [{**beside, **row} for one in wraps.values() for row in rows_of(one, depth - 1) or []]


def _wraps(key: str, value: dict[str, Any]) -> bool:
    facts = of_run({name: one for name, one in value.items() if not isinstance(one, list)})
    lists = [one for name, one in value.items() if norm(name) in CONTAINERS and isinstance(one, list)]
    rows = [row for one in lists for row in one[:_LOOKED_AT]]
    told = len(lists) == 1 and len(rows) > 1 and all(is_object(row) and _has_id(row) for row in rows)
    return told and (names_field(key) or any(leaf(path) in RUNS for path in facts))


def _has_id(row: dict[str, Any]) -> bool:
    return any(rank(leaf(path), IDS) is not None for path in flat(row))


def _says(row: dict[str, Any]) -> bool:
    return any(is_text(one) and (is_known(path) or whose(path)) for path, one in flat(row).items())


def of_run(value: dict[str, Any]) -> dict[str, Any]:
    """Return the fields that state a run, a setting or the model that rated, by path: `config.temperature`."""
    return {path: one for path, one in flat(value).items() if _tells_run(path, one)}


def _tells_run(path: str, value: Any) -> bool:
    if re.split(r"\W", path)[-1] == "T":
        return isinstance(value, int | float) and 0 <= value <= _HOTTEST
    return states_judge(path, value) or (leaf(path) in _OF_RUNS and isinstance(value, str | int | float))


def _run_of_turn(path: str, turn: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the model and the settings that a model's turn states, as Anthropic's answers do."""
    if speaker(turn):
        yield from ((f"{path}.{key}", one) for key, one in turn.items() if _tells_run(key, one))


def _by_run(value: dict[str, Any]) -> list[dict[str, Any]] | None:
    """Return records by category, by run, or by run and item (see `name_items`); None if there are none of these."""
    if are_kinds(value):
        return [{"category": key, **row} for key, rows in value.items() for row in rows]
    if has_runs(value):
        return [{RUN: key, **row} for key, rows in value.items() for row in rows]
    if in_one_order(value):
        return [{RUN: key, KEY: str(k), **row} for key, rows in value.items() for k, row in enumerate(rows, 1)]
    inner = [one for one in value.values() if isinstance(one, dict) and one and all(map(is_text, one.values()))]
    keys = dict.fromkeys(key for one in inner for key in one)
    if len(inner) < max(len(value), 1) or any(names_field(key) for key in (*keys, *value)):
        return None
    outside = name_items(value, keys)
    cells = [(key, name, text) for key, one in value.items() for name, text in one.items()]
    return [{KEY: key if outside else name, RUN: name if outside else key, VALUE: text} for key, name, text in cells]


def name_items(keys: Collection[str], others: Collection[str]) -> bool:
    """Return whether `keys` name items and `others` runs, given that one of these two levels names items.

    The keys of items look like ids or, if both levels or neither have such keys, are more numerous.
    """
    return (are_ids(keys), len(keys)) > (are_ids(others), len(others))


def _of_results(value: dict[str, Any]) -> list[dict[str, Any]] | None:
    """Return the records with ids that each run has under a usual name, `{run: {"results": [..]}}`, or None."""
    if are_ids(value) or any(map(names_field, value)) or not all(map(is_object, value.values())):
        return None
    rows: list[dict[str, Any]] = []
    for run, inner in value.items():
        lists = [name for name, one in inner.items() if norm(name) in RECORDS and isinstance(one, list)]
        if len(lists) != 1 or not all(map(is_object, inner[lists[0]])):
            return None
        beside = of_run({name: one for name, one in inner.items() if name != lists[0]})
        rows += [{RUN: run, **beside, **row} for row in inner[lists[0]]]
    return rows if len(rows) > len(value) and all(map(_has_id, rows[:_LOOKED_AT])) else None


def names_field(key: str) -> bool:
    """Return whether a key is a known name of a field rather than a run or an item."""
    numbered = key[-1:].isdecimal()  # `photo07` is an item
    found = set(words(key))
    people = whose(key) == "people" and found & {*NEUTRAL, "annotation", "annotations"}
    return bool(is_known(key) or (rank(key, IDS) is not None and not numbered) or found & NO_CAPTION or people)


def are_ids(keys: Iterable[str]) -> bool:
    """Return whether all keys look like item ids: numbers, file names, or parts with digits, but not all settings."""
    keys = list(keys)
    return all(_ID.fullmatch(key) for key in keys) and not (keys and all(stated(key) != Settings() for key in keys))


def _counted(keys: list[str]) -> bool:
    return keys in ([str(k) for k in range(len(keys))], [str(k) for k in range(1, len(keys) + 1)])


def _by_key(value: dict[str, Any]) -> list[dict[str, Any]] | None:
    """Return the records in an object, with their keys as ids if they have none; None if a value is no record."""
    rows: list[dict[str, Any]] = []
    counted = _counted(list(value))
    for key, one in value.items():
        if isinstance(one, dict):
            named = KEY in one or (counted and any(_is_id(name) for name in one))
            rows.append(one if named else {KEY: key, **one})
        elif isinstance(one, list) and any(isinstance(row, dict) for row in one):
            rows += [{KEY: key, **row} for row in one if isinstance(row, dict)]
        elif is_text(one):
            rows.append({KEY: key, VALUE: one})
        else:
            return None
    return rows


def _is_id(name: str) -> bool:
    return rank(name, IDS) is not None and norm(name) not in VAGUE_IDS - {"id", "_id", "index"}


def flat(row: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a record by path: texts, numbers, and lists of them or of captions.

    A conversation is reduced to the model's last turn. Values nested deeper than six levels stay unchanged.
    """
    return {path: _alone(path, value) for path, value in _fields("", row, _DEPTH)}


def names_in(fields: list[dict[str, Any]]) -> list[str]:
    """Return the paths in flat records, except paths of objects that are null in some records: `"response": null`."""
    said = {path for row in fields for path, value in row.items() if value not in (None, {}, [])}
    paths = dict.fromkeys(path for row in fields for path in row)
    outer = {path[: mark.start()] for path in paths for mark in _INNER.finditer(path)}
    return [path for path in paths if path in said or path not in outer]


def _alone(path: str, value: Any) -> Any:
    """Return the only element of a list of scores, or of names of items or runs; return other values unchanged."""
    alone = isinstance(value, list) and len(value) == 1 and isinstance(value[0], str | int | float)
    return value[0] if alone and (rank(path, [*IDS, *RUNS]) is not None or ".scores." in f".{path}") else value


def _fields(path: str, value: Any, depth: int) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and depth and speaker(value):
        field, text = text_of(value)
        yield f"{path}.{field}", text
        yield from _run_of_turn(path, value)
    elif isinstance(value, dict) and depth and value:
        for key, one in value.items():
            yield from _fields(f"{path}.{key}" if path else str(key), one, depth - 1)
    elif isinstance(value, list) and value and depth and all(isinstance(one, dict) for one in value):
        turn = last_turn(value)
        if is_trace(value):
            yield path, value
            return
        if any(speaker(one) is False for one in value) and len(shown := set(_pictures(value, _DEPTH))) == 1:
            yield f"{path}[].url", shown.pop()
        if turn is not None:
            field, text = text_of(turn)
            yield f"{path}{TURN}.{field}", text
            if (asked := question(value)) is not None:
                yield f"{path}[].{asked[0]}", asked[1]
            yield from written_beside(path, turn[field])
            yield from _run_of_turn(f"{path}{TURN}", turn)
        elif (asked := question(value)) is not None:
            yield f"{path}[].{asked[0]}", asked[1]
        elif any(isinstance(value[0].get(key), str) for key in TEXT_KEYS):
            yield path, value
        else:
            inner = [dict(_fields("", one, depth - 1)) for one in value]
            for key in dict.fromkeys(key for one in inner for key in one):
                yield f"{path}[].{key}", [_only(last_answer(key, one[key])) for one in inner if key in one]
    else:
        yield path, value


def _pictures(value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        if len(value) < _LONGEST_NAME and PICTURE.fullmatch(value):
            yield value
    elif isinstance(value, dict | list) and depth:
        for one in value.values() if isinstance(value, dict) else value:
            yield from _pictures(one, depth - 1)


def _only(value: Any) -> Any:
    while isinstance(value, list) and len(value) == 1:
        value = value[0]
    return value
