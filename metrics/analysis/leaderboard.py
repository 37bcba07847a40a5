"""Everything that a leaderboard derives for its rows by each metric: values, pairs, ranks, people and chance.

Tables, figures and sentences read `Standings`, never the underlying numbers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeVar

import numpy as np

from data.study import Run, Study
from metrics.analysis import run_differences
from metrics.analysis.claims import PeopleComparison
from metrics.analysis.comparable_runs import Unequal, unequal
from metrics.analysis.detectable_faults import Detectable
from metrics.analysis.human_line import Human
from metrics.analysis.numbers import Numbers
from metrics.analysis.replicates.grouping import Replicates
from metrics.analysis.replicates.setting_differences import standing
from metrics.analysis.replicates.spread_of_seeds import Estimate as OverSeeds
from metrics.base import Estimate, Metric
from metrics.engine.missing_captions import missing_note
from metrics.engine.result import Result
from metrics.mathematics.arrays import Floats


@dataclass(frozen=True)
class LeaderboardChoice:
    """What was chosen in the controls; `ranked` is the ranking metric, None if no metric can rank.

    With `settings`, there is one row per setting, over its seeds, and the baseline is a setting. `harmonic` shows the
    harmonic mean of p-values in place of Holm's p. `by_chance` adds the values against other items' references.
    """

    metrics: tuple[Metric, ...]
    ranked: Metric | None
    runs: tuple[Run, ...]
    baseline: str | None
    harmonic: bool = False
    settings: tuple[Replicates, ...] = ()
    by_chance: bool = False

    @property
    def tested(self) -> Metric | None:
        """The metric of the p column: the ranking metric or, without one, the first with a test; None without a test.

        If the ranking metric has no test, as people's ratings have none, the p of another metric would mislead.
        """
        able = self.metrics if self.ranked is None else (self.ranked,)
        return next((metric for metric in able if metric.tested), None)

    @property
    def in_order(self) -> tuple[Metric, ...]:
        """The metrics, the ranking metric first, so that it is visible on a narrow screen."""
        return tuple(sorted(self.metrics, key=lambda metric: metric is not self.ranked))


@dataclass(frozen=True, eq=False)
class Standing(ABC):
    """The rows of a leaderboard by one metric: `values` (rows,), NaN if missing, and the `pairs` of rows.

    `human` is the human value, from which `baseline` is subtracted in differences. `floors` are the chance values of
    the rows and `floor` is that of all rows together; None unless requested.
    """

    metric: Metric
    values: Floats
    pairs: run_differences.Pairs
    human: Human
    baseline: float
    floors: tuple[Estimate | None, ...]
    floor: Estimate | None

    @cached_property
    def order(self) -> list[int]:
        """The rows from best to worst; rows without a value come last."""
        return run_differences.ranking(self.values, self.metric.higher_is_better)

    @cached_property
    def ranks(self) -> run_differences.Ranks | None:
        """The range of possible ranks of each row; None for a metric for which no direction is better."""
        better = self.metric.has_better_side
        return run_differences.rank_ranges(self.pairs, self.metric.higher_is_better) if better else None

    @cached_property
    def verdict(self) -> run_differences.Verdict | None:
        """The best row and the rows indistinguishable from it; None if no row has a value."""
        return run_differences.verdict(self.values, self.pairs, self.metric.higher_is_better)

    @abstractmethod
    def ends(self, row: int) -> tuple[float, float]:
        """Return the ends of the 95 % interval of a row's value; NaN without an interval."""


@dataclass(frozen=True, eq=False)
class RunStanding(Standing):
    """Runs by one metric, in the chosen order, with their `results`: None for a result that is still being computed.

    `differences` are relative to the baseline, `people` are the tests against people. `left_out` names the runs that
    the metric cannot compare with other runs; `missing` states what each run lacks. `detectable` are the faults that
    the joint test could detect.
    """

    runs: tuple[Run, ...]
    results: tuple[Result | None, ...]
    differences: run_differences.Differences | None
    people: PeopleComparison | None
    left_out: Mapping[str, Unequal]
    missing: tuple[str, ...]
    detectable: Detectable | None

    @property
    def known(self) -> list[Result]:
        """The available results."""
        return [result for result in self.results if result is not None]

    @property
    def waiting(self) -> bool:
        """Whether the results of some runs are still being computed."""
        return len(self.known) < len(self.runs)

    def ends(self, row: int) -> tuple[float, float]:
        """Return the ends of the interval of a run's value, from its result; NaN without one."""
        of = self.results[row]
        return (of.low, of.high) if of is not None else (np.nan, np.nan)


