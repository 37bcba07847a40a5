"""Read .npz and .npy files, which may contain only arrays of numbers or text; no other module reads such files."""

from __future__ import annotations

import io
import math
import zipfile
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from data.files.limits import BROKEN, Budget, TooLargeError

LARGEST_GIVEN = 256 << 20
"""Maximum number of bytes of arrays in a file that is opened in the app or is part of a bundle."""
_HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
_AN_ARRAY = 100
"""How many values an array counts as."""
_SMALLEST = 4
"""Minimum number of bytes of memory that a number counts as."""


class UnusableFile(ValueError):
    """A file that cannot be used; the message gives the reason."""


UNUSABLE = (UnusableFile, TooLargeError)


def read(content: bytes, budget: Budget | None = None) -> dict[str, NDArray[Any]]:
    """Return the arrays of a file by name, each of numbers or text and exactly as long as its header states.

    The array of an .npy file has the name "".

    Raises UnusableFile, and TooLargeError before it builds an array that would exceed the budget.
    """
    try:
        if content.startswith(np.lib.format.MAGIC_PREFIX):
            return {"": _array(io.BytesIO(content), "it", len(content), budget)}
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return {one.filename.removesuffix(".npy"): _member(archive, one, budget) for one in archive.infolist()}
    except UnusableFile:
        raise
    except BROKEN as why:
        raise UnusableFile(str(why) or type(why).__name__) from None


def _member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, budget: Budget | None) -> NDArray[Any]:
    if member.flag_bits & 1:
        raise UnusableFile(f"{member.filename} is locked with a password")
    with archive.open(member) as stream:
        return _array(stream, member.filename, member.file_size, budget)


def _array(stream: IO[bytes], name: str, size: int, budget: Budget | None) -> NDArray[Any]:
    shape, by_columns, kind = _HEADERS[np.lib.format.read_magic(stream)](stream)
    if kind.hasobject:
        why = "holds Python objects, which are never read: save texts with dtype=str"
        raise UnusableFile(f"{name} {why}")
    if kind.kind not in "biufU":
        raise UnusableFile(f"{name} holds {kind}, not numbers or text of NumPy's own kinds")
    count = math.prod(shape)
    if min(shape, default=0) < 0 or count * kind.itemsize > size:
        raise UnusableFile(f"{name} is shorter than it states")
    if budget is not None:
        budget.take_values(_AN_ARRAY)
        budget.take(count * max(kind.itemsize, _SMALLEST))
    # Reading one byte more reaches the end of a member of an archive, where its checksum is verified.
    raw = stream.read(count * kind.itemsize + 1)
    if len(raw) != count * kind.itemsize:
        raise UnusableFile(f"{name} is not as long as it states")
    flat = np.frombuffer(raw, kind) if raw else np.zeros(count, kind)
    return flat.reshape(shape, order="F" if by_columns else "C").copy(order="K")


def size(content: bytes) -> int:
    """Return the declared size in bytes of the arrays in an .npz file; 0 for other and for broken files."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return sum(member.file_size for member in archive.infolist())
    except BROKEN:
        return 0
