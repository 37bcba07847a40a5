"""Orders of a study's items by the values of metrics."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from metrics.mathematics.arrays import Floats


def in_order(values: Floats, descending: bool = False) -> NDArray[np.int64]:
    """Return (n,) positions by value; equal ones stay in their order, undefined ones come last."""
    return np.argsort(-values if descending else values, kind="stable")


def shares_below(values: Floats) -> Floats:
    """Return (n,) the share (0..1) of defined values that are lower, ties counted half; NaN where undefined.

    Strictly increasing transformations of the values do not change it.
    """
    defined = np.isfinite(values)
    known = np.sort(values[defined])
    out = np.full(len(values), np.nan)
    if len(known):
        of = values[defined]
        both = np.searchsorted(known, of, "left") + np.searchsorted(known, of, "right")
        out[defined] = both / (2 * len(known))
    return out


def disagreement(first: Floats, second: Floats, first_up: bool = True, second_up: bool = True) -> Floats:
    """Return (n,) the difference in -1..1 between an item's ranks by two metrics, among the items with both values.

    `first_up`, `second_up`: whether more is better. Near 1 the item is among the best by the first metric and among the
    worst by the second; NaN where either value is undefined.
    """
    both = np.isfinite(first) & np.isfinite(second)
    places = [
        shares_below(np.where(both, values if up else -values, np.nan))
        for values, up in ((first, first_up), (second, second_up))
    ]
    return places[0] - places[1]
