"""Files as bytes: those that were given, and those inside archives, read within limits."""

from __future__ import annotations

import gzip
import hashlib
import lzma
import struct
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath
from typing import IO

from data.marks import Marks

MAX_UNPACKED = 1 << 30
MAX_TOTAL = 2 << 30  # what all archives that are read together may unpack to
MAX_RATIO = 250
MIN_CHECKED_SIZE = 32 << 20  # an archive may unpack to this much at any ratio
MOST_NAME = 1_000
"""Most characters of the name of a picture."""
_CHUNK = 1 << 20
# zipfile raises RuntimeError for a password and NotImplementedError for an unknown method.
BROKEN = (
    OSError,
    EOFError,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    zipfile.BadZipFile,
    RuntimeError,
    ValueError,
    OverflowError,
)


class TooLargeError(Exception):
    """An archive that unpacks to more than the limits allow."""


@dataclass(frozen=True)
class File:
    """An input file: its name, without folders, and the sha256 of its bytes."""

    name: str
    sha256: str


@dataclass(frozen=True)
class Blob:
    """The bytes of one file under its label; a label is shown and never used as a path.

    `numbers` are those that a study bundle brings along, by their key, `idf` its document frequencies, `own` the names
    of its metrics with own settings, and `slices` its saved slices, as text by name. `given` is what COSMic was given:
    name and bytes, by member; `marks` are what people marked in it. `source` is the file that it came in, `path` its
    whole name within that, by which a `picture` is found; `pattern` is that of the names of pictures.
    """

    name: str
    content: bytes
    numbers: Mapping[str, bytes] = field(default_factory=dict, repr=False, compare=False)
    source: File | None = None
    idf: bytes | None = field(default=None, repr=False, compare=False)
    own: tuple[str, ...] = field(default=(), repr=False, compare=False)
    slices: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)
    given: Mapping[str, tuple[str, bytes]] = field(default_factory=dict, repr=False, compare=False)
    marks: Marks = field(default_factory=Marks, repr=False, compare=False)
    path: str = field(default="", compare=False)
    picture: bool = field(default=False, compare=False)
    pattern: str = field(default="", compare=False)

    @cached_property
    def key(self) -> str:
        """sha256 of the bytes."""
        return hashlib.sha256(self.content).hexdigest()

    @property
    def stem(self) -> str:
        """The last part of the label without its endings: `a.zip/b/run.jsonl` gives `run`."""
        name = PurePosixPath(without_gz(self.name).replace("\\", "/")).name
        for ending in (".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".parquet", ".pq", ".txt", ".npz"):
            if name.lower().endswith(ending) and len(name) > len(ending):
                return name[: -len(ending)]
        return name or "file"


def without_gz(name: str) -> str:
    """Return a label without the extension of gzip, so that the extension before it counts."""
    return name[:-3] if name.lower().endswith(".gz") and len(name) > 3 else name


@dataclass
class Total:
    """The unpacked size so far of archives that are read together."""

    used: int = 0


class Budget:
    """What one source may still unpack to; counted on the bytes, since headers can lie."""

    def __init__(self, packed: int, total: Total) -> None:
        self.packed = max(packed, 1)
        self.used = 0
        self.total = total

    def take(self, n: int) -> None:
        """Count bytes; raise TooLargeError once they are too many."""
        self.used += n
        self.total.used += n
        if self.total.used > MAX_TOTAL:
            raise TooLargeError(f"more than {MAX_TOTAL >> 20:,} MB together with the other archives")
        if self.used > MAX_UNPACKED:
            raise TooLargeError(f"more than {MAX_UNPACKED >> 20:,} MB")
        if self.used > MIN_CHECKED_SIZE and self.used > MAX_RATIO * self.packed:
            raise TooLargeError(f"more than {MAX_RATIO} times its size")


def read_all(stream: IO[bytes] | gzip.GzipFile, budget: Budget, most: int | None = None) -> bytes:
    """Return all bytes, or a few more than `most`."""
    chunks, size = [], 0
    while (most is None or size <= most) and (chunk := stream.read(_CHUNK)):
        budget.take(len(chunk))
        chunks.append(chunk)
        size += len(chunk)
    return b"".join(chunks)
