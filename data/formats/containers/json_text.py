"""Parse JSON and JSON Lines, reporting the line and column of an error."""

from __future__ import annotations

import ast
import json
import re
from typing import Any

import orjson

from data.fields.names import IDS, rank
from data.files.blobs import without_packing
from data.findings import Log, TrustedText, clip

_TAIL = re.compile(r":? ?line \d+ column \d+ \(char \d+\)$")
_RELAXED = (b"NaN", b"Infinity", b"\\u")
_STRING_OR_COMMA = re.compile(r"""("(?:[^"\\]|\\.)*")|,(?=\s*[\]}])""", re.DOTALL)
_BETWEEN = re.compile(r"[\s,]*")
_LARGEST = 8_000_000
"""Maximum number of bytes of a file that is not valid JSON but may still be read; Python's parser needs far more
memory.
"""
_LINES = (".jsonl", ".jsonlines", ".ndjson")


_JSON = re.compile(rb"""\s*(\{\s*["'}]|\[\s*(["\[{\]-]|\d+(?![\d/:]|-\d)(?!\s*\]\s+[A-Za-z])|null|true|false))""")
"""The beginning of an object or a list, but not of a log: `[2025-01-02`, `[3/500]`, `[1] Loading`."""


def looks_like_json(content: bytes, name: str) -> bool:
    """Return whether to read text as JSON, by the file's extension or because it begins like an object or a list."""
    if without_packing(name).lower().endswith((".json", *_LINES)):
        return True
    return _JSON.match(content, 0, 10_000) is not None


def parse(content: bytes, name: str, log: Log) -> tuple[Any, list[int] | None] | None:
    """Return the value and, for JSON Lines, the line number of each record; None, with a finding, if it is not JSON."""
    if _first_line_is_object(content):
        return _lines(content, name, log)
    value, error = _value(content)
    if error is None:
        alone = without_packing(name).lower().endswith(_LINES) and _is_record(value)
        return ([value], [1]) if alone else (_unquoted(value), None)
    if (mended := _mended(content)) is not None:
        log.add("json_mended", name, _place(error), why=_why(error), n=len(mended))
        return mended, None
    many = without_packing(name).lower().endswith(_LINES) and content.count(b"\n") > 0
    if many or _is_message(content.split(b"\n", 1)[0]):
        return _lines(content, name, log)
    log.add("bad_json", name, _place(error), why=_why(error))
    return None


def _is_record(value: Any) -> bool:
    """Return whether a value is one record, such as a batch's only answer: it has an id, but no list of objects."""
    if not isinstance(value, dict):
        return False
    listed = any(isinstance(one, list) and any(isinstance(of, dict | list) for of in one) for one in value.values())
    return not listed and any(rank(key, IDS) is not None and isinstance(value[key], str | int) for key in value)


def _unquoted(value: Any) -> Any:
    """Parse the only text of an object of single values that is the JSON of records; return other values unchanged.

    Answers of services have this form.
    """
    if not isinstance(value, dict) or len(value) < 2 or any(isinstance(one, dict | list) for one in value.values()):
        return value
    texts = {key: one for key, one in value.items() if isinstance(one, str) and one.lstrip()[:1] in ("[", "{")}
    found = {key: orjson.loads(one) for key, one in texts.items() if _value(one.encode())[1] is None}
    parts = [one for key in found for one in ([found[key]] if isinstance(found[key], list) else found[key].values())]
    if len(found) != 1 or not any(isinstance(one, dict | list) and len(one) > 1 for one in parts):
        return value
    return {**value, **found}


def _first_line_is_object(content: bytes) -> bool:
    lines = content.lstrip().split(b"\n", 1)
    if len(lines) < 2 or not lines[0].startswith(b"{") or not lines[0].rstrip().endswith(b"}") or not lines[1].strip():
        return False
    return _value(lines[0])[1] is None


def _lines(content: bytes, name: str, log: Log) -> tuple[list[Any], list[int]] | None:
    """Return the records that can be read and their line numbers, and report each of the other lines.

    Messages of a program are reported together. If no record can be read, or if messages outnumber the records, report
    only the first line that cannot be read, and return None.
    """
    values, numbers = [], []
    bad: dict[int, Exception] = {}
    lines = content.split(b"\n")
    for number, line in enumerate(lines, 1):
        value, error = _value(line) if line.strip() else (None, None)
        if error is not None:
            bad[number] = error
        elif line.strip():
            values.append(value)
            numbers.append(number)
    messages = [number for number in bad if _is_message(lines[number - 1])]
    if not values or len(messages) > len(values):
        for number, error in [*bad.items()][:1]:
            log.add("bad_json", name, _place_in(number, error), why=_why(error))
        return None if bad else (values, numbers)
    if messages:
        example = TrustedText(f"`{clip(lines[messages[0] - 1].decode('utf-8', 'replace').strip())}`")
        log.add(
            "messages_left", name, f"line {messages[0]}", n=len(messages), total=len(values) + len(bad), example=example
        )
    for number in sorted(bad.keys() - messages):
        log.add("bad_line", name, _place_in(number, bad[number]), why=_why(bad[number]))
    return values, numbers


def _place_in(number: int, error: Exception) -> str:
    column = getattr(error, "colno", None)
    return f"line {number}" + (f", column {column}" if column else "")


def _is_message(line: bytes) -> bool:
    """Return whether a line is neither JSON nor a part of JSON, but for example a program's message."""
    bare = line.strip()
    return bool(bare) and not _JSON.match(bare) and bare[:1] not in b'{"}],' and bare[-1:] not in b'}",['


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


def _mended(content: bytes) -> list[Any] | dict[str, Any] | None:
    """Return the value of text that people and programs write instead of JSON; None for other text.

    Objects may follow one another, with or without commas between them; commas may precede a closing bracket; and
    Python literals may be used.
    """
    if len(content) > _LARGEST:
        return None
    text = _STRING_OR_COMMA.sub(lambda found: found[1] or "", content.decode("utf-8", "replace")).strip().rstrip(",")
    try:
        values = _values(text)
    except (ValueError, RecursionError):
        values = literals(text)
    if not values or not (len(values) == 1 or all(isinstance(one, dict) for one in values)):
        return None
    found = values[0] if len(values) == 1 and isinstance(values[0], list | dict) else values
    return found if isinstance(found, list | dict) else None


def _values(text: str) -> list[Any]:
    values, place, decoder = [], 0, json.JSONDecoder()
    while place < len(text):
        value, place = decoder.raw_decode(text, place)
        values.append(value)
        between = _BETWEEN.match(text, place)
        place = between.end() if between else place
    return values


def literals(text: str) -> list[Any]:
    """Return the values of a Python literal, or of one literal per line; [] if the text has no `'`, is not such a
    literal, or has values that JSON cannot represent.
    """
    if "'" not in text:
        return []
    for parts in ([text], [line.strip().rstrip(",") for line in text.split("\n") if line.strip()]):
        try:
            return [json.loads(json.dumps(ast.literal_eval(part))) for part in parts]
        except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
            continue
    return []


def _why(error: Exception) -> TrustedText:
    return TrustedText(clip(_TAIL.sub("", str(error))))


def _place(error: Exception) -> str:
    line, column = getattr(error, "lineno", 0), getattr(error, "colno", 0)
    return f"line {line}, column {column}" if line else ""
