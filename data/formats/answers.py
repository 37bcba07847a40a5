"""Texts before an answer or in its place: errors of requests, and verdicts of tests."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from data.formats import facts
from data.formats.names import norm
from data.formats.sampled import values
from data.formats.stated import ColumnRoles
from data.records import Source, as_id

Rows = Iterator[tuple[str, Sequence[Any]]]
_VERDICT = re.compile(r"\[(?:PASS|FAIL|ERROR)\]\s+(?:\([\d.]+\)\s+)?(?:.*?\n---\n)?", re.DOTALL)
"""The prefix of an answer in promptfoo: whether it passed, its score, and why it failed."""
_ERROR = frozenset(["error", "errors", "exception", "failure"])
_STATUS = "status"
"""Word in the names of fields that, like those in `_ERROR`, give the reason for a missing answer.

A status explains only an answer that is None, an error also one that is "".
"""


def without_verdicts(
    rows: Rows, header: Sequence[str], roles: ColumnRoles, source: Source, sample: Sequence[Sequence[Any]]
) -> Rows:
    """Strip the verdicts before captions in columns where every caption begins with one."""
    filled = {k: values(sample, k) for k in roles.predicted}
    judged = {k for k, cells in filled.items() if cells and all(_VERDICT.match(str(cell)) for cell in cells)}
    facts.say(source.log, "verdicts", source.name, [header[k] for k in sorted(judged)])
    if not judged:
        return rows
    return (
        (where, [_VERDICT.sub("", str(cell), count=1) if k in judged and cell else cell for k, cell in enumerate(row)])
        for where, row in rows
    )


def without_failed(rows: Rows, header: Sequence[str], roles: ColumnRoles, source: Source) -> Rows:
    """Drop the rows that have an error in place of an answer."""
    called = [set(norm(name).replace(".", "_").split("_")) for name in header]
    errors = [k for k, words in enumerate(called) if words & {*_ERROR, _STATUS}]
    for where, row in rows:
        said = {k: row[k] for k in errors if isinstance(row[k], str) and row[k].strip()}
        empty = (None, "") if any(called[k] & _ERROR for k in said) else (None,)
        told = list(said.values())
        if told and roles.predicted and all(row[k] in empty for k in roles.predicted):
            id = as_id(row[roles.id]) if roles.id >= 0 else None
            source.log.add(
                "failed_request",
                source.name,
                where,
                id or "",
                why=max(told, key=lambda text: (text.count(" "), len(text))),
            )
        else:
            yield where, row
