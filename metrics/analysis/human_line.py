"""The human line: the score of people's own captions, where it is comparable with the models' scores.

There are two kinds. *People* is the score of the references by a metric. *No difference* is the expected value of a
distance between two sets from one source, at the runs' own sizes. Most measures of sets depend on the sizes of the
sets, so references and models are comparable only at equal sizes; otherwise there is no line, and the reason is given.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from data.study import Run, Settings, Study, of_study
from metrics.base import Metric
from metrics.engine.result import PENDING, Result
from metrics.logprobs import NEEDS, unstated

HUMAN = "references as a run"
PEOPLE, NO_DIFFERENCE = "People", "No difference"


@dataclass(frozen=True)
class Human:
    """The human value of a metric with its description `about`, or NaN and the `reason`.

    `low` and `high` are the 95 % interval of people's value; for no difference, the minimum and maximum over runs.
    """

    value: float = np.nan
    low: float = np.nan
    high: float = np.nan
    about: str = ""
    reason: str = ""


class HumanRequirements(NamedTuple):
    """The metrics to score for the human lines of some metrics.

    `consensus`: metrics of the references, scored on the study itself. `as_run`: metrics scored on `study`, whose only
    run is the references; `study` is None if there are no such metrics.
    """

    consensus: tuple[Metric, ...]
    as_run: tuple[Metric, ...]
    study: Study | None


def human_requirements(study: Study, metrics: Sequence[Metric]) -> HumanRequirements:
    """Return the metrics to score for the human lines of these metrics."""
    consensus = tuple(m for metric in metrics if (m := _consensus(metric)) is not None)
    as_run = tuple(m for m in metrics if _is_scored_as_run(study, m))
    return HumanRequirements(consensus, as_run, references_as_run(study) if as_run else None)


@of_study
def references_as_run(study: Study) -> Study:
    """Return a study whose only run has the references as candidates, with the log-probabilities of their source."""
    of_oracle = {item.id: item.oracle_logprobs for item in study.items if item.oracle_logprobs} or None
    said = {item.id: item.references for item in study.items}
    run = Run(HUMAN, HUMAN, Settings(), said, None, of_oracle, of_oracle, of_oracle)
    return replace(study, runs=(run,))


def human(
    study: Study, metric: Metric, results: Mapping[str, Result], agreement: Result | None, people: Result | None
) -> Human:
    """Return the human value of `metric`.

    `results` are the metric's own, by run name; `agreement` is the result of its consensus metric on the references and
    `people` that of the metric on `references_as_run`, each None if not scored yet. For quality metrics, each reference
    is scored against the item's other references. For divergences with a permutation test, the value is the mean under
    relabelling (no difference). For diversity metrics, and quality metrics that read no references, the references are
    scored as a run, at equal sizes where size matters. For log-probabilities, the references are scored under their own
    source.
    """
    if study.items and not any(item.references for item in study.items):
        return Human(reason="this study has no captions by people")
    if metric.no_human:
        return Human(reason=metric.no_human)
    if metric.learns == "logprobs":
        return _of_oracle(study, metric, people)
    if _reads_captions_alone(metric):
        return _captions_alone(study, metric, people)
    if metric.family == "quality":
        return _quality(study, metric, agreement)
    if metric.tested:
        return _no_difference(study, results)
    return Human(
        reason="depends on the number of captions, and two halves of people's captions would have fewer than a run"
    )


def is_no_difference(metric: Metric) -> bool:
    """Return whether a metric's human value is the one expected of two sets from one source, not people's own score."""
    return metric.family not in ("quality", "diversity")


def _quality(study: Study, metric: Metric, agreement: Result | None) -> Human:
    if metric.pooled:
        return Human(
            reason=f"{metric.label} pools all captions, and people's score, of each caption against the others, is "
            "a mean over captions: the two cannot be compared"
        )
    if metric.best_of and _sampled(study):
        # Measured on the demo: the same captions get METEOR .28 against ten references and .24 against four.
        return Human(
            reason="people's captions are scored against four others, runs against all references, and more references "
            "raise the score"
        )
    fewer = " (one reference fewer than for runs)" if metric.best_of else ""
    return _of_result(agreement, f"each caption by a person against those by the others{fewer}")


def _sampled(study: Study) -> bool:
    from metrics.suite.consensus import SAMPLE

    return any(len(item.references) > SAMPLE for item in study.items)


def _reads_captions_alone(metric: Metric) -> bool:
    """Whether the references can be scored as a run: by diversity metrics, and quality metrics without references."""
    return metric.family == "diversity" or (metric.family == "quality" and not metric.reads_references)


def _captions_alone(study: Study, metric: Metric, people: Result | None) -> Human:
    reason = _why_not_as_run(study, metric)
    return Human(reason=reason) if reason else _of_result(people, "people's captions as if they were a run")


def _of_result(result: Result | None, about: str) -> Human:
    if result is None:
        return Human(reason=PENDING)
    if (why := result.why()) is not None:
        return Human(reason=why)
    return Human(result.corpus, result.low, result.high, about)


def _no_difference(study: Study, results: Mapping[str, Result]) -> Human:
    means = {}
    for name, result in results.items():
        if result.null_mean is not None and not np.isnan(result.null_mean).all():
            means[name] = float(np.nanmean(result.null_mean))
    if not means:
        return Human(reason="no permutation test has been made")
    sizes = {size for name, size in run_sizes(study).items() if name in means}
    if len({low for low, _ in sizes} | {high for _, high in sizes}) > 1:
        return Human(
            reason="runs have different numbers of captions, and the value without a difference depends on these"
        )
    values = np.array(list(means.values()))
    about = "expected if runs wrote as people do (mean over random swaps of their captions, at the runs' set sizes)"
    return Human(float(values.mean()), float(values.min()), float(values.max()), about)


def _of_oracle(study: Study, metric: Metric, people: Result | None) -> Human:
    if reason := _source_unknown(study):
        return Human(reason=reason)
    found = _of_result(people, "the oracle itself: people's captions under their own source")
    # For no difference, low and high would be the minimum and maximum over runs.
    return replace(found, low=np.nan, high=np.nan) if is_no_difference(metric) else found


def _source_unknown(study: Study) -> str:
    return unstated(study, [NEEDS["references_oracle"]])


def _is_scored_as_run(study: Study, metric: Metric) -> bool:
    if metric.learns == "logprobs":
        return not _source_unknown(study)
    return _reads_captions_alone(metric) and not metric.no_human and not _why_not_as_run(study, metric)


def _why_not_as_run(study: Study, metric: Metric) -> str:
    if metric.reads_references:
        return "compares with people's captions, which would be compared with themselves"
    if metric.size_free:
        return ""
    if not metric.of_items:
        return "grows with the number of captions, so people and runs need equally many"
    return _uneven(study)


@of_study
def _uneven(study: Study) -> str:
    """Why runs' and people's sets are not comparable: their sizes differ, or no run has sets; "" if all sizes agree."""
    sets = [run for run in study.runs if any(len(run.candidates.get(item.id, ())) > 1 for item in study.items)]
    for run in sets:
        for item in study.items:
            n, m = len(run.candidates.get(item.id, ())), len(item.references)
            if n != m:
                return f"depends on the number of captions: a run has {n} where people wrote {m}"
    return "" if sets else "depends on the number of captions, and no run has several per item"


@of_study
def run_sizes(study: Study) -> dict[str, tuple[int, int]]:
    """Return the minimum and maximum number of candidates per item of each run, by run name."""
    return {
        run.name: (min(sizes), max(sizes))
        for run in study.runs
        if (sizes := [len(run.candidates.get(item.id, ())) for item in study.items])
    }


class RunTexts(NamedTuple):
    """The captions of a run: their mean number of `words`, split at spaces, and the share that is `repeated`.

    A caption is repeated if the run gives the same text for another item, or again for the same item. NaN without
    captions.
    """

    words: float
    repeated: float


@of_study
def run_texts(study: Study) -> dict[str, RunTexts]:
    """Return the mean length and the share of repeated captions of each run, by run name."""
    found = {}
    for run in study.runs:
        texts = Counter(text for item in study.items for text in run.candidates.get(item.id, ()))
        words = sum(n * len(text.split()) for text, n in texts.items())
        again = sum(n for n in texts.values() if n > 1)
        found[run.name] = (
            RunTexts(words / total, again / total) if (total := texts.total()) else RunTexts(np.nan, np.nan)
        )
    return found


def _consensus(metric: Metric) -> Metric | None:
    from metrics.suite.consensus import Consensus
    from metrics.suite.quality import PairQuality

    return Consensus(metric) if isinstance(metric, PairQuality) and not metric.pooled else None
