"""A study whose runs are settings, with means over seeds as its numbers, for views that handle only runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from data.study import Run, Study
from metrics.analysis.numbers import Numbers
from metrics.analysis.replicates.grouping import Replicates, replicated
from metrics.analysis.replicates.setting_differences import Standing, standing
from metrics.analysis.replicates.spread_of_seeds import Estimate
from metrics.analysis.run_differences import SeedVariance
from metrics.base import Metric
from metrics.engine.result import Result
from metrics.mathematics.arrays import Floats


@dataclass(frozen=True)
class SettingNumbers(Numbers):
    """The numbers of settings, by name of the setting instead of the run, with the variance that seeds add."""

    standings: Mapping[str, Standing] = field(default_factory=dict)

    def corpus(self, study: Study, metric: Metric, runs: Sequence[Run], seed: int = 0) -> tuple[Floats, Floats]:
        """Return means over seeds (runs,) and resampled means (runs, resamples); NaN without a result."""
        if metric.name not in self.standings:
            return super().corpus(study, metric, runs, seed)
        of, at = self._places(metric, runs)
        return of.values[at], of.boot[at]

    def item_sets(self, metric: Metric, runs: Sequence[Run]) -> NDArray[np.int64]:
        """Return numbers (runs,) that are equal for settings with values for the same items.

        The number of a setting whose seeds have values for different items is unique.
        """
        if metric.name not in self.standings:
            return super().item_sets(metric, runs)
        of, at = self._places(metric, runs)
        return of.item_sets[at]

    def seed_variance(self, metric: Metric, runs: Sequence[Run]) -> SeedVariance | None:
        """Return the contribution of seeds to the variances of the means; None for a metric without standings."""
        if metric.name not in self.standings:
            return super().seed_variance(metric, runs)
        of, at = self._places(metric, runs)
        return SeedVariance(of.variance.excess[at], of.variance.uncertainty[at])

    def seeds(self, metric: Metric, run: Run) -> Floats:
        """Return the values of a setting's seeds; empty with fewer than two, or for a metric without standings."""
        if metric.name not in self.standings:
            return np.empty(0)
        of, (at,) = self._places(metric, [run])
        return of.estimates[at].values if of.estimates[at].runs > 1 else np.empty(0)

    def _places(self, metric: Metric, runs: Sequence[Run]) -> tuple[Standing, list[int]]:
        of = self.standings[metric.name]
        place = {setting.name: k for k, setting in enumerate(of.settings)}
        return of, [place[run.name] for run in runs]


def by_setting(study: Study, numbers: Numbers, settings: Sequence[Replicates]) -> tuple[Study, Numbers]:
    """Return a study with one run per setting, and its numbers; both unchanged if no setting has two runs.

    The captions of such a run are those of its first seed.
    """
    if not replicated(settings):
        return study, numbers
    runs = tuple(_run(study, of) for of in settings)
    metrics = dict.fromkeys(result.metric for result in numbers.results.values())
    standings = {metric.name: standing(study, numbers, metric, settings) for metric in metrics}
    results = {
        (setting.name, name): result
        for name, of in standings.items()
        for setting, one in zip(of.settings, of.estimates)
        if (result := _result(numbers, of.metric, setting, one)) is not None
    }
    return replace(study, runs=runs), SettingNumbers(results, numbers.agreement, numbers.people, standings=standings)


def _run(study: Study, of: Replicates) -> Run:
    first = study.run(of.runs[0])
    return first if len(of.runs) == 1 else replace(first, name=of.name, settings=replace(first.settings, seed=None))


def _result(numbers: Numbers, metric: Metric, of: Replicates, one: Estimate) -> Result | None:
    found = [result for name in of.runs if (result := numbers.results.get((name, metric.name))) is not None]
    if len(found) < len(of.runs):
        return None
    if len(found) == 1 or not one.runs:
        return found[0]
    items, totals = _mean([result.items for result in found]), _mean([result.totals for result in found])
    return replace(found[0], corpus=one.mean, low=one.low, high=one.high, items=items, totals=totals)


def _mean(arrays: Sequence[Floats]) -> Floats:
    same = len({array.shape for array in arrays}) == 1
    return np.asarray(np.mean(arrays, axis=0)) if same else arrays[0]
