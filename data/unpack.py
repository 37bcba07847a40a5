"""Unpack files, uploads, compressed files and archives into bytes, with limits against decompression bombs."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import re
import stat
import struct
import tarfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

import orjson

from data.bundle.reading import read_bundle
from data.bundle.writing import is_bundle
from data.files import split_samples
from data.files.blobs import MOST_NAME, Blob, File, without_packing
from data.files.limits import BROKEN, Budget, TooLargeError, Total, read_all
from data.files.picture_bytes import MOST_BYTES, is_picture, named_so
from data.files.xz import Xz
from data.files.zips import read_member
from data.findings import Log, clip

Source = str | Path | tuple[str, bytes]

MAX_PICTURES = 20_000
_STATE, _SPLITS, _INFO, _SHARD = "state.json", "dataset_dict.json", "dataset_info.json", ".arrow"
"""Files that mark a folder written by `datasets` and a folder of splits; the file that describes it; the extension of
shards.
"""
_OTHERS = (".pkl", ".pickle", ".ckpt", ".safetensors", ".h5", ".hdf5", ".db", ".sqlite", ".pdf")
"""Extensions of files that programs write beside captions and that are never read."""
_HEADER, _SAMPLES = "header.json", "samples/"
"""Members of an Inspect log (`.eval`)."""
MAX_DEPTH = 4
"""How deep archives may be nested: a compressed file counts as 1 and an archive as 2, so `x.json.gz` in a `.tar.gz`
counts as 4.
"""


def unpack(source: Source, log: Log, total: Total) -> Iterator[Blob]:
    """Yield the files of a source: itself, or those inside an archive; report unreadable files as findings.

    `total` is shared by all sources that are read together.
    """
    if not isinstance(source, tuple) and (folders := hf_folders(Path(source))):
        for folder in folders:
            name = folder.name if folder == Path(source) else f"{Path(source).name}/{folder.name}"
            yield from unpack((name, _shards(folder)), log, total)
        return
    name, content = _read(source, log)
    if content is not None:
        given = File(name, hashlib.sha256(content).hexdigest())
        path = (source[0] if isinstance(source, tuple) else Path(source).name)[:MOST_NAME]
        budget = Budget(len(content), total)
        for blob in _open(Blob(name, content, path=path), log, budget, MAX_DEPTH):
            yield replace(blob, source=given, picture=is_picture(blob.path, blob.content), budget=budget)


def hf_folders(path: Path) -> list[Path]:
    """Return the folders of a data set that `save_to_disk` of `datasets` wrote: `path` itself, or its splits.

    Return [] for any other path.
    """
    try:
        if (path / _STATE).is_file():
            return [path]
        return [one for one in sorted(path.iterdir()) if (one / _STATE).is_file()] if (path / _SPLITS).is_file() else []
    except OSError:
        return []


def folders_joined(sources: list[Source]) -> list[Source]:
    """Return the sources; the files in a folder of samples, or in a folder written by `datasets`, become one source."""
    folders: dict[PurePosixPath, dict[str, list[int]]] = {}
    for place, source in enumerate(sources):
        path = PurePosixPath(str(source[0] if isinstance(source, tuple) else source).replace("\\", "/"))
        folders.setdefault(path.parent, {}).setdefault(path.name, []).append(place)
    made: dict[int, Source] = dict(enumerate(sources))
    for folder, places in folders.items():
        files = {name: sources[of[0]] for name, of in places.items()}
        inside = split_samples.named(files)
        # A sample has a long number: files such as `run1.txt` and `run2.txt` are runs, however short.
        if all(_NUMBERED.search(key) for key in inside) and (content := _sampled(files, inside)):
            parts = [name for of in inside.values() for name in of.values()]
            _join(made, [places[name] for name in parts], (f"{folder.name or 'captions'}.json", content))
        if content := _together(files):
            shards = sorted(name for name in files if name.endswith(_SHARD))
            parts = [name for name in (*shards, _STATE, _INFO) if name in files]
            whole = (folder.name or _titled(files) or shards[0], content)
            _join(made, [places[name] for name in parts], whole)
    return [made[place] for place in sorted(made)]


def _join(made: dict[int, Source], parts: list[list[int]], whole: Source) -> None:
    """Replace parts, each given by the positions at which it occurs, by one source at the position of the first.

    A file with the same name but different contents stays.
    """
    first = parts[0][0]
    for places in parts:
        source = made[places[0]]
        for place in places:
            if made[place] == source:
                del made[place]
    made[first] = whole


def _bytes(source: Source) -> bytes:
    return bytes(source[1]) if isinstance(source, tuple) else Path(source).read_bytes()


def _together(files: Mapping[str, Source]) -> bytes:
    try:
        return _joined(_bytes(files[_STATE]), lambda name: _bytes(files[name])) if _STATE in files else b""
    except OSError:
        return b""


def _sampled(files: Mapping[str, Source], inside: Mapping[str, Mapping[str, str]]) -> bytes:
    try:
        return split_samples.joined(
            {name: _bytes(files[name]) for of in inside.values() for name in of.values()}, inside
        )
    except OSError:
        return b""


def _titled(files: Mapping[str, Source]) -> str:
    try:
        name = orjson.loads(_bytes(files[_INFO]))["dataset_name"]
    except (OSError, ValueError, KeyError, TypeError):
        return ""
    return name if isinstance(name, str) else ""


def _shards(folder: Path) -> bytes:
    try:
        return _joined((folder / _STATE).read_bytes(), lambda name: (folder / name).read_bytes())
    except OSError:
        return b""


def _joined(state: bytes, read: Callable[[str], bytes]) -> bytes:
    """Return the Arrow streams of a data set, concatenated in the order of its state file; empty if one is missing."""
    try:
        listed = [one["filename"] for one in orjson.loads(state)["_data_files"]]
        # Shards are read from this folder only, whatever its state says.
        return b"".join(read(PurePosixPath(name).name) for name in listed)
    except (OSError, ValueError, KeyError, TypeError):
        return b""


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


def _open(blob: Blob, log: Log, budget: Budget, depth: int) -> Iterator[Blob]:
    opener = None if is_npz(blob.content) or _is_workbook(blob.content) else _opener(blob.content)
    if opener is None:
        yield blob
        return
    cost = 1 if opener is _unpacked else 2
    if depth < cost:
        log.add("archive_skipped", blob.name, what="an archive")
        return
    try:
        for inner in opener(blob, log, budget):
            if depth < MAX_DEPTH and is_picture(inner.path, inner.content):
                log.add("pictures_nested", blob.name)
            else:
                yield from _open(inner, log, budget, depth - cost)
    except TooLargeError as error:
        log.add("archive_too_large", blob.name, why=error)
    except BROKEN as error:
        log.add("archive_broken", blob.name, why=str(error) or type(error).__name__)


def _is_workbook(content: bytes) -> bool:
    return content[:2] == b"PK" and b"xl/workbook.xml" in content


def is_npz(content: bytes) -> bool:
    """Return whether an archive contains only NumPy arrays."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = archive.namelist()
    except BROKEN:
        return False
    return bool(names) and all(name.endswith(".npy") for name in names)


