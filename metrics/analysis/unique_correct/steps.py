"""Does one more correct caption ever make a score significantly worse?"""

from __future__ import annotations

import numpy as np

from metrics.mathematics.arrays import Floats, Integers
from metrics.permutation.pvalues import ALPHA, holm
from metrics.units import Units, by_unit


def ever_worse(values: Floats, pairs: Integers, higher_is_better: bool, unit: Units = None) -> bool:
    """Return whether any cell is significantly worse than that with one fewer correct and equally many unique captions.

    `values` are (items, repeats, cells); `pairs` (cells, 2) are the numbers of correct and unique captions. The tests
    are Student's t of the mean difference over items or clusters, two-sided, with Holm's correction over all such pairs
    of cells.
    """
    from scipy.special import stdtr

    by_item, place = values.mean(axis=1), {tuple(pair): k for k, pair in enumerate(pairs.tolist())}
    steps = [(place[m - 1, k], at) for (m, k), at in place.items() if (m - 1, k) in place]
    if not steps or len(by_item) < 2:
        return False
    gaps = np.stack([by_item[:, more] - by_item[:, less] for less, more in steps], axis=1)
    off = by_unit(gaps - gaps.mean(axis=0), unit)
    if len(off) < 2:
        return False
    error = np.sqrt((off**2).sum(axis=0) * len(off) / (len(off) - 1)) / len(by_item)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = gaps.mean(axis=0) / error
    p = holm(np.where(error > 0, 2 * stdtr(len(off) - 1, -np.abs(t)), 1.0))
    return bool(((p <= ALPHA) & ((t < 0) == higher_is_better)).any())
