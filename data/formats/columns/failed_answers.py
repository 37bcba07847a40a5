"""Texts before an answer or in its place: errors of requests, and verdicts of tests."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Any

from data.fields import names
from data.fields.names import norm
from data.findings import uncoloured
from data.formats.columns import metadata
from data.formats.columns.assigned_roles import ColumnRoles
from data.formats.columns.caption_columns import ranked
from data.formats.columns.contents import are_sentences, cell_of, values
from data.records import Source, as_id

Rows = Iterator[tuple[str, Sequence[Any]]]
_VERDICT = re.compile(r"\[(?:PASS|FAIL|ERROR)\]\s+(?:\([\d.]+\)\s+)?(?:.*?\n---\n)?", re.DOTALL)
"""The prefix of an answer in promptfoo: whether it passed, its score, and why it failed."""
_TESTED = re.compile(r"\[(?:PASS|FAIL)\]\s")
_FAILED = "[ERROR]"
FAILED = object()
"""A cell without an answer, which is not the same as an empty answer."""
_ERROR = frozenset(["error", "errors", "exception", "failure"])
_NO_ANSWER = "no answer"
_STATUS = "status"
"""The word, beside those in `_ERROR`, in the names of fields that give the reason for a missing answer.

A status explains only an answer that is None; an error also explains an answer that is "".
"""


def named(header: Sequence[str], sample: Sequence[Sequence[Any]]) -> list[str] | None:
    """Return the header with new names for columns in which each cell begins with a verdict; None without such columns.

    A name such as `[openai:gpt-4] Describe it` stays, because it names the run, as do known names of captions. Another
    column is named `output`; if there are several, they are also named after numbered prompts.
    """
    columns = [k for k in range(len(header)) if (of := values(sample, k)) and all(_VERDICT.match(str(c)) for c in of)]
    known = [*names.PREDICTED, *names.NEUTRAL]
    bare = [k for k in columns if names.ASKED.match(header[k]) is None and names.rank(header[k], known) is None]
    short = {k: f"[prompt:{n}] output" if len(bare) > 1 else "output" for n, k in enumerate(bare, 1)}
    return [short.get(k, name) for k, name in enumerate(header)] if columns else None


def without_verdicts(
    rows: Rows, header: Sequence[str], roles: ColumnRoles, source: Source, sample: Sequence[Sequence[Any]]
) -> Rows:
    """Strip the verdicts before captions in columns in which an answer passed or failed, or every cell has a verdict.

    In such columns, and in those followed by a status, a cell with an error instead of an answer becomes `FAILED`, with
    a finding.
    """
    filled = {k: list(map(str, values(sample, k))) for k in roles.predicted}
    judged = {k for k, of in filled.items() if any(map(_TESTED.match, of)) or (of and all(map(_VERDICT.match, of)))}
    metadata.say(source.log, "verdicts", source.name, [header[k] for k in sorted(judged)])
    able = judged | {k for k in names.asked(header) if k in filled and norm("".join(header[k + 1 : k + 2])) == _STATUS}
    return ((where, _judged(source, where, row, able, judged, roles.id)) for where, row in rows) if able else rows


def _judged(
    source: Source, where: str, row: Sequence[Any], able: Iterable[int], judged: Container[int], id: int
) -> list[Any]:
    """Return a row's cells without the verdicts in `judged` columns.

    Errors in `able` columns are reported and replaced by `FAILED`. In newer results of promptfoo, a status follows its
    answer.
    """
    made = list(row)
    for k in (k for k in able if k < len(made) and made[k]):
        made[k] = _VERDICT.sub("", str(made[k]), count=1) if k in judged else made[k]
        if str(row[k]).startswith(_FAILED) or (k not in judged and row[k + 1 : k + 2] == [_FAILED.strip("[]")]):
            named = as_id(made[id]) if 0 <= id < len(made) else None
            source.log.add("failed_request", source.name, where, named or "", why=made[k])
            made[k] = FAILED
    return made


def without_failed(rows: Rows, header: Sequence[str], roles: ColumnRoles, source: Source) -> Rows:
    """Yield the rows, except those that state an error in place of an answer, or have no answer, run or reference at
    all; report these.
    """
    errors = _errors(header)
    for where, row in rows:
        told = {header[k]: cell_of(row, k) for k in errors} if roles.predicted else {}
        answers = [cell_of(row, k) for k in roles.predicted]
        beside = [cell_of(row, k) for k in (*roles.runs, *roles.references)]
        none = bool(answers and roles.runs) and all(one in (None, "") for one in (*answers, *beside))
        if why := why_missing(told, answers) or (_NO_ANSWER if none else ""):
            _say(source, where, row, roles.id, why)
        else:
            yield where, row


def are_alone(header: Sequence[str], sample: Sequence[Sequence[Any]]) -> bool:
    """Return whether each record has an error and no sentence beside it, as in the file of a batch's failures."""
    errors = _errors(header)
    named = {k for k in errors if names.leaf(header[k]) in (*_ERROR, "message")}
    told = ({header[k]: row[k] for k in named if _words(header[k]) & _ERROR} for row in sample)
    beside = any(are_sentences(sample, k) for k in range(len(header)) if k not in errors)
    return bool(sample) and not beside and all(why_missing(of, ()) for of in told)


def say_all(rows: Rows, header: Sequence[str], source: Source) -> None:
    """Add a finding for the error of each row."""
    id = next(iter(ranked(header, ["custom_id", *names.IDS])), -1)
    for where, row in rows:
        _say(source, where, row, id, why_missing({header[k]: row[k] for k in _errors(header)}, ()))


def _say(source: Source, where: str, row: Sequence[Any], id: int, why: str) -> None:
    named = as_id(row[id]) if id >= 0 else None
    source.log.add("failed_request", source.name, where, named or "", why=why)


def _errors(header: Sequence[str]) -> list[int]:
    return [k for k, name in enumerate(header) if _words(name) & {*_ERROR, _STATUS}]


def why_missing(fields: Mapping[str, Any], answers: Sequence[Any]) -> str:
    """Return the error that a record's fields state instead of its answers; "" if there is none."""
    if not all(one in (None, "") for one in answers):
        return ""
    words = {name: found for name in fields if (found := _words(name) & {*_ERROR, _STATUS})}
    said = {name: of for name in words if isinstance(of := fields[name], str) and of.strip()}
    if any(one is not None for one in answers) and not any(words[name] & _ERROR for name in said):
        return ""
    return _last_line(max(said.values(), key=lambda text: (text.count(" "), len(text)), default=""))


def _last_line(text: str) -> str:
    """Return the exception at the end of a traceback; return other texts unchanged."""
    lines = [line for line in uncoloured(text).splitlines() if re.search(r"\w", line)]
    return lines[-1].strip() if "Traceback" in text and lines else text


def _words(name: str) -> set[str]:
    return set(norm(name).replace(".", "_").split("_"))
