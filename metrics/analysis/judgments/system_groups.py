"""Groups of systems that people rated: the runs of a study, and external tables of systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple

import numpy as np

from data.ratings.human_ratings import overall_first, ratings_of
from data.study import Study, SystemRatings
from metrics.analysis.judgments.points import Values
from metrics.analysis.judgments.systems import FEWEST, SystemAgreement, agreement, williams
from metrics.base import Metric
from metrics.cache.memory import LruCache
from metrics.mathematics.arrays import Floats, Labels
from metrics.permutation.pvalues import holm

_cache: LruCache[tuple[bytes, bytes, int], SystemAgreement] = LruCache(512)
PEOPLE = ("human", "humans", "people", "person", "reference", "references")
"""Names, in lower case, of a system whose captions are written by people."""


@dataclass(frozen=True, eq=False)
class Group:
    """Systems with ratings and metrics by name, all (n,), oriented so that higher is better; NaN is a gap.

    `lower` names the metrics whose values had to be negated for this.
    """

    name: str
    systems: tuple[str, ...]
    criteria: Mapping[str, Floats] = field(repr=False)
    metrics: Mapping[str, Floats] = field(repr=False)
    lower: frozenset[str] = frozenset()

    @property
    def people(self) -> str | None:
        """The system that consists of people's captions; None without such a system."""
        return next((name for name in self.systems if name.lower() in PEOPLE), None)

    def known(self, criterion: str, metric: str) -> Labels:
        """Return (n,) True for systems with both a rating and a value."""
        return np.isfinite(self.criteria[criterion]) & np.isfinite(self.metrics[metric])

    def of(self, criterion: str, metric: str, seed: int = 0) -> SystemAgreement:
        """Return how far a metric agrees with the ratings, over the systems with both a value and a rating."""
        keep = self.known(criterion, metric)
        x, y = self.metrics[metric][keep], self.criteria[criterion][keep]
        key = (x.tobytes(), y.tobytes(), seed)
        if (found := _cache.get(key)) is None:
            found = agreement(x, y, seed)
            _cache.put(key, found)
        return found


class Pull(NamedTuple):
    """Pearson's r over all systems, r without the system `left_out`, and the range of r as each is left out in turn.

    `p_value` belongs to r over all systems.
    """

    value: float
    without: float
    low: float
    high: float
    left_out: str
    n: int
    p_value: float


def pull(group: Group, criterion: str, metric: str) -> Pull:
    """Return how one system influences Pearson's r: that of people's captions or, without it, the most influential."""
    keep = group.known(criterion, metric)
    names = [name for name, one in zip(group.systems, keep) if one]
    found = group.of(criterion, metric)
    value, without, p = found.of["pearson"].value, found.without, found.of["pearson"].p_value
    if not np.isfinite(without).any():
        return Pull(value, np.nan, np.nan, np.nan, "", len(names), p)
    most = int(np.nanargmax(np.abs(without - value)))
    place = names.index(group.people) if group.people in names else most
    ends = float(np.nanmin(without)), float(np.nanmax(without))
    return Pull(value, float(without[place]), *ends, names[place], len(names), p)


class Difference(NamedTuple):
    """Two metrics at system level: the difference between their r, and the p of Williams' test, raw and adjusted."""

    first: str
    second: str
    value: float
    p_value: float
    p_holm: float
    n: int


def differences(group: Group, criterion: str, metrics: Sequence[str]) -> list[Difference]:
    """Return the difference in r between two metrics, for each pair that shares at least FEWEST rated systems."""
    rows = []
    for first, second in combinations(metrics, 2):
        keep = group.known(criterion, first) & group.known(criterion, second)
        n = int(keep.sum())
        if n < FEWEST:
            continue
        sides = np.stack([group.metrics[first][keep], group.metrics[second][keep], group.criteria[criterion][keep]])
        with np.errstate(divide="ignore", invalid="ignore"):
            r = np.atleast_2d(np.corrcoef(sides))
        p = williams(float(r[0, 2]), float(r[1, 2]), float(r[0, 1]), n)
        rows.append((first, second, float(r[0, 2] - r[1, 2]), p, n))
    adjusted = holm([row[3] for row in rows])
    return [Difference(*row[:4], float(p), row[4]) for row, p in zip(rows, adjusted)]


def groups(study: Study, results: Values, metrics: Sequence[Metric], runs: Sequence[str] | None = None) -> list[Group]:
    """Return a study's runs (or only `runs`) as a group, if at least two were rated, and its tables of systems."""
    own = of_runs(study.only(runs=runs), results, metrics)
    found = [own] if own is not None else []
    return [*found, *(of_table(study, table, results, metrics) for table in study.systems)]


def of_runs(study: Study, results: Values, metrics: Sequence[Metric]) -> Group | None:
    """Return the runs with the mean ratings of their captions; None if people rated captions of fewer than two runs."""
    criteria = {}
    for ratings in ratings_of(study):
        total = np.bincount(ratings.run, ratings.value, len(study.runs))
        count = np.bincount(ratings.run, minlength=len(study.runs))
        criteria[ratings.criterion] = np.where(count > 0, total / np.maximum(count, 1), np.nan)
    if max((int(np.isfinite(of).sum()) for of in criteria.values()), default=0) < 2:
        return None
    names = tuple(run.name for run in study.runs)
    return Group(study.name, names, criteria, _corpus(names, results, metrics))


def of_table(study: Study, table: SystemRatings, results: Values, metrics: Sequence[Metric]) -> Group:
    """Return a table of systems with its own metrics, and the study's that have values for at least FEWEST systems."""
    runs = {run.name for run in study.runs}
    own = {} if not runs & set(table.systems) else _corpus(table.systems, results, metrics)
    own = {name: values for name, values in own.items() if np.isfinite(values).sum() >= FEWEST}
    ordered = sorted(table.criteria, key=overall_first)
    criteria = {name: np.array(table.criteria[name]) for name in ordered}
    given = {name: np.array(of) * (-1 if name in table.lower else 1) for name, of in table.metrics.items()}
    return Group(table.name, table.systems, criteria, {**own, **given}, table.lower)


def _corpus(names: Sequence[str], results: Values, metrics: Sequence[Metric]) -> dict[str, Floats]:
    found = {}
    for metric in metrics:
        of = [results[name, metric.name].corpus if (name, metric.name) in results else np.nan for name in names]
        values = np.array(of, dtype=np.float64)
        if np.isfinite(values).any():
            found[metric.name] = values if metric.higher_is_better else -values
    return found
