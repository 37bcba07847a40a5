"""Find runs whose names show that people wrote their captions, and turn them into references on request."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from dataclasses import replace

from data.findings import Log, TrustedText, named
from data.matching.near_names import misspelt, nearest
from data.records import Label, Part, Record

NAMES = ("reference", "references", "human", "humans", "people", "ground truth", "groundtruth", "gt")
"""Names that denote people rather than a model, in upper or lower case, with or without a number."""
_SHORT = ("ref", "refs")
"""Further such names, used in evaluations of translations; misspellings of words so short are not sought."""
_LETTER = re.compile(r" [a-h]$")
"""A letter that distinguishes several people: `human A`."""
_BETWEEN = re.compile(r"[\W_\d]+|^(?:the|original)[\W_]+", re.IGNORECASE)


def check(parts: Iterable[Part], fixes: Container[str], log: Log) -> list[Part]:
    """Report runs whose names mean people, even if misspelt; make them references if
    `people_as_references` is chosen.
    """
    given = list(parts)
    found = [(part, name) for part in given for name, label in part.labels.items() if _is_of_people(name, label)]
    written = any(record.references for part in given for record in part.records)
    taken = "people_as_references" in fixes
    code = "people_taken" if taken else "people_as_run_too" if written else "people_as_run"
    for part in given:
        if names := [name for other, name in found if other is part]:
            meant = misspelt((_plain(name) for name in names if not of_people_by_name(name)), NAMES)
            log.add(code, part.file, *_first(part, names[0]), hint=meant, names=TrustedText(named(names)))
    if not found or not taken:
        return given
    return [_taken(part, [name for other, name in found if other is part]) for part in given]


def are_due(parts: Iterable[Part]) -> bool:
    """Return whether runs with correctly spelt names of people become references by default.

    They do if there are no references, another run describes one of their items, and none of them has ratings, scores
    or judgments, which would show that its captions are to be compared. Runs that a file lists as runs stay runs.
    """
    given = list(parts)
    records = [record for part in given for record in part.records]
    named = {run for part in given for run, label in part.labels.items() if _is_by_name(run, label, part)}
    judged = {row.run for part in given for row in (*part.ratings, *part.scores)}
    judged |= {side.run for part in given for row in part.preferences for side in (row.first, row.second)}
    if not named or named & judged or any(record.references or named & {*record.human} for record in records):
        return False
    others = {record.id for record in records if {*record.candidates} - named}
    return any(record.id in others and named & {*record.candidates} for record in records)


def of_people_by_name(name: str) -> bool:
    """Return whether the name of a run or model shows that people wrote the captions."""
    return _LETTER.sub("", _plain(name)) in (*NAMES, *_SHORT)


def _is_by_name(name: str, label: Label, part: Part) -> bool:
    declared = part.format.startswith("trilens") and "model" in label.stated
    return not declared and any(map(of_people_by_name, (name, label.model)))


def _is_of_people(name: str, label: Label) -> bool:
    return any(of_people_by_name(said) or _misspelt(said) for said in (name, label.model))


def _misspelt(name: str) -> str | None:
    return None if of_people_by_name(name) else nearest(_plain(name), NAMES)


def _plain(name: str) -> str:
    return _BETWEEN.sub(" ", name).strip().casefold()


def _first(part: Part, name: str) -> tuple[str, str]:
    record = next((one for one in part.records if one.candidates.get(name)), None)
    if record is None:
        return part.labels[name].where, ""
    return part.labels[name].where or record.where, record.id


def _taken(part: Part, names: list[str]) -> Part:
    """Return the part with the captions of these runs appended to the references of their items."""
    if not names:
        return part
    labels = {name: label for name, label in part.labels.items() if name not in names}
    return replace(part, labels=labels, records=[_with_references(record, names) for record in part.records])


def _with_references(record: Record, names: list[str]) -> Record:
    references, coherence = list(record.references), list(record.references_coherence)
    for name in names:
        texts, labels = record.candidates.get(name, []), record.coherence.get(name)
        if labels:
            coherence += [""] * (len(references) - len(coherence)) + labels
        references += texts
    made = replace(record, references=references, references_coherence=coherence)
    for field in ("candidates", "coherence", "logprobs", "oracle_logprobs", "reference_logprobs", "human"):
        setattr(made, field, {run: one for run, one in getattr(record, field).items() if run not in names})
    return made
