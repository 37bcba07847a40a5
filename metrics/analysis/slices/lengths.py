"""Scores of a run's items by the length of its captions."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from data.study import Run, Study
from metrics.analysis.slices.groups import mean_lengths
from metrics.mathematics.arrays import Floats, Integers
from metrics.permutation.pvalues import ALPHA
from metrics.text.tokens import tokenize

BINS, FEWEST = 8, 5
"""Maximum number of groups of items by length, and minimum number of items per group."""


@dataclass(frozen=True, eq=False)
class LengthCurve:
    """A run's scores by caption length, in groups (g,) of items from short to long captions.

    `length` and `score` are means over the `n` items of a group, where an item's length is the mean number of words of
    its captions; `low` and `high` are the ends of the 95 % interval of `score` by Student's t, NaN for a single item.
    `spearman` is the rank correlation between length and score over all items; NaN with fewer than three items, or if
    either is constant.
    """

    run: str
    length: Floats = field(repr=False)
    score: Floats = field(repr=False)
    low: Floats = field(repr=False)
    high: Floats = field(repr=False)
    n: Integers = field(repr=False)
    spearman: float = np.nan


def length_curve(study: Study, run: Run, scores: Floats) -> LengthCurve:
    """Return the curve of a run's `scores` (items,); items without a score or a caption are left out.

    Groups have similar sizes, and items of equal length share a group. Raises JavaMissing if words cannot be counted.
    """
    captions = [run.candidates.get(item.id, ()) for item in study.items]
    flat = iter(tokenize([text for of in captions for text in of], study.tokenizer))
    lengths = np.asarray(mean_lengths([[next(flat) for _ in of] for of in captions]))
    known = np.isfinite(lengths) & np.isfinite(scores)
    lengths, scores = lengths[known], scores[known]
    of = _groups(lengths)
    groups = [of == k for k in np.unique(of)]
    means = np.array([[lengths[at].mean(), scores[at].mean()] for at in groups]).reshape(len(groups), 2)
    n = np.array([int(at.sum()) for at in groups], dtype=np.int64)
    half = np.array([_half(scores[at]) for at in groups])
    return LengthCurve(
        run.name, means[:, 0], means[:, 1], means[:, 1] - half, means[:, 1] + half, n, _spearman(lengths, scores)
    )


def _groups(lengths: Floats) -> Integers:
    count = min(BINS, len(lengths) // FEWEST)
    if count < 2:
        return np.zeros(len(lengths), dtype=np.int64)
    edges = np.unique(np.quantile(lengths, np.arange(1, count) / count))
    return np.searchsorted(edges, lengths, side="left")


def _half(sample: Floats) -> float:
    from scipy.stats import t

    n = len(sample)
    return float(t.ppf(1 - ALPHA / 2, n - 1) * sample.std(ddof=1) / np.sqrt(n)) if n > 1 else np.nan


def _spearman(one: Floats, other: Floats) -> float:
    if len(one) < 3 or np.ptp(one) == 0 or np.ptp(other) == 0:
        return np.nan
    from scipy.stats import rankdata

    return float(np.corrcoef(rankdata(one), rankdata(other))[0, 1])
