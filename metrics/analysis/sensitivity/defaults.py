"""The defaults of the Sensitivity page and its section of the report."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from data.study import Run, Study
from metrics.analysis.defaults import first_to_rank
from metrics.analysis.numbers import Numbers
from metrics.analysis.paired_defaults import best_first, rivals
from metrics.base import Metric

METRICS = ("trm_cider_d", "trm_bert", "mmd_bert", "frechet_bert")
ITEMS = 200


def most_captions(study: Study) -> Run:
    """Return the run with the most captions, the first one if several tie."""
    return max(study.runs, key=lambda run: sum(map(len, run.candidates.values())))


def pair(study: Study, numbers: Numbers, metric: Metric | None, faulty: Collection[str] = ()) -> tuple[str, str] | None:
    """Return the names of the best run by a metric and of the best of its `rivals`; None for a single run.

    Runs without a value come last, as do rivals of a `faulty` best run that are themselves faulty.
    """
    if len(study.runs) < 2:
        return None
    order = best_first(study, numbers, metric)
    valued = [name for name in order if metric is not None and numbers.has_value(study.run(name), metric)]
    first = (valued or order)[0]
    others = rivals(study, study.run(first), valued) or rivals(study, study.run(first), order)
    sound = [name for name in others if first not in faulty or name not in faulty]
    return first, (sound or others)[0]


def judging(metrics: Mapping[str, Metric]) -> dict[str, Metric]:
    """Return the metrics that can compare runs using any subset of references and candidates."""
    return {name: metric for name, metric in metrics.items() if _judges(metric)}


def _judges(metric: Metric) -> bool:
    items = metric.of_items and metric.reads_candidates and metric.has_better_side
    return items and not metric.of_stated_captions and metric.family in ("quality", "distribution")


def judge(study: Study, metrics: Mapping[str, Metric]) -> Metric | None:
    """Return the default metric for comparing runs: of the quick quality metrics, the one that ranks, or None.

    Each subset of captions is scored again, which takes minutes with other metrics, and is impossible for ratings.
    """
    quick = [metric for metric in judging(metrics).values() if metric.work == "words" and metric.family == "quality"]
    return first_to_rank(study, quick)
