"""Runs by temperature and decoder: the value of each setting with its interval, and the optimum of each line.

An optimum is chosen from the data, so `run_differences.all_pairs` compares all settings of a metric simultaneously: the
temperatures that may be the best of their line are those that no other temperature beats significantly.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from typing import Literal, NamedTuple

import numpy as np

from data.study import Run, Settings, Study
from metrics.analysis import human_line as people
from metrics.analysis import run_differences
from metrics.analysis.comparable_runs import unequal
from metrics.analysis.human_line import Human
from metrics.analysis.numbers import Numbers
from metrics.analysis.replicates.grouping import replicates
from metrics.analysis.replicates.spread_of_seeds import estimate
from metrics.base import Estimate, Metric, Undefined
from metrics.bootstrap import RESAMPLES, interval
from metrics.engine.result import PENDING, Result
from metrics.mathematics.arrays import Floats, Integers, Labels

Goal = Literal["lowest", "highest", "nearest"]
SAMPLED = ("", "sample", "sampling", "nucleus", "top_p", "top_k", "temperature", "multinomial")
ORDER = ("greedy", "beam", "nucleus", "top_k", "sampling")
_BEAM = re.compile(r"^(.*beam)(?:_?search)?_?(\d+)?$")


@dataclass(frozen=True)
class Decoder:
    """A decoding method: `kind` is one of ORDER, another name or, if none is stated, ""; `width` counts beams."""

    kind: str
    top_p: float | None = None
    top_k: int | None = None
    width: int | None = None


@dataclass(frozen=True)
class Setting:
    """A model with one decoder and temperature (None if not stated); several `runs` are seeds."""

    model: str
    decoder: Decoder
    temperature: float | None
    runs: tuple[str, ...]


@dataclass(frozen=True)
class Sweep:
    """A line: one model and decoder, with its settings from cold to hot."""

    model: str
    decoder: Decoder
    settings: tuple[Setting, ...]


@dataclass(frozen=True)
class Point:
    """The value of a setting: the mean of its runs with a 95 % interval, their `singles`, and the number of items.

    NaN where undefined, with the `reason`. `boot` (resamples,) uses the same draws of items as every other point;
    `item_set` is equal for points with values of the same items, -1 if a point's runs have values of different items.
    With several runs, `sd` is their standard deviation, and `excess` and `uncertainty` describe the variance that seeds
    add to the variance over items (`run_differences.SeedVariance`); `share` is the share of one run's variance that is
    due to the seed, and `no_share` states why it is unknown.
    """

    setting: Setting
    value: float = np.nan
    low: float = np.nan
    high: float = np.nan
    n: int = 0
    singles: tuple[float, ...] = ()
    reason: str = ""
    item_set: int = -1
    sd: float = np.nan
    excess: float = 0.0
    uncertainty: float = 0.0
    share: float = np.nan
    no_share: str = ""
    n_units: int = 0
    boot: Floats = field(default_factory=lambda: np.full(RESAMPLES, np.nan), repr=False, compare=False)


@dataclass(frozen=True)
class Optimum:
    """The point of a line that is best by the goal, at position `at`.

    `may_be` are the positions, in order, of the points that no other point of the line beats significantly, by tests
    corrected across all settings of the metric; empty if points cannot be compared.
    """

    at: int
    may_be: tuple[int, ...] = ()


@dataclass(frozen=True)
class Curve:
    """The values along a line."""

    sweep: Sweep
    points: tuple[Point, ...]
    optimum: Optimum | None

    @property
    def best(self) -> Point | None:
        """The point at the optimum; None without an optimum."""
        return self.points[self.optimum.at] if self.optimum is not None else None


class Judged(NamedTuple):
    """Points by their distance from the goal, with all pairs compared simultaneously.

    `loss` (points,) is that distance, smallest for the best; `ahead` (points, points) is True where the row is
    significantly nearer to the goal than the column, `comparable` where a pair could be tested.
    """

    loss: Floats
    ahead: Labels
    comparable: Labels


@dataclass(frozen=True)
class SweepView:
    """One metric over the settings of a study; `off_line` are the points that are not on any line.

    `target` (resamples,) is the human value that a goal of "nearest" aims at, on the same draws of items. `chance` is
    the floor of all runs of the settings, if requested.
    """

    metric: Metric
    goal: Goal
    curves: tuple[Curve, ...]
    off_line: tuple[Point, ...]
    human: Human
    target: Floats | None = field(default=None, repr=False, compare=False)
    chance: Estimate | None = None

    @property
    def points(self) -> tuple[Point, ...]:
        """All points; points on lines come first."""
        return (*(point for curve in self.curves for point in curve.points), *self.off_line)

    @cached_property
    def judged(self) -> Judged:
        """All pairs of points, compared simultaneously."""
        points = self.points
        loss = _loss(np.array([point.value for point in points]), self.goal, self.human.value)
        boot = _loss(np.array([point.boot for point in points]), self.goal, self.human.value, self.target)
        # A point whose runs have values for different items is not comparable with any other.
        covers = np.array(
            [-k if point.item_set < 0 else point.item_set + 1 for k, point in enumerate(points)], dtype=int
        )
        seeds = None
        if any(point.excess > 0 for point in points):
            added = [[point.excess for point in points], [point.uncertainty for point in points]]
            seeds = run_differences.SeedVariance(*np.array(added))
        pairs = run_differences.all_pairs(
            loss, boot.reshape(len(points), -1), [point.n_units for point in points], covers, seeds
        )
        return Judged(loss, pairs.sure & (pairs.value < 0), np.isfinite(pairs.p))


@dataclass(frozen=True)
class Contrast:
    """Items ordered by the absolute difference between two runs, largest first; items without both values are left out.

    `order` (n,) are positions in the study; `here` and `there` (n_items,) are the two runs' values.
    """

    order: Integers
    here: Floats
    there: Floats


def decoder_of(settings: Settings) -> Decoder:
    """Return the decoder that the settings state; truncated sampling is named after its kind of truncation."""
    name = re.sub(r"[\s-]+", "_", (settings.decoder or "").strip().lower())
    beam = _BEAM.match(name)
    if beam:
        return Decoder(beam.group(1), width=int(beam.group(2)) if beam.group(2) else None)
    if name in ("greedy", "argmax"):
        return Decoder("greedy")
    if name not in SAMPLED:
        return Decoder(name, settings.top_p, settings.top_k)
    top_p = settings.top_p if settings.top_p is not None and settings.top_p < 1 else None
    if top_p is not None or name in ("nucleus", "top_p"):
        return Decoder("nucleus", top_p, settings.top_k)
    if settings.top_k is not None or name == "top_k":
        return Decoder("top_k", top_k=settings.top_k)
    return Decoder("sampling" if name or settings.temperature is not None else "")


def settings_of(runs: Iterable[Run]) -> tuple[Setting, ...]:
    """Return the settings of runs, in order of appearance; runs that differ only in seed or name share a setting."""
    found: dict[tuple[str, Decoder, float | None], list[str]] = {}
    runs = list(runs)
    by_name = {run.name: run for run in runs}
    first = {name: by_name[of.runs[0]] for of in replicates(runs) for name in of.runs}
    for run in runs:
        model, settings = first[run.name].model, first[run.name].settings
        key = (model, decoder_of(settings), settings.temperature)
        found.setdefault(key, []).append(run.name)
    return tuple(Setting(*key, tuple(names)) for key, names in found.items())


def sweeps_of(settings: Iterable[Setting], positive: bool = False) -> tuple[Sweep, ...]:
    """Return lines over temperature, in order of first appearance; `positive` omits T = 0, which has no logarithm."""
    lines: dict[tuple[str, Decoder], list[Setting]] = {}
    for setting in settings:
        if on_axis(setting, positive):
            lines.setdefault((setting.model, setting.decoder), []).append(setting)
    return tuple(Sweep(*key, tuple(sorted(stops, key=_temperature))) for key, stops in lines.items())


def on_axis(setting: Setting, positive: bool = False) -> bool:
    """Return whether a setting can be shown on an axis of temperatures."""
    return setting.temperature is not None and (setting.temperature > 0 or not positive)


def _temperature(setting: Setting) -> float:
    return -1.0 if setting.temperature is None else setting.temperature


def by_decoder(settings: Iterable[Setting], temperature: float | None = None) -> tuple[tuple[Setting, ...], ...]:
    """Return settings grouped by decoder: the decoders of ORDER, then other decoders, then settings without a decoder.

    With `temperature`, include only the settings at that temperature and those without a temperature.
    """
    kept = [s for s in settings if temperature is None or s.temperature in (None, temperature)]
    models = list(dict.fromkeys(s.model for s in kept))
    kept.sort(key=lambda s: (_place(s.decoder), models.index(s.model), _temperature(s)))
    return tuple(tuple(group) for _, group in groupby(kept, key=lambda s: s.decoder))


def _place(decoder: Decoder) -> tuple[int, str, float, float, float]:
    place = ORDER.index(decoder.kind) if decoder.kind in ORDER else len(ORDER) + (not decoder.kind)
    return place, decoder.kind, decoder.top_p or 0.0, float(decoder.top_k or 0), float(decoder.width or 0)


def sweep_view(
    study: Study, numbers: Numbers, metric: Metric, settings: Sequence[Setting], positive: bool = False
) -> SweepView:
    """Return one metric over these settings, with its human line, if any; `positive` is as in `sweeps_of`."""
    human = numbers.human(study, metric)
    goal = goal_of(metric, human)
    target = _target(study, numbers, metric, human) if goal == "nearest" else None
    known = dict(zip(settings, points_of(study, numbers, metric, settings)))
    sweeps = sweeps_of(settings, positive)
    rest = tuple(known[setting] for setting in settings if not on_axis(setting, positive))
    lines = tuple(Curve(sweep, tuple(known[stop] for stop in sweep.settings), None) for sweep in sweeps)
    found = SweepView(metric, goal, lines, rest, human, target)
    curves, start = [], 0
    for line in lines:
        own = slice(start, start := start + len(line.points))
        loss, ahead, comparable = found.judged
        curves.append(replace(line, optimum=optimum(Judged(loss[own], ahead[own, own], comparable[own, own]))))
    runs = [name for setting in settings for name in setting.runs]
    return replace(found, curves=tuple(curves), chance=numbers.floor(metric, runs))


def points_of(study: Study, numbers: Numbers, metric: Metric, settings: Iterable[Setting]) -> tuple[Point, ...]:
    """Return the values of these settings by a metric."""
    values, boot = numbers.corpus(study, metric, study.runs)
    sets, left_out = numbers.item_sets(metric, study.runs), unequal(study, metric, study.runs)
    place = {run.name: k for k, run in enumerate(study.runs)}
    found = []
    for setting in settings:
        if why := [left_out[name].why() for name in setting.runs if name in left_out]:
            found.append(Point(setting, reason=f"not comparable: {why[0]}"))
            continue
        at = [place[name] for name in setting.runs]
        there = [result for k in at if (result := numbers.get(study.runs[k], metric)) is not None]
        found.append(_point(setting, there, values[at], boot[at], sets[at]))
    return tuple(found)


def goal_of(metric: Metric, human: Human) -> Goal:
    """Return the goal of the optimum: the better end; for diversity, people's value or else the more diverse end."""
    if not metric.has_better_side and np.isfinite(human.value):
        return "nearest"
    return "highest" if metric.higher_is_better else "lowest"


