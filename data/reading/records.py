"""Records of any shape, read by their fields: each field, named by its path, becomes a column of one table."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from data.across_files import requests
from data.files import printed_lists
from data.files.limits import MAX_COLUMNS, TooLargeError
from data.findings import PEEK
from data.formats.columns import clips, contents, metadata, roles
from data.formats.nesting import listed_runs, nested_records, numbered_fields, unshown_fields, value_kinds
from data.formats.numbers import (
    caption_sheet,
    chosen_rejected,
    named_scores,
    nested_ratings,
    preferences,
    ranks,
    scores,
)
from data.formats.tables import blank_cells, composite_ids, table
from data.records import Columns, Part, Source


def read(source: Source, rows: list[Any]) -> Part | None:
    """Read captions from records of any shape, with fields as columns named by path; None, with a finding, if no
    captions are found.

    Raises TooLargeError as `by_fields` does.
    """
    found = list(source.objects(rows))
    metadata.say(source.log, "fields_left", source.name, unshown_fields.beside(source.value, rows))
    return by_fields(source, [where for where, _ in found], [row for _, row in found])


def by_fields(source: Source, places: list[str], rows: list[dict[str, Any]]) -> Part | None:
    """Read captions from records by their fields, as `read` does; `places` has each record's place in the file. Raises
    TooLargeError for too many fields or values.
    """
    for k, where in enumerate(places):
        row = nested_ratings.of_captions(named_scores.as_fields(rows[k]))
        rows[k] = printed_lists.without_withdrawn(row, partial(source.is_withdrawn, where=where))
    places, rows, source = composite_ids.by_language(places, rows, source)
    places, rows = clips.timed(*composite_ids.counted(places, rows, source))
    shown = numbered_fields.shown_names(rows, source.reading.columns.named)
    places, rows = listed_runs.spread(places, numbered_fields.as_lists(rows, source.reading.columns.named))
    rows = requests.with_settings(rows, source.reading.asked, source.name, source.log)
    metadata.say(source.log, "fields_left", source.name, unshown_fields.within(rows))
    fields = nested_ratings.by_criterion(rows)
    header = nested_records.names_in(fields)
    if len(header) > MAX_COLUMNS:
        raise TooLargeError(f"{len(header):,} different fields of records, more than {MAX_COLUMNS:,}")
    source.budget.take_values(len(header) * len(fields))
    values = ([row.get(name) for name in header] for row in fields)
    found = table.Table(header, zip(places, values), nested=True)
    source = roles.mapped(source, header)
    free = not roles.is_meant(header, source.reading.columns)
    pairs = ranks.as_pairs(found, source) if free else found
    if pairs is not found or (free and chosen_rejected.in_pairs(found) is not found):
        return preferences.load(source, pairs)
    found, source = composite_ids.with_id(blank_cells.filled_down(found, source), source)
    sample = found.sample()
    if free and not any(contents.are_sentences(sample, k) for k in range(len(header))) and scores.is_scores(found, ""):
        return scores.load(source, found)
    found, source = composite_ids.with_clips(found, source)
    part = caption_sheet.load(replace(source, value=found), found)
    for path, names in shown.items():
        source.log.rename_field(source.name, path, names)
    return part


def have_fields(value: Any, rows: list[Any], mapped: Columns) -> bool:
    """Return whether records have the fields that a person mapped; the keys of captions by id are not fields."""
    first = [row for row in rows[:PEEK] if isinstance(row, dict)]
    by_id = isinstance(value, dict) and all(map(value_kinds.is_text, value.values()))
    if (
        by_id
        and mapped.where_there
        and {name for row in first for name in row} == {nested_records.KEY, nested_records.VALUE}
    ):
        return False
    apart = listed_runs.spread([""] * len(first), numbered_fields.as_lists(first, mapped.named))[1]
    found = {name for row in (*first, *apart) for name in nested_records.flat(row)}
    return roles.is_meant(list(found), mapped)
