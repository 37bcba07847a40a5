"""Raters who contradict the others, for example because they read the scale in reverse."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from data.findings import Log
from data.matching.merge import Pool
from data.ratings.human_ratings import Ratings, ratings_of
from data.records import Part
from data.study import Study

Floats = NDArray[np.float64]

FEWEST, RATERS = 20, 3
"""Minimum number of captions that a rater must share with others, and minimum number of raters, for this check."""
DEVIATIONS = 4.0
"""How far the rank correlation must be below 0, in standard deviations under independence, 1 / sqrt(n - 1)."""


def check(study: Study, pool: Pool, parts: Sequence[Part], log: Log) -> None:
    """Warn about each rater whose ratings have a significant negative correlation with the mean of the others."""
    for ratings in ratings_of(study):
        if len(ratings.raters) < RATERS:
            continue
        own, others = with_others(ratings)
        for rater, name in enumerate(ratings.raters):
            both = np.isfinite(others) & (ratings.rater == rater)
            n = int(both.sum())
            agreement = spearman(own[both], others[both]) if n >= FEWEST else math.nan
            if agreement < -DEVIATIONS / math.sqrt(max(n - 1, 1)):
                files = "; ".join(dict.fromkeys(_files(pool, parts, ratings.criterion, name)))
                log.add("rater_contradicts", files, rater=name, name=ratings.criterion, n=n, value=f"{agreement:.2f}")


def with_others(ratings: Ratings) -> tuple[Floats, Floats]:
    """Return two (n,) arrays: each rating, and the mean of the other ratings of its caption (NaN without others)."""
    at = np.stack([ratings.run, ratings.item, ratings.place])
    caption = np.unique(at, axis=1, return_inverse=True)[1].reshape(-1)
    total, count = np.bincount(caption, ratings.value), np.bincount(caption)
    left = count[caption] - 1
    rest = total[caption] - ratings.value
    return ratings.value, np.divide(rest, left, out=np.full(len(rest), math.nan), where=left > 0)


def spearman(x: Floats, y: Floats) -> float:
    """Return Spearman's rank correlation of two (n,) arrays, with mean ranks for ties; NaN if either is constant."""
    a, b = _ranks(x), _ranks(y)
    spread = math.sqrt(float((a @ a) * (b @ b)))
    return float(a @ b) / spread if spread else math.nan


def _ranks(values: Floats) -> Floats:
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(count) - (count - 1) / 2)[place.reshape(-1)]
    return np.asarray(ranks - ranks.mean(), dtype=np.float64)


def _files(pool: Pool, parts: Iterable[Part], criterion: str, rater: str) -> list[str]:
    """Return the files with a rater's ratings, or else the files of runs whose ratings are beside their captions."""
    tables = [part.file for part in parts if any((r.metric, r.rater) == (criterion, rater) for r in part.ratings)]
    return tables or [run.file for run in pool.runs.values() if run.human]
