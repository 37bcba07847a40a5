"""The worst and the best value that a run could have had if it had described all items that other runs describe.

A study contains the items that all runs describe. A run that lacks the hard items looks better than it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from data.study import Run, Study
from metrics.base import Metric
from metrics.engine.result import Result


class Bounds(NamedTuple):
    """The lowest and highest possible corpus value, and whether they follow from the metric's bounds.

    If `by_metric`, missing items are put at these bounds; otherwise they are taken to be like the worst and the best
    item of all runs of the study.
    """

    low: float
    high: float
    by_metric: bool


def bounds(study: Study, run: Run, result: Result, others: Iterable[Result]) -> Bounds | None:
    """Return the bounds of a run's value over its items and those that it lacks.

    None if it lacks no items, or has no value that is a mean over items. `others` are the results of all runs for the
    metric.
    """
    lacks, n = study.lacking.get(run.name, 0), result.n
    if not lacks or not n or not np.isfinite(result.corpus) or not is_mean(result.metric):
        return None
    ends, by_metric = result.metric.bounds, bool(np.isfinite(result.metric.bounds).all())
    if not by_metric:
        seen = np.concatenate([one.items for one in (result, *others)])
        ends = float(np.nanmin(seen)), float(np.nanmax(seen))
    low, high = ((n * result.corpus + lacks * end) / (n + lacks) for end in ends)
    return Bounds(float(low), float(high), by_metric)


def is_mean(metric: Metric) -> bool:
    """Return whether a corpus value is the mean over items, and can therefore be bounded if items are missing."""
    return metric.of_items and not metric.pooled


def missing_note(study: Study, run: Run, result: Result, others: Iterable[Result]) -> str:
    """Return a note on the items that a run lacks, with the bounds of its value; "" if it lacks none or needs none."""
    lacks = study.lacking.get(run.name, 0) if result.metric.family != "references" else 0
    if not lacks:
        return ""
    said = f"captions are missing for {lacks:,} item{'' if lacks == 1 else 's'} that other runs describe"
    if (found := bounds(study, run, result, others)) is None:
        return said
    whose = "all runs" if len(study.runs) > 1 else "the run"
    how = "at the bounds of the metric" if found.by_metric else f"as the worst and the best item of {whose}"
    return f"{said}; with these {how}, the value is {found.low:.4g} to {found.high:.4g}"
