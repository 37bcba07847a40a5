"""Files of requests, such as LLaVA's questions, which name the picture of each answer, facts about it, and its
settings.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any

import orjson

from data.fields.names import ALSO_CALLED, are_requests, leaf
from data.fields.word_lists import in_name
from data.files.blobs import Blob, stem
from data.findings import Log
from data.formats.nesting.nested_records import flat
from data.records import Asked, Part, Record, as_id
from data.run_settings import SETTING_NAMES

_IDS = ("custom_id", "key", "recordId")
"""Fields with the id that a request shares with its answer: OpenAI and Anthropic use the first, Gemini the second, and
Bedrock the third.
"""
_QUESTIONS = {"question", "questions", "prompt", "prompts", "query", "queries"}
"""Words in the names of files of questions."""
_LOOKED_AT = 100
"""Maximum number of records per file whose facts are compared with the texts of other files."""


def asked(blobs: Iterable[Blob]) -> tuple[Asked, ...]:
    """Return those files that contain requests as JSON Lines, each with the settings of its requests by id."""
    return tuple(Asked(blob.name, of) for blob in blobs if (of := _settings(blob.content)))


def _settings(content: bytes) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    first = content[: content.find(b"\n") + 1]
    named = first.startswith(b'{"') and any(f'"{name}"'.encode() in first for name in _IDS)
    for line in filter(None, content.split(b"\n")) if named else ():
        try:
            fields = flat(row) if isinstance(row := orjson.loads(line), dict) else {}
        except orjson.JSONDecodeError:
            return {}
        id = next((id for name in _IDS if (id := as_id(fields.get(name))) is not None), None)
        if id is None or not are_requests(list(fields)):
            return {}
        called = {ALSO_CALLED.get(leaf(path), leaf(path)): value for path, value in fields.items()}
        found[id] = {name: value for name, value in called.items() if name in SETTING_NAMES}
    return found


def with_settings(rows: list[dict[str, Any]], given: Sequence[Asked], file: str, log: Log) -> list[dict[str, Any]]:
    """Return the records of answers with the settings of their requests, and add a finding.

    If several files have requests for all the answers, the one whose name differs from that of the answers only in
    words such as `input` is used. If there is no such file, or more than one, the records are returned unchanged.
    """
    given = [] if file in {one.file for one in given} else given
    ids = [next((id for name in _IDS if (id := as_id(row.get(name))) is not None), "") for row in rows if given]
    able = [one for one in given if ids and set(ids) <= one.settings.keys() and any(one.settings.values())]
    able = able if len(able) < 2 else [one for one in able if _bare(one.file) == _bare(file)]
    if len(able) != 1:
        return rows
    told = able[0].settings
    log.add(
        "requests_joined", file, other=able[0].file, fields=", ".join({key: 0 for of in told.values() for key in of})
    )
    return [{**row, "request": told[id]} for id, row in zip(ids, rows)]


def answered(given: Iterable[Asked], parts: Sequence[Part]) -> set[str]:
    """Return the names of the files of requests that another file answers: the ids of all its captions are ids of
    requests.
    """
    known = [{record.id for record in part.records} for part in parts if part.labels]
    return {one.file for one in given if any(ids and ids <= one.settings.keys() for ids in known)}


def _bare(name: str) -> frozenset[str]:
    words = {"input", "inputs", "output", "outputs", "request", "requests", "response", "responses", "results"}
    return frozenset(in_name(name)) - words


def settle(parts: Sequence[Part], log: Log) -> None:
    """Add the aliases and facts in a file of requests to the answers with the same ids, and drop the requests, with a
    finding.

    A file contains requests if every item has an alias, and all items have the same text or none. A file whose authors
    no field shows also contains requests if another file states most of its texts beside captions under the same ids,
    or if all words of its name are words for questions.
    """
    stated = {
        str(value)
        for one in parts
        if one.labels and one.fields
        for record in one.records[:_LOOKED_AT]
        for value in record.metadata.values()
    }
    for part in parts:
        if not (_may_ask(part) or (part.neutral and _may_be_stated(part, stated))):
            continue
        ids = {record.id for record in part.records}
        answers = [one for one in parts if one is not part and one.labels and {r.id for r in one.records} <= ids]
        told = [one for one in answers if part.neutral and one.fields and _asks(part, one)]
        if not answers or not (_may_ask(part) or told):
            continue
        if any(record.references for one in answers for record in one.records):
            continue
        asked = {record.id: record for record in part.records}
        facts = {id: {} if are_requests(sorted(part.fields)) else of.metadata for id, of in asked.items()}
        for one in answers:
            for record in one.records:
                record.aliases = (*record.aliases, *asked[record.id].aliases)
                record.metadata = {**facts[record.id], **record.metadata}
            one.records = _by_picture(one.records, {id: of.aliases for id, of in asked.items()})
        log.forget(part.file, "not_text")
        log.add("requests", part.file, other=answers[0].file)
        part.labels, part.records = {}, []


def _asks(part: Part, other: Part) -> bool:
    """Return whether `other` states the texts of `part` as facts of most items, or `part` is named for questions."""
    if _is_named_so(part):
        return True
    said = {record.id: {text for of in record.candidates.values() for text in of} for record in part.records}
    shared = sum(bool(said[record.id] & set(map(str, record.metadata.values()))) for record in other.records)
    return 2 * shared > len(other.records)


def _may_be_stated(part: Part, stated: Container[str]) -> bool:
    """Return whether a file is named for questions, or any of its texts is in `stated`, the facts beside captions."""
    texts = (text for record in part.records for of in record.candidates.values() for text in of)
    return _is_named_so(part) or any(text in stated for text in texts)


def _is_named_so(part: Part) -> bool:
    return set(in_name(stem(part.file))) <= _QUESTIONS


def _may_ask(part: Part) -> bool:
    """Return whether a file has several items, each with an alias and none with references.

    If its items have texts, each item has just one, and it is the same for all.
    """
    told = {tuple(texts) for record in part.records for texts in record.candidates.values()}
    whole = all(record.aliases and not record.references for record in part.records)
    one = len(told) == 1 and len(next(iter(told))) == 1 and part.neutral
    return len(part.records) > 1 and whole and (one or not told)


def _by_picture(records: list[Record], pictures: Mapping[str, tuple[str, ...]]) -> list[Record]:
    """Join the records of each picture, and name them after it, if each run has at most one answer per picture.

    Return the records unchanged otherwise.
    """
    found: dict[tuple[str, ...], list[Record]] = {}
    for record in records:
        found.setdefault(pictures[record.id] or (record.id,), []).append(record)
    runs = [[run for record in of for run in record.candidates] for of in found.values()]
    if len(found) == len(records) or any(len(set(of)) < len(of) for of in runs):
        return records
    for (name, *_), (first, *others) in found.items():
        first.id, first.aliases = name, ()
        for one in others:
            first.candidates |= one.candidates
            first.metadata = {key: of for key, of in first.metadata.items() if one.metadata.get(key) == of}
    return [of[0] for of in found.values()]
