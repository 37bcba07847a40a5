"""Asserted labels: COSMic's score of every run when all its captions, or all references, are given the same label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np

from data.ratings.coherence import labels_of, of_candidates
from data.study import Run, Study
from metrics.analysis.caption_scores import caption_values
from metrics.base import Metric
from metrics.cache.disk import Cache
from metrics.engine import scoring
from metrics.engine.result import Result
from metrics.engine.scoring import Results
from metrics.engine.tasks import Options
from metrics.learned.cosmic_metric import OWN, Cosmic
from metrics.parameters import with_values

if TYPE_CHECKING:
    import pandas as pd

Side = Literal["candidates", "references"]
SIDES: tuple[Side, ...] = ("candidates", "references")
AS_LABELLED = "as labelled"


@dataclass(frozen=True)
class Asserted:
    """The mean COSMic of a run under a label (`AS_LABELLED` for its own labels), with its 95 % interval over images.

    Without a value, `n` is 0 and the numbers are NaN.
    """

    run: str
    label: str
    value: float
    low: float
    high: float
    n: int


@dataclass(frozen=True)
class Spread:
    """The largest range of one run's scores over labels, and the largest range of scores over runs under one label.

    The ranges are `label`, for the run named `run`, and `runs`, for the label named `under`.
    """

    label: float
    run: str
    runs: float
    under: str


@dataclass(frozen=True, eq=False)
class OneCaption:
    """A caption of an image with its own label, and its score under each label; NaN if it has no score."""

    text: str
    label: str
    scores: Mapping[str, float] = field(repr=False)


def labels(study: Study, metric: Cosmic) -> tuple[str, ...]:
    """Return the labels to assert: those that the network knows, or the study's if COSMic is trained on the study.

    Empty for a network that reads no labels. Raises DataError if the file does not contain a network.
    """
    if metric.weights == OWN:
        return labels_of(study)
    from metrics.learned.cosmic_file import read

    return read(metric.weights).about.labels


def metrics(study: Study, metric: Cosmic, side: Side) -> dict[str, Metric]:
    """Return COSMic under the captions' own labels and under each asserted label; {} if its network reads no labels."""
    known = labels(study, metric)
    under = {label: with_values(metric, {f"{side}_as": label}) for label in known}
    return {AS_LABELLED: metric, **under} if known else {}


def results(
    study: Study, metric: Cosmic, by: Mapping[str, Metric], cache: Cache, may_score: bool = True
) -> Results | None:
    """Return the results of every run under every label, scoring them if the network is a file and `may_score`.

    Otherwise, including when COSMic is trained on the study itself (each label would need a new training), return None
    unless all results are in the cache. Raises Cancelled.
    """
    options = Options(p_values=False)
    if metric.weights == OWN or not may_score:
        every = [(one, run) for one in by.values() for run in scoring.runs_of(study, one)]
        if any(scoring.stored(cache, one, run, study, options) is None for one, run in every):
            return None
    return scoring.score(study, list(by.values()), options, cache)


def sweep(study: Study, results: Results, by: Mapping[str, Metric]) -> list[Asserted]:
    """Return the score of every run under every label, ordered by run and then by label."""
    return [_of(run, label, results.get((run.name, one.name))) for run in study.runs for label, one in by.items()]


def _of(run: Run, label: str, result: Result | None) -> Asserted:
    if result is None or result.why():
        return Asserted(run.name, label, np.nan, np.nan, np.nan, 0)
    return Asserted(run.name, label, result.corpus, result.low, result.high, result.n)


def table(found: Sequence[Asserted], side: Side) -> pd.DataFrame:
    """Return the sweep as a table, one row per run and label."""
    import pandas as pd

    return pd.DataFrame([{"asserted": side, **vars(one)} for one in found])


def spread(found: Sequence[Asserted]) -> Spread | None:
    """Return the largest ranges over asserted labels and over runs; None without values of two labels and two runs."""
    known = [one for one in found if one.label != AS_LABELLED and np.isfinite(one.value)]
    of_run = {run: _range([one.value for one in known if one.run == run]) for run in {one.run for one in known}}
    labels = dict.fromkeys(one.label for one in known)
    of_label = {label: _range([one.value for one in known if one.label == label]) for label in labels}
    if len(of_run) < 2 or len(of_label) < 2:
        return None
    run, under = (max(sorted(of), key=of.__getitem__) for of in (of_run, of_label))
    return Spread(of_run[run], run, of_label[under], under)


def _range(values: Sequence[float]) -> float:
    return max(values) - min(values)


def of_image(study: Study, results: Results, by: Mapping[str, Metric], run: Run, item: int) -> list[OneCaption]:
    """Return a run's captions for an item, in file order, each with its score under every label; NaN if not scored."""
    id = study.items[item].id
    texts = run.candidates.get(id, ())
    scores = {}
    for label, one in by.items():
        result = results.get((run.name, one.name))
        scores[label] = np.full(len(texts), np.nan) if result is None else caption_values(texts, item, result)
    return [
        OneCaption(text, own, {label: float(of[k]) for label, of in scores.items()})
        for k, (text, own) in enumerate(zip(texts, of_candidates(run, id)))
    ]
