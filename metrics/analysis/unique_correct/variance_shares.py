"""Shares of a metric's variance over sets that the numbers of correct and of unique captions explain.

`unique` is the second number of a cell: the number of unique captions or, in the paper's draw, the size of the pools.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import comb

import numpy as np

from data.study import Study
from metrics.analysis.unique_correct.experiment import Experiment, base_metric, key
from metrics.analysis.unique_correct.steps import ever_worse
from metrics.base import Metric
from metrics.bootstrap import LEAST, RESAMPLES, bootstrap_totals
from metrics.mathematics.arrays import Floats, Integers
from metrics.permutation.pvalues import ALPHA, holm
from metrics.permutation.sign_flips import every_sign
from metrics.suite.distribution import Trm
from metrics.units import Units, by_unit, count_units, of_items


@dataclass(frozen=True)
class Share:
    """A share of variance, and the ends of the central 95 % of its resamples over items; NaN with too few items.

    `low` to `high` is not a confidence interval: resampled means are noisier than the means, which reduces the largest
    share and increases the other shares; a true share near 0 or 1 is often outside. `p` tests whether the axis has any
    effect on average, since noise gives every axis some share; it is NaN for the remainder and with a single item.
    `p_holm` is Holm-corrected across all tests of an experiment, NaN outside an experiment.
    """

    value: float
    low: float
    high: float
    p: float = float("nan")
    p_holm: float = float("nan")


@dataclass(frozen=True)
class Surface:
    """A metric by cell: means (cells,) over items, their standard errors, and each axis's share of the variance.

    `remainder` is the rest: the interaction of the axes, plus twice the covariance of their effects that is due to the
    missing cells. The covariance is 0 for a metric that depends on one axis; if negative, it can make the remainder
    negative.
    """

    mean: Floats
    error: Floats
    correct: Share
    unique: Share
    remainder: Share


@dataclass(frozen=True)
class VarianceShares:
    """An experiment with the surfaces of a triangle-rank metric and its base metric, over `units` independent units.

    `people` is the expected number (1..size) of distinct captions in a set of the same size by people
    (`people_unique`). `worse` is, for the base metric and the triangle-rank metric, whether one more correct caption
    ever makes it significantly worse (`ever_worse`).
    """

    experiment: Experiment
    trm: Trm
    base: Metric
    of_base: Surface
    of_trm: Surface
    units: int
    people: float
    worse: tuple[bool, bool] = (False, False)

    @property
    def tests(self) -> int:
        """The number of tested effects, which the correction of p covers."""
        return sum(share.p_holm <= 1 for _, s in self.both for share in (s.correct, s.unique))

    @property
    def fewest(self) -> int:
        """The minimum number n of units for a significant effect: the smallest p of sign flips is 2 / 2^n."""
        return int(np.ceil(np.log2(2 * (self.tests or 4) / ALPHA)))

    @property
    def both(self) -> tuple[tuple[Metric, Surface], tuple[Metric, Surface]]:
        """The base metric, then the triangle-rank metric."""
        return (self.base, self.of_base), (self.trm, self.of_trm)

    def cell(self, correct: int, unique: int) -> int:
        """Return the position of a cell. Raises ValueError if there is no such cell."""
        return self.experiment.cells.tolist().index([correct, unique])


def variance_shares(experiment: Experiment, trm: Trm, study: Study) -> VarianceShares:
    """Return the surfaces of an experiment on a study, with their tests. Raises ValueError if no item has values."""
    if not len(experiment.items):
        raise ValueError("No item has values.")
    units, unit = count_units(study.unit, experiment.items), of_items(study.unit, experiment.items)
    surfaces = [surface(values, experiment.cells, unit=unit) for values in (experiment.base, experiment.trm)]
    of_base, of_trm = _corrected(surfaces)
    base, people = base_metric(trm), people_unique(study, experiment.design.size)
    first, second = (
        ever_worse(values, experiment.cells, metric.higher_is_better, unit)
        for values, metric in ((experiment.base, base), (experiment.trm, trm))
    )
    return VarianceShares(experiment, trm, base, of_base, of_trm, units, people, (first, second))


def people_unique(study: Study, size: int) -> float:
    """Return the expected number, 1..size, of distinct captions among `size` references of an item.

    References are drawn without replacement (rarefaction, Hurlbert 1971), and the mean is over all items with at least
    `size` references; captions that differ only in case or punctuation count as the same. NaN if no item has enough.
    """
    counts = [Counter(map(key, item.references)) for item in study.items if len(item.references) >= size]
    expected = [
        sum(1 - comb(said.total() - copies, size) / comb(said.total(), size) for copies in said.values())
        for said in counts
    ]
    return float(np.mean(expected)) if expected else float("nan")


def _corrected(surfaces: Sequence[Surface]) -> list[Surface]:
    """The surfaces with p Holm-corrected across all their effects, since one sentence reports them all."""
    p = iter(holm([share.p for s in surfaces for share in (s.correct, s.unique)]).tolist())
    return [
        replace(s, correct=replace(s.correct, p_holm=next(p)), unique=replace(s.unique, p_holm=next(p)))
        for s in surfaces
    ]


def surface(values: Floats, pairs: Integers, seed: int = 0, unit: Units = None) -> Surface:
    """Return cell means over items of values (items, repeats, cells), with errors and explained shares.

    The standard error is that of the mean over items of each item's mean over repeats; the ranges of shares are over
    resampled items. With a single item, both are NaN.
    """
    by_item = values.mean(axis=1)
    mean, count = by_item.mean(axis=0), len(by_item)
    shares = shares_explained(mean, pairs)
    if count < 2:
        return Surface(mean, np.full(len(mean), np.nan), *(Share(float(s), np.nan, np.nan) for s in shares))
    ends = _resampled(by_item, pairs, seed, unit)
    error = _errors(by_item, unit)
    tests = (*effect_tests(by_item, pairs, seed, unit), float("nan"))
    found = (Share(float(s), float(a), float(b), p) for s, a, b, p in zip(shares, *ends, tests))
    return Surface(mean, error, *found)


def _errors(by_item: Floats, unit: Units) -> Floats:
    """(cells,) standard errors of the means over items of values (items, cells); NaN for a single item or cluster."""
    off = by_unit(by_item - by_item.mean(axis=0), unit)
    k = len(off)
    if k < 2:
        return np.full(by_item.shape[1], np.nan)
    return np.asarray(np.sqrt((off**2).sum(axis=0) * k / (k - 1)) / len(by_item))


def _resampled(by_item: Floats, pairs: Integers, seed: int, unit: Units) -> Floats:
    """(2, 3) ends of the central 95 % of the shares over resampled items; NaN with too few items."""
    if count_units(unit, np.arange(len(by_item))) < LEAST:
        return np.full((2, 3), np.nan)
    drawn = [bootstrap_totals(of, RESAMPLES, seed, unit) for of in (by_item, np.ones((len(by_item), 1)))]
    resampled = shares_explained(drawn[0] / drawn[1], pairs)
    return np.quantile(resampled, (0.025, 0.975), axis=0)


def effect_tests(by_item: Floats, pairs: Integers, seed: int = 0, unit: Units = None) -> tuple[float, float]:
    """Return the p for an effect of correct captions, and of unique captions, on the mean of values (items, cells).

    The test flips the signs of the effects of items, or of clusters of items, exhaustively if there are few; the
    statistic is the sum of squares of the effect over the cells.
    """
    units = count_units(unit, np.arange(len(by_item)))
    exact = 2**units <= RESAMPLES
    signs = every_sign(units) if exact else np.random.default_rng(seed).choice([-1.0, 1.0], (RESAMPLES, units))

    def test(effects: Floats) -> float:
        observed, flipped = (effects.sum(axis=0) ** 2).sum(), ((signs @ effects) ** 2).sum(axis=1)
        reached = (flipped >= observed * (1 - 1e-9)).sum()
        return float(reached / len(signs) if exact else (reached + 1) / (RESAMPLES + 1))

    correct, unique = _parts(by_item, pairs)
    return test(by_unit(correct, unit)), test(by_unit(unique, unit))


def shares_explained(means: Floats, pairs: Integers) -> Floats:
    """Return shares (..., 3) of the variance of cell means (..., cells): correct, unique, and the remainder.

    Least squares fit one effect for each number of correct captions and one for each number of unique captions, so no
    functional form is assumed; a share is the variance of one effect over the cells, divided by the total. If every
    pair has a cell, this is the eta squared of a two-way analysis of variance. NaN if all means are equal.
    """
    total = ((means - means.mean(axis=-1, keepdims=True)) ** 2).sum(axis=-1)
    parts = _parts(means, pairs)
    flat = total <= 1e-20 * np.maximum((means**2).sum(axis=-1), 1e-300)
    with np.errstate(invalid="ignore", divide="ignore"):
        by_correct, by_unique = (part.var(axis=-1) * len(pairs) / total for part in parts)
    shares = np.stack([by_correct, by_unique, 1 - by_correct - by_unique], axis=-1)
    shares[flat] = np.nan
    return shares


def _parts(means: Floats, pairs: Integers) -> tuple[Floats, Floats]:
    """The contributions of the fitted effects of correct and of unique captions to means (..., cells)."""
    centred = means - means.mean(axis=-1, keepdims=True)
    correct, unique = ((pairs[:, [axis]] == np.unique(pairs[:, axis])).astype(float) for axis in (0, 1))
    effects = centred @ np.linalg.pinv(np.hstack([correct, unique])).T
    parts = effects[..., : correct.shape[1]] @ correct.T, effects[..., correct.shape[1] :] @ unique.T
    first, second = (part - part.mean(axis=-1, keepdims=True) for part in parts)
    return first, second
