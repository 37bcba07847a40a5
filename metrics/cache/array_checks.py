"""Checks that arrays read from a cache or a bundle are what their reader expects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from metrics.cache.entry import Arrays

Shape = tuple[int | None, ...]
Shapes = Mapping[str, Shape]
LARGEST = 1e12
"""The largest absolute value allowed in a study: larger values overflow when they are plotted or summed."""


class Unfit(ValueError):
    """Raised for arrays that are not what their reader expects."""


def expect(arrays: Arrays, shapes: Shapes) -> Arrays:
    """Return the arrays if they are numeric, have these shapes, and no number exceeds LARGEST; otherwise raise Unfit.

    None in a shape allows any length.
    """
    for name, shape in shapes.items():
        array = arrays.get(name)
        if array is None or array.dtype.kind not in "biuf" or not _has_shape(array, shape) or exceeds_largest(array):
            raise Unfit(f"{name} is not an array of shape {shape}")
    return arrays


def has_shapes(arrays: Arrays, shapes: Shapes) -> bool:
    """Return whether `expect` accepts the arrays."""
    try:
        expect(arrays, shapes)
    except Unfit:
        return False
    return True


def exceeds_largest(array: NDArray[Any]) -> bool:
    """Return whether the absolute value of any number exceeds LARGEST."""
    return bool((array > LARGEST).any() or (array < -LARGEST).any())


def _has_shape(array: NDArray[Any], shape: Shape) -> bool:
    return array.ndim == len(shape) and all(want in (None, size) for size, want in zip(array.shape, shape))


def expect_positions(array: NDArray[Any], count: int) -> NDArray[Any]:
    """Return the array if it contains only positions in a sequence of length `count`; raises Unfit otherwise."""
    if array.dtype.kind not in "iu" or (array.size and not (array.min() >= 0 and array.max() < count)):
        raise Unfit("places that do not exist")
    return array


def expect_sizes(sizes: NDArray[Any], rows: int, wanted: Sequence[int]) -> list[int]:
    """Return the sizes of consecutive pieces if they equal `wanted` and add up to `rows`; raises Unfit otherwise."""
    if sizes.tolist() != list(wanted) or sum(wanted) != rows:
        raise Unfit("pieces of other sizes")
    return list(wanted)
