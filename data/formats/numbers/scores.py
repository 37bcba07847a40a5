"""Tables of scores computed elsewhere: CSV, TSV, Parquet, JSON and JSON Lines.

Long form has one row per score, with the metric in one column and the number in another. Wide form has one column per
metric. Numbers in nested objects, such as SPICE's, become columns named by path.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from data.fields.names import IDS, PREDICTED, RUNS, are_requests, is_text, leaf, no_caption, norm, whose, words
from data.fields.names import first as first_of
from data.fields.word_lists import in_name, word_list
from data.findings import PEEK, TrustedText, clip
from data.formats.columns import contents, metadata, row_runs, run_columns
from data.formats.columns.assigned_roles import ColumnRoles as RunColumns
from data.formats.columns.contents import cell_of
from data.formats.columns.roles import setting_columns
from data.formats.columns.run_labels import label_runs
from data.formats.columns.shared_ids import shared_by_runs
from data.formats.nesting.nested_records import flat
from data.formats.nesting.value_kinds import are_objects
from data.formats.nesting.value_kinds import is_text as holds_text
from data.formats.tables.table import Table, of_records
from data.records import Part, Record, ScoreRow, Source, as_id, kind

METRIC = ("metric", "metric_name", "measure", "score_name")
VALUE = ("value", "score", "result")
INDEX = word_list("candidate_from_0 candidate_from_1 candidate_index caption_index candidate_id index candidate")
CAPTION = (*PREDICTED, "caption", "captions", "text", "sentence", "sentences", "description")
DIRECTION = ("higher_is_better", "higher_better", "better", "direction")
LOW, HIGH = ("low", "minimum", "min"), ("high", "maximum", "max")
HEADLINES = ("f", "f1", "f_score", "fscore", "fmeasure", "f_measure", "value", "score", "mean", "avg", "average")
"""Names for the number that represents all numbers of a metric, from surest to vaguest."""
WHOLES = ("all", "overall", "total")
"""Names for the object that represents the objects beside it, such as SPICE's `All` beside `Object` and `Relation`."""
OUTER = ("scores", "metrics", "named_scores")
"""Names for objects that contain the numbers of several metrics."""
LARGEST = 1e12
"""Largest accepted score; greater numbers overflow when they are summed or plotted."""
Facts = tuple[bool | None, float | None, float | None]
"""Facts stated about a metric: whether higher is better, and both ends of its range."""
_SIDES = {
    **dict.fromkeys(("true", "1", "1.0", "yes", "higher", "up", "max", "larger", "↑"), True),
    **dict.fromkeys(("false", "0", "0.0", "no", "lower", "down", "min", "smaller", "↓"), False),
}
_MARK = re.compile(r"\s*(?:(↑|↓)|[(\[](higher|lower)(?: is better)?[)\]]|:\s*(higher|lower))\s*$", re.IGNORECASE)
_RESERVED = re.compile(r"[,;|()=\[\]{}\s]+")
_QUOTED = re.compile("['\"]\\s*[^\\W\\d]")
_GAPS = {"", "nan", "na", "n/a", "null", "none", "-", "–"}


@dataclass
class ColumnRoles:
    """The column number of each role; -1 for none. `wide` contains the columns of metrics."""

    item: int = -1
    run: list[int] = field(default_factory=list)
    settings: dict[str, int] = field(default_factory=dict)
    index: int = -1
    caption: int = -1
    metric: int = -1
    value: int = -1
    higher: int = -1
    low: int = -1
    high: int = -1
    wide: list[int] = field(default_factory=list)

    @property
    def used(self) -> set[int]:
        """All columns with a role."""
        places = (self.item, self.index, self.caption, self.metric, self.value, self.higher, self.low, self.high)
        return {*places, *self.run, *self.settings.values(), *self.wide}


def matches(value: Any) -> bool:
    """Return whether a value is `{"scores": [..]}`, or a list of objects that are rows of scores."""
    rows = value.get("scores") if isinstance(value, dict) else value
    first = rows[:PEEK] if isinstance(rows, list) else None
    if not are_objects(first):
        return False
    if _nested(first) and not any(holds_text(one) for row in first for one in row.values() if one is not None):
        first = [flat(row) for row in first]
    return _recognised(*contents.columns_of(first), "")


def _nested(rows: Sequence[Any]) -> bool:
    return any(isinstance(one, dict) for row in rows[:PEEK] if isinstance(row, dict) for one in row.values())