def optimum(judged: Judged) -> Optimum | None:
    """Return the position with the smallest loss, and all positions that may have it; None without two values."""
    loss, ahead, comparable = judged
    known = np.flatnonzero(np.isfinite(loss))
    if len(known) < 2:
        return None
    at = int(known[np.argmin(loss[known])])
    if not comparable[at, known[known != at]].all():
        return Optimum(at)
    beaten = ahead[np.ix_(known, known)].any(axis=0)
    return Optimum(at, tuple(known[~beaten].tolist()))


def leader(view: SweepView) -> Curve | None:
    """Return the line that comes nearest to the goal at its own optimum; None if no line has an optimum."""
    found = [curve for curve in view.curves if curve.optimum is not None]
    goal, human = view.goal, view.human.value
    return min(found, key=lambda curve: float(_loss(_value(curve.best), goal, human)), default=None)


def best_of(view: SweepView, points: Iterable[Point]) -> Point | None:
    """Return the point nearest to the goal of a metric; None if no point has a value."""
    known = [point for point in points if np.isfinite(point.value)]
    return min(known, key=lambda point: float(_loss(_value(point), view.goal, view.human.value)), default=None)


def tied_with(view: SweepView, best: Point, others: Sequence[Point]) -> tuple[Point, ...]:
    """Return the points in `others` that `best` does not beat significantly, by tests corrected across all points."""
    place = {point.setting: k for k, point in enumerate(view.points)}
    at = place[best.setting]
    return tuple(point for point in others if not view.judged.ahead[at, place[point.setting]])


