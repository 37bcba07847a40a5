"""Fields that were not read although their texts resemble captions, and numbers that were read as captions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from data.fields.names import NO_CAPTION, REFERENCES, in_roles, rank, tells_captions, words
from data.findings import Log, TrustedText, clip, named
from data.formats.columns.assigned_roles import MOST_NAMED, ColumnRoles, option
from data.formats.columns.caption_columns import left_out
from data.formats.columns.contents import has_words, holds_texts, is_written, resembles, same_writer, values
from data.records import FieldsAlike, Part, Source

Rows = Sequence[Sequence[Any]]
_PEEK = 200
_NUMBER = r"[-+]?\d*\.?\d+(?:e[-+]?\d+)?"
_NUMBERS = re.compile(rf"\s*(?:[\w .@/-]{{1,40}}[:=]\s*)?{_NUMBER}(?P<more>(?:[\s,;|]+{_NUMBER})*)\s*", re.IGNORECASE)
"""Numbers, alone or after the name of a metric."""


def say_doubts(
    header: Sequence[str], sample: Rows, others: Sequence[int], roles: ColumnRoles, source: Source
) -> FieldsAlike | None:
    """Report references that may have been missed among `others`, and columns that may each be a run.

    Return the columns that may be references if no other file has any.
    """
    if left := left_out(header, sample, others, roles.references):
        used = [header[k] for k in roles.references]
        again = TrustedText(in_roles([("references", [*used, *left][:MOST_NAMED])]))
        source.log.add("references_left", source.name, columns=", ".join(left), used=", ".join(used), option=again)
    told = [header[k] for k in roles.predicted]
    if len(told) > 1 and not (roles.named or any(map(tells_captions, told))):
        again = TrustedText(in_roles([("candidates", [name]) for name in told[:MOST_NAMED]]))
        source.log.add("numbered_columns", source.name, columns=", ".join(told[:MOST_NAMED]), option=again)
    if roles.references or not roles.predicted:
        return None
    named = [k for k in others if rank(header[k], REFERENCES) is not None]
    for name in (header[k] for k in named if values(sample, k) and holds_texts(sample, k) and has_words(sample, k)):
        again = TrustedText(in_roles([("references", [name])]))
        source.log.add("references_unread", source.name, columns=name, option=again)
    found = [k for k in alike(header, sample, others, roles.predicted) if k not in named]
    if not found:
        return None
    runs = replace(roles, predicted=[*roles.predicted, *found], named={})
    options = option(header, replace(roles, references=found)), option(header, runs)
    return FieldsAlike(tuple(header[k] for k in found), options)


def alike(header: Sequence[str], sample: Rows, others: Iterable[int], captions: list[int]) -> list[int]:
    """Return those of the columns `others` whose texts resemble the captions in their rows but are by another
    writer.
    """
    able = [k for k in others if not set(words(header[k])) & NO_CAPTION and is_written(sample, k)]
    return [k for k in able if resembles(sample, k, captions) and not same_writer(sample, k, captions)]


def of_records(rows: Sequence[Any], others: list[str], ids: Sequence[str], texts: Sequence[str]) -> FieldsAlike | None:
    """Return those of the fields `others` that may be references, None if there are none; `ids` and `texts` are
    possible names of id and captions.
    """
    first = [row for row in rows[:_PEEK] if isinstance(row, dict)]
    used = [next((name for name in known if any(name in row for row in first)), "") for known in (ids, texts)]
    header = [*others, *used]
    sample = [[row.get(name) for name in header] for row in first]
    found = [header[k] for k in alike(header, sample, range(len(others)), [len(header) - 1])]
    people = [("id", used[:1]), ("candidates", used[1:]), ("references", found[:MOST_NAMED])]
    runs = [("id", used[:1]), ("candidates", [*used[1:], *found[:MOST_NAMED]])]
    return FieldsAlike(tuple(found), (in_roles(people), in_roles(runs))) if found else None


def check(parts: Iterable[Part], log: Log) -> None:
    """Report the fields of each file that may be references, for a study without any."""
    for part in parts:
        if part.alike is not None:
            columns = TrustedText(named([f"`{name}`" for name in part.alike.columns[:MOST_NAMED]]))
            people, runs = map(TrustedText, part.alike.options)
            log.add("texts_alike", part.file, columns=columns, option=people, runs=runs)


def are_numbers(part: Part, source: Source) -> bool:
    """Return whether a file's captions are only numbers, some with decimals or several in each, that nobody chose; if
    so, report it.

    Trilens' own format says what a caption is.
    """
    of_people = [text for one in part.records for text in one.references]
    said = (text for one in (part.keyed or part).records for of in one.candidates.values() for text in of)
    written = of_people[:_PEEK] or [*islice(said, _PEEK)]
    if source.reading.columns.captions or source.reading.format or part.format == "trilens":
        return False
    found = [_NUMBERS.fullmatch(one) for one in written]
    several = all(one and one["more"] for one in found)
    decimals = any("." in one for one in written) and not of_people
    if not (found and all(found)) or not (several or decimals):
        return False
    source.log.add("numbers_alone", source.name, example=f"`{clip(written[0])}`")
    return True
