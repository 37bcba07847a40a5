"""Read files from their bytes, as a table, JSON, lines or arrays."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from data.files import npz, printed_lists
from data.files.blobs import Blob, without_packing
from data.files.limits import A_ROW, TooLargeError, values_of_json, values_of_lines
from data.findings import Log, TrustedText
from data.formats.columns import role_doubts
from data.formats.containers import (
    arrays,
    cell_objects,
    columnar,
    json_text,
    labelled_blocks,
    lines,
    log_lines,
    markdown,
    r_tables,
    workbook,
)
from data.formats.containers.text_encoding import to_utf8
from data.formats.nesting import listed_runs, numbered_fields
from data.formats.nesting.value_kinds import are_objects, is_object
from data.formats.numbers import caption_sheet, nested_ratings, preferences, rated_by_models, ratings, winner_columns
from data.formats.registry import FORMATS, JSON_FORMATS
from data.formats.tables import composite_ids, item_columns, table
from data.imported import distances, vectors
from data.reading import json_values, records, tables
from data.records import Part, Reading, Source

_MARKUP = re.compile(r"\s*<(?:\?xml|!DOCTYPE|([A-Za-z][\w.-]*)(?:\s[^<>]*)?>\s*\n\s*<)", re.IGNORECASE)
_OF_MARKUP = (".xml", ".sgm", ".sgml", ".html", ".htm")
_POINTER = re.compile(rb"\s*(?:version https://git-lfs\.github\.com/|/annex/objects/)")
_YAML = re.compile(r"""(?:\s*#.*\n)*(?:---\s*\n)?\s*-\s+["']?\w+["']?:(?:\s.*)?\n\s+["']?\w+["']?:\s""")
"""A YAML list: an object that begins after a hyphen and continues, indented, on the next line."""
_SUBTITLES = re.compile(
    r"(?:WEBVTT\b(?:[^\n]*\n){1,50}?)?\s*(?:\d+[ \t]*\r?\n)?(?:\d\d+:)?\d\d:\d\d[.,]\d{3}[ \t]+-->"
    r"[ \t]+[\d:.,]+(?:[ \t]+[A-Za-z]\w*:\S+)*[ \t]*\r?\n"
)
"""The times of the first subtitle on a separate line, as in SRT or, below a header, in WebVTT."""
_TABLES = ("scores", "ratings", "preferences")
"""Formats that exist both as tables and as JSON."""


def read(blob: Blob, stem: str, reading: Reading, log: Log) -> Part | None:
    """Return the part of the study that a file contains; None, with a finding, if none of it can be used.

    `stem` is the name of the run if the file names none.
    """
    if reading.format is not None and reading.format not in FORMATS:
        log.add(
            "unknown_override", blob.name, what="format", value=reading.format, choices=TrustedText(", ".join(FORMATS))
        )
        return None
    if not blob.content.strip():
        log.add("empty_file", blob.name)
        return None
    source = Source(blob.name, stem, None, log, reading, budget=blob.budget)
    try:
        part = _part(blob, source)
        if part is not None:
            rated_by_models.as_scores(part, source)
        return None if part and role_doubts.are_numbers(part, source) else part
    except TooLargeError as why:
        log.add("too_large", blob.name, why=why)
        return None


def _part(blob: Blob, source: Source) -> Part | None:
    log = source.log
    if columnar.matches(blob.content) or workbook.matches(blob.content):
        reader = columnar if columnar.matches(blob.content) else workbook
        found = reader.load(blob.content, source, log)
        return _columns(source, found) if found else None
    if blob.content.startswith((b"PK", b"\x93NUMPY")):
        return _arrays(source, blob.content)
    content = to_utf8(blob, log)
    if content is None:
        return None
    if not content.strip() or _POINTER.match(content):
        log.add("pointer" if content.strip() else "empty_file", blob.name)
        return None
    return _text(source, content)


def _arrays(source: Source, content: bytes) -> Part | None:
    """Read arrays as captions if they are columns of a table, as distances if each is a matrix, else as embeddings."""
    try:
        found = npz.read(content, source.budget)
    except npz.UnusableFile as why:
        return vectors.refused(source, str(why))
    source.budget.take_values(A_ROW * sum(len(array) if array.ndim else 1 for array in found.values()))
    if not vectors.are_named(found) and (columns := arrays.as_table(found)) is not None:
        return tables.read(source, columns)
    return distances.load(found, source) if distances.matches(found) else vectors.load_npz(found, source)


def _text(source: Source, content: bytes) -> Part | None:
    wanted = source.reading.format
    if (wanted in JSON_FORMATS and wanted not in _TABLES) or (
        wanted in (None, *_TABLES) and json_text.looks_like_json(content, source.name)
    ):
        source.budget.take_values(values_of_json(content))
        return json_values.read(source, content)
    source.budget.take_values(values_of_lines(content))
    text = content.decode("utf-8")
    named = without_packing(source.name).lower()
    first, marked_up = _MARKUP.match(text), named.endswith(_OF_MARKUP) and text.lstrip().startswith("<")
    end = f"</{first[1]}>" if first and first[1] and not marked_up else ">"
    if (first or marked_up) and text.rstrip().endswith(end):
        source.log.add("binary", source.name, what="XML or HTML")
        return None
    if wanted is None and _SUBTITLES.match(text):
        source.log.add("binary", source.name, what="a file of subtitles")
        return None
    if wanted is None and (_YAML.match(text) or named.endswith((".yaml", ".yml"))):
        source.log.add("binary", source.name, what="YAML")
        return None
    if wanted in (None, "table") and (found := markdown.load(text, source)) is not None:
        return tables.read(source, found)
    text = r_tables.as_table(text) if wanted in (None, "table", *_TABLES) else text
    if wanted in ("table", *_TABLES) or (wanted is None and table.looks_like_table(text, source.name)):
        source = replace(source, value=text)
        found = table.from_text(source)
        if wanted is not None:
            return tables.read(source, found)
        return _columns(source, cell_objects.with_objects(found, source))
    if wanted is not None or lines.is_generated(text):
        return lines.load(replace(source, value=text))
    of_people = source.role("predictions") == "references"
    if (found := log_lines.cells(text, several=of_people)) is not None:
        reading = replace(source.reading, role="references" if of_people else source.reading.role)
        return tables.read(replace(source, reading=reading), found)
    told = labelled_blocks.records(text, source.name, source.log) or log_lines.records(text, source.name, source.log)
    if told is not None:
        return records.by_fields(source, [where for where, _ in told], [row for _, row in told]) if told else None
    return lines.load(replace(source, value=text))


def _columns(source: Source, found: table.Table) -> Part | None:
    found = winner_columns.joined(found) if source.reading.format is None and not source.reading.columns.any else found
    found = item_columns.with_rows(found, source) if source.reading.format in (None, "table") else found
    first = [dict(zip(found.header, row)) for _, row in found.peek()]
    nested = any(_is_nested(cell) for row in first for cell in row.values())
    rated = nested_ratings.is_due(first) and (caption_sheet.is_due(found) or not ratings.is_ratings(found, source.stem))
    numbered = numbered_fields.is_due(first) and not preferences.is_preferences(found)
    spoken = composite_ids.are_spoken(found.header)
    if not (nested or listed_runs.is_due(first) or rated or numbered or spoken):
        return tables.read(source, found)
    rows = list(found.rows)
    return records.by_fields(source, [where for where, _ in rows], [dict(zip(found.header, row)) for _, row in rows])


def _is_nested(cell: Any) -> bool:
    return is_object(cell) or (are_objects(cell) and not any(map(printed_lists.has_caption, cell)))
