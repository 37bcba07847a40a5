"""Imported scores: the facts that files state about them, and the captions to which they belong."""

from __future__ import annotations

import math
import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

from data.fields import directions
from data.finding_kinds.catalogue import KINDS
from data.findings import Finding, Log, TrustedText, clip
from data.matching.match_ids import align
from data.matching.merge import Pool, PoolRun
from data.records import Part, Record, ScoreRow
from data.study import ImportedScores, ScoreGrain, Study

_ORDER: tuple[ScoreGrain, ...] = ("candidate", "item", "run")
_FILTER = re.compile(r"(.+?)@(?:[^@]*[,@]\s*)?filter=([^,@]+)")
"""The name of a run made of answers under one of lm-eval's filters: its model and the filter."""
_PREDICTIONS = re.compile(r"^(?:predictions?|preds?|captions?|results?|outputs?)[_.-]+")
Key = tuple[str, str, int]
"""Run, item and position of a candidate; the item is "" for a whole run's value, the position -1 for an item's."""


@dataclass
class _Metric:
    """Everything that files state about a metric: values by grain, and the file that first stated its direction."""

    name: str
    values: dict[ScoreGrain, dict[Key, float]]
    file: str
    higher: bool | None = None
    low: float = -math.inf
    high: float = math.inf


def attach(study: Study, pool: Pool, parts: Iterable[Part], fixes: Container[str], log: Log) -> Study:
    """Return the study with the scores in its files; report scores of unknown captions as findings."""
    metrics: dict[str, _Metric] = {}
    for part in parts:
        if part.scores and not (part.first_of and "drop_same_files" in fixes):
            _read(study, pool, part, fixes, metrics, log)
    found = [made for metric in metrics.values() if (made := _build_scores(study, metric, log)) is not None]
    return replace(study, scores=tuple(found)) if found else study


def _read(study: Study, pool: Pool, part: Part, fixes: Container[str], metrics: dict[str, _Metric], log: Log) -> None:
    runs = [run.name for run in study.runs]
    rows = _with_runs(_by_filter(part.scores, runs), runs)
    places = CaptionLookup(study, pool, part, fixes, log, rows)
    for row in rows:
        metric = metrics.setdefault(row.metric, _Metric(row.metric, {grain: {} for grain in _ORDER}, part.file))
        _merge_statement(metric, row, part, log)
        keys = places.of(row)
        if keys is None or row.value is None:
            continue
        if not metric.low <= row.value <= metric.high:
            low, high = _format_bound(metric.low), _format_bound(metric.high)
            log.add("score_out_of_range", part.file, row.where, row.item or "", metric=row.metric, low=low, high=high)
            continue
        grain: ScoreGrain = "candidate" if row.of_candidate else "item" if row.item is not None else "run"
        for key in keys:
            if metric.values[grain].setdefault(key, row.value) != row.value:
                log.add("score_differs", part.file, row.where, row.item or "", metric=row.metric)


def _merge_statement(metric: _Metric, row: ScoreRow, part: Part, log: Log) -> None:
    """Add a row's direction and range to its metric; report any that contradict an earlier statement as a finding."""
    if row.higher is not None and metric.higher not in (None, row.higher):
        log.add("score_facts_differ", part.file, row.where, metric=metric.name, what="direction")
    elif row.higher is not None:
        metric.higher = row.higher
    for end in ("low", "high"):
        value, known = getattr(row, end), getattr(metric, end)
        if value is not None and math.isfinite(known) and value != known:
            log.add("score_facts_differ", part.file, row.where, metric=metric.name, what="range")
        elif value is not None:
            setattr(metric, end, value)


def _with_runs(rows: Sequence[ScoreRow], runs: Sequence[str]) -> Sequence[ScoreRow]:
    """Return the rows with the runs that the names of all metrics contain, as in `mymodel_CIDEr`.

    Return the rows unchanged if there is only one run, if a row names a run, or if the name of a metric contains no run
    or nothing else.
    """
    of = {row.metric: _named_in(row.metric, runs) for row in rows}
    bare = {name: re.sub(rf"[\W_]*{re.escape(run)}[\W_]*", "", name, flags=re.I) for name, run in of.items() if run}
    if len(runs) < 2 or any(row.run is not None for row in rows) or not all(bare.get(name) for name in of):
        return rows
    return [replace(row, run=of[row.metric], metric=bare[row.metric]) for row in rows]


