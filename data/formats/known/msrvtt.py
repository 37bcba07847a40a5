"""MSR-VTT JSON (`videos` and `sentences`) as references."""

from __future__ import annotations

from typing import Any

from data.formats.known.coco import TEXTS, captions_part, take_facts
from data.formats.known.other_fields import Beside
from data.records import Part, Source

_OF_VIDEOS = ("start time", "end time")
IDS = ("video_id", "image_id", "id")


def matches(value: Any) -> bool:
    """Return whether a value is an object with a list of `sentences` that contain captions of videos."""
    if not isinstance(value, dict) or not isinstance(value.get("sentences"), list):
        return False
    rows = [row for row in value["sentences"][:20] if isinstance(row, dict) and "caption" in row]
    return bool(rows) and ("videos" in value or any("video_id" in row for row in rows))


def load(source: Source) -> Part:
    """Read references by `video_id`; the split, category and other facts of a video become its metadata."""
    beside = Beside(source)
    part = captions_part(source, source.value["sentences"], "msrvtt", source.role("references"), IDS, beside)
    take_facts(part, source.value.get("videos"), "video_id", _OF_VIDEOS, beside, "videos[].")
    beside.say(source.value["sentences"], {"id": IDS, "references": TEXTS})
    return part
