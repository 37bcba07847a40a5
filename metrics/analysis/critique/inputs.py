"""Files supplied to critiques: word vectors, and image features, including those of a study's own pictures."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import io
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np

from data.check import GivenFile
from data.files import npz
from data.study import DataError, digest
from metrics.analysis.artifacts import Artifact
from metrics.base import Undefined
from metrics.cache import array_checks
from metrics.cache.disk import Cache, entry_key, write_whole
from metrics.cache.entry import Arrays
from metrics.learned import efficientnet_file
from metrics.learned.efficientnet_file import INSTALL as INSTALL
from metrics.progress import Hooks, Unable
from metrics.text import word_vectors

Kind = Literal["images", "words"]
VERSION = "1"
LARGEST: dict[Kind, int] = {"images": 128 << 20, "words": 200 << 20}
"""Maximum size of a file, in bytes."""
UNPACKED: dict[Kind, int] = {"images": npz.LARGEST_GIVEN, "words": 1 << 30}
MOST_WORDS = 1_000_000
"""Maximum number of lines in a file of vectors; GloVe 6B has 400,000."""
KEPT = 2 << 30
"""Maximum total size of such files on disk, in bytes; the files used least recently are deleted first.

A deleted file is written again when it is needed.
"""
MAKE = "Give an .npz file as `trilens features PICTURES --out images.npz` writes it."
SMALLER: dict[Kind, str] = {
    "images": "Leave out what the study does not have, or save `features` as float16.",
    "words": "Keep the most frequent words: `head -n 400000`.",
}


def file_name(kind: Kind, name: str) -> str:
    """Return the standard name, used in commands, for a user's file `name` of this kind."""
    if kind == "images":
        return "images.npz"
    return "words.txt.gz" if name.lower().endswith(".gz") else "words.txt"


def checked(kind: Kind, name: str, content: bytes, folder: Path) -> GivenFile:
    """Store a file in the folder and return it; it must be small enough, and such that a critique can read it.

    Raises DataError, with file and remedy, if it is not, or if it cannot be saved.
    """
    _bound(kind, name, content)
    given = GivenFile(name, content)
    path = stored(kind, given, folder)
    try:
        _read(kind, path)
    except DataError as why:
        Path(path).unlink(missing_ok=True)
        said = str(why)
        said = said.replace(path, name) if path in said else said.replace(Path(path).name, name)
        raise DataError(said if said.endswith(".") else f"{said}. {MAKE}") from None
    return given


def stored(kind: Kind, given: GivenFile, folder: Path) -> str:
    """Store a file in the folder under its digest, unless it exists, and return its path.

    Raises DataError if it cannot be saved.
    """
    path = folder / given.sha256[:24] / file_name(kind, given.name)
    if not path.is_file():
        _write(path, given.content, folder)
    else:
        with contextlib.suppress(OSError):
            os.utime(path)  # Mark the file as recently used, so it is deleted last.
    return str(path)


def _write(path: Path, content: bytes, folder: Path) -> None:
    try:
        write_whole(path, content)
    except OSError as why:
        said = f"{path.name}: it could not be saved on this machine ({why.strerror or why}). Free some space."
        raise DataError(said) from None
    _make_room(folder, path)


def _make_room(folder: Path, kept: Path) -> None:
    files, total = [], 0
    for one in folder.glob("*/*"):
        with contextlib.suppress(OSError):  # Another session may have removed it meanwhile.
            stat = one.stat()
            total += stat.st_size
            files += [(one, stat)] if one != kept else []
    for one, stat in sorted(files, key=lambda found: found[1].st_mtime_ns):
        if total <= KEPT:
            return
        with contextlib.suppress(OSError):
            one.unlink()
            one.parent.rmdir()
        total -= stat.st_size


def _read(kind: Kind, path: str) -> None:
    from metrics.learned.cosmic_data import images_of

    if kind == "words":
        word_vectors.named(path)
    elif not len(images_of(path).names):
        raise DataError(f"{path}: features of no image")


