"""Find duplicate keys in JSON objects by counting keys in the text, since parsers silently keep only the last one."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import orjson

_CHUNK = 1 << 24
_NAMED_UP_TO = 64 << 20
_PATIENCE = 1_000
_BLANKS = np.isin(np.arange(256), list(b" \t\n\r"))
_RUN, _BACKSLASHED = re.compile(rb"\\*"), re.compile(rb'\\"')


class Repeat(NamedTuple):
    """A key that occurs twice in one object; `line` (in JSON Lines) or `record` (in a list) is the object's number,
    from 1.

    Both are 0 if the object is in neither.
    """

    key: str
    line: int = 0
    record: int = 0

    @property
    def where(self) -> str:
        """The place in words, such as "line 3"; "" if the object is in neither a line nor a list."""
        return f"line {self.line}" if self.line else f"record {self.record}" if self.record else ""


def repeated_keys(content: bytes, value: Any, by_line: bool) -> list[Repeat]:
    """Return the keys that occur twice in an object of the JSON text that was parsed to `value`.

    Counting keys takes a twentieth of the parsing time; only if the count shows duplicates is the text parsed again to
    name them. Texts above 64 MB are not parsed again; the result is one key without a name.
    """
    if not _some(content, value):
        return []
    if len(content) > _NAMED_UP_TO:
        return [Repeat("")]
    if not by_line:
        return list(_named(content))
    lines = enumerate(content.split(b"\n"), 1)
    return [found._replace(line=number) for number, text in lines for found in _named(text)]


def _some(content: bytes, value: Any) -> bool:
    try:
        kept = orjson.dumps(value)
    except (orjson.JSONEncodeError, RecursionError):
        return True  # lone surrogates or very long numbers: parse again
    return count_keys(content) != count_keys(kept)


def count_keys(content: bytes) -> int:
    """Return the number of keys (strings before a colon) in valid JSON text; -1 if too many spaces precede a colon."""
    data = np.frombuffer(content, np.uint8)
    found, start, inside = 0, 0, False
    while start < len(data):
        end = min(start + _CHUNK, len(data))
        if content[end - 1] == ord("\\"):
            end = min(len(data), _RUN.match(content, end).end() + 1)  # type: ignore[union-attr]
        quotes = _quotes(content, data, start, end)
        here = _before_colon(data, quotes[0 if inside else 1 :: 2] + 1)
        if here < 0:
            return -1
        found, inside, start = found + here, inside ^ (len(quotes) % 2 == 1), end
    return found


def _quotes(content: bytes, data: np.ndarray[Any, Any], start: int, end: int) -> np.ndarray[Any, Any]:
    """Return the positions of unescaped quotation marks in a chunk, at which strings begin or end."""
    quotes = np.flatnonzero(data[start:end] == ord('"')) + start
    escaped = []
    for mark in _BACKSLASHED.finditer(content, start, end):
        first = mark.start()
        while first > start and content[first - 1] == ord("\\"):
            first -= 1
        if (mark.start() - first) % 2 == 0:
            escaped.append(mark.start() + 1)
    return np.setdiff1d(quotes, escaped, assume_unique=True) if escaped else quotes


def _before_colon(data: np.ndarray[Any, Any], ends: np.ndarray[Any, Any]) -> int:
    found = 0
    for _ in range(_PATIENCE):
        ends = ends[ends < len(data)]
        if not len(ends):
            return found
        following = data[ends]
        found += int(np.count_nonzero(following == ord(":")))
        ends = ends[_BLANKS[following]] + 1
    return -1


@dataclass
class _Object:
    values: list[Any]
    twice: list[str] = field(default_factory=list)


def _named(text: bytes) -> Iterator[Repeat]:
    def hook(pairs: list[tuple[str, Any]]) -> _Object:
        counts = Counter(key for key, _ in pairs) if len({key for key, _ in pairs}) < len(pairs) else {}
        return _Object([value for _, value in pairs], [key for key, count in counts.items() if count > 1])

    with suppress(ValueError, RecursionError):  # invalid JSON is a finding already
        yield from _walked(json.loads(text, object_pairs_hook=hook))


def _walked(value: Any) -> Iterator[Repeat]:
    """Yield the repeated keys, depth first, each with the position in the outermost list."""
    waiting = [(value, 0)]
    while waiting:
        value, record = waiting.pop()
        if isinstance(value, _Object):
            yield from (Repeat(key, record=record) for key in value.twice)
            waiting += [(one, record) for one in reversed(value.values) if isinstance(one, list | _Object)]
        elif isinstance(value, list):
            inner = [(one, record or place) for place, one in enumerate(value, 1) if isinstance(one, list | _Object)]
            waiting += reversed(inner)
