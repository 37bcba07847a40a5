"""Bytes of files, uploads, gzip and zip, with limits against decompression bombs."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import lzma
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import IO, Any

from data.bundle import (
    CARRIED,
    DISTANCES,
    EMBEDDINGS,
    GIVEN,
    IDF,
    IMPORTED,
    LARGEST_GIVEN,
    MARK,
    MARKS,
    OWN,
    PREFERENCES,
    STUDY,
    SYSTEMS,
    is_bundle,
)
from data.findings import Log, clip
from data.marks import LARGEST, Marks, from_json
from data.slices import of_bundle

Source = str | Path | tuple[str, bytes]

MAX_UNPACKED = 1 << 30
MAX_TOTAL = 2 << 30  # what all archives that are read together may unpack to
MAX_RATIO = 250
MIN_CHECKED_SIZE = 32 << 20  # an archive may unpack to this much at any ratio
MAX_MEMBERS = 1_000
MAX_NUMBERS = 50_000
MAX_DEPTH = 2  # a gzip in a zip, or the reverse
_CHUNK = 1 << 20
# zipfile raises RuntimeError for a password and NotImplementedError for an unknown method.
_BROKEN = (
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
    name and bytes, by member; `marks` are what people marked in it. `source` is the file that it came in.
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


class _Budget:
    """What one source may still unpack to; counted on the bytes, since headers can lie."""

    def __init__(self, packed: int, total: Total) -> None:
        self.packed = max(packed, 1)
        self.used = 0
        self.total = total

    def take(self, n: int) -> None:
        self.used += n
        self.total.used += n
        if self.total.used > MAX_TOTAL:
            raise TooLargeError(f"more than {MAX_TOTAL >> 20:,} MB together with the other archives")
        if self.used > MAX_UNPACKED:
            raise TooLargeError(f"more than {MAX_UNPACKED >> 20:,} MB")
        if self.used > MIN_CHECKED_SIZE and self.used > MAX_RATIO * self.packed:
            raise TooLargeError(f"more than {MAX_RATIO} times its size")


def unpack(source: Source, log: Log, total: Total) -> Iterator[Blob]:
    """Return the files of a source: one, or those inside an archive; unreadable ones become findings.

    `total` is shared by all sources that are read together.
    """
    name, content = _read(source, log)
    if content is not None:
        given = File(name, hashlib.sha256(content).hexdigest())
        for blob in _open(Blob(name, content), log, _Budget(len(content), total), MAX_DEPTH):
            yield replace(blob, source=given)


def _read(source: Source, log: Log) -> tuple[str, bytes | None]:
    if isinstance(source, tuple):
        return clip(source[0] or "upload"), bytes(source[1])
    name = clip(Path(source).name or str(source))
    try:
        return name, Path(source).read_bytes()
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else type(error).__name__
        log.add("unreadable", name, why=why)
        return name, None


def _open(blob: Blob, log: Log, budget: _Budget, depth: int) -> Iterator[Blob]:
    opener = None if is_npz(blob.content) else _opener(blob.content)
    if opener is None:
        yield blob
        return
    if depth == 0:
        log.add("archive_skipped", blob.name, what="an archive")
        return
    try:
        for inner in opener(blob, log, budget):
            yield from _open(inner, log, budget, depth - 1)
    except TooLargeError as error:
        log.add("archive_too_large", blob.name, why=error)
    except _BROKEN as error:
        log.add("archive_broken", blob.name, why=str(error) or type(error).__name__)


MOST_SAID, MOST_OWN, LONGEST_OWN = 1 << 20, 20, 200
"""Bytes that are read of what a bundle says it holds, names of metrics with own settings, and their characters."""


def is_npz(content: bytes) -> bool:
    """Whether an archive is one of NumPy arrays."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = archive.namelist()
    except _BROKEN:
        return False
    return bool(names) and all(name.endswith(".npy") for name in names)


