"""Default metrics, by one rule for page and report: the metric that ranks the runs, and the metrics of a frontier."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

from data.study import Study
from metrics.analysis.feasibility import defaults, is_pool, is_quick, ranking_metric, runs_with_sets
from metrics.base import Metric
from metrics.registry import METRICS, imported_metrics
from metrics.suite.ratings import ranking_ratings

RunFamily = Literal["distribution", "quality", "diversity"]
"""A family of metrics that a run can have, in page order."""
FAMILIES: tuple[RunFamily, ...] = get_args(RunFamily)
FEW = 30
"""With fewer items, a quality metric ranks the runs rather than a distance of sets, which tells fewer runs apart.

Of the pairs of 13 runs over 12 images, ROUGE-L told 30 % apart and TRM ROUGE-L 11 %; over 24 images, 56 % and 24 %.
"""
PATIENCE = 30.0
"""Maximum time for a default metric, in seconds: the chart waits for the slower of its two metrics."""
SINGLES = (
    ("trm_meteor", "ms_jaccard_4", "frechet_bert"),
    ("corpus_ms_jaccard_4", "corpus_frechet_bert"),
)
"""Default single numbers: for studies with sets of candidates, and for studies with one candidate per item."""


def first_to_rank(study: Study, metrics: Sequence[Metric]) -> Metric | None:
    """Return the metric that ranks the runs by default; None if no metric can.

    It is people's ratings if all runs have them and they are among `metrics`, otherwise the first of the study's
    defaults that can rank (with fewer than FEW items, its quality metrics first), otherwise the first of `metrics` that
    can. A page, a section of the report or a command that needs one metric begins with this one, chosen among the
    metrics that it can use: those with a value for each item (Slices), for quality (Frontier, Coherence), for subsets
    of the captions (Sensitivity) or for subsets of the references (References).
    """
    if (rated := ranking_ratings(study)) is not None and rated in metrics:
        return rated
    by = {metric.name: metric for metric in metrics}
    first = [by[name] for name in defaults(study) if name in by]
    if len(study.items) < FEW and not study.synthetic:
        first = sorted(first, key=lambda metric: metric.family != "quality")
    return ranking_metric(first) or ranking_metric(metrics)


def ranking_first(study: Study, metrics: Sequence[Metric]) -> tuple[Metric, ...]:
    """Return the metrics, beginning with the one that ranks the runs by default."""
    first = first_to_rank(study, metrics)
    return tuple(sorted(metrics, key=lambda metric: metric is not first))


def scoring_captions(study: Study, metrics: Sequence[Metric]) -> Metric | None:
    """Return a quality metric that scores each caption, if possible one that can rank runs; None if there is none."""
    able = [metric for metric in metrics if metric.grain == "candidate" and metric.family == "quality"]
    return first_to_rank(study, able) or next(iter(able), None)


def first_by_family(study: Study, each: int | None = None) -> dict[RunFamily, list[str]]:
    """Return the names of the study's default metrics by family, at most `each` per family."""
    known = {**METRICS, **imported_metrics(study)}
    names = defaults(study)
    return {family: [name for name in names if known[name].family == family][:each] for family in FAMILIES}


def by_family(metrics: Sequence[Metric]) -> tuple[Metric, ...]:
    """Return the metrics that a run can have, grouped by family in page order and otherwise in the given order."""
    return tuple(metric for family in FAMILIES for metric in metrics if metric.family == family)


def default_pair(study: Study, quality: Sequence[Metric], diversity: Sequence[Metric]) -> tuple[Metric, Metric]:
    """Return the quality metric that ranks (or else the first), and Self-BLEU or else the first diversity metric.

    Self-BLEU is per item if most runs have sets, otherwise over the corpus. Raises ValueError if either list is empty.
    """
    if not quality or not diversity:
        raise ValueError("a pair takes a quality metric and a diversity metric")
    wanted = "self_bleu_4" if mostly_sets(study) and not is_pool(study) else "corpus_self_bleu_4"
    return (
        first_to_rank(study, quality) or quality[0],
        next((metric for metric in diversity if metric.name == wanted), diversity[0]),
    )


def default_singles(study: Study) -> list[str]:
    """Return the names of the default single numbers: those that are quick or, for the demo, all of them.

    TRM ROUGE-L stands in for a slow TRM METEOR.
    """
    wanted = SINGLES[0] if mostly_sets(study) and not is_pool(study) else SINGLES[1]
    names = [name for name in wanted if study.synthetic or _quick(study, name)]
    stand_in = wanted is SINGLES[0] and "trm_meteor" not in names and _quick(study, "trm_rouge_l")
    return ["trm_rouge_l", *names] if stand_in else names


def mostly_sets(study: Study) -> bool:
    """Return whether at least half of the runs have several candidates for an item."""
    return 2 * len(runs_with_sets(study)) >= len(study.runs)


def _quick(study: Study, name: str) -> bool:
    return is_quick(study, METRICS[name], PATIENCE)
