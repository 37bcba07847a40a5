"""Paired comparison of two runs: difference, interval, randomisation test, effect size, and wins by item.

Everything is computed from the items with a value in both runs. The corpus difference is resampled and tested on the
items' sufficient statistics, which makes pooled values (BLEU, METEOR) as exact as means.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import comb

import numpy as np

from data.study import Run, Study
from metrics.analysis.comparable_runs import why_not_paired
from metrics.analysis.item_order import disagreement
from metrics.analysis.numbers import Numbers
from metrics.base import Metric
from metrics.bootstrap import (
    LEAST,
    LEVEL,
    RESAMPLES,
    bootstrap_totals,
    centred_interval,
    known_interval,
    why_no_interval,
)
from metrics.cache.memory import LruCache
from metrics.engine.result import PENDING, Result
from metrics.mathematics.arrays import Floats, Labels
from metrics.permutation.pvalues import ALPHA, holm
from metrics.permutation.sign_flips import Sides, SignFlip, sign_flips
from metrics.units import count_units, of_items

NOT_THE_SAME = "other runs have values for other items"
TIED = 1e-9
"""Corpus values that differ by less count as equal."""
ROUNDED = 1e-13
"""Share of a sum of squares below which its part within the items is a rounding error."""
MIN_ITEMS_OF_EFFECT = 10
"""Minimum number of items for an interval of d_z; with fewer, it could contain zero although the difference's does not.
"""


@dataclass(frozen=True)
class Effect:
    """Cohen's d_z with its 95 % interval: the difference over the standard deviation of the items' contributions to it.

    For a mean, the contributions are the paired differences; for a pooled score, jackknife pseudo-values.
    """

    value: float = np.nan
    low: float = np.nan
    high: float = np.nan


@dataclass(frozen=True)
class Comparison:
    """Run `first` against run `second` by one metric; differences are first minus second.

    `values` are the two corpus values over the `n` items that both have, and `difference` is their difference with
    `low` and `high`, the 95 % interval of a paired bootstrap. `sides` (2, n_items) are the items' values in both runs
    and `items` (n_items,) their differences, NaN where either is missing; `left_out` counts the items for which only
    one run has a value. `unequal_weights` is true if an item's weight differs between the two pooled values because the
    runs have different numbers of candidates per item. `n_units` counts the independent units (clusters, if any) that
    the `n` items belong to. `reason` states why there is nothing to compare, `no_interval` why the difference has no
    interval.
    """

    metric: Metric
    first: str
    second: str
    values: tuple[float, float] = (np.nan, np.nan)
    difference: float = np.nan
    low: float = np.nan
    high: float = np.nan
    test: SignFlip = SignFlip()
    effect: Effect = Effect()
    sides: Floats = field(default_factory=lambda: np.empty((2, 0)))
    n: int = 0
    left_out: int = 0
    unequal_weights: bool = False
    reason: str = ""
    no_interval: str = ""
    n_units: int = 0

    @cached_property
    def items(self) -> Floats:
        """(n_items,) difference of each item."""
        return self.sides[0] - self.sides[1]

    @property
    def sign(self) -> int:
        """+1 if higher is better (or, for a diversity metric, more diverse), else -1."""
        return 1 if self.metric.higher_is_better else -1

    @property
    def has_better_side(self) -> bool:
        """Whether one direction of the metric is better; diversity has no such direction."""
        return self.metric.has_better_side

    @property
    def winner(self) -> int:
        """+1 if the first run is ahead, -1 if the second is, 0 if neither."""
        return int(np.sign(self.sign * self.difference)) if abs(self.difference) > TIED else 0

    @property
    def sure(self) -> bool:
        """Whether the interval of the difference excludes zero."""
        return bool(self.low > 0 or self.high < 0)

    @property
    def pooled(self) -> bool:
        """Whether the corpus difference is not the mean of the items' differences."""
        return self.n > 0 and self.metric.pooled

    @property
    def counts(self) -> tuple[int, int, int]:
        """The numbers of items that the first run wins, ties and loses."""
        known = self.sides_won[~np.isnan(self.items)]
        wins, losses = int((known > 0).sum()), int((known < 0).sum())
        return wins, len(known) - wins - losses, losses

    @property
    def sides_won(self) -> Floats:
        """(n_items,) 1 where the first run wins an item, -1 where it loses, 0 for a tie or a missing value."""
        ahead = np.nan_to_num(self.sign * self.items)
        return np.sign(ahead) * (np.abs(ahead) > self.metric.tie)


