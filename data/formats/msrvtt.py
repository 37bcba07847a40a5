"""MSR-VTT JSON (`videos` and `sentences`) as references."""

from __future__ import annotations

from typing import Any

from data.formats import facts
from data.formats.coco import captions_part, facts_of
from data.records import Part, Source, as_id, plain

_OF_VIDEOS = ("start time", "end time")
IDS = ("video_id", "image_id", "id")


def matches(value: Any) -> bool:
    """Return whether a value is an object with a list of `sentences` that hold captions."""
    return (
        isinstance(value, dict)
        and isinstance(value.get("sentences"), list)
        and any(isinstance(row, dict) and "caption" in row for row in value["sentences"][:20])
    )


def load(source: Source) -> Part:
    """Read references by `video_id`; the split, category and other facts of a video become its metadata."""
    part = captions_part(source, source.value["sentences"], "msrvtt", source.role("references"), IDS)
    by_id = {record.id: record for record in part.records}
    videos = source.value.get("videos")
    unread: dict[str, None] = {}
    for row in videos if isinstance(videos, list) else []:
        record = by_id.get(as_id(row.get("video_id")) or "") if isinstance(row, dict) else None
        if record is not None:
            told, others = facts_of(row, _OF_VIDEOS)
            record.metadata = plain(told)
            unread |= dict.fromkeys(f"videos[].{key}" for key in others)
    facts.say(source.log, "ignored_columns", source.name, list(unread))
    return part
