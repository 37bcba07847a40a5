"""Arrays of .npz files, of numbers and text alone: the one place where they are read."""

from __future__ import annotations

import io
import math
import zipfile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from data.bounds import BROKEN, Budget, TooLargeError

LARGEST_GIVEN = 256 << 20
"""Bytes that the arrays of a file may take that is given in the app or in a bundle."""
_HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
_AN_ARRAY = 100
"""As many values as an array counts for."""
_SMALLEST = 4
"""Bytes that a number takes at least, once it is used."""


class UnusableFile(ValueError):
    """A file that holds nothing that can be used; the message says why."""


UNUSABLE = (UnusableFile, TooLargeError)


def read(content: bytes, budget: Budget | None = None) -> dict[str, NDArray[Any]]:
    """Return the arrays of a file by name, each of numbers or text, and of just as many as it says.

    Raises UnusableFile, and TooLargeError where they are more than the budget allows, before they are made.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return {one.filename.removesuffix(".npy"): _array(archive, one, budget) for one in archive.infolist()}
    except UnusableFile:
        raise
    except BROKEN as why:
        raise UnusableFile(str(why) or type(why).__name__) from None


def _array(archive: zipfile.ZipFile, member: zipfile.ZipInfo, budget: Budget | None) -> NDArray[Any]:
    if member.flag_bits & 1:
        raise UnusableFile(f"{member.filename} is locked with a password")
    with archive.open(member) as stream:
        shape, by_columns, kind = _HEADERS[np.lib.format.read_magic(stream)](stream)
        if kind.hasobject:
            why = "holds Python objects, which are never read: save texts as np.array(texts, dtype=str)"
            raise UnusableFile(f"{member.filename} {why}")
        if kind.kind not in "biufU":
            raise UnusableFile(f"{member.filename} holds {kind}, not numbers or text of NumPy's own kinds")
        count = math.prod(shape)
        if min(shape, default=0) < 0 or count * kind.itemsize > member.file_size:
            raise UnusableFile(f"{member.filename} is shorter than it says")
        if budget is not None:
            budget.take_values(_AN_ARRAY)
            budget.take(count * max(kind.itemsize, _SMALLEST))
        # One byte more reaches the end of the member, where its checksum is compared.
        raw = stream.read(count * kind.itemsize + 1)
    if len(raw) != count * kind.itemsize:
        raise UnusableFile(f"{member.filename} has another length than it says")
    flat = np.frombuffer(raw, kind) if raw else np.zeros(count, kind)
    return flat.reshape(shape, order="F" if by_columns else "C").copy(order="K")


def size(content: bytes) -> int:
    """Return how many bytes the arrays of a file say that they take; 0 for a broken file, of which `read` says why."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return sum(member.file_size for member in archive.infolist())
    except BROKEN:
        return 0
