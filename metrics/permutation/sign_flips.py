"""Randomisation test of two runs: under the null hypothesis, their values for any item could be swapped."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from metrics.mathematics.arrays import Floats, Labels
from metrics.permutation.item_test import BUDGET, DRAWS
from metrics.units import Units, by_unit

_CELLS_AT_ONCE = 1 << 22
Finish = Callable[[Floats], Floats]


class Sides(NamedTuple):
    """Sufficient statistics (n, k) of two runs, the function from a sum (.., k) to a value, and weights (n, 2).

    The weights are the numbers of candidates behind each side's statistics if these are sums over candidates; None if
    all items have equal weights.
    """

    first: Floats
    second: Floats
    finish: Finish
    weights: Floats | None = None


@dataclass(frozen=True)
class SignFlip:
    """The p of the randomisation test, its floor, whether all assignments were tried, and the number tried."""

    p_value: float = np.nan
    floor: float = np.nan
    exact: bool = False
    tried: int = 0


def sign_flips(
    pairs: Sequence[Sides], draws: int = DRAWS, budget: int = BUDGET, seed: int = 0, unit: Units = None
) -> list[SignFlip]:
    """Return two-sided randomisation tests: under the null hypothesis, two runs' values for an item are exchangeable.

    All `pairs` have the same n. The statistic is the difference of the two corpus values after swapping the runs'
    values for some items; for a mean this is the sign-flip test. Swapped statistics take the weight of the side they
    are moved to: those of a run with one candidate per item count ten times when moved to a run with ten. If the
    weights vary between items, the weighting itself also changes the values; half the difference between an assignment
    and its opposite is free of this effect, and with equal weights it is the difference itself. Items of one `unit`
    (n,) are swapped together.

    All assignments are tried if there are at most `budget` (p = share at least as extreme; the floor is 2 / 2^m for m
    units that differ), otherwise `draws` random assignments (p = (b + 1) / (draws + 1)), the same for every test.
    Values that differ by less than rounding errors are equal. Fisher 1935, section 21; Noreen 1989, chapter 2
    (approximate randomisation).
    """
    out = [SignFlip()] * len(pairs)
    moves = [by_unit(_moves(pair), unit) for pair in pairs]
    moving = [np.flatnonzero(np.any(move != 0, axis=1)) for move in moves]
    sampled = [k for k, rows in enumerate(moving) if len(rows) > np.log2(budget)]
    for k, rows in enumerate(moving):
        if k not in sampled:
            extreme = _extreme(pairs[k], moves[k], every_sign(len(rows)) @ moves[k][rows])
            floor = 2.0 / 2 ** max(len(rows), 1)
            out[k] = SignFlip(float(extreme.mean()), floor, True, len(extreme))
    if sampled:
        wide = np.hstack([moves[k] for k in sampled])
        swings = np.concatenate([signs @ wide for signs in random_signs(len(wide), draws, seed)])
        ends = np.cumsum([moves[k].shape[1] for k in sampled])[:-1]
        for k, swing in zip(sampled, np.split(swings, ends, axis=1)):
            extreme = _extreme(pairs[k], moves[k], swing)
            out[k] = SignFlip((int(extreme.sum()) + 1) / (draws + 1), 1 / (draws + 1), False, draws)
    return out


def _moves(pair: Sides) -> Floats:
    """(n, k) first minus second; with unequal weights, (n, 2 k) each side minus the other scaled to its weight."""
    first, second, _, weights = pair
    if weights is None or (weights[:, 0] == weights[:, 1]).all():
        return first - second
    # Items of equal weights must give bitwise the same result as without weights.
    own, other = np.where(weights[:, :1] == weights[:, 1:], 1.0, weights).T[:, :, None]
    crossed = first * other - second * own
    return np.hstack([crossed / other, -crossed / own])


def _extreme(pair: Sides, moves: Floats, swing: Floats) -> Labels:
    """(assignments,) whether the statistic is at least as large as observed; `swing` is the sum of sign * moves."""
    middle = np.concatenate([pair.first.sum(axis=0), pair.second.sum(axis=0)])
    middle = middle - _both(moves.sum(axis=0), len(middle)) / 2

    def statistic(swung: Floats) -> Floats:
        def gap(sign: int) -> Floats:
            sums = middle + sign * _both(swung, len(middle)) / 2
            k = len(middle) // 2
            return pair.finish(sums[..., :k]) - pair.finish(sums[..., k:])

        return np.abs(gap(1) - gap(-1)) / 2

    values, observed = statistic(swing), float(statistic(moves.sum(axis=0)))
    guard = 1e-9 * observed + 1e-12 * float(values.max(initial=0.0))
    return np.asarray(values >= observed - guard)


def _both(moved: Floats, width: int) -> Floats:
    """(.., width) changes of both sides: with equal weights the second side loses what the first gains."""
    return moved if moved.shape[-1] == width else np.concatenate([moved, -moved], axis=-1)


def every_sign(m: int) -> Floats:
    """Return all (2^m, m) assignments of +1 and -1."""
    bits = (np.arange(1 << m)[:, None] >> np.arange(m)) & 1
    return np.asarray(1 - 2 * bits, dtype=np.float64)


def random_signs(n: int, draws: int, seed: int) -> Iterator[Floats]:
    """Yield (rows, n) random +1 and -1 in blocks, with `draws` rows in total."""
    rng = np.random.default_rng(seed)
    rows = max(_CELLS_AT_ONCE // max(n, 1), 1)
    for start in range(0, draws, rows):
        size = min(rows, draws - start)
        bits = np.unpackbits(np.frombuffer(rng.bytes(-(-size * n // 8)), dtype=np.uint8), count=size * n)
        yield 1 - 2 * bits.reshape(size, n).astype(np.float64)
