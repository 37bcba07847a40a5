"""Dominance of runs on two axes: the front, how certain it is, and the gaps below it, as functions of arrays.

Arrays named `quality` and `diversity` are oriented so that higher is better or more diverse. A run *dominates* another
if it is at least as good on both axes and better on one; the *front* is the set of runs that no run dominates.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metrics.analysis import run_differences
from metrics.mathematics.arrays import Floats, Integers
from metrics.permutation.pvalues import ALPHA

Mask = NDArray[np.bool_]
Judged = tuple[Floats, Floats, Integers]
"""One axis: values (runs,), resampled values (runs, resamples), item sets (runs,) as in `run_differences.item_sets`."""
_CELLS_AT_ONCE = 1 << 21


def dominates(quality: Floats, diversity: Floats) -> Mask:
    """Return (runs, runs, ...) True where the first run dominates the second; both arguments are (runs, ...)."""
    q, d = quality[:, None], diversity[:, None]
    above: Mask = (q >= quality) & (d >= diversity) & ((q > quality) | (d > diversity))
    return above


def on_front(above: Mask, quality: Floats, diversity: Floats) -> Mask:
    """Return (runs, ...) True where no run dominates the run; False for a run without a value."""
    free: Mask = ~np.any(above, axis=0) & np.isfinite(quality) & np.isfinite(diversity)
    return free


def on_front_for_sure(
    quality: Judged,
    diversity: Judged,
    items: Integers,
    seeds: Sequence[run_differences.SeedVariance | None] = (None, None),
) -> Integers:
    """Return (runs,) 1 for runs that are certainly on the front, -1 for runs that certainly are not, 0 for the rest.

    `items` (runs,) counts the items behind each run; `seeds` is the contribution of seeds to the variance on each axis.
    A run is certainly on the front if it is significantly ahead of every other run on one axis or the other, and
    certainly not if some run is significantly ahead of it on both. The tests are corrected across all pairs of runs and
    both axes, so the probability of any error is at most about 5 % (decision 016).
    """
    ahead = []
    for (values, boot, sets), of_seeds in zip((quality, diversity), seeds):
        pairs = run_differences.all_pairs(values, boot, items, sets, of_seeds)
        ahead.append((pairs.p <= ALPHA / 2) & (pairs.value > 0))
    free = ahead[0] | ahead[1] | np.eye(len(items), dtype=bool)
    beaten = (ahead[0] & ahead[1]).any(axis=0)
    return np.asarray(free.all(axis=1).astype(np.int64) - beaten)


def gaps(quality: Floats, diversity: Floats) -> Floats:
    """Return the best quality among runs at least as diverse as each run, minus the run's own: 0 on the front.

    The result is (runs, ...), NaN for a run without both values.
    """
    able = np.isfinite(quality)[:, None] & (diversity[:, None] >= diversity)
    best = np.where(able, quality[:, None], -np.inf).max(axis=0, initial=-np.inf)
    return np.where(np.isfinite(quality) & np.isfinite(best), best, np.nan) - quality


@dataclass(frozen=True)
class Resampled:
    """Dominance over resamples.

    `share` (runs,) is the share of resamples in which a run is on the front, and `dominance` (runs, runs) the share in
    which the row dominates the column. `agreed` contains one array (resamples,) for each metric that might sum up both
    axes in a single number: its `agreement` with the dominance pairs of each resample.
    """

    share: Floats
    dominance: Floats
    agreed: list[Floats]


def resample(quality: Floats, diversity: Floats, singles: Sequence[Floats]) -> Resampled:
    """Return dominance over resamples, from arrays (runs, resamples); shares of a run with NaN resamples are NaN."""
    n, draws = quality.shape
    known = _complete(quality) & _complete(diversity)
    share, dominance = np.zeros(n), np.zeros((n, n))
    agreed = [np.full(draws, np.nan) for _ in singles]
    for block in _blocks(n, draws):
        q, d = quality[:, block], diversity[:, block]
        above = dominates(q, d)
        share += on_front(above, q, d).sum(axis=1)
        dominance += above.sum(axis=2)
        for of, single in zip(agreed, singles):
            of[block] = agreement(above, single[:, block])
    both = known[:, None] & known
    return Resampled(
        np.where(known, share / max(draws, 1), np.nan), np.where(both, dominance / max(draws, 1), np.nan), agreed
    )


def agreement(above: Mask, score: Floats) -> Floats:
    """Return the share (...) of dominance pairs (runs, runs, ...) that `score` (runs, ...) orders in the same way.

    Pairs with a missing score are left out; a tie counts half. NaN without pairs.
    """
    alike, pairs = alike_pairs(above, score)
    with np.errstate(invalid="ignore", divide="ignore"):
        return alike / pairs


def alike_pairs(above: Mask, score: Floats) -> tuple[Floats, Floats]:
    """Return the numbers (...) of pairs in `above` that `score` orders alike, and of all pairs with scores.

    A tie counts half.
    """
    first, second = score[:, None], score[None]
    asked = above & np.isfinite(first) & np.isfinite(second)
    alike = (asked & (first > second)).sum(axis=(0, 1)) + 0.5 * (asked & (first == second)).sum(axis=(0, 1))
    return alike, asked.sum(axis=(0, 1)).astype(float)


def _complete(drawn: Floats) -> Mask:
    return np.asarray(np.isfinite(drawn).all(axis=1))


def _blocks(runs: int, draws: int) -> Iterator[slice]:
    step = max(_CELLS_AT_ONCE // max(runs, 1) ** 2, 1)
    return (slice(start, start + step) for start in range(0, draws, step))
