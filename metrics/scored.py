"""The numbers of a study as pages, reports and exports look at them: of its runs, of its references, of people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from data.study import Run, Study
from metrics import compare
from metrics import human as human_line
from metrics.arrays import Floats
from metrics.base import Metric
from metrics.bootstrap import RESAMPLES
from metrics.engine import REFERENCES, Results
from metrics.kept import Kept
from metrics.result import Result

_kept: Kept[tuple[str, ...], Floats] = Kept(128)


@dataclass(frozen=True)
class Numbers:
    """The results there are, of the runs, of the references (consensus) and of the references as a run."""

    results: Results
    agreement: Results = field(default_factory=dict)
    people: Results = field(default_factory=dict)

    def get(self, run: Run, metric: Metric) -> Result | None:
        """The result of one metric on one run, None if it is not there yet."""
        return self.results.get((run.name, metric.name))

    def of(self, metric: Metric, runs: Sequence[Run]) -> list[tuple[int, Run]]:
        """Positions and runs that have a result."""
        return [(k, run) for k, run in enumerate(runs) if (run.name, metric.name) in self.results]

    def waiting(self, metric: Metric, runs: Sequence[Run]) -> bool:
        """Whether results of some of these runs are still to come."""
        return len(self.of(metric, runs)) < len(runs)

    def corpus(self, study: Study, metric: Metric, runs: Sequence[Run]) -> tuple[Floats, Floats]:
        """(runs,) corpus values and (runs, resamples) resampled ones; NaN where there is no result yet.

        Every metric and run is resampled with the same draws of items, so that rows can be set against each other.
        """
        values = np.full(len(runs), np.nan)
        boot = np.full((len(runs), RESAMPLES), np.nan)
        found = self.of(metric, runs)
        if found:
            results = [self.results[run.name, metric.name] for _, run in found]
            places = [k for k, _ in found]
            values[places] = compare.corpus_values(results)
            key = (study.references_digest, metric.signature, *(study.contents[run.name] for _, run in found))
            boot[places] = _resampled(key, results)
        return values, boot

    def item_sets(self, metric: Metric, runs: Sequence[Run]) -> NDArray[np.int64]:
        """(runs,) numbers that are equal where the same items have values; -1 where there is no result yet."""
        sets = np.full(len(runs), -1)
        found = self.of(metric, runs)
        sets[[k for k, _ in found]] = compare.item_sets([self.results[run.name, metric.name] for _, run in found])
        return sets

    def human(self, study: Study, metric: Metric) -> human_line.Human:
        """The human value of a metric, or why there is none."""
        own = {run: result for (run, name), result in self.results.items() if name == metric.name}
        agreement = self.agreement.get((REFERENCES.name, f"consensus_{metric.name}"))
        return human_line.human(study, metric, own, agreement, self.people.get((human_line.HUMAN, metric.name)))


def of_results(own: Results, people_results: Results) -> Numbers:
    """Numbers from the results of a study's own scoring and from those of `human.references_as_run`."""
    runs = {key: result for key, result in own.items() if result.metric.family != "references"}
    agreement = {key: result for key, result in own.items() if result.metric.family == "references"}
    return Numbers(runs, agreement, people_results)


def _resampled(key: tuple[str, ...], results: Sequence[Result]) -> Floats:
    """Kept by what determines it: the references, the metric and what the runs say."""
    if (found := _kept.get(key)) is not None:
        return found
    values = compare.resampled(results)
    values.setflags(write=False)
    _kept.put(key, values)
    return values