@dataclass(frozen=True)
class Family:
    """Comparisons that are read together; `adjusted` (comparisons,) are their p-values after Holm's correction.

    If `over_all_pairs`, the data chose a run, so intervals and corrected p cover all pairs of runs (see
    `over_all_pairs` and `pair_over_all_pairs`).
    """

    comparisons: tuple[Comparison, ...]
    adjusted: Floats
    over_all_pairs: bool = False

    @property
    def shared(self) -> bool:
        """Whether a run has the same value as the baseline, so that the baseline does not lead alone."""
        return any(abs(c.difference) < 1e-12 for c in self.comparisons)

    @property
    def tests(self) -> int:
        """The number of tests that the correction covers."""
        return int((~np.isnan(self.adjusted)).sum())

    def significant(self) -> Labels:
        """Return (comparisons,) True where the corrected p is at most ALPHA."""
        return self.adjusted <= ALPHA

    def is_significant(self, metric: Metric) -> bool:
        """Return whether a comparison by this metric is significant."""
        return any(bool(sure) and c.metric == metric for c, sure in zip(self.comparisons, self.significant()))

    def ahead(self, winner: int, significant: bool, has_better_side: bool = True) -> list[Comparison]:
        """Return the comparisons won by one side (+1 first, -1 second), either significantly or not.

        Only metrics for which one direction is better count, or, without `has_better_side`, only the other metrics.
        """
        return [
            c
            for c, sure in zip(self.comparisons, self.significant())
            if c.winner == winner and c.has_better_side == has_better_side and bool(sure) == significant
        ]


_cache: LruCache[tuple[str, ...], Comparison] = LruCache(512)


def family(study: Study, numbers: Numbers, asked: Sequence[tuple[Run, Run, Metric]], seed: int = 0) -> Family:
    """Return the comparison for each (first, second, metric), with Holm's correction across all of them."""
    keys = [_key(study, numbers, *one, seed) for one in asked]
    found = {key: kept for key in keys if (kept := _cache.get(key)) is not None}
    ready = {key: _results(study, numbers, *one) for key, one in zip(keys, asked) if key not in found}
    pairs = {key: pair for key, pair in ready.items() if not isinstance(pair, str)}
    made = dict(zip(pairs, compare_all(list(pairs.values()), seed)))
    for key, one in made.items():
        # Do not cache failures, so that they can be retried.
        if not one.reason:
            _cache.put(key, one)
    out = []
    for key, (a, b, metric) in zip(keys, asked):
        why = ready.get(key)
        done = found.get(key) or made.get(key) or Comparison(metric, a.name, b.name, reason=str(why))
        # The cache is keyed by the runs' captions; their names may differ between studies.
        out.append(_named(done, a.name, b.name))
    return Family(tuple(out), holm([c.test.p_value for c in out]))


def against(
    study: Study, numbers: Numbers, baseline: Run, metric: Metric, runs: Sequence[Run], seed: int = 0
) -> Family:
    """Return the comparison of each other run with the baseline by one metric.

    If no other run is ahead of the baseline, and there are at least two others, the correction covers all pairs:
    whether a person or a program picked the baseline, it is the best run of these data.
    """
    found = family(study, numbers, [(run, baseline, metric) for run in runs if run != baseline], seed)
    compared = [c for c in found.comparisons if not c.reason]
    leads = len(compared) > 1 and all(c.winner <= 0 for c in compared)
    return over_all_pairs(study, numbers, found, runs, seed) if leads else found


def over_all_pairs(study: Study, numbers: Numbers, found: Family, runs: Sequence[Run], seed: int = 0) -> Family:
    """Return comparisons with a baseline by one metric, corrected across all pairs of `runs`.

    With too few items to resample, p is that of the randomisation tests, Bonferroni-corrected for the number of pairs.
    """
    place = {run.name: k for k, run in enumerate(runs)}
    first, *_ = found.comparisons
    pairs, base = numbers.pairs(study, first.metric, runs, seed), place[first.second]
    at = [place[c.first] for c in found.comparisons]
    ends = [(float(pairs.low[k, base]), float(pairs.high[k, base])) for k in at]
    wider = tuple(
        replace(c, low=low, high=high, no_interval="" if np.isfinite(low) else c.no_interval or NOT_THE_SAME)
        for c, (low, high) in zip(found.comparisons, ends)
    )
    p = pairs.p[at, base]
    if np.isnan(p).all():
        p = np.minimum([c.test.p_value * comb(len(runs), 2) for c in found.comparisons], 1.0)
    return Family(wider, p, over_all_pairs=True)


