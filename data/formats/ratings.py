"""Tables of ratings by people: CSV, TSV, Parquet, JSON and JSON Lines.

Long: one row per rating, with the criterion and the rater in columns. Wide: one column per criterion, or one per rater.
Rows that name systems but no items rate whole systems; other columns of numbers are then metrics.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any

import orjson

from data.directions import is_lower_better
from data.findings import TrustedText, clip
from data.formats import row_runs, scores, tick_boxes
from data.formats.labels import label_runs
from data.formats.names import IDS, norm
from data.formats.roles import run_columns, setting_columns
from data.formats.stated import ColumnRoles
from data.formats.table import Table
from data.ratings.coherence import LONGEST, as_label, label_written_for
from data.ratings.human import UNNAMED
from data.records import Part, RatingRow, Record, Source, as_id, kind
from data.study import SystemRatings

VALUE = ("rating", "ratings", "human_rating", "human_score", "judgment", "judgement", "mos")
SCORE = ("score", "value")
"""Names for a column of ratings, if there is also a column of criteria or raters."""
LABEL = ("coherence_label", "coherence")
"""Names for a column of coherence labels, if it has no numbers; RaCCoon's is `source`."""
CRITERION = ("criterion", "aspect", "dimension", "question", "criteria")
RATER = (
    "rater",
    "annotator",
    "worker",
    "judge",
    "annotator_id",
    "worker_id",
    "rater_id",
    "judge_id",
    "id_annotator",
    "workerid",
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


CRITERIA = _words(
    "human human_score human_rating human_overall rating judgment judgement mos correctness thoroughness throughness "
    "adequacy expert expert_rating"
)
"""Names that always mean ratings, such as correctness and thoroughness in COMPOSITE, or experts in Flickr8k."""
PERHAPS = _words(
    "p r fl inc con precision recall fluency conciseness inclusive_language total overall quality relevance coherence "
    "grammaticality informativeness naturalness detail m1 m2 m3 m4 m5"
)
"""Names that mean ratings if there are several: P, R, Fl, Inc and Con in THumB, M1 to M5 in the COCO challenge of
2015.
"""
_CHALLENGE = _words("m1 m2 m3 m4 m5")
HINTS = _words("human rating ratings judgment judgments judgement judgements thumb composite people")
"""Words in the names of files that hold ratings."""
_RATERS = _words("expert rater annotator worker judge human rating")
_MARKED = re.compile(r"^(?:human|rating)[_: ]\s*(.+)$|^(.+)[_: ]rating$", re.IGNORECASE)
_NUMBER = re.compile(r"^(.*?)_?(\d{1,2})$")
_PEEK = 200


@dataclass
class Meaning:
    """The column number of each role; -1 for none. `wide` has the criterion and rater of each column."""

    item: int = -1
    run: list[int] = field(default_factory=list)
    settings: dict[str, int] = field(default_factory=dict)
    index: int = -1
    caption: int = -1
    value: int = -1
    criterion: int = -1
    rater: int = -1
    label: int = -1
    wide: dict[int, tuple[str, str]] = field(default_factory=dict)

    @property
    def used(self) -> set[int]:
        """All columns with a role."""
        rest = (self.item, self.index, self.caption, self.value, self.criterion, self.rater, self.label)
        return {*self.run, *self.settings.values(), *self.wide, *rest}


def matches(value: Any) -> bool:
    """Return whether a value is a list of objects that are rows of ratings."""
    if not isinstance(value, list) or not value or not all(isinstance(row, dict) for row in value[:_PEEK]):
        return False
    head = list(dict.fromkeys(key for row in value[:_PEEK] for key in row))
    return _recognised(head, [[row.get(key) for key in head] for row in value[:_PEEK]], "")


def load_json(source: Source) -> Part:
    """Return the ratings in JSON or JSON Lines."""
    return load(source, from_json(source))


def from_json(source: Source) -> Table:
    """Return a list of objects as a table."""
    head = list(dict.fromkeys(key for row in source.value if isinstance(row, dict) for key in row))
    return Table(head, ((where, [row.get(key) for key in head]) for where, row in source.objects(source.value)))


def is_ratings(found: Table, stem: str) -> bool:
    """Return whether a table holds ratings, judging by its header and first rows."""
    first = list(islice(found.rows, _PEEK))
    found.rows = chain(first, found.rows)
    seen = tick_boxes.joined(Table(found.header, iter(first)))
    return _recognised(seen.header, [row for _, row in seen.rows], stem)


def _recognised(header: Sequence[str], rows: Sequence[Sequence[Any]], stem: str) -> bool:
    names = [norm(name) for name in header]
    if {"metric", "value"} <= set(names):
        return False
    meaning = _meaning(header, rows, stem)
    return (meaning.value >= 0 or bool(meaning.wide)) and (meaning.item >= 0 or bool(meaning.run))


def _meaning(header: Sequence[str], rows: Sequence[Sequence[Any]], stem: str) -> Meaning:
    names, answers = _of_a_batch(header)

    def first(known: Sequence[str]) -> int:
        return next((names.index(name) for name in known if name in names), -1)

    found = Meaning(run=run_columns(header, rows))
    found.settings = setting_columns(names)
    found.index = next((k for name in scores.INDEX if (k := first([name])) >= 0 and scores.counts(rows, k)), -1)
    found.caption = next(
        (k for name in scores.CAPTION if (k := first([name])) >= 0 and k not in {found.index, *found.run}), -1
    )
    found.criterion, found.rater = first(CRITERION), first(RATER)
    found.label = _label_column(names, rows)
    taken = {*found.run, found.index, found.caption, found.criterion, found.rater, found.label}
    found.item = next((k for name in IDS if (k := first([name])) >= 0 and k not in taken), -1)
    found.value = first((*VALUE, *SCORE) if max(found.criterion, found.rater) >= 0 else VALUE)
    wide = _wide(header, rows, stem, taken | {found.item}, systems=found.item < 0 and bool(found.run))
    wide |= {k: (names[k], "") for k in answers if scores.numbers(rows, k) and found.caption >= 0}
    if found.criterion < 0 and (found.value not in wide or len(wide) > 1):
        found.value, found.wide = (-1, wide) if wide else (found.value, {})
    return found


def _of_a_batch(header: Sequence[str]) -> tuple[list[str], list[int]]:
    """Return the names, those of Mechanical Turk's columns without `Input.` and `Answer.`, and the columns of
    answers.
    """
    names = [norm(name) for name in header]
    answers = [k for k, name in enumerate(names) if name.startswith("answer.")]
    bare = [name.removeprefix("input.").removeprefix("answer.") for name in names]
    shown = any(name.startswith("input.") for name in names) and len(set(bare)) == len(bare)
    return (bare, answers) if answers and shown else (names, [])


def _label_column(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> int:
    """Return the column of coherence labels; -1 if there is none."""
    found = next((names.index(name) for name in LABEL if name in names), -1)
    if found >= 0 and not scores.numbers(rows, found):
        return found
    return names.index("source") if "source" in names and {"human:visible", "human:story"} <= set(names) else -1


def _wide(
    header: Sequence[str], rows: Sequence[Sequence[Any]], stem: str, taken: set[int], systems: bool
) -> dict[int, tuple[str, str]]:
    """Return the criterion and rater of each column whose name means ratings; numbered columns are raters of one
    criterion.

    In a table of `systems`, without items, any one of M1 to M5 is enough; in one with items, M1 and M2 must exist.
    """
    names = [norm(name) for name in header]
    bases = Counter(match[1] for name in names if (match := _NUMBER.match(name)) and name not in PERHAPS)
    found: dict[int, tuple[str, str]] = {}
    sure = bool(HINTS & set(re.split(r"[\W_]+", stem.lower())))
    for place, name in enumerate(names):
        if place in taken or not scores.numbers(rows, place, lists=True):
            continue
        if name.startswith("human:") and (stated := as_id((as_id(header[place]) or "")[len("human:") :])):
            found[place], sure = (stated, ""), True
            continue
        match = _NUMBER.match(name)
        base, rater = (match[1], match[2]) if match and bases[match[1]] > 1 and name not in PERHAPS else (name, "")
        marked = None if base in CRITERIA else _MARKED.match(base if rater else (as_id(header[place]) or base))
        if base in CRITERIA or base in PERHAPS or marked or (rater and base in _RATERS):
            known = next(group for group in marked.groups() if group) if marked else base
            written = as_id(header[place]) or known
            found[place] = (UNNAMED if base in _RATERS and rater else known if marked or rater else written, rater)
            sure |= base not in PERHAPS
    challenge = _CHALLENGE & {criterion.lower() for criterion, _ in found.values()}
    sure |= bool(challenge) if systems else {"m1", "m2"} <= challenge
    return found if sure else {}


def load(source: Source, found: Table) -> Part:
    """Return the ratings in a table; report values that are not numbers as findings, and leave out empty cells.

    Captions in the table are candidates if no other file has any.
    """

    def unclear(where: str, name: str, boxes: str) -> None:
        source.log.add("rating_ticks", source.name, where, name=name, found=boxes)

    found = tick_boxes.joined(found, unclear)
    rows = list(found.rows)
    meaning = _meaning(found.header, [row for _, row in rows[:_PEEK]], source.stem)
    part = Part(source.name, "ratings", [], len(rows), stem=source.run)
    if (meaning.value < 0 and not meaning.wide) or (meaning.item < 0 and not meaning.run):
        columns = TrustedText(", ".join(clip(name) for name in found.header[:12]))
        source.log.add("no_table_columns", source.name, what="ratings", columns=columns)
        return part
    if meaning.item < 0:
        part.systems = list(_systems(source, found.header, rows, meaning))
        named = [criterion for criterion, _ in meaning.wide.values()]
        if len(named) == 1 and named[0].lower() in _CHALLENGE:
            source.log.add("rating_by_name", source.name, name=named[0])
        return part
    reader = _Reader(source, found.header, meaning)
    reader.runs.varied = row_runs.varied([row for _, row in rows], found.header, reader.runs, meaning.item)
    for where, row in rows:
        part.ratings += reader.rows(where, row)
    counts = [row.index for row in part.ratings if row.index is not None]
    base = norm(found.header[meaning.index]) if meaning.index >= 0 else ""
    part.counts_from_zero = base == "candidate_from_0" or (base != "candidate_from_1" and (not counts or 0 in counts))
    part.records = list(reader.records.values())
    part.labels = label_runs(source, dict.fromkeys(run for r in part.records for run in r.candidates))
    others = [k for k in range(len(found.header)) if k not in meaning.used | {-1}]
    if names := [clip(found.header[k]) for k in others if found.header[k]]:
        source.log.add("ignored_columns", source.name, columns=TrustedText(", ".join(names[:12])))
    return part


class _Reader:
    """Reads rows of a table as ratings. Without raters, repeated rows of a caption and criterion count as several
    raters.
    """

    def __init__(self, source: Source, header: Sequence[str], meaning: Meaning) -> None:
        self.source, self.header, self.meaning = source, list(header), meaning
        self.runs = ColumnRoles(runs=meaning.run, settings=meaning.settings)
        self.records: dict[str, Record] = {}
        self._seen: Counter[tuple[object, ...]] = Counter()

    def rows(self, where: str, row: Sequence[Any]) -> Iterator[RatingRow]:
        """Yield the ratings in one row of the table."""
        meaning = self.meaning

        def cell(column: int) -> Any:
            return row[column] if 0 <= column < len(row) else None

        if cell(meaning.item) in (None, ""):
            self.source.log.add("missing_id", self.source.name, where)
            return
        item = self.source.checked_id(cell(meaning.item), where)
        if item is None:
            return
        run = row_runs.run_name(self.source, cell, self.runs, self.header) if meaning.run else None
        index, caption = scores.whole(cell(meaning.index)), cell(meaning.caption)
        caption = caption if isinstance(caption, str) and caption.strip() else None
        self._remember(item, run, caption, cell(meaning.label), where)
        place = (run, item, index, caption if index is None else None)
        if meaning.value >= 0:
            criterion = as_id(cell(meaning.criterion)) or UNNAMED
            rater = as_id(cell(meaning.rater)) or ""
            cells = [(criterion, rater, cell(meaning.value))]
        else:
            rater = as_id(cell(meaning.rater)) or ""
            cells = [(criterion, rater or number, cell(k)) for k, (criterion, number) in meaning.wide.items()]
        for criterion, rater, value in cells:
            yield from self._ratings(where, criterion, rater, value, place)

    def _remember(self, item: str, run: str | None, caption: str | None, said: Any, where: str) -> None:
        """Note a caption and its coherence label, in case no other file has candidates."""
        if caption is None:
            return
        record, name = self.records.setdefault(item, Record(item, where)), run or self.source.run
        texts = record.candidates.setdefault(name, [])
        labels = record.coherence.setdefault(name, [])
        label = self._label(said, item, where)
        if caption not in texts:
            texts.append(caption)
            labels.append(label)
        elif label and (labels[texts.index(caption)] or label) != label:
            self.source.log.add("facts_differ", self.source.name, where, item, field="coherence")

    def _label(self, said: Any, item: str, where: str) -> str:
        """Return the label in a cell; "" if there is none or, with a finding, if it is invalid."""
        if said in (None, "") or norm(self.header[self.meaning.label]) == "source":
            return label_written_for(str(said or "")) or ""
        if (label := as_label(said)) is None:
            why = f"it is not text of 1 to {LONGEST} characters"
            self.source.log.add("ignored_field", self.source.name, where, item, field="coherence", why=why)
        return label or ""

    def _ratings(
        self, where: str, criterion: str, rater: str, value: Any, place: tuple[Any, ...]
    ) -> Iterator[RatingRow]:
        run, item, index, caption = place
        given = listed(value)
        for number, one in enumerate(given, 1):
            name = f"{rater} {number}".strip() if len(given) > 1 else rater
            if not name:
                # The first rater has no name: most tables have one rating per caption.
                seen = (*place, criterion)
                self._seen[seen] += 1
                name = str(self._seen[seen]) if self._seen[seen] > 1 else ""
            known = scores.number(one)
            if known is None and not scores.is_gap(one):
                found = kind(one)
                self.source.log.add("rating_not_number", self.source.name, where, item, name=criterion, found=found)
            elif known is not None:
                yield RatingRow(where, criterion, known, run, item, index, caption, rater=name)


def listed(value: Any) -> list[Any]:
    """Return the ratings in a cell: the elements of a list, also as JSON text, or else the cell as the only one."""
    if isinstance(value, str) and value.startswith("[") and value.endswith("]"):
        try:
            value = orjson.loads(value)
        except orjson.JSONDecodeError:
            return [value]
    return value if isinstance(value, list) else [value]


def _systems(
    source: Source, header: Sequence[str], rows: Sequence[tuple[str, Sequence[Any]]], meaning: Meaning
) -> Iterator[SystemRatings]:
    """Yield ratings of whole systems: the mean over raters, with other columns of numbers as metrics."""
    runs = ColumnRoles(runs=meaning.run, settings=meaning.settings)
    ratings: dict[str, dict[str, list[float]]] = {}
    values: dict[str, dict[str, float]] = {}
    texts = [row for _, row in rows]
    runs.varied = row_runs.varied(texts, header, runs, -1)
    metrics = [k for k in range(len(header)) if k not in meaning.used and scores.numbers(texts[:_PEEK], k)]
    for where, row in rows:
        name = row_runs.run_name(source, lambda k, row=row: row[k] if 0 <= k < len(row) else None, runs, list(header))  # type: ignore[misc]
        if name is None:
            source.log.add("missing_id", source.name, where)
            continue
        ratings.setdefault(name, {}), values.setdefault(name, {})
        for criterion, cell in _system_cells(row, meaning):
            for known in _checked(source, where, criterion, cell):
                ratings[name].setdefault(criterion, []).append(known)
        for k in metrics:
            for known in _checked(source, where, header[k], row[k] if k < len(row) else None):
                values[name].setdefault(header[k], known)
    yield _as_systems(source.stem, ratings, values)


def _system_cells(row: Sequence[Any], meaning: Meaning) -> Iterator[tuple[str, Any]]:
    def cell(k: int) -> Any:
        return row[k] if 0 <= k < len(row) else None

    if meaning.value >= 0:
        yield as_id(cell(meaning.criterion)) or UNNAMED, cell(meaning.value)
    yield from ((criterion, cell(k)) for k, (criterion, _) in meaning.wide.items())


def _checked(source: Source, where: str, name: str, cell: Any) -> Iterator[float]:
    for one in listed(cell):
        known = scores.number(one)
        if known is not None:
            yield known
        elif not scores.is_gap(one):
            source.log.add("rating_not_number", source.name, where, name=name, found=kind(one))


def _as_systems(
    name: str, ratings: Mapping[str, Mapping[str, Sequence[float]]], values: Mapping[str, Mapping[str, float]]
) -> SystemRatings:
    systems = tuple(ratings)
    criteria = dict.fromkeys(criterion for of in ratings.values() for criterion in of)
    known = {c: tuple(_mean(ratings[s].get(c, ())) for s in systems) for c in criteria}
    metrics: dict[str, tuple[float, ...]] = {}
    lower = set()
    for heading in dict.fromkeys(heading for of in values.values() for heading in of):
        plain, side = scores.with_side(heading)
        metric = plain or heading
        metrics[metric] = tuple(values[s].get(heading, math.nan) for s in systems)
        if side is False or (side is None and is_lower_better(metric)):
            lower.add(metric)
    return SystemRatings(name, systems, known, metrics, frozenset(lower))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else math.nan
