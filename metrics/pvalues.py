"""p-values of several tests: harmonic mean, Holm's correction, and a permutation test of the corpus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from metrics.arrays import Alternative, Floats, Integers
from metrics.checks import check_finite
from metrics.permutation.exact import DRAWS

ALPHA = 0.05
"""Level of a test: where p is at most this, a difference is called sure."""
LANDAU_LOCATION = 0.874367
"""Location of the limit of the mean of 1 / p, less log L: Wilson 2019."""

CELLS = 1 << 16
"""Most sums that are listed to add null distributions up exactly: two items of 5 v 5 captions are 252 x 252."""


class HarmonicMean(NamedTuple):
    """The harmonic mean p, and the p-value that corrects it for the number of tests."""

    raw: float
    calibrated: float


def harmonic_mean_p(p: ArrayLike) -> HarmonicMean:
    """(raw, calibrated) harmonic mean of p-values, robust to dependence between the tests.

    With L tests, NaN dropped, calibrated = P(X >= 1 / raw) with X Landau, location log L + 0.874367, scale pi / 2;
    of a single test, the p itself. Both NaN without tests, both 0 if a p is 0. Discrete p-values make it conservative.
    ValueError for p outside 0..1. Wilson 2019 (PNAS 116).
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


def holm(p: ArrayLike) -> Floats:
    """(n,) p-values adjusted for the number of tests, NaN where there is none: a NaN is no member of the family.

    The k tests in rising order: adjusted_i = max over j <= i of min(1, (k - j) p_j), j counted from 0. The
    chance of any wrong rejection is at most alpha, however the tests depend on each other.
    ValueError for p outside 0..1. Holm 1979 (Scandinavian Journal of Statistics 6).
    """
    values = np.asarray(p, dtype=np.float64).ravel()
    known = np.flatnonzero(~np.isnan(values))
    if len(known) and (values[known].min() < 0 or values[known].max() > 1):
        raise ValueError(f"p-values must lie in 0..1, got {values[known].min()}..{values[known].max()}.")
    order = known[np.argsort(values[known], kind="stable")]
    steps = values[order] * np.arange(len(order), 0, -1)
    adjusted = np.full(len(values), np.nan)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted


def null_draws(null: ArrayLike, draws: int = DRAWS, seed: int | np.random.SeedSequence = 0) -> Floats:
    """(draws,) values of one item's statistic under random relabellings, drawn from its null distribution.

    Add up the draws of all items (an own seed each) for `corpus_p`. `null` is the list of all partitions, or, where
    they were sampled, the sample. ValueError for an empty list or numbers that are not finite.
    """
    values = check_finite(null, "The null distribution").ravel()
    if len(values) == 0 or draws < 1:
        raise ValueError(f"Draws need a null distribution and a number of draws, got {len(values)} and {draws}.")
    places = np.random.default_rng(seed).integers(len(values), size=draws, dtype=np.uint32)
    return values[places]


def corpus_p(observed_sum: float, summed_draws: ArrayLike, alternative: Alternative = "greater") -> float:
    """p of the corpus permutation test, (b + 1) / (draws + 1), floor 1 / (draws + 1).

    `observed_sum`: the statistic added up over items; `summed_draws` (draws,): the same under relabelling within
    every item at once. Values closer than rounding errors count as equal. ValueError for numbers that are not finite.
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
    """An exact null distribution: its distinct `values`, rising, and in how many relabellings each comes up."""

    values: Floats
    counts: Integers

    @classmethod
    def of(cls, null: ArrayLike) -> Null:
        """The distribution of a list of all partitions' values."""
        return cls(*np.unique(np.asarray(null, dtype=np.float64), return_counts=True))


class Tails(NamedTuple):
    """The p of both tails of a test: `low`, of values as small as observed or smaller; `high`, of values as large."""

    low: float
    high: float


def few(sizes: Sequence[int]) -> bool:
    """Whether null distributions of so many distinct values could be added up exactly, and are worth keeping.

    It holds of the items of a chunk wherever `exact_tails` has an answer for all of a run.
    """
    return float(np.log2(np.asarray(sizes, dtype=np.float64)).sum()) <= 2 * np.log2(CELLS)


def exact_tails(observed_sum: float, nulls: Sequence[Null]) -> Tails | None:
    """Exact p of the corpus permutation test, from the null distributions of all items; None if that is too much work.

    The items fall into two halves, the sums of each are listed (at most CELLS), and pairs of sums that are as extreme
    as the observed one are counted by bisection. Values closer than rounding errors count as equal.
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
    """Numbers of the items in two groups whose numbers of sums are near each other; None if one exceeds CELLS."""
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
    """All sums of one value of each, and the share of relabellings that has each sum."""
    sums, shares = np.zeros(1), np.ones(1)
    for null in nulls:
        sums = np.add.outer(sums, null.values).ravel()
        shares = np.multiply.outer(shares, null.counts / null.counts.sum()).ravel()
    return sums, shares
