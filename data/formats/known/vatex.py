"""VATEX JSON (`videoID`, `enCap`, `chCap`) as references."""

from __future__ import annotations

from typing import Any

from data.formats.known.coco import facts_of, identified
from data.formats.known.other_fields import Beside
from data.records import Part, Record, Source, plain


def matches(value: Any) -> bool:
    """Return whether a value is a list of objects with `videoID` and captions."""
    return isinstance(value, list) and any(
        isinstance(row, dict) and "videoID" in row and ("enCap" in row or "chCap" in row) for row in value[:20]
    )


def load(source: Source) -> Part:
    """Read the English captions of each clip as references, or the Chinese ones if there are no others.

    Chinese captions beside English ones are reported as unread.
    """
    records, beside = [], Beside(source)
    for where, row, id in identified(source, source.value, ("videoID",)):
        english = row.get("enCap")
        if english and row.get("chCap"):
            source.log.add("ignored_field", source.name, where, id, field="chCap", why="the English captions are used")
        told, others = facts_of(row, ("videoID", "enCap", "chCap"))
        texts = source.captions(english or row.get("chCap"), "reference", where, id)
        records.append(Record(id, where, texts, metadata=plain(told)))
        beside.take(records[-1:], row, others)
    beside.say(source.value, {"id": ("videoID",), "references": ("enCap", "chCap")})
    return Part(source.name, "vatex", records, len(source.value))
