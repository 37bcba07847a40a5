"""The numbers of a study for pages, reports and exports: for its runs, its references and people."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from data.study import Run, Study
from metrics.analysis import claims, run_differences
from metrics.analysis import human_line as human_line
from metrics.analysis.chance import Chance
from metrics.analysis.comparable_runs import unequal
from metrics.analysis.detectable_faults import Detectable, detectable, mixtures
from metrics.base import Estimate, Metric
from metrics.bootstrap import RESAMPLES
from metrics.cache.memory import LruCache
from metrics.engine.result import Result
from metrics.engine.scoring import REFERENCES, Results
from metrics.mathematics.arrays import Floats

Score = Callable[[Study, tuple[Metric, ...]], Results]
"""A function that scores metrics on a study; the caller chooses its options, cache and job."""
Measure = Callable[[Study, Metric], Floats | None]
"""A function that returns `detectable_faults.statistics` for a study of runs with known faults."""
_cache: LruCache[tuple[str, ...], Floats] = LruCache(128)
_pairs: LruCache[tuple[str, ...], run_differences.Pairs] = LruCache(128)


@dataclass(frozen=True)
class Numbers:
    """The available results: of the runs, of the references (consensus), and of the references as a run.

    `detectable` maps a metric to the faults that its joint test could detect, if it detects no difference in some run.
    `chance` maps a metric and a run to values against other items' references, if these were requested.
    """

    results: Results
    agreement: Results = field(default_factory=dict)
    people: Results = field(default_factory=dict)
    detectable: Mapping[str, Detectable] = field(default_factory=dict)
    chance: Mapping[str, Mapping[str, Chance]] = field(default_factory=dict)

    def floor(self, metric: Metric, runs: Sequence[str]) -> Estimate | None:
        """Return the mean chance value of the runs that have one; None if none has.

        Its interval spans theirs: from the lowest end to the highest.
        """
        own = self.chance.get(metric.name, {})
        found = [own[run] for run in runs if run in own and np.isfinite(own[run].value)]
        if not found:
            return None
        low, high = min(one.low for one in found), max(one.high for one in found)
        return Estimate(float(np.mean([one.value for one in found])), low, high)

    def get(self, run: Run, metric: Metric) -> Result | None:
        """Return the result of one metric on one run, or None if it is not available yet."""
        return self.results.get((run.name, metric.name))

    def has_value(self, run: Run, metric: Metric) -> bool:
        """Return whether a run has a finite value of one metric."""
        result = self.get(run, metric)
        return result is not None and bool(np.isfinite(result.corpus))

    def of(self, metric: Metric, runs: Sequence[Run]) -> list[tuple[int, Run]]:
        """Return the runs that have a result, with their positions."""
        return [(k, run) for k, run in enumerate(runs) if (run.name, metric.name) in self.results]

    def waiting(self, metric: Metric, runs: Sequence[Run]) -> bool:
        """Return whether any of these runs lacks a result."""
        return len(self.of(metric, runs)) < len(runs)

    def corpus(self, study: Study, metric: Metric, runs: Sequence[Run], seed: int = 0) -> tuple[Floats, Floats]:
        """Return corpus values (runs,) and resampled values (runs, resamples); NaN without a result.

        Also NaN for runs that a metric cannot compare with other runs (`comparable_runs.unequal`), which no ranking
        includes. Every metric and run is resampled with the same draws of items, so that rows are comparable.
        """
        values = np.full(len(runs), np.nan)
        boot = np.full((len(runs), RESAMPLES), np.nan)
        left_out = unequal(study, metric, runs)
        found = [(k, run) for k, run in self.of(metric, runs) if run.name not in left_out]
        if found:
            results = [self.results[run.name, metric.name] for _, run in found]
            places = [k for k, _ in found]
            values[places] = run_differences.corpus_values(results)
            key = (study.references_digest, metric.signature, *(result.fingerprint for result in results))
            boot[places] = _resampled((*key, str(seed)), results, seed)
        return values, boot

    def item_sets(self, metric: Metric, runs: Sequence[Run]) -> NDArray[np.int64]:
        """Return numbers (runs,) that are equal for runs with values for the same items; -1 without a result."""
        sets = np.full(len(runs), -1)
        found = self.of(metric, runs)
        sets[[k for k, _ in found]] = run_differences.item_sets(
            [self.results[run.name, metric.name] for _, run in found]
        )
        return sets

    def pairs(self, study: Study, metric: Metric, runs: Sequence[Run], seed: int = 0) -> run_differences.Pairs:
        """Return the differences between all pairs of runs by a metric, with tests corrected across the pairs.

        They are NaN for runs without a result. They are cached unless they include a variance of seeds, since a page is
        redrawn whenever a new number of any metric arrives.
        """
        values, boot = self.corpus(study, metric, runs, seed)
        found = [self.results.get((run.name, metric.name)) for run in runs]
        items = [result.n_units if result is not None else 0 for result in found]
        seeds, sets = self.seed_variance(metric, runs), self.item_sets(metric, runs)
        # A run without a value lacks its result, or cannot be compared with the others.
        known = [
            result.fingerprint if result is not None and np.isfinite(value) else ""
            for result, value in zip(found, values)
        ]
        key = (study.references_digest, metric.signature, *known, str(seed))
        if seeds is None and (kept := _pairs.get(key)) is not None:
            return kept
        made = run_differences.all_pairs(values, boot, items, sets, seeds)
        if seeds is None:
            for array in vars(made).values():
                array.setflags(write=False)
            _pairs.put(key, made)
        return made

    def seed_variance(self, metric: Metric, runs: Sequence[Run]) -> run_differences.SeedVariance | None:
        """Return the contribution of seeds to the variances of the values; None, because each run is one seed."""
        return None

    def human(self, study: Study, metric: Metric) -> human_line.Human:
        """Return the human value of a metric, or the reason why it has no such value."""
        own = {run: result for (run, name), result in self.results.items() if name == metric.name}
        agreement = self.agreement.get((REFERENCES.name, f"consensus_{metric.name}"))
        return human_line.human(study, metric, own, agreement, self.people.get((human_line.HUMAN, metric.name)))

    def against_people(self, study: Study, metric: Metric, runs: Sequence[Run]) -> claims.PeopleComparison:
        """Return how runs compare with people by a metric; scores are also compared with people's own, if available."""
        own = self.agreement.get((REFERENCES.name, f"consensus_{metric.name}"))
        comparable = metric.two_sided and not np.isnan(self.human(study, metric).value)
        found = claims.compare_with_people([self.get(run, metric) for run in runs], own if comparable else None)
        found = replace(found, one_reference=all(len(item.references) < 2 for item in study.items))
        found_with = self.detectable.get(metric.name)
        return claims.undecided(found) if found_with and found_with.nothing else found


