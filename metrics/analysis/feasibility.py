"""Feasibility: whether a metric has a value in a study, roughly how long it takes, and the default metrics."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from data.study import Run, Study, of_study
from metrics.base import Family, Metric, Work
from metrics.distances.base import Distance
from metrics.distances.words import CiderDDistance
from metrics.logprobs import unstated
from metrics.needs import unmet
from metrics.registry import METRICS, imported_metrics
from metrics.suite.consensus import Consensus
from metrics.suite.corpus_embeddings import FEWEST_TEXTS, EmbeddingRunMetric
from metrics.suite.distribution import Divergence
from metrics.suite.diversity import SelfCider, Vendi
from metrics.suite.imported_scores import ImportedMetric
from metrics.suite.ratings import rating_metrics

# Measured on two cores: start-up seconds of the encoder and of METEOR's index, then throughput per second.
START_SECONDS: dict[Work, float] = {"words": 1.0, "encoder": 8.0, "meteor": 3.0}
EMBEDDINGS_PER_SECOND, METEOR_PAIRS_PER_SECOND, CAPTIONS_PER_SECOND = 350.0, 40_000.0, 5_000.0


NO_REFERENCES = "needs captions by people, and this study has none"
"""Why a metric that compares candidates with references has no value."""
DEMO_METRICS = (
    "trm_meteor",
    "trm_bert",
    "mmd_bert",
    "meteor",
    "cider_d",
    "bleu_4",
    "ms_jaccard_4",
    "self_bleu_4",
    "distinct_2",
)
SET_METRICS = ("trm_meteor", "trm_rouge_l", *DEMO_METRICS[1:4], "rouge_l", *DEMO_METRICS[4:])
"""Default metrics for sets of candidates; ROUGE-L variants replace the METEOR ones where METEOR would take too long."""
SINGLE_CAPTION_METRICS = (
    "cider_d",
    "meteor",
    "bert",
    "bleu_4",
    "rouge_l",
    "corpus_ms_jaccard_4",
    "corpus_self_bleu_4",
    "vocabulary",
    "caption_length",
)
ALONE_SET_METRICS = (
    "distinct_mean",
    "self_bleu_4",
    "unique_captions",
    "vendi_bert",
    "distinct_1",
    "distinct_2",
    "corpus_self_bleu_4",
    "vocabulary",
    "caption_length",
)
ALONE_METRICS = ("distinct_mean", "corpus_self_bleu_4", "vocabulary", "zipf", "caption_length")
"""Default metrics for studies without references with one candidate per item; ALONE_SET_METRICS are those for sets."""
POOL_METRICS = (
    "corpus_bleu_2",
    "corpus_bleu_4",
    "corpus_ms_jaccard_4",
    "corpus_frechet_bert",
    "corpus_self_bleu_4",
    "vocabulary",
    "caption_length",
)
"""Default metrics for studies of a single item with many texts, as in unconditional generation."""
MANY_TEXTS = 200
MATRICES = (Divergence, SelfCider, Vendi)
"""Metrics that need a matrix over all texts of an item."""
IMPORTED = 4
"""Maximum number of imported metrics shown by default."""
PATIENCE: dict[Work, float] = {"words": math.inf, "encoder": 120.0, "meteor": 60.0}
"""Maximum time for the first computation of a default metric, in seconds, by kind of work."""
FIRST_RUNS = 3
"""Number of runs initially selected on a page where readers choose several runs."""
STAND_INS = {"trm_rouge_l": "trm_meteor", "rouge_l": "meteor"}
"""Metrics of SET_METRICS (the keys) that are left out if the metric that they replace (the value) is quick."""


def why_impossible(study: Study, metric: Metric) -> str | None:
    """Return why no run of the study can have a value of this metric; None if some run can have a value."""
    for need in sorted(metric.needs):
        if (why := unmet(need)) is not None:
            return why
    if not has_references(study):
        if metric.reads_references and not isinstance(metric, ImportedMetric):
            return NO_REFERENCES
        if metric.learns == "references":
            return "learns from captions by people, and this study has none"
    if "two references" in metric.needs and not any(len(item.references) > 1 for item in study.items):
        return "needs two captions by people per image, and each image has only one"
    if "two candidates" in metric.needs and not runs_with_sets(study):
        return "needs two captions by a run per image, and every run has only one"
    return unstated(study, metric.needs) or metric.lacks(study) or _wrong_size(study, metric) or None


def possible(study: Study, family: Family) -> list[Metric]:
    """Return the metrics of a family that some run can have: people's ratings first, imported metrics last."""
    known = (*rating_metrics(study).values(), *METRICS.values(), *imported_metrics(study).values())
    return [metric for metric in known if metric.family == family and why_impossible(study, metric) is None]


