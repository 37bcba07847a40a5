"""Intervals of corpus values: bootstrap over items, and a jackknife for values that are not sums over items."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from metrics.arrays import Floats, Integers
from metrics.cache.memory import LruCache
from metrics.checks import check_finite

VERSION = 4
"""Of the rule by which intervals are made: part of the key of every number that is kept with its interval."""
RESAMPLES = 2_000
"""How often items are drawn anew, wherever nobody says otherwise."""
LEAST = 6
"""Fewest items of any interval: resampled means lie within the range of the items, and the range of five values holds
the middle of where they come from in 1 - 2^-4 = 94 % of samples only."""
FEW = 20
"""Below so many items an interval of skewed values is clearly too narrow (`docs/decisions/008-intervals.md`)."""
MIN_RELATIVE_WIDTH = 1e-12
"""Width, by itself or by size, that is rounding: values that do not vary say nothing of how sure they are."""
_CELLS_AT_ONCE = 1 << 22
_cache: LruCache[tuple[int, int, int], Floats] = LruCache(2)
"""Draws that fit into one block: a study's metrics and runs are all resampled with the same, and drawing is slow."""


class Interval(NamedTuple):
    """An interval of the stated confidence; both ends NaN where there is none."""

    low: float
    high: float


def bootstrap_weights(n_items: int, resamples: int = RESAMPLES, seed: int = 0) -> Iterator[Floats]:
    """(rows, n_items) numbers of times that each item is drawn, in blocks, `resamples` rows in all.

    The same for every run with equal arguments, so that differences between runs are resampled in pairs.
    """
    if n_items < 1 or resamples < 1:
        raise ValueError(f"A bootstrap needs items and resamples, got {n_items} and {resamples}.")
    rows = max(_CELLS_AT_ONCE // n_items, 1)
    if resamples > rows:
        yield from _drawn(n_items, resamples, seed, rows)
        return
    key = (n_items, resamples, seed)
    if (block := _cache.get(key)) is None:
        (block,) = _drawn(n_items, resamples, seed, rows)
        block.setflags(write=False)
        _cache.put(key, block)
    yield block


def _drawn(n_items: int, resamples: int, seed: int, rows: int) -> Iterator[Floats]:
    rng = np.random.default_rng(seed)
    for start in range(0, resamples, rows):
        block = np.empty((min(rows, resamples - start), n_items))
        for row in block:
            row[:] = np.bincount(rng.integers(n_items, size=n_items), minlength=n_items)
        yield block


def bootstrap_totals(item_sums: ArrayLike, resamples: int = RESAMPLES, seed: int = 0) -> Floats:
    """(resamples, k) totals of the sufficient statistics (n_items, k) over items drawn with replacement.

    Reduce each row as the observed total is reduced; `interval` of the results is their interval. All NaN for
    fewer than LEAST items. Memory is bounded, and the resamples are those of `bootstrap_weights`. ValueError for NaN:
    leave out undefined items, or carry their number as a column. Efron and Tibshirani 1993, chapter 13.
    """
    sums = check_finite(item_sums, "The statistics of the items")
    if sums.ndim != 2:
        raise ValueError(f"The statistics must be (items, k), got shape {sums.shape}.")
    if 0 < len(sums) < LEAST:
        return np.full((resamples, sums.shape[1]), np.nan)
    return np.concatenate([block @ sums for block in bootstrap_weights(len(sums), resamples, seed)])


def percentiles(n_items: int, level: float = 0.95) -> tuple[float, float]:
    """The lower and the upper share of resampled values that an interval of so many items runs between.

    Plain percentiles, such as 2.5 and 97.5 %, are too narrow of few items: resampling spreads a mean by the items'
    standard deviation with divisor n instead of n - 1, and asks a normal instead of a t distribution. These are the
    percentiles at which that is made good: 1.6 and 98.4 % of 20 items. Hesterberg 2015, section 5.3.
    """
    from scipy.special import ndtr, stdtrit

    _check_level(level)
    if n_items < 2:
        return float("nan"), float("nan")
    quantile = float(stdtrit(n_items - 1, (1 + level) / 2)) * np.sqrt(n_items / (n_items - 1))
    return float(ndtr(-quantile)), float(ndtr(quantile))


def interval(values: ArrayLike, n_items: int, level: float = 0.95) -> Interval:
    """Interval of values resampled from `n_items` items, between their `percentiles`.

    NaN if one of the values is NaN, there are none, they do not vary, or the items are fewer than LEAST.
    """
    _check_level(level)
    array = np.asarray(values, dtype=np.float64).ravel()
    if len(array) == 0 or n_items < LEAST or np.isnan(array).any():
        return Interval(float("nan"), float("nan"))
    low, high = np.quantile(array, percentiles(n_items, level))
    return _checked_width(float(low), float(high))


def why_no_interval(n_items: int) -> str:
    """Why a value of so many items has no interval, in a few words."""
    if n_items < LEAST:
        return f"{n_items} item{' is' if n_items == 1 else 's are'} too few: intervals begin at {LEAST}"
    return "it is the same whichever items are drawn, or undefined without some of them"


def _checked_width(low: float, high: float) -> Interval:
    """The interval, if it is one: nothing is so sure that it has no width."""
    if high - low <= MIN_RELATIVE_WIDTH * max(1.0, abs(low), abs(high)):
        return Interval(float("nan"), float("nan"))
    return Interval(low, high)


def known_interval(values: ArrayLike, n_items: int, least: float = 0.0, level: float = 0.95) -> Interval:
    """`interval` of those resampled values that are finite; NaN if these are less than a share `least`."""
    array = np.asarray(values, dtype=np.float64).ravel()
    known = array[np.isfinite(array)]
    return interval(known if len(known) >= least * len(array) else [], n_items, level)


def centred_interval(value: float, values: ArrayLike, n_items: int, level: float = 0.95) -> Interval:
    """Interval of a ratio that resampling overstates, such as a mean by its standard deviation.

    `value` less the bias of the resampled `values`, give or take t standard errors, n_items - 1 degrees of freedom;
    values that are not finite are left out. NaN as in `interval`. Efron and Tibshirani 1993, sections 10.3 and 12.4.
    """
    from scipy.special import stdtrit

    _check_level(level)
    array = np.asarray(values, dtype=np.float64).ravel()
    known = array[np.isfinite(array)]
    if len(known) < 2 or n_items < LEAST or not np.isfinite(value):
        return Interval(float("nan"), float("nan"))
    error = float(known.std(ddof=1)) * np.sqrt(n_items / (n_items - 1))
    middle, half = 2 * value - float(known.mean()), float(stdtrit(n_items - 1, (1 + level) / 2)) * error
    return _checked_width(middle - half, middle + half)


def group_jackknife(
    reduce: Callable[[Integers], float], n_items: int, groups: int = 20, level: float = 0.95, seed: int = 0
) -> Interval:
    """Interval of a statistic that is no function of sums over items, by leaving out one random group at a time.

    `reduce(items)` gives the statistic of the items with these numbers, in rising order; it is called groups + 1 times.
    value +- t * sqrt((g - 1) / g * sum (value_without_j - mean)^2), t the quantile with g - 1 degrees of freedom. With
    fewer items than groups each item is a group. NaN with fewer than LEAST items, if a value is NaN, or if none varies.
    Kott 2001 (the delete-a-group jackknife).
    """
    _check_level(level)
    if groups < 2:
        raise ValueError(f"A jackknife needs two groups, got {groups}.")
    if n_items < LEAST:
        return Interval(float("nan"), float("nan"))
    from scipy.stats import t

    groups = min(groups, n_items)
    group = np.random.default_rng(seed).permutation(np.arange(n_items) % groups)
    value = reduce(np.arange(n_items))
    without = np.array([reduce(np.flatnonzero(group != left_out)) for left_out in range(groups)])
    variance = (groups - 1) / groups * ((without - without.mean()) ** 2).sum()
    half = float(t.ppf((1 + level) / 2, groups - 1) * np.sqrt(variance))
    return _checked_width(value - half, value + half)


def _check_level(level: float) -> None:
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, got {level}.")
