"""Length bias: the change in a judge's score per ten additional words, within items."""

from __future__ import annotations

import numpy as np

from metrics.analysis.judgments.correlation import Estimate, estimate
from metrics.bootstrap import bootstrap_totals
from metrics.mathematics.arrays import Floats, Integers

WORDS = 10


def length_slope(score: Floats, words: Floats, item: Integers, unit: Integers, seed: int = 0) -> Estimate:
    """Return the least-squares slope of scores per WORDS words within items, with a bootstrap over units.

    `score`, `words`, `item` and `unit` are (n,), one per caption. Scores and words are taken as deviations from their
    item's mean, so that differences between items do not matter; n counts the captions of items with at least two
    different lengths. The slope is NaN if there is no such item.
    """
    _, of = np.unique(item, return_inverse=True)
    of = of.ravel()
    size = np.bincount(of)
    x, y = (values - (np.bincount(of, values) / size)[of] for values in (words, score))
    varied = (np.bincount(of, x * x) > 1e-9)[of]
    if not varied.any():
        return Estimate(np.nan, np.nan, np.nan, np.nan, 0)
    units, place = np.unique(unit[varied], return_inverse=True)
    x, y = x[varied], y[varied]
    sums = np.stack([np.bincount(place.ravel(), column, len(units)) for column in (x * y, x * x)], axis=1)
    total, drawn = sums.sum(axis=0), bootstrap_totals(sums, seed=seed)
    value = WORDS * float(total[0] / total[1])
    return estimate(value, WORDS * drawn[:, 0] / drawn[:, 1], len(units), int(varied.sum()))
