"""Lines of captions below headings such as `### T=0.7` or `=== blip ===`, each of which is a run of the same items."""

from __future__ import annotations

import re

from data.findings import TrustedText, named
from data.formats.columns.labels import label_runs
from data.formats.nesting.setting_keys import are_settings
from data.formats.nesting.shapes import are_ids
from data.records import Part, Record, Source

_HEADING = re.compile(r"\s*(?:#{1,6}\s+(?P<title>\S.*?)[\s#:]*|={2,}\s*(?P<framed>[^\s=].*?)\s*={2,}\s*)")


def load(source: Source, rows: list[str]) -> Part | None:
    """Return the lines as runs by heading, with a finding; None unless these rule out that headings are items.

    All lines are below one of several headings, each of them above equally many: line k of a heading is item k. The
    headings state settings, or are fewer than the items and do not look like ids. Empty lines do not count.
    """
    blocks: dict[str, list[tuple[int, str]]] = {}
    title = ""
    for number, row in enumerate(rows, 1):
        if match := _HEADING.fullmatch(row):
            title = match["title"] or match["framed"]
            if title in blocks:
                return None
            blocks[title] = []
        elif row.strip():
            if not title:
                return None
            blocks[title].append((number, row.strip()))
    n = len(next(iter(blocks.values()), []))
    told = are_settings(blocks) or (len(blocks) < n and not are_ids(blocks))
    if len(blocks) < 2 or n < 2 or any(len(of) != n for of in blocks.values()) or not told:
        return None
    source.log.add("titles_as_runs", source.name, titles=TrustedText(named([f"`{one}`" for one in blocks])))
    runs = {one: f"{source.run} {one}" if are_settings([one]) else one for one in blocks}
    records = [Record(str(k), f"line {number}") for k, (number, _) in enumerate(next(iter(blocks.values())), 1)]
    for one, of in blocks.items():
        for record, (number, text) in zip(records, of):
            record.candidates[runs[one]] = source.captions(text, "caption", f"line {number}", record.id)
    labels = label_runs(source, runs.values())
    return Part(source.name, "keyed_lines", records, n, labels, by_place=True)
