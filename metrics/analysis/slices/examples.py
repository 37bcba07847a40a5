"""The items of a slice on which two runs differ most."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from metrics.analysis.slices.differences import Values
from metrics.analysis.slices.groups import Slice


class Example(NamedTuple):
    """An item by its position, and the value of each run on it."""

    place: int
    values: tuple[float, ...]


def examples(of: Values, one: Slice, most: int = 3) -> list[Example]:
    """Return at most `most` items of a slice with the largest absolute differences, the largest first.

    For a single run, return the items whose values are farthest from its mean.
    """
    places = np.array(one.places, dtype=np.int64)
    centre = 0.0 if len(of.sides) > 1 else float(np.mean(of.items[of.known]))
    order = np.argsort(-np.abs(of.items[places] - centre), kind="stable")[:most]
    return [Example(int(place), tuple(of.sides[:, place].tolist())) for place in places[order]]