def _value(point: Point | None) -> Floats:
    return np.asarray(np.nan if point is None else point.value)


def contrast(study: Study, numbers: Numbers, metric: Metric, here: Sequence[str], there: Sequence[str]) -> Contrast:
    """Return the items by two runs' absolute difference in a metric. Raises Undefined if a run has no item values."""
    if not metric.of_items:
        raise Undefined(f"{metric.label} is one value for a whole run, not a mean over items")
    values = []
    for names in (here, there):
        found = []
        for name in names:
            result = numbers.get(study.run(name), metric)
            if result is None:
                raise Undefined(f"{metric.label} of {name} is {PENDING}")
            if not np.isfinite(result.items).any():
                raise Undefined(f"{name} has no {metric.label}: {result.why() or 'no item has a value'}")
            found.append(result.items)
        values.append(np.mean(found, axis=0))
    gaps = np.abs(values[0] - values[1])
    known = np.flatnonzero(np.isfinite(gaps))
    return Contrast(known[np.argsort(-gaps[known], kind="stable")], *values)


def neighbour(path: Sequence[Setting], run: str) -> Setting | None:
    """Return the setting after that of a run on a path, or before it if it is the last; None without such a setting."""
    at = next((k for k, setting in enumerate(path) if run in setting.runs), None)
    if at is None or len(path) < 2:
        return None
    return path[at + 1] if at + 1 < len(path) else path[at - 1]