def _by_filter(rows: Sequence[ScoreRow], runs: Sequence[str]) -> Sequence[ScoreRow]:
    """Assign a model's totals by lm-eval's filters to the runs of these filters, and return all rows.

    For example, `exact_match_strict` belongs to `lab/m@filter=strict`.
    """
    filters = {run: match for run in runs if (match := _FILTER.fullmatch(run)) is not None}

    def of(row: ScoreRow) -> ScoreRow:
        if row.run is None or row.item is not None:
            return row
        found = [run for run, (model, by) in told if model in _also(row.run) and row.metric.endswith(f"_{by}")]
        by = f"_{filters[found[0]][2]}" if len(found) == 1 else ""
        return replace(row, run=found[0], metric=row.metric.removesuffix(by)) if by else row

    told = [(run, match.groups()) for run, match in filters.items()]
    return [*map(of, rows)] if told else rows


def _also(model: str) -> tuple[str, str, str]:
    """Return the names that a run of a model may have: for `lab/blip`, also the folder `lab__blip`, and `blip`."""
    return model, model.replace("/", "__"), model.rpartition("/")[2]


def _named_in(stem: str, runs: Sequence[str]) -> str | None:
    """Return the run to which numbers without a run belong: the only run, or the one in the file's name; else None.

    Words such as predictions before a run's name do not count. Of names that contain one another, such as `sys` and
    `sys_large`, the longest counts; the name of a metric, as in `clip_scores`, does not.
    """
    if len(runs) < 2:
        return next(iter(runs), None)
    bare = {name: _PREDICTIONS.sub("", name.lower()) for name in runs}
    longest = sorted(filter(None, bare.values()), key=len, reverse=True)
    there = rf"(?<![^\W_])({'|'.join(map(re.escape, longest))})(?![^\W_])"
    found = {match[1] for match in re.finditer(there, stem.lower()) if not directions.is_known(match[1])}
    told = [name for name, own in bare.items() if own in found]
    return told[0] if len(told) == 1 else None


def _in_folder(file: str, runs: Mapping[str, str]) -> str | None:
    """Return the run whose file, in `runs`, is the only one in the folder of a file of numbers; else None."""
    folder = PurePath(file).parent
    beside = [name for name, of in runs.items() if PurePath(of).parent == folder]
    return beside[0] if len(beside) == 1 and folder != PurePath() else None


class CaptionLookup:
    """Finds the captions that rows of a file identify; rows that match none become findings of that `kind`."""

    def __init__(
        self,
        study: Study,
        pool: Pool,
        part: Part,
        fixes: Container[str],
        log: Log,
        rows: Sequence[ScoreRow],
        kind: str = "score",
    ) -> None:
        self.study, self.pool, self.part, self.log, self.kind = study, pool, part, log, kind
        also = {record.id: record.aliases for record in part.records}
        ids = dict.fromkeys(row.item for row in rows if row.item is not None)
        named = [Record(id, aliases=also.get(id, ())) for id in ids]
        as_records = Part(part.file, "table", named, len(named))
        self.ids = align(as_records, pool.index, log, "match_ids" in fixes)
        self.kept = {item.id for item in study.items}
        self.runs = {run.name: run for run in study.runs}
        self.first = 0 if part.counts_from_zero else 1
        told = part.stem if part.stem in self.runs else _named_in(part.stem, list(self.runs))
        self.unnamed = told or _in_folder(part.file, {name: pool.runs[name].file for name in self.runs})

    def of(self, row: ScoreRow) -> list[Key] | None:
        """Return the keys of what a row is about: candidates, an item or a run; None if the study does not have it or
        no run is known.
        """
        name = self._run(row)
        if name is None:
            return None
        if row.item is None:
            return [(name, "", -1)]
        id = self.ids[row.item]
        if id not in self.kept:
            # Items that checks or repairs removed count as known; only others are a mistake.
            if id not in self.pool.items:
                self.unknown(row, "an item")
            return None
        if not row.of_candidate:
            return [(name, id, -1)]
        places = self._candidates(self.pool.runs[name], id, row)
        return [(name, id, place) for place in places] if places else None

    def _run(self, row: ScoreRow) -> str | None:
        given = None if row.run is None else self._known(row)
        if given is None or given in self.runs:
            name = given or self.unnamed
            if name is None:
                self.log.add(f"{self.kind}_no_run", self.part.file, row.where, row.item or "", runs=len(self.runs))
            return name
        if given not in self.pool.every_run:
            self.unknown(row, "a run", given)
        return None

    def _known(self, row: ScoreRow) -> str:
        """Return the run that a row names, or the only run of the model that it names, with a finding."""
        name, known = str(row.run), self.pool.every_run
        given = self.pool.joined.get(name, name)
        if (found := next((one for one in _also(given) if one in known), None)) is not None:
            return found
        models = [run.name for run in self.study.runs if run.model in _also(given)]
        if len(models) != 1 or len(self.runs) < len(known):  # a run that was removed may be of that model, too
            return given
        self.log.add("run_by_model", self.part.file, row.where, run=models[0], model=name)
        return models[0]

    def _candidates(self, run: PoolRun, id: str, row: ScoreRow) -> list[int]:
        kept = run.places.get(id, range(len(run.candidates[id])))
        given = run.written.get(id, run.candidates[id])
        if row.caption is not None:
            likely_field = [place for place, text in enumerate(given) if text.strip() == row.caption.strip()]
            # Among equal captions, take the one at the row's position, if the table has the captions, too.
            if row.index is not None and row.index - self.first in likely_field:
                likely_field = [row.index - self.first]
            if not likely_field:
                now = self.study.run(run.name).candidates[id]
                return [k for k, text in enumerate(now) if text == row.caption] or self.unknown(row, "a caption")
        else:
            assert row.index is not None
            likely_field = [row.index - self.first]
            if not 0 <= likely_field[0] < len(given):
                return self.unknown(row, "a candidate")
        # Candidates that a repair removed are known, but no longer have a position.
        return [k for k, place in enumerate(kept) if place in likely_field]

    def unknown(self, row: ScoreRow, what: str, name: str = "") -> list[int]:
        """Add a finding that the study has no such caption, item or run; return an empty list."""
        self.log.add(f"{self.kind}_unknown", self.part.file, row.where, name or row.item or "", what=TrustedText(what))
        return []


