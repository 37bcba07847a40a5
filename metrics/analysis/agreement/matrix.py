"""Correlations between metrics, an order that puts similar metrics side by side, and groups of similar metrics."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np

from metrics.analysis.agreement.observations import Observations
from metrics.mathematics.arrays import Floats, Integers
from metrics.mathematics.compiled import compiled
from metrics.permutation.pvalues import ALPHA
from metrics.units import count_units

Statistic = Literal["spearman", "pearson"]
STATISTICS: tuple[Statistic, ...] = ("spearman", "pearson")
FEWEST = 3
"""Minimum number of points for a correlation: two always lie on a line."""
ALIKE = 0.7
"""Minimum correlation between any two metrics in a group of similar ones."""
_FLAT = 1e-12


class Agreement(NamedTuple):
    """Correlations (m, m) between m metrics, each computed from `n` (m, m) points in `groups` (m, m) groups."""

    spearman: Floats
    pearson: Floats
    n: Integers
    groups: Integers

    def of(self, statistic: Statistic) -> Floats:
        """Return the (m, m) matrix of one statistic.

        An entry is NaN if, in every group of points, either metric is constant or fewer than 3 points have both values.
        """
        return self.spearman if statistic == "spearman" else self.pearson


def agreement(found: Observations) -> Agreement:
    """Return the correlations of all pairs of metrics, each over the points that have a value for both.

    Correlations are computed within each group of points and averaged over the groups in which they are defined, so
    differences between groups, such as runs, do not create a correlation. Spearman's rho is Pearson's r of mid-ranks
    among those points. A correlation that no group defines is NaN.
    """
    count = len(found.names)
    total: dict[Statistic, Floats] = {statistic: np.zeros((count, count)) for statistic in STATISTICS}
    n, groups = np.zeros((count, count), dtype=np.int64), np.zeros((count, count), dtype=np.int64)
    for group in np.unique(found.group):
        spearman, pearson, points = _correlations(found.values[:, found.group == group])
        known = np.isfinite(pearson)
        total["spearman"] += np.where(known, spearman, 0.0)
        total["pearson"] += np.where(known, pearson, 0.0)
        n += np.where(known, points, 0)
        groups += known
    with np.errstate(invalid="ignore"):
        spearman, pearson = (np.where(groups > 0, total[one] / groups, np.nan) for one in STATISTICS)
    return Agreement(spearman, pearson, n, groups)


def _correlations(values: Floats) -> tuple[Floats, Floats, Integers]:
    """Spearman and Pearson correlations between rows of `values` (m, n), where NaN is a gap, and numbers of points.

    All three are (m, m). A correlation is NaN with fewer than FEWEST points or if a row is constant.
    """
    sorted_by = np.argsort(values, axis=1, kind="stable")
    spearman, pearson, n = _of_pairs(np.ascontiguousarray(values), sorted_by)
    return spearman, pearson, n


@compiled
def _of_pairs(values, sorted_by):  # type: ignore[no-untyped-def]
    count, size = values.shape
    spearman, pearson = np.full((count, count), np.nan), np.full((count, count), np.nan)
    points = np.zeros((count, count), dtype=np.int64)
    known, ranks = np.zeros(size, dtype=np.bool_), np.zeros((2, size))
    for i in range(count):
        for j in range(i, count):
            n = 0
            for k in range(size):
                known[k] = np.isfinite(values[i, k]) and np.isfinite(values[j, k])
                n += known[k]
            points[i, j] = points[j, i] = n
            if n < FEWEST:
                continue
            _mid_ranks(values[i], sorted_by[i], known, ranks[0])
            _mid_ranks(values[j], sorted_by[j], known, ranks[1])
            pearson[i, j] = pearson[j, i] = _pearson(values[i], values[j], known, n)
            spearman[i, j] = spearman[j, i] = _pearson(ranks[0], ranks[1], known, n)
    return spearman, pearson, points


@compiled
def _mid_ranks(values, sorted_by, known, ranks):  # type: ignore[no-untyped-def]
    """Write the mid-ranks of the known values, counted from 1, into `ranks`."""
    before, start = 0, 0
    while start < len(sorted_by):
        if not known[sorted_by[start]]:
            start += 1
            continue
        value, stop, ties = values[sorted_by[start]], start, 0
        while stop < len(sorted_by) and (not known[sorted_by[stop]] or values[sorted_by[stop]] == value):
            ties += known[sorted_by[stop]]
            stop += 1
        for k in range(start, stop):
            ranks[sorted_by[k]] = before + (ties + 1) / 2.0
        before += ties
        start = stop


@compiled
def _pearson(x, y, known, n):  # type: ignore[no-untyped-def]
    """Pearson's r over the known points; NaN where either side is constant up to rounding."""
    x_mean, y_mean, x_size, y_size = 0.0, 0.0, 0.0, 0.0
    for k in range(len(x)):
        if known[k]:
            x_mean += x[k] / n
            y_mean += y[k] / n
            x_size += x[k] * x[k]
            y_size += y[k] * y[k]
    xx, yy, xy = 0.0, 0.0, 0.0
    for k in range(len(x)):
        if known[k]:
            a, b = x[k] - x_mean, y[k] - y_mean
            xx += a * a
            yy += b * b
            xy += a * b
    if xx <= _FLAT * x_size or yy <= _FLAT * y_size:
        return np.nan
    return min(max(xy / np.sqrt(xx * yy), -1.0), 1.0)


