"""The floor of a metric: its agreement with people when captions are scored against the references of other items.

Any agreement that does not come from comparing a caption with its own item, such as a preference for length, persists
when all references are exchanged. The agreement beyond that floor is due to the references.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from data.study import Study
from metrics.analysis import chance
from metrics.analysis.judgments import caption_agreement
from metrics.analysis.judgments.correlation import STATISTICS, Estimate, estimate, weighted
from metrics.analysis.judgments.pair_accuracy import PairIndex, of_sums, pairs_within, within_sums
from metrics.analysis.judgments.points import Points, Values, metric_values, points
from metrics.base import Metric
from metrics.bootstrap import LEAST, bootstrap_weights
from metrics.cache import array_checks
from metrics.cache.disk import Cache, entry_key
from metrics.cache.entry import Arrays
from metrics.mathematics.arrays import Floats, Integers
from metrics.permutation.pvalues import holm
from metrics.progress import Hooks

VERSION = 1
RESAMPLES = 300
"""Resamples per pairing; they are only used for standard deviations."""
ALL = (*STATISTICS, *(f"within_{name}" for name in caption_agreement.WITHIN))
"""The statistics, in the order of all arrays: over all captions, then within items."""


@dataclass(frozen=True, eq=False)
class Floor:
    """A metric's agreement with people in each pairing, and how much higher it is with the items' own references.

    `pairings` (7, pairings) are the statistics `ALL` against other items' references; `over` (7,) is the agreement over
    the same points minus the mean of the pairings, and `boot` (7, resamples) its resampled values. `points` and
    `clusters` (1,) count the points and clusters behind them.
    """

    pairings: Floats = field(repr=False)
    over: Floats = field(repr=False)
    boot: Floats = field(repr=False)
    points: Integers = field(repr=False)
    clusters: Integers = field(repr=False)

    def of(self, statistic: str) -> chance.Range:
        """Return the mean over the pairings and the range of their central 95 %."""
        return chance.of_pairings(self.pairings[ALL.index(statistic)])

    def lead(self, statistic: str) -> Estimate:
        """Return the agreement minus the mean over pairings, with a paired interval and p; NaN if undefined."""
        k = ALL.index(statistic)
        return estimate(float(self.over[k]), self.boot[k], int(self.clusters[0]), int(self.points[0]))

    def arrays(self) -> Arrays:
        """Return all fields as arrays for the cache."""
        return dict(vars(self))


class Lead(NamedTuple):
    """The floor of a metric, the metric's lead over it, and the p of the lead, Holm-corrected across metrics."""

    floor: chance.Range
    lead: Estimate
    p_value: float


def leads(floors: Sequence[Floor | None], statistic: str) -> list[Lead | None]:
    """Return the leads of metrics over their floors; None for a metric without a floor."""
    found = [None if one is None else (one.of(statistic), one.lead(statistic)) for one in floors]
    corrected = iter(holm([one[1].p_value for one in found if one is not None]))
    return [None if one is None else Lead(*one, float(next(corrected))) for one in found]


def key(study: Study, results: Values, metric: Metric, design: caption_agreement.Design, pairing: chance.Design) -> str:
    """Return the cache key of a floor; it depends on the key of the agreement and on the pairings.

    Raises KeyError as `points` does.
    """
    of = caption_agreement.agreement_key(study, results, (metric,), design)
    return entry_key("judgments", "floor", VERSION, chance.VERSION, pairing.pairings, pairing.seed, RESAMPLES, of)


def measure(
    study: Study,
    results: Values,
    metric: Metric,
    design: caption_agreement.Design,
    pairing: chance.Design,
    cache: Cache,
    hooks: Hooks | None = None,
) -> Floor:
    """Return the floor of a metric from its results; all NaN with too few rated items. Raises Cancelled."""
    hooks = hooks or Hooks()
    at = points(study, design.criterion, design.by, design.runs or None)
    paired = _partners(study, at, pairing)
    scored = _scored(study, metric, at, paired, cache, hooks.part(0, 0.5))
    own = metric_values(study, results, metric, at)
    known = np.isfinite(own) & np.isfinite(scored).all(axis=0)
    resampled = _Resampled(at, known, design.seed)
    nothing = np.full((len(ALL), RESAMPLES), np.nan)
    if not len(paired) or known.sum() < 2:
        missing = np.full((len(ALL), len(paired)), np.nan)
        return Floor(missing, nothing[:, 0], nothing, np.array([known.sum()]), np.zeros(1, dtype=np.int64))
    values, draws = [], []
    for k, (x, other) in enumerate(zip(scored, paired)):
        hooks.check()
        hooks.share(0.5 + k / len(paired) / 2)
        value, boot = resampled.of(x, other)
        values.append(value)
        draws.append(boot)
    value, boot = resampled.of(own)
    pairings = np.stack(values, axis=1)
    # In a draw of few items, all captions of a pairing may tie: average over the other pairings.
    floors = np.ma.masked_invalid(draws).mean(axis=0).filled(np.nan)
    over, drawn = value - pairings.mean(axis=1), boot - floors
    return Floor(pairings, over, drawn, np.array([known.sum()]), np.array([resampled.units]))


