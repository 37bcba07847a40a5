"""Content-addressed cache on disk: arrays under a key that includes everything that determines them.

Entries are sealed .npz files (`entry.py`), written under a temporary name and then renamed, so that a reader sees a
whole entry or none, and two processes can share one folder. Entries that are damaged or not what their reader expects
are removed and computed again. Whatever happens to the folder, only cached results are lost.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from data.files.limits import Budget
from data.study import digest
from metrics.cache.entry import Arrays, decode, encode, unsealed
from metrics.cache.layers import Layers
from metrics.cache.memory import LruCache

T = TypeVar("T")
TextVectors = LruCache[tuple[str, str], NDArray[np.float32]]
"""Embeddings in memory, by the encoder's signature and the text."""
VECTOR_BYTES = 1 << 28
"""Maximum number of bytes in memory for embeddings by text."""
GIB = 1 << 30
TEMPORARY = ".writing"
"""The folder of files that are being written; files left by killed writers are removed after STALE_SECONDS."""
STALE_SECONDS = 3_600.0
UNFIT_ERRORS = (ValueError, KeyError, IndexError, TypeError, OverflowError, RecursionError)
"""Exceptions that a reader may raise for arrays that it does not expect."""


def text_vectors() -> TextVectors:
    """Return an in-memory cache for the embeddings of texts that occur in many chunks."""
    return TextVectors(VECTOR_BYTES, lambda key, row: row.nbytes)


def default_directory() -> Path | None:
    """Return `TRILENS_CACHE`, or else the user's cache folder; None for a user without a home directory."""
    if named := os.environ.get("TRILENS_CACHE"):
        return Path(named)
    try:
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "trilens"
    except RuntimeError:
        return None


def entry_key(kind: str, *parts: Any) -> str:
    """Return `kind/xx/sha256` of parts that are plain values; equal parts give equal keys."""
    name = digest([kind, *parts])
    return f"{kind}/{name[:2]}/{name}"


def text_array(texts: list[str]) -> NDArray[np.uint8]:
    """Return texts as NUL-separated UTF-8 bytes, so that any text can be stored without pickling."""
    return np.frombuffer("\0".join(texts).encode("utf-8", "surrogatepass"), dtype=np.uint8)


def array_texts(array: NDArray[np.uint8], count: int) -> list[str]:
    """Return the texts of `text_array`. Raises ValueError if the array does not contain `count` texts."""
    if array.dtype != np.uint8:
        raise ValueError(f"texts in an array of {array.dtype}")
    found = array.tobytes().decode("utf-8", "surrogatepass").split("\0") if count or array.size else []
    if len(found) != count:
        raise ValueError(f"{len(found)} texts, not {count}")
    return found


@dataclass(frozen=True)
class Usage:
    """The number of a cache's entries and their size in bytes, in total and by kind, with the limit of the size."""

    directory: Path
    entries: int
    size: int
    limit: int
    kinds: Mapping[str, tuple[int, int]]


