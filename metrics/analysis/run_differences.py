"""Comparison of runs: differences, rank ranges and indistinguishable runs, from paired resamples of the items.

Every run is resampled with the same draws of items, so that effects common to the items cancel in a difference. There
are two kinds of claim, which are never mixed (`docs/decisions/016-claims.md`):

- `differences`: about pairs fixed before seeing the data; each interval has 95 % coverage individually.
- `all_pairs`: about all pairs simultaneously, for any choice made from the data (the best run, an optimum) and for
  claims about several runs (rank ranges, verdicts). The probability of any false "differs" among all pairs is at most
  about 5 %, or more if equal runs differ in skewness (decision 016).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metrics.base import with_value
from metrics.bootstrap import LEVEL, RESAMPLES, percentiles
from metrics.engine.result import Result
from metrics.mathematics.arrays import Floats, Labels
from metrics.permutation.pvalues import ALPHA, holm

_NO_SPREAD = 1e-12
"""Variance of a difference, relative to the two runs' variances, below which all items count as differing equally."""


@dataclass(frozen=True)
class Differences:
    """Each run minus the baseline: `value`, its 95 % interval `low` to `high`, and `sure`, whether that excludes zero.

    All are (runs,). NaN where either run is undefined; the ends are also NaN where nothing can be resampled for both.
    """

    value: Floats
    low: Floats
    high: Floats
    sure: Labels


@dataclass(frozen=True)
class Pairs:
    """Every run minus every other (row minus column); all but `known` are (runs, runs).

    `value` is NaN where a run has no value; `p`, `low` and `high` also where two runs cannot be compared, and on the
    diagonal. `p` is two-sided and Holm-corrected across all pairs; `low` and `high` are simultaneous 95 % intervals
    (Bonferroni across all pairs). These are slightly more conservative than `p`: a difference can be `sure` although
    its interval just contains zero. `known` (runs,) marks the runs that can be resampled.
    """

    value: Floats
    low: Floats
    high: Floats
    p: Floats
    known: Labels

    @property
    def sure(self) -> Labels:
        """(runs, runs) True where two runs differ significantly."""
        return self.p <= ALPHA

    def against(self, baseline: int) -> Differences:
        """Return every run minus the one at position `baseline`, which may have been chosen from the data."""
        columns = (self.value, self.low, self.high, self.sure)
        return Differences(*(column[:, baseline] for column in columns))  # type: ignore[arg-type]


class SeedVariance(NamedTuple):
    """The contribution of seeds to the variances of the settings' means, both (settings,).

    `excess` is the variance beyond that over items; `uncertainty` is the variance of the estimated seed variance of a
    mean. Both are zero for a setting with one run, for which the variance between seeds is unknown.
    """

    excess: Floats
    uncertainty: Floats


@dataclass(frozen=True)
class Ranks:
    """The range of possible ranks of each run, both (runs,): 1 is the best, and 0 to 0 means no rank."""

    low: NDArray[np.int64]
    high: NDArray[np.int64]


@dataclass(frozen=True)
class Verdict:
    """The conclusion about runs by one metric; runs are positions in the list that was compared.

    `best` has the best value, and `compared` is the number of runs with a value. Of the others, `tied` are
    indistinguishable from the best run and `apart` are distinguishable, by tests corrected across all pairs of runs;
    `unknown` cannot be compared with it. `equal` are the runs in any of these groups whose value equals the best one,
    apart from rounding.
    """

    best: int
    compared: int
    tied: tuple[int, ...]
    apart: tuple[int, ...]
    unknown: tuple[int, ...]
    equal: tuple[int, ...] = ()

    @property
    def rest(self) -> Verdict:
        """The verdict without the runs in `equal`, so that all remaining runs are behind the best."""
        tied, unknown = (tuple(k for k in of if k not in self.equal) for of in (self.tied, self.unknown))
        return Verdict(self.best, self.compared - len(self.equal), tied, self.apart, unknown)