def pair_over_all_pairs(study: Study, numbers: Numbers, found: Family, runs: Sequence[Run], seed: int = 0) -> Family:
    """Return the comparisons of two runs by several metrics, corrected across all pairs of `runs` and all metrics.

    Each metric is corrected across the pairs as in `Numbers.pairs`; Holm's correction then covers the metrics.
    """
    each = [over_all_pairs(study, numbers, replace(found, comparisons=(c,)), runs, seed) for c in found.comparisons]
    p = holm([float(of.adjusted[0]) for of in each])
    return Family(tuple(of.comparisons[0] for of in each), p, over_all_pairs=True)


def compare_all(pairs: Sequence[tuple[Result, Result]], seed: int = 0) -> list[Comparison]:
    """Return one comparison per pair of results of two runs by one metric, without the names of the runs."""
    known = [~np.isnan(a.items) & ~np.isnan(b.items) for a, b in pairs]
    able = [k for k, both in enumerate(known) if both.any()]
    sides = [_sides(*pairs[k], known[k]) for k in able]
    tests = sign_flips(sides, seed=seed, unit=pairs[0][0].unit if pairs else None)
    spread = _resampled([pairs[k] for k in able], [known[k] for k in able], seed)
    out = [_empty(a, b) for a, b in pairs]
    for k, of, test, (boot, effect) in zip(able, sides, tests, spread):
        out[k] = replace(
            _comparison(*pairs[k], known[k], test, boot, effect), unequal_weights=_has_unequal_weights(of, known[k])
        )
    return out


def opposed(one: Comparison, other: Comparison) -> Floats:
    """Return how strongly (n_items,) two metrics disagree about the winner of an item; NaN if they do not disagree.

    A value near 1 means that the item is among those most in favour of the first run by the first metric and of the
    second run by the second metric; near -1, the reverse.
    """
    ahead, behind = one.sign * one.items, other.sign * other.items
    against = one.sides_won * other.sides_won < 0
    return np.where(against, disagreement(ahead, behind), np.nan)


def _sides(a: Result, b: Result, both: Labels) -> Sides:
    first, second = (np.where(both[:, None], side.totals, 0.0) for side in (a, b))
    if not a.metric.pooled:
        return Sides(first, second, a.metric.finish)
    weights = [np.bincount(side.unit_item, minlength=len(both)) for side in (a, b)]
    return Sides(first, second, a.metric.finish, np.where(both, weights, 1.0).T)


def _has_unequal_weights(sides: Sides, both: Labels) -> bool:
    if sides.weights is None:
        return False
    weights = sides.weights[both]
    return bool(np.ptp(weights[:, 0] / weights[:, 1]) > 0)


def _resampled(
    pairs: Sequence[tuple[Result, Result]], known: Sequence[Labels], seed: int
) -> list[tuple[Floats, Floats]]:
    """Corpus differences and effects (RESAMPLES,) of each pair over resampled items, with common draws.

    They are NaN for pairs with fewer than LEAST items or clusters.
    """
    none = np.full(RESAMPLES, np.nan)
    out = [(none, none)] * len(pairs)
    groups: dict[bytes, list[int]] = {}
    for k, both in enumerate(known):
        if count_units(pairs[k][0].unit, both) >= LEAST:
            groups.setdefault(both.tobytes(), []).append(k)
    for members in groups.values():
        both = known[members[0]]
        unit = of_items(pairs[members[0]][0].unit, both)
        parts = [part for k in members for part in _columns(*pairs[k], both)]
        ends = np.cumsum([part.shape[1] for part in parts])[:-1]
        # One matrix product for all, since drawing the items takes most of the time.
        sums = np.split(bootstrap_totals(np.hstack(parts), seed=seed, unit=unit), ends, axis=1)
        drawn = bootstrap_totals(np.ones((int(both.sum()), 1)), seed=seed, unit=unit)[:, 0]
        for j, k in enumerate(members):
            a, b, shares = sums[3 * j : 3 * j + 3]
            gap = pairs[k][0].metric.finish(a) - pairs[k][0].metric.finish(b)
            out[k] = gap, _standardised(gap, shares, drawn)
    return out


