"""JSON with decoding settings as keys at some levels: `{model: {"0.2": {id: ..}}}`, levels in any order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from data.fields.names import CONTAINERS, norm
from data.formats.nesting.nested_records import KEY, VALUE, are_ids, names_field, of_run
from data.formats.nesting.value_kinds import is_text
from data.run_settings import given, names_settings, stated

_NUMBER = re.compile(r"[0-2](?:[.,]\d+)?")
Path = tuple[str, ...]


def rows(value: Any) -> list[dict[str, Any]] | None:
    """Return a record for each text or list of texts; None unless one or two of at most four levels are settings.

    Among the other levels, the level whose keys look like ids has the item ids, or else the level with more keys. If
    there is only one other level and its keys do not look like ids, they are item ids if there are more of them than
    texts in each list; otherwise they are models, and the texts of each list belong to the items in order, if all lists
    are equally long. The levels, or the texts, may be under a name such as `captions`, beside facts about the run.
    """
    inner, beside = _under_a_name(value)
    found = _parsed(inner)
    if found is None:
        return None
    levels, settings, leaves = found
    lengths = {len(text) if isinstance(text, list) else 1 for _, text in leaves}
    ordered = len(lengths) == 1 < max(lengths)
    others = [k for k in range(len(levels)) if k not in settings]
    item = _items(levels, others)
    if item < 0 and others and (not ordered or len(levels[others[0]]) > max(lengths)):
        item = others[0]
        if any(_NUMBER.fullmatch(levels[k][0]) and not _shared(leaves, k, len(levels[item])) for k in settings):
            return None
    if item < 0 and not ordered:
        return None
    return [{**beside, **one} for path, text in leaves for one in _records(path, text, settings, item)]


def _shared(leaves: list[tuple[Path, Any]], level: int, items: int) -> bool:
    """Return whether each key of a level occurs in most items; rarer numbers may be seconds of a film."""
    counts = Counter(path[level] for path, _ in leaves)
    return 2 * min(counts.values()) > items


def _under_a_name(value: Any) -> tuple[Any, dict[str, Any]]:
    """Return the value under a name such as `captions`, or under settings, and the facts about the run beside it.

    If there is no such name, return the value itself and {}.
    """
    held = {key: one for key, one in value.items() if isinstance(one, dict)} if isinstance(value, dict) else {}
    named = len(held) == 1 and norm(next(iter(held))) in CONTAINERS
    beside = {key: one for key, one in value.items() if key not in held} if named or are_settings(held) else {}
    if not held or not (named or beside) or len(of_run(beside)) < len(beside):
        return value, {}
    return next(iter(held.values())) if named else held, beside


def runs(value: Any) -> list[dict[str, Any]]:
    """Return a record for each model and setting of one item, or for each setting. Return [] if no level of keys states
    settings, or if more than one states something else.
    """
    found = _parsed(value)
    if found is None or len(found[0]) - len(found[1]) > 1:
        return []
    return [{**_facts(path, found[1], -1), VALUE: text} for path, text in found[2]]


def _parsed(value: Any) -> tuple[list[list[str]], list[int], list[tuple[Path, Any]]] | None:
    """Return the keys of each level, the levels of settings, and texts with their paths; None for any other value."""
    leaves = list(_leaves((), value)) if isinstance(value, dict) else []
    depths = {len(path) for path, _ in leaves}
    if len(depths) != 1 or not depths <= {1, 2, 3, 4} or not all(is_text(text) for _, text in leaves):
        return None
    levels = [list(dict.fromkeys(keys)) for keys in zip(*(path for path, _ in leaves))]
    kept = [k for k, keys in enumerate(levels) if len(keys) > 1 or norm(keys[0]) not in CONTAINERS]
    levels, leaves = [levels[k] for k in kept], [(tuple(path[k] for k in kept), text) for path, text in leaves]
    places = [k for k, keys in enumerate(levels) if are_settings(keys)]
    others = len(levels) - len(places)
    if not 1 <= len(places) <= 2 or others > 2 or any(names_field(key) for keys in levels for key in keys):
        return None
    return levels, places, leaves


def _leaves(path: Path, value: Any) -> Iterator[tuple[Path, Any]]:
    if isinstance(value, dict) and value and len(path) < 4:
        for key, one in value.items():
            yield from _leaves((*path, key), one)
    else:
        yield path, value


def _items(levels: list[list[str]], others: list[int]) -> int:
    named = [k for k in others if are_ids(levels[k])]
    if len(named) == 1 or len(others) == 2:
        return named[0] if len(named) == 1 else max(others, key=lambda k: len(levels[k]))
    return -1


def are_settings(keys: Iterable[str]) -> bool:
    """Return whether all keys are settings: "T=0.7", "temp_0.7", or numbers below 3, at least one with decimals."""
    keys = list(keys)
    if all(_NUMBER.fullmatch(key) for key in keys):
        return any(not key.isdecimal() for key in keys)
    numbered = all(any(character.isdigit() for character in key) for key in keys)
    return numbered and all(map(names_settings, keys))


def settings_of(key: str) -> dict[str, Any]:
    """Return the settings that a key states; a number is a temperature."""
    if _NUMBER.fullmatch(key):
        return {"temperature": float(key.replace(",", "."))}
    return given(stated(key))


def _facts(path: Path, settings: list[int], item: int) -> dict[str, Any]:
    model = " ".join(key for k, key in enumerate(path) if k not in (*settings, item))
    told = {name: one for k in settings for name, one in settings_of(path[k]).items()}
    return {**({"model": model} if model else {}), **told}


def _records(path: Path, text: Any, settings: list[int], item: int) -> Iterator[dict[str, Any]]:
    facts = _facts(path, settings, item)
    if item >= 0:
        yield {KEY: path[item], **facts, VALUE: text}
    else:
        for number, one in enumerate(text, 1):
            yield {KEY: str(number), **facts, VALUE: one}
