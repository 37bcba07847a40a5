"""Orders of a study's items by metric values."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from metrics.mathematics.arrays import Floats


def in_order(values: Floats, descending: bool = False) -> NDArray[np.int64]:
    """Return positions (n,) sorted by value; equal values keep their order, undefined values come last."""
    return np.argsort(-values if descending else values, kind="stable")


def shares_below(values: Floats) -> Floats:
    """Return, for each value (n,), the share (0..1) of defined values below it, ties counting half; NaN if undefined.

    The result is invariant under strictly increasing transformations of the values.
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
    """Return the difference (n,), in -1..1, between each item's ranks by two metrics, among items with both values.

    `first_up` and `second_up` state whether higher is better. A value near 1 means that the item is among the best by
    the first metric and among the worst by the second; NaN where either value is undefined.
    """
    both = np.isfinite(first) & np.isfinite(second)
    places = [
        shares_below(np.where(both, values if up else -values, np.nan))
        for values, up in ((first, first_up), (second, second_up))
    ]
    return places[0] - places[1]
