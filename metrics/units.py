"""Independent units of a study: its items, or the clusters that its items belong to.

Random draws, flips and permutations must treat the items of a unit alike. For statistics that add up over items, it is
enough to draw or flip the sums over units.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metrics.mathematics.arrays import Floats, Integers, Labels

Units = NDArray[np.int64] | None
"""(items,) number of each item's unit; None if every item is its own unit."""


def by_unit(values: ArrayLike, unit: Units) -> Floats:
    """(units, ...) sums of values (items, ...) over each unit's items, in order; the values as they are for None."""
    array = np.asarray(values, dtype=np.float64)
    if unit is None:
        return array
    numbers, place = np.unique(unit, return_inverse=True)
    sums = np.zeros((len(numbers), *array.shape[1:]))
    np.add.at(sums, place, array)
    return sums


def of_items(unit: Units, items: NDArray[np.int64] | Labels) -> Units:
    """Return the units of some items, given by their positions or a mask."""
    return None if unit is None else unit[items]


def count_units(unit: Units, items: NDArray[np.int64] | Labels) -> int:
    """Return the number of units of some items, which are given by their positions or a mask."""
    chosen = np.asarray(items)
    if unit is None:
        return int(chosen.sum()) if chosen.dtype == bool else len(chosen)
    return len(np.unique(unit[chosen]))


def first_alike(*columns: Integers) -> Integers:
    """Return, for each position (n,), the first position with equal values in all columns; they share a draw."""
    _, first, place = np.unique(np.stack(columns, axis=1), axis=0, return_index=True, return_inverse=True)
    return np.asarray(first[place.ravel()])