def score_with_people(study: Study, metrics: tuple[Metric, ...], score: Score) -> Numbers:
    """Return the scores of metrics on a study, and those that their human lines require."""
    needs = human_line.human_requirements(study, metrics)
    own = score(study, metrics + needs.consensus)
    return of_results(own, {} if needs.study is None else score(needs.study, needs.as_run))


def with_detectable(study: Study, numbers: Numbers, metric: Metric | None, measure: Measure) -> Numbers:
    """Return the numbers with the faults that a metric's joint test could detect, if some run shows no difference.

    `measure` tests runs with known faults, built from the captions of the first such run. If no such run can be built,
    as with a single item, no fault counts as detectable. The numbers are unchanged if every run shows a difference or
    `measure` returns None.
    """
    run = _undetected(study, numbers, metric) if metric and metric.joint else None
    if metric is None or run is None:
        return numbers
    would, mixed = Detectable(None, 0, False), mixtures(study, run)
    if mixed is not None:
        if (found := measure(mixed, metric)) is None:
            return numbers
        would = detectable(mixed, found, study, numbers.against_people(study, metric, study.runs).tests)
    return replace(numbers, detectable={**numbers.detectable, metric.name: would})


def mixed_study(study: Study, numbers: Numbers, metric: Metric) -> Study | None:
    """Return a study of known faults, built from the first run in which a joint test detects nothing.

    Return None if there is no such run, while results are missing, if the values of the metric come from files, or with
    too few captions (`mixtures`).
    """
    run = _undetected(study, numbers, metric)
    return None if run is None else mixtures(study, run)


def _undetected(study: Study, numbers: Numbers, metric: Metric) -> Run | None:
    if not study.runs or numbers.waiting(metric, study.runs) or metric.of_stated_captions:
        return None
    return next((study.runs[k] for k in numbers.against_people(study, metric, study.runs).alike), None)


def of_results(own: Results, people_results: Results) -> Numbers:
    """Return numbers from the results of scoring a study and those of scoring `human_line.references_as_run`."""
    runs = {key: result for key, result in own.items() if result.metric.family != "references"}
    agreement = {key: result for key, result in own.items() if result.metric.family == "references"}
    return Numbers(runs, agreement, people_results)


def _resampled(key: tuple[str, ...], results: Sequence[Result], seed: int) -> Floats:
    if (found := _cache.get(key)) is not None:
        return found
    values = run_differences.resampled(results, seed=seed)
    values.setflags(write=False)
    _cache.put(key, values)
    return values
