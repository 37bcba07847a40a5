"""Tables of ratings by people: CSV, TSV, Parquet, JSON and JSON Lines.

Long form has one row per rating, with the criterion and the rater in columns. Wide form has one column per criterion or
per rater. Rows that name systems but no items rate whole systems; other columns of numbers are then metrics.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from data.fields.criteria import CHALLENGE
from data.fields.directions import is_lower_better
from data.fields.models import WITH_REASONS, is_model, names_judge
from data.fields.names import norm
from data.fields.word_lists import in_name
from data.findings import PEEK, FieldTable, TrustedText, clip
from data.formats.columns import metadata, rating_words, row_runs
from data.formats.columns.assigned_roles import ColumnRoles, by_role
from data.formats.columns.contents import cell_of, columns_of
from data.formats.columns.run_labels import label_runs
from data.formats.nesting.value_kinds import are_objects
from data.formats.numbers import nested_ratings, scales, scores, tick_boxes
from data.formats.numbers.rater_columns import rated_with_reasons, rater_of
from data.formats.numbers.rating_columns import Meaning, item_of_runs, meaning_of, recognised, say_people, stated
from data.formats.tables.table import Table
from data.ratings.coherence import LONGEST, as_label, label_written_for
from data.ratings.human_ratings import UNNAMED
from data.records import Part, RatingRow, Record, Source, as_id
from data.study import SystemRatings


def matches(value: Any, stem: str = "") -> bool:
    """Return whether a value is a list of objects that are rows of ratings, given the name of its file."""
    first = value[:PEEK] if isinstance(value, list) else None
    if not are_objects(first):
        return False
    several = nested_ratings.is_due(first) and any(isinstance(one, dict) for row in first for one in row.values())
    return not several and recognised(*columns_of(first), stem)


def is_ratings(found: Table, stem: str) -> bool:
    """Return whether a table contains ratings, judging by its header and first rows."""
    seen = tick_boxes.joined(Table(found.header, iter(found.peek())))
    return recognised(seen.header, [row for _, row in seen.rows], stem)


def load(source: Source, found: Table) -> Part:
    """Return the ratings in a table; report values that are not numbers as findings, and leave out empty cells.

    Captions in the table are candidates if no other file has captions.
    """

    def unclear(where: str, name: str, boxes: str) -> None:
        source.log.add("rating_ticks", source.name, where, name=name, found=boxes)

    source.log.counted[source.name] = frozenset(found.header)
    found = tick_boxes.joined(found, unclear)
    rows = list(found.rows)
    meaning = meaning_of(found.header, [row for _, row in rows[:PEEK]], source.stem)
    if source.reading.columns.ratings:
        meaning = stated(meaning, found.header, source.reading.columns)
        _show_fields(source, found, meaning, [row for _, row in rows])
    meaning.item = item_of_runs(found.header, [row for _, row in rows], meaning)
    say_people(source, found.header, [row for _, row in rows[:PEEK]], meaning.wide)
    if not meaning.run:
        below, beside = [row for _, row in rows], source.reading.runs_beside
        found.header, meaning.run = row_runs.named_by_cells(found.header, below, meaning.used, beside)
    wide = {k: criterion for k, (criterion, _) in meaning.wide.items()} or {meaning.value: UNNAMED}
    rows = rating_words.in_numbers(rows, wide, source, meaning.criterion)
    part = Part(source.name, "ratings", [], len(rows), stem=source.run)
    if (meaning.value < 0 and not meaning.wide) or (meaning.item < 0 and not meaning.run):
        columns = TrustedText(", ".join(clip(name) for name in found.header[:12]))
        source.log.add("no_table_columns", source.name, what="ratings", columns=columns)
        return part
    if meaning.item < 0:
        part.systems = list(_systems(source, found.header, rows, meaning))
        criteria = [criterion for criterion, _ in meaning.wide.values()]
        if len(criteria) == 1 and criteria[0].lower() in CHALLENGE:
            source.log.add("rating_by_name", source.name, name=criteria[0])
        return part
    others = [k for k, name in enumerate(found.header) if k not in meaning.used | {-1} and name]
    reader = _Reader(source, found.header, meaning, others, rows)
    reader.runs.varied = row_runs.varied([row for _, row in rows], found.header, reader.runs, meaning.item)
    for where, row in rows:
        part.ratings += reader.rows(where, row)
    numbered = [found.header[meaning.index]] if meaning.index >= 0 else []
    part.counts_from_zero = scores.count_from_zero(numbered, part.ratings)
    part.records = list(reader.records.values())
    part.labels = label_runs(source, dict.fromkeys(run for r in part.records for run in r.candidates))
    if part.records:
        reader.facts.give(part.records, source)
    else:
        metadata.say(source.log, "ignored_columns", source.name, [found.header[k] for k in others])
    return part


def _show_fields(source: Source, found: Table, meaning: Meaning, rows: Sequence[Sequence[Any]]) -> None:
    """Keep the first records and the roles of the columns, so that a person can change roles given earlier."""
    own = len(found.header) - bool(found.id_of)
    of_columns = ColumnRoles(meaning.item, found.id_of, found.mark, runs=meaning.run, settings=meaning.settings)
    beside = dict.fromkeys(meaning.wide, "rating") | ({meaning.rater: "rater"} if meaning.rater >= 0 else {})
    shown = FieldTable(source.name, tuple(found.header[:own]), tuple(tuple(row[:own]) for row in rows[:3]))
    roles = by_role(found.header, of_columns, (), beside)
    source.log.fields[source.name] = replace(shown, roles=roles, count=len(rows[:PEEK]))


class _Reader:
    """Reads rows of a table as ratings.

    Without raters, repeated rows of a caption and criterion count as several raters.
    """

    def __init__(
        self,
        source: Source,
        header: Sequence[str],
        meaning: Meaning,
        others: Sequence[int],
        rows: Sequence[tuple[str, Sequence[Any]]],
    ) -> None:
        self.source, self.header, self.meaning = source, list(header), meaning
        self.facts = metadata.Facts(header, others)
        self.runs = ColumnRoles(runs=meaning.run, settings=meaning.settings)
        self.records: dict[str, Record] = {}
        self.scales = scales.Scales(source)
        rated = [k for k in (meaning.value, *meaning.wide) if k >= 0]
        reasons = meaning.rater < 0 and all(rated_with_reasons(header, rows, k) for k in rated)
        self._unnamed = WITH_REASONS * (reasons and "human" not in in_name(source.stem))
        self._seen: Counter[tuple[object, ...]] = Counter()

    def rows(self, where: str, row: Sequence[Any]) -> Iterator[RatingRow]:
        meaning = self.meaning

        cell = partial(cell_of, row)
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
        self.facts.take(item, row)
        place = (run, item, index, caption if index is None else None)
        if meaning.value >= 0:
            criterion = as_id(cell(meaning.criterion)) or UNNAMED
            rater = rater_of(row, meaning.rater, self.header)
            cells = [(criterion, rater, cell(meaning.value))]
        else:
            rater, of = rater_of(row, meaning.rater, self.header), as_id(cell(meaning.criterion)) or ""
            cells = [(of or criterion, rater or number, cell(k)) for k, (criterion, number) in meaning.wide.items()]
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
        given = rating_words.listed(value)
        for number, one in enumerate(given, 1):
            name = f"{rater} {number}".strip() if len(given) > 1 else rater
            if not (name := name or self._unnamed):
                # The first rater has no name: most tables have one rating per caption.
                seen = (*place, criterion)
                self._seen[seen] += 1
                name = str(self._seen[seen]) if self._seen[seen] > 1 else ""
            if (known := self.scales.value(one, criterion, where, item)) is not None:
                yield RatingRow(where, criterion, known, run, item, index, caption, rater=name)


def _systems(
    source: Source, header: Sequence[str], rows: Sequence[tuple[str, Sequence[Any]]], meaning: Meaning
) -> Iterator[SystemRatings]:
    """Yield ratings of whole systems, as means over raters, with other columns of numbers as metrics.

    Rows without a name are reported.
    """
    runs = ColumnRoles(runs=meaning.run, settings=meaning.settings)
    ratings: dict[str, dict[str, list[float]]] = {}
    judged: dict[str, dict[str, list[float]]] = {}
    values: dict[str, dict[str, float]] = {}
    texts, ends = [row for _, row in rows], scales.Scales(source)
    runs.varied = row_runs.varied(texts, header, runs, -1)
    metrics = [k for k in range(len(header)) if k not in meaning.used and scores.numbers(texts[:PEEK], k)]
    for where, row in rows:
        name = row_runs.run_name(source, partial(cell_of, row), runs, list(header))
        if name is None:
            source.log.add("missing_id", source.name, where)
            continue
        ratings.setdefault(name, {}), judged.setdefault(name, {}), values.setdefault(name, {})
        by_model = is_model(rater_of(row, meaning.rater, header))
        for criterion, cell in _system_cells(row, meaning):
            of = judged if by_model or (names_judge(criterion) and meaning.rater < 0) else ratings
            found = (ends.value(one, criterion, where) for one in rating_words.listed(cell))
            of[name].setdefault(criterion, []).extend(one for one in found if one is not None)
        for k in metrics:
            if (known := ends.value(cell_of(row, k), header[k], where)) is not None:
                values[name].setdefault(header[k], known)
    for name, by_models in judged.items():
        values[name] |= {criterion: _mean(numbers) for criterion, numbers in by_models.items()}
    yield _as_systems(source.stem, ratings, values)


def _system_cells(row: Sequence[Any], meaning: Meaning) -> Iterator[tuple[str, Any]]:
    cell = partial(cell_of, row)
    if meaning.value >= 0:
        yield as_id(cell(meaning.criterion)) or UNNAMED, cell(meaning.value)
    yield from ((criterion, cell(k)) for k, (criterion, _) in meaning.wide.items())


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
