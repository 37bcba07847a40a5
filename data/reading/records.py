"""Records of any shape, read by their fields: each field, named by its path, becomes a column of one table."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from data.across_files import requests
from data.files import cells
from data.files.bounds import MAX_COLUMNS, TooLargeError
from data.findings import PEEK
from data.formats.columns import clips, contents, facts, roles
from data.formats.nesting import listed_runs, numbered_fields, shapes, unshown_fields, value_kinds
from data.formats.numbers import named_scores, nested_ratings, preferences, ranked, scores, sheet
from data.formats.tables import blanks, composite, table
from data.records import Columns, Part, Source


def read(source: Source, rows: list[Any]) -> Part | None:
    """Read captions from records of any shape, with fields as columns named by path; None if no captions are found."""
    found = list(source.objects(rows))
    facts.say(source.log, "fields_left", source.name, unshown_fields.beside(source.value, rows))
    return by_fields(source, [where for where, _ in found], [row for _, row in found])


def by_fields(source: Source, places: list[str], rows: list[dict[str, Any]]) -> Part | None:
    """Read captions from records by their fields, as `read` does; `places` has each record's place in the file. Raises
    TooLargeError for too many fields or values.
    """
    for k, where in enumerate(places):
        row = nested_ratings.of_captions(named_scores.as_fields(rows[k]))
        rows[k] = cells.without_withdrawn(row, partial(source.is_withdrawn, where=where))
    places, rows, source = composite.by_language(places, rows, source)
    places, rows = clips.timed(*composite.counted(places, rows, source))
    shown = numbered_fields.shown_names(rows, source.reading.columns.named)
    places, rows = listed_runs.spread(places, numbered_fields.as_lists(rows, source.reading.columns.named))
    rows = requests.with_settings(rows, source.reading.asked, source.name, source.log)
    facts.say(source.log, "fields_left", source.name, unshown_fields.within(rows))
    fields = nested_ratings.by_criterion(rows)
    header = shapes.names_in(fields)
    if len(header) > MAX_COLUMNS:
        raise TooLargeError(f"{len(header):,} different fields of records, more than {MAX_COLUMNS:,}")
    source.budget.take_values(len(header) * len(fields))
    values = ([row.get(name) for name in header] for row in fields)
    found = table.Table(header, zip(places, values), nested=True)
    source = roles.mapped(source, header)
    free = not roles.is_meant(header, source.reading.columns)
    if free and (pairs := ranked.as_pairs(found, source)) is not found:
        return preferences.load(source, pairs)
    found, source = composite.with_id(blanks.filled_down(found, source), source)
    sample = found.sample()
    if free and not any(contents.are_sentences(sample, k) for k in range(len(header))) and scores.is_scores(found, ""):
        return scores.load(source, found)
    found, source = composite.with_clips(found, source)
    part = sheet.load(replace(source, value=found), found)
    for path, names in shown.items():
        source.log.rename_field(source.name, path, names)
    return part


def have_fields(value: Any, rows: list[Any], mapped: Columns) -> bool:
    """Return whether records have the fields that a person mapped; the keys of captions by id are not fields."""
    first = [row for row in rows[:PEEK] if isinstance(row, dict)]
    by_id = isinstance(value, dict) and all(map(value_kinds.is_text, value.values()))
    if by_id and mapped.where_there and {name for row in first for name in row} == {shapes.KEY, shapes.VALUE}:
        return False
    apart = listed_runs.spread([""] * len(first), numbered_fields.as_lists(first, mapped.named))[1]
    found = {name for row in (*first, *apart) for name in shapes.flat(row)}
    return roles.is_meant(list(found), mapped)