def _opener(content: bytes) -> Callable[[Blob, Log, Budget], Iterator[Blob]] | None:
    if any(content.startswith(magic) for magic in _STREAMS):
        return _unpacked
    if content[_TAR] == b"ustar":
        return _untar
    return _unzip if content[:4] in (b"PK\x03\x04", b"PK\x05\x06") else None


def _zstandard(stream: io.BytesIO) -> Any:
    import pyarrow as pa

    return pa.CompressedInputStream(stream, "zstd")


_STREAMS: dict[bytes, Callable[[io.BytesIO], Any]] = {
    b"\x1f\x8b": lambda stream: gzip.GzipFile(fileobj=stream),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\x00": Xz,
    b"\x28\xb5\x2f\xfd": _zstandard,
}
"""Readers of compressed files, by the first bytes of the file."""
_NUMBERED = re.compile(r"\d{3}")
_TAR = slice(257, 262)
"""The position of `ustar` in a tar archive."""


def _unpacked(blob: Blob, log: Log, budget: Budget) -> Iterator[Blob]:
    reader = next(reader for magic, reader in _STREAMS.items() if blob.content.startswith(magic))
    with reader(io.BytesIO(blob.content)) as stream:
        yield Blob(blob.name, read_all(stream, budget), path=without_packing(blob.path))


