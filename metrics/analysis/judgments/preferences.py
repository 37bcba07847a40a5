"""Agreement of metrics with people on pairs of captions, over all pairs and by category, with paired resamples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from data.imported.judge_answers import preferences_of_people
from data.study import Study
from metrics.analysis.judgments import best_metric
from metrics.analysis.judgments.correlation import Estimate
from metrics.analysis.judgments.pair_accuracy import CHANCE, accuracy, accuracy_draws, right
from metrics.analysis.judgments.points import Pairs, Values, metric_values, pairs
from metrics.analysis.judgments.trivial_baselines import TRIVIAL, Lead, leads, predictors
from metrics.base import Metric
from metrics.mathematics.arrays import Floats, Integers

ALL = ""
"""The category that contains all pairs."""


@dataclass(frozen=True, eq=False)
class PairAgreement:
    """Accuracy of metrics (m,) on the pairs on which people do not tie: an estimate per metric and category.

    The first category is `ALL`. `boot` (m, resamples) are resampled values over all pairs; `sets` (m,) are equal for
    metrics with values for the same pairs. `ties` counts pairs left out because people tie. `others` are the estimates
    of the baselines of `TRIVIAL`, and of people: each vote against the majority of the pair's other votes (leave one
    rater out; a vote is left out if the other votes tie). `leads` (m,) are the metrics' leads over the baselines on all
    pairs, and `longer` is true if longer captions are preferred.
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

    def ranking(self) -> best_metric.Ranking:
        """Return the ranking of the metrics over all pairs."""
        values = np.array([of[0].value for of in self.estimates])
        return best_metric.ranking(values, self.boot, self.items, self.sets)


class Miss(NamedTuple):
    """A pair on which a metric and people disagree; `share` is the share of votes for the caption people prefer."""

    item: int
    preferred: tuple[int, int]
    other: tuple[int, int]
    values: tuple[float, float]
    share: float
    category: str


def criteria(study: Study) -> list[str]:
    """Return the criteria by which people compared captions of the study's runs, in file order."""
    return list(dict.fromkeys(one.criterion for one in preferences_of_people(study) if study.runs))


def suited(metrics: Sequence[Metric]) -> tuple[Metric, ...]:
    """Return the metrics that can score single captions: quality metrics that read candidates and have item values."""
    return tuple(m for m in metrics if m.of_items and m.reads_candidates and m.family == "quality")


def pair_agreement(
    study: Study, results: Values, metrics: Sequence[Metric], criterion: str, seed: int = 0
) -> PairAgreement:
    """Return the accuracy of every metric by one criterion; a tie by the metric counts half.

    Intervals come from a bootstrap over the items with pairs in the category; p is against one half.
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
    estimates, draws = [], np.empty(0)
    for name in categories:
        keep = ~np.isnan(score) & ((kinds == name) | (name == ALL))
        items, cluster = np.unique(unit[keep], return_inverse=True)
        drawn = accuracy_draws(score[keep], cluster.ravel(), len(items), seed=seed)
        estimates.append(accuracy(score[keep], drawn, len(items)))
        draws = drawn if name == ALL else draws
    return tuple(estimates), draws


def baselines(study: Study, found: Pairs) -> tuple[Floats, bool]:
    """Return `Pairs.right` for each baseline of `TRIVIAL`, (4, n), and whether longer captions are preferred.

    The predictions are as for ratings, with 1 for the preferred caption of a pair and 0 for the other: runs and labels
    are ranked by the share of pairs on other items in which they are preferred, and tie if one vote for each could
    reverse their order. NaN where a baseline cannot predict.
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
    if score[0].mean() < CHANCE:  # within pairs, length may act in the other direction
        score[0], longer = 1 - score[0], not longer
    return score, longer


def misses(study: Study, results: Values, metric: Metric, criterion: str, most: int = 4) -> list[Miss]:
    """Return at most `most` pairs that a metric and people order differently, one per item, most unanimous first."""
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
