"""Intervals of corpus values: bootstrap over items, and a jackknife for values that are not sums over items."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metrics.cache.memory import LruCache
from metrics.mathematics.arrays import Floats, Integers
from metrics.mathematics.checks import check_finite
from metrics.units import Units, by_unit, count_units

VERSION = 4
"""Version of the rule for intervals: part of the cache key of every number stored with its interval."""
RESAMPLES = 2_000
"""Default number of bootstrap resamples."""
LEAST = 6
"""Minimum number of items for an interval.

Resampled means lie within the range of the items, and the range of five values contains the median of their
distribution in only 1 - 2^-4 = 94 % of samples.
"""
FEW = 20
"""Number of items below which intervals of skewed values are clearly too narrow (`docs/decisions/008-intervals.md`)."""
MIN_RELATIVE_WIDTH = 1e-12
"""Width, absolute or relative to the ends, below which an interval is only rounding error: the values do not vary."""
LEVEL = 0.95
"""Confidence of all intervals."""
_CELLS_AT_ONCE = 1 << 22
_cache: LruCache[tuple[int, int, int], Floats] = LruCache(1 << 26, lambda key, block: block.nbytes)
"""Weights of samples that fit into one block, kept because they are slow to draw and serve all metrics and runs."""
_MOST_KEPT = 1 << 27
_counts: LruCache[tuple[int, int, int], NDArray[np.uint8]] = LruCache(_MOST_KEPT, lambda key, counts: counts.nbytes)
"""Weights of many items, one byte each: drawing them takes four times as long as using them (40,000 items: 0.9 s)."""


class Interval(NamedTuple):
    """An interval of confidence `LEVEL`; both ends are NaN if it is undefined."""

    low: float
    high: float


def bootstrap_weights(n_items: int, resamples: int = RESAMPLES, seed: int = 0) -> Iterator[Floats]:
    """(rows, n_items) number of times that each item is drawn, in blocks with `resamples` rows in total.

    Calls with equal arguments yield equal weights, so that differences between runs come from paired resamples. Raises
    ValueError if there are no items or no resamples.
    """
    if n_items < 1 or resamples < 1:
        raise ValueError(f"A bootstrap needs items and resamples, got {n_items} and {resamples}.")
    rows = max(_CELLS_AT_ONCE // n_items, 1)
    key = (n_items, resamples, seed)
    if resamples > rows:
        yield from _of_many(*key, rows)
        return
    if (block := _cache.get(key)) is None:
        (block,) = _drawn(n_items, resamples, seed, rows)
        block.setflags(write=False)
        _cache.put(key, block)
    yield block


def _of_many(n_items: int, resamples: int, seed: int, rows: int) -> Iterator[Floats]:
    """Yield the weights of many items in blocks.

    They are kept as bytes, unless there are too many to store.
    """
    if n_items * resamples > _MOST_KEPT:
        yield from _drawn(n_items, resamples, seed, rows)
        return
    key = (n_items, resamples, seed)
    counts = _counts.get(key)
    if counts is None:
        counts = np.empty((resamples, n_items), np.uint8)
        for start, block in zip(range(0, resamples, rows), _drawn(n_items, resamples, seed, rows)):
            if block.max() > np.iinfo(np.uint8).max:
                raise OverflowError("An item was drawn more than 255 times in one resample.")
            counts[start : start + rows] = block
        _counts.put(key, counts)
    for start in range(0, resamples, rows):
        yield counts[start : start + rows].astype(np.float64)


def _drawn(n_items: int, resamples: int, seed: int, rows: int) -> Iterator[Floats]:
    rng = np.random.default_rng(seed)
    for start in range(0, resamples, rows):
        block = np.empty((min(rows, resamples - start), n_items))
        for row in block:
            row[:] = np.bincount(rng.integers(n_items, size=n_items), minlength=n_items)
        yield block


def bootstrap_totals(item_sums: ArrayLike, resamples: int = RESAMPLES, seed: int = 0, unit: Units = None) -> Floats:
    """(resamples, k) totals of the sufficient statistics (n_items, k) over items drawn with replacement.

    If `unit` (n_items,) numbers each item's cluster, whole clusters are drawn. Reduce each row in the same way as the
    observed total, then pass the results to `interval`. All are NaN for fewer than LEAST units. Memory is bounded, and
    the resamples are those of `bootstrap_weights`. Raises ValueError if there are no items, or for numbers that are not
    finite: leave out undefined items, or include their number as a column. Efron and Tibshirani 1993, chapter 13; Field
    and Welsh 2007 (cluster bootstrap).
    """
    sums = check_finite(item_sums, "The statistics of the items")
    if sums.ndim != 2:
        raise ValueError(f"The statistics must be (items, k), got shape {sums.shape}.")
    sums = by_unit(sums, unit)
    if 0 < len(sums) < LEAST:
        return np.full((resamples, sums.shape[1]), np.nan)
    return np.concatenate([block @ sums for block in bootstrap_weights(len(sums), resamples, seed)])


def percentiles(n_items: int) -> tuple[float, float]:
    """Return the two percentiles of resampled values, as shares, that bound an interval for `n_items` items.

    Plain percentiles, such as 2.5 and 97.5 %, are too narrow for few items: resampling estimates the items' standard
    deviation with divisor n instead of n - 1, and assumes a normal instead of a t distribution. These percentiles
    correct for both: 1.6 and 98.4 % for 20 items. NaN for fewer than two items. Hesterberg 2015, section 5.3.
    """
    from scipy.special import ndtr, stdtrit

    if n_items < 2:
        return float("nan"), float("nan")
    quantile = float(stdtrit(n_items - 1, (1 + LEVEL) / 2)) * np.sqrt(n_items / (n_items - 1))
    return float(ndtr(-quantile)), float(ndtr(quantile))


def interval(values: ArrayLike, n_items: int) -> Interval:
    """Return the interval of values resampled from `n_items` items, between their `percentiles`.

    NaN if a value is NaN, there are no values, they do not vary, or there are fewer than LEAST items. Arrays of any
    shape are flattened.
    """
    array = np.asarray(values, dtype=np.float64).ravel()
    if len(array) == 0 or n_items < LEAST or np.isnan(array).any():
        return Interval(float("nan"), float("nan"))
    low, high = np.quantile(array, percentiles(n_items))
    return _checked_width(float(low), float(high))


SAME, UNDEFINED = "it is the same in every resample", "it is undefined in some resamples"
"""Reasons why a resampled value has no interval."""


def why_no_interval(n_items: int, values: ArrayLike, least: float = 1.0, clusters: bool = False) -> str:
    """Return a short reason why a value of `n_items` items, or clusters of items, has no interval.

    `values` are the resampled values; at least a share of `least` must be finite.
    """
    if n_items < LEAST:
        n = f"{n_items} cluster{'' if n_items == 1 else 's'}" if clusters else f"n = {n_items}"
        return f"{n} {'are' if clusters and n_items != 1 else 'is'} too few: intervals begin at {LEAST}"
    array = np.asarray(values, dtype=np.float64).ravel()
    known = array[np.isfinite(array)]
    flat = len(known) > 0 and np.ptp(known) <= MIN_RELATIVE_WIDTH * max(1.0, float(np.abs(known).max()))
    return SAME if flat and len(known) >= least * len(array) else UNDEFINED


def _checked_width(low: float, high: float) -> Interval:
    """Return the interval; NaN if its width is only rounding error, because no estimate is that certain."""
    if high - low <= MIN_RELATIVE_WIDTH * max(1.0, abs(low), abs(high)):
        return Interval(float("nan"), float("nan"))
    return Interval(low, high)


def known_interval(values: ArrayLike, n_items: int, least: float = 0.0) -> Interval:
    """Return `interval` of the finite resampled values; NaN if their share is below `least`."""
    array = np.asarray(values, dtype=np.float64).ravel()
    known = array[np.isfinite(array)]
    return interval(known if len(known) >= least * len(array) else [], n_items)


def centred_interval(value: float, values: ArrayLike, n_items: int) -> Interval:
    """Return the interval of a ratio that resampling overstates, such as a mean divided by its standard deviation.

    It is `value` minus the bias of the resampled `values`, plus or minus t standard errors, with n_items - 1 degrees of
    freedom; resampled values that are not finite are left out. NaN if `value` is not finite, if the share of finite
    resampled values is below `LEVEL` or these do not vary, and for fewer than LEAST items. Efron and Tibshirani 1993,
    sections 10.3 and 12.4.
    """
    from scipy.special import stdtrit

    array = np.asarray(values, dtype=np.float64).ravel()
    known = array[np.isfinite(array)]
    if len(known) < max(2, LEVEL * len(array)) or n_items < LEAST or not np.isfinite(value):
        return Interval(float("nan"), float("nan"))
    error = float(known.std(ddof=1)) * np.sqrt(n_items / (n_items - 1))
    middle, half = 2 * value - float(known.mean()), float(stdtrit(n_items - 1, (1 + LEVEL) / 2)) * error
    return _checked_width(middle - half, middle + half)


def group_jackknife(
    reduce: Callable[[Integers], float],
    n_items: int,
    groups: int = 20,
    unit: Units = None,
) -> Interval:
    """Return the delete-a-group jackknife interval of a statistic that is not a function of sums over items.

    `reduce(items)` returns the statistic of the items with these indices, in ascending order; it is called at most
    `groups` + 1 times. Items of one `unit` are left out together. See `jackknife_interval` for the rest. Raises
    ValueError for fewer than two groups.
    """
    group, n_units = random_groups(n_items, groups, unit), count_units(unit, np.arange(n_items))
    if n_units < LEAST:
        return Interval(float("nan"), float("nan"))
    without = [reduce(np.flatnonzero(group != left_out)) for left_out in range(group.max() + 1)]
    return jackknife_interval(reduce(np.arange(n_items)), without, n_units)


def random_groups(n_items: int, groups: int = 20, unit: Units = None) -> Integers:
    """Return each item's random group (n_items,), from 0; the sizes of groups differ by at most one unit.

    Raises ValueError for fewer than two groups.
    """
    if groups < 2:
        raise ValueError(f"A jackknife needs two groups, got {groups}.")
    if unit is not None:
        numbers, place = np.unique(unit, return_inverse=True)
        return random_groups(len(numbers), groups)[place]
    return np.random.default_rng(0).permutation(np.arange(n_items) % min(groups, max(n_items, 1)))


def jackknife_interval(value: float, without: ArrayLike, n_items: int) -> Interval:
    """Return the interval of a statistic from its value and its (groups,) values without each random group of items.

    It is value +- t * sqrt((g - 1) / g * sum (value_without_j - mean)^2), with t the quantile for g - 1 degrees of
    freedom. NaN for fewer than LEAST items, if a value is NaN, or if the values do not vary. Kott 2001 (the
    delete-a-group jackknife).
    """
    if n_items < LEAST:
        return Interval(float("nan"), float("nan"))
    from scipy.stats import t

    left = np.asarray(without, dtype=np.float64)
    groups = len(left)
    variance = (groups - 1) / groups * ((left - left.mean()) ** 2).sum()
    half = float(t.ppf((1 + LEVEL) / 2, groups - 1) * np.sqrt(variance))
    return _checked_width(value - half, value + half)
