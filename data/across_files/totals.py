"""Files of numbers without captions, such as the totals that evaluation programs write beside models' answers."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from data.findings import FieldTable, Finding, Log, TrustedText, named
from data.formats.numbers.caption_sheet import is_metric
from data.formats.numbers.scores import is_gap, number
from data.matching.match_ids import forms_of, is_among
from data.records import Part, Record

_NUMBERS = "numbers at its top"
"""Words in the refusal of a JSON file that contains only a number or a list of numbers."""
_LOOKED_AT = 200
_MOST_WORDS = 2
"""Maximum number of words in a cell that labels the numbers in its row, for example with a category."""


def settle(read: Mapping[str, Part | None], chosen: Iterable[str], log: Log) -> frozenset[str]:
    """Return the names of files that contain only numbers, and replace the refusal of each by a warning.

    Scores that are totals by category are dropped, and their files are included, with the same warning. Both happen
    only if another file has captions. A file whose rows are items of other files stays refused, since it can be read
    with a map. So do the `chosen` files, because a person specified how to read them.
    """
    if not any(part.records for part in read.values() if part is not None):
        return frozenset()
    items = {one.id for part in read.values() if part for one in part.records}
    refused: dict[str, list[Finding]] = {}
    for one in log.findings():
        if one.severity == "error":
            refused.setdefault(one.file, []).append(one)
    left = set()
    for name in [name for name, part in read.items() if part is None and name not in chosen]:
        (why, *more) = refused.get(name, [None])
        if why is None or more or (columns := _numbers(log.fields.get(name), why, items)) is None:
            continue
        log.forget(name, why.code)
        log.add("numbers_left", name, columns=TrustedText(f" ({named(columns)})" if columns else ""))
        left.add(name)
    for name, part in read.items():
        if part is not None and name not in chosen and _are_totals(part, items):
            log.add(
                "numbers_left", name, columns=TrustedText(f" ({named(sorted({row.metric for row in part.scores}))})")
            )
            part.scores = []
            left.add(name)
    return frozenset(left)


def leave_other_facts(parts: Sequence[Part], log: Log) -> frozenset[str]:
    """Remove the records of files that have only facts about items, none of which is in another file; add a finding per
    file, and return the names of these files.

    An example is the `run_spec.json` that HELM writes beside the answers of a model.
    """
    facts = {one.file for one in log.findings() if one.code == "facts_alone"}
    if not facts:
        return frozenset()
    known = forms_of(name for part in parts if part.file not in facts for one in part.records for name in _names(one))
    others = [part for part in parts if part.file in facts and known]
    others = [part for part in others if not any(is_among(name, known) for r in part.records for name in _names(r))]
    for part in others:
        log.forget(part.file)
        log.add("facts_of_others", part.file)
        part.records = []
    return frozenset(part.file for part in others)


def _names(record: Record) -> tuple[str, ...]:
    return record.id, *record.aliases


def _are_totals(part: Part, items: Collection[str]) -> bool:
    """Return whether a file has only totals by category: scores under a few names that have no digits and are not
    ids.
    """
    told = {row.item or "" for row in part.scores if row.run is None and row.caption is None}
    if part.records or part.labels or not told or any(row.run or row.caption for row in part.scores):
        return False
    known = forms_of(items)
    few = 2 * len(told) < min(len(items), _LOOKED_AT)
    return few and not any(re.search(r"\d", id) or is_among(id, known) for id in told)


def _numbers(found: FieldTable | None, why: Finding, items: Collection[str]) -> list[str] | None:
    """Return the numeric columns of a refused file that has no captions or items; None for any other file.

    The list is empty if the numbers of the file are in no columns. At least one column must be named or written like
    scores; the file may also have one column of words, such as categories.
    """
    if found is None:
        return (
            [] if why.code == "numbers_alone" or (why.code == "wrong_top_level" and _NUMBERS in why.problem) else None
        )
    if why.code not in ("no_texts", "no_columns", "ratings_alone"):
        return None
    columns = {name: [row[k] for row in found.rows if k < len(row)] for k, name in enumerate(found.header)}
    columns = {name: kept for name, of in columns.items() if (kept := [one for one in of if not is_gap(one)])}
    numbers = [name for name, of in columns.items() if all(map(_is_number, of))]
    words = [of for name, of in columns.items() if name not in numbers]
    if not numbers or (2 * found.count >= min(len(items), _LOOKED_AT) and _name_items(columns.values(), items)):
        return None
    scored = any(is_metric(name) or any("." in str(one) for one in columns[name]) for name in numbers)
    labelled = len(words) == 1 and all(map(_is_label, words[0]))
    return numbers if scored and (labelled or not words) else None


def _is_number(cell: Any) -> bool:
    if isinstance(cell, list):
        return all(map(_is_number, cell))
    return isinstance(cell, bool) or number(cell) is not None


def _is_label(cell: Any) -> bool:
    return isinstance(cell, str) and len(cell.split()) <= _MOST_WORDS


def _name_items(columns: Iterable[Sequence[Any]], items: Iterable[str]) -> bool:
    known = forms_of(items)
    told = ([str(one) for one in of] for of in columns)
    return any(1 < len(of) == len(set(of)) and all(is_among(one, known) for one in of) for of in told)
