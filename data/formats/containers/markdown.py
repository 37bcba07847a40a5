"""Tables in Markdown, as pasted from notes and reports."""

from __future__ import annotations

import re

from data.formats.tables.table import Table, headed
from data.records import Source

_RULE = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*")
_MARKED = re.compile(
    r"(\*\*|__|\*|_|`+)(?=\S)(?P<text>.*\S)\1|!\[[^\]]*\]\((?P<image>\S+)\)|\[(?P<link>[^\]]+)\]\(\S*\)"
)
"""A cell that as a whole is bold, italic, code, a picture or a link."""
_BAR = re.compile(r"(?<!\\)\|")


def load(text: str, source: Source) -> Table | None:
    """Return the table in a text, including the rows of later tables with the same header; None if there is none.

    Lines outside the table, and rows with more cells than the header, are reported as findings.
    """
    lines = text.splitlines()
    rules = [k for k, line in enumerate(lines) if k and "|" in line and _RULE.fullmatch(line)]
    rules = [k for k in rules if "|" in lines[k - 1] and len(_cells(lines[k - 1])) == len(_cells(lines[k]))]
    if not rules:
        return None
    header = _cells(lines[rules[0] - 1])
    rows, beside = [], []
    for number, line in enumerate(lines, 1):
        cells = _cells(line)
        if number - 1 in rules or (number in rules and cells == header) or not line.strip():
            continue
        if "|" not in line or number - 1 < rules[0]:
            beside.append(line.strip())
        elif len(cells) > len(header):
            source.log.add("bad_row", source.name, f"line {number}", why=f"{len(cells)} and {len(header)}")
        else:
            rows.append((f"line {number}", cells))
    if beside:
        source.log.add("title_rows", source.name, count=len(beside), text=" ".join(beside))
    return headed(Table(header, iter(rows)), source)


def _cells(line: str) -> list[str]:
    bare = line.strip()
    inner = bare.removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return [_without_marks(cell.strip().replace("\\|", "|")) for cell in _BAR.split(inner)]


def _without_marks(cell: str) -> str:
    """Return a cell without the marks that enclose it, `0.4` for `**0.4**`; for a picture, return its path."""
    match = _MARKED.fullmatch(cell)
    if match is None or (match[1] and match[1] in match["text"]):
        return cell
    return _without_marks(match["text"] or match["image"] or match["link"])
