"""Scores of a run's captions by coherence label, and the shares of each label among runs' and people's captions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pandas as pd

from data.ratings.coherence import labels_of, of_references
from data.study import Run, Study
from metrics.analysis.judgments.correlation import Estimate
from metrics.analysis.judgments.system_groups import of_runs
from metrics.base import Metric
from metrics.bootstrap import bootstrap_totals, interval
from metrics.engine.result import Result
from metrics.engine.scoring import Results
from metrics.learned.cosmic_metric import labels_in_order
from metrics.mathematics.arrays import Floats
from metrics.permutation.pvalues import ALPHA, holm

COLUMNS = ["run", "label", "value", "low", "high", "captions", "images", "share", "people"]
"""Columns of the table of scores."""


@dataclass(frozen=True)
class LabelScore:
    """The mean score of a run's captions with a label, and its 95 % interval over images.

    `captions` counts the captions with the label, `images` the images with such a caption that has a score. `share` is
    the label's share of the run's labelled captions, `people` its share of the labelled references; NaN without
    labelled captions. `apart` lists the run's labels whose means differ significantly from this label's after
    correction across all pairs of labels.
    """

    run: str
    label: str
    value: float
    low: float
    high: float
    captions: int
    images: int
    share: float
    people: float
    apart: tuple[str, ...] = ()


def by_label(study: Study, results: Results, metric: Metric) -> list[LabelScore]:
    """Return the scores of every run by label, ordered by run and then by label."""
    people = _shares([label for item in study.items for label in of_references(item)], labels_of(study))
    return [one for run in study.runs for one in _of_run(study, run, results.get((run.name, metric.name)), people)]


def _of_run(study: Study, run: Run, result: Result | None, people: Sequence[float]) -> list[LabelScore]:
    labels = labels_of(study)
    said = np.array([label for item in study.items for label in labels_in_order(run, item.id)], dtype=object)
    item = np.repeat(np.arange(len(study.items)), [len(run.candidates.get(i.id, ())) for i in study.items])
    values = np.full(len(said), np.nan) if result is None or result.why() else result.values
    shares = _shares(said.tolist(), labels)
    unit = np.arange(len(study.items)) if study.unit is None else study.unit
    made, sums = [], {}
    for label, share, of_people in zip(labels, shares, people):
        mine = (said == label) & np.isfinite(values)
        drawn = unit[item[mine]]
        sums[label] = _sums(values[mine], drawn, len(study.items))
        value, low, high = _mean(values[mine], drawn, len(study.items))
        images = len(np.unique(item[mine]))
        made.append(LabelScore(run.name, label, value, low, high, int((said == label).sum()), images, share, of_people))
    apart = differences({one.label: sums[one.label] for one in made if np.isfinite(one.low)})
    return [replace(one, apart=tuple(apart.get(one.label, ()))) for one in made]


def differences(sums: Mapping[str, Floats]) -> dict[str, list[str]]:
    """Return, for each label, the labels whose means differ significantly from its own; a label without any is missing.

    `sums` (items, 2) are the sums and the numbers of the scores of each label. Holm's correction covers all pairs of
    labels, so that any of them may be reported afterwards.
    """
    pairs = list(combinations(sums, 2))
    p = [p_of_difference(sums[first], sums[second]) for first, second in pairs]
    found: dict[str, list[str]] = {}
    for (first, second), corrected in zip(pairs, holm(p)):
        if corrected <= ALPHA:
            found.setdefault(first, []).append(second)
            found.setdefault(second, []).append(first)
    return found


def p_of_difference(*both: Floats) -> float:
    """Return the two-sided p for equal means of two labels, from the sums and numbers (items, 2) of the scores of each.

    The mean of a label is a ratio of sums over items; the standard error of the difference comes from the items'
    contributions to both, which are paired if an item has captions of both labels. The reference distribution is
    Student's t with n - 1 degrees of freedom if the rarer label is on n items: with one caption of each label on every
    item, this is the paired t-test.
    """
    from scipy.special import stdtr

    means = [of[:, 0].sum() / of[:, 1].sum() for of in both]
    parts = [(of[:, 0] - mean * of[:, 1]) / of[:, 1].sum() for of, mean in zip(both, means)]
    n = min(int((of[:, 1] > 0).sum()) for of in both)
    error = float(np.sqrt(((parts[0] - parts[1]) ** 2).sum() * n / (n - 1)))
    gap = abs(means[0] - means[1])
    return 2 * float(stdtr(n - 1, -gap / error)) if error > 0 else (2.0 ** (1 - n) if gap > 0 else 1.0)


def _mean(values: Floats, item: np.typing.NDArray[np.int64], items: int) -> tuple[float, float, float]:
    """The mean over captions with its interval; resamples draw images with all their captions. NaN without values."""
    if not len(values):
        return np.nan, np.nan, np.nan
    totals = _sums(values, item, items)
    totals = totals[totals[:, 1] > 0]
    mean = float(values.mean())
    drawn = bootstrap_totals(totals)
    return mean, *interval(drawn[:, 0] / drawn[:, 1], len(totals))


def _sums(values: Floats, item: np.typing.NDArray[np.int64], items: int) -> Floats:
    """(items, 2) sum and number of the values of each item."""
    return np.column_stack([np.bincount(item, values, items), np.bincount(item, minlength=items)]).astype(np.float64)


def _shares(said: Sequence[str], labels: Sequence[str]) -> list[float]:
    known = sum(bool(label) for label in said)
    return [sum(one == label for one in said) / known if known else np.nan for label in labels]


def table(scores: Sequence[LabelScore]) -> pd.DataFrame:
    """Return the scores as a table, one row per run and label."""
    return pd.DataFrame([vars(one) for one in scores], columns=COLUMNS)


def spread(scores: Sequence[LabelScore], run: str) -> tuple[LabelScore, LabelScore] | None:
    """Return the labels with a run's highest and lowest score, which may coincide; None if no label has an interval."""
    mine = [one for one in scores if one.run == run and np.isfinite(one.low)]
    if not mine:
        return None
    mine.sort(key=lambda one: -one.value)
    return mine[0], mine[-1]


def most_labels(scores: Sequence[LabelScore], order: Sequence[str]) -> str:
    """Return the first run in `order` that has two labels with intervals, or else one, or else the first run of all."""
    ends = {run: spread(scores, run) for run in order}
    known = [run for run, both in ends.items() if both is not None]
    two = (run for run, both in ends.items() if both is not None and both[0] is not both[1])
    return next(two, known[0] if known else order[0])


def with_people(study: Study, results: Results, metric: Metric) -> list[tuple[str, Estimate]]:
    """Return Kendall's tau-b over runs between a metric and the mean rating of each run, by criterion.

    This corresponds to table 1 of Inan et al. 2021. A criterion is left out if the tau-b is undefined, for example with
    fewer than three runs that have both a value and ratings. Return [] if people rated no runs or the metric has no
    values.
    """
    group = of_runs(study, results, [metric])
    if group is None or metric.name not in group.metrics:
        return []
    found = [(name, group.of(name, metric.name).of["kendall_tau_b"]) for name in group.criteria]
    return [(name, one) for name, one in found if np.isfinite(one.value)]
