"""Runs against each other: differences, rank ranges and who cannot be told apart, from paired resamples of the items.

Every run is resampled with the same draws of items, so that what the items have in common cancels in a difference.
Efron and Tibshirani 1993, chapter 13 (percentile intervals).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metrics.arrays import Floats
from metrics.base import with_value
from metrics.bootstrap import RESAMPLES
from metrics.result import Result

LEVEL = 0.95


@dataclass(frozen=True)
class Differences:
    """Each run minus the baseline: `value`, and the ends `low`, `high` of the 95 % interval, all (runs,).

    NaN where one of the two is undefined; the ends are NaN too where there is nothing to resample.
    """

    value: Floats
    low: Floats
    high: Floats

    @property
    def sure(self) -> NDArray[np.bool_]:
        """(runs,) True where the interval excludes zero."""
        return (self.low > 0) | (self.high < 0)


@dataclass(frozen=True)
class Ranks:
    """The range of ranks of each run over the resamples, 1 the best; 0 and 0 where a run has none. Both (runs,)."""

    low: NDArray[np.int64]
    high: NDArray[np.int64]


@dataclass(frozen=True)
class Verdict:
    """What one metric says of the runs, as positions in the list that was compared.

    `best` has the best value of the `compared` runs with a value. `tied` cannot be told from it (the 95 % interval of
    the difference, each by itself, holds zero), `apart` can; `unknown` have no interval of the difference.
    """

    best: int
    compared: int
    tied: tuple[int, ...]
    apart: tuple[int, ...]
    unknown: tuple[int, ...]
    items: int


def resampled(results: Sequence[Result], resamples: int = RESAMPLES, seed: int = 0) -> Floats:
    """(len(results), resamples) corpus values over items drawn with replacement, the same items for every result.

    A row of NaN where there is nothing to resample: a failed metric, too few items, or a metric that
    is no sum over items. Items without a value in any result are left out; where the results have the
    same ones, the resamples are those behind each result's own interval.
    """
    from metrics.bootstrap import bootstrap_totals

    values = np.full((len(results), resamples), np.nan)
    by_items: dict[int, list[int]] = {}
    for k, result in enumerate(results):
        if result.metric.additive and not np.isnan(result.corpus):
            by_items.setdefault(len(result.totals), []).append(k)
    for members in by_items.values():
        widths = [results[k].totals.shape[1] for k in members]
        totals = np.hstack([results[k].totals for k in members])
        totals = totals[with_value(totals)]
        if not len(totals):
            continue
        # One product for all: drawing the items is what takes the time.
        sums = bootstrap_totals(totals, resamples, seed)
        for k, columns in zip(members, np.split(sums, np.cumsum(widths)[:-1], axis=1)):
            values[k] = results[k].metric.finish(columns)
    return values


def item_sets(results: Sequence[Result]) -> NDArray[np.int64]:
    """(len(results),) numbers that are equal where the same items have a value: only such results can be compared."""
    known: dict[bytes, int] = {}
    return np.array([known.setdefault(np.isnan(result.items).tobytes(), len(known)) for result in results])


def corpus_values(results: Sequence[Result]) -> Floats:
    """(len(results),) corpus values."""
    return np.array([result.corpus for result in results])


def differences(values: Floats, boot: Floats, baseline: int, sets: NDArray[np.int64] | None = None) -> Differences:
    """Every run minus the run at position `baseline`; `values` (runs,), `boot` (runs, resamples) from `resampled`.

    With the `item_sets` of the runs, those with values for other items than the baseline have no interval: their
    difference could be that of the items.
    """
    gaps = boot - boot[baseline]
    known = ~np.isnan(gaps).any(axis=1)
    if sets is not None:
        known &= sets == sets[baseline]
    low, high = np.full((2, len(values)), np.nan)
    if known.any():
        low[known], high[known] = np.quantile(gaps[known], [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=1)
    return Differences(values - values[baseline], low, high)


def rank_ranges(boot: Floats, higher_is_better: bool) -> Ranks:
    """95 % range of each run's rank over the resamples, `boot` (runs, resamples).

    Equal values share all the ranks they take. Runs with no resamples are left out of the ranking.
    """
    known = np.flatnonzero(~np.isnan(boot).any(axis=1))
    low, high = np.zeros((2, len(boot)), dtype=np.int64)
    scores = -boot[known] if higher_is_better else boot[known]
    for k, row in zip(known, scores):
        above, level = (scores < row).sum(axis=0), (scores == row).sum(axis=0)
        low[k] = np.quantile(1 + above, (1 - LEVEL) / 2, method="inverted_cdf")
        high[k] = np.quantile(above + level, (1 + LEVEL) / 2, method="inverted_cdf")
    return Ranks(low, high)


def ranking(values: Floats, higher_is_better: bool) -> list[int]:
    """Positions from best to worst, those without a value last, equals in the order given."""
    scores = -values if higher_is_better else values
    return [int(k) for k in np.argsort(np.where(np.isnan(scores), np.inf, scores), kind="stable")]


def verdict(
    values: Floats, boot: Floats, higher_is_better: bool, items: int, sets: NDArray[np.int64] | None = None
) -> Verdict | None:
    """Who is best by a metric and who cannot be told from it; None where no run has a value. `sets`: `item_sets`."""
    order = [k for k in ranking(values, higher_is_better) if not np.isnan(values[k])]
    if not order:
        return None
    best, others = order[0], order[1:]
    against = differences(values, boot, best, sets)
    unknown = tuple(k for k in others if np.isnan(against.low[k]))
    apart = tuple(k for k in others if against.sure[k])
    tied = tuple(k for k in others if k not in unknown and k not in apart)
    return Verdict(best, len(order), tied, apart, unknown, items)
