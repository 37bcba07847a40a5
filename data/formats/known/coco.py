"""COCO caption files: results of a run, or annotations, which are references."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from data.fields import names
from data.fields.keys import Fields, is_of_people, is_of_run
from data.files import printed_lists
from data.formats.columns import failed_answers, role_doubts
from data.formats.columns.run_labels import label_runs
from data.formats.known.other_fields import Beside
from data.formats.nesting.nested_records import flat
from data.records import Part, Record, Source, as_id, plain

IDS = ("image_id", "video_id", "audio_id", "item_id", "id", "_id")
RUNS = ("run", "model", "system")
TEXTS = ("caption", "text", "sentence", "prediction")

_OF_FILES = ("license", "width", "height", "date_captured")
"""Fields of images in COCO's files that do not describe their contents."""


def is_results(value: Any) -> bool:
    """Return whether a value is a list of objects with an id and one caption, or has such a list under `predictions`.

    Several objects with the same id form a set of captions.
    """
    if isinstance(value, dict) and isinstance(value.get("predictions"), list):
        value = value["predictions"]
    return isinstance(value, list) and any(
        isinstance(row, dict) and any(key in row for key in IDS) and any(key in row for key in TEXTS)
        for row in value[:20]
    )


def is_annotations(value: Any) -> bool:
    """Return whether a value is an object with `annotations`, and usually `images`.

    Return False for annotations whose captions all have another name, such as `sentences`; they are read like other
    records.
    """
    if not isinstance(value, dict) or not isinstance(value.get("annotations"), list):
        return False
    fields = {name for row in value["annotations"][:20] if isinstance(row, dict) for name in row}
    return bool(fields & {*TEXTS}) or not any(
        names.rank(name, [*names.NEUTRAL, *names.REFERENCES]) is not None for name in fields
    )


def load_results(source: Source) -> Part:
    """Read captions by `image_id` as predictions, unless the file is given as references or marks captions as
    people's.
    """
    rows = source.value["predictions"] if isinstance(source.value, dict) else source.value
    human = any(isinstance(row, dict) and printed_lists.marked(row) for row in rows[:200])
    return captions_part(source, rows, "coco_results", source.role("references" if human else "predictions"))


def load_annotations(source: Source) -> Part:
    """Read references by `image_id`, in the order of `images`, with file names as image labels.

    If the rows have only an id and a caption, they are a run's if the file's name shows it or another file is named
    after people.
    """
    beside, rows = Beside(source), source.value["annotations"]
    if _are_results(source):
        return captions_part(source, rows, "coco_results", source.role("predictions"))
    part = captions_part(source, rows, "coco_annotations", source.role("references"), beside=beside)
    for record, row in take_facts(part, source.value.get("images"), "id", (), beside, "images[]."):
        if isinstance(row.get("file_name"), str):
            record.image = as_id(row["file_name"])
            record.aliases = (record.image,) if record.image else ()
    beside.say(rows, {"id": IDS, "references": TEXTS})
    return part


