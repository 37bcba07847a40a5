"""Files packed with xz, read within bounds of memory."""

from __future__ import annotations

import io
import lzma
from collections.abc import Iterator

_MEMORY = 128 << 20
"""The most memory, in bytes, for reading xz; `xz -9` asks for 65 MB."""
_STEP, _MOST_AT_ONCE = 8 << 10, 1 << 20


class Xz(io.RawIOBase):
    """Reads a file packed with xz; the file states how much memory that takes, and may not take more than `_MEMORY`."""

    def __init__(self, stream: io.BytesIO) -> None:
        self._chunks = _of_xz(stream)

    def read(self, size: int = -1) -> bytes:
        """Return the next unpacked bytes, however many there are; none at the end."""
        return next(self._chunks, b"")


def _of_xz(stream: io.BytesIO) -> Iterator[bytes]:
    packed = stream.read(_STEP)
    while packed:
        reader = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MEMORY)
        while not reader.eof:
            if not packed and reader.needs_input:
                raise EOFError("it ends too early")
            if made := reader.decompress(packed, _MOST_AT_ONCE):
                yield made
            packed = stream.read(_STEP) if reader.needs_input else b""
        # Further streams may follow, with zeros between.
        packed = reader.unused_data.lstrip(b"\0")
        while not packed and (more := stream.read(_STEP)):
            packed = more.lstrip(b"\0")
