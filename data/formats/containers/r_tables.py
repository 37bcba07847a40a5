"""Tables as R writes them by default: with a space between cells, and with names of rows that the header does not
count.
"""

from __future__ import annotations

import csv
import io
import re

_CELL = r'(?:"(?:[^"\\]|\\.|"")*"|[^\s"]+)'
_ROW = re.compile(rf'(?=.*"){_CELL}(?: {_CELL})+')
"""A row with one space between cells, at least one of which is in quotation marks."""
_QUOTED = re.compile(r'"(?:[^"\\]|\\.|"")*"(?=[ \t,;])')
"""The quoted name of a row, before its first cell."""


def as_table(text: str) -> str:
    """Return R's table of quoted cells with tabs for the spaces between them, and with an empty first cell in the
    header if each row begins with a quoted name or its number; return other texts unchanged.
    """
    lines = text.rstrip().splitlines()
    if len(lines) > 1 and all(map(_ROW.fullmatch, lines)):
        rows = list(csv.reader(lines, delimiter=" ", escapechar="\\"))
        if len({*map(len, rows[1:])}) == 1 and len(rows[1]) - len(rows[0]) in (0, 1):
            csv.writer(made := io.StringIO(), csv.excel_tab, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(rows)
            text = made.getvalue()
            lines = text.splitlines()
    head, *below = lines or [""]
    for mark in "\t,;":
        width, names = head.count(mark), (line.partition(mark)[0] for line in below)
        named = all(map(_QUOTED.match, below)) or all(name == str(k) for k, name in enumerate(names, 1))
        if below and width and named and all(_width(line, mark) == width + 1 for line in below):
            return f'""{mark}{text}'
    return text


def _width(line: str, mark: str) -> int:
    """Return the number of marks between the cells of a line; -1 if its quotation marks do not close."""
    try:
        return len(next(csv.reader([line], delimiter=mark, strict=True), [])) - 1
    except csv.Error:
        return -1
