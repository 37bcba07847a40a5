"""Columns that each hold one run: their names, and those of the runs."""

from __future__ import annotations

import re
from collections.abc import Sequence

from data.fields.names import OF_RUNS, distinct, is_known, leaf, norm
from data.formats.nesting.setting_keys import are_settings
from data.settings import parse_name, stated
from data.study import Settings

LANGUAGE = re.compile(r"[a-z]{2}(-[A-Za-z]{2,4})?")
_SPOKEN = re.compile(r"(\w*[a-zA-Z])[_-](?:ar|cn|de|en|es|fr|hi|it|ja|jp|ko|pt|ru|th|tr|vi|zh)")
"""A name that ends in the code of a language."""
_TOKENISED = re.compile(r"(?:_(?:tokenized|tokenised|tokens|lowercased?))+$")
_BEHIND = re.compile(r"(.*?[^\s._@/:-])[\s._@/:-]+(\d[.,]\d+|\d)")
"""A number up to 9 after a name: `BLIP 0.7`, or the path `BLIP.0.7`."""
_BY_RUN = frozenset(["candidates", "captions", "models", "predictions", "runs"])
"""Names of objects that hold captions by run."""
_COUNTED = re.compile(r"(.*?[^\d.\s_-])[\s_-]?(\d{1,3})")


def without_languages(header: Sequence[str]) -> list[str]:
    """Return the names of columns, without the code of a language in names of captions (`captions_zh`) that occur with
    only one such code.
    """
    found = {k: match for k, name in enumerate(header) if (match := _SPOKEN.fullmatch(name)) and is_known(match[1])}
    bare = [match[1] for match in found.values()]
    alone = {k: match[1] for k, match in found.items() if bare.count(match[1]) == 1 and match[1] not in header}
    return [alone.get(k, name) for k, name in enumerate(header)]


def runs_of(header: Sequence[str], places: Sequence[int]) -> dict[int, str]:
    """Return the run of each column if names differ by more than a number; empty if all columns belong to one run.

    A number after each of several names is a temperature.
    """
    parts = [match.groups() for k in places if (match := _BEHIND.fullmatch(header[k].strip()))]
    if parts and len(parts) == len(places) and _cross(parts) and not state_settings(header, places):
        return {k: f"{name} T={number}" for k, (name, number) in zip(places, parts)}
    series = _series([header[k].strip() for k in places])
    named = distinct(list(dict.fromkeys(series))) if len(set(series)) > 1 else {}
    if all(LANGUAGE.fullmatch(name) for name in named.values()):
        return {}
    return {k: named[name] for k, name in zip(places, series)}


def runs_by_name(header: Sequence[str], places: list[int]) -> dict[int, str]:
    """Return the run of each column, as `runs_of` does; a name that is only a number is a temperature."""
    named = {k: header[k].strip() for k in places}
    if are_settings(named.values()) and all(name[:1].isdigit() for name in named.values()):
        return {k: f"T={name}" for k, name in named.items()}
    return runs_of(header, places)


def each_run(header: Sequence[str], places: Sequence[int]) -> dict[int, str]:
    """Return the run of each column if every column is one: its name, without the object that holds all of them."""
    outer = {header[k].partition(".")[0] for k in places}
    inside = len(outer) == 1 and not outer.isdisjoint(_BY_RUN) and all("." in header[k] for k in places)
    return {k: header[k].partition(".")[2] if inside else header[k] for k in places}


def _cross(parts: Sequence[tuple[str, ...]]) -> bool:
    """Return whether several names each occur with the same temperatures, which versions of models hardly would."""
    names, numbers = (dict.fromkeys(one) for one in zip(*parts))
    crossed = len(set(parts)) == len(parts) == len(names) * len(numbers)
    return min(len(names), len(numbers)) > 1 and crossed and are_settings(numbers)


def state_settings(header: Sequence[str], places: Sequence[int]) -> bool:
    """Return whether the name of every column states a setting."""
    named = [header[k].strip() for k in places]
    return are_settings(named) or all(parse_name(name)[1] != Settings() for name in named)


def _series(columns: Sequence[str]) -> list[str]:
    """Return the names; those numbered from 0 or 1 lose their number, unless it counts models or is a seed."""
    numbers: dict[str, list[int]] = {}
    for name in columns:
        match = _COUNTED.fullmatch(name)
        if match is not None and leaf(match[1]).strip("_") not in OF_RUNS and stated(name).seed is None:
            numbers.setdefault(match[1], []).append(int(match[2]))
    counted = {name for name, of in numbers.items() if len(of) > 1 and sorted(of) in (_upto(of, 0), _upto(of, 1))}
    return [match[1] if (match := _COUNTED.fullmatch(name)) and match[1] in counted else name for name in columns]


def _upto(numbers: Sequence[int], start: int) -> list[int]:
    return list(range(start, start + len(numbers)))


def is_tokenised(header: Sequence[str], place: int) -> bool:
    """Return whether a column's name shows that it repeats another in tokens or lower case: `caption/tokenized`."""
    name = norm(header[place])
    return (bare := _TOKENISED.sub("", name)) != name and bare in map(norm, header)
