"""The bytes of a cache entry: an .npz file with a seal at its end, never a pickle.

The seal is the sha256 of the entry's key and of all bytes before it, stored as the comment of the zip archive that an
.npz file is: it reveals any change of the bytes, and an entry under another key.
"""

from __future__ import annotations

import hashlib
import io
import lzma
import math
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = Mapping[str, NDArray[Any]]
SEAL = 32
LARGEST = 1 << 28
"""Most bytes that an entry from elsewhere may take."""
READ_ERRORS = (
    OSError,
    EOFError,
    ValueError,
    KeyError,
    IndexError,
    TypeError,
    OverflowError,
    RuntimeError,
    MemoryError,
    SyntaxError,
    struct.error,
    zlib.error,
    lzma.LZMAError,
    zipfile.BadZipFile,
    tokenize.TokenError,
)
"""Exceptions raised when damaged bytes are read as arrays, by zipfile, its codecs, and numpy's parser of headers."""
_HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}


def encode(key: str, arrays: Arrays, compress: bool) -> bytes:
    """Return arrays as the bytes of a sealed .npz file."""
    buffer = io.BytesIO()
    (np.savez_compressed if compress else np.savez)(buffer, **dict(arrays))  # type: ignore[arg-type]
    # The last two bytes of a zip archive are the length of its comment.
    body = buffer.getvalue()[:-2] + struct.pack("<H", SEAL)
    return body + _seal(key, body)


def decode(key: str, raw: bytes, most: int | None = None) -> dict[str, NDArray[Any]] | None:
    """Return the arrays of a sealed entry; None unless every byte is as it was written under this key.

    None, too, if they would take more than `most` bytes: a seal does not prove who set it.
    """
    whole = memoryview(raw)
    return unsealed(raw, most) if bytes(whole[-SEAL:]) == _seal(key, whole[:-SEAL]) else None


def unsealed(raw: bytes, most: int | None = None) -> dict[str, NDArray[Any]] | None:
    """Return the arrays of an .npz file whose bytes are verified otherwise, such as by the archive that holds it."""
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            if most is not None and sum(member.file_size for member in archive.infolist()) > most:
                return None
            return {name.removesuffix(".npy"): _array(archive.read(name)) for name in archive.namelist()}
    except READ_ERRORS:
        return None


def _seal(key: str, body: bytes | memoryview) -> bytes:
    found = hashlib.sha256(key.encode("utf-8", "surrogatepass"))
    found.update(body)
    return found.digest()


def _array(raw: bytes) -> NDArray[Any]:
    """The array of an .npy file. Raises ValueError unless it holds numbers or text, and just as many as it says."""
    file = io.BytesIO(raw)
    shape, by_columns, dtype = _HEADERS[np.lib.format.read_magic(file)](file)
    if dtype.kind not in "biufU":
        raise ValueError(f"an array of {dtype}")
    flat = np.frombuffer(raw, dtype, offset=file.tell())
    if math.prod(shape) != len(flat):
        raise ValueError(f"{len(flat)} values for the shape {shape}")
    return flat.reshape(shape, order="F" if by_columns else "C").copy(order="K")
