"""Detect a file's format from its structure, and choose its loader."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from typing import Any

from data.across_files import requests
from data.files import cells, npz
from data.files.blobs import Blob, without_packing
from data.files.bounds import (
    A_ROW,
    MAX_COLUMNS,
    TooLargeError,
    bound_columns,
    values_of_json,
    values_of_lines,
)
from data.findings import FieldTable, Log, TrustedText
from data.formats import refused
from data.formats.columns import assigned_roles, clips, contents, facts, missed_texts, roles
from data.formats.containers import (
    arrays,
    blocks,
    cell_objects,
    columnar,
    jsonfile,
    lines,
    logged,
    markdown,
    repeats,
    workbook,
)
from data.formats.containers.decoding import to_utf8
from data.formats.known import coco, missed_fields, other_fields, trilens
from data.formats.nesting import (
    counted_keys,
    events,
    item_keys,
    listed_runs,
    numbered_fields,
    setting_keys,
    shapes,
    squares,
    unshown_fields,
    verdict_pairs,
    whole_runs,
)
from data.formats.numbers import (
    harness,
    named_scores,
    nested_ratings,
    one_hot,
    preferences,
    rating_columns,
    ratings,
    scores,
    sheet,
)
from data.formats.registry import FORMATS, JSON_FORMATS
from data.formats.tables import blanks, composite, item_columns, promptfoo, table
from data.imported import distances, vectors
from data.records import Columns, Part, Reading, Source
from data.reports import holds_any

_MARKUP = re.compile(r"\s*<(?:\?xml|!DOCTYPE|([A-Za-z][\w.-]*)(?:\s[^<>]*)?>\s*\n\s*<)", re.IGNORECASE)
_POINTER = re.compile(rb"\s*(?:version https://git-lfs\.github\.com/|/annex/objects/)")
_YAML = re.compile(r"""(?:\s*#.*\n)*(?:---\s*\n)?\s*-\s+["']?\w+["']?:(?:\s.*)?\n\s+["']?\w+["']?:\s""")
"""A YAML list: an object that begins after a hyphen and continues, indented, on the next line."""
_PEEK = 200
_TABLES = ("scores", "ratings", "preferences")
"""Formats that exist both as tables and as JSON."""
_OF_PEOPLE = ("coco_annotations", "karpathy", "msrvtt", "vatex")
"""Formats whose captions are references."""
_KEYS = tuple(dict.fromkeys([*coco.IDS, *coco.TEXTS, *trilens.REFERENCES, *trilens.CANDIDATES, "items", "annotations"]))
"""Keys that show that an object is a record."""


def read(blob: Blob, stem: str, reading: Reading, log: Log) -> Part | None:
    """Return the part of the study that a file holds; None, with a finding, if none of it can be used.

    `stem` is the name of its run if the file names none.
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
        return None if part and missed_texts.are_numbers(part, source) else part
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
        return _table(source, columns)
    return distances.load(found, source) if distances.matches(found) else vectors.load_npz(found, source)


def _text(source: Source, content: bytes) -> Part | None:
    wanted = source.reading.format
    if (wanted in JSON_FORMATS and wanted not in _TABLES) or (
        wanted in (None, *_TABLES) and jsonfile.looks_like_json(content, source.name)
    ):
        source.budget.take_values(values_of_json(content))
        return _json(source, content)
    source.budget.take_values(values_of_lines(content))
    text = content.decode("utf-8")
    if (first := _MARKUP.match(text)) and text.rstrip().endswith(f"</{first[1]}>" if first[1] else ">"):
        source.log.add("binary", source.name, what="XML or HTML")
        return None
    if wanted is None and (_YAML.match(text) or without_packing(source.name).lower().endswith((".yaml", ".yml"))):
        source.log.add("binary", source.name, what="YAML")
        return None
    if wanted in (None, "table") and (found := markdown.load(text, source)) is not None:
        return _table(source, found)
    if wanted in ("table", *_TABLES) or (wanted is None and table.looks_like_table(text, source.name)):
        source = replace(source, value=text)
        found = table.from_text(source)
        return _columns(source, cell_objects.with_objects(found)) if wanted is None else _table(source, found)
    if wanted is not None or lines.is_generated(text):
        return lines.load(replace(source, value=text))
    if (found := logged.cells(text)) is not None:
        return _table(source, found)
    told = blocks.records(text, source.name, source.log) or logged.records(text, source.name, source.log)
    if told is not None:
        return _fields(source, [where for where, _ in told], [row for _, row in told]) if told else None
    return lines.load(replace(source, value=text))


def _columns(source: Source, found: table.Table) -> Part | None:
    found = one_hot.joined(found) if source.reading.format is None and not source.reading.columns.any else found
    found = item_columns.with_rows(found, source) if source.reading.format in (None, "table") else found
    first = [dict(zip(found.header, row)) for _, row in found.peek()]
    nested = any(_is_nested(cell) for row in first for cell in row.values())
    rated = nested_ratings.is_due(first) and (sheet.is_due(found) or not ratings.is_ratings(found, source.stem))
    numbered = numbered_fields.is_due(first) and not preferences.is_preferences(found)
    if not (nested or listed_runs.is_due(first) or rated or numbered):
        return _table(source, found)
    rows = list(found.rows)
    return _fields(source, [where for where, _ in rows], [dict(zip(found.header, row)) for _, row in rows])


def _is_nested(cell: Any) -> bool:
    objects = isinstance(cell, list) and bool(cell) and all(isinstance(one, dict) for one in cell)
    return isinstance(cell, dict) or (objects and not any(map(cells.has_caption, cell)))


def _table(source: Source, found: table.Table) -> Part | None:
    wanted = source.reading.format
    if wanted in (None, "embeddings") and isinstance(source.value, type(None)) and vectors.is_table(found):
        return vectors.load_table(found, source)
    source = roles.mapped(source, found.header)
    given = source.reading.columns
    free = wanted is None and not roles.is_meant(found.header, given)
    found, source = composite.with_id(blanks.filled_down(blanks.without_remarks(found, source), source), source)
    if wanted == "preferences" or (free and preferences.is_preferences(found)):
        return preferences.load(source, found)
    # A file whose captions are declared references rates no candidates.
    due = sheet.is_due(found)
    told = wanted is None and bool(given.ratings) and not given.captions
    rated = (free or told) and source.reading.role != "references" and not due
    if wanted == "ratings" or (rated and ratings.is_ratings(found, source.stem)):
        return ratings.load(source, found)
    if wanted == "scores" or (free and scores.is_scores(found, "" if due else source.stem)):
        people = _by_people(source, found) if wanted is None else None
        return ratings.load(people, found) if people else scores.load(source, found)
    found, source = composite.with_clips(found, source)
    as_sheet = wanted is None or given.scores or given.ratings
    return sheet.load(source, found) if as_sheet else table.load(replace(source, value=found))


def _by_people(source: Source, found: table.Table) -> Source | None:
    """Return a source of ratings if a table of numbers is named after people and none of its columns after a metric."""
    columns = rating_columns.of_people(found.header, [row for _, row in found.peek()], source.stem)
    mapped = replace(source.reading.columns, ratings=columns)
    return replace(source, reading=replace(source.reading, columns=mapped)) if columns else None


def preview(found: FieldTable, columns: Columns) -> Part | None:
    """Return the first records of a file, of which `found` holds the fields, read with these roles; None if they cannot
    be read.
    """
    source = Source(found.file, Blob(found.file, b"").stem, None, Log(), Reading(columns=columns))
    rows = ((f"record {k}", row) for k, row in enumerate(found.rows, 1))
    return _table(source, table.Table(list(found.header), rows, nested=True))


def _json(source: Source, content: bytes) -> Part | None:
    parsed = jsonfile.parse(content, source.name, source.log)
    if parsed is None:
        return None
    value, numbers = parsed
    if source.reading.format is None:
        value = shapes.bare(counted_keys.as_lists(promptfoo.as_records(value)))
        value = verdict_pairs.whole(whole_runs.listed(harness.as_scores(value)))
        value, numbers = events.joined(*events.headed(value, numbers), source.name, source.log)
        value = value if source.reading.columns.any else one_hot.records(value)
    source = replace(source, value=value, lines=numbers)
    if not isinstance(value, dict | list) and shapes.rows_of(value) is None:
        found, wanted = refused.kind(value), "an object or a list"
        source.log.add("wrong_top_level", source.name, found=found, expected=wanted)
        return None
    bound_columns(value, source.budget)
    if source.reading.format is None and not source.reading.columns.any and clips.is_recording(value):
        source.log.add("segments_alone", source.name, option=TrustedText("candidates=text"))
        return None
    key = source.reading.format or next((key for key, known in JSON_FORMATS.items() if known.matches(value)), None)
    mapped = source.reading.columns
    if key == "scores" and not (source.reading.format or mapped.any) and ratings.matches(value, source.stem):
        return ratings.load_json(source)
    if key == "answers" and JSON_FORMATS[key].matches(value):
        return JSON_FORMATS[key].load(source)
    if source.reading.format is None and (
        listed := item_keys.rows(source) or setting_keys.rows(value) or whole_runs.rows(value)
    ):
        return _records(replace(source, lines=None), listed)
    more = key is not None and missed_fields.misses_fields(value, key)
    if key is not None and mapped.any and not more and (table := _own_fields(source, key)) is not None:
        source = roles.mapped(source, table.header)
        mapped = other_fields.completed(source.reading.columns, table)
        source = replace(source, reading=replace(source.reading, columns=mapped)) if mapped.any else source
    if source.reading.format is None and (key is None or mapped.any or more):
        rows = shapes.rows_of(value)
        if rows is None and key is None and mapped.any and isinstance(value, dict):
            rows = squares.of_object(value)
        if rows and (key is None or not mapped.any or _has_fields(value, rows, mapped)):
            facts.say_left_out(value, rows, source)
            return _records(source, rows)
    if key is None or not JSON_FORMATS[key].matches(value):
        refused.say(source, value, key, _KEYS)
        return None
    for twice in repeats.repeated_keys(content, value, numbers is not None):
        source.log.add("repeated_key", source.name, twice.where, twice.key)
    if key == "scores" and isinstance(value, list) and source.reading.format is None:
        rated = ratings.from_json(source)
        if (people := _by_people(source, rated)) is not None:
            return ratings.load(people, rated)
    part = JSON_FORMATS[key].load(source)
    rows = [] if holds_any(part) else [shapes.flat(row) for row in shapes.rows_of(value) or [] if isinstance(row, dict)]
    if any(row.keys() - {shapes.KEY, shapes.VALUE} for row in rows):
        if (of_fields := _by_fields(source, key)) is not None:
            return of_fields
        assigned_roles.refuse(rows[:_PEEK], source, "references" if key in _OF_PEOPLE else "candidates")
        return None
    return part


def _by_fields(source: Source, key: str) -> Part | None:
    """Return a file of which the loader of its format read nothing, read by its fields; None unless one is an id."""
    rows = shapes.rows_of(source.value) or []
    trial = Source(source.name, source.stem, source.value, Log(), source.reading, budget=source.budget)
    part = _records(trial, rows) if source.reading.format is None else None
    said = part is not None and any(one.references or any(one.candidates.values()) for one in part.records)
    if part is None or part.by_place or not said:
        return None
    people = part.neutral and key in _OF_PEOPLE and not shapes.of_run(rows[0])
    source.log.forget(source.name)
    reading = replace(source.reading, role="references" if people else source.reading.role)
    return _records(replace(source, reading=reading), rows)


def _own_fields(source: Source, key: str) -> FieldTable | None:
    """Return the fields of a file of a known format with the roles that the loader gives them; None if it reads all."""
    reading = replace(source.reading, columns=Columns())
    trial = Source(source.name, source.stem, source.value, Log(), reading, source.lines, budget=source.budget)
    if JSON_FORMATS[key].matches(source.value):
        JSON_FORMATS[key].load(trial)
    return trial.log.fields.get(source.name)


def _records(source: Source, rows: list[Any]) -> Part | None:
    """Read captions from records of any shape, with their fields as columns named by path."""
    found = list(source.objects(rows))
    facts.say(source.log, "fields_left", source.name, unshown_fields.beside(source.value, rows))
    return _fields(source, [where for where, _ in found], [row for _, row in found])


def _fields(source: Source, places: list[str], rows: list[dict[str, Any]]) -> Part | None:
    for k, where in enumerate(places):
        row = named_scores.as_fields(rows[k])
        rows[k] = cells.without_withdrawn(row, partial(source.is_withdrawn, where=where))
    places, rows, source = composite.by_language(places, rows, source)
    places, rows = clips.timed(*composite.counted(places, rows, source))
    shown = numbered_fields.shown_names(rows, source.reading.columns.named)
    places, rows = listed_runs.spread(places, numbered_fields.as_lists(rows, source.reading.columns.named))
    rows = requests.with_settings(rows, source.reading.asked, source.name, source.log)
    facts.say(source.log, "fields_left", source.name, unshown_fields.within(rows))
    fields = nested_ratings.by_criterion(rows)
    header = list(dict.fromkeys(name for row in fields for name in row))
    if len(header) > MAX_COLUMNS:
        raise TooLargeError(f"{len(header):,} different fields of records, more than {MAX_COLUMNS:,}")
    source.budget.take_values(len(header) * len(fields))
    values = ([row.get(name) for name in header] for row in fields)
    found = table.Table(header, zip(places, values), nested=True)
    source = roles.mapped(source, header)
    free = not roles.is_meant(header, source.reading.columns)
    found, source = composite.with_id(blanks.filled_down(found, source), source)
    sample = [row for _, row in found.peek()]
    if free and not any(contents.are_sentences(sample, k) for k in range(len(header))) and scores.is_scores(found, ""):
        return scores.load(source, found)
    found, source = composite.with_clips(found, source)
    part = sheet.load(replace(source, value=found), found)
    for path, names in shown.items():
        source.log.rename_field(source.name, path, names)
    return part


def _has_fields(value: Any, rows: list[Any], mapped: Columns) -> bool:
    """Return whether records have the fields that a person mapped; the keys of captions by id are no fields."""
    first = [row for row in rows[:_PEEK] if isinstance(row, dict)]
    by_id = isinstance(value, dict) and all(map(squares.is_text, value.values()))
    if by_id and mapped.where_there and {name for row in first for name in row} == {shapes.KEY, shapes.VALUE}:
        return False
    apart = listed_runs.spread([""] * len(first), numbered_fields.as_lists(first, mapped.named))[1]
    found = {name for row in (*first, *apart) for name in shapes.flat(row)}
    return roles.is_meant(list(found), mapped)
