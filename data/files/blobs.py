"""Files as bytes, whether a person opened them or an archive contains them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath

from data.files.limits import Budget
from data.marks import Marks

MOST_NAME = 1_000
"""Maximum number of characters in the name of a picture."""

_ENDINGS = (
    *(".json", ".jsonl", ".jsonlines", ".ndjson", ".csv", ".tsv", ".txt", ".log", ".md", ".npz", ".npy"),
    *(".parquet", ".pq", ".arrow", ".feather", ".xlsx", ".eval", ".tar"),
)
_PACKED = (".gz", ".bz2", ".xz", ".zst")


@dataclass(frozen=True)
class File:
    """An input file: its name, without folders, and the sha256 of its bytes."""

    name: str
    sha256: str


@dataclass(frozen=True)
class Blob:
    """The bytes of one file and its label, which is displayed but never used as a path.

    For a study bundle, `numbers` are its cache entries by key, `idf` its document frequencies, `own` the names of its
    metrics with custom settings, `slices` its saved slices as text by name, `given` the inputs of COSMic as name and
    bytes by member, and `marks` its hidden runs, stars and notes. `source` is the file that contained this one, and
    `path` the full name within it, by which a `picture` is matched. `pattern` is the pattern of picture names, and
    `budget` limits the unpacked contents of the source file.
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
    budget: Budget = field(default_factory=lambda: Budget(0), repr=False, compare=False)

    @cached_property
    def key(self) -> str:
        """The sha256 digest of the bytes."""
        return hashlib.sha256(self.content).hexdigest()

    @property
    def stem(self) -> str:
        """The last part of the label without its extensions: `run` for `a.zip/b/run.jsonl`."""
        return stem(self.name)


def stem(label: str) -> str:
    """Return the last part of a label without its extensions: `run` for `a.zip/b/run.jsonl`."""
    name = PurePosixPath(without_packing(label).replace("\\", "/")).name
    for ending in _ENDINGS:
        if name.lower().endswith(ending) and len(name) > len(ending):
            return name[: -len(ending)]
    return name or "file"


def without_packing(name: str) -> str:
    """Return a label without the extension of a compressed file, such as the `.gz` in `run.json.gz`."""
    packed = next((one for one in _PACKED if name.lower().endswith(one) and len(name) > len(one)), "")
    return name.removesuffix(name[-len(packed) :]) if packed else name
