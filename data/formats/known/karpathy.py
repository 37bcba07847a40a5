"""A Karpathy split file (`dataset_coco.json`, `dataset_flickr30k.json`) as references."""

from __future__ import annotations

from typing import Any

from data.formats.known.coco import facts_of, identified
from data.formats.known.other_fields import Beside
from data.records import Part, Record, Source, as_id, plain

_OF_SENTENCES = ("tokens", "raw", "imgid", "sentid", "text", "caption", "sentence")
IDS = ("cocoid", "imgid", "filename")


def matches(value: Any) -> bool:
    """Return whether a value is an object with `images` that contain `sentences`."""
    return (
        isinstance(value, dict)
        and isinstance(value.get("images"), list)
        and any(isinstance(row, dict) and isinstance(row.get("sentences"), list) for row in value["images"][:20])
    )


def load(source: Source) -> Part:
    """Read references by the first of `IDS`; the file name is an alias of the item and, preceded by its folder, the
    image label.
    """
    records = []
    beside = Beside(source)
    for where, row, id in identified(source, source.value["images"], IDS):
        record = Record(id, where, source.captions(row.get("sentences"), "reference", where, id))
        filename = as_id(row.get("filename")) if isinstance(row.get("filename"), str) else None
        folder = row.get("filepath")
        record.image = f"{folder}/{filename}" if filename and isinstance(folder, str) and folder else filename
        also = [filename, *(as_id(row.get(key)) for key in ("imgid",) if "cocoid" not in row)]
        record.aliases = tuple(name for name in also if name and name != id)
        told, others = facts_of(row, (*IDS, "filepath", "sentids", "sentences"))
        record.metadata = plain(told)
        said = row.get("sentences")
        beside.take([record], row, others, "images[].")
        for one in said if isinstance(said, list) else ():
            if isinstance(one, dict):
                beside.take([record], one, [key for key in one if key not in _OF_SENTENCES], "images[].sentences[].")
        records.append(record)
    dataset = source.value.get("dataset")
    named = as_id(dataset) if isinstance(dataset, str) else None
    rows = source.value["images"]
    shown = [{key: row[key] for key in (*IDS, "sentences") if key in row} for row in rows[:3] if isinstance(row, dict)]
    beside.say(shown, {"id": IDS, "references": ("sentences",)})
    return Part(source.name, "karpathy", records, len(rows), dataset=named)
