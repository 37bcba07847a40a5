"""Files that each contain the record of one item, such as `dog.json` and `bus.json`, and are read like one file of
records.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

import orjson

from data.fields.names import IDS, NEUTRAL, PREDICTED, REFERENCES, VAGUE_IDS, no_caption, norm
from data.files.blobs import Blob
from data.findings import Log
from data.formats.nesting.value_kinds import are_objects

_ANSWERS = frozenset(["choices", "candidates", "content"])
"""Fields with the answers in a response by the servers of OpenAI, Google and Anthropic."""
Given = tuple[Blob, bool]
"""A file, and whether its captions are always read as references."""
_LONGEST = 100_000
"""Maximum size in bytes of a file that contains the record of one item."""
_IDS = frozenset(IDS) - VAGUE_IDS
_FILE = "file_name"
"""The field with the file's name that is added to a record without an id."""
_CAPTIONS = frozenset([*PREDICTED, *REFERENCES, *NEUTRAL])


def single_records_joined(given: Sequence[Given], log: Log) -> list[Given]:
    """Return the files; those that each contain one record are joined by folder.

    JSON files in one folder that each contain one object become one file if their objects describe different items; a
    finding is added.
    """
    folders: dict[tuple[PurePosixPath, bool], dict[int, dict[str, Any]]] = {}
    for place, (blob, forced) in enumerate(given):
        if record := _record(blob):
            folders.setdefault((PurePosixPath(blob.name.replace("\\", "/")).parent, forced), {})[place] = record
    made: dict[int, Given] = dict(enumerate(given))
    for (folder, forced), records in folders.items():
        if not _are_items(records.values()):
            continue
        places = list(records)
        stem = folder.name.removesuffix(".zip") or "records"
        whole = replace(
            given[places[0]][0], name=str(folder / f"{stem}.json"), content=orjson.dumps([*records.values()])
        )
        log.add("records_joined", whole.name, count=len(places), n=len(places))
        for place in places[1:]:
            del made[place]
        made[places[0]] = (whole, forced)
    return [made[place] for place in sorted(made)]


def _record(blob: Blob) -> dict[str, Any]:
    """Return the object in a small JSON file; {} for other files.

    The name of the file is put first if the object has no id or is the response of a model. An object that has neither
    an id nor captions also gives {}. A file of JSON Lines with a single object is read elsewhere, as a table of one
    row.
    """
    if (
        blob.name.lower().endswith((".jsonl", ".ndjson", ".jsonlines"))
        or len(blob.content) > _LONGEST
        or not blob.content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")
    ):
        return {}
    try:
        found = orjson.loads(blob.content.removeprefix(b"\xef\xbb\xbf"))
    except ValueError:
        return {}
    answers = _ANSWERS & found.keys() if isinstance(found, dict) else frozenset()
    if not isinstance(found, dict) or not all(_is_fact(one) for key, one in found.items() if key not in answers):
        return {}
    if any(are_objects(found[key]) for key in answers):
        return {_FILE: blob.stem, **found}
    has_id = any(norm(key) in _IDS and isinstance(value, str | int) for key, value in found.items())
    one_text = any(norm(key) in _CAPTIONS and isinstance(value, str) for key, value in found.items())
    return found if has_id else {_FILE: blob.stem, **found} if one_text or _has_people(found) else {}


def _has_people(found: dict[str, Any]) -> bool:
    """Return whether an object has a list of references beside a sentence, or beside a list of another length.

    Lists of equal lengths may be columns.
    """
    lists = {len(value) for value in found.values() if isinstance(value, list)}
    texts = [value for key, value in found.items() if isinstance(value, str) and not no_caption(key)]
    apart = len(lists) > 1 or any(len(text.split()) > 2 for text in texts)
    return apart and any(norm(key) in REFERENCES and isinstance(of, list) for key, of in found.items())


def _is_fact(value: Any, depth: int = 2) -> bool:
    """Return whether a value is plain, or a list or nested object of plain values, rather than a list of records."""
    if isinstance(value, dict):
        return depth > 0 and all(_is_fact(one, depth - 1) for one in value.values())
    return not isinstance(value, list) or not any(isinstance(one, dict | list) for one in value)


def _are_items(records: Iterable[dict[str, Any]]) -> bool:
    """Return whether there are several records, which have the same fields and different ids.

    Records with the same references, and answers of different models, do not count: they may belong to one item.
    """
    rows = list(records)
    fields = {frozenset(row) for row in rows}
    said = [str(row[key]) for row in rows if _FILE in row for key in row if norm(key) in REFERENCES]
    if len(set(said)) < len(said):  # records with the same references may be those of one item by several runs
        return False
    if len({str(row.get("model")) for row in rows if _ANSWERS & row.keys()}) > 1:  # each is a run's
        return False
    ids = [key for key in rows[0] if norm(key) in _IDS]
    return len(rows) > 1 and len(fields) == 1 and any(len({str(row[key]) for row in rows}) > 1 for key in ids)
