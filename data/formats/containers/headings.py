"""Lines of captions below headings such as `### T=0.7`, `=== blip ===` or `BLIP:`, each naming a run of the same
items.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from data.fields.names import RUNS, norm
from data.findings import TrustedText, named
from data.formats.columns.run_labels import label_runs
from data.formats.nesting.nested_records import are_ids
from data.formats.nesting.setting_keys import are_settings
from data.records import Part, Record, Source

_HEADING = re.compile(
    r"\s*(?:#{1,6}\s+(\S.*?)[\s#:]*|={2,}\s*([^\s=].*?)\s*={2,}\s*|\[([^\[\]]+)\]:?\s*|\*\*([^*]+?):?\*\*:?\s*"
    r"|([^\s:][^:]{0,39}):\s*)"
)
_KEY = re.compile(r"\s*(?:\(?(?P<number>\d{1,6})[.):]\s+|(?P<id>[^\s:|]+?)(?:[:|]\s+|\s+[-–|]\s+|\t\s*))(?P<text>\S.*)")


_NAMED = re.compile(r"\W*([^\W\d_]{1,12})\s*[:=]\s*(\S.*?)\W*")
"""A heading that begins with the kind of its name: `Model: BLIP`."""
_RULE = re.compile(r"\s*([-=_~*])\1{2,}\s*")


class _Line(NamedTuple):
    number: int
    key: str
    text: str


def load(source: Source, rows: list[str]) -> Part | None:
    """Return the lines as runs by heading, with a finding; None unless headings name runs.

    They do if all lines are below one of several headings, and the following holds. If all lines begin with an id, each
    heading has most of the ids. Otherwise each heading has equally many lines, and line k is item k; the headings then
    state settings, or are fewer than the items and do not look like ids. Empty lines do not count. If no heading has a
    sign such as `#` or `:`, the lines below each are numbered from 1.
    """
    rows = ["" if _RULE.fullmatch(row) else row for row in rows]
    blocks = _blocks(rows, {k: title for k, row in enumerate(rows) if (title := _title(row))} or _plain(rows))
    n = len(next(iter(blocks.values()), []))
    if len(blocks) < 2 or n < 2:
        return None
    by_id = _have_same_ids(blocks)
    alike = all(len(of) == n for of in blocks.values())
    if not by_id and not (alike and (are_settings(blocks) or (len(blocks) < n and not are_ids(blocks)))):
        return None
    source.log.add("titles_as_runs", source.name, titles=TrustedText(named([f"`{one}`" for one in blocks])))
    runs = {one: f"{source.run} {one}" if are_settings([one]) else one for one in blocks}
    records: dict[str, Record] = {}
    for one, of in blocks.items():
        for place, line in enumerate(of, 1):
            id, where = line.key if by_id else str(place), f"line {line.number}"
            record = records.setdefault(id, Record(id, where))
            text = line.text if by_id else rows[line.number - 1].strip()
            record.candidates.setdefault(runs[one], []).extend(source.captions(text, "caption", where, id))
    counted = list(records) == [str(k) for k in range(1, len(records) + 1)]
    return Part(source.name, "keyed_lines", [*records.values()], n, label_runs(source, runs.values()), by_place=counted)


def _title(row: str) -> str:
    if (named := _NAMED.fullmatch(row)) and norm(named[1]) in RUNS:
        return named[2]
    match = _HEADING.fullmatch(row)
    return next(filter(None, match.groups()), "").strip() if match else ""


def _plain(rows: Sequence[str]) -> dict[int, str]:
    """Return the lines without a number, by position, if each is directly above a line with the number 1; else {}."""
    filled = [(k, row) for k, row in enumerate(rows) if row.strip()]
    keys = [(match["number"] or "") if (match := _KEY.fullmatch(row)) else "" for _, row in filled]
    titles = [place for place, key in enumerate(keys) if not key]
    above = all(place + 1 < len(keys) and keys[place + 1] == "1" for place in titles)
    return {filled[place][0]: filled[place][1].strip() for place in titles} if above else {}


def _blocks(rows: Sequence[str], titles: Mapping[int, str]) -> dict[str, list[_Line]]:
    """Return the lines below each title; {} if a line is above all titles, or if a title occurs twice."""
    blocks: dict[str, list[_Line]] = {}
    title = ""
    for k, row in enumerate(rows):
        if k in titles:
            title = titles[k]
            if title in blocks:
                return {}
            blocks[title] = []
        elif row.strip():
            if not title:
                return {}
            match = _KEY.fullmatch(row)
            key = (match["number"] or match["id"]) if match else ""
            blocks[title].append(_Line(k + 1, key, match["text"] if match else row.strip()))
    return blocks


def _have_same_ids(blocks: Mapping[str, Sequence[_Line]]) -> bool:
    """Return whether all lines begin with an id, distinct within a heading, and each heading has most of all ids."""
    ids = [[line.key for line in of] for of in blocks.values()]
    known = {key for of in ids for key in of}
    return "" not in known and all(len({*of}) == len(of) and 2 * len(of) > len(known) for of in ids)
