"""Read files compressed with xz, within a memory limit."""

from __future__ import annotations

import io
import lzma
from collections.abc import Iterator

_MEMORY = 128 << 20
"""Maximum memory, in bytes, for unpacking xz; `xz -9` needs 65 MB."""
_STEP, _MOST_AT_ONCE = 8 << 10, 1 << 20


class Xz(io.RawIOBase):
    """A reader of files compressed with xz, which refuses to unpack a file that needs more memory than `_MEMORY`."""

    def __init__(self, stream: io.BytesIO) -> None:
        self._chunks = _of_xz(stream)

    def read(self, size: int = -1) -> bytes:
        """Return the next uncompressed bytes, whatever the `size`; b"" at the end."""
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
        # More streams may follow, separated by zeros.
        packed = reader.unused_data.lstrip(b"\0")
        while not packed and (more := stream.read(_STEP)):
            packed = more.lstrip(b"\0")
