"""Comparison of settings: is their difference larger than that between two seeds?

Items are crossed with runs, and seeds are nested in settings. The variance of the difference between two means is the
sum of the variance over items (a paired bootstrap) and, for each setting, of the variance between its seeds beyond what
the items' residuals explain, at least 0. Student's t has Satterthwaite's degrees of freedom. The measured levels of the
test are in docs/proof.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import comb
from typing import Literal

import numpy as np

from data.study import Study
from metrics.analysis import run_differences
from metrics.analysis.comparable_runs import unequal
from metrics.analysis.numbers import Numbers
from metrics.analysis.paired import Comparison
from metrics.analysis.replicates.grouping import Replicates, replicates
from metrics.analysis.replicates.spread_of_seeds import Estimate, estimate
from metrics.base import Metric
from metrics.bootstrap import LEVEL
from metrics.engine.result import PENDING, Result
from metrics.mathematics.arrays import Floats, Integers
from metrics.permutation.pvalues import holm

ROUNDING = 1e-9
"""Spread between seeds, relative to their mean, below which they count as equal."""
Over = Literal["items and seeds", "items", "seeds", ""]


@dataclass(frozen=True, eq=False)
class Standing:
    """Settings by one metric: an estimate for each, and all pairs compared simultaneously, over items and seeds.

    A setting of one run adds no variance of seeds to a test, because that variance is unknown. `boot` (settings,
    resamples) are resampled means; `item_sets` (settings,) are equal for settings with values for the same items;
    `variance` is the contribution of seeds to the variance.
    """

    metric: Metric
    settings: tuple[Replicates, ...]
    estimates: tuple[Estimate, ...]
    pairs: run_differences.Pairs = field(repr=False)
    boot: Floats = field(repr=False)
    item_sets: Integers = field(repr=False)
    variance: run_differences.SeedVariance = field(repr=False)

    @cached_property
    def values(self) -> Floats:
        """(settings,) means over seeds."""
        return np.array([one.mean for one in self.estimates])


@dataclass(frozen=True)
class SettingDifference:
    """Setting `first` minus `second` by one metric, with a 95 % interval and p; `over` is "items", "seeds" or both.

    Interval and p cover all pairs among `among` settings: these two or, if one of them leads all settings of the study,
    all of them (see `differences`). `seeds_apart` is the typical difference between two seeds of one setting. If `over`
    is "seeds", because a metric has no values per item, p applies to these items only; if it is "items", to these seeds
    only.
    """

    metric: Metric
    first: Replicates
    second: Replicates
    estimates: tuple[Estimate, Estimate]
    difference: float = np.nan
    low: float = np.nan
    high: float = np.nan
    p_value: float = np.nan
    p_holm: float = np.nan
    over: Over = ""
    seeds_apart: float = np.nan
    reason: str = ""
    among: int = 2

    @property
    def winner(self) -> int:
        """+1 if the first setting is ahead, -1 if the second is, 0 if neither."""
        ahead = self.difference if self.metric.higher_is_better else -self.difference
        return int(np.sign(ahead)) if np.isfinite(ahead) else 0


def by_item(study: Study, numbers: Numbers, metric: Metric, first: Replicates, second: Replicates) -> Comparison:
    """Return an item-by-item comparison of two settings' means over seeds, or one that only states why there is none.

    There is no test: `differences` tests over seeds and items together.
    """
    found = [[numbers.get(study.run(name), metric) for name in of.runs] for of in (first, second)]
    if not metric.of_items or any(one is None or one.error for side in found for one in side):
        return Comparison(metric, first.name, second.name, reason="has no value for each item and seed")
    sides = np.stack([np.mean([one.items for one in side if one is not None], axis=0) for side in found])
    both = ~np.isnan(sides).any(axis=0)
    if not both.any():
        return Comparison(metric, first.name, second.name, reason="has no item with values of both settings")
    a, b = sides[:, both].mean(axis=1).tolist()
    return Comparison(metric, first.name, second.name, (a, b), a - b, sides=sides, n=int(both.sum()))


def standing(study: Study, numbers: Numbers, metric: Metric, settings: Sequence[Replicates], seed: int = 0) -> Standing:
    """Return the standing of the settings by a metric.

    Runs that the metric cannot compare with other runs have no value.
    """
    runs = [study.run(name) for setting in settings for name in setting.runs]
    values, boot = numbers.corpus(study, metric, runs, seed)
    sets = numbers.item_sets(metric, runs)
    results = [numbers.get(run, metric) for run in runs]
    counts = np.array([(0, 0) if result is None else (result.n, result.n_units) for result in results])
    left_out = unequal(study, metric, runs)
    estimates: list[Estimate] = []
    means, covers = np.full((len(settings), boot.shape[1]), np.nan), np.zeros(len(settings), dtype=np.int64)
    start = 0
    for place, setting in enumerate(settings):
        at = np.arange(start, start := start + len(setting.runs))
        known = at[np.isfinite(values[at])]
        covers[place] = int(sets[known[0]]) + 1 if len(set(sets[known].tolist())) == 1 else -1 - place
        if len(known):
            n, units = counts[known].min(axis=0).tolist()
            estimates.append(replace(estimate(values[known], boot[known], units), n=n, n_units=units))
            means[place] = boot[known].mean(axis=0)
        else:
            other = [left_out[name].why() for name in setting.runs if name in left_out]
            why = f"not comparable: it has {other[0]}" if other else _why(results[k] for k in at)
            estimates.append(Estimate(np.empty(0), np.nan, reason=why))
    variance, items = seed_variance(estimates), [one.n_units for one in estimates]
    pairs = run_differences.all_pairs(np.array([one.mean for one in estimates]), means, items, covers, variance)
    return Standing(metric, tuple(settings), tuple(estimates), pairs, means, covers, variance)


def _why(results: Iterable[Result | None]) -> str:
    return next((why for result in results if result is not None and (why := result.why())), PENDING)


def seed_variance(estimates: Sequence[Estimate]) -> run_differences.SeedVariance:
    """Return the contribution of seeds to the variances of the means."""
    return run_differences.SeedVariance(
        np.array([one.excess for one in estimates]), np.array([one.uncertainty for one in estimates])
    )


def differences(
    study: Study, numbers: Numbers, first: Replicates, second: Replicates, metrics: Sequence[Metric], seed: int = 0
) -> tuple[SettingDifference, ...]:
    """Return one setting minus another by each metric, with p Holm-corrected across the metrics.

    If one of the two leads three or more settings by the first metric, its result may have chosen it: intervals and p
    then cover all pairs of settings, by each metric.
    """
    tested = _tested_together(study, numbers, (first, second), metrics)
    found = [_difference(standing(study, numbers, metric, tested, seed), (first, second)) for metric in metrics]
    adjusted = holm([one.p_value for one in found]).tolist() if found else []
    return tuple(replace(one, p_holm=p) for one, p in zip(found, adjusted))


def _tested_together(
    study: Study, numbers: Numbers, both: tuple[Replicates, Replicates], metrics: Sequence[Metric]
) -> tuple[Replicates, ...]:
    every = replicates(study.runs)
    if len(every) < 3 or not metrics or not metrics[0].has_better_side:
        return both
    values = standing(study, numbers, metrics[0], every).values
    first = every[int(run_differences.ranking(values, metrics[0].higher_is_better)[0])]
    return every if first.name in {one.name for one in both} else both


def _difference(of: Standing, both: tuple[Replicates, Replicates]) -> SettingDifference:
    names = [one.name for one in of.settings]
    i, j = (names.index(one.name) for one in both)
    first, second = of.estimates[i], of.estimates[j]
    spread = np.array([first.sd, second.sd])
    apart = float(np.sqrt(2 * np.nanmean(spread**2))) if np.isfinite(spread).any() else np.nan
    p, low, high = (float(ends[i, j]) for ends in (of.pairs.p, of.pairs.low, of.pairs.high))
    several = min(first.runs, second.runs) > 1
    found = SettingDifference(
        of.metric,
        *both,
        (first, second),
        first.mean - second.mean,
        low,
        high,
        p,
        seeds_apart=apart,
        among=len(of.settings),
    )
    if why := next((one.reason for one in (first, second) if not one.runs), ""):
        return replace(found, reason=why)
    if np.isfinite(p):
        return replace(found, over="items and seeds" if several else "items")
    if not several:
        return replace(found, reason="no resamples, and the difference between seeds is not known")
    return _over_seeds(found)


def _over_seeds(found: SettingDifference) -> SettingDifference:
    """The difference tested by Welch's t over seeds only (Bonferroni if all pairs of settings count).

    It is untested if the seeds of each setting have equal values.
    """
    from scipy.stats import ttest_ind

    first, second = (one.values for one in found.estimates)
    if max(np.ptp(first), np.ptp(second)) <= ROUNDING * abs(first.mean()):
        return replace(found, reason="the seeds of each setting all have the same value")
    test = ttest_ind(first, second, equal_var=False)
    pairs = comb(found.among, 2)
    low, high = test.confidence_interval(1 - (1 - LEVEL) / pairs)
    return replace(found, p_value=min(float(test.pvalue) * pairs, 1.0), low=float(low), high=float(high), over="seeds")
