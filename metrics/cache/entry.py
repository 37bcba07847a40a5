"""The bytes of a cache entry: an .npz file with a seal at its end, never a pickle.

The seal is the sha256 of the entry's key and of all bytes before it, stored as the comment of the zip archive that an
.npz file is. It reveals any change of the bytes, and any entry stored under the wrong key.
"""

from __future__ import annotations

import hashlib
import io
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from data.files import npz
from data.files.limits import Budget

Arrays = Mapping[str, NDArray[Any]]
SEAL = 32


def encode(key: str, arrays: Arrays, compress: bool) -> bytes:
    """Return arrays as the bytes of a sealed .npz file."""
    buffer = io.BytesIO()
    (np.savez_compressed if compress else np.savez)(buffer, **dict(arrays))  # type: ignore[arg-type]
    # The last two bytes of a zip archive are the length of its comment.
    body = buffer.getvalue()[:-2] + struct.pack("<H", SEAL)
    return body + _seal(key, body)


def decode(key: str, raw: bytes, budget: Budget | None = None) -> dict[str, NDArray[Any]] | None:
    """Return the arrays of a sealed entry; None unless every byte is as it was written under this key.

    Also None if the arrays would exceed the budget: a seal does not prove who made the entry.
    """
    whole = memoryview(raw)
    return unsealed(raw, budget) if bytes(whole[-SEAL:]) == _seal(key, whole[:-SEAL]) else None


def unsealed(raw: bytes, budget: Budget | None = None) -> dict[str, NDArray[Any]] | None:
    """Return the arrays of an .npz file whose bytes were verified elsewhere; None if it is unusable or too large."""
    try:
        return npz.read(raw, budget)
    except npz.UNUSABLE:
        return None


def _seal(key: str, body: bytes | memoryview) -> bytes:
    found = hashlib.sha256(key.encode("utf-8", "surrogatepass"))
    found.update(body)
    return found.digest()
