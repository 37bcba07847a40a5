"""Content-addressed cache on disk: arrays under a key that says everything that determined them.

Entries are .npz files, never pickles, written to a temporary name and renamed, so that a reader sees a whole
entry or none, and two processes can share one folder. What cannot be read is deleted and computed again.
"""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import tempfile
import threading
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from data.study import digest

Arrays = Mapping[str, NDArray[Any]]
GIB = 1 << 30
LARGEST = 1 << 28
DAMAGED = (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, NotImplementedError)


def default_directory() -> Path:
    """`TRILENS_CACHE`, else the user's cache folder."""
    if named := os.environ.get("TRILENS_CACHE"):
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "trilens"


def entry_key(kind: str, *parts: Any) -> str:
    """`kind/xx/sha256`: parts are plain values; equal parts, equal key."""
    name = digest([kind, *parts])
    return f"{kind}/{name[:2]}/{name}"


def text_array(texts: list[str]) -> NDArray[np.uint8]:
    """Texts as UTF-8 bytes with NUL between, so that any text survives without pickling."""
    return np.frombuffer("\0".join(texts).encode("utf-8", "surrogatepass"), dtype=np.uint8)


def array_texts(array: NDArray[np.uint8], count: int) -> list[str]:
    """The inverse of `text_array`."""
    return array.tobytes().decode("utf-8", "surrogatepass").split("\0") if count else []


def encode(arrays: Arrays, compress: bool) -> bytes:
    """Arrays as the bytes of an .npz file."""
    buffer = io.BytesIO()
    (np.savez_compressed if compress else np.savez)(buffer, **dict(arrays))  # type: ignore[arg-type]
    return buffer.getvalue()


def decode_given(raw: bytes) -> dict[str, NDArray[Any]] | None:
    """Arrays of an entry that somebody handed in; None if it is damaged or would unpack to more than LARGEST."""
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            if sum(member.file_size for member in archive.infolist()) > LARGEST:
                return None
        return _decode(io.BytesIO(raw))
    except (*DAMAGED, MemoryError):
        return None


def _decode(raw: io.IOBase | Path) -> dict[str, NDArray[Any]]:
    with np.load(raw, allow_pickle=False) as stored:
        return {name: stored[name] for name in stored.files}


@dataclass(frozen=True)
class Usage:
    """What a cache holds."""

    directory: Path
    entries: int
    size: int
    limit: int
    kinds: Mapping[str, tuple[int, int]]


