"""Turn text into records: lines of cells without a header, and lines of a program's log."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import orjson

from data.fields.names import NEUTRAL, PREDICTED, is_known, rank
from data.findings import Log, TrustedText, clip
from data.formats.columns.contents import count_words
from data.formats.tables.table import Table

_FEWEST_CELLS = 3
_NO_NAME = re.compile(r"\d|\w\s+\w|^\s*$|\w{25}|[^\x00-\x7f]{4}")
"""Text that cannot name a column: a number, several words, or words in a script without spaces."""
_PAIR = re.compile(
    r"""([A-Za-z]\w*)\s?[=:]\s?(?:"((?:[^"\\]|\\.)*+)"|'((?:[^'=:]|[=:](?!\s?['"])|'(?=\w))*+)'|([^\s,;"'\]})]+))"""
)
"""A name and its value, which may be quoted: `caption="a dog"`."""
_LABEL = re.compile(r"\b([A-Za-z]\w*)\s?[=:]\s")
_LONGEST = 4_000
"""Maximum number of characters in a line that is searched for names with values."""
_PEEK = 200
"""Approximate number of lines, from all parts of a text, that are examined for records."""
_LEVEL = r"(?:DEBUG|INFO|WARN(?:ING)?|ERROR|CRITICAL)\b"
_PREFIX = re.compile(
    rf"\s*[\[(]?(?:\d{{4}}-\d\d-\d\d[ T,]+(?:\d\d:\d\d|\W*{_LEVEL})|\d\d:\d\d:\d\d|{_LEVEL}[\]: |-]"
    r"|\d+/\d+[\]):]|\d{1,3}%\|)"
)
"""The beginning of a line of a log: a time, a level, or progress such as `[3/500]`."""


def cells(text: str, several: bool = False) -> Table | None:
    """Return a table of lines with an id and other cells, separated by tabs; None for any other text.

    Every line has the same number of cells, at least three; the first is one word, and exactly one other column has
    texts, or at least one with `several`. The first line names the columns if none of its cells contains several words
    or a number.
    """
    rows = [(number, row.split("\t")) for number, row in enumerate(text.splitlines(), 1) if row.strip()]
    width = len(rows[0][1]) if rows else 0
    if width < _FEWEST_CELLS or not all(len(row) == width and len(row[0].split()) == 1 for _, row in rows):
        return None
    first = rows[0][1]
    named = len(rows) > 2 and len(set(first)) == width and not any(map(_NO_NAME.search, first))
    below = rows[1:] if named else rows
    written = [k for k in range(width) if all(count_words(row[k]) > 1 for _, row in below)]
    if not written or 0 in written or (len(written) > 1 and not several):
        return None
    header = first if named else [f"column {k + 1}" for k in range(width)]
    return Table(header, ((f"line {n}", row) for n, row in below), nested=not named)


def records(text: str, name: str, log: Log) -> list[tuple[str, dict[str, Any]]] | None:
    """Return the records in most lines of a log, with their places, from JSON or from pairs such as `caption="a dog"`.

    Return None if the text is not a log; [], with a finding, if its lines begin like those of a log but contain no
    records.
    """
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    sample = lines[:: len(lines) // _PEEK + 1]
    able = 4 * sum(_record(line) is not None for _, line in sample) > len(sample)
    found = [(f"line {number}", row) for number, line in lines if able and (row := _record(line)) is not None]
    if len(found) > 1 and len(lines) < 2 * len(found):
        fields = ", ".join(f"`{clip(key)}`" for key in list(found[0][1])[:6])
        log.add("log_records", name, n=len(found), total=len(lines), fields=TrustedText(fields))
        return found
    begun = [line for _, line in lines if _PREFIX.match(line)]
    if len(begun) > 1 and len(lines) < 2 * len(begun):
        log.add("log_lines", name, example=f"`{clip(begun[0])}`")
        return []
    return None


def _record(line: str) -> dict[str, Any] | None:
    """Return the fields in a line, or None if no name means captions.

    The line contains JSON, names with quoted values, or names of which the last is followed by a caption without
    quotation marks.
    """
    if (start := line.find("{")) >= 0 and line.rstrip().endswith("}"):
        try:
            row = orjson.loads(line[start:])
        except orjson.JSONDecodeError:
            row = {}
        if any(_named(name) for name in row):
            return dict(row)
    pairs = _PAIR.findall(line) if len(line) <= _LONGEST and ('"' in line or "'" in line) else []
    if not any(_named(name) and (double or single) for name, double, single, _ in pairs):
        return _to_the_end(line) if len(line) <= _LONGEST else None
    return {name: double.replace('\\"', '"') or single or bare for name, double, single, bare in pairs}


def _to_the_end(line: str) -> dict[str, Any] | None:
    """Return the fields in a line that ends in an unquoted caption, `Image: 1.jpg Caption: a dog`, or None."""
    last = next((one for one in reversed([*_LABEL.finditer(line)]) if _named(one[1])), None)
    before = _PAIR.findall(line[: last.start()]) if last else []
    if last is None or not before or not (text := line[last.end() :].strip()):
        return None
    labels = [one for one in _LABEL.finditer(line) if one.end() <= last.end()]
    told = {one[1]: line[one.end() : after.start()].strip(" \t,;|") for one, after in pairwise(labels)}
    texts = {name: of for name, of in told.items() if is_known(name)}  # whole texts rather than their first words
    return {**{name: double or single or bare for name, double, single, bare in before}, **texts, last[1]: text}


def _named(name: str) -> bool:
    return rank(name, [*PREDICTED, *NEUTRAL]) is not None
