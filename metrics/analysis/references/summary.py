"""What the References page and its section of a report state, from the totals of subsets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from metrics.analysis.references.budget import Budget, budget
from metrics.analysis.references.stability import Stability, stability
from metrics.analysis.references.totals import SubsetTotals
from metrics.arrays import Floats


@dataclass(frozen=True)
class Summary:
    """How every metric moves with the references, and what a budget buys by the main one, for the same runs."""

    main: str
    moved: tuple[Stability, ...]
    costs: Budget
    count: int

    @property
    def chosen(self) -> Stability:
        """The main metric's."""
        return next(one for one in self.moved if one.metric == self.main)

    @property
    def runs(self) -> int:
        """Number of runs compared."""
        return len(self.chosen.full)

    def error(self, images: int, size: int) -> float:
        """Standard error of a difference between two runs, or of the only one, as a share of the mean score.

        The median over pairs of runs. Scores of some metrics rise with the number of references, so that errors for
        different numbers compare only as shares of the score with so many.
        """
        place, n = self.costs.sizes.index(size), self.runs
        if n > 1:
            variance = float(np.median(self.costs.difference[place][np.triu_indices(n, 1)]))
        else:
            variance = float(self.costs.run[place, 0])
        return float(np.sqrt(variance / images) / abs(self.score(size)))

    def score(self, size: int) -> float:
        """Mean score of the runs by the main metric with so many references."""
        one = self.chosen
        return float((one.full if size == self.count else one.mean[one.sizes.index(size)]).mean())

    def errors(self, images: Sequence[int], sizes: Sequence[int]) -> Floats:
        """(sizes, images) of `error`."""
        return np.array([[self.error(n, size) for n in images] for size in sizes])

    @property
    def images_first(self) -> bool:
        """Whether captions go further as one for each image than as all for fewer images."""
        return self.error(self.count, 1) < self.error(1, self.count)


def summary(found: SubsetTotals, main: str, runs: Sequence[int], draws: int, seed: int = 0) -> Summary:
    """Return the summary of these runs (positions) by all metrics of the totals, of which `main` is one."""
    own = found.of_runs(runs)
    moved = tuple(stability(own, metric.name, draws, seed) for metric in own.metrics)
    return Summary(main, moved, budget(own, main, seed), own.design.count)
