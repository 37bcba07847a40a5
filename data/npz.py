"""Arrays of an .npz file from elsewhere, read without pickle."""

from __future__ import annotations

import contextlib
import io
import math
import zipfile
from typing import Any

import numpy as np
from numpy.typing import NDArray

LARGEST = 1 << 30
"""Bytes that the arrays of a file may take."""
LARGEST_GIVEN = 256 << 20
"""Bytes that the arrays of a file may take that is given in the app or in a bundle."""


class UnusableFile(ValueError):
    """A file that holds nothing that can be used; the message says what it holds in its place."""


def read(content: bytes) -> dict[str, NDArray[Any]]:
    """The arrays by their name, none of which may hold Python objects or claim to be larger than it is.

    Raises UnusableFile.
    """
    try:
        return _read(content)
    except (zipfile.BadZipFile, OSError, EOFError, ValueError, MemoryError) as why:
        raise why if isinstance(why, UnusableFile) else UnusableFile(str(why) or type(why).__name__) from None


def _read(content: bytes) -> dict[str, NDArray[Any]]:
    found = {}
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        _bound(archive, LARGEST)
        for info in archive.infolist():
            with archive.open(info) as stream:
                raw = stream.read()
            _check_header(raw, info.filename)
            found[info.filename.removesuffix(".npy")] = np.lib.format.read_array(io.BytesIO(raw), allow_pickle=False)
    return found


def bound(content: bytes, most: int) -> None:
    """Raise UnusableFile for arrays that take more bytes than `most`; a damaged file passes, `read` says what it is."""
    with contextlib.suppress(zipfile.BadZipFile), zipfile.ZipFile(io.BytesIO(content)) as archive:
        _bound(archive, most)


def _bound(archive: zipfile.ZipFile, most: int) -> None:
    if sum(info.file_size for info in archive.infolist()) > most:
        raise UnusableFile(f"arrays of more than {most >> 20:,} MB")


def _check_header(raw: bytes, name: str) -> None:
    stream = io.BytesIO(raw)
    version = np.lib.format.read_magic(stream)
    read_header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, _, kind = read_header(stream)
    if kind.hasobject:
        raise UnusableFile(
            f"{name} holds Python objects, which are never read: save texts as np.array(texts, dtype=str)"
        )
    if math.prod(shape) * kind.itemsize > len(raw):
        raise UnusableFile(f"{name} is shorter than it says")
