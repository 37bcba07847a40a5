"""Simulate votes on pairs of runs with known strengths."""

from __future__ import annotations

import numpy as np

from metrics.analysis.arena.votes import Votes
from metrics.mathematics.arrays import Floats


def drawn(
    rng: np.random.Generator,
    strengths: Floats,
    items: int,
    each: int,
    ties: float = 0.0,
    order: float | None = None,
) -> Votes:
    """Draw `each` votes per item on random pairs of runs.

    `ties` is the weight of a tie. With `order`, the effect of being shown first, votes state which run was shown first;
    without it, they do not.
    """
    runs, unit = len(strengths), np.repeat(np.arange(items), each)
    first = rng.integers(runs, size=len(unit))
    second = (first + 1 + rng.integers(runs - 1, size=len(unit))) % runs
    shown = np.zeros(len(unit), dtype=np.int64) if order is None else rng.choice([-1, 1], size=len(unit))
    gap = strengths[first] - strengths[second] + (order or 0.0) * shown
    odds = np.stack([np.exp(gap / 2), np.full(len(unit), ties), np.exp(-gap / 2)])
    at = (rng.random(len(unit)) * odds.sum(axis=0) > odds.cumsum(axis=0)).sum(axis=0)
    won, tied, lost = (np.asarray(at == k, dtype=np.float64) for k in range(3))
    return Votes(first, second, won, tied, lost, shown, unit, runs)


def ranked(rng: np.random.Generator, strengths: Floats, items: int) -> Votes:
    """Draw a ranking of the runs for each item (Plackett-Luce); return all of its pairs, which follow Bradley-Terry."""
    runs = len(strengths)
    liked = strengths + rng.gumbel(size=(items, runs))
    one, other = np.triu_indices(runs, 1)
    won = np.asarray(liked[:, one] > liked[:, other], dtype=np.float64).ravel()
    unit, none = np.repeat(np.arange(items), len(one)), np.zeros(items * len(one))
    sides = np.tile(one, items), np.tile(other, items)
    return Votes(*sides, won, none, 1 - won, none.astype(np.int64), unit, runs)


def votes(*rows: tuple[int, int, float, float, float, int, int], runs: int = 0) -> Votes:
    first, second, won, tied, lost, shown, unit = zip(*rows)
    whole, real = (lambda column: np.array(column, dtype=np.int64)), (lambda column: np.array(column, dtype=float))
    size = runs or max(*first, *second) + 1
    return Votes(whole(first), whole(second), real(won), real(tied), real(lost), whole(shown), whole(unit), size)
