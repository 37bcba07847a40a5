"""Captions on which a metric and people disagree most, by the difference between their mid-ranks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from data.study import Study
from metrics.analysis.item_order import shares_below
from metrics.analysis.judgments.points import Points, Values, metric_values
from metrics.base import Metric


class Disagreement(NamedTuple):
    """A caption: positions of its run and item, its place, the metric's value, the mean rating, and the gap in -1..1.

    A positive gap means that the metric ranks the caption higher among all captions than people do.
    """

    run: int
    item: int
    place: int
    value: float
    rating: float
    gap: float


def disagreements(
    study: Study, results: Values, metric: Metric, at: Points, most: int = 2
) -> tuple[list[Disagreement], list[Disagreement]]:
    """Return the captions that a metric ranks higher than people do, and those that it ranks lower, largest gap first.

    `at` has one point per caption, the mean over its raters. Each list has at most `most` captions, one per item.
    """
    x = metric_values(study, results, metric, at)
    known = ~np.isnan(x)
    ranks = [shares_below(np.where(known, side, np.nan)) for side in (x, at.value)]
    gap = ranks[0] - ranks[1]
    shown = x if metric.higher_is_better else -x
    out = []
    for sign in (1, -1):
        order = np.argsort(np.where(known, -sign * gap, np.inf), kind="stable")
        found: dict[int, Disagreement] = {}
        for k in (k for k in order if known[k] and sign * gap[k] > 0):
            item = int(at.item[k])
            found.setdefault(
                item,
                Disagreement(
                    int(at.run[k]), item, int(at.place[k]), float(shown[k]), float(at.value[k]), float(gap[k])
                ),
            )
            if len(found) == most:
                break
        out.append(list(found.values()))
    return out[0], out[1]
