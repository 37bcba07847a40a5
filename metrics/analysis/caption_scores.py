"""The values of the single captions of one item: by a metric, and by people's ratings."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from data.ratings.human_ratings import SET, Ratings
from metrics.chunk import caption_order
from metrics.engine.result import Result
from metrics.mathematics.arrays import Floats


def in_file_order(captions: Sequence[str], values: Floats) -> Floats:
    """Return the values (n,) of an item's captions in file order, from values in the order of a result.

    All are NaN unless there are n values.
    """
    found = np.full(len(captions), np.nan)
    if len(values) == len(captions):
        found[caption_order(tuple(captions))] = values
    return found


def caption_values(captions: Sequence[str], position: int, result: Result) -> Floats:
    """Return a metric's values (n,) of the captions of the item at that position; NaN for captions without a value."""
    return in_file_order(captions, result.values[result.unit_item == position])


def caption_ratings(captions: Sequence[str], run: int, position: int, ratings: Ratings) -> tuple[Floats, float]:
    """Return the mean ratings (n,) of an item's captions, and the mean rating of the set; NaN without ratings."""
    mine = (ratings.run == run) & (ratings.item == position)
    place, value = ratings.place[mine], ratings.value[mine]
    means = [value[place == k].mean() if (place == k).any() else np.nan for k in (*range(len(captions)), SET)]
    return np.array(means[:-1], dtype=float), float(means[-1])