def _columns(a: Result, b: Result, both: Labels) -> tuple[Floats, Floats, Floats]:
    """The statistics to be summed: those of the two runs, and the items' centred contributions with their squares."""
    shares = _shares(a, b, both)
    centred = shares - shares.mean()
    return a.totals[both], b.totals[both], np.column_stack([centred, centred**2])


def _shares(a: Result, b: Result, both: Labels) -> Floats:
    """(n,) each item's contribution to the corpus difference: its difference or, for pooled scores, a pseudo-value.

    The jackknife pseudo-value is n times the difference minus n - 1 times the difference without the item. Efron and
    Tibshirani 1993, section 11.5.
    """
    n = int(both.sum())
    if not a.metric.pooled or n < 2:
        return np.asarray((a.items - b.items)[both])
    with_all, without = 0.0, np.zeros(n)
    for sign, side in ((1, a), (-1, b)):
        totals, finish = side.totals[both], side.metric.finish
        with_all += sign * float(finish(totals.sum(axis=0)))
        without += sign * finish(totals.sum(axis=0) - totals)
    return n * with_all - (n - 1) * without


def _standardised(gap: Floats, sums: Floats, n: Floats | int) -> Floats:
    """(rows,) d_z of differences `gap` (rows,), from sums (rows, 2) of n centred contributions and their squares.

    NaN where all contributions are equal but not zero, since their standard deviation is zero, up to rounding errors
    of about 1e-16 of the sum of squares.
    """
    variance = np.maximum(sums[:, 1] - sums[:, 0] ** 2 / n, 0.0) / (n - 1)
    spread = np.sqrt(variance)
    flat = (spread <= TIED * np.maximum(np.abs(gap), TIED)) | (variance * (n - 1) <= ROUNDED * sums[:, 1])
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(flat, np.where(np.abs(gap) <= TIED, 0.0, np.nan), gap / spread)


def _comparison(a: Result, b: Result, both: Labels, test: SignFlip, boot: Floats, effects: Floats) -> Comparison:
    sides = np.vstack([a.items, b.items])
    n, unit = int(both.sum()), a.unit
    units = count_units(unit, both)
    values = [float(side.metric.finish(side.totals[both].sum(axis=0))) for side in (a, b)]
    # Resamples that repeat a single item have no spread: omit them if they are few.
    low, high = known_interval(boot, units, LEVEL)
    effect = Effect()
    if n > 1:
        shares = _columns(a, b, both)[2].sum(axis=0, keepdims=True)
        value = float(_standardised(np.array([values[0] - values[1]]), shares, n)[0])
        effect = Effect(value, *(centred_interval(value, effects, units) if units >= MIN_ITEMS_OF_EFFECT else ()))
    both_values, gap = (values[0], values[1]), values[0] - values[1]
    found = Comparison(
        a.metric, "", "", both_values, gap, low, high, test, effect, sides, n, _left_out(a, b), n_units=units
    )
    if np.isfinite(low):
        return found
    return replace(found, no_interval=why_no_interval(units, boot, LEVEL, clusters=unit is not None))


def _empty(a: Result, b: Result) -> Comparison:
    why = a.why() or b.why() or "no item has a value for both runs"
    return Comparison(a.metric, "", "", sides=np.vstack([a.items, b.items]), left_out=_left_out(a, b), reason=why)


def _left_out(a: Result, b: Result) -> int:
    return int((np.isnan(a.items) ^ np.isnan(b.items)).sum())


def _results(study: Study, numbers: Numbers, one: Run, two: Run, metric: Metric) -> tuple[Result, Result] | str:
    if why := why_not_paired(study, metric, one, two):
        return why
    a, b = numbers.get(one, metric), numbers.get(two, metric)
    return PENDING if a is None or b is None else (a, b)


def _named(found: Comparison, first: str, second: str) -> Comparison:
    return found if (found.first, found.second) == (first, second) else replace(found, first=first, second=second)


def _key(study: Study, numbers: Numbers, first: Run, second: Run, metric: Metric, seed: int) -> tuple[str, ...]:
    found = [(run, numbers.get(run, metric)) for run in (first, second)]
    of_runs = [study.contents[run.name] if result is None else result.fingerprint for run, result in found]
    return study.references_digest, metric.signature, *of_runs, str(seed)
