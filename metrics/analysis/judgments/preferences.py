"""Agreement of metrics with people on pairs of captions, of all pairs and of each category, with paired resamples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from data.study import Study
from metrics.analysis.judgments import best
from metrics.analysis.judgments.accuracy import accuracy, accuracy_draws
from metrics.analysis.judgments.correlation import Estimate
from metrics.analysis.judgments.points import Pairs, Values, metric_values, pairs
from metrics.arrays import Floats, Integers
from metrics.base import Metric

ALL = ""
"""The category of all pairs together."""


@dataclass(frozen=True, eq=False)
class PairAgreement:
    """Accuracy of metrics (m,) on the pairs that people decided: an estimate for each metric and category.

    The first category is `ALL`. `boot` (m, resamples) are resampled values over all pairs; `sets` (m,) are equal where
    metrics have values for the same pairs. `ties` pairs, which people left undecided, are left out.
    """

    criterion: str
    categories: tuple[str, ...]
    estimates: tuple[tuple[Estimate, ...], ...]
    boot: Floats = field(repr=False)
    sets: Integers = field(repr=False)
    n: int
    items: int
    ties: int

    def ranking(self) -> best.Ranking:
        """Return the ranking of the metrics over all pairs."""
        values = np.array([of[0].value for of in self.estimates])
        return best.ranking(values, self.boot, self.items, self.sets)


class Miss(NamedTuple):
    """A pair on which metric and people prefer different captions; `share` of the votes are for people's choice."""

    item: int
    preferred: tuple[int, int]
    other: tuple[int, int]
    values: tuple[float, float]
    share: float
    category: str


def criteria(study: Study) -> list[str]:
    """Return the criteria by which people compared captions, in the order of the files."""
    return list(dict.fromkeys(one.criterion for one in study.preferences))


def suited(metrics: Sequence[Metric]) -> tuple[Metric, ...]:
    """Return the metrics that have a value of a single caption."""
    return tuple(m for m in metrics if m.of_items and m.reads_candidates and m.family == "quality")


def pair_agreement(
    study: Study, results: Values, metrics: Sequence[Metric], criterion: str, seed: int = 0
) -> PairAgreement:
    """Return the accuracy of every metric by one criterion; a tie of the metric counts half.

    Intervals are a bootstrap over the items that have pairs of the category; p is against one half.
    """
    found = pairs(study, criterion)
    kinds = np.array(found.category, dtype=object)
    categories = (ALL, *(name for name in dict.fromkeys(found.category) if name))
    scores = [found.right(study, results, metric) for metric in metrics]
    estimates: list[list[Estimate]] = [[] for _ in metrics]
    draws = []
    for name in categories:
        for k, score in enumerate(scores):
            keep = ~np.isnan(score) & ((kinds == name) | (name == ALL))
            items, cluster = np.unique(found.first.drawn[found.cluster[keep]], return_inverse=True)
            drawn = accuracy_draws(score[keep], cluster.ravel(), len(items), seed=seed)
            estimates[k].append(accuracy(score[keep], drawn, len(items)))
            if name == ALL:
                draws.append(drawn)
    masks: dict[bytes, int] = {}
    sets = [masks.setdefault(np.isnan(score).tobytes(), len(masks)) for score in scores]
    return PairAgreement(
        criterion,
        categories,
        tuple(map(tuple, estimates)),
        np.array(draws),
        np.array(sets, dtype=np.int64),
        len(kinds),
        found.clusters,
        found.ties,
    )


def misses(study: Study, results: Values, metric: Metric, criterion: str, most: int = 4) -> list[Miss]:
    """Return pairs that a metric and people order differently, one per item, the most unanimous first."""
    found = pairs(study, criterion)
    first, second = (metric_values(study, results, metric, side) for side in (found.first, found.second))
    gap = np.where(found.preference > 0, first - second, second - first)
    wrong = np.flatnonzero(gap < 0)
    order = wrong[np.lexsort((gap[wrong], -np.abs(found.preference[wrong])))]
    out: dict[int, Miss] = {}
    for k in order:
        out.setdefault(int(found.first.item[k]), _miss(found, int(k), (first, second), metric))
        if len(out) == most:
            break
    return list(out.values())


def _miss(found: Pairs, k: int, values: tuple[Floats, Floats], metric: Metric) -> Miss:
    liked = 0 if found.preference[k] > 0 else 1
    sign = 1 if metric.higher_is_better else -1
    sides = (found.first, found.second)
    places = [(int(side.run[k]), int(side.place[k])) for side in sides]
    said = (sign * float(values[liked][k]), sign * float(values[1 - liked][k]))
    share = float(1 + abs(found.preference[k])) / 2
    return Miss(int(found.first.item[k]), places[liked], places[1 - liked], said, share, found.category[k])
