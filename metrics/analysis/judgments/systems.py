"""Agreement with people over whole systems: correlations with permutation tests, pairs, and each system's influence."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from metrics.analysis.judgments import correlation as ranked
from metrics.analysis.judgments.correlation import Estimate, correlations
from metrics.bootstrap import LEAST, bootstrap_weights, known_interval
from metrics.mathematics.arrays import Floats, Integers
from metrics.mathematics.compiled import compiled

ACCURACY = "pairwise_accuracy"
STATISTICS = ("pearson", "spearman", "kendall_tau_b", "kendall_tau_c", ACCURACY)
EXACT = 9
"""Maximum number of systems for which all permutations are enumerated: 9! = 362,880."""
DRAWS = 99_999
RESAMPLES = 2_000
FEWEST = 3
"""Minimum number of systems for a correlation: two always lie on a line."""
_GUARD = 1e-9


class SystemAgreement(NamedTuple):
    """The estimates of `STATISTICS`, and Pearson's r without each one of the systems (n,)."""

    of: dict[str, Estimate]
    without: Floats


def agreement(x: Floats, y: Floats, seed: int = 0) -> SystemAgreement:
    """Return how far the values x (n,) of systems agree with the ratings y (n,).

    p is two-sided, by permutation of the ratings over the systems: exact for up to 9 systems, otherwise from 99,999
    random permutations and the observed order. Intervals come from a bootstrap over systems, with at least 6 systems.
    Pairwise accuracy leaves out pairs of systems with equal ratings and counts a tie by the metric half (Kocmi et al.
    2021); its p is that of tau-b. All statistics are NaN for fewer than 3 systems.
    """
    n = len(x)
    if n < FEWEST:
        nothing = Estimate(np.nan, np.nan, np.nan, np.nan, n)
        return SystemAgreement(dict.fromkeys(STATISTICS, nothing), np.full(n, np.nan))
    both = correlations(x, y, np.arange(n), n, RESAMPLES, seed)
    value, boot = dict(zip(ranked.STATISTICS, both.value)), dict(zip(ranked.STATISTICS, both.boot))
    value[ACCURACY], boot[ACCURACY] = _accuracy(x, y, np.ones((1, n)))[0], _drawn_accuracy(x, y, seed)
    pearson, spearman, tau = _p_values(x, y, seed)
    p_of = {"pearson": pearson, "spearman": spearman}
    found = {}
    for name in STATISTICS:
        low, high = known_interval(boot[name], n, 0.9)
        p = p_of.get(name, tau) if np.isfinite(value[name]) else np.nan
        found[name] = Estimate(float(value[name]), low, high, p, n)
    without = np.array([_pearson(np.delete(x, k), np.delete(y, k)) for k in range(n)])
    return SystemAgreement(found, without)


def _drawn_accuracy(x: Floats, y: Floats, seed: int) -> Floats:
    if len(x) < LEAST:
        return np.full(RESAMPLES, np.nan)
    return np.concatenate([_accuracy(x, y, block) for block in bootstrap_weights(len(x), RESAMPLES, seed)])


def _accuracy(x: Floats, y: Floats, weights: Floats) -> Floats:
    """(rows,) share of pairs of systems in people's order, weighted by the multiplicities of systems (rows, n).

    NaN in rows without a decided pair.
    """
    one, other = np.triu_indices(len(x), 1)
    by, of = np.sign(x[one] - x[other]), np.sign(y[one] - y[other])
    drawn = weights[:, one] * weights[:, other]
    with np.errstate(divide="ignore", invalid="ignore"):
        decided = (of != 0).astype(np.float64)
        return np.asarray(drawn @ ((by * of + 1) / 2 * decided) / (drawn @ decided))


def williams(with_first: float, with_second: float, between: float, n: int) -> float:
    """Return the two-sided p for equal correlations of two metrics with the ratings of n systems (Williams' t-test).

    The test has n - 3 degrees of freedom. `between` is the correlation of the two metrics. NaN for fewer than 4 systems
    or an undefined correlation. Williams 1959; Graham and Baldwin 2014.
    """
    from scipy.stats import t

    if n < 4 or not np.isfinite([with_first, with_second, between]).all():
        return float("nan")
    gap, mean = with_first - with_second, (with_first + with_second) / 2
    rest = 1 - with_first**2 - with_second**2 - between**2 + 2 * with_first * with_second * between
    below = 2 * max(rest, 0.0) * (n - 1) / (n - 3) + mean**2 * (1 - between) ** 3
    if below <= _GUARD:
        return 1.0 if abs(gap) <= _GUARD else 0.0
    return float(2 * t.sf(abs(gap) * np.sqrt((n - 1) * (1 + between) / below), n - 3))


def _p_values(x: Floats, y: Floats, seed: int) -> tuple[float, float, float]:
    """Permutation p of Pearson, Spearman and tau-b; tau-c and accuracy have the p of tau-b."""
    ranks = _ranks(x), _ranks(y)
    values = np.stack([x - x.mean(), y - y.mean(), ranks[0] - ranks[0].mean(), ranks[1] - ranks[1].mean()])
    signs = np.stack([np.sign(side[:, None] - side) for side in (x, y)])
    observed = _sums(values, signs, np.arange(len(x))[None])[0]
    limits = np.abs(observed) * (1 - _GUARD)
    orders = _orders(len(x), seed)
    beyond = (np.abs(_sums(values, signs, orders)) >= limits).sum(axis=0)
    extra = 0 if len(x) <= EXACT else 1
    pearson, spearman, tau = (beyond + extra) / (len(orders) + extra)
    return float(pearson), float(spearman), float(tau)


@compiled
def _sums(values, signs, orders):  # type: ignore[no-untyped-def]
    out = np.zeros((len(orders), 3))
    n = values.shape[1]
    for row in range(len(orders)):
        order = orders[row]
        for i in range(n):
            out[row, 0] += values[0, i] * values[1, order[i]]
            out[row, 1] += values[2, i] * values[3, order[i]]
            for j in range(i):
                out[row, 2] += signs[0, i, j] * signs[1, order[i], order[j]]
    return out


@lru_cache(4)
def _orders(n: int, seed: int) -> Integers:
    if n > EXACT:
        return np.argsort(np.random.default_rng(seed).random((DRAWS, n)), axis=1)
    orders = np.zeros((1, 1), dtype=np.int64)
    for size in range(2, n + 1):
        places = [np.insert(orders, place, size - 1, axis=1) for place in range(size)]
        orders = np.concatenate(places)
    return orders


def _pearson(x: Floats, y: Floats) -> float:
    a, b = x - x.mean(), y - y.mean()
    spread = float(a @ a) * float(b @ b)
    return float(a @ b) / np.sqrt(spread) if spread > 0 else float("nan")


def _ranks(values: Floats) -> Floats:
    from scipy.stats import rankdata

    return np.asarray(rankdata(values), dtype=np.float64)
