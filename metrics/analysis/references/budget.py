"""More images or more references: the standard error of a score by the numbers of images and of references per image.

An item's contribution varies between items, and with the references drawn for it. Items and references are
exchangeable, so the variance over items of contributions with k random references is the variance of an item with k
references; a score over I items has that variance divided by I. For clustered items, the variance is computed from the
sums over clusters and divided by the mean cluster size, so more items means more clusters of these sizes. Pooled scores
contribute their jackknife pseudo-values. Some metrics' scores grow with the number of references, and differences
between runs may grow too: the error of a difference is therefore reported relative to that difference, since this
ratio decides whether the difference is detected, and never relative to the mean score.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metrics.analysis.references.subset_totals import SubsetTotals, comparable
from metrics.base import Metric
from metrics.mathematics.arrays import Floats
from metrics.units import Units, by_unit

_DRAWS = 40


@dataclass(frozen=True)
class Budget:
    """One metric: the variances per item of each `run` and each `difference` between runs, by size of the subsets.

    `run` is (sizes, runs) and `difference` (sizes, runs, runs). `items` is the study's number of items; `score` (sizes,
    runs) is the mean score. With one reference and with all of them, `squares` (2, pairs of runs or 1, units) are the
    contributions of each unit to the variance of a difference, or of the only run, and `scores` (2, runs, units) those
    to the score; `held` (units,) counts the items of each unit.
    """

    metric: str
    sizes: tuple[int, ...]
    items: int
    run: Floats
    difference: Floats
    score: Floats
    squares: Floats
    scores: Floats
    held: Floats

    def error(self, images: int, size: int, run: int) -> float:
        """Return the standard error of a run's score with `images` images and `size` references per image."""
        return float(np.sqrt(self.run[self.sizes.index(size), run] / images))

    def difference_error(self, images: int, size: int, first: int, second: int) -> float:
        """Return the standard error of the difference between two runs, scored on the same images and references."""
        return float(np.sqrt(self.difference[self.sizes.index(size), first, second] / images))

    def gap(self, size: int, first: int, second: int) -> float:
        """Return the difference between two runs (first minus second) with `size` references."""
        scores = self.score[self.sizes.index(size)]
        return float(scores[first] - scores[second])

    def beyond(self, images: int) -> bool:
        """Return whether `images` exceeds the number of items in the data, in which case the error is extrapolated."""
        return images > self.items


def budget(found: SubsetTotals, name: str, seed: int = 0) -> Budget:
    """Return the variance components of one metric, averaged over random choices of references."""
    own = comparable(found, name)
    metric, sizes, n = own.metric(name), own.design.sizes, len(own.design.items)
    run, difference, score, squares, scores = [], [], [], [], []
    for size in sizes:
        values = _contributions(metric, own.by_size[name, size], seed + size)
        shared = np.mean([_covariance(drawn, own.unit) for drawn in values], axis=0)
        own_variance = np.diag(shared)
        run.append(own_variance)
        difference.append(np.clip(own_variance[:, None] + own_variance - 2 * shared, 0.0, None))
        score.append(values.mean(axis=(0, 2)))
        if size in (sizes[0], sizes[-1]):
            squares.append(_squares(values, own.unit))
            scores.append(by_unit(values.mean(axis=0).T, own.unit).T)
    parts = (np.array(part) for part in (score, squares, scores, by_unit(np.ones(n), own.unit)))
    return Budget(name, sizes, n, np.array(run), np.array(difference), *parts)


def _off(values: Floats, unit: Units) -> Floats:
    """(..., units) sums over each unit of the deviations of contributions (..., items) from their mean."""
    return np.moveaxis(by_unit(np.moveaxis(values - values.mean(axis=-1, keepdims=True), -1, 0), unit), 0, -1)


def _covariance(values: Floats, unit: Units) -> Floats:
    """(runs, runs) covariance over items of contributions (runs, items)."""
    off = _off(values, unit)
    items, units = values.shape[1], off.shape[1]
    return np.asarray(off @ off.T / (items * (units - 1) / units))


def _squares(values: Floats, unit: Units) -> Floats:
    """(pairs of runs or 1, units) squares of `_off`, averaged over draws, from contributions (draws, runs, items).

    They are those of the differences between two runs or, for a single run, of its own contributions.
    """
    off = _off(values, unit)
    if values.shape[1] == 1:
        return np.asarray((off**2).mean(axis=0))
    first, second = np.triu_indices(values.shape[1], 1)
    return np.asarray(sum((one[first] - one[second]) ** 2 for one in off) / len(off))


def _contributions(metric: Metric, totals: Floats, seed: int) -> Floats:
    """(draws, runs, items) contributions of items to the corpus value; each draw uses one random subset per item."""
    rng = np.random.default_rng(seed)
    places = np.arange(totals.shape[1])
    draws = min(_DRAWS, totals.shape[2])
    picks = rng.permuted(np.tile(np.arange(totals.shape[2]), (totals.shape[1], 1)), axis=1)[:, :draws]
    return np.stack([_pseudo_values(metric, totals[:, places, picks[:, k]]) for k in range(draws)])


def _pseudo_values(metric: Metric, totals: Floats) -> Floats:
    """(runs, items) jackknife pseudo-values; for a mean over items, the items' own values."""
    n, whole = totals.shape[1], totals.sum(axis=1, keepdims=True)
    value = metric.finish(whole)
    return np.asarray(n * value - (n - 1) * metric.finish(whole - totals))
