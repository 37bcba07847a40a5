"""What the References page and its section of a report state, from the totals of subsets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from metrics.analysis.references.budget import Budget, budget
from metrics.analysis.references.stability import Stability, stability
from metrics.analysis.references.totals import SubsetTotals
from metrics.arrays import Floats
from metrics.bootstrap import bootstrap_totals
from metrics.pvalues import ALPHA

SQUARES = 3
"""What the degrees of freedom are divided by: a standard error of squares is less certain than one of values.

With all of them, equal errors differed in 8 % of studies of 8 to 20 images and 6 % of 200; so in 1 to 6 %.
"""


class Ratio(NamedTuple):
    """A value with the ends of its 95 % interval."""

    value: float
    low: float
    high: float


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
    def compared(self) -> Ratio:
        """The log of the error with one reference of each image over that with all of fewer images, with its interval.

        Student's t of the standard error that a bootstrap over images gives both errors together: percentiles of the
        logs lean to references. NaN where an error is 0 or the two are equal, the ends NaN of too few images.
        """
        from scipy.special import stdtrit

        with np.errstate(divide="ignore", invalid="ignore"):
            value = float(np.log(self.error(self.count, 1)) - np.log(self.error(1, self.count)))
            if value == 0 or not np.isfinite(value):
                return Ratio(np.nan, np.nan, np.nan)
            one, every = (self._log_errors(k) for k in (0, 1))
        n = self.costs.items
        reach = float(-stdtrit((n - 1) / SQUARES, ALPHA / 2) * (one - every).std() * np.sqrt(n / (n - 1)))
        return Ratio(value, value - reach, value + reach)

    def _log_errors(self, place: int) -> Floats:
        """(resamples,) logs of the error of one image, with one reference or with all, over images drawn again."""
        sums = np.vstack([self.costs.squares[place], self.costs.scores[place]]).T
        drawn = bootstrap_totals(sums) / len(sums)
        return np.asarray(np.log(np.median(drawn[:, :-1], axis=1)) / 2 - np.log(np.abs(drawn[:, -1])))


def summary(found: SubsetTotals, main: str, runs: Sequence[int], draws: int, seed: int = 0) -> Summary:
    """Return the summary of these runs (positions) by all metrics of the totals, of which `main` is one."""
    own = found.of_runs(runs)
    moved = tuple(stability(own, metric.name, draws, seed) for metric in own.metrics)
    return Summary(main, moved, budget(own, main, seed), own.design.count)
