"""Checks that arrays read from a cache or a bundle are what their reader expects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from metrics.cache.entry import Arrays

Shape = tuple[int | None, ...]


LARGEST = 1e12
"""No number of a study is so large: what lies beyond overflows when it is drawn or summed."""


class Unfit(ValueError):
    """Arrays that are not what their reader expects."""


def expect(arrays: Arrays, shapes: Mapping[str, Shape]) -> Arrays:
    """The arrays, if there is a numeric one of each of these shapes; None is any length. Raises Unfit."""
    for name, shape in shapes.items():
        array = arrays.get(name)
        if array is None or array.dtype.kind not in "biuf" or not _has_shape(array, shape) or beyond(array):
            raise Unfit(f"{name} is not an array of shape {shape}")
    return arrays


def beyond(array: NDArray[Any]) -> bool:
    """Whether some number is larger than any of a study."""
    return bool((array > LARGEST).any() or (array < -LARGEST).any())


def _has_shape(array: NDArray[Any], shape: Shape) -> bool:
    return array.ndim == len(shape) and all(want in (None, size) for size, want in zip(array.shape, shape))


def expect_positions(array: NDArray[Any], count: int) -> NDArray[Any]:
    """The array, if it holds places in a sequence of that length. Raises Unfit."""
    if array.dtype.kind not in "iu" or (array.size and not (array.min() >= 0 and array.max() < count)):
        raise Unfit("places that there are not")
    return array


def expect_sizes(sizes: NDArray[Any], rows: int, wanted: Sequence[int]) -> list[int]:
    """Sizes of consecutive pieces of so many rows, if they are those wanted. Raises Unfit."""
    if sizes.tolist() != list(wanted) or sum(wanted) != rows:
        raise Unfit("pieces of other sizes")
    return list(wanted)
