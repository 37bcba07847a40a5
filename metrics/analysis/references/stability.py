"""How much a choice of references moves scores and the order of runs (Zhu et al. 2020, figure 2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metrics.analysis.references import DRAWS
from metrics.analysis.references.totals import SubsetTotals, comparable
from metrics.arrays import Floats, Labels

STEADY_PAIRS, STEADY_WINNER = 0.05, 0.95
"""The order is steady where at most this share of pairs swap, and the winner stays in at least this share of draws."""


@dataclass(frozen=True)
class Stability:
    """One metric, by the size of the subsets.

    `mean`, `sd` (sizes, runs): corpus values over the draws of references, on the same `n` items; `full` (runs,) with
    all references. Against the order with all references: `swapped` (sizes,) the mean share of pairs of runs whose
    order is reversed (a tie counts half), `order_differs` and `winner_differs` (sizes,) the share of draws.
    """

    metric: str
    sizes: tuple[int, ...]
    draws: int
    n: int
    mean: Floats
    sd: Floats
    full: Floats
    swapped: Floats
    order_differs: Floats
    winner_differs: Floats

    @property
    def steady(self) -> int | None:
        """The least size from which on the order is steady; None if there is none below all references."""
        return self._from((self.swapped <= STEADY_PAIRS) & (1 - self.winner_differs >= STEADY_WINNER))

    @property
    def same_winner(self) -> int | None:
        """The least size from which on the winner is the one with all references; None if there is none below all."""
        return self._from(1 - self.winner_differs >= STEADY_WINNER)

    def _from(self, good: Labels) -> int | None:
        return next((size for place, size in enumerate(self.sizes) if good[place:].all()), None)

    @property
    def spread(self) -> Floats:
        """(sizes,) standard deviation of a run's score over the draws, as a share of the score; the mean over runs."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray((self.sd / np.abs(self.mean)).mean(axis=1))


def drawn_values(found: SubsetTotals, name: str, size: int, draws: int, seed: int = 0) -> Floats:
    """(draws, runs) corpus values; each draw takes one subset of every item, the same for all runs."""
    metric, totals = found.metric(name), found.by_size[name, size]
    rng = np.random.default_rng([seed, size])
    places = np.arange(totals.shape[1])
    picks = rng.integers(0, totals.shape[2], (draws, totals.shape[1]))
    sums = np.stack([totals[:, places, pick].sum(axis=1) for pick in picks])
    return np.asarray(metric.finish(sums), dtype=float)


def stability(found: SubsetTotals, name: str, draws: int = DRAWS, seed: int = 0) -> Stability:
    """Return how one metric moves with the choice of references, for every size below all of them."""
    own = comparable(found, name)
    higher = own.metric(name).higher_is_better
    sizes = own.design.sizes[:-1]
    full = drawn_values(own, name, own.design.count, 1, seed)[0]
    values = np.stack([drawn_values(own, name, size, draws, seed) for size in sizes])
    orders = [_against(drawn if higher else -drawn, full if higher else -full) for drawn in values]
    swapped, order, winner = np.array(orders).reshape(len(sizes), 3).T
    spread = values.std(axis=1, ddof=1) if draws > 1 else np.full(values[:, 0].shape, np.nan)
    return Stability(
        name, sizes, draws, len(own.design.items), values.mean(axis=1), spread, full, swapped, order, winner
    )


def _against(drawn: Floats, full: Floats) -> tuple[float, float, float]:
    """Return the share of pairs swapped, of draws with another order, and of draws with another winner."""
    if len(full) < 2:
        return (np.nan,) * 3
    first, second = np.triu_indices(len(full), 1)
    expected = np.sign(full[first] - full[second])
    got = np.sign(drawn[:, first] - drawn[:, second])
    judged = expected != 0
    apart = np.where(got == 0, 0.5, got != expected)[:, judged]
    pairs = float(apart.mean()) if judged.any() else 0.0
    winner = full[np.argmax(drawn, axis=1)] != full.max()
    return pairs, float((apart > 0).any(axis=1).mean()), float(winner.mean())
