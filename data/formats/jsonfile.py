"""JSON and JSON Lines parsing, with the line and column of an error."""

from __future__ import annotations

import json
import re
from typing import Any

import orjson

from data.blobs import without_gz
from data.findings import Log, TrustedText, clip

_TAIL = re.compile(r":? ?line \d+ column \d+ \(char \d+\)$")
_RELAXED = (b"NaN", b"Infinity", b"\\u")
_LINES = (".jsonl", ".jsonlines", ".ndjson")


def looks_like_json(content: bytes, name: str) -> bool:
    """Whether to read text as JSON: by its extension, or because it begins like an object or a list."""
    if without_gz(name).lower().endswith((".json", *_LINES)):
        return True
    return re.match(rb'\s*(\{\s*["}]|\[\s*(["\[{\]\d-]|null|true|false))', content[:10_000]) is not None


def parse(content: bytes, name: str, log: Log) -> tuple[Any, list[int] | None] | None:
    """The value and, for JSON Lines, the line of each record; None, with a finding, when it is not JSON."""
    if _first_line_is_object(content):
        return _lines(content, name, log)
    value, error = _value(content)
    if error is None:
        return value, None
    if without_gz(name).lower().endswith(_LINES) and content.count(b"\n") > 0:
        return _lines(content, name, log)
    log.add("bad_json", name, _place(error), why=_why(error))
    return None


def _first_line_is_object(content: bytes) -> bool:
    lines = content.lstrip().split(b"\n", 1)
    if len(lines) < 2 or not lines[0].startswith(b"{") or not lines[0].rstrip().endswith(b"}") or not lines[1].strip():
        return False
    return _value(lines[0])[1] is None


def _lines(content: bytes, name: str, log: Log) -> tuple[list[Any], list[int]] | None:
    """The records that can be read; None if there are none, with a finding on the first invalid line."""
    values, numbers, bad = [], [], []
    for number, line in enumerate(content.split(b"\n"), 1):
        if not line.strip():
            continue
        value, error = _value(line)
        if error is None:
            values.append(value)
            numbers.append(number)
        else:
            column = getattr(error, "colno", None)
            bad.append((f"line {number}" + (f", column {column}" if column else ""), _why(error)))
    for place, why in bad if values else bad[:1]:
        log.add("bad_line" if values else "bad_json", name, place, why=why)
    return (values, numbers) if values or not bad else None


def _value(content: bytes) -> tuple[Any, Exception | None]:
    try:
        return orjson.loads(content), None
    except orjson.JSONDecodeError as error:
        strict = error
    if any(mark in content for mark in _RELAXED):
        # Python writes NaN and lone surrogates, which the standard forbids; they become findings later.
        try:
            return json.loads(content.decode("utf-8")), None
        except (ValueError, RecursionError):
            return None, strict
    return None, strict


def _why(error: Exception) -> TrustedText:
    return TrustedText(clip(_TAIL.sub("", str(error))))


def _place(error: Exception) -> str:
    line, column = getattr(error, "lineno", 0), getattr(error, "colno", 0)
    return f"line {line}, column {column}" if line else ""