class Cache:
    """Entries in a folder, backed by read-only layers (zip files, or folders of them) and by a study bundle.

    `directory=None` keeps entries in memory for the life of the object, as for `--no-cache`.
    """

    def __init__(
        self,
        directory: Path | None,
        layers: tuple[Path, ...] = (),
        limit: int = 20 * GIB,
        given: Mapping[str, bytes] | None = None,
    ) -> None:
        self.directory = directory
        self.layers = Layers(layers)
        self.limit = limit
        self.given = given or {}
        self.text_vectors: TextVectors | None = None
        self._memory: dict[str, dict[str, NDArray[Any]]] = {}
        self._lock = threading.Lock()
        self._written = 0

    def with_bundle(self, numbers: Mapping[str, bytes]) -> Cache:
        """Return the same cache, backed by the entries of a study bundle."""
        other = Cache(self.directory, (), self.limit, numbers)
        other.layers, other._memory = self.layers, self._memory
        return other

    def with_text_vectors(self, vectors: TextVectors) -> Cache:
        """Return the same cache, which also keeps the embedding of each text, for texts that occur in many chunks."""
        other = self.with_bundle(self.given)
        other.text_vectors = vectors
        return other

    def __getstate__(self) -> dict[str, Any]:
        return {"directory": self.directory, "layers": self.layers.paths, "limit": self.limit, "given": self.given}

    def __setstate__(self, state: dict[str, Any]) -> None:
        Cache.__init__(self, **state)

    def get(self, key: str) -> dict[str, NDArray[Any]] | None:
        """Return the entry; None if there is none, or if it is damaged, in which case it is removed."""
        return self.read(key, lambda arrays: arrays)

    def read(self, key: str, of: Callable[[dict[str, NDArray[Any]]], T]) -> T | None:
        """Return `of(arrays)` for the arrays of the entry; None if there is no entry that `of` accepts.

        If `of` raises one of UNFIT_ERRORS, such as ValueError, because the arrays are not what it expects, the entry is
        removed like a damaged entry.
        """
        own = self._read_own(key)
        if own is not None:
            try:
                found = of(own)
            except UNFIT_ERRORS:
                self._remove(key)
            else:
                self._touch(key)
                return found
        for arrays in self._read_elsewhere(key):
            with contextlib.suppress(*UNFIT_ERRORS):
                return of(arrays)
        return None

    def has(self, key: str) -> bool:
        """Return whether the entry exists, without reading it."""
        return self.has_own(key) or key in self.given or f"{key}.npz" in self.layers

    def has_own(self, key: str) -> bool:
        """Return whether the cache itself contains the entry, not only a bundle or a layer."""
        return key in self._memory if self.directory is None else os.path.exists(self._path(key))

    def keys(self, kind: str) -> set[str]:
        """Return the keys of all entries of a kind."""
        start = f"{kind}/"
        found = {key for key in (*self._memory, *self.given) if key.startswith(start)}
        found |= {name.removesuffix(".npz") for name in self.layers.names() if name.startswith(start)}
        if self.directory is not None:
            paths = (Path(file.path) for file in _files(self.directory / kind, 1))
            found |= {f"{kind}/{path.parent.name}/{path.stem}" for path in paths if path.suffix == ".npz"}
        return found

    def peek(self, key: str, name: str) -> NDArray[Any] | None:
        """Return one array of an entry without marking the entry as used; None if it is absent."""
        arrays = self._read_own(key)
        if arrays is None:
            arrays = next(self._read_elsewhere(key), {})
        return arrays.get(name)

    def put(self, key: str, arrays: Arrays, compress: bool = False) -> None:
        """Store an entry; a full disk or a read-only folder is not an error."""
        if self.directory is None:
            self._memory[key] = dict(arrays)
            return
        raw = encode(key, arrays, compress)
        try:
            self._write(self.directory / TEMPORARY, self._path(key), raw)
        except OSError:
            return
        self._count(len(raw))

    def usage(self) -> Usage:
        """Return the number and size in bytes of the entries, in total and by kind."""
        self._remove_stale()
        kinds: dict[str, tuple[int, int]] = {}
        for path, stat in self._entries():
            kind = path.relative_to(self.directory or path).parts[0]
            n, size = kinds.get(kind, (0, 0))
            kinds[kind] = (n + 1, size + stat.st_size)
        total = sum(size for _, size in kinds.values())
        count = sum(n for n, _ in kinds.values())
        return Usage(self.directory or Path(), count, total, self.limit, kinds)

    def clear(self) -> int:
        """Remove FOLDERS and TEMPORARY with all that they contain, and return the number of bytes that entries took."""
        self._memory.clear()
        size = self.usage().size
        if self.directory is not None:
            # Only folders of entries: a cache pointed at a folder with other files must not delete them.
            for name in (*FOLDERS, TEMPORARY):
                shutil.rmtree(self.directory / name, ignore_errors=True)
        return size

    def evict(self) -> None:
        """Delete the least recently used entries until the cache is down to nine tenths of its limit."""
        self._remove_stale()
        files = sorted(self._entries(), key=lambda found: found[1].st_mtime)
        total = sum(stat.st_size for _, stat in files)
        for path, stat in files:
            if total <= 0.9 * self.limit:
                return
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)
            total -= stat.st_size

    def _write(self, temporary: Path, path: Path, raw: bytes) -> None:
        """Write a file completely; raises OSError, leaving nothing behind, if it cannot be written."""
        if not self._written:
            self._remove_stale()
        write_whole(path, raw, temporary)

    def _remove_stale(self) -> None:
        if self.directory is None:
            return
        long_ago = time.time() - STALE_SECONDS
        for file in _files(self.directory / TEMPORARY):
            with contextlib.suppress(OSError):
                if file.stat().st_mtime < long_ago:
                    os.unlink(file.path)

    def _count(self, size: int) -> None:
        # Looking at every file is slow: do so only after each twentieth of the limit is written.
        with self._lock:
            self._written += size
            due = self._written > self.limit / 20
            self._written = 0 if due else self._written
        if due and self.usage().size > self.limit:
            self.evict()

    def _path(self, key: str) -> Path:
        return (self.directory or Path()) / f"{key}.npz"

    def _entries(self) -> Iterator[tuple[Path, os.stat_result]]:
        for kind in FOLDERS if self.directory is not None else ():
            for file in _files((self.directory or Path()) / kind, 1):
                with contextlib.suppress(OSError):
                    yield Path(file.path), file.stat()

    def _read_own(self, key: str) -> dict[str, NDArray[Any]] | None:
        if self.directory is None:
            return self._memory.get(key)
        try:
            raw = self._path(key).read_bytes()
        except FileNotFoundError:
            return None
        except OSError:
            raw = b""
        arrays = decode(key, raw)
        if arrays is None:
            self._remove(key)
        return arrays

    def _remove(self, key: str) -> None:
        self._memory.pop(key, None)
        if self.directory is not None:
            with contextlib.suppress(OSError):
                self._path(key).unlink(missing_ok=True)

    def _touch(self, key: str) -> None:
        if self.directory is not None:
            with contextlib.suppress(OSError):
                os.utime(self._path(key))

    def _read_elsewhere(self, key: str) -> Iterator[dict[str, NDArray[Any]]]:
        """Yield the entry from the bundle, then those from the layers."""
        if key in self.given and (arrays := decode(key, raw := self.given[key], Budget(len(raw)))) is not None:
            yield arrays
        for raw in self.layers.read(f"{key}.npz"):
            # The archive checks the bytes of its members and their names.
            if (arrays := unsealed(raw)) is not None:
                yield arrays


