"""Read tables as pairs that people judged, ratings, scores, or captions with numbers beside them."""

from __future__ import annotations

from dataclasses import replace

from data.files import printed_lists
from data.files.blobs import Blob
from data.findings import FieldTable, Log
from data.formats.columns import roles
from data.formats.columns.contents import cell_of
from data.formats.numbers import (
    caption_sheet,
    columns_of_runs,
    preferences,
    preferred_runs,
    ranks,
    rating_columns,
    ratings,
    scores,
)
from data.formats.tables import blank_cells, composite_ids, error_marks, table
from data.imported import vectors
from data.records import Columns, Part, Reading, Source


def read(source: Source, found: table.Table) -> Part | None:
    """Return the captions, scores, ratings or pairs in a table, in the order of the decisions in `data.reading`; None,
    with a finding, if none can be read.
    """
    wanted = source.reading.format
    if wanted in (None, "embeddings") and source.value is None and vectors.is_table(found):
        return vectors.load_table(found, source)
    if wanted is None and not source.reading.columns.any:
        found = error_marks.without_errors(found, source)
    source = roles.mapped(source, found.header)
    given = source.reading.columns
    free = wanted is None and not roles.is_meant(found.header, given)
    found = ranks.from_rows(found, source) if free else found
    found = blank_cells.without_remarks(blank_cells.with_titles_as_runs(found, source) if free else found, source)
    found, source = composite_ids.with_id(blank_cells.filled_down(found, source), source)
    if free and source.reading.runs_beside:
        found = ranks.as_pairs(found, source)
        found = preferred_runs.with_runs(columns_of_runs.below_each_other(found, source), source.reading.runs_beside)
    if wanted == "preferences" or (free and preferences.is_preferences(found)):
        return preferences.load(source, without_withdrawn(source, found))
    # A file whose captions were declared to be references rates no candidates.
    due = caption_sheet.is_due(found)
    told = wanted is None and bool(given.ratings) and not given.captions
    rated = (free or told) and source.reading.role != "references" and not due
    if wanted == "ratings" or (rated and ratings.is_ratings(found, source.stem)):
        return ratings.load(source, without_withdrawn(source, found))
    if wanted == "scores" or (free and scores.is_scores(found, "" if due else source.stem)):
        people = by_people(source, found) if wanted is None else None
        return ratings.load(people, found) if people else scores.load(source, found)
    found, source = composite_ids.with_clips(found, source)
    as_sheet = wanted is None or given.scores or given.ratings
    return caption_sheet.load(source, found) if as_sheet else table.load(replace(source, value=found))


def without_withdrawn(source: Source, found: table.Table) -> table.Table:
    """Return a table of judgments without rows that are marked as rejected, as in Mechanical Turk, with a finding."""
    marks = {k: name for k, name in enumerate(found.header) if name in printed_lists.MARKS}
    rows = found.rows
    if marks:
        rows = (
            one for one in rows if not source.is_withdrawn({n: cell_of(one[1], k) for k, n in marks.items()}, one[0])
        )
    return replace(found, rows=rows)


def by_people(source: Source, found: table.Table) -> Source | None:
    """Return a source of ratings if a table of numbers is in a file named after people and has no column named after a
    metric; else return None.
    """
    columns = rating_columns.of_people(found.header, found.sample(), source.stem)
    mapped = replace(source.reading.columns, ratings=columns)
    return replace(source, reading=replace(source.reading, columns=mapped)) if columns else None


def preview(found: FieldTable, columns: Columns) -> Part | None:
    """Return the first records in `found`, read with the roles in `columns`; None if they cannot be read."""
    source = Source(found.file, Blob(found.file, b"").stem, None, Log(), Reading(columns=columns))
    rows = ((f"record {k}", row) for k, row in enumerate(found.rows, 1))
    return read(source, table.Table(list(found.header), rows, nested=True))
