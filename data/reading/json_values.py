"""Read JSON by the loader of a known format or, if that loader would miss something, by its fields."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from data.file_reports import holds_any
from data.files.limits import bound_columns
from data.findings import PEEK, Log, TrustedText
from data.formats import refused
from data.formats.columns import assigned_roles, clips, metadata, roles
from data.formats.containers import duplicate_keys, json_text
from data.formats.known import coco, missed_fields, other_fields, trilens
from data.formats.nesting import (
    counted_keys,
    events,
    item_keys,
    nested_records,
    parlai,
    prodigy,
    setting_keys,
    value_kinds,
    verdict_pairs,
    whole_runs,
    written_by_hand,
)
from data.formats.numbers import caption_sheet, harness, ratings, winner_columns
from data.formats.registry import JSON_FORMATS
from data.formats.tables import composite_ids, promptfoo, table
from data.reading import records, tables
from data.records import Columns, Part, Source

_REWRITTEN: tuple[Callable[[Any], Any], ...] = (
    value_kinds.bare_captions,
    value_kinds.untokenised,
    parlai.as_records,
    prodigy.as_records,
    promptfoo.as_records,
    written_by_hand.as_records,
    counted_keys.as_lists,
    value_kinds.response,
    nested_records.bare,
    harness.as_scores,
    whole_runs.listed,
    verdict_pairs.whole,
)
"""The functions that turn a layout into a plainer one before formats are compared, in order; other values stay
unchanged.
"""
_OF_PEOPLE = ("coco_annotations", "karpathy", "msrvtt", "vatex")
"""Formats whose captions are references."""
_MAY_BE_RATINGS = (None, "scores", "coco_results")
"""Formats that records of ratings may seem to have, unless the name of their file is taken into account."""
_KEYS = tuple(dict.fromkeys([*coco.IDS, *coco.TEXTS, *trilens.REFERENCES, *trilens.CANDIDATES, "items", "annotations"]))
"""Keys that show that an object is a record."""


def read(source: Source, content: bytes) -> Part | None:
    """Return a JSON or JSON Lines file as a part; None, with a finding, if nothing in it can be used. Raises
    TooLargeError if it exceeds a limit.
    """
    parsed = json_text.parse(content, source.name, source.log)
    if parsed is None:
        return None
    value, numbers = parsed
    free = source.reading.format is None
    if free:
        for rewritten in _REWRITTEN:
            value = rewritten(value)
        value, numbers = events.joined(*events.headed(value, numbers), source.name, source.log)
        value = composite_ids.listed(value if source.reading.columns.any else winner_columns.records(value), source)
    whole = numbers is None or not isinstance(value, list) or len(value) == len(numbers)
    source = replace(source, value=value, lines=numbers if whole else None)
    if not isinstance(value, dict | list) and nested_records.rows_of(value) is None:
        found, wanted = refused.kind(value), "an object or a list"
        source.log.add("wrong_top_level", source.name, found=found, expected=wanted)
        return None
    bound_columns(value, source.budget)
    if free and not source.reading.columns.any and clips.is_recording(value):
        source.log.add("segments_alone", source.name, option=TrustedText("candidates=text"))
        return None
    key = source.reading.format or next((key for key, known in JSON_FORMATS.items() if known.matches(value)), None)
    mapped = source.reading.columns
    if key in _MAY_BE_RATINGS and free and not mapped.any and _are_ratings(value, source.stem):
        return ratings.load(source, table.of_records(source, source.value))
    if key == "answers" and JSON_FORMATS[key].matches(value):
        return JSON_FORMATS[key].load(source)
    if free and (
        listed := item_keys.rows(source)
        or setting_keys.rows(value)
        or whole_runs.rows(value, source.reading.ids_beside)
    ):
        return records.read(replace(source, lines=None), listed)
    more = key is not None and missed_fields.misses_fields(value, key)
    if key is not None and mapped.any and not more:
        source, mapped = _with_own_roles(source, key)
    if free and (key is None or mapped.any or more):
        rows = nested_records.rows_of(value)
        if rows is None and key is None and mapped.any and isinstance(value, dict):
            rows = value_kinds.of_object(value)
        if rows and (key is None or not mapped.any or records.have_fields(value, rows, mapped)):
            metadata.say_left_out(value, rows, source)
            return records.read(source, rows)
    if key is None or not JSON_FORMATS[key].matches(value):
        refused.say(source, value, key, _KEYS)
        return None
    for twice in duplicate_keys.repeated_keys(content, value, numbers is not None):
        source.log.add("repeated_key", source.name, twice.where, twice.key)
    return _of_format(source, key)


def _are_ratings(value: Any, stem: str) -> bool:
    return ratings.matches(value, stem) and not caption_sheet.are_rated_captions(value[:PEEK])


def _with_own_roles(source: Source, key: str) -> tuple[Source, Columns]:
    """Return the source, set to be read by its fields, and the roles of these fields.

    The user's roles count; the loader assigns the others.
    """
    reading = replace(source.reading, columns=Columns())
    trial = Source(source.name, source.stem, source.value, Log(), reading, source.lines, budget=source.budget)
    if JSON_FORMATS[key].matches(source.value):
        JSON_FORMATS[key].load(trial)
    own = trial.log.fields.get(source.name)
    if own is None:  # the loader reads all fields
        return source, source.reading.columns
    source = roles.mapped(source, own.header)
    mapped = other_fields.completed(source.reading.columns, own)
    return replace(source, reading=replace(source.reading, columns=mapped)) if mapped.any else source, mapped


def _of_format(source: Source, key: str) -> Part | None:
    """Return the part that the loader of a known format reads; if it has no data, return the part read by fields.

    Return None, with a finding, if neither contains any data although there are other fields. People's scores are read
    as ratings.
    """
    if key == "scores" and isinstance(source.value, list) and source.reading.format is None:
        rated = table.of_records(source, source.value)
        if (people := tables.by_people(source, rated)) is not None:
            return ratings.load(people, rated)
    part = JSON_FORMATS[key].load(source)
    rows = [] if holds_any(part) else [r for r in nested_records.rows_of(source.value) or [] if isinstance(r, dict)]
    first = [nested_records.flat(row) for row in rows]
    if any(row.keys() - {nested_records.KEY, nested_records.VALUE} for row in first):
        if (of_fields := _by_fields(source, key)) is not None:
            return of_fields
        assigned_roles.refuse(first[:PEEK], source, "references" if key in _OF_PEOPLE else "candidates")
        return None
    return part


def _by_fields(source: Source, key: str) -> Part | None:
    """Read a file by its fields after its loader read nothing from it; return None if it has no ids or no captions."""
    rows = nested_records.rows_of(source.value) or []
    trial = Source(source.name, source.stem, source.value, Log(), source.reading, budget=source.budget)
    part = records.read(trial, rows) if source.reading.format is None else None
    said = part is not None and any(one.references or any(one.candidates.values()) for one in part.records)
    if part is None or part.by_place or not said:
        return None
    people = part.neutral and key in _OF_PEOPLE and not nested_records.of_run(rows[0])
    source.log.forget(source.name)
    reading = replace(source.reading, role="references" if people else source.reading.role)
    return records.read(replace(source, reading=reading), rows)
