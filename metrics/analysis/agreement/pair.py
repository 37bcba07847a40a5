"""The points on which two metrics disagree most."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from metrics.analysis.agreement.observations import Observations
from metrics.analysis.item_order import disagreement
from metrics.mathematics.arrays import Floats


class Disagreement(NamedTuple):
    """The position of a point, its values by both metrics in their original orientation, and the gap in rank, in -1..1.

    A positive gap means that the first metric ranks the point higher than the second does.
    """

    point: int
    first: float
    second: float
    gap: float


def gaps(found: Observations, first: int, second: int) -> Floats:
    """Return the differences (n,) between each point's mid-ranks by two metrics, within its group, in -1..1.

    NaN where either metric has no value.
    """
    out = np.full(found.values.shape[1], np.nan)
    for group in np.unique(found.group):
        at = found.group == group
        out[at] = disagreement(found.values[first, at], found.values[second, at])
    return out


def disagreements(
    found: Observations, first: int, second: int, most: int = 2
) -> tuple[list[Disagreement], list[Disagreement]]:
    """Return the points that the first metric ranks higher, and those that the second ranks higher, largest gap first.

    Each list has at most `most` points, and at most one per item. If some of the points that a metric ranks higher have
    an above-average value by it, only these are listed: a rank among many values near 0 would tell a reader nothing.
    """
    gap = gaps(found, first, second)
    one, other = found.stated(first), found.stated(second)
    out = []
    for sign, metric in ((1, first), (-1, second)):
        chosen: dict[int, Disagreement] = {}
        value = found.values[metric]
        high = value > np.nanmean(value) if np.isfinite(value).any() else np.isfinite(value)
        able = np.isfinite(gap) & (sign * gap > 0)
        able &= high if (able & high).any() else True
        for k in np.argsort(np.where(able, -sign * gap, np.inf), kind="stable").tolist():
            if len(chosen) == most or not able[k]:
                break
            key = int(found.item[k]) if found.item[k] >= 0 else -1 - k
            chosen.setdefault(key, Disagreement(k, float(one[k]), float(other[k]), float(gap[k])))
        out.append(list(chosen.values()))
    return out[0], out[1]
