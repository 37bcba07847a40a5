"""p-values of several tests: harmonic mean, multiplicity adjustments, and a permutation test of the corpus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metrics.mathematics.arrays import Alternative, Floats, Integers
from metrics.mathematics.checks import check_finite
from metrics.permutation.item_test import DRAWS

ALPHA = 0.05
"""Significance level: a difference with a p of at most this is called sure."""
LANDAU_LOCATION = 0.874367
"""Location of the limiting distribution of the mean of 1 / p, minus log L: Wilson 2019."""

CELLS = 1 << 16
"""Maximum number of sums when null distributions are added exactly: two items of 5 v 5 captions give 252 x 252."""


class HarmonicMean(NamedTuple):
    """The harmonic mean p, and the p-value calibrated for the number of tests."""

    raw: float
    calibrated: float


def harmonic_mean_p(p: ArrayLike) -> HarmonicMean:
    """Return the raw and calibrated harmonic mean of p-values, robust to dependence between the tests.

    For L tests (NaN left out), calibrated = P(X >= 1 / raw) with X Landau, location log L + 0.874367, scale pi / 2; for
    a single test it is the p itself. Both are NaN if there are no tests, and 0 if a p is 0. Discrete p-values make it
    conservative. Raises ValueError for p outside 0..1. Wilson 2019 (PNAS 116).
    """
    values = np.asarray(p, dtype=np.float64).ravel()
    values = values[~np.isnan(values)]
    if len(values) and (values.min() < 0 or values.max() > 1):
        raise ValueError(f"p-values must lie in 0..1, got {values.min()}..{values.max()}.")
    if len(values) == 0:
        return HarmonicMean(float("nan"), float("nan"))
    if values.min() == 0:
        return HarmonicMean(0.0, 0.0)
    mean = float(len(values) / (1 / values).sum())
    if len(values) == 1:
        return HarmonicMean(mean, mean)
    from scipy.stats import landau

    location = np.log(len(values)) + LANDAU_LOCATION
    return HarmonicMean(mean, float(landau.sf(1 / mean, loc=location, scale=np.pi / 2)))


class Averages(NamedTuple):
    """Averages of the p-values of several tests: the mean, the mean of ln p, and both harmonic means."""

    mean: float
    log: float
    harmonic: HarmonicMean


def averages(p: ArrayLike) -> Averages:
    """Return the averages of the p-values that are not NaN; NaN if there are none. Raises ValueError outside 0..1."""
    values, harmonic = np.asarray(p, dtype=np.float64).ravel(), harmonic_mean_p(p)
    values = values[~np.isnan(values)]
    if not len(values):
        return Averages(np.nan, np.nan, harmonic)
    with np.errstate(divide="ignore"):
        return Averages(float(values.mean()), float(np.log(values).mean()), harmonic)


def uniform_averages(floors: ArrayLike) -> Averages:
    """Return the averages expected of tests with these floors (NaN left out) if all possible p are equally likely.

    The p of a test with the floor 1 / n can be 1/n, 2/n .. 1, with mean (n + 1) / 2n, mean ln p ln(n!) / n - ln n, and
    harmonic mean 1 / (1 + 1/2 + .. + 1/n). The floors must be above 0 and at most 1; they are not checked.
    """
    from scipy.special import digamma, gammaln

    values = np.asarray(floors, dtype=np.float64).ravel()
    values = values[~np.isnan(values)]
    if not len(values):
        return averages([])
    n = np.round(1 / values)
    inverse = float((digamma(n + 1) + np.euler_gamma).mean())
    harmonic = harmonic_mean_p(np.full(len(n), 1 / inverse))
    return Averages(float(((n + 1) / (2 * n)).mean()), float((gammaln(n + 1) / n - np.log(n)).mean()), harmonic)


def average_columns(p: ArrayLike | None, floors: ArrayLike | None) -> dict[str, float]:
    """Return averages of p-values, and those expected of uniform p-values, as table columns; NaN for no tests.

    Of the harmonic means, only those of uniform p-values are returned.
    """
    found, uniform = averages([] if p is None else p), uniform_averages([] if floors is None else floors)
    return {
        "p_mean": found.mean,
        "p_mean_uniform": uniform.mean,
        "ln_p_mean": found.log,
        "ln_p_mean_uniform": uniform.log,
        "p_hmp_raw_uniform": uniform.harmonic.raw,
        "p_hmp_uniform": uniform.harmonic.calibrated,
    }


def holm(p: ArrayLike) -> Floats:
    """(n,) p-values adjusted for the number of tests; a NaN stays NaN and does not count as a test.

    For k tests in ascending order, adjusted_i = max over j <= i of min(1, (k - j) p_j), with j counted from 0. The
    probability of any false rejection is at most alpha, whatever the dependence between the tests. Raises ValueError
    for p outside 0..1. Holm 1979 (Scandinavian Journal of Statistics 6).
    """
    values, order = _ascending(p)
    steps = values[order] * np.arange(len(order), 0, -1)
    adjusted = np.full(len(values), np.nan)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted


def benjamini_hochberg(p: ArrayLike) -> Floats:
    """(n,) p-values adjusted for the false discovery rate; a NaN stays NaN and does not count as a test.

    For k tests in ascending order, adjusted_i = min over j >= i of min(1, p_j k / j), with j counted from 1. Among the
    tests with an adjusted p of at most alpha, the expected share of false rejections is at most alpha for independent
    or positively dependent tests. Raises ValueError for p outside 0..1. Benjamini and Hochberg 1995 (Journal of the
    Royal Statistical Society B 57); Benjamini and Yekutieli 2001.
    """
    values, order = _ascending(p)
    steps = values[order] * len(order) / np.arange(1, len(order) + 1)
    adjusted = np.full(len(values), np.nan)
    adjusted[order] = np.minimum(np.minimum.accumulate(steps[::-1])[::-1], 1.0)
    return adjusted


def _ascending(p: ArrayLike) -> tuple[Floats, Integers]:
    """Return the p-values, and the positions of those that are not NaN, in ascending order of p.

    Raises ValueError for a p outside 0..1.
    """
    values = np.asarray(p, dtype=np.float64).ravel()
    known = np.flatnonzero(~np.isnan(values))
    if len(known) and (values[known].min() < 0 or values[known].max() > 1):
        raise ValueError(f"p-values must lie in 0..1, got {values[known].min()}..{values[known].max()}.")
    return values, known[np.argsort(values[known], kind="stable")]


def null_draws(null: ArrayLike, draws: int = DRAWS, seed: int | np.random.SeedSequence = 0) -> Floats:
    """(draws,) values of one item's statistic under random relabellings, drawn from its null distribution.

    For `corpus_p`, add the draws of all items, each drawn with its own seed. `null` lists the values of all partitions
    or, if they were sampled, of the sample. Raises ValueError for an empty list, no draws, or numbers that are not
    finite.
    """
    values = check_finite(null, "The null distribution").ravel()
    if len(values) == 0 or draws < 1:
        raise ValueError(f"Draws need a null distribution and a number of draws, got {len(values)} and {draws}.")
    return values[draw_places(len(values), draws, seed)]


def draw_places(size: int, draws: int = DRAWS, seed: int | np.random.SeedSequence = 0) -> NDArray[np.uint32]:
    """(draws,) positions of the values that `null_draws` takes from a null distribution of `size` values."""
    return np.random.default_rng(seed).integers(size, size=draws, dtype=np.uint32)


def corpus_p(observed_sum: float, summed_draws: ArrayLike, alternative: Alternative = "greater") -> float:
    """Return the p of the corpus permutation test: (b + 1) / (draws + 1), with floor 1 / (draws + 1).

    `observed_sum` is the sum of the statistic over items; `summed_draws` (draws,) are the sums when every item is
    relabelled. Values that differ by less than rounding errors are equal. Raises ValueError for another alternative, or
    numbers that are not finite.
    """
    draws = check_finite(summed_draws, "The summed draws").ravel()
    observed = float(check_finite(observed_sum, "The observed sum"))
    if alternative not in ("greater", "less"):
        raise ValueError(f'alternative must be "greater" or "less", got {alternative!r}.')
    guard = 1e-9 * abs(observed) + 1e-12 * float(np.abs(draws).max(initial=0.0))
    extreme = draws >= observed - guard if alternative == "greater" else draws <= observed + guard
    return (int(np.count_nonzero(extreme)) + 1) / (len(draws) + 1)


@dataclass(frozen=True)
class Null:
    """An exact null distribution: distinct `values` (n,), ascending, and the number (n,) of relabellings for each."""

    values: Floats
    counts: Integers

    @classmethod
    def of(cls, null: ArrayLike) -> Null:
        """Return the distribution of the values (partitions,) of all partitions."""
        return cls(*np.unique(np.asarray(null, dtype=np.float64), return_counts=True))


class Tails(NamedTuple):
    """One-sided p-values: `low` for values at most as large as observed, `high` for values at least as large."""

    low: float
    high: float


def few(sizes: Sequence[int]) -> bool:
    """Return whether null distributions of these sizes are few enough to add up exactly, and worth storing.

    Sizes are numbers of distinct values. The result is true for the items of every chunk of a run for which
    `exact_tails` has an answer.
    """
    return float(np.log2(np.asarray(sizes, dtype=np.float64)).sum()) <= 2 * np.log2(CELLS)


def exact_tails(observed_sum: float, nulls: Sequence[Null]) -> Tails | None:
    """Return the exact p of the corpus permutation test from the items' null distributions; None for too many sums.

    The items are split into two halves, the sums of each half are enumerated (at most CELLS), and pairs of sums that
    are at least as extreme as the observed one are counted by bisection. Values that differ by less than rounding
    errors are equal.
    """
    halves = _halves([len(null.values) for null in nulls])
    if halves is None:
        return None
    (left, left_share), (right, right_share) = (_summed([nulls[k] for k in half]) for half in halves)
    scale = max(abs(side) for side in (left.min() + right.min(), left.max() + right.max()))
    guard = 1e-9 * abs(observed_sum) + 1e-12 * scale
    order = np.argsort(right, kind="stable")
    right, below = right[order], np.concatenate([[0.0], np.cumsum(right_share[order])])
    above = below[-1] - below
    low = left_share @ below[np.searchsorted(right, observed_sum + guard - left, side="right")]
    high = left_share @ above[np.searchsorted(right, observed_sum - guard - left, side="left")]
    return Tails(min(1.0, float(low)), min(1.0, float(high)))


def _halves(sizes: Sequence[int]) -> tuple[list[int], list[int]] | None:
    """Split items into two groups with similar numbers of possible sums; None if a group has more than CELLS sums.

    Items are positions in `sizes`, the numbers of values that their statistics can take.
    """
    groups: tuple[list[int], list[int]] = ([], [])
    cells = [1, 1]
    for k in sorted(range(len(sizes)), key=lambda k: -sizes[k]):
        smaller = int(cells[1] < cells[0])
        groups[smaller].append(k)
        cells[smaller] *= sizes[k]
        if cells[smaller] > CELLS:
            return None
    return groups


def _summed(nulls: Sequence[Null]) -> tuple[Floats, Floats]:
    """Return all sums of one value from each distribution, and the share of relabellings that yields each sum."""
    sums, shares = np.zeros(1), np.ones(1)
    for null in nulls:
        sums = np.add.outer(sums, null.values).ravel()
        shares = np.multiply.outer(shares, null.counts / null.counts.sum()).ravel()
    return sums, shares
