"""The most informative runs and metrics, which a paired comparison shows by default."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from data.study import Run, Study
from metrics.analysis.defaults import first_to_rank
from metrics.analysis.numbers import Numbers
from metrics.analysis.paired import Comparison, Family, family, opposed, pair_over_all_pairs
from metrics.analysis.replicates.grouping import replicates
from metrics.analysis.replicates.settings_as_runs import by_setting
from metrics.analysis.run_differences import equal_to, ranking
from metrics.base import Metric


def main_metric(study: Study, metrics: Sequence[Metric]) -> Metric | None:
    """Return the metric that ranks the runs by default, or else the first metric; None without metrics.

    It does not depend on what is computed, so a page that still waits for it begins as the Leaderboard does.
    """
    return first_to_rank(study, metrics) or next(iter(metrics), None)


def best_first(study: Study, numbers: Numbers, metric: Metric | None) -> list[str]:
    """Return the names of the runs from best to worst by a metric; in study order without a metric.

    The seeds of a setting are adjacent, ordered by their mean, to match the page of settings.
    """
    if metric is None:
        return [run.name for run in study.runs]
    found = {run.name: result.corpus for run in study.runs if (result := numbers.get(run, metric)) is not None}
    settings = replicates(study.runs)
    known = [[found[name] for name in of.runs if np.isfinite(found.get(name, np.nan))] for of in settings]
    values = np.array([np.mean(of) if of else np.nan for of in known])
    return [name for k in ranking(values, metric.higher_is_better) for name in settings[k].runs]


def rivals(study: Study, first: Run, names: Sequence[str]) -> list[str]:
    """Return the names of the runs of other models than the first run's, else of other settings, else of all others."""
    others = [name for name in names if study.run(name).model != first.model]
    seeds = next(of.runs for of in replicates(study.runs) if first.name in of.runs)
    return others or [name for name in names if name not in seeds] or [name for name in names if name != first.name]


def rival(study: Study, numbers: Numbers, main: Metric | None, first: Run) -> str:
    """Return the runner-up to the first run: the best of its `rivals` by the main metric.

    Runs without a value come last, because none of their items could be shown. If most settings have several seeds but
    that of the first run has one, the runner-up has several, as in `pair_of_settings`.
    """
    others = rivals(study, first, best_first(study, numbers, main))
    settings = replicates(study.runs)
    several = [name for of in settings if len(of.runs) > 1 for name in of.runs]
    if mostly_seeded(study) and first.name not in several:
        others = [name for name in others if name in several] or others
    valued = [name for name in others if main is not None and numbers.has_value(study.run(name), main)]
    return (valued or others)[0]


def mostly_seeded(study: Study) -> bool:
    """Return whether at least half of the settings have several seeds; two settings are then compared, not two runs."""
    seeded = [len(of.runs) > 1 for of in replicates(study.runs)]
    return 2 * sum(seeded) >= len(seeded)


def pair_of_settings(study: Study, numbers: Numbers, main: Metric | None) -> tuple[str, str]:
    """Return the names of the best setting and its runner-up, chosen as for runs; equal for a single setting.

    If the best setting has a single run, the runner-up has several, if any setting has: seeds are the unit of such a
    comparison.
    """
    known = {key: result for key, result in numbers.results.items() if main is not None and key[1] == main.name}
    settings = replicates(study.runs)
    ranked, of_ranked = by_setting(study, replace(numbers, results=known), settings)
    first = best_first(ranked, of_ranked, main)[0]
    if len(ranked.runs) < 2:
        return first, first
    several = {of.name for of in settings if len(of.runs) > 1}
    if several and first not in several:
        ranked = ranked.only(runs=[first, *several])
    return first, rival(ranked, of_ranked, main, ranked.run(first))


def pair(
    study: Study, numbers: Numbers, runs: tuple[Run, Run], metrics: Sequence[Metric], ranked: Sequence[Metric]
) -> Family:
    """Return the comparisons of two runs by several metrics, with p corrected across the metrics.

    If one of the two leads three or more runs by a metric in `ranked`, intervals and p also cover all pairs of runs.
    Nobody can tell whether a leader was picked before or after looking, so it counts as chosen by its result, whoever
    picked it, as in `paired.against`.
    """
    found = family(study, numbers, [(*runs, metric) for metric in metrics])
    led = {name for metric in ranked for name in _leaders(study, numbers, metric)}
    if len(study.runs) < 3 or led.isdisjoint(run.name for run in runs):
        return found
    return pair_over_all_pairs(study, numbers, found, study.runs)


def _leaders(study: Study, numbers: Numbers, metric: Metric) -> set[str]:
    """The run that pages open on, and those with the best value."""
    values, _ = numbers.corpus(study, metric, study.runs)
    best = equal_to(values, ranking(values, metric.higher_is_better)[0])
    return {best_first(study, numbers, metric)[0], *(study.runs[k].name for k in best)}


def telling(found: Family, main: Metric) -> Metric:
    """Return the metric whose images show what the verdict says: the main one, unless only others are significant.

    Of several others, it is the metric by which the smallest share of the items is tied.
    """
    sure = [c for c in found.comparisons if c.has_better_side and found.is_significant(c.metric)]
    if not sure or found.is_significant(main):
        return main
    return min(sure, key=_tied).metric


def _tied(c: Comparison) -> float:
    return c.counts[1] / c.n


def others(metrics: Sequence[Metric], main: Metric | None) -> tuple[Metric, ...]:
    """Return the metrics other than the main one.

    If one direction of the main metric is better, only other metrics of this kind are returned, if there are any. The
    result is empty without a main metric.
    """
    rest = [m for m in metrics if main is not None and m != main]
    judged = [m for m in rest if m.has_better_side]
    return tuple(judged if main is not None and main.has_better_side and judged else rest)


def most_opposed(
    study: Study, numbers: Numbers, metrics: Sequence[Metric], main: Metric | None, first: Run, second: Run
) -> Metric | None:
    """Return the other metric that disagrees most often with the main one about the winner of an item.

    If both runs are the same, return the first other metric; None if there is no other.
    """
    rest = others(metrics, main)
    if main is None or not rest or first == second:
        return rest[0] if rest else None
    found = family(study, numbers, [(first, second, metric) for metric in metrics]).comparisons
    by = {c.metric.name: c for c in found}

    def apart(metric: Metric) -> float:
        one, other = by[main.name], by[metric.name]
        if one.reason or other.reason:
            return -1.0
        return float((~np.isnan(opposed(one, other))).mean())

    return max(rest, key=apart)