def _untar(blob: Blob, log: Log, budget: Budget) -> Iterator[Blob]:
    with tarfile.open(fileobj=io.BytesIO(blob.content), mode="r:") as archive:
        files = [member for member in archive if not member.isdir()]
        members = [member for member in files if not _left_out(blob, member.name, log)]
        inside = split_samples.named(one.name for one in members)
        parts = {name for of in inside.values() for name in of.values()}
        check_members([one.name for one in members if one.name not in parts], budget)
        held: dict[str, bytes] = {}
        rest = []
        for member in members:
            label = f"{blob.name}/{clip(member.name)}"
            stream = archive.extractfile(member) if member.isreg() else None
            if _escapes(member.name):
                log.add("archive_path", label)
            elif stream is None:
                log.add("archive_skipped", label, what="a link or a device, not a file,")
            elif member.name in parts:
                held[member.name] = read_all(stream, budget)
            else:
                content = read_all(stream, budget, MOST_BYTES if named_so(member.name) else None)
                rest.append(Blob(label, content, path=member.name[:MOST_NAME]))
        whole = {key: of for key, of in inside.items() if set(of.values()) <= held.keys()}
        if content := split_samples.joined(held, whole):
            yield Blob(blob.name, content, path=blob.path)
        else:
            rest = [*(Blob(f"{blob.name}/{clip(name)}", of, path=name[:MOST_NAME]) for name, of in held.items()), *rest]
            budget.take_members(len(held))
        yield from rest


def _unzip(blob: Blob, log: Log, budget: Budget) -> Iterator[Blob]:
    with zipfile.ZipFile(io.BytesIO(blob.content)) as archive:
        _check_count(archive, blob.content)
        if is_bundle(archive.NameToInfo):
            yield from read_bundle(blob, archive, log, budget)
            return
        files = [member for member in archive.infolist() if not member.is_dir()]
        members = [member for member in files if not left_out(member.filename)]
        check_members([member.filename for member in members], budget)
        if any(m.filename == "[Content_Types].xml" for m in members):
            log.add("binary", blob.name, what="an Office document other than a workbook (.xlsx)")
            return
        if _HEADER in archive.NameToInfo and any(m.filename.startswith(_SAMPLES) for m in members):
            yield Blob(blob.name, _samples(archive, members, budget), path=blob.path)
            return
        for member in files:
            _left_out(blob, member.filename, log)
        yield from _with_data_sets(blob, members, _contents(blob, archive, members, log, budget))


def _contents(
    blob: Blob, archive: zipfile.ZipFile, members: list[zipfile.ZipInfo], log: Log, budget: Budget
) -> Iterator[Blob]:
    for member in members:
        label = f"{blob.name}/{clip(member.filename)}"
        if _escapes(member.filename):
            log.add("archive_path", label)
            continue
        if stat.S_IFMT(member.external_attr >> 16) not in (0, stat.S_IFREG):
            log.add("archive_skipped", label, what="a link or a device, not a file,")
            continue
        if member.flag_bits & 1:
            log.add("archive_broken", label, why="it is locked with a password")
            continue
        try:
            content = read_member(archive, member, budget, MOST_BYTES if named_so(member.filename) else None)
        except BROKEN as error:
            log.add("archive_broken", label, why=str(error) or type(error).__name__)
            continue
        yield Blob(label, content, path=member.filename[:MOST_NAME])


