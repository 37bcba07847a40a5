"""The numbers that a page shows: those that are there at once, the rest from a job."""

from __future__ import annotations

from dataclasses import replace

from data.study import Study
from metrics.analysis import human
from metrics.analysis import numbers as analysis_numbers
from metrics.analysis.numbers import Numbers
from metrics.base import Metric
from ui.jobs.jobs import ScoreView, jobs
from ui.session import state


def fetch(study: Study, metrics: tuple[Metric, ...]) -> tuple[Numbers, ScoreView]:
    """Numbers of these metrics with what their human lines need, and the view of the job behind those still missing."""
    agreement, reference_study, diversity = human.needed(study, metrics)
    own = jobs().view(study, metrics + agreement, state.session())
    other = jobs().view(reference_study, diversity, state.session()) if reference_study else ScoreView({})
    view = replace(own, job=own.job or other.job, failures=own.failures + other.failures)
    return analysis_numbers.of_results(own.results, other.results), view


def finished(study: Study, metrics: tuple[Metric, ...], owner: str) -> Numbers:
    """What there is of these numbers now; nothing is started."""
    agreement, reference_study, diversity = human.needed(study, metrics)
    own = jobs().view(study, metrics + agreement, owner, start=False)
    other = jobs().view(reference_study, diversity, owner, start=False) if reference_study else ScoreView({})
    return analysis_numbers.of_results(own.results, other.results)
