"""Parts of one film, recording or conversation that are separate items, distinguished by times or numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from data.fields.names import IDS, RUNS, rank, whose, words
from data.fields.word_lists import word_set
from data.formats.columns import caption_columns, contents
from data.formats.columns.run_columns import named_caption

_BEGIN, _END = frozenset(["start", "begin", "onset"]), frozenset(["end", "stop", "offset"])
_TIMES = _BEGIN | _END
_SEGMENTS = frozenset(["segments", "chunks", "utterances", "subtitles", "cues"])
"""Names of lists of the parts of one recording."""
_PARTS = frozenset(["segment", "clip", "turn", "frame"])
_SPANS = frozenset(["segment", "timestamp", "timestamps", "interval", "span"])
_BESIDE = word_set("id idx index no nr num number s sec secs seconds ms time")
"""Words that may accompany words for parts, times or spans in the name of a column."""
_WHOLES = frozenset(["vid", "movie", "film", "dialog", "dialogue", "conversation", "recording"])
"""Words, beside the known names of ids, in the names of columns that name whole films or conversations."""
_LASTING = _WHOLES | {"video", "videoid", "audio", "audiocap", "sound", "track", "youtube", "youtubeid", "ytid", "yt"}
"""Words in the names of columns that name things with a duration; beside other names, such as a question's, times
concern answers.
"""
_STILL = frozenset(["image", "img", "imageid", "photo", "picture", "cocoid"])
"""Words in the names of columns that name things without a duration, which may have turns but no clips.

Columns of times or clips beside them contain an annotator's times or scores.
"""
_TIME = re.compile(r"\d{1,8}([.:]\d+)*")
"""A time in seconds or milliseconds, or such as 0:12:30, but not a date."""
_PART = re.compile(r"(?!-?\d*\.\d)\S+")
_PAIR = 2


def named(fields: Iterable[str]) -> bool:
    """Return whether any field has a name for the time, number or span of a part."""
    return any(_kind(name) for name in fields)


def _kind(name: str) -> frozenset[str] | None:
    """Return the set of words, for parts, times or spans, to which a column's name belongs, or None.

    A name belongs to a set if it contains a word of the set, and otherwise only words in `_BESIDE`.
    """
    found = set(words(name))
    return next((of for of in (_PARTS, _TIMES, _SPANS) if found & of and found <= of | _BESIDE), None)


def parts(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> tuple[int, ...] | None:
    """Return the columns that make up the id of a part: the name of the whole, which repeats, and the columns that
    distinguish its parts.

    Return None if no columns name a whole and its parts, or if the whole has no parts, that is, if each run has one row
    for it, or several rows with the same times. Times that differ only between runs belong to the runs.
    """
    kinds = {k: of for k, name in enumerate(header) if (of := _kind(name)) and _tells(rows, k, of)}
    wholes = caption_columns.ranked(header, IDS)
    wholes += [k for k, name in enumerate(header) if set(words(name)) & _WHOLES and k not in wholes]
    wholes = [k for k in wholes if k not in kinds and contents.scalar(rows, k) and contents.values(rows, k)]
    if not wholes or not kinds:
        return None
    made, runs = wholes[:1], caption_columns.ranked(header, [*RUNS])
    if set(words(header[made[0]])) & _STILL:
        kinds = {k: of for k, of in kinds.items() if "turn" in words(header[k])}
    lasting = not _LASTING.isdisjoint(words(header[made[0]]))
    for of in (_PARTS, _TIMES, _SPANS) if lasting else (_PARTS, _SPANS):
        more = [k for k, one in kinds.items() if one is of]
        if contents.tells_apart(rows, [*runs, *made], more):
            made += more
    return tuple(made) if len(made) > 1 else None


def are_of_one(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> bool:
    """Return whether rows without ids are parts of one recording: columns state when each begins and ends."""
    times = {k for k, name in enumerate(header) if _kind(name) is _TIMES and _tells(rows, k, _TIMES)}
    said = {word for k in times for word in words(header[k])}
    return len(rows) > 1 and bool(said & _BEGIN) and bool(said & _END)


def is_recording(value: Any) -> bool:
    """Return whether an object contains the segments of one recording, with texts and times, and does not name the
    recording.
    """
    if not isinstance(value, dict) or any(rank(key, IDS) is not None for key in value):
        return False
    lists = [one for key, one in value.items() if key.lower() in _SEGMENTS and isinstance(one, list)]
    rows = [row for one in lists for row in one if isinstance(row, dict) and any(map(named_caption, row))]
    return bool(rows) and all(_is_timed(row) for row in rows)


def _is_timed(row: dict[str, Any]) -> bool:
    ends = {word for key in row if _kind(key) is _TIMES for word in words(key)}
    return bool(ends & _BEGIN and ends & _END) or any(_is_times(key, one) for key, one in row.items())


def _tells(rows: Sequence[Sequence[Any]], place: int, of: frozenset[str]) -> bool:
    """Return whether every cell is a span, a time in a column of times, or a number or word in a column of parts.

    A column called `clip` may contain scores instead.
    """
    found = contents.values(rows, place)
    if len(found) < len(rows):
        return False
    if all(map(is_span, found)):
        return True
    pattern = _TIME if of is _TIMES else _PART
    return of is not _SPANS and contents.scalar(rows, place) and all(pattern.fullmatch(str(one)) for one in found)


def timed(places: list[str], rows: list[dict[str, Any]]) -> tuple[list[str], list[dict[str, Any]]]:
    """Return the places and records, with one record per part if records list parts with their times.

    The parts are objects with a span each, or elements of lists as long as the list of spans, as in ActivityNet
    Captions.
    """
    apart = [_timed(row) for row in rows]
    if max(map(len, apart), default=0) < _PAIR:
        return places, rows
    return [place for place, of in zip(places, apart) for _ in of], [one for of in apart for one in of]


def _timed(row: dict[str, Any]) -> list[dict[str, Any]]:
    lists = {name: one for name, one in row.items() if isinstance(one, list) and one}
    for name, one in lists.items():
        if all(isinstance(part, dict) and any(_is_times(key, part[key]) for key in part) for part in one):
            return _apart(row, name, one)
        if all(_is_times(name, span) for span in one):
            beside = {key: other for key, other in lists.items() if len(other) == len(one)}
            if any(all(isinstance(text, str) for text in other) for other in beside.values()):
                return [{**row, **{key: other[k] for key, other in beside.items()}} for k in range(len(one))]
    return [row]


def _apart(row: dict[str, Any], name: str, parts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return one record per part in the list `name` of a record, each with the other fields of that record.

    A field of a part that would hide a different value of the record is prefixed with the name of the list:
    `events.id`. A record with its own caption in a field of the same name as its parts' captions stays unchanged.
    """
    whole = {key: cell for key, cell in row.items() if key != name}
    hidden = {key for part in parts for key, cell in part.items() if key in whole and whole[key] != cell}
    if any(whose(key) or named_caption(key) for key in hidden):
        return [row]
    return [{**whole, **{f"{name}.{key}" if key in hidden else key: part[key] for key in part}} for part in parts]


def _is_times(name: str, value: Any) -> bool:
    return is_span(value) and _kind(name) is _SPANS


def is_span(cell: Any) -> bool:
    """Return whether a cell is a list of two numbers, the times at which a part begins and ends."""
    return isinstance(cell, list) and len(cell) == _PAIR and all(type(one) in (int, float) for one in cell)
