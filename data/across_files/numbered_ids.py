"""Ids that state more than the item: the number of a caption, as in `dog#0` and `dog#1`, or the folder of a run."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Mapping, Sequence
from dataclasses import replace

from data.files.printed_lists import unknown
from data.findings import Log, TrustedText
from data.findings import named as listed
from data.formats.columns import metadata
from data.matching.match_ids import forms
from data.records import Label, Part, Record, ScoreRow
from data.run_settings import parse_name

_NUMBERED = re.compile(r"(?P<item>.+)#(?P<number>\d{1,4})", re.DOTALL)
_ENDING = re.compile(r"(?P<item>.+?)[#_:|.-]+(?:(?:s|n|sample|candidate|gen|run)[_-]?)?(?P<number>\d{1,4})", re.DOTALL)


_FOLDERS = re.compile(r"(?P<folders>.*[^/\\])[/\\]+(?P<item>[^/\\]+)", re.DOTALL)


def settle(parts: Sequence[Part], log: Log) -> None:
    """Join the records of each item in files whose ids all end in `#` and a number that counts the item's captions; add
    a finding.

    The numbers start at 0 or 1 and have no gap, some item has several captions, and no other file has any of these ids.
    Ids may also end in other marks and a number, such as `42_0` and `42-s1`, if references exist for all ids without
    these endings, and for none of the ids as written. Folders in ids are read as runs first (see `_read_folders`).
    """
    owners = Counter(id for part in parts for id in {record.id for record in part.records})
    people = {one for part in parts for record in part.records if record.references for one in _forms(record.id)}
    for part in parts:
        _read_folders(part, people, owners, log)
        found = [_NUMBERED.fullmatch(record.id) for record in part.records]
        if not found or not all(found) or any(owners[record.id] > 1 for record in part.records):
            found = _without_endings(part, people)
        if not found:
            continue
        numbers: dict[str, list[int]] = {}
        for match in filter(None, found):
            numbers.setdefault(match["item"], []).append(int(match["number"]))
        counts = (sorted(of) == list(range(min(of), min(of) + len(of))) and min(of) < 2 for of in numbers.values())
        if len(numbers) == len(found) or not all(counts):
            continue
        log.add("samples_joined", part.file, part.records[0].where, part.records[0].id, len(found))
        _join(part, [(match["item"], int(match["number"])) for match in found if match], log)


def _read_folders(part: Part, people: Container[str], owners: Mapping[str, int], log: Log) -> None:
    """Read the folders in the ids of a file as its runs, with a finding.

    Each folder must have more than half of the items, each item must have a reference, and no other record may have
    such an id.
    """
    numbers: list[ScoreRow] = [*part.scores, *part.ratings]
    ids = dict.fromkeys([*(one.id for one in part.records), *(one.item for one in numbers if one.item)])
    told = {id: _FOLDERS.fullmatch(id) for id in ids}
    beside = any(one.references or one.human or one.logprobs or one.coherence for one in part.records)
    if beside or len({*part.labels, *(one.run for one in numbers if one.run)}) > 1 or not all(told.values()):
        return
    named = {id: (" ".join(re.split(r"[/\\]", match["folders"])), match["item"]) for id, match in told.items() if match}
    items: dict[str, set[str]] = {}
    for folder, item in named.values():
        items.setdefault(folder, set()).add(item)
    every = {item for of in items.values() for item in of}
    if min(len(items), len(every)) < 2 or any(2 * len(of) <= len(every) for of in items.values()):
        return
    if any(owners[id] > 1 for id in ids) or not all(_has(people, item) for item in every):
        return
    log.add("folders_as_runs", part.file, runs=TrustedText(listed([*items])))
    for rows in (part.scores, part.ratings):
        for k, row in enumerate(rows):
            if row.item in named:
                folder, item = named[row.item]
                rows[k] = replace(row, run=folder, item=item)  # type: ignore[call-overload]
    for record in part.records:
        record.candidates = dict(zip([named[record.id][0]], record.candidates.values()))
    part.labels = {run: Label(*parse_name(run), written=run) for run in items} if part.labels else {}
    _join(part, [(named[record.id][1], 0) for record in part.records], log)


def _without_endings(part: Part, people: Container[str]) -> list[re.Match[str] | None]:
    """Return, for each id, a match that divides it into item and ending.

    Return [] unless all ids have endings, all items have references, and no id as written has any.
    """
    found: list[re.Match[str] | None] = []
    for record in part.records:
        match = _ENDING.fullmatch(record.id)
        if match is None or _has(people, record.id) or not _has(people, match["item"]):
            return []
        found.append(match)
    return found


def _has(people: Container[str], id: str) -> bool:
    return any(form in people for form in _forms(id))


def _forms(id: str) -> list[str]:
    return [id, *(form for _, form in forms(id))]


def _join(part: Part, ids: Sequence[tuple[str, int]], log: Log) -> None:
    """Join the records of each item in the order of their numbers, and move the item's scores and ratings to the new
    positions.

    Metadata that differ between these records are dropped, with a finding.
    """
    made: dict[str, Record] = {}
    differing: dict[str, None] = {}
    before: dict[str, tuple[str, Counter[str]]] = {}
    known: dict[str, Counter[str]] = {}
    for (item, _), record in sorted(zip(ids, part.records), key=lambda one: one[0][1]):
        first = made.setdefault(item, replace(record, id=item, candidates={}, references=[], coherence={}))
        before[record.id] = item, Counter({run: len(of) for run, of in first.candidates.items()})
        for run, texts in record.candidates.items():
            first.candidates.setdefault(run, []).extend(texts)
        first.references += unknown(known.setdefault(item, Counter()), record.references)
        shared = {name: of for name, of in first.metadata.items() if record.metadata.get(name) == of}
        differing |= dict.fromkeys(name for name in (first.metadata | record.metadata) if name not in shared)
        first.metadata = shared
        first.image = first.image if first.image == record.image else None
        first.aliases = tuple(name for name in first.aliases if name in record.aliases)
    metadata.say(log, "differing_columns", part.file, list(differing))
    part.records = [made[item] for item in dict.fromkeys(item for item, _ in ids)]
    for rows in (part.scores, part.ratings):
        for k, row in enumerate(rows):
            if row.item in before:
                item, counts = before[row.item]
                place = counts[row.run or ""] + (row.index or 0)
                rows[k] = replace(row, item=item, index=place)  # type: ignore[call-overload]
