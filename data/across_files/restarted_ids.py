"""Ids that restart in each of several files, such as files of different tasks or of parts of one task."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from data.across_files.file_names import untimed
from data.files.blobs import stem
from data.findings import Log, TrustedText, clip, named
from data.formats.columns.run_scores import told_apart
from data.records import Part, rename
from data.run_settings import parse_name

_PART = re.compile(r"(.*[^\W_])[\s_.-]+(\d{1,4})", re.DOTALL)
_MARKS = " _.:/-"
_FEWEST, _SENTENCE = 2, 3
"""Minimum number of files and of records per file; minimum number of words in a sentence."""


def settle(parts: Sequence[Part], log: Log) -> None:
    """If ids restart in several files with captions by models and by people, give their items new ids that differ
    between the files; add a finding.

    Files whose items with the same id have no reference in common describe different items. Files that do have
    references in common describe the same items. If the names of the files differ only in a number, such as `val_0` and
    `val_1`, the ids are numbered consecutively; otherwise each id begins with the part of the name that differs. A run
    that no field names is named after the rest of the file's name.
    """
    able = [part for part in parts if part.format == "table" and part.first_of is None and part.labels]
    able = [part for part in able if _counts(part) and _answers(part)]
    groups: list[list[Part]] = []
    for part in able:
        same = [group for group in groups if not _differ(group[0], part)]
        if len(same) > 1:
            return
        if same:
            same[0].append(part)
        else:
            groups.append([part])
    if len(groups) < _FEWEST or len({len(group) for group in groups}) > 1:
        return
    stems = [stem(untimed(PurePosixPath(group[0].file).name)) for group in groups]
    numbers = [_PART.fullmatch(one) for one in stems]
    names = told_apart(stems)
    if not all(names) or len(set(names)) < len(names):
        return
    counted = all(numbers) and len({match[1] for match in numbers if match}) == 1
    told = [*zip(names, groups)]
    if counted:
        told.sort(key=lambda one: int(one[0]))
    files = TrustedText(named([clip(group[0].file) for _, group in told]))
    log.add("ids_restart", told[0][1][0].file, n=len(told), files=files)
    start = 0
    for name, group in told:
        for part in group:
            ids = [str(int(record.id) + start) if counted else f"{name}/{record.id}" for record in part.records]
            rename(part, ids)
            part.by_place = False
            _share_run(part, name)
        start += len(group[0].records)


def _counts(part: Part) -> bool:
    """Return whether the ids of a file are consecutive numbers from 0 or 1."""
    ids = [record.id for record in part.records]
    first = 0 if "0" in ids else 1
    return len(ids) >= _FEWEST and sorted(ids) == sorted(str(k) for k in range(first, first + len(ids)))


def _answers(part: Part) -> bool:
    return all(record.references and any(record.candidates.values()) for record in part.records)


def _differ(part: Part, other: Part) -> bool:
    """Return whether two files seem to describe different items under the same ids.

    Items with the same id have no reference in common. Nor does any field of sentences, such as questions, have the
    same value in both files for all these items, as it would if different people had described them. Files without ids
    have no value of a field in common.
    """
    if part.by_place and any({*told} & {*other.told.get(name, ())} for name, told in part.told.items()):
        return False
    known = {record.id: record for record in part.records}
    pairs = [(known[record.id], record) for record in other.records if record.id in known]
    if any({*one.references} & {*of.references} for one, of in pairs):
        return False
    facts = [(one.metadata, of.metadata) for one, of in pairs]
    names = [name for name, value in (facts[0][0] if facts else {}).items() if len(str(value).split()) >= _SENTENCE]
    told = {name: {str(one.get(name)) for one, _ in facts} for name in names}
    same = [name for name in names if all(one.get(name) == of.get(name) for one, of in facts)]
    return not any(len(told[name]) == len(facts) > 1 for name in same)


def _before(own: str, name: str) -> str:
    """Return the part of a file name before the first word of `name`: `blip` in `blip_coco_val` for `coco`.

    If nothing stands before this word, return what follows it.
    """
    parts = re.split(r"([\s_.:/-]+)", own)
    word = re.split(r"[\s_.:/-]+", name)[0]
    place = parts.index(word) if word in parts else len(parts)
    return "".join(parts[:place]).strip(_MARKS) or "".join(parts[place + 1 :]).strip(_MARKS)


def _share_run(part: Part, name: str) -> None:
    """Remove the name of the task or part from the name of a run, if the run is named only after its file."""
    own, *others = part.labels
    common = _before(stem(untimed(PurePosixPath(part.file).name)), name)
    label = part.labels[own]
    stated = label.stated - {*vars(label.settings)}
    named = re.search(rf"(?<!\w){re.escape(own)}(?!\w)", PurePosixPath(part.file).name)
    if others or stated or not (common and named):
        return
    part.labels = {common: replace(label, model=parse_name(common)[0], written=common)}
    for record in part.records:
        record.candidates = {common: record.candidates[own]}
    part.scores = [replace(row, run=common) if row.run == own else row for row in part.scores]
    part.ratings = [replace(row, run=common) if row.run == own else row for row in part.ratings]