def write_whole(path: Path, content: bytes, temporary: Path | None = None) -> None:
    """Write a file atomically, through a temporary file on the same disk. Raises OSError if it cannot be written."""
    folder = temporary or path.parent
    for one in (folder, path.parent):
        one.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=folder)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def _files(folder: Path | str, deep: int = 0) -> Iterator[os.DirEntry[str]]:
    """Yield the files in a folder, or in its subfolders `deep` levels down; other processes may remove some of them."""
    with contextlib.suppress(OSError), os.scandir(folder) as found:
        for entry in found:
            if deep:
                yield from _files(entry.path, deep - 1)
            elif entry.is_file():
                yield entry


KINDS = (
    *("embeddings", "meteor", "parses", "pooled", "stats", "tests", "results", "critiques", "cosmics", "networks"),
    *("layouts", "experiments", "centres", "judgments", "references", "robustness", "sensitivity", "slices"),
    *("words", "detectable", "chance", "answers"),
)
INDEXES = "indexes"
"""The folder of indexes of installed data files: not cache entries, but counted, evicted and cleared like them."""
TRAINING = "training"
"""The folder of checkpoints of unfinished training runs: not cache entries either."""
WEIGHTS = "weights"
"""The folder of network weights, trained on this machine or supplied by users: not cache entries either."""
GIVEN = "given"
"""The folder of files that users supplied for critiques, word vectors and image features: not cache entries either."""
FOLDERS = (*KINDS, INDEXES, TRAINING, WEIGHTS, GIVEN)
