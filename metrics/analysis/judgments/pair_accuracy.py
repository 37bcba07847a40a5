"""Agreement on which of two captions is better: pairs within items, and pairs that people compared."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.analysis.judgments.correlation import RESAMPLES, Estimate, estimate
from metrics.bootstrap import bootstrap_totals
from metrics.mathematics.arrays import Floats, Integers

CHANCE = 0.5


class PairIndex(NamedTuple):
    """Pairs of points of one cluster: both positions and the cluster, all (pairs,)."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    cluster: NDArray[np.int64]


class Within(NamedTuple):
    """Agreement over pairs of points of one cluster: accuracy on which point is better, tau-b, and Pearson's r.

    `boot` (3, resamples) are their resampled values, in this order.
    """

    accuracy: Estimate
    kendall_tau_b: Estimate
    pearson: Estimate
    boot: Floats


def pairs_within(cluster: Integers, unit: Integers) -> PairIndex:
    """Return all pairs of points (n,) of one cluster, except pairs of one unit, such as two ratings of a caption."""
    order = np.argsort(cluster, kind="stable")
    edges = np.flatnonzero(np.diff(np.asarray(cluster)[order])) + 1
    first, second = [], []
    for members in np.split(order, edges):
        one, other = np.triu_indices(len(members), 1)
        first.append(members[one])
        second.append(members[other])
    a, b = (np.concatenate(side) if side else np.empty(0, dtype=np.int64) for side in (first, second))
    apart = np.asarray(unit)[a] != np.asarray(unit)[b]
    return PairIndex(a[apart], b[apart], np.asarray(cluster)[a[apart]])


def within(
    x: Floats,
    y: Floats,
    pairs: PairIndex,
    clusters: int,
    resamples: int = RESAMPLES,
    seed: int = 0,
    drawn: Integers | None = None,
) -> Within:
    """Return how far x (n,) and y (n,) agree on these pairs within clusters, with a bootstrap over clusters.

    `drawn` (clusters,) numbers, from 0, the resampling unit of each cluster; by default, each cluster is its own unit.

    Accuracy leaves out pairs that tie in y and counts a tie in x half, so a constant x has accuracy 0.5. Tau-b sums its
    numerator and denominator over all clusters. Pearson's r is computed from the differences of the pairs; for clusters
    of equal size, it equals the r of values centred within their cluster. NaN where a denominator is 0.
    """
    unit = pairs.cluster if drawn is None else drawn[pairs.cluster]
    clusters = clusters if drawn is None else int(drawn.max(initial=-1)) + 1
    sums = within_sums(x, y, pairs._replace(cluster=unit), clusters)
    value = of_sums(sums.sum(axis=0)[None])[:, 0]
    boot = of_sums(bootstrap_totals(sums, resamples, seed))
    n = int((y[pairs.first] != y[pairs.second]).sum())
    nulls, sizes = (CHANCE, 0.0, 0.0), (n, n, len(pairs.first))
    found = [estimate(float(v), b, clusters, m, null) for v, b, m, null in zip(value, boot, sizes, nulls)]
    return Within(found[0], found[1], found[2], boot)


def within_sums(x: Floats, y: Floats, pairs: PairIndex, clusters: int) -> Floats:
    """Return sums (clusters, 7) of x (n,) and y (n,) over the pairs of each cluster, as `of_sums` needs them."""
    by, of = x[pairs.first] - x[pairs.second], y[pairs.first] - y[pairs.second]
    agree = np.sign(by) * np.sign(of)
    decided = of != 0
    columns = (np.where(decided, (agree + 1) / 2, 0), decided, agree, by != 0, by * of, by * by, of * of)
    return np.stack([np.bincount(pairs.cluster, column, clusters) for column in columns], axis=1)


def of_sums(sums: Floats) -> Floats:
    """Return accuracy, tau-b and Pearson's r (3, rows) from totals (rows, 7) of `within_sums`; NaN where undefined."""
    right, decided, balance, by, product, xx, yy = sums.T
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.stack([right / decided, balance / np.sqrt(by * decided), product / np.sqrt(xx * yy)])


def accuracy_draws(
    right: Floats, cluster: Integers, clusters: int, resamples: int = RESAMPLES, seed: int = 0
) -> Floats:
    """Return the means (resamples,) of `right` (n,) over clusters drawn with replacement.

    NaN without values or with too few clusters.
    """
    if not len(right):
        return np.full(resamples, np.nan)
    sums = np.stack([np.bincount(cluster, right, clusters), np.bincount(cluster, minlength=clusters)], axis=1)
    drawn = bootstrap_totals(sums, resamples, seed)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(drawn[:, 0] / drawn[:, 1])


def accuracy(right: Floats, draws: Floats, clusters: int) -> Estimate:
    """Return the mean of `right` (n,), each 1, 0 or 0.5, with the interval from `draws` and the p against chance.

    All are NaN if n is 0.
    """
    if not len(right):
        return Estimate(np.nan, np.nan, np.nan, np.nan, 0)
    return estimate(float(right.mean()), draws, clusters, len(right), CHANCE)


def right(difference: Floats, preference: Floats) -> Floats:
    """Return (n,) 1 where a metric prefers people's choice, 0 where it prefers the other caption, 0.5 where it ties."""
    return np.asarray((np.sign(difference) * np.sign(preference) + 1) / 2)