def _point(setting: Setting, results: Sequence[Result], values: Floats, boot: Floats, sets: Integers) -> Point:
    counts = [result.n for result in results if not np.isnan(result.corpus)]
    units = min((result.n_units for result in results if not np.isnan(result.corpus)), default=0)
    why = next((why for result in results if (why := result.why())), None)
    mean = _mean(boot)
    # Reuse the interval of a single run from scoring, so that it equals the table's exactly.
    ends = (results[0].low, results[0].high) if len(values) == 1 and results else interval(mean, units)
    known = np.isfinite(values)
    spread = estimate(values[known], boot[known], units) if known.sum() > 1 else None
    found = Point(
        setting,
        float(_mean(values)),
        *ends,
        min(counts, default=0),
        tuple(values.tolist()),
        "" if counts else why or PENDING,
        int(sets[0]) if len(set(sets.tolist())) == 1 else -1,
        boot=mean,
        n_units=units,
    )
    if spread is None:
        return found
    found = replace(found, sd=spread.sd, excess=spread.excess, uncertainty=spread.uncertainty)
    return replace(found, share=spread.share, no_share=spread.reason)


def _mean(rows: Floats) -> Floats:
    known = rows[~np.isnan(rows).reshape(len(rows), -1).any(axis=1)]
    return np.asarray(known.mean(axis=0) if len(known) else np.full(rows.shape[1:], np.nan))


def _loss(values: Floats, goal: Goal, human: float, target: Floats | None = None) -> Floats:
    if goal == "nearest":
        return np.abs(values - (human if target is None else target))
    return -values if goal == "highest" else values


def _target(study: Study, numbers: Numbers, metric: Metric, human: Human) -> Floats:
    """(resamples,) the human value on the same draws of items as the runs'; constant if it has no resamples."""
    references = people.references_as_run(study)
    _, boot = Numbers(numbers.people).corpus(references, metric, references.runs)
    return boot[0] if np.isfinite(boot[0]).all() else np.full(boot.shape[1], human.value)