@dataclass(frozen=True, eq=False)
class SettingStanding(Standing):
    """Settings by one metric, with an estimate for each over its seeds."""

    estimates: tuple[OverSeeds, ...]

    def ends(self, row: int) -> tuple[float, float]:
        """Return the ends of the interval of a setting's mean over items."""
        return self.estimates[row].low, self.estimates[row].high


S = TypeVar("S", bound=Standing)


@dataclass(frozen=True, eq=False)
class Standings(Generic[S]):
    """The rows of a leaderboard by every chosen metric, the ranking metric first.

    Everything is derived from `numbers`. `leader` is the best of three or more runs by the ranking metric, else None.
    """

    study: Study
    numbers: Numbers
    choice: LeaderboardChoice
    found: tuple[S, ...]
    leader: str | None = None

    def by(self, metric: Metric | None) -> S | None:
        """Return the standing by a metric; None if it was not chosen."""
        return next((of for of in self.found if of.metric == metric), None)

    @property
    def ranked(self) -> S | None:
        """The standing by the ranking metric; None if there is no ranking."""
        return self.by(self.choice.ranked)

    @property
    def chosen(self) -> tuple[S, ...]:
        """The standings, in the order in which their metrics were chosen."""
        return tuple(of for metric in self.choice.metrics for of in self.found if of.metric == metric)

    @property
    def described(self) -> S | None:
        """The standing by which a table without a ranking is described and sorted: the first with values, or None."""
        return next((of for of in self.chosen if of.verdict is not None), None)

    def chosen_on_data(self, name: str | None) -> bool:
        """Return whether a run leads a ranking of three or more runs, and was therefore chosen by the data.

        With two runs, the pair is the same whichever leads, and a two-sided test of a single pair needs no correction.
        """
        return name is not None and name == self.leader


def of_runs(study: Study, numbers: Numbers, choice: LeaderboardChoice) -> Standings[RunStanding]:
    """Return the standings of the chosen runs by every chosen metric."""
    leader = _leader(study, numbers, choice)
    together = leader is not None and leader == choice.baseline
    found = [_of_runs(study, numbers, choice, metric, together) for metric in choice.in_order]
    return Standings(study, numbers, choice, tuple(found), leader)


def _leader(study: Study, numbers: Numbers, choice: LeaderboardChoice) -> str | None:
    if choice.ranked is None or len(choice.runs) < 3:
        return None
    values, _ = numbers.corpus(study, choice.ranked, choice.runs)
    return choice.runs[run_differences.ranking(values, choice.ranked.higher_is_better)[0]].name


def _of_runs(study: Study, numbers: Numbers, choice: LeaderboardChoice, metric: Metric, together: bool) -> RunStanding:
    runs, names = choice.runs, [run.name for run in choice.runs]
    values, boot = numbers.corpus(study, metric, runs)
    pairs = numbers.pairs(study, metric, runs)
    results = tuple(numbers.get(run, metric) for run in runs)
    base = names.index(choice.baseline) if choice.baseline in names else None
    against = results[base] if base is not None else None
    differences = None
    if base is not None and together:
        differences = pairs.against(base)
    elif base is not None:
        units, sets = against.n_units if against else 0, numbers.item_sets(metric, runs)
        differences = run_differences.differences(values, boot, base, units, sets)
    every = [result for (_, name), result in numbers.results.items() if name == metric.name]
    return RunStanding(
        metric,
        values,
        pairs,
        numbers.human(study, metric),
        against.corpus if against else np.nan,
        tuple(numbers.floor(metric, [name]) for name in names),
        numbers.floor(metric, names),
        runs,
        results,
        differences,
        numbers.against_people(study, metric, runs) if metric.tested else None,
        unequal(study, metric, runs),
        tuple(missing_note(study, run, result, every) if result else "" for run, result in zip(runs, results)),
        numbers.detectable.get(metric.name),
    )


def of_settings(study: Study, numbers: Numbers, choice: LeaderboardChoice) -> Standings[SettingStanding]:
    """Return the standings of the chosen settings by every chosen metric."""
    found = [_of_settings(study, numbers, choice, metric) for metric in choice.in_order]
    return Standings(study, numbers, choice, tuple(found))


def _of_settings(study: Study, numbers: Numbers, choice: LeaderboardChoice, metric: Metric) -> SettingStanding:
    of = standing(study, numbers, metric, choice.settings)
    return SettingStanding(
        metric,
        of.values,
        of.pairs,
        numbers.human(study, metric),
        np.nan,
        tuple(numbers.floor(metric, setting.runs) for setting in choice.settings),
        numbers.floor(metric, [run.name for run in choice.runs]),
        of.estimates,
    )
