"""Limits on the unpacked contents of a file, relative to its size, and the errors that damaged files raise."""

from __future__ import annotations

import gzip
import lzma
import struct
import tarfile
import tokenize
import zipfile
import zlib
from typing import IO, Any

MAX_UNPACKED, MAX_TOTAL = 1 << 30, 2 << 30
"""Maximum number of unpacked bytes of one file, and maximum for all files read together."""
MAX_RATIO, MIN_CHECKED_SIZE = 40, 32 << 20
"""Maximum ratio of uncompressed to compressed size, and the number of uncompressed bytes above which it applies."""
MAX_VALUES, MIN_VALUES, VALUES_OF_A_BYTE = 60_000_000, 3_000_000, 3
"""Maximum number of values in all files read together; number of values that a file of any size may contain, and number
of values allowed per byte of larger files.
"""
A_ROW, AN_OBJECT, A_TEXT = 30, 10, 5
"""How many values a row or line, a JSON object and a text each count as, in view of the memory and time that they
take.
"""
MAX_COLUMNS = 50_000
"""Maximum number of columns in a table."""
MAX_MEMBERS = 1_000
"""Maximum number of files in an archive, including those in nested archives but not pictures."""
MIN_PIXELS, PIXELS_OF_A_BYTE = 200_000_000, 25
"""Total number of pixels that the pictures in a file of any size may have, and number of pixels allowed per byte of
larger files.
"""
BROKEN = (
    *(OSError, EOFError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RuntimeError),
    *(MemoryError, SyntaxError, struct.error, zlib.error, lzma.LZMAError, zipfile.BadZipFile, tokenize.TokenError),
    tarfile.TarError,
)
"""Exceptions raised for damaged bytes by zipfile, tarfile and their codecs, by NumPy's header parser and by Pillow.

zipfile raises RuntimeError for a password, and its subclass NotImplementedError for an unknown compression method.
"""
_CHUNK = 1 << 20


class TooLargeError(Exception):
    """A file whose content exceeds the limits."""


class Total:
    """Running totals over all files that are read together."""

    def __init__(self) -> None:
        self.used = self.values = 0


class Budget:
    """The limits of one source. They apply to what it really contains, since headers can lie.

    Every method adds to a count and raises TooLargeError, naming the limit, if the count exceeds it.
    """

    def __init__(self, packed: int, total: Total | None = None) -> None:
        self.packed = max(packed, 1)
        self.total = total or Total()
        self.used = self.values = self.members = self.pixels = 0

    def take(self, n: int) -> None:
        """Count bytes. Raises TooLargeError above a limit, as the other methods do."""
        self.used += n
        self.total.used += n
        if self.total.used > MAX_TOTAL:
            raise TooLargeError(f"more than {MAX_TOTAL >> 20:,} MB together with the other files")
        if self.used > MAX_UNPACKED:
            raise TooLargeError(f"more than {MAX_UNPACKED >> 20:,} MB")
        if self.used > MIN_CHECKED_SIZE and self.used > MAX_RATIO * self.packed:
            raise TooLargeError(f"more than {MAX_RATIO} times its size")

    def take_values(self, n: int) -> None:
        """Count values, such as numbers and the cells of tables."""
        self.values += n
        self.total.values += n
        if self.values > (most := max(MIN_VALUES, VALUES_OF_A_BYTE * self.packed)):
            raise TooLargeError(f"more than {most:,} values, the maximum for a file of its size")
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
                f"more than {most // 1_000_000:,} million pixels in all, the maximum for a file of its size"
            )


def values_of_json(content: bytes) -> int:
    """Return an upper bound on the number of values in JSON text; punctuation is counted everywhere, even within
    strings.
    """
    marks = {b'"': A_TEXT / 2, b",": 1, b":": 1, b"[": 1, b"{": AN_OBJECT, b"\n": 1}
    return int(sum(content.count(mark) * each for mark, each in marks.items()))


def values_of_lines(content: bytes) -> int:
    """Return an upper bound on the number of values in lines or rows of text."""
    rows, quoted = max(content.count(b"\n"), content.count(b"\r")) + 1, content.count(b'"') // 2
    return A_ROW * rows + A_TEXT * quoted + sum(map(content.count, (b",", b"\t", b";", b"|")))


def read_all(stream: IO[bytes] | gzip.GzipFile, budget: Budget, most: int | None = None) -> bytes:
    """Return all bytes of a stream and count them in the budget; if `most` is given, stop soon after that number of
    bytes.
    """
    chunks, size = [], 0
    while (most is None or size <= most) and (chunk := stream.read(_CHUNK)):
        budget.take(len(chunk))
        chunks.append(chunk)
        size += len(chunk)
    return b"".join(chunks)


def bound_columns(value: Any, budget: Budget) -> None:
    """Raise TooLargeError if records would make too wide or too large a table.

    In an object, each value that is not an object counts as a row.
    """
    rows = value.get("scores", value) if isinstance(value, dict) else value
    if isinstance(rows, dict):
        budget.take_values(A_ROW * sum(not isinstance(one, dict) for one in rows.values()))
    elif isinstance(rows, list):
        columns = len({key for row in rows if isinstance(row, dict) for key in row})
        if columns > MAX_COLUMNS:
            raise TooLargeError(f"{columns:,} different keys of records, more than {MAX_COLUMNS:,}")
        if columns > 1_000:
            budget.take_values(columns * len(rows))
