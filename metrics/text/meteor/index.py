"""Synonyms and paraphrases for METEOR's matchers as arrays, built once and kept on disk.

The file is in the cache folder. It is written under another name and renamed, so that a reader sees all of it or none,
and two processes that build at once write the same bytes; it ends in the sha256 of the preceding bytes, and a damaged
file is built again. It is read as a whole: if somebody truncated a memory-mapped file, the system would end every
process that reads a lost page. If nothing can be written, the arrays stay in memory.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import json
import os
import tempfile
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metrics.cache.disk import INDEXES, default_directory
from metrics.text.meteor import data, table

VERSION = 2
"""Increment when the arrays, or how they are built, change."""
BLOCK = 1 << 24
ALIGNED = 64
Array = NDArray[Any]


@dataclass(frozen=True)
class Index:
    """Words with their sets of synonyms, and the tree of phrases with the paraphrases of each.

    The rows of `synsets` are those of the `own` words, then those of the `irregular` words with the synonyms of their
    bases. `word_numbers` are the numbers of words in `edges`, from 1. Paraphrases of node k are
    partners[partner_starts[k]:partner_starts[k+1]].
    """

    own_letters: NDArray[np.uint8]
    own_starts: NDArray[np.int64]
    irregular_letters: NDArray[np.uint8]
    irregular_starts: NDArray[np.int64]
    synset_starts: NDArray[np.int64]
    synsets: NDArray[np.int32]
    word_letters: NDArray[np.uint8]
    word_starts: NDArray[np.int64]
    word_numbers: NDArray[np.int32]
    edges: NDArray[np.int64]
    nodes: NDArray[np.int32]
    is_phrase: NDArray[np.bool_]
    partner_starts: NDArray[np.int32]
    partners: NDArray[np.int32]

    def word(self, word: str) -> int:
        """Return the number of a word in phrases; 0 if no phrase has it."""
        place = _place(self.word_letters, self.word_starts, word)
        return int(self.word_numbers[place]) if place >= 0 else 0

    def synonyms(self, word: str) -> tuple[int, ...]:
        """Return the sets of synonyms of a word and of its base form, in ascending order."""
        own = _place(self.own_letters, self.own_starts, word)
        irregular = _place(self.irregular_letters, self.irregular_starts, word)
        if irregular >= 0:
            other = len(self.own_starts) - 1 + irregular
        else:
            other = self._regular_base(word)
        return tuple(sorted({number for row in (own, other) if row >= 0 for number in self._row(row)}))

    def _regular_base(self, word: str) -> int:
        """Return the row of the first base form that is a word; -1 if there is none."""
        if len(word) < 3 or word.endswith("ss"):
            return -1
        for suffix, ending in data.SUFFIXES:
            if word.endswith(suffix):
                row = _place(self.own_letters, self.own_starts, word.removesuffix(suffix) + ending)
                if row >= 0:
                    return row
        return -1

    def _row(self, row: int) -> list[int]:
        return [int(number) for number in self.synsets[self.synset_starts[row] : self.synset_starts[row + 1]]]


def _place(letters: NDArray[np.uint8], starts: NDArray[np.int64], word: str) -> int:
    raw = np.frombuffer(word.encode("utf-8", "replace"), np.uint8)
    return int(table.find(letters, starts, raw))


_lock = threading.Lock()
_loaded: dict[Path | None, Index] = {}


def index() -> Index:
    """Return the index of the installed data files. Raises JavaMissing if they are not installed."""
    directory = default_directory()
    path = directory / INDEXES / "meteor" / f"{_name()}.bin" if directory else None
    with _lock:
        if path not in _loaded:
            _loaded.clear()
            _loaded[path] = opened(path, build)
        return _loaded[path]


def opened(path: Path | None, build: Callable[[], Index]) -> Index:
    """Return the index in a file, which is built if it is absent or damaged, and written if possible."""
    if path is None:
        return build()
    found = load(path)
    if found is None:
        found = build()
        with contextlib.suppress(OSError):
            save(path, found)
            found = load(path) or found
    with contextlib.suppress(OSError):
        os.utime(path)
    return found


def _name() -> str:
    """Return a digest of what determines the index: its version, and names and sizes of the data files."""
    sizes = [(path.name, path.stat().st_size) for path in data.paths()]
    return hashlib.sha256(json.dumps([VERSION, sizes]).encode()).hexdigest()[:32]


def build() -> Index:
    """Return the index, built from the data files in a few seconds."""
    synsets, bases = data.synsets(), data.bases()
    own, irregular = sorted(synsets, key=_bytes), sorted(bases, key=_bytes)
    inherited = [{n for base in bases[word] for n in synsets.get(base, ())} for word in irregular]
    rows = [sorted(found) for found in (*(synsets[word] for word in own), *inherited)]
    return Index(
        *_joined(_bytes(word) for word in own),
        *_joined(_bytes(word) for word in irregular),
        offsets(len(row) for row in rows),
        np.array([number for row in rows for number in row], dtype=np.int32),
        *_phrases(),
    )


def _phrases() -> tuple[Array, ...]:
    reading = table.Reading.empty()
    rest = b""
    with gzip.open(data.paths()[1]) as file:
        while block := file.read(BLOCK):
            if reading.full:
                raise ValueError("The table of paraphrases has more phrases than METEOR 1.5's.")
            text = rest + block
            rest = text[table.read(np.frombuffer(text, np.uint8), reading) :]
    words, nodes, entries, _ = map(int, reading.counts)
    left, right = reading.left[:entries], reading.right[:entries]
    is_phrase = np.zeros(nodes, np.bool_)
    is_phrase[left] = is_phrase[right] = True
    ends = reading.starts[1 : words + 1]
    seen = [reading.letters[start:stop].tobytes() for start, stop in zip(reading.starts, ends)]
    order = sorted(range(words), key=seen.__getitem__)
    starts = np.concatenate([[0], np.cumsum(np.bincount(left, minlength=nodes))]).astype(np.int32)
    return (
        *_joined(seen[k] for k in order),
        np.array(order, dtype=np.int32) + 1,
        reading.edges,
        reading.nodes,
        is_phrase,
        starts,
        right[np.argsort(left, kind="stable")],
    )


def _bytes(word: str) -> bytes:
    return word.encode()


def _joined(words: Iterable[bytes]) -> tuple[Array, Array]:
    words = list(words)
    return np.frombuffer(b"".join(words), np.uint8), offsets(map(len, words))


def offsets(sizes: Iterable[int]) -> NDArray[np.int64]:
    """(n + 1,) start of each of n pieces of these sizes, and the end of the last piece."""
    return np.concatenate([[0], np.cumsum(np.fromiter(sizes, np.int64))]).astype(np.int64)


def save(path: Path, found: Index) -> None:
    """Write the index to a file atomically. Raises OSError if it cannot be written."""
    arrays = {part.name: getattr(found, part.name) for part in fields(Index)}
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            seal = hashlib.sha256()
            for piece in _pieces(arrays):
                seal.update(piece)
                file.write(piece)
            file.write(seal.digest())
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def _pieces(arrays: Mapping[str, Array]) -> Iterable[bytes | memoryview]:
    """Yield a line with the offset of each array, then the arrays, all at multiples of ALIGNED."""
    places, at = {}, 0
    for name, array in arrays.items():
        places[name] = [at, len(array), array.dtype.str]
        at += -(-array.nbytes // ALIGNED) * ALIGNED
    head = json.dumps(places).encode() + b"\n"
    yield head + b" " * (-len(head) % ALIGNED)
    for array in arrays.values():
        yield np.ascontiguousarray(array).view(np.uint8).data
        yield b" " * (-array.nbytes % ALIGNED)


def load(path: Path) -> Index | None:
    """Return the index in a file; None if there is no file, or if any byte of it has changed."""
    try:
        raw = np.frombuffer(path.read_bytes(), np.uint8)
    except (OSError, MemoryError):
        return None
    body, seal = raw[:-32], raw[-32:]
    if hashlib.sha256(body.data).digest() != seal.tobytes():
        return None
    head, _, _ = body[:8192].tobytes().partition(b"\n")
    first = -(-(len(head) + 1) // ALIGNED) * ALIGNED
    arrays = {}
    for name, (at, length, kind) in json.loads(head).items():
        start, size = first + at, length * np.dtype(kind).itemsize
        arrays[name] = np.asarray(body[start : start + size]).view(kind)
    return Index(**arrays)
