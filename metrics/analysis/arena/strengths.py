"""Strengths of runs with simultaneous intervals over items, and how well the model fits each pair of runs."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from metrics.analysis.arena.davidson import Fit, fit
from metrics.analysis.arena.votes import EVEN, Places, Votes, places, sums
from metrics.analysis.run_differences import Pairs
from metrics.base import Undefined
from metrics.bootstrap import LEAST, LEVEL, Interval
from metrics.mathematics.arrays import Floats, Integers
from metrics.permutation.pvalues import holm

DRAWS = 10_000
"""Number of draws of the maximum deviation over all strengths and pairs."""
_AT_ONCE = 1 << 21
_NOTHING = 1e-9
"""Size, as a strength or as a share, below which a deviation is rounding error."""


@dataclass(frozen=True, eq=False)
class PairFit:
    """Pairs (p,) of ranked runs that were compared; `first` is the stronger run. Runs are positions in the study.

    `won`, `tied` and `lost` count the votes for the first run, neither run and the second, on `items` units.
    `observed` is the first run's share of the votes, a tie counting half; `expected` is the share that the model
    predicts for the same presentation orders. `p_model` tests whether the two differ, NaN where the model fits the pair
    by construction; `p_even` tests `observed` against one half. Both p are Holm-corrected across all pairs.
    """

    first: Integers
    second: Integers
    won: Floats
    tied: Floats
    lost: Floats
    items: Integers
    observed: Floats
    expected: Floats
    p_model: Floats
    p_even: Floats


@dataclass(frozen=True, eq=False)
class Standing:
    """The fitted model of the runs `ranked` (r,), positions in the study from strongest to weakest, with its intervals.

    `pairs` (r, r) are the differences between strengths with intervals and p-values; `low` and `high` (r,) are the ends
    of the intervals of the strengths around their mean. These intervals are simultaneous at 95 %, and NaN with too few
    units (`enough`). `order` is the separate interval of the order effect, NaN also if that effect is not estimated.
    `votes` are the votes on pairs of ranked runs, which are numbered by their position in `ranked`.
    """

    votes: Votes = field(repr=False)
    fit: Fit
    ranked: Integers
    places: Places
    pairs: Pairs
    low: Floats
    high: Floats
    order: Interval
    each: PairFit


def enough(runs: int) -> int:
    """Return the minimum number of units for intervals, which are too narrow with fewer than two units per run.

    See decision 039.
    """
    return max(LEAST, 2 * runs)


def standing(votes: Votes, seed: int = 0) -> Standing:
    """Return the strengths of the runs that the votes put on one scale.

    Covariances are sandwich estimates over units (White 1982, Liang and Zeger 1986), so votes on captions of one item
    may be dependent. The intervals of all strengths and pairs share one critical value: the 95th percentile of the
    largest deviation, in standard errors, of normal strengths with that covariance, divided by an independent estimate
    of the scale with units - 1 degrees of freedom (max-t; Hothorn, Bretz and Westfall 2008). If all n units agree on a
    difference, its standard error is zero and p is 2^(1 - n). Raises Undefined with the reason if no two runs are on
    one scale, and as `fit` does.
    """
    found = places(votes)
    if found.ranked.sum() < 2:
        raise Undefined("no two runs have each beaten the other, directly or through others")
    inside = votes.among(found.ranked)
    made = fit(inside)
    # Round, so that equal runs keep their order: the last digits of a fit differ between processors.
    order = np.argsort(-made.strengths.round(6), kind="stable")
    rank = np.argsort(order)
    inside = replace(inside, first=rank[inside.first], second=rank[inside.second]).oriented()
    moved = np.concatenate([order, np.arange(inside.runs, len(made.spread))])
    made = Fit(made.strengths[order], made.ties, made.order, made.ordered, made.spread[np.ix_(moved, moved)])
    ranked = np.flatnonzero(found.ranked)[order]
    pulls = _by_unit(inside, made.derivatives(inside)) @ made.spread
    pairs, low, high, effect = _intervals(made, pulls, inside.units, seed)
    return Standing(inside, made, ranked, found, pairs, low, high, effect, _pairs(inside, made, ranked))


def _by_unit(votes: Votes, rows: Floats) -> Floats:
    out = np.zeros((votes.units, rows.shape[1]))
    np.add.at(out, votes.unit, rows)
    return out


def _intervals(made: Fit, pulls: Floats, units: int, seed: int) -> tuple[Pairs, Floats, Floats, Interval]:
    from scipy.special import stdtrit

    n = len(made.strengths)
    value = made.strengths[:, None] - made.strengths
    nothing, none = np.full((n, n), np.nan), np.full(n, np.nan)
    if units < enough(n):
        return Pairs(value, nothing, nothing, nothing, np.zeros(n, dtype=bool)), none, none, Interval(np.nan, np.nan)
    covariance = pulls.T @ pulls * units / (units - 1)
    of_runs = covariance[:n, :n]
    own = np.diag(of_runs)
    error = np.sqrt(np.maximum(own[:, None] + own - 2 * of_runs, 0.0))
    deviations = _largest(of_runs, error, np.sqrt(own), units - 1, seed)
    factor = float(np.quantile(deviations, LEVEL, method="higher"))
    upper = np.triu_indices(n, 1)
    varies, gap = error[upper] > _NOTHING, np.abs(value[upper])
    beyond = DRAWS - np.searchsorted(np.sort(deviations), gap / np.where(varies, error[upper], 1.0))
    p = nothing.copy()
    agreed = np.where(gap > _NOTHING, 2.0 ** (1 - units), 1.0)
    p[upper] = np.where(varies, (1 + beyond) / (1 + DRAWS), agreed)
    p = np.fmax(p, p.T)
    reach = factor * error
    np.fill_diagonal(reach, np.nan)
    width = factor * np.sqrt(own)
    pairs = Pairs(value, value - reach, value + reach, p, np.ones(n, dtype=bool))
    effect = Interval(np.nan, np.nan)
    if made.ordered:
        half = float(-stdtrit(units - 1, (1 - LEVEL) / 2) * np.sqrt(covariance[n, n]))
        effect = Interval(made.order - half, made.order + half)
    return pairs, made.strengths - width, made.strengths + width, effect


def _largest(covariance: Floats, of_pairs: Floats, of_runs: Floats, freedom: int, seed: int) -> Floats:
    """(DRAWS,) maximum deviations over pairs and runs, in standard errors, of normal strengths with this covariance."""
    rng, n = np.random.default_rng(seed), len(covariance)
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    one, other = np.triu_indices(n, 1)
    errors, found = np.concatenate([of_pairs[one, other], of_runs]), []
    step = max(1, _AT_ONCE // len(errors))
    for start in range(0, DRAWS, step):
        drawn = rng.standard_normal((min(step, DRAWS - start), n)) @ root.T
        gaps = np.hstack([np.abs(drawn[:, one] - drawn[:, other]), np.abs(drawn)])
        found.append((gaps / np.where(errors > _NOTHING, errors, np.inf)).max(axis=1))
    return np.concatenate(found) / np.sqrt(rng.chisquare(freedom, DRAWS) / freedom)


def _pairs(votes: Votes, made: Fit, ranked: Integers) -> PairFit:
    from scipy.sparse import coo_array

    keys, pair = np.unique(np.stack([votes.first, votes.second]), axis=1, return_inverse=True)
    pair, size = pair.ravel(), keys.shape[1]
    won, tied, lost = (sums(pair, column, size) for column in (votes.won, votes.tied, votes.lost))
    total = won + tied + lost
    expected = made.win_rate(made.differences(votes)) * votes.total

    def over_units(rows: Floats) -> Any:
        return coo_array((rows, (votes.unit, pair)), shape=(votes.units, size)).tocsr()

    cast = over_units(votes.total)
    units = np.asarray(np.bincount(cast.indices, minlength=size), dtype=np.int64)
    rest, halves = over_units(votes.score - expected), over_units(votes.score - EVEN * votes.total)
    slopes = np.zeros((size, len(made.spread)))
    np.add.at(slopes, pair, made.expected_slopes(votes))
    lever = made.spread @ slopes.T
    scores = _by_unit(votes, made.derivatives(votes))
    own = np.asarray(rest.multiply(rest).sum(axis=0)).ravel()
    across = ((rest.T @ scores) * lever.T).sum(axis=1)
    fitted = ((scores.T @ scores @ lever) * lever).sum(axis=0)
    variance = own - 2 * across + fitted
    gap = np.asarray(rest.sum(axis=0)).ravel()
    free = variance > _NOTHING * own
    p_model = np.full(size, np.nan)
    p_model[free] = holm(_p(gap[free], variance[free], units[free]))
    even = np.asarray(halves.sum(axis=0)).ravel()
    p_even = holm(_p(even, np.asarray(halves.multiply(halves).sum(axis=0)).ravel(), units))
    score = won + tied / 2
    return PairFit(
        ranked[keys[0]],
        ranked[keys[1]],
        won,
        tied,
        lost,
        units,
        score / total,
        sums(pair, expected, size) / total,
        p_model,
        p_even,
    )


def _p(gap: Floats, variance: Floats, units: Integers) -> Floats:
    """Two-sided p of sums over n units, never below 2^(1 - n), the p of n units that all agree."""
    from scipy.special import ndtr

    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.where(variance > 0, np.abs(gap) / np.sqrt(variance), 0.0)
    return np.asarray(np.maximum(2 * ndtr(-z), 2.0 ** (1 - np.maximum(units, 1))))
