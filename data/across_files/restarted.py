"""Ids that count from the start again in several files, as those of several tasks or of the parts of one do."""

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
from data.settings import parse_name

_PART = re.compile(r"(.*[^\W_])[\s_.-]+(\d{1,4})", re.DOTALL)
_FEWEST, _SENTENCE = 2, 3
"""Number of files, or of records in one, and of the words of a sentence."""


def settle(parts: Sequence[Part], log: Log) -> None:
    """Give the items of such files different ids, with a finding: the files have captions by models and by people, and
    no reference of one is that of an item with the same id in another.

    Files that share references have the same items. If the names of the others differ in a number, as `val_0` and
    `val_1`, their ids count on; else the ids begin with what tells the names apart. The runs of files that name none
    are called after what their names have in common.
    """
    able = [part for part in parts if part.format == "table" and part.first_of is None and part.labels]
    able = [part for part in able if _counts(part) and _answers(part)]
    groups: list[list[Part]] = []
    for part in able:
        same = [group for group in groups if not _differ(group[0], part)]
        if len(same) > 1:
            return
        (same[0] if same else groups.append([]) or groups[-1]).append(part)
    if len(groups) < _FEWEST or len({len(group) for group in groups}) > 1:
        return
    stems = [stem(untimed(PurePosixPath(group[0].file).name)) for group in groups]
    numbers = [_PART.fullmatch(one) for one in stems]
    names = told_apart(stems)
    if not all(names) or len(set(names)) < len(names):
        return
    counted = all(numbers) and len({match[1] for match in numbers if match}) == 1
    if counted:
        groups = [group for _, group in sorted(zip(names, groups), key=lambda one: int(one[0]))]
    told = TrustedText(named([clip(group[0].file) for group in groups]))
    log.add("ids_restart", groups[0][0].file, n=len(groups), files=told)
    start = 0
    for name, group in zip(names, groups):
        for part in group:
            ids = [str(int(record.id) + start) if counted else f"{name}/{record.id}" for record in part.records]
            rename(part, ids)
            _share_run(part, _common(stems))
        start += len(group[0].records)


def _counts(part: Part) -> bool:
    """Return whether the ids of a file are the numbers from 0 or 1 without a gap."""
    ids = [record.id for record in part.records]
    first = 0 if "0" in ids else 1
    return len(ids) >= _FEWEST and sorted(ids) == sorted(str(k) for k in range(first, first + len(ids)))


def _answers(part: Part) -> bool:
    return all(record.references and any(record.candidates.values()) for record in part.records)


def _differ(part: Part, other: Part) -> bool:
    """Return whether two files share no reference of an item, and state no question or other sentence about all items
    alike, as those do that have other people's references of the same items.
    """
    known = {record.id: record for record in part.records}
    pairs = [(known[record.id], record) for record in other.records if record.id in known]
    if any({*one.references} & {*of.references} for one, of in pairs):
        return False
    facts = [(one.metadata, of.metadata) for one, of in pairs]
    names = [name for name, value in (facts[0][0] if facts else {}).items() if len(str(value).split()) >= _SENTENCE]
    told = {name: {str(one.get(name)) for one, _ in facts} for name in names}
    same = [name for name in names if all(one.get(name) == of.get(name) for one, of in facts)]
    return not any(len(told[name]) == len(facts) > 1 for name in same)


def _common(stems: Sequence[str]) -> str:
    """Return the words that all names begin with."""
    parts = [re.split(r"([\s_.-]+)", one) for one in stems]
    alike = [len(set(words)) == 1 for words in zip(*parts)]
    return "".join(parts[0][: [*alike, False].index(False)]).strip(" _.-")


def _share_run(part: Part, common: str) -> None:
    """Call the run of a file after what the names of all files have in common if only the file names it."""
    own, *others = part.labels
    label = part.labels[own]
    stated = label.stated - {*vars(label.settings)}
    if others or stated or not common or own not in PurePosixPath(part.file).name:
        return
    part.labels = {common: replace(label, model=parse_name(common)[0], written=common)}
    for record in part.records:
        record.candidates = {common: record.candidates[own]}
