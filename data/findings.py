"""Findings from reading and checking files: rows of one table, in which equal findings are merged."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Any

from data.finding_kinds.catalogue import FOREMOST, KINDS, SEVERITIES

SHOWN = 3
CLIP = 80
MOST_NAMES, WIDE = 12, 120
"""Maximum number of field names in a finding, and maximum number of characters in all of them together."""
SAME = "The same holds"
"""The beginning of the sentence that names the other runs with the same finding."""
PEEK = 200
"""Maximum number of records that are examined to find the roles of a file's fields."""
_NUMBER = re.compile(r"\d[\d.,]*")
_COLOURS = re.compile(r"\x1b\[[\d;]*m")
"""A terminal's colour codes."""
MARKED = re.compile(r"(?<![\w`])`([^`]+)`(?![\w`])")
"""A name, for example of a field, between backticks within a sentence."""


@dataclass(frozen=True)
class Finding:
    """One row of the table of checks.

    `record` and `id` name the first of `count` places; `fix` is the name to pass to `repair`, or None if only the file
    itself can be corrected; `run` is the run that the problem mentions, if any.
    """

    severity: str
    code: str
    file: str
    record: str
    id: str
    problem: str
    repair: str
    fix: str | None = None
    count: int = 1
    run: str = ""

    @property
    def remedy(self) -> str:
        """The remedy for output without buttons, in which a repair is named as a command-line option."""
        said = re.sub(r"\bundo the repair\b", f"use --repair -{self.fix}", self.repair) if self.fix else self.repair
        return re.sub(r"\b[Tt]he repair\b", f"--repair {self.fix}", said) if self.fix else said


@dataclass
class _Row:
    finding: Finding
    count: int = 0
    records: list[str] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class FieldTable:
    """The fields of a file's records, with the first three records and the role inferred for each field.

    `count` is the number of records examined, at most PEEK.
    """

    file: str
    header: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    roles: Mapping[str, str] = field(default_factory=dict)
    count: int = 0

    def texts(self, place: int) -> list[str]:
        """Return the cells of a field in the first records, each as one short printable line; "" for an empty cell."""
        cells = [row[place] if place < len(row) else None for row in self.rows]
        return [clip("" if cell is None else cell if isinstance(cell, str) else _json(cell)) for cell in cells]


class Log:
    """Collects findings; those with the same code, file and text become one row with a count.

    `fields` are the fields of each file, by its name. `counted` contains the column names of tables of ratings, and all
    names and numbers of columns in tables without a header.
    """

    def __init__(self, earlier: tuple[Finding, ...] = ()) -> None:
        self._rows: dict[tuple[str, str, str], _Row] = {}
        self._earlier = earlier
        self.fields: dict[str, FieldTable] = {}
        self.counted: dict[str, frozenset[str]] = {}

    def add(
        self,
        code: str,
        file: str = "",
        record: str = "",
        id: str = "",
        count: int = 1,
        fix: str | None = "",
        hint: str = "",
        run: str = "",
        **words: object,
    ) -> None:
        """Add `count` findings of a kind; `words` fill its texts, `hint` follows its remedy, and `fix=None` removes its
        fix.

        `run` is the run that the texts mention as {run}, or to which {whose} refers; without a run, {whose} refers to
        people.
        """
        kind = KINDS[code]
        told = {key: word if isinstance(word, TrustedText | int) else clip(word) for key, word in words.items()}
        of_run = clip(run)
        told |= {"run": of_run, "whose": f"of run {of_run}" if run else "by people"}
        problem = kind.problem.format(**told)
        row = self._rows.get((code, file, problem))
        if row is None:
            name = kind.fix if fix == "" else fix
            mend = kind.manual_repair if kind.fix and name is None else kind.repair
            remedy = f"{mend.format(**told)}{hint}"
            made = Finding(kind.severity, code, file, "", "", problem, remedy, name, 1, of_run)
            row = self._rows[(code, file, problem)] = _Row(made)
        row.count += count
        if record and len(row.records) <= SHOWN and record not in row.records:
            row.records.append(record)
        if id and len(row.ids) <= SHOWN and id not in row.ids:
            row.ids.append(clip(id))

    def reword(self, code: str, file: str, old: str, new: str) -> None:
        """Replace `old` by `new` in the texts of all findings of one kind about a file."""
        for key, row in self._rows.items():
            if key[:2] == (code, file):
                told = row.finding
                row.finding = replace(
                    told, problem=told.problem.replace(old, new), repair=told.repair.replace(old, new)
                )

    def rename_field(self, file: str, path: str, names: Sequence[str]) -> None:
        """In the problems found in a file, replace the path of a field by the names that the file uses for it."""
        marked, bare = (", ".join(mark + clip(name) + mark for name in names) for mark in ("`", ""))
        for row in (row for key, row in self._rows.items() if key[1] == file):
            problem = row.finding.problem.replace(f"`{path}`", marked)
            row.finding = replace(
                row.finding, problem=re.sub(rf"(?<![\w.]){re.escape(path)}(?![\w\[]|\.\w)", lambda _: bare, problem)
            )

    def forget(self, file: str, code: str | None = None) -> None:
        """Remove all findings about a file that will be read again, or only findings of the kind `code`."""
        self._rows = {key: row for key, row in self._rows.items() if key[1] != file or code not in (None, key[0])}

    def findings(self) -> tuple[Finding, ...]:
        """Return all rows by severity and then by FOREMOST; `runs_alike`, which may explain an error, precedes all
        others.
        """
        made = [
            replace(row.finding, record=first_of(row.records), id=first_of(row.ids), count=row.count)
            for row in self._rows.values()
        ]
        return tuple(sorted([*self._earlier, *made], key=_rank))


