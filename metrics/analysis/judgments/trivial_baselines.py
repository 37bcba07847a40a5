"""Trivial baselines, which agree with people without reading a caption's meaning, and a metric's lead over them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from data.ratings.coherence import of_candidates
from data.ratings.human_ratings import SET
from data.study import Study
from metrics.analysis.judgments.correlation import Estimate, estimate
from metrics.analysis.judgments.points import Points
from metrics.mathematics.arrays import Floats, Integers
from metrics.permutation.pvalues import holm
from metrics.text.tokens import tokenize

TRIVIAL = ("length", "run", "label", "shared_words")
"""The baselines, in the order of all arrays; `predictors` defines them."""
_TIED = 1e-9
"""Mean ratings that differ by less count as equal."""


class Lead(NamedTuple):
    """The lead of a metric over the baseline that is hardest to beat, as the difference between their agreements.

    `over` is the index in `TRIVIAL` of the strongest baseline that the metric is behind or, if it is behind no
    baseline, of the one that it is least significantly ahead of; -1 if no baseline can be compared. The interval of the
    difference is paired and not simultaneous. `p_value` is for the metric being ahead of every baseline: the largest of
    the p-values, Holm-corrected across metrics.
    """

    over: int
    difference: Estimate
    p_value: float


class Predictors(NamedTuple):
    """The predictions (4, n) of the baselines of `TRIVIAL`, and whether `longer` captions are rated higher."""

    values: Floats
    longer: bool


def predictors(study: Study, at: Points, votes: bool = False) -> Predictors:
    """Return the predictions of the baselines for these points; the row of a baseline that cannot predict is NaN.

    - `length`: the number of words of the caption, negated if longer captions are rated lower.
    - `run`: the rank of the caption's run among the runs, by their mean ratings over all other items. Thus a rating
    never predicts itself, and captions of a run tie (a mean without the item itself would order them backwards).
    NaN if only one run has ratings.
    - `label`: the same rank of the caption's coherence label; captions without a label form a group.
    - `shared_words`: the number of distinct words of the caption that occur in some reference of its item.

    For a set, length and shared words are means over its captions, and there is no label. "Other items" are those that
    are not resampled together with the caption's own.

    If the ratings are `votes`, 0 or 1, groups tie if one vote for each could reverse their order: with equal records,
    leaving out a caption's own vote would always count against that caption.
    """
    size, shared = _words(study, at)
    sign = _sign(size, at.value)
    rows = (sign * size, _rank(at, at.run, votes), _rank(at, _labels(study, at), votes), shared)
    return Predictors(np.stack(rows), sign > 0)


def _words(study: Study, at: Points) -> Floats:
    captions = [_texts(study, *place) for place in zip(at.run, at.item, at.place)]
    needed = sorted(set(at.item.tolist()))
    texts = [text for of in captions for text in of] + [t for k in needed for t in study.items[k].references]
    split = dict(zip(texts, tokenize(texts, study.tokenizer)))
    known = {k: {word for text in study.items[k].references for word in split[text]} for k in needed}
    sizes = [np.mean([len(split[text]) for text in of]) if of else np.nan for of in captions]
    shared = [
        np.mean([len(known[item] & set(split[text])) for text in of]) if of else np.nan
        for item, of in zip(at.item.tolist(), captions)
    ]
    none = not any(known.values())
    return np.array([sizes, np.full(len(shared), np.nan) if none else shared], dtype=np.float64)


def _texts(study: Study, run: int, item: int, place: int) -> tuple[str, ...]:
    texts = study.runs[run].candidates.get(study.items[item].id, ())
    return tuple(texts) if place == SET else tuple(texts[place : place + 1])


def _sign(values: Floats, ratings: Floats) -> float:
    from scipy.stats import kendalltau

    known = ~np.isnan(values)
    return -1.0 if known.sum() > 1 and kendalltau(values[known], ratings[known]).statistic < 0 else 1.0


def _labels(study: Study, at: Points) -> Integers:
    names: dict[str, int] = {"": 0}
    found = np.zeros(len(at), dtype=np.int64)
    for k, (run, item, place) in enumerate(zip(at.run, at.item, at.place)):
        if place != SET:
            said = of_candidates(study.runs[run], study.items[item].id)
            found[k] = names.setdefault(said[place] if place < len(said) else "", len(names))
    return found


def _rank(at: Points, group: Integers, votes: bool) -> Floats:
    """(n,) rank of each point's group by mean rating over the points of other units; NaN if there is only one group.

    A group without points in other units gets the mean of all ratings in those units.
    """
    names, of = np.unique(group, return_inverse=True)
    if len(names) < 2:
        return np.full(len(at), np.nan)
    unit, shape = at.drawn[at.cluster], (int(at.drawn.max()) + 1, len(names))
    cell = unit * len(names) + of.ravel()
    sums, counts = (np.bincount(cell, w, shape[0] * shape[1]).reshape(shape) for w in (at.value, None))
    sums, counts = sums.sum(axis=0) - sums, counts.sum(axis=0) - counts
    overall = sums.sum(axis=1, keepdims=True) / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    means = np.where(counts > 0, sums / np.maximum(counts, 1), overall)
    turned = 1 / np.maximum(counts, 1) if votes else np.zeros(shape)
    ranks = np.zeros(shape)
    for column, by in zip(means.T, turned.T):
        ranks += column[:, None] < means - _TIED - turned - by[:, None]
    return np.asarray(ranks[unit, of.ravel()])


def leads(
    values: Floats, boot: Floats, sets: Integers, clusters: Integers, points: Integers, metrics: int
) -> list[Lead]:
    """Return the lead of each of the first `metrics` rows over the baselines, which are the rows after them.

    `values` (m + 4,) are agreements and `boot` (m + 4, resamples) their paired resamples; `sets` are equal for rows
    with values for the same points, and only such rows are compared; `clusters` and `points` count those behind each
    row. A metric that cannot be compared has the baseline -1, and NaN for its lead and its p.
    """
    found: list[tuple[int, Estimate, float]] = []
    for k in range(metrics):
        over = {j: metrics + j for j in range(len(TRIVIAL)) if np.isfinite(values[metrics + j])}
        gaps = {j: _gap(values, boot, k, row, int(clusters[k]), int(points[k])) for j, row in over.items()}
        able = all(sets[row] == sets[k] for row in over.values())
        if not gaps or not able or np.isnan(values[k]):
            found.append((-1, Estimate(np.nan, np.nan, np.nan, np.nan, int(points[k])), np.nan))
            continue
        if any(np.isnan(one.p_value) for one in gaps.values()):
            ahead = dict.fromkeys(gaps, np.nan)
        else:
            ahead = {j: one.p_value if one.value > 0 else 1.0 for j, one in gaps.items()}
        hardest = max(gaps, key=lambda j: (ahead[j] if np.isfinite(ahead[j]) else 0.0, float(values[metrics + j])))
        found.append((hardest, gaps[hardest], ahead[hardest]))
    return [Lead(over, gap, float(p)) for (over, gap, _), p in zip(found, holm([p for *_, p in found]))]


def _gap(values: Floats, boot: Floats, metric: int, baseline: int, clusters: int, points: int) -> Estimate:
    return estimate(float(values[metric] - values[baseline]), boot[metric] - boot[baseline], clusters, points)


def names(longer: bool) -> Sequence[str]:
    """Return the names of the baselines, as in `TRIVIAL`; `longer` states whether longer captions are rated higher."""
    return (f"length alone ({'more' if longer else 'fewer'} words)", "run alone", "label alone", "shared words alone")
