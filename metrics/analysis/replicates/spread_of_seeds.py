"""The mean of a setting over its seeds, the spread between them, and the seed's share of a run's variance.

The value of seed k on item i is a mean plus a seed effect, an item effect and a residual: two crossed random effects.
Another seed on the same items changes a run's score by the seed effect and the mean of the residuals; other items
change it by the item effects. The classical route to these components is an analysis of variance of the items' values
(Searle, Casella and McCulloch 1992, section 4.3); here they come from resampled scores, so that pooled scores have them
as well.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from metrics.bootstrap import LEAST, LEVEL, interval
from metrics.mathematics.arrays import Floats


@dataclass(frozen=True)
class Estimate:
    """A setting by one metric: the `values` (runs,) of its seeds, and their `mean` with its interval over items.

    `sd` is the standard deviation between the seeds (divisor n - 1), NaN for one run. `share` is the share of the
    variance of one run's score that is due to the seed, with its interval; the rest is due to the items. `drawn` is the
    part of sd² that the items' residuals explain without any seed effect. `n` is the number of items behind each value,
    `n_units` that of independent units. `reason` states why there is no share.
    """

    values: Floats
    mean: float
    low: float = np.nan
    high: float = np.nan
    sd: float = np.nan
    drawn: float = np.nan
    share: float = np.nan
    share_low: float = np.nan
    share_high: float = np.nan
    n: int = 0
    reason: str = ""
    n_units: int = 0

    @property
    def runs(self) -> int:
        """The number of seeds with a value."""
        return len(self.values)

    @property
    def seeds_apart(self) -> float:
        """The typical difference between two seeds: the standard deviation of their difference."""
        return self.sd * np.sqrt(2)

    @property
    def excess(self) -> float:
        """The variance that seeds add to the mean, beyond its variance over items.

        It is 0 if the spread between seeds is unknown, or if the residuals explain it.
        """
        if self.runs < 2 or not np.isfinite(self.drawn):
            return 0.0
        return max(self.sd**2 - self.drawn, 0.0) / self.runs

    @property
    def uncertainty(self) -> float:
        """The variance of `excess` as an estimate, which determines the degrees of freedom of a difference.

        It is 0 if the spread between seeds is unknown.
        """
        if self.runs < 2 or not np.isfinite(self.drawn):
            return 0.0
        return float((max(self.sd**2, self.drawn) / self.runs) ** 2 / (self.runs - 1))


def estimate(values: Floats, boot: Floats, items: int) -> Estimate:
    """Return the estimate of a setting from the values (runs,) of its seeds and their resamples (runs, resamples).

    Resamples of all seeds use the same draws of items. If a metric has no resamples, they are NaN, and only the spread
    between the seeds is known.
    """
    sd = float(np.std(values, ddof=1)) if len(values) > 1 else np.nan
    found = Estimate(values, float(np.mean(values)), sd=sd, n=items, n_units=items)
    if items < LEAST or np.isnan(boot).any():
        return replace(found, reason="no resamples")
    low, high = interval(boot.mean(axis=0), items)
    if len(values) < 2:
        return replace(found, low=low, high=high, reason="one run: the difference between seeds is not known")
    drawn, of_items = _components(boot, items)
    if sd == 0:
        return replace(found, low=low, high=high, drawn=drawn, reason="all seeds have the same value")
    share = _share(sd**2, drawn, of_items, len(values), items)
    return replace(found, low=low, high=high, drawn=drawn, share=share[0], share_low=share[1], share_high=share[2])


def _components(boot: Floats, items: int) -> tuple[float, float]:
    """The variance of a run's score due to the items' residuals, and due to the items themselves.

    Items are resampled identically for all seeds: their variance is the covariance between two seeds, and the remaining
    variance of one seed is due to its residuals. Both are scaled by n / (n - 1), since a bootstrap variance divides by
    n.
    """
    covariance = np.cov(boot, ddof=0) * items / (items - 1)
    runs = len(boot)
    own = float(np.trace(covariance)) / runs
    shared = (float(covariance.sum()) - runs * own) / (runs * (runs - 1))
    return own - shared, shared


def _share(between: float, drawn: float, of_items: float, runs: int, items: int) -> tuple[float, float, float]:
    """The seeds' share with its ends, from the F distribution of the ratio of two independent variances.

    The degrees of freedom of the items' component, the difference between two mean squares, are from Satterthwaite
    1946.
    """
    from scipy.stats import f

    tail = (1 - LEVEL) / 2
    known = of_items if of_items > 0 else max(of_items + drawn / runs, np.finfo(float).tiny)
    spread = ((of_items + drawn / runs) ** 2 + (drawn / runs) ** 2 / (runs - 1)) / (items - 1)
    freedom = max(known**2 / spread, 1.0) if spread > 0 else items - 1
    ratio = between / known
    ends = (ratio / f.isf(tail, runs - 1, freedom), ratio / f.ppf(tail, runs - 1, freedom))
    value = between / (between + max(of_items, 0.0)) if between > 0 else 0.0
    low, high = (end / (1 + end) if np.isfinite(end) else 1.0 for end in ends)
    return float(value), float(low), 1.0 if of_items <= 0 else float(high)
