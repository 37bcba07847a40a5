"""What a file may become, by its size: bytes, values, members and pixels; and what is raised for broken ones."""

from __future__ import annotations

import gzip
import lzma
import struct
import tokenize
import zipfile
import zlib
from typing import IO

MAX_UNPACKED, MAX_TOTAL = 1 << 30, 2 << 30
"""Most bytes that a file, and all files that are read together, may unpack to."""
MAX_RATIO, MIN_CHECKED_SIZE = 40, 32 << 20
"""Most bytes that a byte of a file may unpack to, once it has unpacked to more than so much."""
MAX_VALUES, MIN_VALUES, VALUES_OF_A_BYTE = 60_000_000, 3_000_000, 3
"""Most values that files which are read together may hold; how many a file of any size may, and how many for each of
its bytes.
"""
A_ROW, AN_OBJECT, A_TEXT = 30, 10, 5
"""As many values as a row or line, an object of JSON, and a text count for, by the memory and time that they take."""
MAX_COLUMNS = 50_000
"""Most columns of a table."""
MAX_MEMBERS = 1_000
"""Most files, pictures left out, that an archive may hold, in archives inside it too."""
MIN_PIXELS, PIXELS_OF_A_BYTE = 200_000_000, 25
"""Pixels that the pictures of a file may have in all, whatever its size, and how many more by its size."""
BROKEN = (
    *(OSError, EOFError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RuntimeError),
    *(MemoryError, SyntaxError, struct.error, zlib.error, lzma.LZMAError, zipfile.BadZipFile, tokenize.TokenError),
)
"""What is raised where damaged bytes are read: by zipfile and its codecs, by NumPy's parser of headers, by Pillow.

zipfile raises RuntimeError for a password and NotImplementedError, which is one, for an unknown method.
"""
_CHUNK = 1 << 20


class TooLargeError(Exception):
    """A file that becomes more than the limits allow."""


class Total:
    """What has come so far of files that are read together."""

    def __init__(self) -> None:
        self.used = self.values = 0


class Budget:
    """What one source may still become; counted on what it holds, since headers can lie.

    All methods count and raise TooLargeError, with the bound that is passed, once it is too much.
    """

    def __init__(self, packed: int, total: Total | None = None) -> None:
        self.packed = max(packed, 1)
        self.total = total or Total()
        self.used = self.values = self.members = self.pixels = 0

    def take(self, n: int) -> None:
        """Count bytes."""
        self.used += n
        self.total.used += n
        if self.total.used > MAX_TOTAL:
            raise TooLargeError(f"more than {MAX_TOTAL >> 20:,} MB together with the other files")
        if self.used > MAX_UNPACKED:
            raise TooLargeError(f"more than {MAX_UNPACKED >> 20:,} MB")
        if self.used > MIN_CHECKED_SIZE and self.used > MAX_RATIO * self.packed:
            raise TooLargeError(f"more than {MAX_RATIO} times its size")

    def take_values(self, n: int) -> None:
        """Count values: a number or a cell is one."""
        self.values += n
        self.total.values += n
        if self.values > (most := max(MIN_VALUES, VALUES_OF_A_BYTE * self.packed)):
            raise TooLargeError(f"more than {most:,} values, the most for a file of its size")
        if self.total.values > MAX_VALUES:
            raise TooLargeError(f"more than {MAX_VALUES:,} values, alone or together with the other files")

    def take_members(self, n: int) -> None:
        """Count files in archives."""
        self.members += n
        if self.members > MAX_MEMBERS:
            raise TooLargeError(f"{self.members:,} files, more than {MAX_MEMBERS:,}")

    def take_pixels(self, n: int) -> None:
        """Count the pixels of pictures."""
        self.pixels += n
        if self.pixels > (most := max(MIN_PIXELS, PIXELS_OF_A_BYTE * self.packed)):
            raise TooLargeError(
                f"more than {most // 1_000_000:,} million pixels in all, the most for a file of its size"
            )


def values_of_json(content: bytes) -> int:
    """Return at most how many values JSON text holds: by its marks, those within texts too."""
    marks = {b'"': A_TEXT / 2, b",": 1, b":": 1, b"[": 1, b"{": AN_OBJECT, b"\n": 1}
    return int(sum(content.count(mark) * each for mark, each in marks.items()))


def values_of_lines(content: bytes) -> int:
    """Return at most how many values lines or rows of text hold."""
    rows, quoted = max(content.count(b"\n"), content.count(b"\r")) + 1, content.count(b'"') // 2
    return A_ROW * rows + A_TEXT * quoted + sum(map(content.count, (b",", b"\t", b";", b"|")))


def read_all(stream: IO[bytes] | gzip.GzipFile, budget: Budget, most: int | None = None) -> bytes:
    """Return all bytes, or a few more than `most`."""
    chunks, size = [], 0
    while (most is None or size <= most) and (chunk := stream.read(_CHUNK)):
        budget.take(len(chunk))
        chunks.append(chunk)
        size += len(chunk)
    return b"".join(chunks)
