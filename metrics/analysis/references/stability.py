"""How much the choice of references changes scores and the order of runs (Zhu et al. 2020, figure 2).

Two disjoint choices of equally many references of the same images are compared. Choices that share captions, such as
four of five and all five, would agree for that reason alone, even on equal runs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metrics.analysis import run_differences
from metrics.analysis.references import DRAWS
from metrics.analysis.references.subset_totals import SubsetTotals, comparable
from metrics.bootstrap import bootstrap_totals
from metrics.mathematics.arrays import Floats, Labels

STEADY_PAIRS, STEADY_WINNER = 0.05, 0.95
"""Maximum share of swapped pairs in a steady order, and minimum share of draws in which a steady winner stays."""


@dataclass(frozen=True)
class Stability:
    """One metric, by the size of the subsets, up to half of the references.

    `mean` and `sd` (sizes, runs) are taken over corpus values from draws of references, on the same `n` items; `full`
    (runs,) are the values with all references. `pairs` is the number of pairs of runs that differ significantly with
    all references, by tests corrected across all pairs; `judged` (runs, runs) marks these, or all pairs if none
    differs. Between two disjoint draws, `swapped` (sizes,) is the mean share of judged pairs whose order is reversed (a
    tie counts half), `order_differs` the share of draws with any such pair, and `winner_differs` the share in which the
    two winners are such a pair.
    """

    metric: str
    sizes: tuple[int, ...]
    draws: int
    n: int
    mean: Floats
    sd: Floats
    full: Floats
    pairs: int
    judged: Labels
    swapped: Floats
    order_differs: Floats
    winner_differs: Floats

    @property
    def steady(self) -> int | None:
        """The smallest size from which the order is steady; None without such a size or a significant order."""
        return self._from((self.swapped <= STEADY_PAIRS) & (1 - self.winner_differs >= STEADY_WINNER))

    @property
    def same_winner(self) -> int | None:
        """The smallest size from which the winner stays the same; None without such a size or a significant order."""
        return self._from(1 - self.winner_differs >= STEADY_WINNER)

    def _from(self, good: Labels) -> int | None:
        if not self.pairs:
            return None
        return next((size for place, size in enumerate(self.sizes) if good[place:].all()), None)

    @property
    def spread(self) -> Floats:
        """(sizes,) coefficient of variation of a run's score over the draws, averaged over runs; NaN if a mean is 0."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray((self.sd / np.abs(self.mean)).mean(axis=1))


def drawn_values(found: SubsetTotals, name: str, size: int, draws: int, seed: int = 0) -> Floats:
    """Return corpus values (2, draws, runs): in each draw, those by two disjoint subsets of each item's references.

    The subsets are the same for all runs.
    """
    metric, totals = found.metric(name), found.by_size[name, size]
    rng = np.random.default_rng([seed, size])
    items, pairs = np.arange(totals.shape[1]), found.design.disjoint(size)
    picks = rng.permuted(pairs[rng.integers(0, len(pairs), (draws, len(items)))], axis=2)
    sums = np.stack([[totals[:, items, side].sum(axis=1) for side in pick.T] for pick in picks], axis=1)
    return np.asarray(metric.finish(sums), dtype=float)


def stability(found: SubsetTotals, name: str, draws: int = DRAWS, seed: int = 0) -> Stability:
    """Return how much one metric varies with the choice of references, for every number up to half of them."""
    own = comparable(found, name)
    metric, count = own.metric(name), own.design.count
    sizes = tuple(size for size in own.design.sizes if 2 * size <= count)
    whole = own.by_size[name, count][:, :, 0]
    full, differ = np.asarray(metric.finish(whole.sum(axis=1)), dtype=float), _differ(own, name)
    judged = differ if differ.any() else ~np.eye(len(full), dtype=bool)
    values = np.stack([drawn_values(own, name, size, draws, seed) for size in sizes])
    better = values if metric.higher_is_better else -values
    changed = np.array([_against(one, other, judged) for one, other in better]).reshape(len(sizes), 3).T
    sd = np.sqrt(((values[:, 0] - values[:, 1]) ** 2).mean(axis=1) / 2)
    mean, n = values.mean(axis=(1, 2)), whole.shape[1]
    return Stability(name, sizes, draws, n, mean, sd, full, int(differ.sum()) // 2, judged, *changed)


def _differ(own: SubsetTotals, name: str) -> Labels:
    metric, whole = own.metric(name), own.by_size[name, own.design.count][:, :, 0]
    runs, items, columns = whole.shape
    drawn = bootstrap_totals(whole.transpose(1, 0, 2).reshape(items, -1), unit=own.unit).reshape(-1, runs, columns)
    values, boot = metric.finish(whole.sum(axis=1)), np.asarray(metric.finish(drawn), dtype=float).T
    return run_differences.all_pairs(values, boot, own.units).sure


def _against(first: Floats, second: Floats, judged: Labels) -> tuple[float, float, float]:
    """Return the shares of swapped pairs, of draws with a different order, and of draws with a different winner.

    `first` and `second` are (draws, runs), higher is better; only pairs in `judged` (runs, runs) count. With fewer than
    two runs, all shares are NaN.
    """
    if first.shape[1] < 2:
        return (np.nan,) * 3
    i, j = np.nonzero(np.triu(judged))
    apart = np.abs(np.sign(first[:, i] - first[:, j]) - np.sign(second[:, i] - second[:, j])) / 2
    winner = judged[np.argmax(first, axis=1), np.argmax(second, axis=1)]
    return float(apart.mean()), float((apart > 0).any(axis=1).mean()), float(winner.mean())
