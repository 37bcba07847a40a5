"""Pairs of captions that a judge compared in both orders: position effect and length effect."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from metrics.analysis.judging.shares import share
from metrics.analysis.judgments.correlation import Estimate
from metrics.mathematics.arrays import Floats, Integers


class Orders(NamedTuple):
    """Pairs presented in both orders, all (pairs,): the preference for the first caption in each order, from 1 to -1.

    `forward` is the mean over decided answers for which the first caption was shown first, `backward` over those for
    which it was shown second; NaN without decided answers. `pair` is the number of the pair.
    """

    forward: Floats
    backward: Floats
    pair: Integers


def both_orders(outcome: Floats, pair: Integers, swapped: Integers) -> Orders:
    """Return the pairs that were presented in both orders, from answers (n,).

    `outcome` is 1 if the caption shown first won, -1 if the one shown second won, 0 for a tie; `pair` is the number of
    the pair; `swapped` is 1 if the pair's second caption was shown first, else 0.
    """
    pairs, of = np.unique(pair, return_inverse=True)
    cell = of.ravel() * 2 + swapped
    toward = np.where(swapped == 1, -outcome, outcome)
    asked = np.bincount(cell, minlength=2 * len(pairs)).reshape(-1, 2)
    won = np.bincount(cell, toward, 2 * len(pairs)).reshape(-1, 2)
    decided = np.bincount(cell, outcome != 0, 2 * len(pairs)).reshape(-1, 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        balance = np.where(decided > 0, won / decided, np.nan)
    both = (asked > 0).all(axis=1)
    return Orders(balance[both, 0], balance[both, 1], pairs[both])


def first_place(orders: Orders, unit: Integers, seed: int = 0) -> Estimate:
    """Return how often the caption shown first wins, weighting both orders equally, and the p for a position effect."""
    return share((orders.forward - orders.backward) / 2, unit, seed)


def agreement(orders: Orders, unit: Integers, seed: int = 0) -> Estimate:
    """Return how often the answers in both orders prefer the same caption, and the p against random answers.

    Random answers agree in half of the pairs, answers determined by position in none.
    """
    return share(orders.forward * orders.backward, unit, seed)


def longer(orders: Orders, gap: Floats, unit: Integers, seed: int = 0) -> Estimate:
    """Return how often the longer caption wins, weighting both orders equally, and the p for a length effect.

    `gap` (pairs,) is the length of the first caption minus that of the second; pairs of equal length are left out.
    """
    preferred = (orders.forward + orders.backward) / 2
    return share(np.where(gap == 0, np.nan, np.sign(gap) * preferred), unit, seed)
