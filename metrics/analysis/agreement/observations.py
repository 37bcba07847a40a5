"""The values of several metrics at the same points: runs, settings, systems, items or captions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from data.study import Study, SystemRatings
from metrics.analysis.comparable_runs import unequal
from metrics.analysis.judgments.points import Values
from metrics.analysis.replicates.grouping import replicates
from metrics.base import Metric
from metrics.chunk import caption_order
from metrics.mathematics.arrays import Floats, Integers, Labels
from metrics.units import Units

Over = Literal["runs", "settings", "systems", "items", "captions"]
OVER: tuple[Over, ...] = ("items", "captions", "runs", "settings", "systems")


@dataclass(frozen=True, eq=False)
class Observations:
    """Values (m, n) of the metrics `names` (m,) at n points, oriented so that higher is better or more diverse.

    NaN is a gap. `run`, `item` and `place` (n,) are the positions of a point's run, item and caption in the study; each
    is -1 if the point has none or covers several. `group` (n,) numbers the sets of points within which correlations are
    computed: the points of one run if `over` is "items", otherwise all points. `labels` name the n points if they are
    runs, settings or systems. `lower` names the metrics whose original values are better, or more diverse, when lower.
    `unit` (items,) is the independent unit of each item. `same` names the metrics that are left out because their
    values do not vary within any group.
    """

    over: Over
    names: tuple[str, ...]
    values: Floats = field(repr=False)
    run: Integers = field(repr=False)
    item: Integers = field(repr=False)
    place: Integers = field(repr=False)
    group: Integers = field(repr=False)
    labels: tuple[str, ...] = ()
    lower: frozenset[str] = frozenset()
    unit: Units = field(default=None, repr=False)
    same: tuple[str, ...] = ()

    @property
    def walls(self) -> list[bool]:
        """whether each metric has more than a fifth of its values at its smallest or at its largest."""
        ends = [(self.values == end[:, None]).sum(axis=1) for end in self._ends()]
        return np.asarray(np.maximum(*ends) > np.isfinite(self.values).sum(axis=1) / 5).tolist()

    def _ends(self) -> tuple[Floats, Floats]:
        low, high = np.nanmin(self.values, axis=1, initial=np.inf), np.nanmax(self.values, axis=1, initial=-np.inf)
        return np.asarray(low), np.asarray(high)

    def stated(self, metric: int) -> Floats:
        """Return the values (n,) of a metric in its original orientation."""
        return -self.values[metric] if self.names[metric] in self.lower else self.values[metric]


def varying(found: Observations) -> Observations:
    """Return the observations of those metrics whose values vary within some group, as correlations require."""
    groups = [found.values[:, found.group == k] for k in np.unique(found.group)]
    if not groups:
        return found
    spread = [np.nanmax(of, axis=1, initial=-np.inf) - np.nanmin(of, axis=1, initial=np.inf) for of in groups]
    kept = np.flatnonzero(np.any(np.array(spread).reshape(len(groups), -1) > 0, axis=0))
    names = tuple(found.names[k] for k in kept)
    return replace(found, names=names, values=found.values[kept], same=tuple(sorted({*found.names} - {*names})))


def observations(study: Study, results: Values, metrics: Sequence[Metric], over: Over) -> Observations:
    """Return the values of those metrics that read candidates and have a value at some of these points of a study.

    The value of a run is its corpus value, or a gap if that is not comparable with the other runs; the value of a
    setting is the mean over the runs that differ only in a seed. Systems and their metrics come from the study's first
    table of systems, not from `metrics`.
    """
    if over == "systems":
        return _of_systems(study.systems[0]) if study.systems else _whole("systems", (), [], np.empty((0, 0)))
    metrics = [metric for metric in metrics if metric.reads_candidates]
    if over == "runs":
        found = _of_runs(study, results, metrics)
    elif over == "settings":
        found = _of_settings(study, _of_runs(study, results, metrics))
    elif over == "items":
        found = _of_items(study, results, metrics)
    else:
        found = _of_captions(study, results, metrics)
    return replace(_known(found), unit=study.unit)


def _of_runs(study: Study, results: Values, metrics: Sequence[Metric]) -> Observations:
    values = np.full((len(metrics), len(study.runs)), np.nan)
    for m, metric in enumerate(metrics):
        apart = unequal(study, metric, study.runs)
        for k, run in enumerate(study.runs):
            if run.name not in apart and (run.name, metric.name) in results:
                values[m, k] = _turned(metric, results[run.name, metric.name].corpus)
    return _whole("runs", metrics, [run.name for run in study.runs], values)


def _of_settings(study: Study, of_runs: Observations) -> Observations:
    place = {run.name: k for k, run in enumerate(study.runs)}
    settings = replicates(study.runs)
    members = [[place[name] for name in setting.runs] for setting in settings]
    values = np.stack([of_runs.values[:, some].mean(axis=1) for some in members], axis=1) if members else of_runs.values
    labels = [setting.name for setting in settings]
    count = len(members)
    alone = np.array([some[0] if len(some) == 1 else -1 for some in members], dtype=np.int64)
    whole = replace(_whole("settings", (), labels, values), names=of_runs.names, lower=of_runs.lower)
    return replace(whole, run=alone, group=np.zeros(count, dtype=np.int64))


def _of_systems(table: SystemRatings) -> Observations:
    given = {name: np.array(of) * (-1 if name in table.lower else 1) for name, of in table.metrics.items()}
    values = np.stack(list(given.values())) if given else np.empty((0, len(table.systems)))
    found = replace(_whole("systems", (), table.systems, values), names=tuple(given), lower=table.lower)
    return _known(replace(found, run=np.full(len(table.systems), -1)))


def _of_items(study: Study, results: Values, metrics: Sequence[Metric]) -> Observations:
    able = [metric for metric in metrics if metric.of_items]
    size, count = len(study.items), len(study.runs)
    values = np.full((len(able), count, size), np.nan)
    for m, metric in enumerate(able):
        for k, run in enumerate(study.runs):
            result = results.get((run.name, metric.name))
            if result is not None and len(result.items) == size:
                values[m, k] = _turned(metric, result.items)
    of_run, item = np.repeat(np.arange(count), size), np.tile(np.arange(size), count)
    flat = values.reshape(len(able), count * size)
    return Observations("items", _names(able), flat, of_run, item, np.full(len(item), -1), of_run, lower=_lower(able))


def _of_captions(study: Study, results: Values, metrics: Sequence[Metric]) -> Observations:
    able = [metric for metric in metrics if metric.grain == "candidate"]
    orders = [[caption_order(run.candidates.get(item.id, ())) for item in study.items] for run in study.runs]
    shape = len(study.runs), len(study.items)
    sizes = np.array([len(order) for of in orders for order in of], dtype=np.int64).reshape(shape)
    place = np.array([k for of in orders for order in of for k in order], dtype=np.int64)
    run = np.repeat(np.arange(len(orders)), sizes.sum(axis=1))
    item = np.repeat(np.tile(np.arange(len(study.items)), len(orders)), sizes.ravel())
    values = np.full((len(able), len(place)), np.nan)
    for m, metric in enumerate(able):
        for k, one in enumerate(study.runs):
            result = results.get((one.name, metric.name))
            if result is not None and np.array_equal(np.bincount(result.unit_item, minlength=sizes.shape[1]), sizes[k]):
                values[m, run == k] = _turned(metric, result.values)
    zeros = np.zeros(len(place), dtype=np.int64)
    return Observations("captions", _names(able), values, run, item, place, zeros, lower=_lower(able))


def _whole(over: Over, metrics: Sequence[Metric], labels: Sequence[str], values: Floats) -> Observations:
    count = len(labels)
    apart = np.full(count, -1)
    zeros = np.zeros(count, dtype=np.int64)
    lower = _lower(metrics)
    return Observations(over, _names(metrics), values, np.arange(count), apart, apart, zeros, tuple(labels), lower)


def _known(found: Observations) -> Observations:
    keep: Labels = np.asarray(np.isfinite(found.values).any(axis=1), dtype=np.bool_)
    names = tuple(name for name, one in zip(found.names, keep.tolist()) if one)
    return replace(found, names=names, values=found.values[keep])


def _turned(metric: Metric, values: float | Floats) -> float | Floats:
    return values if metric.higher_is_better else -values


def _names(metrics: Sequence[Metric]) -> tuple[str, ...]:
    return tuple(metric.name for metric in metrics)


def _lower(metrics: Sequence[Metric]) -> frozenset[str]:
    return frozenset(metric.name for metric in metrics if not metric.higher_is_better)