def _bound(kind: Kind, name: str, content: bytes) -> None:
    if len(content) > LARGEST[kind]:
        raise DataError(f"{name}: larger than {LARGEST[kind] >> 20} MB. {SMALLER[kind]}")
    size, lines = (npz.size(content), 0) if kind == "images" else _text_size(name, content)
    if size > UNPACKED[kind]:
        raise DataError(f"{name}: unpacked it is larger than {UNPACKED[kind] >> 20:,} MB. {SMALLER[kind]}")
    if lines > MOST_WORDS:
        raise DataError(f"{name}: more than {MOST_WORDS:,} words. {SMALLER[kind]}")


def _text_size(name: str, content: bytes) -> tuple[int, int]:
    """Number of bytes and lines of a text, compressed or not; counting stops once either limit is exceeded."""
    if not name.lower().endswith(".gz"):
        return len(content), content.count(b"\n")
    size = lines = 0
    with contextlib.suppress(*word_vectors.DAMAGED), gzip.open(io.BytesIO(content)) as stream:
        while size <= UNPACKED["words"] and lines <= MOST_WORDS and (part := stream.read(1 << 20)):
            size, lines = size + len(part), lines + part.count(b"\n")
    return size, lines


def can_read_pictures() -> bool:
    """Return whether the network that computes picture features is installed."""
    return efficientnet_file.file() is not None


def of_pictures(pictures: Sequence[Path | bytes], cache: Cache) -> Artifact:
    """Return the artifact of EfficientNet-lite0 features of pictures, given as files or contents."""
    stats = [_stated(one) for one in pictures]
    keys = [str(stated[0]) for stated in stats]

    def run(hooks: Hooks) -> Arrays:
        from metrics.learned import image_features
        from metrics.learned.pictures import PicturesAtHand

        try:
            model = image_features.load(efficientnet_file.NAME)
        except DataError as why:
            raise Unable(str(why).rstrip(".")) from None
        of = dict(sorted(zip(keys, pictures)))
        found = image_features.measure(PicturesAtHand(Path("/"), tuple(of), of), model, cache, hooks)
        if not found.names:
            raise Undefined(f"no picture could be read: {next(iter(found.left_out.values()), 'there is none')}")
        row = {name: k for k, name in enumerate(found.names)}
        return {"features": found.features, "rows": np.array([row.get(key, -1) for key in keys])}

    def fits(arrays: Arrays) -> bool:
        if not array_checks.has_shapes(arrays, {"features": (None, None), "rows": (len(pictures),)}):
            return False
        rows, features = arrays["rows"], arrays["features"]
        known = rows.dtype == np.int64 and ((rows >= -1) & (rows < len(features))).all()
        return bool(known) and features.dtype == np.float32 and np.isfinite(features).all().item()

    key = entry_key("embeddings", "pictures of items", VERSION, digest(stats))
    return Artifact(key, run, "Reading pictures", slow=True, fits=fits)


def _stated(picture: Path | bytes) -> tuple[str | int, ...]:
    if isinstance(picture, bytes):
        return (hashlib.sha256(picture).hexdigest(),)
    return str(picture), picture.stat().st_mtime_ns, picture.stat().st_size


def pictures_file(key: str, names: Sequence[str], arrays: Arrays, folder: Path) -> str:
    """Return the path of a file of picture features, keyed by item name, in the format that `features` writes.

    The file is written to the folder unless it exists. `key` is the key of the artifact. Raises DataError if it cannot
    be saved.
    """
    path = folder / digest(key)[:24] / file_name("images", "")
    if not path.is_file():
        _write(path, packed(names, arrays), folder)
    return str(path)


def packed(names: Sequence[str], arrays: Arrays) -> bytes:
    """Return picture features, keyed by item name, as a file in the format that `features` writes."""
    rows, made = arrays["rows"], io.BytesIO()
    own = [name for name, row in zip(names, rows.tolist(), strict=True) if row >= 0]
    np.savez_compressed(made, names=np.array(own, dtype=str), features=arrays["features"][rows[rows >= 0]])
    return made.getvalue()