def _opener(content: bytes) -> Callable[[Blob, Log, _Budget], Iterator[Blob]] | None:
    if content[:2] == b"\x1f\x8b":
        return _gunzip
    return _unzip if content[:4] in (b"PK\x03\x04", b"PK\x05\x06") else None


def _gunzip(blob: Blob, log: Log, budget: _Budget) -> Iterator[Blob]:
    with gzip.GzipFile(fileobj=io.BytesIO(blob.content)) as stream:
        yield Blob(blob.name, _read_all(stream, budget))


def _unzip(blob: Blob, log: Log, budget: _Budget) -> Iterator[Blob]:
    with zipfile.ZipFile(io.BytesIO(blob.content)) as archive:
        _check_count(archive, blob.content)
        if is_bundle(archive.NameToInfo):
            yield from _bundle(blob, archive, log, budget)
            return
        files = [member for member in archive.infolist() if not member.is_dir()]
        members = [member for member in files if not _is_system_file(member.filename)]
        if len(members) > MAX_MEMBERS:
            raise TooLargeError(f"{len(members):,} files, more than {MAX_MEMBERS:,}")
        if any(m.filename == "[Content_Types].xml" for m in members):
            log.add("binary", blob.name, what="an Office document")
            return
        for member in files:
            if _is_system_file(member.filename):
                log.add("hidden_file", blob.name, clip(member.filename))
        for member in members:
            label = f"{blob.name}/{clip(member.filename)}"
            if _escapes(member.filename):
                log.add("archive_path", label)
                continue
            if member.flag_bits & 1:
                log.add("archive_broken", label, why="it is locked with a password")
                continue
            try:
                with archive.open(member) as stream:
                    content = _read_all(stream, budget)
            except _BROKEN as error:
                log.add("archive_broken", label, why=str(error) or type(error).__name__)
                continue
            yield Blob(label, content)


def _check_count(archive: zipfile.ZipFile, content: bytes) -> None:
    """Raise BadZipFile if the archive lists another number of files than it declares.

    One damaged length in its list of files hides those that follow, and `zipfile` does not count them.
    """
    end = content.rfind(b"PK\x05\x06")
    (said,) = struct.unpack_from("<H", content, end + 10)
    # As many as fit into two bytes: large archives say the rest elsewhere.
    if said != 0xFFFF and said != len(archive.infolist()) % 0x10000:
        raise zipfile.BadZipFile(f"it says that it holds {said:,} files and lists {len(archive.infolist()):,}")


def _bundle(blob: Blob, archive: zipfile.ZipFile, log: Log, budget: _Budget) -> Iterator[Blob]:
    """The study of a bundle with its numbers; anything else in the archive is not read.

    Damaged numbers are a finding, and so are unknown files. Without its study a bundle is refused.
    """
    if STUDY not in archive.NameToInfo:
        log.add("archive_broken", blob.name, why=f"it is a study bundle without its {STUDY}")
        return
    kept = [member for member in archive.infolist() if member.filename.startswith(CARRIED)]
    if len(kept) > MAX_NUMBERS:
        raise TooLargeError(f"{len(kept):,} numbers, more than {MAX_NUMBERS:,}")
    with archive.open(STUDY) as stream:
        study = _read_all(stream, budget)
    numbers, damaged = {}, 0
    for member in kept:
        try:
            with archive.open(member) as stream:
                numbers[member.filename.removesuffix(".npz")] = _read_all(stream, budget)
        except _BROKEN:
            damaged += 1
    if damaged:
        log.add("bundle_damaged", blob.name, count=damaged, n=damaged)
    folders = (EMBEDDINGS, DISTANCES, SYSTEMS)
    imported = [n for n in archive.NameToInfo if n in (IMPORTED, PREFERENCES) or n.startswith(folders)]
    if unknown := len({*archive.NameToInfo} - {*OWN, *imported, *(member.filename for member in kept)}):
        log.add("bundle_unknown", blob.name, count=unknown, n=unknown)
    said, idf = _said(archive), _idf(blob, archive, log, budget)
    own, slices = _own(said.get("own")), of_bundle(said.get("slices"))
    given = _given(blob, archive, said.get("given"), log, budget)
    marks = _marks(blob, archive, log, budget)
    yield Blob(f"{blob.name}/{STUDY}", study, numbers, idf=idf, own=own, slices=slices, given=given, marks=marks)
    for name in imported:
        with archive.open(name) as stream:
            yield Blob(f"{blob.name}/{clip(name)}", _read_all(stream, budget))