def ends(found: Observations, both: Agreement, statistic: Statistic) -> tuple[Floats, Floats]:
    """Return the lower and upper ends (m, m) of simultaneous 95 % intervals of the correlations (Bonferroni).

    They use Fisher's z; for rho, its variance is that of Fieller et al. 1957. Its n is the mean number of points per
    group; for items and captions, it is at most the number of independent images, or of clusters of images. The ends
    are NaN where the correlation is NaN, and -1 and 1 where n is too small for any order to be significant among so
    many pairs.
    """
    from scipy.special import gammaln, ndtri

    values = both.of(statistic)
    pairs = max(len(values) * (len(values) - 1) // 2, 1)
    n = both.n / np.maximum(both.groups, 1)
    if found.over in ("items", "captions"):
        n = np.minimum(n, count_units(found.unit, np.unique(found.item)))
    reached = np.log(2 * pairs / ALPHA) <= gammaln(n + 1)
    spread = np.sqrt((1.06 if statistic == "spearman" else 1.0) / np.maximum(n - 3, 1))
    half = -ndtri(ALPHA / 2 / pairs) * spread
    z = np.arctanh(np.clip(values, -1 + _FLAT, 1 - _FLAT))
    low, high = (np.where(reached & (n > FEWEST), np.tanh(z + way * half), way) for way in (-1.0, 1.0))
    return np.where(np.isnan(values), np.nan, low), np.where(np.isnan(values), np.nan, high)


def order(correlations: Floats) -> list[int]:
    """Return the rows of a matrix (m, m) in an order that puts similar rows side by side.

    The order is that of the leaves of an average-linkage tree on 1 - r, with optimal leaf ordering; an undefined
    correlation counts as 0. Bar-Joseph, Gifford and Jaakkola 2001.
    """
    if len(correlations) < FEWEST:
        return list(range(len(correlations)))
    from scipy.cluster.hierarchy import leaves_list

    return [int(leaf) for leaf in leaves_list(_tree(correlations, "average"))]


def groups_alike(correlations: Floats, least: float = ALIKE) -> list[list[int]]:
    """Return the groups of two or more metrics whose `correlations` (m, m) with one another are at least `least`.

    Groups are cut from a complete-linkage tree on 1 - r and sorted by size, largest first; among groups of equal size,
    the one with the highest minimum correlation comes first.
    """
    if len(correlations) < 2:
        return []
    from scipy.cluster.hierarchy import fcluster

    of = fcluster(_tree(correlations, "complete"), 1 - least, "distance")
    found = [np.flatnonzero(of == k).tolist() for k in np.unique(of)]
    return sorted(
        (rows for rows in found if len(rows) > 1),
        key=lambda rows: (-len(rows), -correlations[np.ix_(rows, rows)].min()),
    )


def telling_pair(values: Floats, low: Floats, walls: Sequence[bool], lengths: Sequence[bool]) -> tuple[int, int] | None:
    """Return the positions of the two metrics that a page opens on, None if no correlation is known.

    They are the least correlated of the first group of alike metrics, else the most correlated, in absolute value. The
    `walls`, which have many equal values, and `lengths` are left out, unless all pairs are. `low` are the lower ends of
    the intervals of the correlations.
    """
    good = ~np.array(lengths, dtype=bool) & ~np.array(walls, dtype=bool)
    known = np.isfinite(values) & ~np.eye(len(values), dtype=bool)
    groups = groups_alike(np.where(known & (low > 0), values, 0.0)) if len(values) > 1 else []
    for rows in groups:
        pairs = [pair for pair in combinations(rows, 2) if good[list(pair)].all()]
        if pairs:
            return min(pairs, key=lambda pair: float(values[pair]))
    for mask in (known & np.outer(good, good), known):
        if mask.any():
            at = np.unravel_index(int(np.where(mask, np.abs(values), -1.0).argmax()), values.shape)
            return int(at[0]), int(at[1])
    return None


def _tree(correlations: Floats, method: Literal["average", "complete"]) -> Floats:
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import squareform

    distance = 1 - np.nan_to_num(correlations, nan=0.0)
    np.fill_diagonal(distance, 0.0)
    near = squareform(np.maximum(distance, 0.0), checks=False)
    return np.asarray(linkage(near, method, optimal_ordering=method == "average"))