def load_json(source: Source) -> Part:
    """Return the scores in JSON or JSON Lines; an object may state directions and ranges in `metrics`."""
    given = source.value
    rows, stated = (given["scores"], given.get("metrics")) if isinstance(given, dict) else (given, None)
    if nested := _nested(rows):
        rows = [flat(row) if isinstance(row, dict) else row for row in rows]
    return load(source, of_records(source, rows, nested), stated if isinstance(stated, dict) else {})


def is_scores(found: Table, stem: str) -> bool:
    """Return whether a table contains scores rather than captions, judging by its first rows."""
    return _recognised(found.header, found.sample(), stem)


def _recognised(header: Sequence[str], rows: Sequence[Sequence[Any]], stem: str) -> bool:
    """Return whether a table contains scores: in long form by its columns, and in wide form if it has no captions or
    its file is named `scores`.
    """
    names = [norm(name) for name in header]
    roles = _column_roles(header, rows)
    if are_requests(header) or (roles.item < 0 and (not roles.run or _are_captions(rows, roles))):
        return False
    if roles.metric >= 0 and roles.value >= 0:
        return True
    called = [k for k, name in enumerate(header) if whose(name) or run_columns.named_caption(name)]
    said = any(is_text(name) and place != roles.index for place, name in enumerate(names))
    said |= any(contents.is_written(rows, k) for k in called)
    # Sentences in several columns of other names are the captions of as many runs.
    others = [k for k in range(len(header)) if not no_caption(header[k]) and k not in roles.run]
    others = [k for k in others if contents.is_written(rows, k) and contents.has_sentences(rows, k)]
    said |= len(others) > 1 - bool(roles.run) or any(contents.lists_sentences(cell) for row in rows for cell in row)
    return bool(roles.wide) and (not said or _is_named(stem))


def _is_named(stem: str) -> bool:
    return bool({"score", "scores", "metrics"} & set(in_name(stem)))


