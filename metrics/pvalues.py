"""p-values of several tests: harmonic mean, Holm's correction, and a permutation test of the corpus."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from metrics._checks import check_finite
from metrics.arrays import Alternative, Floats
from metrics.permutation import DRAWS

ALPHA = 0.05
"""Level of a test: where p is at most this, a difference is called sure."""
LANDAU_LOCATION = 0.874367
"""Location of the limit of the mean of 1 / p, less log L: Wilson 2019."""


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