def _with_data_sets(archive: Blob, members: list[zipfile.ZipInfo], contents: Iterator[Blob]) -> Iterator[Blob]:
    """Yield the files of an archive, with each folder written by `datasets` replaced by one file of the same name."""
    paths = [_path(member.filename) for member in members]
    shards = {path.parent for path in paths if path.suffix == _SHARD}
    found: dict[PurePosixPath, dict[str, bytes]] = {
        path.parent: {} for path in paths if path.name == _STATE and path.parent in shards
    }
    above = {folder.parent for folder in found}
    for blob in contents:
        path = _path(blob.path)
        if path.parent in found and (path.suffix == _SHARD or path.name in (_STATE, _INFO)):
            found[path.parent][path.name] = blob.content
        elif path.name != _SPLITS or path.parent not in above:
            yield blob
    for folder, files in found.items():
        name = str(folder) if folder.name else _path(archive.name).stem
        content = _joined(files.get(_STATE, b""), files.__getitem__)
        yield Blob(f"{archive.name}/{clip(name)}", content, path=name[:MOST_NAME])


def _path(name: str) -> PurePosixPath:
    return PurePosixPath(name.replace("\\", "/"))


def _samples(archive: zipfile.ZipFile, members: list[zipfile.ZipInfo], budget: Budget) -> bytes:
    """Return the samples of an Inspect log, which are separate files, as one JSON text with the run's facts in its
    header.
    """
    samples = [m for m in members if m.filename.startswith(_SAMPLES) and m.filename.endswith(".json")]
    found = [read_member(archive, member, budget) for member in samples]
    told = _of_run(read_member(archive, archive.NameToInfo[_HEADER], budget))
    beside = [orjson.dumps(key) + b": " + orjson.dumps(one) for key, one in told.items()]
    return b"{" + b", ".join([*beside, b'"samples": [' + b",\n".join(found) + b"]"]) + b"}"


def _of_run(header: bytes) -> dict[str, Any]:
    """Return the parts of an Inspect log's header that describe its model and settings; empty if it is damaged."""
    try:
        told = orjson.loads(header)
    except ValueError:
        return {}
    return {key: told[key] for key in ("eval", "plan") if key in told} if isinstance(told, dict) else {}


def check_members(members: list[str], budget: Budget) -> None:
    pictures = sum(map(named_so, members))
    if pictures > MAX_PICTURES:
        raise TooLargeError(f"{pictures:,} pictures, more than {MAX_PICTURES:,}")
    budget.take_members(len(members) - pictures)


def _check_count(archive: zipfile.ZipFile, content: bytes) -> None:
    """Raise BadZipFile if an archive lists no files, or another number of files than it declares.

    A single damaged length in its directory hides all files after it, and `zipfile` does not check their number.
    """
    if not archive.infolist():
        raise zipfile.BadZipFile("it lists no files")
    end = content.rfind(b"PK\x05\x06")
    (said,) = struct.unpack_from("<H", content, end + 10)
    # The number modulo 2**16: large archives have the full one elsewhere.
    if said != 0xFFFF and said != len(archive.infolist()) % 0x10000:
        raise zipfile.BadZipFile(f"it states that it holds {said:,} files but lists {len(archive.infolist()):,}")


def left_out(name: str) -> str:
    """Return the kind of finding for a file in a folder or archive that its name excludes from reading; "" for other
    files.
    """
    if is_system_file(name):
        return "hidden_file"
    return "other_file" if without_packing(name).lower().endswith(_OTHERS) else ""


def _left_out(blob: Blob, name: str, log: Log) -> bool:
    if code := left_out(name):
        log.add(code, blob.name, clip(name))
    return bool(code)


def is_system_file(name: str) -> bool:
    return any(part.startswith((".", "__MACOSX")) for part in _path(name).parts if part != "..")


def _escapes(name: str) -> bool:
    """Return whether a name points outside its archive; no file is ever written, but such an archive is not trusted."""
    path = PureWindowsPath(name)  # knows both slashes, drives and shares
    return bool(path.drive or path.root) or ".." in path.parts