def wide(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[int]:
    """Return the columns of numbers of a table with one column per metric; [] for other tables."""
    return _column_roles(header, rows).wide


def beside(header: Sequence[str], rows: Sequence[Sequence[Any]], stem: str) -> list[int]:
    """Return the columns of numbers as metrics if the file's name, `stem`, shows that it contains scores; else []."""
    return _column_roles(header, rows).wide if _is_named(stem) else []


def _are_captions(rows: Sequence[Sequence[Any]], roles: ColumnRoles) -> bool:
    """Return whether rows without items are captions, not scores of runs: runs have several rows, and some
    sentences.
    """
    runs = contents.by_cells(rows, [*roles.run, *roles.settings.values()], ())
    return len(runs) < len(rows) and any(contents.is_written(rows, k) for k in range(max(map(len, rows), default=0)))


def _column_roles(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> ColumnRoles:
    names = [norm(name) for name in header]
    first = partial(first_of, names)
    found = ColumnRoles(run=[place for place, name in enumerate(names) if name in RUNS])
    found.settings = setting_columns(names, rows)
    found.metric, found.value = first(METRIC), first(VALUE)
    found.index = next((k for name in INDEX if (k := first([name])) >= 0 and counts(rows, k)), -1)
    found.caption = first(CAPTION, {found.index})
    found.higher, found.low, found.high = first(DIRECTION), first(LOW), first(HIGH)
    taken = {*found.run, found.index, found.caption, found.metric, found.value}
    found.item = first(IDS, taken)
    if found.item < 0 and (shared := shared_by_runs(rows, [], found.run, taken)) is not None:
        found.item = shared
    if found.metric < 0 or found.value < 0:
        found.metric = found.value = -1
        known = {*taken, found.item, found.higher, found.low, found.high, *found.settings.values()} - {first(VALUE)}
        metrics = [k for k, name in enumerate(names) if name and name not in IDS and not name.endswith("_id")]
        counted = {k for k in metrics if is_index(header, rows, k)}
        found.wide = [k for k in metrics if k not in known | counted and numbers(rows, k)]
    return found


def is_index(header: Sequence[str], rows: Sequence[Sequence[Any]], column: int) -> bool:
    """Return whether a column is named `index` or `idx`, or has a name such as `frame_index` and whole numbers."""
    name = leaf(header[column])
    return words(name)[-1:] in (["idx"], ["index"]) and (norm(name) in ("idx", "index") or counts(rows, column))


def counts(rows: Sequence[Sequence[Any]], column: int) -> bool:
    """Return whether all non-empty cells of a column are whole numbers."""
    return bool(cells := contents.values(rows, column)) and all(whole(cell) is not None for cell in cells)


def whole(cell: Any) -> int | None:
    """Return the whole number of plausible size in a cell; None for anything else."""
    value = number(cell)
    return int(value) if isinstance(value, float) and value == int(value) and abs(value) < 2**31 else None


def numbers(rows: Sequence[Sequence[Any]], column: int) -> bool:
    """Return whether at least half of a column's non-empty cells are numbers."""
    cells = contents.values(rows, column)
    return bool(cells) and 2 * sum(number(cell) is not None for cell in cells) >= len(cells)


def is_list(cell: Any) -> bool:
    """Return whether a cell is a list of numbers or the text of one."""
    if isinstance(cell, str) and cell.startswith("[") and cell.endswith("]"):
        return not _QUOTED.search(cell)
    return isinstance(cell, list) and not any(isinstance(one, str) and number(one) is None for one in cell)


def number(cell: Any) -> float | None:
    """Return the finite number of plausible size in a cell; None for anything else."""
    if isinstance(cell, bool) or not isinstance(cell, int | float | str) or (isinstance(cell, str) and "_" in cell):
        return None
    try:
        value = float(cell)
    except (ValueError, OverflowError):
        return None
    return value if math.isfinite(value) and abs(value) <= LARGEST else None


def load(source: Source, found: Table, stated: Mapping[str, Any] | None = None) -> Part:
    """Return the rows of scores in a table; report values that are not numbers as findings; empty cells are gaps.

    Captions in the table, one per row, are candidates if no other file has captions.
    """
    sample = found.sample()
    roles = _column_roles(found.header, sample)
    part = Part(source.name, "scores", [], 0, stem=source.run)
    if not (roles.wide or roles.metric >= 0) or (roles.item < 0 and not roles.run):
        columns = TrustedText(", ".join(clip(name) for name in found.header[:12]))
        source.log.add("no_table_columns", source.name, what="scores", columns=columns)
        return part
    if not roles.run:
        found.header, roles.run = row_runs.named_by_cells(found.header, sample, roles.used, source.reading.runs_beside)
    header, roles.wide = headlines(found, roles.wide)
    left = [k for k in range(len(header)) if k not in roles.used and not all(map(is_gap, contents.values(sample, k)))]
    metadata.say(source.log, "scores_left", source.name, [found.header[k] for k in left])
    reader = _Reader(source, header, roles, stated or {})
    rows = list(found.rows)
    reader.runs.varied = row_runs.varied([row for _, row in rows], found.header, reader.runs, roles.item)
    for where, row in rows:
        part.n_records += 1
        part.scores += reader.rows(where, row)
    part.records = list(reader.records.values())
    part.labels = label_runs(source, dict.fromkeys(run for r in part.records for run in r.candidates), reader.settings)
    part.counts_from_zero = count_from_zero([found.header[roles.index]] if roles.index >= 0 else [], part.scores)
    return part


def count_from_zero(names: Iterable[str], rows: Iterable[ScoreRow]) -> bool:
    """Return whether positions count from 0: their column's name says so, one is 0, or there are no positions."""
    stated = {norm(name) for name in names} & {"candidate_from_0", "candidate_from_1"}
    places = {row.index for row in rows} - {None}
    return "candidate_from_0" in stated or (not stated and (not places or 0 in places))


def headlines(found: Table, metrics: list[int]) -> tuple[list[str], list[int]]:
    """Return the header with the names of metrics, and the columns of metrics to read.

    If one of the numbers in an object represents them all, only that one is read, under the name of the object.
    """
    header, within = list(found.header), dict[str, list[int]]()
    if not found.nested:
        return header, metrics
    for k in metrics:
        parts = header[k].split(".")
        while len(parts) > 1 and norm(parts[0]) in OUTER:
            parts.pop(0)
        header[k] = short if (short := ".".join(parts)) not in header else header[k]
        within.setdefault(_above(header[k]), []).append(k)
    heads = {above: k for above, of in within.items() if above and (k := _headline(header, of)) >= 0}
    wholes = {_above(one): one for one in heads if _above(one) and norm(one.rpartition(".")[2]) in WHOLES}
    read = []
    for above, of in within.items():
        if wholes.get(_above(above), above) == above:
            read += [heads[above]] if above in heads else of
    for above, k in heads.items():
        header[k] = _above(above) if wholes.get(_above(above)) == above else above
    return header, sorted(read)


def _above(path: str) -> str:
    return path.rpartition(".")[0]


def _headline(header: Sequence[str], places: Sequence[int]) -> int:
    names = {norm(header[k].rpartition(".")[2]): k for k in places}
    return next((names[name] for name in HEADLINES if name in names), -1)


def is_gap(cell: Any) -> bool:
    """Return whether a cell is empty or has a word for a missing value."""
    return str("" if cell is None else cell).strip().lower() in _GAPS


def with_side(written: str) -> tuple[str | None, bool | None]:
    """Return the name in a heading such as `CHAIRs (lower)`, and whether higher is better; each is None if it is not
    stated.
    """
    mark = _MARK.search(written)
    side = None if mark is None else _side(next(group for group in mark.groups() if group))
    return as_id(written[: mark.start()] if mark else written), side


def clean(name: str) -> str:
    """Return at most 60 characters of a name, with `_` for those special in commands or tables; "" if none is left."""
    return _RESERVED.sub("_", name).strip("_").lstrip("+-@")[:60]


class _Reader:
    def __init__(self, source: Source, header: Sequence[str], roles: ColumnRoles, stated: Mapping[str, Any]) -> None:
        self.source, self.header, self.roles, self.stated = source, list(header), roles, stated
        self.runs = RunColumns(runs=roles.run, settings=roles.settings)
        self.names: dict[str, tuple[str, bool | None]] = {}
        self.records: dict[str, Record] = {}
        self.settings: dict[str, dict[str, Any]] = {}

    def rows(self, where: str, row: Sequence[Any]) -> Iterator[ScoreRow]:
        roles = self.roles

        cell = partial(cell_of, row)
        item = self._item(cell(roles.item), where)
        if item is None and (cell(roles.item) not in (None, "") or (roles.item >= 0 and not roles.run)):
            return
        run = row_runs.run_name(self.source, cell, self.runs, self.header) if roles.run else None
        index, caption = whole(cell(roles.index)), cell(roles.caption)
        place = {
            "run": run,
            "item": item,
            "index": None if item is None else index,
            "caption": caption if index is None and item is not None and isinstance(caption, str) and caption else None,
        }
        if roles.metric < 0 and place["caption"] is not None and item is not None:
            place["index"] = self._remember(item, caption, where, cell)
        if roles.metric >= 0:
            facts = (_side(cell(roles.higher)), number(cell(roles.low)), number(cell(roles.high)))
            pairs = [(cell(roles.metric), cell(roles.value), facts)]
        else:
            pairs = [(self.header[k], cell(k), (None, None, None)) for k in roles.wide]
        for name, value, facts in pairs:
            yield from self._score(where, name, value, facts, place)

    def _remember(self, item: str, caption: str, where: str, cell: Callable[[int], Any]) -> int:
        """Note the caption of a row, in case no other file has candidates; return its position among the noted
        captions.
        """
        name = row_runs.run_of(self.source, cell, self.runs, self.header, self.settings)
        texts = self.records.setdefault(item, Record(item, where)).candidates.setdefault(name, [])
        texts.append(caption)
        return len(texts) - 1

    def _item(self, value: Any, where: str) -> str | None:
        if value is None or value == "":
            if self.roles.item >= 0 and not self.roles.run:
                self.source.log.add("missing_id", self.source.name, where)
            return None
        return self.source.checked_id(value, where)

    def _score(
        self,
        where: str,
        written: Any,
        value: Any,
        facts: Facts,
        place: Mapping[str, Any],
    ) -> Iterator[ScoreRow]:
        name, side = self._name(written, where)
        if not name:
            return
        known = number(value)
        if known is None and not is_gap(value):
            found = kind(value)
            self.source.log.add(
                "score_not_number", self.source.name, where, place["item"] or "", metric=name, found=found
            )
        told = self._stated(name)
        higher = next((one for one in (facts[0], told[0], side) if one is not None), None)
        low, high = (told[k] if facts[k] is None else facts[k] for k in (1, 2))
        yield ScoreRow(where, name, known, **place, higher=higher, low=low, high=high)

    def _name(self, written: Any, where: str) -> tuple[str, bool | None]:
        """Return a metric's name, as `clean` leaves it, and whether higher is better (None if the name does not say).
        Add a finding if the name changes.
        """
        if isinstance(written, str) and written in self.names:
            return self.names[written]
        name, side = with_side(written) if isinstance(written, str) else (None, None)
        new = clean(name or "")
        if not new:
            self.source.log.add("score_name", self.source.name, where, name=kind(written), new=TrustedText("nothing"))
        elif new != name:
            self.source.log.add("score_name", self.source.name, where, name=name, new=new)
        if isinstance(written, str):
            self.names[written] = new, side
        return new, side

    def _stated(self, name: str) -> Facts:
        said = self.stated.get(name)
        if not isinstance(said, dict):
            return None, None, None
        values = [next((said[key] for key in keys if key in said), None) for keys in (DIRECTION, LOW, HIGH)]
        return _side(values[0]), number(values[1]), number(values[2])


def _side(cell: Any) -> bool | None:
    return _SIDES.get(str(cell).strip().lower().removesuffix(" is better")) if cell is not None else None
