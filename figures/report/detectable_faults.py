"""The faults that the joint tests of a report would have detected, which matter if these tests find no difference."""

from __future__ import annotations

from dataclasses import replace

from data.study import Study
from figures.leaderboard.rows import joint_metric
from figures.report.overview import metrics_of
from figures.report.request import Request
from metrics.analysis import artifacts
from metrics.analysis.numbers import with_detectable
from metrics.base import Metric, Undefined
from metrics.mathematics.arrays import Floats


def with_known_faults(request: Request) -> Request:
    """Return the request with the faults that the tests of its Overview and Leaderboard would have detected."""
    study, numbers = request.study, request.numbers

    def measure(mixed: Study, metric: Metric) -> Floats | None:
        work = artifacts.known_faults(study, mixed, metric, request.cache)
        try:
            arrays = request.arrays(work, "Testing runs with known faults")
        except Undefined:
            return None
        return None if arrays is None else arrays["z"]

    of_overview = metrics_of(request) if "overview" in request.pages else None
    of_board = joint_metric(request.board, request.ranked) if "leaderboard" in request.pages else None
    for metric in dict.fromkeys((of_overview[1] if of_overview else None, of_board)):
        numbers = with_detectable(study, numbers, metric, measure)
    return replace(request, numbers=numbers)