def _said(archive: zipfile.ZipFile) -> dict[str, Any]:
    """What a bundle says of itself; nothing where that cannot be read."""
    try:
        with archive.open(MARK) as stream:
            said = json.loads(stream.read(MOST_SAID))
    except (*_BROKEN, KeyError, ValueError):
        return {}
    return said if isinstance(said, dict) else {}


def _own(said: object) -> tuple[str, ...]:
    """The names of metrics with own settings that a bundle says it has; none where it does not say so soundly."""
    names = said if isinstance(said, list) else []
    return tuple(name for name in names[:MOST_OWN] if isinstance(name, str) and len(name) <= LONGEST_OWN)


def _given(
    blob: Blob, archive: zipfile.ZipFile, said: object, log: Log, budget: _Budget
) -> dict[str, tuple[str, bytes]]:
    """What COSMic was given: the name and bytes of each member whose digest is as the bundle says."""
    found = {}
    for member in (one for one in GIVEN if one in archive.NameToInfo):
        about = said.get(member) if isinstance(said, dict) else None
        about = about if isinstance(about, dict) else {}
        try:
            if archive.NameToInfo[member].file_size > LARGEST_GIVEN:
                raise ValueError(f"it is larger than {LARGEST_GIVEN >> 20} MB")
            with archive.open(member) as stream:
                content = _read_all(stream, budget)
            if hashlib.sha256(content).hexdigest() != about.get("sha256"):
                raise ValueError("it is not the one that was packed")
        except _BROKEN as error:
            log.add("bundle_given", blob.name, what=member, why=str(error) or type(error).__name__)
            continue
        name = about.get("name")
        found[member] = (name if isinstance(name, str) and 0 < len(name) <= LONGEST_OWN else member, content)
    return found


def _marks(blob: Blob, archive: zipfile.ZipFile, log: Log, budget: _Budget) -> Marks:
    """What people marked in the study of a bundle; unsound marks are a finding."""
    if MARKS not in archive.NameToInfo:
        return Marks()
    try:
        if archive.NameToInfo[MARKS].file_size > LARGEST:
            raise ValueError(f"they are larger than {LARGEST >> 20} MB")
        with archive.open(MARKS) as stream:
            return from_json(_read_all(stream, budget))
    except _BROKEN as error:
        log.add("bundle_marks", blob.name, why=str(error) or type(error).__name__)
        return Marks()


def _idf(blob: Blob, archive: zipfile.ZipFile, log: Log, budget: _Budget) -> bytes | None:
    """The document frequencies in a bundle."""
    if IDF not in archive.NameToInfo:
        return None
    try:
        with archive.open(IDF) as stream:
            return _read_all(stream, budget)
    except _BROKEN as error:
        log.add("bundle_idf", blob.name, why=str(error) or type(error).__name__)
        return None


def _is_system_file(name: str) -> bool:
    """Whether a file was added by an operating system, such as __MACOSX/._run.json."""
    parts = PurePosixPath(name.replace("\\", "/")).parts
    return any(part.startswith((".", "__MACOSX")) for part in parts if part != "..")


def _escapes(name: str) -> bool:
    """Whether a name leads out of its archive; nothing is ever written under it, but such an archive is not trusted."""
    path = PureWindowsPath(name)  # knows both slashes, drives and shares
    return bool(path.drive or path.root) or ".." in path.parts


def _read_all(stream: IO[bytes] | gzip.GzipFile, budget: _Budget) -> bytes:
    chunks = []
    while chunk := stream.read(_CHUNK):
        budget.take(len(chunk))
        chunks.append(chunk)
    return b"".join(chunks)