class TrustedText(str):
    """Text written by the program rather than read from a file; it is not clipped."""

    __slots__ = ()


def clip(value: object) -> str:
    """Return a value from a file as one short printable line."""
    text = uncoloured(str(value))
    text = text if len(text) <= CLIP else text[: CLIP - 1] + "…"
    return text if text.isprintable() else "".join(c if c.isprintable() else "�" for c in text)


def uncoloured(text: str) -> str:
    """Return a text without a terminal's colour codes."""
    return _COLOURS.sub("", text)


def _json(cell: Any) -> str:
    return json.dumps(cell, ensure_ascii=False, default=str)


def some(names: Sequence[str]) -> str:
    """Return the first field names as a text of about WIDE characters; it ends with the number of all names if some are
    missing.
    """
    shown = [clip(name) for name in names]
    ends = [*accumulate(len(name) + 2 for name in shown)]
    n = max(sum(end <= WIDE for end in ends[:MOST_NAMES]), 1)
    return ", ".join(shown[:n]) + (f", … ({len(shown):,} in all)" if len(shown) > n else "")


def named(names: Sequence[str]) -> str:
    """Return names from a file as one text, at most SHOWN of them: "a, b, c and 4 more"."""
    more = f" and {len(names) - SHOWN:,} more" if len(names) > SHOWN else ""
    return f"{', '.join(map(clip, names[:SHOWN]))}{more}"


def unmarked(sentence: str) -> str:
    """Return the text of a finding without the backticks around names, for places that do not format code."""
    return MARKED.sub(r"\1", sentence)


def _rank(found: Finding) -> tuple[int, int]:
    place = FOREMOST.index(found.code) if found.code in FOREMOST else len(FOREMOST)
    # If one run has two names, that may be why no item is described by every run.
    return -1 if found.code == "runs_alike" else SEVERITIES.index(found.severity), place


def merged(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings for display as a list, with findings that repeat across files merged into one.

    Findings about whole files are merged from two files on; up to SHOWN findings with a record or an id stay separate,
    since a merged one names only the first places. Findings that repeat across runs become the first run's finding,
    which then names the other runs; those about captions of several files stay separate.
    """
    groups: dict[Finding, list[Finding]] = {}
    for one in _of_first_runs(findings):
        groups.setdefault(replace(one, file="", record="", id="", count=1), []).append(one)
    found: list[Finding] = []
    for alike, group in groups.items():
        files = list(dict.fromkeys(one.file for one in group))
        ids, placed = list(dict.fromkeys(one.id for one in group if one.id)), any(one.record or one.id for one in group)
        if len(files) == 1 or (placed and len(group) <= SHOWN):
            found += group
        else:
            where = f"{len(files):,} files" if placed else first_of(files)
            found.append(replace(alike, file=where, id=first_of(ids), count=sum(one.count for one in group)))
    return found


def _of_first_runs(findings: Sequence[Finding]) -> list[Finding]:
    """Merge findings that differ only in the run and in numbers into the first run's finding, which then names the
    other runs.
    """
    alike: dict[object, list[Finding]] = {}
    for place, one in enumerate(findings):
        pattern = _NUMBER.sub("0", _of_run(one, "")) if one.run else place
        alike.setdefault((one.code, one.file if one.record else "", pattern), []).append(one)
    found: dict[Finding, Finding] = {}
    for first, *rest in alike.values():
        if rest:
            same = all(one.problem == _of_run(first, one.run) for one in rest)
            names = named([one.run for one in rest])
            runs = f"run {names}" if len(rest) == 1 else f"{len(rest)} more runs: {names}"
            said = f"{first.problem} {SAME}{'' if same else ', with other numbers,'} for {runs}."
            files = list(dict.fromkeys(one.file for one in (first, *rest)))
            where = first.file if len(files) == 1 else f"{len(files):,} files"
            found[first] = replace(first, file=where, problem=said, count=first.count + sum(one.count for one in rest))
        else:
            found.update({one: one for one in (first, *rest)})
    return [found[one] for one in findings if one in found]


def _of_run(found: Finding, name: str) -> str:
    """Return the problem with `name` in place of the run's name wherever this follows the word "run".

    Elsewhere the name is not replaced, since it may be a word such as "a".
    """
    return re.sub(rf"(?<=\b[Rr]un ){re.escape(found.run)}(?!\w)", lambda _: name, found.problem)


def first_of(values: Sequence[str]) -> str:
    """Return the first few of several places as one text: "line 2; line 3; line 9; …"."""
    return "; ".join(values[:SHOWN]) + ("; …" if len(values) > SHOWN else "")