class Cache:
    """Entries in a folder, with read-only layers (zip files) behind it, and entries `given`, as by a study bundle.

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
        self.layers = layers
        self.limit = limit
        self.given = given or {}
        self._memory: dict[str, dict[str, NDArray[Any]]] = {}
        self._lock = threading.Lock()
        self._zips: dict[Path, zipfile.ZipFile] = {}
        self._written = 0

    def with_given(self, numbers: Mapping[str, bytes]) -> Cache:
        """The same cache with entries that a study bundle brought behind it."""
        other = Cache(self.directory, self.layers, self.limit, numbers)
        other._memory = self._memory
        return other

    def __getstate__(self) -> dict[str, Any]:
        return {"directory": self.directory, "layers": self.layers, "limit": self.limit, "given": self.given}

    def __setstate__(self, state: dict[str, Any]) -> None:
        Cache.__init__(self, **state)

    def get(self, key: str) -> dict[str, NDArray[Any]] | None:
        """The entry, or None; a damaged one is removed."""
        if self.directory is None:
            return self._memory.get(key) or self._from_layers(key)
        path = self._path(key)
        try:
            arrays = _decode(path)
        except FileNotFoundError:
            return self._from_layers(key)
        except DAMAGED:
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)
            return self._from_layers(key)
        with contextlib.suppress(OSError):
            os.utime(path)
        return arrays

    def has(self, key: str) -> bool:
        """Whether there is an entry, without reading it."""
        there = key in self._memory if self.directory is None else self._path(key).exists()
        return there or key in self.given or any(f"{key}.npz" in self._names(layer) for layer in self.layers)

    def keys(self, kind: str) -> set[str]:
        """The keys of all entries of a kind."""
        start = f"{kind}/"
        found = {key for key in (*self._memory, *self.given) if key.startswith(start)}
        for layer in self.layers:
            found |= {name.removesuffix(".npz") for name in self._names(layer) if name.startswith(start)}
        if self.directory is not None:
            found |= {f"{kind}/{path.parent.name}/{path.stem}" for path in (self.directory / kind).glob("*/*.npz")}
        return found

    def peek(self, key: str, name: str) -> NDArray[Any] | None:
        """One array of an entry, without keeping the entry from being evicted; None if it is not there."""
        path = self._path(key)
        if self.directory is None or not path.exists():
            arrays = self._memory.get(key) or self._from_layers(key) or {}
            return arrays.get(name)
        try:
            with np.load(path, allow_pickle=False) as stored:
                return np.asarray(stored[name]) if name in stored.files else None
        except DAMAGED:
            return None

    def put(self, key: str, arrays: Arrays, compress: bool = False) -> None:
        """Store an entry; a full disk or a read-only folder costs only the caching."""
        if self.directory is None:
            self._memory[key] = dict(arrays)
            return
        raw = encode(arrays, compress)
        path = self._path(key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".new-", delete=False) as file:
                file.write(raw)
            os.replace(file.name, path)
        except OSError:
            return
        self._count(len(raw))

    def usage(self) -> Usage:
        """Entries and bytes, in all and by kind."""
        kinds: dict[str, tuple[int, int]] = {}
        for path, stat in self._files():
            kind = path.relative_to(self.directory or path).parts[0]
            n, size = kinds.get(kind, (0, 0))
            kinds[kind] = (n + 1, size + stat.st_size)
        total = sum(size for _, size in kinds.values())
        count = sum(n for n, _ in kinds.values())
        return Usage(self.directory or Path(), count, total, self.limit, kinds)

    def clear(self) -> int:
        """Remove every entry; the number of bytes freed."""
        self._memory.clear()
        size = self.usage().size
        if self.directory is not None:
            for kind in self._kinds():
                shutil.rmtree(kind, ignore_errors=True)
        return size

    def evict(self) -> None:
        """Delete the least recently used entries until nine tenths of the limit are left."""
        files = sorted(self._files(), key=lambda found: found[1].st_mtime)
        total = sum(stat.st_size for _, stat in files)
        for path, stat in files:
            if total <= 0.9 * self.limit:
                return
            path.unlink(missing_ok=True)
            total -= stat.st_size

    def _count(self, size: int) -> None:
        # Looking at every file is slow: look again after each twentieth of the limit was written.
        with self._lock:
            self._written += size
            due = self._written > self.limit / 20
            self._written = 0 if due else self._written
        if due and self.usage().size > self.limit:
            self.evict()

    def _path(self, key: str) -> Path:
        return (self.directory or Path()) / f"{key}.npz"

    def _kinds(self) -> Iterator[Path]:
        # Only folders that entries make: a cache pointed at a folder with other files must not delete them.
        if self.directory is None or not self.directory.is_dir():
            return
        for kind in KINDS:
            if (self.directory / kind).is_dir():
                yield self.directory / kind

    def _files(self) -> Iterator[tuple[Path, os.stat_result]]:
        for kind in self._kinds():
            for path in kind.glob("*/*"):  # what a killed writer left behind too
                with contextlib.suppress(FileNotFoundError):
                    yield path, path.stat()

    def _from_layers(self, key: str) -> dict[str, NDArray[Any]] | None:
        if key in self.given and (arrays := decode_given(self.given[key])) is not None:
            return arrays
        for layer in self.layers:
            raw = self._read_layer(layer, f"{key}.npz")
            if raw is not None:
                return _decode(io.BytesIO(raw))
        return None

    def _read_layer(self, layer: Path, name: str) -> bytes | None:
        with self._lock:
            archive = self._archive(layer)
            try:
                return archive.read(name) if archive else None
            except KeyError:
                return None

    def _names(self, layer: Path) -> Mapping[str, object]:
        with self._lock:
            archive = self._archive(layer)
            return archive.NameToInfo if archive else {}

    def _archive(self, layer: Path) -> zipfile.ZipFile | None:
        if layer not in self._zips and layer.exists():
            self._zips[layer] = zipfile.ZipFile(layer)
        return self._zips.get(layer)


KINDS = ("embeddings", "meteor", "pooled", "stats", "tests", "results", "layouts", "experiments", "centres")
