"""Turn numbered or lettered fields of texts, with fields that name the run of each, into lists: `output_1` and
`generator_1`, `system_a_result` and `system_a_name`.

Texts in fields named by settings, such as `T=0.2` and `T=0.7`, beside the name of their model are treated likewise.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from itertools import islice
from typing import Any

from data.fields.names import RUNS, norm
from data.formats.nesting.setting_keys import are_settings, settings_of
from data.formats.nesting.value_kinds import has_caption, is_object, is_text

_NUMBER = re.compile(r"(\D*?)[\s_.-]*(\d{1,3})(?!\d)[\s_.-]*(\D*)")
_LETTER = re.compile(r"(?:(.*?)[\s_.-])?([a-dA-D])(?:[\s_.-](.*))?")
_AUTHORS = frozenset([*RUNS, "sys"])
_LOOKED_AT = 20
_FEWEST_WORDS = 2
_LIST, _TEXT = "candidates", "candidate"
Fields = dict[str, dict[str, str]]
"""The names of numbered or lettered fields, by number or letter and then by their name without it; a field named by a
setting is listed by its whole name.
"""


def is_due(rows: Iterable[Any]) -> bool:
    """Return whether the first records have fields of texts that differ in a number or a setting, and fields that name
    the runs.
    """
    return bool(_found([row for row in islice(rows, _LOOKED_AT) if isinstance(row, dict)])[1])


def as_lists(rows: list[dict[str, Any]], given: Collection[str] = ()) -> list[dict[str, Any]]:
    """Return the records with fields of texts that differ in a number or a setting joined into a list of objects, one
    per run.

    The records are unchanged if `given` names any of the fields, or if the list would replace another field. Other
    fields with the same numbers, such as ratings, become part of these objects, too.
    """
    text, fields = _found(rows[:_LOOKED_AT])
    numbered = {name for of in fields.values() for name in of.values()}
    if not fields or numbered & {*given} or any(_LIST in row for row in rows):
        return rows
    made = []
    told = {number: settings_of(number) if number == of[text] else {} for number, of in fields.items()}
    for row in rows:
        objects = [_object(row, of, text) | told[number] for number, of in fields.items() if row.get(of[text])]
        beside = {key: one for key, one in row.items() if key not in numbered}
        made.append({**beside, _LIST: objects})
    return made


def shown_names(rows: list[dict[str, Any]], given: Collection[str] = ()) -> dict[str, list[str]]:
    """Return, for each field of the objects that `as_lists` makes, by path, the names of the original fields."""
    text, fields = _found(rows[:_LOOKED_AT])
    if not fields or as_lists(rows[:1], given) == rows[:1]:
        return {}
    found: dict[str, list[str]] = {}
    for number, of in fields.items():
        stated = settings_of(number) if number == of[text] else {}
        for bare, name in (of | dict.fromkeys(stated, number)).items():
            inner = "candidate" if bare == text else "system" if norm(bare) == "sys" else bare
            found.setdefault(f"{_LIST}[].{inner}", []).append(name)
    return found


def _object(row: dict[str, Any], of: dict[str, str], text: str) -> dict[str, Any]:
    """Return the fields with one number under their names without it, but the text under `candidate`.

    If the text is an object, return only the fields of this object.
    """
    if isinstance(row[of[text]], dict):
        return dict(row[of[text]])
    names = {bare: "system" if norm(bare) == "sys" else bare for bare in of} | {text: "candidate"}
    return {names[bare]: row[name] for bare, name in of.items() if name in row}


def _found(rows: list[dict[str, Any]]) -> tuple[str, Fields]:
    """Return the name that the fields of texts share, and the numbered fields.

    The fields are empty unless exactly one group of texts and one group of names have the same numbers, one group of
    objects has both texts and names, or settings name the texts.
    """
    groups = _numbered(rows)
    objects = [bare for bare, of in groups.items() if all(map(_says_run, _cells(rows, of.values())))]
    if len(objects) == 1:
        return objects[0], {number: {objects[0]: name} for number, name in groups[objects[0]].items()}
    authors = [bare for bare, of in groups.items() if norm(bare) in _AUTHORS and _are_names(_cells(rows, of.values()))]
    if len(authors) != 1:
        return _TEXT, _by_setting(rows)
    same = {bare: of for bare, of in groups.items() if of.keys() == groups[authors[0]].keys()}
    texts = [bare for bare, of in same.items() if bare not in authors and _are_texts(_cells(rows, of.values()))]
    if len(texts) != 1:
        return "", {}
    numbers = groups[texts[0]]
    beside = {bare: of for bare, of in groups.items() if of.keys() == numbers.keys()}
    return texts[0], {number: {bare: of[number] for bare, of in beside.items()} for number in numbers}


def _by_setting(rows: list[dict[str, Any]]) -> Fields:
    """Return the fields of texts that are named by settings; {} unless there are several, and a field names the
    model.
    """
    names = [name for name in dict.fromkeys(name for row in rows for name in row) if isinstance(name, str)]
    runs = [name for name in names if norm(name) in _AUTHORS and _are_names(_cells(rows, [name]))]
    able = [name for name in names if are_settings([name.strip()]) or are_settings([name.strip(), "0.5"])]
    texts = [name for name in able if _are_texts(_cells(rows, [name]))]
    return {name: {_TEXT: name} for name in texts} if runs and len(texts) > 1 and are_settings(texts) else {}


def _numbered(rows: list[dict[str, Any]]) -> dict[str, dict[str, str]]:
    """Return the fields that differ only in a number or a letter, by their name without it and then by the number."""
    groups: dict[str, dict[str, str]] = {}
    for name in dict.fromkeys(name for row in rows for name in row if isinstance(name, str)):
        if match := _NUMBER.fullmatch(name) or _LETTER.fullmatch(name):
            bare = "_".join(part for part in (match[1], match[3]) if part)
            groups.setdefault(bare, {}).setdefault(match[2].lower(), name)
    return {bare: of for bare, of in groups.items() if bare and len(of) > 1}


def _cells(rows: list[dict[str, Any]], names: Iterable[str]) -> list[Any]:
    return [row[name] for name in names for row in rows if row.get(name) not in (None, "")] or [None]


def _are_names(cells: list[Any]) -> bool:
    """Return whether all cells are strings, and not texts that mostly differ, as captions in a field `system 1` do."""
    differ = len(cells) > 2 and 5 * len({*map(str, cells)}) >= 4 * len(cells)
    return all(isinstance(cell, str) for cell in cells) and not (differ and _are_texts(cells))


def _are_texts(cells: list[Any]) -> bool:
    texts = [text for cell in cells if is_text(cell) for text in (cell if isinstance(cell, list) else [cell])]
    counts = [len(text.split()) for text in texts]
    return all(map(is_text, cells)) and sum(counts) >= _FEWEST_WORDS * len(counts)


def _says_run(cell: Any) -> bool:
    """Return whether an object has a text and the name of a run."""
    told = is_object(cell) and has_caption(cell)
    return told and any(norm(key) in RUNS and isinstance(one, str) for key, one in cell.items())
