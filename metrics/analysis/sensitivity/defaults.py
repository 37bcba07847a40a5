"""The defaults of the Sensitivity page and its section of the report."""

from __future__ import annotations

from collections.abc import Mapping

from data.study import Run, Study
from metrics.analysis.defaults import first_to_rank
from metrics.base import Metric

METRICS = ("trm_cider_d", "trm_bert", "mmd_bert", "frechet_bert")
ITEMS = 200


def most_captions(study: Study) -> Run:
    """Return the run with the most captions, the first one if several tie."""
    return max(study.runs, key=lambda run: sum(map(len, run.candidates.values())))


def pair(study: Study) -> tuple[str, str] | None:
    """Return the names of the first and the last run, in alphabetical order; None for a single run.

    The choice ignores scores: the two ends of a ranking differ more in this study than they would in another, which
    would make too few items seem enough.
    """
    names = sorted(run.name for run in study.runs)
    return (names[0], names[-1]) if len(names) > 1 else None


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
