"""Captions in NumPy arrays: arrays of equal length in `.npz` are columns; a single array of texts is read from
`.npy`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from data.formats.tables.table import Table

_ALONE = ""
"""The name of the array of an .npy file."""


def as_table(arrays: Mapping[str, NDArray[Any]]) -> Table | None:
    """Return arrays (n,), or (n, k) of texts, as the columns of a table of n rows; None if they are anything else.

    At least one array must contain texts. A single array is read only from .npy.
    """
    sizes = {array.shape[0] if array.ndim == 1 or _has_texts(array) else -1 for array in arrays.values()}
    if len(sizes) != 1 or sizes & {-1, 0} or not any(map(_has_texts, arrays.values())):
        return None
    if len(arrays) == 1 and _ALONE not in arrays:
        return None
    rows = zip(*(array.tolist() for array in arrays.values()))
    return Table([name or "captions" for name in arrays], ((f"row {k}", list(row)) for k, row in enumerate(rows, 1)))


def _has_texts(array: NDArray[Any]) -> bool:
    return array.dtype.kind == "U" and array.ndim in (1, 2)
