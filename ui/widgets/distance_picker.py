"""The distance shared by pages about single captions: the choice on one page is the default on the next."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from data.study import Run, Study
from metrics.analysis.triangles_defaults import first_scored
from metrics.base import Metric
from metrics.engine.result import Result
from metrics.suite.distribution import Trm
from ui.jobs import study_metrics
from ui.jobs.jobs import jobs
from ui.session import address, state
from ui.widgets import metric_picker


def default_distance(study: Study, offered: Collection[str]) -> str:
    """Return the label of an `offered` distance that takes little time.

    This is one by meaning for which the first run has results, else bags of words.
    """
    able = {label: by for label, by in study_metrics.trms().items() if label in offered}
    return first_scored(able, lambda by: any(result_of(study, run, by) for run in study.runs[:1]))


def select(first: str, note: str = "", offered: Collection[str] = (), **kwargs: Any) -> str:
    """Show a select box of distances, all or those `offered`, and return the label of the chosen one.

    Its help explains the TRM of the chosen distance.
    """
    trms = study_metrics.trms()
    labels = list(offered or trms)
    chosen = trms.get(address.select_one("distance", labels, first))
    said = " ".join(filter(None, [note, metric_picker.about(chosen) if chosen is not None else ""])) or None
    return address.select("Distance", "distance", labels, first, help=said, **kwargs)


def metric(study: Study) -> Trm:
    """Return the TRM of the chosen or default distance."""
    trms = study_metrics.trms()
    return trms[address.select_one("distance", list(trms), default_distance(study, trms))]


def result_of(study: Study, run: Run, metric: Metric) -> Result | None:
    """Return the stored result of this run, or None; nothing is started."""
    return jobs().view(study, (metric,), state.session(), start=False).results.get((run.name, metric.name))
