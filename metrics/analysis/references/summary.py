"""The results behind the References page and its section of a report, from the totals of subsets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from metrics.analysis.references.budget import Budget, budget
from metrics.analysis.references.stability import Stability, stability
from metrics.analysis.references.subset_totals import SubsetTotals
from metrics.bootstrap import bootstrap_totals
from metrics.mathematics.arrays import Floats
from metrics.permutation.pvalues import ALPHA

SQUARES = 3
"""Divisor of the degrees of freedom, because a standard error of squares is less certain than one of values.

Without it, equal errors differed significantly in 8 % of studies of 8 to 20 images and in 6 % of studies of 200; with
it, in 1 to 6 %.
"""


class Ratio(NamedTuple):
    """A value with the ends of its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Summary:
    """The stability of every metric under the choice of references, and the main metric's budget, for the same runs."""

    main: str
    moved: tuple[Stability, ...]
    costs: Budget
    count: int

    @property
    def chosen(self) -> Stability:
        """The stability of the main metric."""
        return next(one for one in self.moved if one.metric == self.main)

    @property
    def runs(self) -> int:
        """Number of runs compared."""
        return len(self.chosen.full)

    def error(self, images: int, size: int) -> float:
        """Return the relative standard error of a difference between two runs or, for a single run, of its score.

        It is a ratio of root mean squares over pairs of runs, and 0 without variance. At 1 / 1.96 and above, a
        difference is not significant.
        """
        place, n = self.costs.sizes.index(size), self.runs
        pairs = np.triu_indices(n, 1)
        variance = self.costs.difference[place][pairs] if n > 1 else self.costs.run[place]
        if not variance.any():
            return 0.0
        with np.errstate(divide="ignore"):
            return float(np.sqrt(variance.mean() / images / self._signal(self.costs.score[place])))

    def _signal(self, scores: Floats) -> Floats:
        """(...) mean square of the differences between runs, or of the only score, from scores (..., runs)."""
        first, second = np.triu_indices(self.runs, 1)
        return np.asarray(((scores[..., first] - scores[..., second] if self.runs > 1 else scores) ** 2).mean(axis=-1))

    def errors(self, images: Sequence[int], sizes: Sequence[int]) -> Floats:
        """Return the values (sizes, images) of `error`."""
        return np.array([[self.error(n, size) for n in images] for size in sizes])

    @property
    def compared(self) -> Ratio:
        """The log ratio of two errors: of `count` images with one reference each, and of one image with `count`.

        The interval uses Student's t with the standard error from a joint bootstrap of both errors over images, or
        clusters of images, since percentiles of the logs are biased towards references. NaN if an error is 0 or
        infinite, or if both are equal; the ends are NaN with too few images.
        """
        from scipy.special import stdtrit

        with np.errstate(divide="ignore", invalid="ignore"):
            value = float(np.log(self.error(self.count, 1)) - np.log(self.error(1, self.count)))
            if value == 0 or not np.isfinite(value):
                return Ratio(np.nan, np.nan, np.nan)
            one, every = (self._log_errors(k) for k in (0, 1))
        n = len(self.costs.held)
        reach = float(-stdtrit((n - 1) / SQUARES, ALPHA / 2) * (one - every).std() * np.sqrt(n / (n - 1)))
        return Ratio(value, value - reach, value + reach)

    def _log_errors(self, place: int) -> Floats:
        """(resamples,) logs of the error of one image, with one reference or with all, over resampled units."""
        squares, scores = self.costs.squares[place], self.costs.scores[place]
        *sums, items = bootstrap_totals(np.vstack([squares, scores, self.costs.held]).T).T
        variance, values = np.split(np.array(sums).T / items[:, None], [len(squares)], axis=1)
        return np.asarray((np.log(variance.mean(axis=1)) - np.log(self._signal(values))) / 2)


def summary(found: SubsetTotals, main: str, runs: Sequence[int], draws: int, seed: int = 0) -> Summary:
    """Return the summary of these runs (positions) by all metrics of the totals, including `main`."""
    own = found.of_runs(runs)
    moved = tuple(stability(own, metric.name, draws, seed) for metric in own.metrics)
    return Summary(main, moved, budget(own, main, seed), own.design.count)