def identified(
    source: Source, rows: Sequence[Any], ids: Sequence[str], fields: Fields | None = None
) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield the records that have an id, with their places and ids; report all other records, and suspicious
    `fields`.
    """
    for where, row in source.objects(rows):
        if (id := source.id(row, ids, where)) is not None:
            if fields is not None:
                source.check_fields(row, fields, where, id)
            yield where, row, id


def take_facts(
    part: Part, rows: Any, id: str, known: Sequence[str], beside: Beside, outer: str
) -> list[tuple[Record, dict[str, Any]]]:
    """Add the facts in rows about items to the items' records, and return these records with their rows.

    The rows name their items in the field that `id` states; `outer` is the path that leads to the rows.
    """
    by_id = {record.id: record for record in part.records}
    listed = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    found = [(record, row) for row in listed if (record := by_id.get(as_id(row.get(id)) or "")) is not None]
    for record, row in found:
        told, others = facts_of(row, known)
        record.metadata |= plain(told)
        beside.take([record], row, others, outer)
    return found


def _are_results(source: Source) -> bool:
    """Return whether a file has only annotations of two fields each, and its name or another file's shows that these
    are a model's.

    Return False if the role of the file is given.
    """
    rows, stems = source.value["annotations"], source.reading.stems
    bare = len(source.value) == 1 and all(isinstance(row, dict) and len(row) == 2 for row in rows)
    named = [stem for stem in stems if is_of_people(stem, ())]
    of_model = is_of_run(source.stem) or (bool(named) and source.stem not in named)
    return bare and source.reading.role is None and of_model


def facts_of(row: dict[str, Any], known: Sequence[str]) -> tuple[dict[str, Any], list[str]]:
    """Return the facts about an item in fields beyond the known ones, and the names of fields without a fact."""
    beside = {key: value for key, value in row.items() if key not in known and not _of_file(key)}
    return {k: v for k, v in beside.items() if _tells(k, v)}, [k for k, v in beside.items() if not _tells(k, v)]


def _tells(key: str, value: Any) -> bool:
    """Return whether a field describes an image's contents, such as `domain` in nocaps, rather than its file."""
    return isinstance(value, str | bool | int | float) and not _of_file(key)


def _of_file(key: str) -> bool:
    return key in _OF_FILES or key.endswith(("id", "url", "name"))


def captions_part(
    source: Source,
    rows: list[Any],
    format: str,
    role: str,
    ids: tuple[str, ...] = IDS,
    beside: Beside | None = None,
) -> Part:
    """Return the part with captions from rows of one id and one caption each; rows with the same id form a set.

    Unread fields are added to `beside`, for the caller to report; without `beside`, they are reported here.
    """
    unread_fields = beside or Beside(source)
    records: dict[str, Record] = {}
    runs: dict[str, None] = {}
    of_people = printed_lists.STATES if role == "references" else ()
    fields = Fields(TEXTS, *((name,) for name in (*RUNS, *printed_lists.MARKS, *of_people)), ids=ids)
    for where, row, id in identified(source, rows, ids, fields):
        value = next((row[key] for key in TEXTS if key in row), None)
        if role != "references" and not value and (why := failed_answers.why_missing(flat(row), [value])):
            source.log.add("failed_request", source.name, where, id, why=why)
            continue
        texts = source.captions("" if value is None else value, "caption", where, id)
        record = records.setdefault(id, Record(id, where))
        if role == "references":
            record.references += [] if source.is_withdrawn(row, where, id) else texts
        else:
            run = next((name for key in RUNS if (name := source.run_name(row.get(key), where, id))), source.run)
            runs[run] = None
            record.candidates.setdefault(run, []).extend(texts)
        unread_fields.take([record], row, [name for name in row if name in fields.unread])
    if beside is None:
        captions = "references" if role == "references" else "candidates"
        unread_fields.say(rows, {"id": ids, captions: TEXTS, "run": RUNS})
    part = Part(source.name, format, list(records.values()), len(rows), label_runs(source, runs))
    part.neutral, part.fields = source.reading.role is None, frozenset(fields.unread)
    if role != "references" and fields.unread:
        part.alike = role_doubts.of_records(rows, [*fields.unread], ids, TEXTS)
    return part


def count_all_runs(rows: list[Any]) -> bool:
    """Return whether several runs share no id, so that ids number all captions, or whether texts are in fields of two
    names.
    """
    said = {next((name for name in TEXTS if name in row), "") for row in rows if isinstance(row, dict)}
    named = [row for row in rows if isinstance(row, dict) and any(name in row for name in RUNS)]
    runs = {str([row.get(name) for name in RUNS]) for row in named}
    ids = {str(next((row[name] for name in IDS if name in row), "")) for row in named}
    return len(said - {""}) > 1 or (len(runs) > 1 and len(ids) == len(rows))