def resampled(results: Sequence[Result], resamples: int = RESAMPLES, seed: int = 0) -> Floats:
    """Return corpus values (len(results), resamples) over resampled items, with common draws for all results.

    A row is NaN if there is nothing to resample: the metric failed, has too few items, or is not a sum over items.
    Items without a value in any result are left out; if all results have values for the same items, the resamples are
    those behind each result's own interval.
    """
    from metrics.bootstrap import bootstrap_totals

    values = np.full((len(results), resamples), np.nan)
    by_items: dict[int, list[int]] = {}
    for k, result in enumerate(results):
        if result.metric.additive and not np.isnan(result.corpus):
            by_items.setdefault(len(result.totals), []).append(k)
    for members in by_items.values():
        widths = [results[k].totals.shape[1] for k in members]
        totals = np.hstack([results[k].drawn_totals for k in members])
        totals = totals[with_value(totals)]
        if not len(totals):
            continue
        # One matrix product for all, since drawing the items takes most of the time.
        sums = bootstrap_totals(totals, resamples, seed)
        for k, columns in zip(members, np.split(sums, np.cumsum(widths)[:-1], axis=1)):
            values[k] = results[k].metric.finish(columns)
    return values


def item_sets(results: Sequence[Result]) -> NDArray[np.int64]:
    """Return numbers (len(results),) that are equal for comparable results: those with values for the same items."""
    known: dict[bytes, int] = {}
    return np.array([known.setdefault(np.isnan(result.items).tobytes(), len(known)) for result in results])


def corpus_values(results: Sequence[Result]) -> Floats:
    """Return the corpus values (len(results),)."""
    return np.array([result.corpus for result in results])


def differences(
    values: Floats, boot: Floats, baseline: int, items: int, sets: NDArray[np.int64] | None = None
) -> Differences:
    """Return every run minus the run at position `baseline`, which must be fixed before seeing the data.

    `values` is (runs,) and `boot` (runs, resamples), from `resampled`; `items` is the number of items behind the
    baseline's value. If `sets` gives the `item_sets` of the runs, runs with values for a different set of items than
    the baseline get no interval, because the difference could be due to the items. Intervals are the
    `bootstrap.percentiles` of the resampled differences, not corrected for the number of runs.
    """
    gaps = boot - boot[baseline]
    known = ~np.isnan(gaps).any(axis=1)
    if sets is not None:
        known &= sets == sets[baseline]
    low, high = np.full((2, len(values)), np.nan)
    if known.any():
        low[known], high[known] = np.quantile(gaps[known], percentiles(items), axis=1)
    return Differences(values - values[baseline], low, high, (low > 0) | (high < 0))


def all_pairs(
    values: Floats,
    boot: Floats,
    items: ArrayLike,
    sets: NDArray[np.int64] | None = None,
    seeds: SeedVariance | None = None,
) -> Pairs:
    """Return every run minus every other, with p and intervals corrected across all pairs.

    Arguments are as in `differences`, but `items`, the number of items behind a value, is a scalar or (runs,). A
    difference, divided by its bootstrap standard error, is compared with Student's t with items - 1 degrees of freedom.
    If all n items differ by the same amount, the standard error is zero and p is 2^(1 - n). p is corrected by Holm 1979
    over the pairs, intervals by Bonferroni. Given the variance of `seeds`, values are means over seeds, and tests
    account for the variation over both items and seeds.
    """
    from scipy.special import stdtr, stdtrit

    known = ~np.isnan(boot).any(axis=1) & ~np.isnan(values)
    able = known[:, None] & known & ~np.eye(len(values), dtype=bool)
    if sets is not None:
        able &= sets[:, None] == sets
    counts = np.broadcast_to(np.asarray(items, dtype=np.float64), (len(values),))
    n = np.maximum(np.minimum(counts[:, None], counts), 2)
    gaps, error, freedom = values[:, None] - values, _errors(boot, n), n - 1
    if seeds is not None:
        error, freedom = _over_seeds(error, freedom, seeds)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = np.where(
            error > 0, 2 * stdtr(freedom, -np.abs(gaps) / error), np.where(np.abs(gaps) > 0, 2.0 ** (1 - n), 1.0)
        )
    upper = np.triu(able)
    adjusted = np.full(p.shape, np.nan)
    adjusted[upper] = holm(p[upper])
    adjusted = np.where(able, np.fmax(adjusted, adjusted.T), np.nan)
    reach = np.where(able, -stdtrit(freedom, (1 - LEVEL) / 2 / max(int(upper.sum()), 1)) * error, np.nan)
    return Pairs(gaps, gaps - reach, gaps + reach, adjusted, known)


