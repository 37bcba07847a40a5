"""Studies kept on disk: bundles in the folder named by TRILENS_STUDIES; without it, nothing is kept.

Files are named by a digest of the study's name, which a person typed and which is never part of a path.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from data.files.limits import BROKEN
from data.study import DataError

VARIABLE = "TRILENS_STUDIES"
LONGEST = 80
MOST = 200
_KEY = re.compile(r"[0-9a-f]{64}")
_FACTS, _BUNDLE = ".json", ".trilens.zip"


@dataclass(frozen=True)
class Kept:
    """A kept study: its name, its size, when it was kept (in seconds since 1970), and the noun for its items."""

    name: str
    items: int
    runs: int
    when: float
    noun: str = "item"

    @property
    def key(self) -> str:
        """The stem of the names of the study's files."""
        return hashlib.sha256(self.name.encode("utf-8", "surrogatepass")).hexdigest()


def folder() -> Path | None:
    """Return the folder, or None if the server has none. Raises DataError if it cannot be used."""
    named = os.environ.get(VARIABLE)
    if not named:
        return None
    found = Path(named).resolve()
    if not found.is_dir() or not os.access(found, os.W_OK):
        raise DataError(f"{VARIABLE} names {named}, which is not a folder that this server can write to: name another.")
    return found


def keep(name: str, items: int, runs: int, bundle: bytes, noun: str = "item") -> Kept:
    """Keep a bundle under a name. Raises DataError, with the remedy, if that is not possible."""
    there, name = _there(), " ".join(name.split())
    if not name or len(name) > LONGEST:
        raise DataError(
            f"Not kept: a name has 1 to {LONGEST} characters, and this one has {len(name)}. Choose another."
        )
    new = Kept(name, items, runs, time.time(), noun)
    if (there / f"{new.key}{_FACTS}").exists():
        raise DataError(f"Not kept: there is a study named {name}. Choose another name, or remove that one.")
    if len(listed()[0]) >= MOST:
        raise DataError(f"Not kept: the folder has {MOST} studies, which is the most. Remove one first.")
    try:
        _write(there / f"{new.key}{_BUNDLE}", bundle)
        _write(there / f"{new.key}{_FACTS}", json.dumps(asdict(new)).encode())
    except OSError as why:
        raise DataError(f"Not kept: the folder could not be written ({why.strerror}). Make room on its disk.") from why
    return new


def listed() -> tuple[tuple[Kept, ...], int]:
    """Return the kept studies, newest first, and the number of description files without a valid study."""
    there = folder()
    read = [_facts(path) for path in there.glob(f"*{_FACTS}")] if there is not None else []
    found = [one for one in read if one is not None]
    return tuple(sorted(found, key=lambda one: (-one.when, one.name))), len(read) - len(found)


def _facts(path: Path) -> Kept | None:
    """The kept study that a description file describes; None if the file is invalid or its bundle is missing."""
    try:
        stated = json.loads(path.read_bytes())
        noun = str(stated.get("noun", "item"))[:LONGEST]
        one = Kept(str(stated["name"]), int(stated["items"]), int(stated["runs"]), float(stated["when"]), noun)
        time.gmtime(one.when)
        f"{one.name}{noun}".encode()  # A lone surrogate cannot be shown.
    except BROKEN:
        return None
    return (
        one
        if 0 < len(one.name) <= LONGEST
        and path.name == f"{one.key}{_FACTS}"
        and path.with_name(f"{one.key}{_BUNDLE}").is_file()
        else None
    )


def read(key: str) -> bytes:
    """Return the bundle of a kept study. Raises DataError if it no longer exists."""
    try:
        return _path(key, _BUNDLE).read_bytes()
    except OSError as why:
        raise DataError("Not opened: that study is not kept here any more. Somebody may have removed it.") from why


def remove(key: str) -> None:
    """Remove a kept study permanently."""
    for ending in (_FACTS, _BUNDLE):
        _path(key, ending).unlink(missing_ok=True)


def _there() -> Path:
    found = folder()
    if found is None:
        raise DataError(f"Not kept: this server was given no folder for studies; {VARIABLE} names one.")
    return found


def _path(key: str, ending: str) -> Path:
    if not _KEY.fullmatch(key):
        raise DataError("That is not the key of a kept study.")
    return _there() / f"{key}{ending}"


def _write(path: Path, content: bytes) -> None:
    handle, part = tempfile.mkstemp(dir=path.parent, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(part, path)
    except OSError:
        Path(part).unlink(missing_ok=True)
        raise
