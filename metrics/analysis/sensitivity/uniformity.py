"""Uniformity of p-values: a Kolmogorov-Smirnov test for discrete p-values, each with its own possible values."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from metrics.mathematics.arrays import Floats
from metrics.permutation.item_test import PermutationResult

SIMULATIONS = 499


class Uniformity(NamedTuple):
    """The maximum distance of the distribution of `n` p-values from their null distribution, and its p-value."""

    statistic: float
    p_value: float
    n: int


def simulated(test: PermutationResult, simulations: int, rng: np.random.Generator) -> Floats:
    """Return p-values (simulations,) of one item with random labels; floating-point errors do not break ties."""
    null = test.null if test.alternative == "greater" else -test.null
    values = np.sort(null)[::-1]
    guard = 1e-9 * np.abs(values[1:]) + 1e-12 * float(np.abs(values).max(initial=0.0))
    ends = np.append(np.flatnonzero(values[:-1] - values[1:] > guard), len(values) - 1) + 1
    more = 0 if test.exact else 1
    reached = (ends + more) / (len(values) + more)
    return np.asarray(reached[np.searchsorted(ends, rng.integers(1, len(values) + 1, simulations))])


def uniformity(p: Floats, simulations: Floats) -> Uniformity:
    """Return a test of whether items' p-values (n,) are distributed like their `simulations` (n, draws).

    D is the maximum, over all x, of the distance between the share of p-values up to x and the mean share over all
    simulations. A discrete p-value is not uniform on 0..1, but over its possible values, which the simulations share;
    the p-value is the share of simulations with at least the observed D, including the observed one (Dufour and Farhat
    2001). NaN with fewer than two items.
    """
    known = ~np.isnan(p)
    p, drawn = p[known].astype(np.float32), simulations[known].astype(np.float32)
    if len(p) < 2:
        return Uniformity(np.nan, np.nan, len(p))
    at = np.unique(drawn)
    at = at if len(at) <= 2_000 else np.quantile(at, np.linspace(0, 1, 2_000))
    columns = np.column_stack([p, drawn])
    shares = np.stack([np.searchsorted(np.sort(column), at * (1 + 1e-6), side="right") for column in columns.T]) / len(
        p
    )
    far = np.abs(shares - shares.mean(axis=0)).max(axis=1)
    extreme = int(np.count_nonzero(far[1:] >= far[0] - 1e-12)) + 1
    return Uniformity(float(far[0]), extreme / len(far), len(p))
