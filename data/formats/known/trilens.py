"""Trilens JSON, and JSON Lines of items with an optional header line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from data.fields.keys import Fields
from data.findings import FieldTable, TrustedText
from data.formats.columns import run_columns
from data.formats.columns.assigned_roles import ColumnRoles, say_fields
from data.formats.columns.run_labels import label_runs
from data.formats.known.coherence import read_coherence
from data.formats.known.logprobs import FIELDS, read_logprobs
from data.formats.known.other_fields import Beside
from data.formats.nesting.nested_records import flat
from data.records import Part, Record, Source, as_id, kind, plain
from data.study import Tokenizer

REFERENCES = ("references", "reference", "refs", "ground_truth")
CANDIDATES = ("candidates", "predictions", "prediction", "candidate", "hypothesis", "generated", "caption")
BY_MODEL = ("models", "runs", "captions")
"""Additional names for candidates by run, in records other than headers."""
IDS = ("id", "_id", "image_id", "video_id")
ALL_IDS = (*IDS, "image", "file_name", "filename", "video", "audio")
"""Names for an id; names of files count only if captions are given by run and there is no surer name."""
TOKENIZERS: tuple[Tokenizer, ...] = ("zh", "char")
"""Character tokenizers, which a header may name."""
HEAD = ("dataset", "runs", "models", "items", "tokenizer", "synthetic")
OTHERS = ("image", "cluster", "metadata", "human", "coherence", *FIELDS)

_WHERE = TrustedText(" In Trilens JSON, facts about an item belong in `metadata`.")
_NUMBER = re.compile(r"\d+(\.\d+)?")
_TOLD, _LOOKED_AT = ("id", "candidates", "references"), 200


def matches(value: Any) -> bool:
    """Return whether a value is an object with `items`, the header of a study without items, an item with an id, or a
    list with items or a header among its first objects.

    An item has references or captions by run.
    """
    if isinstance(value, dict):
        one = _is_item(value) and any(isinstance(value.get(key), str | int | float) for key in IDS)
        return isinstance(value.get("items"), list) or one or (value.get("runs") == {} and value.keys() <= {*HEAD})
    return isinstance(value, list) and any(
        isinstance(row, dict) and (_is_item(row) or _is_header(row)) for row in value[:20]
    )


def _is_item(row: dict[str, Any]) -> bool:
    told = [type(row[name]) for name in CANDIDATES if row.get(name) is not None]
    if told[:1] in ([int], [float]) and str in told:
        return False  # a number beside the caption, such as the `prediction` of MetricX, is its score
    return any(isinstance(row.get(key), dict) for key in ("candidates", "captions")) or any(
        key in row for key in REFERENCES
    )


def _is_header(row: dict[str, Any]) -> bool:
    return isinstance(row.get("runs"), dict) and "candidates" not in row and not any(key in row for key in IDS)


def load(source: Source) -> Part:
    """Read items with references and the candidates of named runs, in the order of `runs`."""
    head, rows = _split(source.value)
    records, beside = [], Beside(source)
    fields = Fields(REFERENCES, (*CANDIDATES, *BY_MODEL), *((name,) for name in OTHERS), ids=ALL_IDS)
    beside.take([], head, [name for name in head if name not in HEAD])
    for where, row in source.objects(rows):
        if _is_header(row):
            head = _merge_headers(source, head, row, where) if head else row
            continue
        id = source.id(row, ALL_IDS, where)
        if id is not None:
            source.check_fields(row, fields, where, id)
            records.append(_record(source, row, id, where))
            beside.take(records[-1:], row, [name for name in row if name in fields.unread])
    stated = _stated_labels(source, first(head, ("runs", "models")))
    names = dict.fromkeys([*stated, *(name for record in records for name in record.candidates)])
    beside.take(records, head, [name for name in head if name not in HEAD])
    roles = {"id": ALL_IDS, "candidates": (*CANDIDATES, *BY_MODEL), "references": REFERENCES}
    items = [row for row in rows if isinstance(row, dict) and not _is_header(row)]
    beside.say(items, roles, OTHERS, _WHERE)
    _say_read(source, items[:_LOOKED_AT])
    dataset = head.get("dataset")
    return Part(
        file=source.name,
        format="trilens",
        records=records,
        n_records=len(rows),
        labels=label_runs(source, names, stated),
        dataset=as_id(dataset) if isinstance(dataset, str) else None,
        tokenizer=told if (told := head.get("tokenizer")) in TOKENIZERS else None,
        synthetic=head.get("synthetic") is True,
    )


def _say_read(source: Source, rows: list[dict[str, Any]]) -> None:
    """Report which fields were read, and keep the first records, if any field's name differs from the name of its
    role.
    """
    known = {"id": ALL_IDS, "candidates": (*CANDIDATES, *BY_MODEL), "references": REFERENCES}
    if source.reading.role == "references":
        del known["candidates"]
    read = {name: role for row in rows for role, names in known.items() if (name := _first_name(row, names))}
    if all(name == role for name, role in read.items()):
        return
    table = _first_fields(source, rows)
    roles = {path: read[name] for path in table.header if (name := path.partition(".")[0].removesuffix("[]")) in read}
    ids, predicted, people = ([k for k, path in enumerate(table.header) if roles.get(path) == of] for of in _TOLD)
    found = ColumnRoles(next(iter(ids), -1), predicted=predicted, references=people)
    found.named = run_columns.runs_by_name(table.header, found.predicted)
    source.log.fields.setdefault(source.name, replace(table, roles=roles, count=len(rows)))
    say_fields(table.header, found, source)


def _first_fields(source: Source, rows: Sequence[Any]) -> FieldTable:
    first = [flat(row) for row in rows[:3] if isinstance(row, dict)]
    header = tuple(dict.fromkeys(name for row in first for name in row))
    return FieldTable(source.name, header, tuple(tuple(row.get(name) for name in header) for row in first))


def _first_name(row: dict[str, Any], names: tuple[str, ...]) -> str:
    return next((name for name in names if row.get(name) is not None), "")


def _merge_headers(source: Source, first: dict[str, Any], second: dict[str, Any], where: str) -> dict[str, Any]:
    """Merge two headers, with a finding; the first takes precedence."""
    one, other = first.get("runs"), second["runs"]
    if not isinstance(one, dict):
        one = {}
    differing = [name for name in other if name in one and one[name] != other[name]]
    source.log.add("second_header", source.name, where, "; ".join(differing[:3]))
    return {**second, **first, "runs": {**one, **{name: told for name, told in other.items() if name not in one}}}


def _stated_labels(source: Source, runs: Any) -> dict[str, Any]:
    if not isinstance(runs, dict):
        if runs is not None:
            source.log.add("ignored_field", source.name, field="runs", why=f"it is {kind(runs)}, not an object")
        return {}
    # Names are cleaned as in the records, so that the settings under an odd name still reach their run.
    told: dict[str, Any] = {}
    for name, value in runs.items():
        if (made := source.run_name(name)) is not None:
            told.setdefault(made, value)
    return told


def _split(value: Any) -> tuple[dict[str, Any], list[Any]]:
    if isinstance(value, list):
        return {}, value
    if isinstance(value.get("items"), list):
        return value, value["items"]
    return {}, [value]


def _record(source: Source, row: dict[str, Any], id: str, where: str) -> Record:
    record = Record(id, where, source.captions(first(row, REFERENCES), "reference", where, id))
    record.candidates = _candidates(source, first(row, (*CANDIDATES, *BY_MODEL)), where, id)
    record.image = image(source, row.get("image"), where, id)
    record.cluster = image(source, row.get("cluster"), where, id, "cluster") or ""
    record.metadata = metadata(source, row.get("metadata"), where, id)
    record.human = metadata(source, row.get("human"), where, id, "human")
    read_logprobs(source, row, record)
    read_coherence(source, row, record)
    return record


def first(row: dict[str, Any], keys: tuple[str, ...]) -> Any:
    """Return the value of the first of `keys` that is in the row and not null."""
    return next((row[key] for key in keys if row.get(key) is not None), None)


def _candidates(source: Source, value: Any, where: str, id: str) -> dict[str, list[str]]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        value = {source.run: value}
    made: dict[str, list[str]] = {}
    for name, captions in _by_run(value):
        run = source.run_name(name, where, id)
        if run is None:
            source.log.add("ignored_field", source.name, where, id, field="candidates", why="a run has no usable name")
        else:
            made.setdefault(run, []).extend(source.captions(captions, "candidate", where, id))
    return made


def _by_run(value: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield captions by run.

    If they are nested by temperature or another setting, each pair of model and setting is a run.
    """
    for name, captions in value.items():
        if isinstance(captions, dict) and captions and all(isinstance(one, list) for one in captions.values()):
            for key, texts in captions.items():
                yield f"{name}@{'T=' if _NUMBER.fullmatch(key.strip()) else ''}{key.strip()}", texts
        else:
            yield name, captions


def image(source: Source, value: Any, where: str, id: str, field: str = "image") -> str | None:
    """Return the label of an item's image: a file name, or a path in a folder that is chosen later. The image is never
    opened here.

    Return None if the value is missing or, with a finding, not text.
    """
    label = as_id(value) if isinstance(value, str) else None
    if label is None and value is not None:
        source.log.add("ignored_field", source.name, where, id, field=field, why=f"it is {kind(value)}, not a name")
    return label


def metadata(source: Source, value: Any, where: str, id: str, field: str = "metadata") -> dict[str, Any]:
    """Return an object as plain values; {} if it is missing or, with a finding, not an object or nested too deeply."""
    if value is None:
        return {}
    try:
        if not isinstance(value, dict):
            raise ValueError(f"it is {kind(value)}, not an object")
        return plain(value)
    except ValueError as error:
        source.log.add("ignored_field", source.name, where, id, field=field, why=error)
        return {}
