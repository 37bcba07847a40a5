"""Simulate judges: a steady one, a coin, and judges biased by position or by length."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from metrics.mathematics.arrays import Floats, Integers

JUDGES = ("steady", "coin", "leaning", "position", "length")


class Compared(NamedTuple):
    """Answers (n,) on pairs in both orders; also the pairs' differences in length, `gap`, and their items, `unit`
    (pairs,).
    """

    outcome: Floats
    pair: Integers
    swapped: Integers
    gap: Floats
    unit: Integers


def compared(
    rng: np.random.Generator, judge: str, items: int, pairs: int = 3, repeats: int = 1, ties: float = 0.0
) -> Compared:
    """Return a judge's answers.

    A leaning coin prefers one position in all pairs of an item; both positions are equally likely.
    """
    n = items * pairs
    gap = rng.integers(-4, 5, n).astype(float)
    better = rng.normal(size=n)
    leaning = np.repeat(rng.choice([-0.8, 0.8], items), pairs)
    shape = (n, 2, repeats)
    toward = np.array([1.0, -1.0])[:, None]  # the first caption wins in first place; reversed in the second order
    noise = rng.normal(size=shape)
    said = {
        "steady": toward * (3 * better[:, None, None]) + noise,
        "coin": noise,
        "leaning": noise + leaning[:, None, None],
        "position": np.ones(shape),
        "length": toward * (gap[:, None, None] + 0.0 * noise) + np.where(gap == 0, 1, 0)[:, None, None] * noise,
    }[judge]
    outcome = np.where(rng.random(shape) < ties, 0.0, np.sign(said))
    pair = np.broadcast_to(np.arange(n)[:, None, None], shape).ravel()
    swapped = np.broadcast_to(np.arange(2)[:, None], shape).ravel()
    return Compared(outcome.ravel(), pair, swapped, gap, np.repeat(np.arange(items), pairs))


def scored(
    rng: np.random.Generator, judge: str, items: int, captions: int = 3, repeats: int = 2
) -> tuple[Floats, Integers, Integers, Integers]:
    """Return scores of captions (0 to 100 in steps of 5), with the question, the item and the number of words of each
    score.
    """
    words = rng.integers(6, 16, (items, captions, 1))
    hard = 10 * rng.normal(size=(items, 1, 1))
    own = {"steady": 15 * rng.normal(size=words.shape) + hard, "coin": 0 * hard, "length": 4 * (words - 10) + hard}
    value = 50 + own[judge] + (15 if judge == "coin" else 5) * rng.normal(size=(items, captions, repeats))
    score = np.clip(5 * np.round(value / 5), 0, 100)
    question = np.repeat(np.arange(items * captions), repeats)
    return score.ravel(), question, np.repeat(np.arange(items), captions * repeats), np.repeat(words.ravel(), repeats)