def _partners(study: Study, at: Points, design: chance.Design) -> Integers:
    """(pairings, items) position of the rated item whose references each item gets; -1 for items that get none."""
    rated = np.array([k for k in np.unique(at.item).tolist() if study.items[k].references], dtype=np.int64)
    if len(rated) < chance.LEAST:
        return np.empty((0, len(study.items)), dtype=np.int64)
    among = chance.partners(study.only([study.items[k].id for k in rated]), design)
    among = among[(among >= 0).any(axis=1)]
    found = np.full((len(among), len(study.items)), -1)
    found[:, rated] = np.where(among >= 0, rated[among], -1)
    return found


def _scored(study: Study, metric: Metric, at: Points, paired: Integers, cache: Cache, hooks: Hooks) -> Floats:
    """(pairings, n) values of the points in each pairing, oriented so that higher is better; NaN where undefined."""
    found = np.full((len(paired), len(at)), np.nan)
    rated = np.unique(at.run).tolist()
    for number, k in enumerate(rated if len(paired) else ()):
        run, mine = study.runs[k], at.run == k
        part = hooks.part(number / len(rated), (number + 1) / len(rated))
        for row, result in zip(found, chance.scored(study, metric, run, list(paired), cache, part)):
            row[mine] = metric_values(study, {(run.name, metric.name): result}, metric, at)[mine]
    return found


class _Resampled:
    """The statistics over all points with values, and over items drawn with replacement.

    The weight of an item with its partner is the product of their multiplicities, so both captions and references are
    resampled.
    """

    def __init__(self, at: Points, known: np.ndarray, seed: int) -> None:
        items, self.place = np.unique(at.cluster[known], return_inverse=True)
        self.known, self.y = known, at.value[known]
        self.rated = at.item[known][np.unique(self.place, return_index=True)[1]]
        self.drawn = at.drawn[items]
        self.units = len(np.unique(self.drawn))
        self.pairs: PairIndex = pairs_within(self.place, at.unit[known])
        enough = self.units >= LEAST
        blocks = bootstrap_weights(int(at.drawn.max()) + 1, RESAMPLES, seed) if enough else ()
        self.weights = np.concatenate([block[:, self.drawn] for block in blocks]) if enough else None

    def of(self, x: Floats, other: Integers | None = None) -> tuple[Floats, Floats]:
        """Return statistics of x (n,): (7,) over all points, (7, resamples) over resampled items and their partners.

        Without weights, the resampled statistics are NaN.
        """
        x = x[self.known]
        value = self._weighted(x, np.ones((1, len(self.rated))))[:, 0]
        if self.weights is None:
            return value, np.full((len(ALL), RESAMPLES), np.nan)
        return value, self._weighted(x, self.weights if other is None else self.weights * self._partners(other))

    def _partners(self, other: Integers) -> Floats:
        """(resamples, items) multiplicity of each item's partner in the resamples."""
        assert self.weights is not None
        place = np.full(int(max(other.max(), self.rated.max())) + 1, -1)
        place[self.rated] = np.arange(len(self.rated))
        return np.asarray(self.weights[:, place[other[self.rated]]])

    def _weighted(self, x: Floats, weights: Floats) -> Floats:
        inside = of_sums(weights @ within_sums(x, self.y, self.pairs, weights.shape[1]))
        return np.vstack([weighted(x, self.y, self.place, weights), inside])


def from_arrays(arrays: Arrays) -> Floor:
    """Return the floor from its arrays, the inverse of `Floor.arrays`."""
    return Floor(**{name: arrays[name] for name in Floor.__dataclass_fields__})


def fits(arrays: Arrays) -> bool:
    """Return whether arrays from a cache or a bundle can be a floor."""
    of = len(ALL)
    return array_checks.has_shapes(
        arrays, {"pairings": (of, None), "over": (of,), "boot": (of, RESAMPLES), "points": (1,), "clusters": (1,)}
    ) and bool(np.nanmax(np.abs(arrays["pairings"]), initial=0) <= 1 + 1e-9)
