"""Detection of a file's format by its structure, and the choice of its loader."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from data import distances, npz, vectors
from data.blobs import Blob
from data.bounds import A_ROW, MAX_COLUMNS, Budget, TooLargeError, values_of_json, values_of_lines
from data.decoding import to_utf8
from data.findings import Log, TrustedText, clip
from data.formats import (
    FORMATS,
    JSON_FORMATS,
    chat,
    coco,
    jsonfile,
    lines,
    preferences,
    ratings,
    repeats,
    scores,
    sheet,
    table,
    trilens,
)
from data.near import misspelt
from data.records import Part, Reading, Source

_TABLES = ("scores", "ratings", "preferences")
"""Formats that come as tables and as JSON."""
_KEYS = tuple(dict.fromkeys([*coco.IDS, *coco.TEXTS, *trilens.REFERENCES, *trilens.CANDIDATES, "items", "annotations"]))
"""By which records are recognised."""


def read(blob: Blob, stem: str, reading: Reading, log: Log) -> Part | None:
    """Return the part that a file forms; None, with a finding, when nothing of it can be used.

    `stem` names its run where the file names none.
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
        return _part(blob, source)
    except TooLargeError as why:
        log.add("too_large", blob.name, why=why)
        return None


def _part(blob: Blob, source: Source) -> Part | None:
    log = source.log
    if blob.content.startswith(b"PAR1"):
        found = table.from_parquet(blob.content, source)
        return _table(source, found) if found else None
    if blob.content.startswith(b"PK"):
        return _arrays(source, blob.content)
    content = to_utf8(blob, log)
    if content is None:
        return None
    if not content.strip():
        log.add("empty_file", blob.name)
        return None
    return _text(source, content)


def _arrays(source: Source, content: bytes) -> Part:
    """Distances where every array is a matrix, else embeddings."""
    try:
        arrays = npz.read(content, source.budget)
    except npz.UnusableFile as why:
        return vectors.refused(source, str(why))
    source.budget.take_values(A_ROW * sum(len(array) if array.ndim else 1 for array in arrays.values()))
    return distances.load(arrays, source) if distances.matches(arrays) else vectors.load_npz(arrays, source)


def _text(source: Source, content: bytes) -> Part | None:
    wanted = source.reading.format
    if (wanted in JSON_FORMATS and wanted not in _TABLES) or (
        wanted in (None, *_TABLES) and jsonfile.looks_like_json(content, source.name)
    ):
        source.budget.take_values(values_of_json(content))
        return _json(source, content)
    source.budget.take_values(values_of_lines(content))
    text = content.decode("utf-8")
    if wanted in ("table", *_TABLES) or (wanted is None and table.looks_like_table(text, source.name)):
        source = replace(source, value=text)
        return _table(source, table.from_text(source))
    return lines.load(replace(source, value=text))


def _table(source: Source, found: table.Table) -> Part | None:
    """Embeddings, what people said, scores or captions, as the columns say."""
    wanted = source.reading.format
    if wanted in (None, "embeddings") and isinstance(source.value, type(None)) and vectors.is_table(found):
        return vectors.load_table(found, source)
    free = wanted is None and not source.reading.columns.any
    if wanted == "preferences" or (free and preferences.is_preferences(found)):
        return preferences.load(source, found)
    # Whose captions are said to be references rates no candidates.
    rated = free and source.reading.role != "references"
    if wanted == "ratings" or (rated and ratings.is_ratings(found, source.stem)):
        return ratings.load(source, found)
    if wanted == "scores" or (free and scores.is_scores(found, source.stem)):
        return scores.load(source, found)
    return sheet.load(source, found) if free else table.load(replace(source, value=found))


def _json(source: Source, content: bytes) -> Part | None:
    parsed = jsonfile.parse(content, source.name, source.log)
    if parsed is None:
        return None
    value, numbers = parsed
    source = replace(source, value=value, lines=numbers)
    if not isinstance(value, dict | list):
        found, wanted = _kind(value), "an object or a list"
        source.log.add("wrong_top_level", source.name, found=found, expected=wanted)
        return None
    _bound_columns(value, source.budget)
    if source.reading.format is None and (field := chat.field(value)) is not None:
        source.log.add("conversation", source.name, field=field)
        return None
    key = source.reading.format or next((key for key, known in JSON_FORMATS.items() if known.matches(value)), None)
    if key is None or not JSON_FORMATS[key].matches(value):
        _refuse(source, value, key)
        return None
    for twice in repeats.repeated_keys(content, value, numbers is not None):
        source.log.add("repeated_key", source.name, twice.where, twice.key)
    return JSON_FORMATS[key].load(source)


def _bound_columns(value: Any, budget: Budget) -> None:
    """Raise TooLargeError for objects that are too much as rows of one table; texts by their keys count as rows."""
    rows = value.get("scores", value) if isinstance(value, dict) else value
    if isinstance(rows, dict):
        budget.take_values(A_ROW * sum(not isinstance(one, dict) for one in rows.values()))
    elif isinstance(rows, list):
        columns = len({key for row in rows if isinstance(row, dict) for key in row})
        if columns > MAX_COLUMNS:
            raise TooLargeError(f"{columns:,} different keys of records, more than {MAX_COLUMNS:,}")
        if columns > 1_000:
            budget.take_values(columns * len(rows))


def _refuse(source: Source, value: Any, wanted: str | None) -> None:
    if not value:
        source.log.add("empty_file", source.name)
        return
    if isinstance(value, dict):
        found = f"an object with the keys {', '.join(clip(key) for key in list(value)[:8])}"
    elif isinstance(value[0], dict):
        found = f"a list of objects with the keys {', '.join(clip(key) for key in list(value[0])[:8])}"
    else:
        source.log.add(
            "wrong_top_level", source.name, found=f"a list of {_kind(value[0])}", expected="a list of objects"
        )
        return
    prefix = f"(asked for: {FORMATS[wanted]}) " if wanted else ""
    keys = list(value if isinstance(value, dict) else value[0])[:20]
    source.log.add("unknown_shape", source.name, found=TrustedText(prefix + found), hint=misspelt(keys, _KEYS))


def _kind(value: Any) -> str:
    names = {str: "text", bool: "true or false", int: "numbers", float: "numbers", list: "lists", dict: "objects"}
    return names.get(type(value), "null")