def _wrong_size(study: Study, metric: Metric) -> str:
    space = getattr(metric.of if isinstance(metric, Consensus) else metric, "space", None)
    if isinstance(space, CiderDDistance) and space.learns != "nothing" and len(study.items) < 2:
        return "counts the sets of captions in which a word occurs, and there is only one set"
    if isinstance(metric, EmbeddingRunMetric) and _texts(study) < FEWEST_TEXTS:
        return f"needs {FEWEST_TEXTS} captions by a run and as many by people, and there are {_texts(study)}"
    most = space.pooled_limit if isinstance(space, Distance) and isinstance(metric, MATRICES) else math.inf
    if study.runs and study.items and _fewest_texts(study) > most:
        return f"compares all texts of a set with each other, at most {most:,}, and every set has more"
    return ""


@of_study
def _fewest_texts(study: Study) -> int:
    of = ((item, run) for item in study.items for run in study.runs)
    return min(len(run.candidates.get(item.id, ())) + len(item.references) for item, run in of)


@of_study
def _texts(study: Study) -> int:
    runs = (sum(len(run.candidates.get(item.id, ())) for item in study.items) for run in study.runs)
    return min(sum(len(item.references) for item in study.items), max(runs, default=FEWEST_TEXTS))


@of_study
def has_references(study: Study) -> bool:
    """Return whether any item has references; studies of responses to prompts often lack them."""
    return any(item.references for item in study.items)


@of_study
def is_pool(study: Study) -> bool:
    """Return whether the study is a single item with many texts on each side, in which case each set is a whole run."""
    if len(study.items) != 1 or not study.runs:
        return False
    sizes = [len(run.candidates.get(study.items[0].id, ())) for run in study.runs]
    return min(*sizes, len(study.items[0].references), MANY_TEXTS) == MANY_TEXTS


@of_study
def runs_with_sets(study: Study) -> tuple[str, ...]:
    """Return the names of the runs that have at least two candidates for some item, as set metrics require."""
    return tuple(r.name for r in study.runs if any(len(r.candidates.get(i.id, ())) > 1 for i in study.items))


def seconds(study: Study, metrics: Iterable[Metric]) -> float:
    """Return the approximate time of the first computation of these metrics, in seconds."""
    metrics = tuple(metrics)
    kinds = {metric.work for metric in metrics}
    total = sum(START_SECONDS[kind] for kind in kinds)
    total += _captions(study) / EMBEDDINGS_PER_SECOND if "encoder" in kinds else 0.0
    total += _pairs(study) / METEOR_PAIRS_PER_SECOND if "meteor" in kinds else 0.0
    return total + sum(_captions(study) / CAPTIONS_PER_SECOND for metric in metrics if metric.work == "words")


@of_study
def _captions(study: Study) -> float:
    candidates = {text for run in study.runs for texts in run.candidates.values() for text in texts}
    return len(candidates) + sum(len(item.references) for item in study.items)


@of_study
def _pairs(study: Study) -> float:
    """The number of ordered pairs of texts within items that METEOR compares; pairs of references are counted once."""
    pairs = 0
    for item in study.items:
        m = len(item.references)
        pairs += m * (m - 1)
        for run in study.runs:
            n = len(set(run.candidates.get(item.id, ())))
            pairs += n * (n - 1) + 2 * n * m
    return pairs


def defaults(study: Study) -> tuple[str, ...]:
    """Return the names of default metrics: those of the papers for the demo, else quick ones that most runs can have.

    The first imported metrics of the study come last.
    """
    own = tuple(imported_metrics(study))[:IMPORTED]
    if study.synthetic:
        return DEMO_METRICS + own
    many = 0 < 2 * len(runs_with_sets(study)) >= len(study.runs)
    sets, single = (
        (SET_METRICS, SINGLE_CAPTION_METRICS) if has_references(study) else (ALONE_SET_METRICS, ALONE_METRICS)
    )
    wanted = [METRICS[name] for name in (POOL_METRICS if is_pool(study) else sets if many else single)]
    quick = [metric.name for metric in wanted if is_quick(study, metric)]
    return (*(name for name in quick if not many or STAND_INS.get(name) not in quick), *own)


def is_quick(study: Study, metric: Metric, patience: float = math.inf) -> bool:
    """Return whether some run can have a value of this metric within `PATIENCE` and `patience` seconds.

    A metric of words always counts as quick.
    """
    if why_impossible(study, metric) is not None:
        return False
    return metric.work == "words" or seconds(study, [metric]) <= min(patience, PATIENCE[metric.work])


def ranking_metric(metrics: Sequence[Metric]) -> Metric | None:
    """Return the default ranking metric: the first for which one direction is better and that has a value per item.

    Metrics with one value per run cannot be resampled over items, so they rank only if there is no other metric. Return
    None if no direction is better for any metric.
    """
    judged = [metric for metric in metrics if metric.has_better_side]
    return min(judged, key=lambda metric: not metric.of_items, default=None)


def one_per_model(runs: Sequence[Run]) -> list[Run]:
    """Return one run per model: its first at temperature 1, which samples from the model itself, or else its first."""
    first: dict[str, Run] = {}
    for run in runs:
        if run.model not in first or run.settings.temperature == 1.0 != first[run.model].settings.temperature:
            first[run.model] = run
    return list(first.values())


def first_runs(study: Study, most: int = FIRST_RUNS) -> list[Run]:
    """Return at most `most` runs, one per model, as the initial selection of pages that show only some runs."""
    return one_per_model(study.runs)[:most]