def _build_scores(study: Study, metric: _Metric, log: Log) -> ImportedScores | None:
    """Return the scores of a metric at their finest grain; None, with a finding, if no value belongs to the study."""
    grain = next((grain for grain in _ORDER if metric.values[grain]), None)
    if grain is None:
        log.add("score_none", metric.file, metric=metric.name)
        return None
    coarser = sum(len(metric.values[other]) for other in _ORDER if other != grain)
    if coarser:
        log.add("score_grain", metric.file, count=coarser, metric=metric.name, grain=TrustedText(_EACH[grain]))
    higher = metric.higher
    if higher is None:
        higher = not directions.is_lower_better(metric.name)
        if not directions.is_known(metric.name):
            side = TrustedText("higher" if higher else "lower")
            log.add("score_direction", metric.file, metric=metric.name, side=side, name=metric.name)
    values = {run.name: _of_run(study, run.name, grain, metric.values[grain]) for run in study.runs}
    for run, of_items in values.items():
        _gaps(metric, grain, run, of_items, log)
    return ImportedScores(metric.name, grain, higher, metric.low, metric.high, values)


_EACH = {"candidate": "each candidate", "item": "each item", "run": "each run"}


def _of_run(study: Study, run: str, grain: ScoreGrain, known: Mapping[Key, float]) -> dict[str, tuple[float, ...]]:
    """Return the values of a run by item, with NaN for a gap.

    By `grain`, these are one value per candidate, one value per item, or the run's only value under "".
    """
    if grain == "run":
        return {"": (known.get((run, "", -1), math.nan),)}
    if grain == "item":
        return {item.id: (known.get((run, item.id, -1), math.nan),) for item in study.items}
    sizes = {id: len(texts) for id, texts in study.run(run).candidates.items()}
    return {
        item.id: tuple(known.get((run, item.id, place), math.nan) for place in range(sizes.get(item.id, 0)))
        for item in study.items
    }


def _gaps(metric: _Metric, grain: ScoreGrain, run: str, values: Mapping[str, Sequence[float]], log: Log) -> None:
    total = sum(map(len, values.values()))
    lacking = [id for id, of in values.items() if any(map(math.isnan, of))]
    n = sum(sum(map(math.isnan, values[id])) for id in lacking)
    if n and grain != "run":
        what = TrustedText("captions" if grain == "candidate" else "items")
        log.add(
            "score_gaps", metric.file, id=lacking[0], count=n, metric=metric.name, run=run, n=n, total=total, what=what
        )
    elif n:
        log.add(
            "score_gaps", metric.file, id=run, metric=metric.name, run=run, n=1, total=1, what=TrustedText("values")
        )


def with_directions(study: Study, higher: Mapping[str, bool]) -> Study:
    """Return the study with the directions of some imported metrics set, by name."""
    if not higher:
        return study
    found = tuple(replace(one, higher_is_better=higher.get(one.name, one.higher_is_better)) for one in study.scores)
    return replace(study, scores=found)


def asks_direction_of(name: str, finding: Finding) -> bool:
    """Return whether a finding reports that the direction of this metric is not stated."""
    said = (KINDS["score_direction"].problem.format(metric=clip(name), side=side) for side in ("higher", "lower"))
    return finding.code == "score_direction" and finding.problem in said


def _format_bound(end: float) -> TrustedText:
    return TrustedText(f"{end:g}" if math.isfinite(end) else "no bound")
