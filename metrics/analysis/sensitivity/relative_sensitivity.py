"""Relative sensitivity of metrics: the ratio of their mean log p."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from metrics.analysis.sensitivity.curve import Curve
from metrics.bootstrap import bootstrap_totals, interval
from metrics.mathematics.arrays import Floats
from metrics.units import count_units

RESAMPLES = 1_000


class Gain(NamedTuple):
    """The gain in sensitivity of one metric over another in per cent, with a 95 % bootstrap interval over units."""

    metric: str
    over: str
    percent: float
    low: float
    high: float
    n: int


def gain(found: Curve, metric: str, over: str, seed: int = 0) -> Gain:
    """Return 100 (mean log p / mean log p of `over` - 1), over items and sizes for which both metrics have a p.

    At 100 %, the typical p is the square of the other metric's. Chan et al. (figure 3) report the sensitivity of
    metrics by their log p in per cent; the ratio of means is chosen here, since their text does not define it. The gain
    is NaN if no item has both p.
    """
    names = [one.name for one in found.metrics]
    rows = [k for k, case in enumerate(found.design.cases) if case.row == "run"]
    pair = np.log(found.p[np.ix_(rows, [names.index(metric), names.index(over)])])
    known = np.asarray(~np.isnan(pair).any(axis=1))
    sums = np.where(known[:, None], pair, 0.0).sum(axis=0)
    items = np.flatnonzero(known.any(axis=0))
    if not len(items):
        return Gain(metric, over, np.nan, np.nan, np.nan, 0)
    sums = sums[:, items].T
    unit = np.array(found.design.unit, dtype=np.int64)[items] if found.design.unit else None
    drawn = bootstrap_totals(sums, RESAMPLES, seed, unit)
    low, high = interval(_percent(drawn), count_units(unit, np.arange(len(items))))
    return Gain(metric, over, float(_percent(sums.sum(axis=0))), low, high, len(items))


def gains(found: Curve, metric: str, seed: int = 0) -> list[Gain]:
    """Return the gain of a metric over each other metric that has a p for the same items."""
    others = [one.name for one in found.metrics if one.name != metric]
    return [one for over in others if (one := gain(found, metric, over, seed)).n]


def _percent(sums: Floats) -> Floats:
    """100 (a / b - 1) for sums a, b (..., 2) of log p; NaN where all p of the other metric are 1."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = sums[..., 0] / sums[..., 1]
    return np.asarray(np.where(sums[..., 1] < 0, 100 * (ratio - 1), np.nan))
