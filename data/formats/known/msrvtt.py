"""MSR-VTT JSON (`videos` and `sentences`) as references."""

from __future__ import annotations

from typing import Any

from data.formats.known.coco import TEXTS, captions_part, facts_of
from data.formats.known.other_fields import Beside
from data.records import Part, Source, as_id, plain

_OF_VIDEOS = ("start time", "end time")
IDS = ("video_id", "image_id", "id")


def matches(value: Any) -> bool:
    """Return whether a value is an object with a list of `sentences` that hold captions of videos."""
    if not isinstance(value, dict) or not isinstance(value.get("sentences"), list):
        return False
    rows = [row for row in value["sentences"][:20] if isinstance(row, dict) and "caption" in row]
    return bool(rows) and ("videos" in value or any("video_id" in row for row in rows))


def load(source: Source) -> Part:
    """Read references by `video_id`; the split, category and other facts of a video become its metadata."""
    beside = Beside(source)
    part = captions_part(source, source.value["sentences"], "msrvtt", source.role("references"), IDS, beside)
    by_id = {record.id: record for record in part.records}
    videos = source.value.get("videos")
    for row in videos if isinstance(videos, list) else []:
        record = by_id.get(as_id(row.get("video_id")) or "") if isinstance(row, dict) else None
        if record is not None:
            told, others = facts_of(row, _OF_VIDEOS)
            record.metadata |= plain(told)
            beside.take([record], row, others, "videos[].")
    beside.say(source.value["sentences"], {"id": IDS, "references": TEXTS})
    return part
