"""Agreement of metrics with the votes on the order of runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from metrics.analysis.judgments.systems import FEWEST
from metrics.analysis.numbers import Numbers
from metrics.base import Metric
from metrics.mathematics.arrays import Floats
from metrics.permutation.pvalues import holm


class OrderAgreement(NamedTuple):
    """Kendall's tau-b between a metric's values and the strengths of `runs` runs, with its raw and Holm-adjusted p."""

    metric: Metric
    tau: float
    p_value: float
    adjusted: float
    runs: int


def agreements(
    names: Sequence[str], strengths: Floats, numbers: Numbers, metrics: Sequence[Metric]
) -> list[OrderAgreement]:
    """Return the agreement of each metric that has values for at least FEWEST runs, highest first.

    Metrics for which no direction is better, or whose values are all equal, are left out. `strengths` (names,) are
    those of the runs. Values are oriented so that higher is better. p is two-sided, by permutation of the runs: exact
    for up to 33 runs without ties (Kendall 1938).
    """
    from scipy.stats import kendalltau

    found = []
    for metric in metrics:
        results = [numbers.results.get((name, metric.name)) for name in names]
        values = np.array([np.nan if one is None else one.corpus for one in results])
        there = ~np.isnan(values)
        if metric.has_better_side and there.sum() >= FEWEST and np.ptp(values[there]) > 0:
            sign = 1 if metric.higher_is_better else -1
            tau, p = kendalltau(sign * values[there], strengths[there])
            found.append((metric, float(tau), float(p), int(there.sum())))
    adjusted = holm([p for _, _, p, _ in found])
    made = [OrderAgreement(metric, tau, p, float(q), n) for (metric, tau, p, n), q in zip(found, adjusted)]
    return sorted(made, key=lambda one: -one.tau)
