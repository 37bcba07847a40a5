"""The numbers that a page shows: those that already exist, and a job for the rest."""

from __future__ import annotations

from dataclasses import replace

from data.study import Study
from metrics.analysis.detectable_faults import statistics
from metrics.analysis.numbers import Numbers, of_results, score_with_people, with_detectable
from metrics.base import Metric
from metrics.engine.scoring import Results, runs_of
from ui.jobs.jobs import ScoreView, jobs
from ui.session import state


def fetch(
    study: Study,
    metrics: tuple[Metric, ...],
    human: bool = True,
    detect: Metric | None = None,
    tests: bool = True,
) -> tuple[Numbers, ScoreView]:
    """Return the numbers of these metrics, and the view of the job for missing ones.

    With `human`, include people's values; with `detect`, if the joint test of that metric is not significant, include
    what the test could have detected. Without `tests`, values are enough.
    """
    views: list[ScoreView] = []

    def score(of: Study, wanted: tuple[Metric, ...]) -> Results:
        views.append(jobs().view(of, wanted, state.session(), tests=tests))
        return views[-1].results

    numbers = score_with_people(study, metrics, score) if human else of_results(score(study, metrics), {})
    numbers = with_detectable(study, numbers, detect, lambda of, metric: statistics(of, metric, score(of, (metric,))))
    job = next((view.job for view in views if view.job is not None), None)
    return numbers, replace(views[0], job=job, failures=tuple(f for view in views for f in view.failures))


def finished(study: Study, metrics: tuple[Metric, ...], owner: str) -> Numbers:
    """Return the existing numbers of these metrics; nothing is started."""
    return score_with_people(study, metrics, lambda of, wanted: jobs().view(of, wanted, owner, start=False).results)


def complete(study: Study, metrics: tuple[Metric, ...], owner: str, human: bool = False) -> Numbers | None:
    """Return the numbers of these metrics, with people's if `human`; None if one is missing. Nothing is started."""
    lacking: list[Metric] = []

    def look_up(of: Study, wanted: tuple[Metric, ...]) -> Results:
        found = jobs().view(of, wanted, owner, start=False).results
        lacking.extend(m for m in wanted if any((run.name, m.name) not in found for run in runs_of(of, m)))
        return found

    numbers = score_with_people(study, metrics, look_up) if human else of_results(look_up(study, metrics), {})
    return None if lacking else numbers
