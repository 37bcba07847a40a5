"""A share of pairs within items, with an interval and a test that treat whole items as units."""

from __future__ import annotations

import numpy as np

from metrics.analysis.judgments.correlation import Estimate
from metrics.bootstrap import LEAST, Interval
from metrics.mathematics.arrays import Floats, Integers
from metrics.permutation.pvalues import ALPHA
from metrics.permutation.sign_flips import Sides, sign_flips
from metrics.units import by_unit

HALF = 0.5


def share(leaning: Floats, unit: Integers, seed: int = 0) -> Estimate:
    """Return a share of n pairs with its 95 % interval, and the p of its difference from one half.

    `leaning` (n,) is 1 for a pair that belongs to the share, -1 for one that does not, and in between if the answers to
    a pair differ; NaN is left out. `unit` (n,) numbers the items, or clusters of items, of the pairs. p is two-sided,
    from sign flips of whole units: exact for up to 17 units that favour one side, and equal to the sign test if each
    unit has one pair.
    """
    known = np.isfinite(leaning)
    counted = (1 + leaning[known]) / 2
    hits, sizes = by_unit(np.stack([counted, np.ones(len(counted))], axis=1), unit[known]).T
    if not len(sizes):
        return Estimate(np.nan, np.nan, np.nan, np.nan, 0)
    sides = Sides(hits[:, None], (sizes - hits)[:, None], lambda sums: sums[..., 0])
    p = sign_flips([sides], seed=seed)[0].p_value
    return Estimate(float(hits.sum() / sizes.sum()), *share_interval(hits, sizes), p, int(sizes.sum()))


def share_interval(hits: Floats, sizes: Floats) -> Interval:
    """Return the 95 % interval of a share, from each unit's hits and number of pairs, both (units,).

    It is the exact binomial interval of Clopper and Pearson for the number of independent pairs that gives the same
    standard error as these units, adjusted by Student's t; if all units are equal, that number is the number of units.
    NaN with fewer than LEAST units. Korn and Graubard 1998 (Survey Methodology 24).
    """
    from scipy.stats import beta, t

    units, n = len(sizes), float(sizes.sum())
    if units < LEAST:
        return Interval(np.nan, np.nan)
    value = float(hits.sum() / n)
    variance = units / (units - 1) * float(((hits - value * sizes) ** 2).sum()) / n**2
    effective = float(units)
    if variance > 1e-12:
        tails = float(t.ppf(0.975, max(n - 1, 1)) / t.ppf(0.975, units - 1))
        effective = min(n, value * (1 - value) / variance * tails**2)
    x = effective * value
    low = float(beta.ppf(0.025, x, effective - x + 1)) if value > 0 else 0.0
    high = float(beta.ppf(0.975, x + 1, effective - x)) if value < 1 else 1.0
    return Interval(low, high)


def least_sure(units: int) -> float:
    """Return the smallest share above one half that differs from it at the 5 % level in `units` independent pairs.

    NaN if there is no such share.
    """
    from scipy.stats import binomtest

    enough = (hits for hits in range(units // 2, units + 1) if binomtest(hits, units).pvalue <= ALPHA)
    return next(enough, np.nan) / units
