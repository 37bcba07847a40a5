"""Where to look first: the most informative runs of a comparison, and the items on which runs differ most."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from data.study import Run, Study
from metrics.analysis.defaults import first_to_rank
from metrics.analysis.feasibility import first_runs, why_impossible
from metrics.analysis.numbers import Numbers
from metrics.analysis.paired_defaults import best_first, rivals
from metrics.base import Metric
from metrics.engine.result import Result
from metrics.mathematics.arrays import Floats
from metrics.suite.ratings import RatedByPeople

ALL, LOOKED_AT = 6, 20
"""The largest number of runs that are all shown, and the number of items among which a page finds one to begin with."""


def main_metric(
    study: Study, offered: Mapping[str, Metric], shown: Sequence[Metric], there: Callable[[Metric], bool]
) -> Metric | None:
    """Return the main metric: people's ratings, else the ranking metric, else the first of `shown` that can serve.

    A metric can serve if it is possible and one direction is better. The ranking metric may be slow, so it precedes
    those of `shown` only if its results are already `there`. Return None if no metric can serve.
    """
    if (rated := next((one for one in offered.values() if isinstance(one, RatedByPeople)), None)) is not None:
        return rated
    able = [one for one in offered.values() if why_impossible(study, one) is None]
    first = first_to_rank(study, able)
    if first is not None and there(first):
        return first
    possible = (metric for metric in (*shown, *filter(None, [first])) if metric in able)
    return next((metric for metric in possible if metric.has_better_side), None)


def telling_runs(study: Study, numbers: Numbers, metric: Metric | None) -> list[Run]:
    """Return the best run by a metric, the best of its `rivals`, and the worst, each listed once.

    Runs without a value are left out. If fewer than two runs have values, return the runs that other pages begin with.
    """
    order = [study.run(name) for name in best_first(study, numbers, metric)]
    valued = [run for run in order if metric is not None and _has_value(numbers, run, metric)]
    if len(valued) < 2:
        return first_runs(study)
    rival = study.run(rivals(study, valued[0], [run.name for run in valued])[0])
    return list({run.name: run for run in (valued[0], rival, valued[-1])}.values())


def shown_runs(study: Study, numbers: Numbers, metric: Metric | None) -> list[Run]:
    """Return all runs, best first by a metric, if there are at most ALL; otherwise the `telling_runs`."""
    if len(study.runs) <= ALL:
        return [study.run(name) for name in best_first(study, numbers, metric)]
    return telling_runs(study, numbers, metric)


def differing(study: Study, runs: Sequence[Run], order: Sequence[int]) -> int:
    """Return the first of the LOOKED_AT first items of an `order` (positions) on which most runs say different things.

    The first of an order by a metric may be an item on which the best run and its rival say the same.
    """

    def different(place: int) -> int:
        return len({run.candidates.get(study.items[place].id, ()) for run in runs})

    return max(order[:LOOKED_AT], key=different)


def _has_value(numbers: Numbers, run: Run, metric: Metric) -> bool:
    result = numbers.get(run, metric)
    return result is not None and bool(np.isfinite(result.corpus)) and bool(len(result.items))


def spread(results: Sequence[Result]) -> Floats:
    """Return the range (n_items,) of these runs' values on each item; NaN if any is missing."""
    return np.asarray(np.ptp(np.array([result.items for result in results]), axis=0))