def _over_seeds(error: Floats, freedom: Floats, seeds: SeedVariance) -> tuple[Floats, Floats]:
    """Standard errors and degrees of freedom over items and seeds (Satterthwaite 1946), given those over items only."""
    of_items = error**2
    variance = of_items + seeds.excess[:, None] + seeds.excess
    unsure = of_items**2 / freedom + seeds.uncertainty[:, None] + seeds.uncertainty
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.sqrt(variance), np.where(unsure > 0, variance**2 / unsure, freedom)


def _errors(boot: Floats, n: Floats) -> Floats:
    """(runs, runs) standard errors of the differences; 0 where all resamples differ by the same amount.

    Variances are scaled by n / (n - 1), because a bootstrap variance divides by n where the sample variance divides by
    n - 1.
    """
    off = boot - boot.mean(axis=1, keepdims=True)
    products = off @ off.T / boot.shape[1]
    own = np.diag(products)
    both = own[:, None] + own
    variance = both - 2 * products
    return np.asarray(np.sqrt(np.where(variance > _NO_SPREAD * both, variance, 0.0) * n / (n - 1)))


def ahead_of(pairs: Pairs, higher_is_better: bool) -> Labels:
    """Return (runs, runs) True where the row's run is significantly better than the column's."""
    return pairs.sure & ((pairs.value > 0) == higher_is_better)


def kept_and_swapped(first: Labels, second: Labels) -> tuple[int, int]:
    """Return how many pairs two matrices of `ahead_of` (runs, runs) order in the same way, and in opposite ways."""
    return int((first & second).sum()), int((first & second.T).sum())


def reverses(first: Labels, second: Labels) -> bool:
    """Return whether more than half of all pairs of runs are ordered in opposite ways by two matrices of `ahead_of`."""
    return 4 * kept_and_swapped(first, second)[1] > len(first) * (len(first) - 1)


def rank_ranges(pairs: Pairs, higher_is_better: bool) -> Ranks:
    """Return the ranges of possible ranks; in about 95 % of studies, all ranges contain the true ranks simultaneously.

    A range goes from 1 plus the number of significantly better runs to the number of runs minus the number of
    significantly worse runs. Runs without resamples are not ranked. Mogstad, Romano, Shaikh and Wilhelm 2024, Inference
    for Ranks.
    """
    ahead = ahead_of(pairs, higher_is_better)
    low, high = 1 + ahead.sum(axis=0), int(pairs.known.sum()) - ahead.sum(axis=1)
    return Ranks(np.where(pairs.known, low, 0), np.where(pairs.known, high, 0))


def ranking(values: Floats, higher_is_better: bool) -> list[int]:
    """Return the positions of values (runs,) from best to worst; NaN comes last, and ties keep their order."""
    scores = -values if higher_is_better else values
    return [int(k) for k in np.argsort(np.where(np.isnan(scores), np.inf, scores), kind="stable")]


def equal_to(values: Floats, at: int) -> list[int]:
    """Return the positions of all values (n,) that equal, apart from rounding, the value at position `at`."""
    return [int(k) for k in np.flatnonzero(np.isclose(values, values[at], rtol=1e-9, atol=1e-12))]


def verdict(values: Floats, pairs: Pairs, higher_is_better: bool) -> Verdict | None:
    """Return the best run by values (runs,) and how the other runs relate to it; None if no run has a value."""
    order = [k for k in ranking(values, higher_is_better) if not np.isnan(values[k])]
    if not order:
        return None
    best, others = order[0], order[1:]
    unknown = tuple(k for k in others if np.isnan(pairs.p[k, best]))
    apart = tuple(k for k in others if pairs.sure[k, best])
    tied = tuple(k for k in others if k not in unknown and k not in apart)
    return Verdict(best, len(order), tied, apart, unknown, tuple(k for k in equal_to(values, best) if k != best))
