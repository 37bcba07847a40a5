"""Permutation tests of groups of items: do the values inside a group differ from those of the other items?"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from metrics.mathematics.arrays import Floats, Integers
from metrics.permutation.item_test import DRAWS
from metrics.progress import Hooks
from metrics.units import Units

CONTINUED = 24
"""A group gets more draws if at most this many of its first draws are as extreme as observed, on the nearer side."""
PER_GROUP, FEWEST_PER_GROUP = 200, 60
"""Desired and minimum number of draws per tested group: the smallest p after Holm is about 2 / 200 or 2 / 60."""
_CELLS_AT_ONCE, _CELLS_IN_ALL = 1 << 19, 400_000_000


class GroupTests(NamedTuple):
    """The t statistic of each group (g,), its two-sided p, and the number of permutations behind the p."""

    statistic: Floats
    p_value: Floats
    draws: Integers


def group_tests(
    members: csr_array,
    values: Floats,
    draws: int = DRAWS,
    seed: int = 0,
    hooks: Hooks | None = None,
    cluster: Units = None,
) -> GroupTests:
    """Return two-sided permutation tests of groups: does the mean inside a group equal the mean of the other items?

    `members` (g, n) is 1 for items of a group, and `values` (n,) must be finite; a group and its complement need two
    items each. Under the null hypothesis a group is a random choice of as many items, so all values are permuted over
    the items, with the same permutations for every group. The statistic is Welch's t, since a plain difference of means
    would reject for groups that differ only in spread (Janssen 1997; Chung and Romano 2013). Its null distribution is
    skewed if the values are, so p is twice the p of the nearer tail, and each side has half of the level: p = 2
    (b + 1) / (draws + 1), at most 1, with b draws at least as far on that side. Permuted groups mix both spreads, which
    is not enough for small groups with a larger spread, so p is at least that of Welch's t (Welch 1947).

    If `cluster` (n,) numbers each item's cluster, whole clusters exchange values with clusters of the same size, and
    values are also permuted within a cluster.

    Groups with b of at most CONTINUED after `draws` permutations get more draws, depending on the number of groups, and
    their p uses all of them. Any p that becomes small was also small after the first draws, so that small p are no more
    frequent than with only the first draws or with all draws for every group. Values that differ by less than rounding
    errors are equal. Raises Cancelled, and ValueError if a group or its complement is smaller than two.
    """
    count, n = members.shape
    if count == 0:
        return GroupTests(np.empty(0), np.empty(0), np.empty(0, dtype=np.int64))
    size = np.asarray(members.sum(axis=1), dtype=np.float64).ravel()
    if size.min() < 2 or n - size.max() < 2:
        raise ValueError("A group and the other items need two items each.")
    spread = float(values.std())
    unit = (values - values.mean()) / spread if spread > 0 else np.zeros(n)
    permuted = partial(_permuted, np.random.default_rng(seed), _of_sizes(cluster))
    return _tested(members, size, unit, draws, permuted, hooks or Hooks())


def _tested(
    members: csr_array, size: Floats, unit: Floats, draws: int, permuted: Callable[[Floats, int], Floats], hooks: Hooks
) -> GroupTests:
    """Return tests of standardised values (n,), from `draws` permutations and more of them for the promising groups."""
    observed = _statistic(members, size, unit[:, None])[:, 0]
    tails = _count(members, size, unit, observed, draws, permuted, hooks.part(0.0, 0.5))
    tried = np.full(len(size), draws)
    going_on = np.flatnonzero(tails.min(axis=0) <= CONTINUED)
    further = _draws_in_all(len(size), len(unit), draws) - draws
    if len(going_on) and further > 0:
        rows, sizes = members[going_on], size[going_on]
        tails[:, going_on] += _count(rows, sizes, unit, observed[going_on], further, permuted, hooks.part(0.5, 1.0))
        tried[going_on] += further
    p = np.minimum(2 * (tails.min(axis=0) + 1) / (tried + 1), 1.0)
    return GroupTests(observed, np.maximum(p, _welch_p(members, size, unit, observed)), tried)


def _welch_p(members: csr_array, size: Floats, unit: Floats, statistic: Floats) -> Floats:
    """(g,) two-sided p of Welch's t with Welch-Satterthwaite degrees of freedom; 0 without any variation."""
    from scipy.special import stdtr

    inside, outside = (part[:, 0] for part in _moments(members, size, unit[:, None])[1:])
    weights = inside**2 / (size - 1) + outside**2 / (len(unit) - size - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        freedom = (inside + outside) ** 2 / weights
    flat = ~np.isfinite(statistic) | ~(freedom > 0)
    return np.asarray(np.where(flat, 0.0, 2 * stdtr(np.where(flat, 1.0, freedom), -np.abs(statistic))))


def _draws_in_all(groups: int, n: int, draws: int) -> int:
    """Return the total number of draws for groups that get additional draws; the number is smaller for many items."""
    affordable = min(PER_GROUP * groups, _CELLS_IN_ALL // n)
    return max(affordable, FEWEST_PER_GROUP * groups, draws)


def _count(
    members: csr_array,
    size: Floats,
    unit: Floats,
    observed: Floats,
    draws: int,
    permuted: Callable[[Floats, int], Floats],
    hooks: Hooks,
) -> Integers:
    """(2, g) numbers of permutations, out of `draws`, whose t for a group is at most, and at least, the observed t."""
    tails = np.zeros((2, len(observed)), dtype=np.int64)
    guard = np.where(np.isfinite(observed), 1e-9 * np.abs(observed) + 1e-12, 0.0)
    low, high = (observed + guard)[:, None], (observed - guard)[:, None]
    rows = max(_CELLS_AT_ONCE // len(unit), 16)
    for start in range(0, draws, rows):
        hooks.check()
        block = permuted(unit, min(rows, draws - start))
        statistic = _statistic(members, size, np.ascontiguousarray(block.T))
        tails += np.stack([(statistic <= low).sum(axis=1), (statistic >= high).sum(axis=1)])
        hooks.share(min(start + rows, draws) / draws)
    return tails


def _of_sizes(cluster: Units) -> list[Integers]:
    if cluster is None:
        return []
    order = np.argsort(cluster, kind="stable")
    each = np.split(order, np.flatnonzero(np.diff(cluster[order])) + 1)
    sizes = sorted({len(one) for one in each})
    return [np.array([one for one in each if len(one) == size]) for size in sizes]


def _permuted(rng: np.random.Generator, clusters: list[Integers], values: Floats, rows: int) -> Floats:
    """(rows, n) random permutations of the values (n,): of whole clusters, and within each cluster."""
    block = np.tile(values, (rows, 1))
    if not clusters:
        return np.asarray(rng.permuted(block, axis=1))
    for places in clusters:
        count, size = places.shape
        source = rng.permuted(np.tile(np.arange(count), (rows, 1)), axis=1)
        within = rng.permuted(np.tile(np.arange(size), (rows * count, 1)), axis=1).reshape(rows, count, size)
        block[:, places.ravel()] = values[np.take_along_axis(places[source], within, axis=2)].reshape(rows, -1)
    return block


def _statistic(members: csr_array, size: Floats, unit: Floats) -> Floats:
    """(g, k) Welch's t of each group against the other items, for k columns of standardised values (n, k)."""
    gap, inside, outside = _moments(members, size, unit)
    variance = inside + outside
    with np.errstate(divide="ignore", invalid="ignore"):
        found = gap / np.sqrt(variance)
    # Without variance on either side, the means are either equal or certainly different.
    flat = variance <= 1e-20
    return np.where(flat, np.where(np.abs(gap) <= 1e-9, 0.0, np.copysign(np.inf, gap)), found)


def _moments(members: csr_array, size: Floats, unit: Floats) -> tuple[Floats, Floats, Floats]:
    """(g, k) mean inside minus mean outside, and the squared standard errors of both."""
    k = unit.shape[1]
    sums = members @ np.hstack([unit, unit * unit])
    first, square = sums[:, :k], sums[:, k:]
    others, square_of_others = unit.sum(axis=0) - first, (unit * unit).sum(axis=0) - square
    inside, outside = size[:, None], len(unit) - size[:, None]
    errors = (_variance(first, square, inside) / inside, _variance(others, square_of_others, outside) / outside)
    return first / inside - others / outside, *errors


def _variance(first: Floats, square: Floats, size: Floats) -> Floats:
    return np.maximum(square - first * first / size, 0.0) / (size - 1)
