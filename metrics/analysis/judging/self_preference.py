"""Self-preference: whether a judge rates captions by its own model higher than people, or a metric, do."""

from __future__ import annotations

import numpy as np

from metrics.analysis.judgments.correlation import Estimate, t_test
from metrics.bootstrap import bootstrap_totals, known_interval
from metrics.mathematics.arrays import Floats, Integers

FEWEST = 3
"""Minimum number of runs: the judge's own, and two others that show how far its scores follow the comparison."""
_KNOWN = 0.9


def self_preference(judged: Floats, compared: Floats, own: int, unit: Integers, seed: int = 0) -> Estimate:
    """Return how much further the run `own` leads the other runs by the judge than by the comparison.

    `judged` and `compared` are (runs, items), higher is better; items with gaps are left out, and `unit` (items,)
    numbers items that are resampled together. Both leads are means over items, in units of the standard deviation of
    the other runs' values about their item mean, so that the scales do not matter; the estimate is the difference
    between the leads.

    Noise shrinks a lead in these units, so a judge that answers at random would seem to favour a run that is behind.
    The comparison's lead is therefore converted to the judge's scale in two ways: by the regression of the judge on the
    comparison within items, and by the reverse regression. If only one side is noisy, one of them gives the true
    factor; if both are, the factor lies between them (Frisch 1934). The interval covers both bootstrap intervals, and p
    is the larger of the two, or 1 if the two estimates have different signs; both are NaN if the judge and the
    comparison are not clearly positively correlated on the other runs. Raises ValueError with fewer than FEWEST runs.
    """
    if len(judged) < FEWEST:
        raise ValueError(f"Self-preference needs {FEWEST} runs, got {len(judged)}.")
    known = np.isfinite(judged).all(axis=0) & np.isfinite(compared).all(axis=0)
    n = int(known.sum())
    if not n:
        return Estimate(np.nan, np.nan, np.nan, np.nan, 0)
    others = np.arange(len(judged)) != own
    rest = [side[others][:, known] for side in (judged, compared)]
    off = [values - values.mean(axis=0) for values in rest]
    leads = [side[own, known] - values.mean(axis=0) for side, values in zip((judged, compared), rest)]
    moments = [(off[a] * off[b]).sum(axis=0) for a, b in ((0, 0), (1, 1), (0, 1))]
    sums = np.stack([np.ones(n), *leads, *moments], axis=1)
    totals, drawn = sums.sum(axis=0)[None], bootstrap_totals(sums, seed=seed, unit=unit[known])
    value, units = _differences(totals, others.sum() - 1)[:, 0], len(np.unique(unit[known]))
    boot = _differences(drawn, others.sum() - 1)
    ends = [known_interval(of, units, _KNOWN) for of in boot[1:]]
    p = [t_test(float(one), of, units) for one, of in zip(value[1:], boot[1:])]
    low, high = min(end.low for end in ends), max(end.high for end in ends)
    if not np.isfinite([low, high, *p]).all():
        low = high = np.nan
        p = [np.nan]
    elif value[1] * value[2] <= 0:
        p = [1.0]
    return Estimate(float(value[0]), low, high, max(p), n)


def _differences(totals: Floats, freedom: int) -> Floats:
    """(3, rows) differences between the lead by the judge and the lead by the compared metric, both standardised.

    Row 0 subtracts the comparison's lead as it is, row 1 after multiplying it by the correlation r within items, row 2
    after dividing it by r: the slopes of the two regressions. Rows 1 and 2 are NaN unless r is positive.
    """
    n, judged, compared, own, other, both = totals.T
    with np.errstate(divide="ignore", invalid="ignore"):
        leads = [lead / n / np.sqrt(squares / n / freedom) for lead, squares in ((judged, own), (compared, other))]
        r = both / np.sqrt(own * other)
        r = np.where(r > 0, r, np.nan)
        return np.stack([leads[0] - leads[1], leads[0] - r * leads[1], leads[0] - leads[1] / r])
