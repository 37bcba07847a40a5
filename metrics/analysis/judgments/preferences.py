"""Agreement of metrics with people on pairs of captions, of all pairs and of each category, with paired resamples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from data.imported.judged import preferences_of_people
from data.study import Study
from metrics.analysis.judgments import best
from metrics.analysis.judgments.accuracy import CHANCE, accuracy, accuracy_draws, right
from metrics.analysis.judgments.correlation import Estimate
from metrics.analysis.judgments.points import Pairs, Values, metric_values, pairs
from metrics.analysis.judgments.trivial import TRIVIAL, Lead, leads, predictors
from metrics.base import Metric
from metrics.mathematics.arrays import Floats, Integers

ALL = ""
"""The category of all pairs together."""


@dataclass(frozen=True, eq=False)
class PairAgreement:
    """Accuracy of metrics (m,) on the pairs that people decided: an estimate for each metric and category.

    The first category is `ALL`. `boot` (m, resamples) are resampled values over all pairs; `sets` (m,) are equal where
    metrics have values for the same pairs. `ties` pairs, which people left undecided, are left out. `others` are the
    estimates of the baselines of `TRIVIAL`, and of people: each vote against the majority of the pair's other votes
    (leave one rater out; those that tie are left out). `leads` (m,) are the metrics' leads over the baselines, of all
    pairs, and `longer` says whether longer captions are preferred.
    """

    criterion: str
    categories: tuple[str, ...]
    estimates: tuple[tuple[Estimate, ...], ...]
    boot: Floats = field(repr=False)
    sets: Integers = field(repr=False)
    n: int
    items: int
    ties: int
    others: tuple[tuple[Estimate, ...], ...] = ()
    leads: tuple[Lead, ...] = ()
    longer: bool = True

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
    return list(dict.fromkeys(one.criterion for one in preferences_of_people(study)))


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
    trivial, longer = baselines(study, found)
    scores = [*(found.right(study, results, metric) for metric in metrics), *trivial]
    unit = found.first.drawn[found.cluster]
    made = [_by_category(score, unit, kinds, categories, seed) for score in scores]
    votes = found.votes
    said = _by_category(votes.right, votes.unit, np.array(votes.category, dtype=object), categories, seed)
    masks: dict[bytes, int] = {}
    sets = np.array([masks.setdefault(np.isnan(score).tobytes(), len(masks)) for score in scores], dtype=np.int64)
    m, draws = len(metrics), np.array([drawn for _, drawn in made])
    values = np.array([of[0].value for of, _ in made])
    points = np.array([of[0].n for of, _ in made])
    clusters = np.array([len(np.unique(unit[~np.isnan(score)])) for score in scores])
    return PairAgreement(
        criterion,
        categories,
        tuple(of for of, _ in made[:m]),
        draws[:m],
        sets[:m],
        len(kinds),
        found.clusters,
        found.ties,
        tuple(of for of, _ in [*made[m:], said]),
        tuple(leads(values, draws, sets, clusters, points, m)),
        longer,
    )


def _by_category(
    score: Floats, unit: Integers, kinds: NDArray[np.object_], categories: Sequence[str], seed: int
) -> tuple[tuple[Estimate, ...], Floats]:
    """The estimate of each category from the scores of pairs in units, and the draws of `ALL`."""
    estimates, draws = [], np.empty(0)
    for name in categories:
        keep = ~np.isnan(score) & ((kinds == name) | (name == ALL))
        items, cluster = np.unique(unit[keep], return_inverse=True)
        drawn = accuracy_draws(score[keep], cluster.ravel(), len(items), seed=seed)
        estimates.append(accuracy(score[keep], drawn, len(items)))
        draws = drawn if name == ALL else draws
    return tuple(estimates), draws


def baselines(study: Study, found: Pairs) -> tuple[Floats, bool]:
    """(4, n) what `Pairs.right` is for each baseline of `TRIVIAL`, and whether longer captions are preferred.

    As for ratings, with 1 for the preferred caption of a pair and 0 for the other: run and label are ranked by the
    share of pairs on other items in which they are preferred, and tie where one vote for each could turn the order.
    NaN where a baseline cannot predict.
    """
    n, won = len(found.preference), (found.preference > 0).astype(float)
    if not n:
        return np.empty((len(TRIVIAL), 0)), True
    first, second = found.first, found.second
    both = replace(
        first,
        run=np.concatenate([first.run, second.run]),
        item=np.concatenate([first.item, second.item]),
        place=np.concatenate([first.place, second.place]),
        value=np.concatenate([won, 1 - won]),
        unit=np.arange(2 * n),
        cluster=np.tile(found.cluster, 2),
    )
    predicted = predictors(study, both, votes=True)
    gap = predicted.values[:, :n] - predicted.values[:, n:]
    score = np.where(np.isnan(gap), np.nan, right(gap, found.preference))
    longer = predicted.longer
    if score[0].mean() < CHANCE:  # lengths of all captions may go the other way than those of each pair
        score[0], longer = 1 - score[0], not longer
    return score, longer


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
