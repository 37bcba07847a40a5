"""Read study bundles; each part is validated before use, since anyone can make a bundle."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from data.bundle.writing import (
    ANSWERS,
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
    PICTURE_INDEX,
    PREFERENCES,
    STUDY,
    SYSTEMS,
    pictures_named,
)
from data.files.blobs import Blob
from data.files.limits import BROKEN, Budget, TooLargeError, read_all
from data.files.picture_bytes import MOST_BYTES
from data.findings import Log, clip
from data.marks import LARGEST, Marks, from_json
from data.slices import of_bundle

MAX_NUMBERS = 50_000
MOST_SAID, MOST_OWN, LONGEST_OWN = 1 << 20, 20, 200
"""Maximum number of bytes read from a bundle's own description, of names of metrics with custom settings, and of
characters in such a name.
"""


def read_bundle(blob: Blob, archive: zipfile.ZipFile, log: Log, budget: Budget) -> Iterator[Blob]:
    """Yield the study of a bundle with its numbers, imported data and pictures; ignore everything else.

    Damaged numbers and unknown files are reported as findings. A bundle without a study is refused. Raises
    TooLargeError for a bundle that exceeds the limits.
    """
    if STUDY not in archive.NameToInfo:
        log.add("archive_broken", blob.name, why=f"it is a study bundle without its {STUDY}")
        return
    kept = [member for member in archive.infolist() if member.filename.startswith(CARRIED)]
    if len(kept) > MAX_NUMBERS:
        raise TooLargeError(f"{len(kept):,} numbers, more than {MAX_NUMBERS:,}")
    with archive.open(STUDY) as stream:
        study = read_all(stream, budget)
    numbers, damaged = {}, 0
    for member in kept:
        try:
            with archive.open(member) as stream:
                numbers[member.filename.removesuffix(".npz")] = read_all(stream, budget)
        except BROKEN:
            damaged += 1
    if damaged:
        log.add("bundle_damaged", blob.name, count=damaged, n=damaged)
    folders = (EMBEDDINGS, DISTANCES, SYSTEMS)
    imported = [n for n in archive.NameToInfo if n in (IMPORTED, PREFERENCES, ANSWERS) or n.startswith(folders)]
    pattern, pictures = _pictures(blob, archive, log)
    known = {*OWN, *imported, *pictures, PICTURE_INDEX, *(member.filename for member in kept)}
    if unknown := len({*archive.NameToInfo} - known):
        log.add("bundle_unknown", blob.name, count=unknown, n=unknown)
    said, idf = _said(archive), _idf(blob, archive, log, budget)
    own, slices = _own(said.get("own")), of_bundle(said.get("slices"))
    given = _given(blob, archive, said.get("given"), log, budget)
    marks = _marks(blob, archive, log, budget)
    made = Blob(f"{blob.name}/{STUDY}", study, numbers, idf=idf, own=own, slices=slices, given=given)
    yield replace(made, marks=marks, pattern=pattern)
    for name in imported:
        with archive.open(name) as stream:
            yield Blob(f"{blob.name}/{clip(name)}", read_all(stream, budget))
    yield from _of_bundle(blob, archive, pictures, log, budget)


def _of_bundle(
    blob: Blob, archive: zipfile.ZipFile, pictures: Mapping[str, str], log: Log, budget: Budget
) -> Iterator[Blob]:
    for name, path in pictures.items():
        try:
            with archive.open(name) as stream:
                content = read_all(stream, budget, MOST_BYTES)
        except BROKEN:
            log.add("picture_broken", blob.name, clip(path), why="it is damaged")
            continue
        yield Blob(f"{blob.name}/{clip(path)}", content, path=path)


def _pictures(blob: Blob, archive: zipfile.ZipFile, log: Log) -> tuple[str, dict[str, str]]:
    """Return the pattern of the picture names in a bundle, and a mapping from member to original picture name.

    Both are empty, with a finding, if the index is damaged.
    """
    try:
        return pictures_named(archive)
    except BROKEN as error:
        log.add("bundle_pictures", blob.name, why=str(error) or type(error).__name__)
        return "", {}


def _said(archive: zipfile.ZipFile) -> dict[str, Any]:
    try:
        with archive.open(MARK) as stream:
            said = json.loads(stream.read(MOST_SAID))
    except BROKEN:
        return {}
    return said if isinstance(said, dict) else {}


def _own(said: object) -> tuple[str, ...]:
    """Return the names of the metrics with custom settings that a bundle lists.

    At most MOST_OWN are read, and invalid names are left out.
    """
    names = said if isinstance(said, list) else []
    return tuple(name for name in names[:MOST_OWN] if isinstance(name, str) and len(name) <= LONGEST_OWN)


def _given(
    blob: Blob, archive: zipfile.ZipFile, said: object, log: Log, budget: Budget
) -> dict[str, tuple[str, bytes]]:
    """Return the inputs of COSMic by member: the name and bytes of each member whose digest is the one that the bundle
    states.

    Members that are too large, changed or unreadable are left out, with findings.
    """
    found = {}
    for member in (one for one in GIVEN if one in archive.NameToInfo):
        about = said.get(member) if isinstance(said, dict) else None
        about = about if isinstance(about, dict) else {}
        try:
            if archive.NameToInfo[member].file_size > LARGEST_GIVEN:
                raise ValueError(f"it is larger than {LARGEST_GIVEN >> 20} MB")
            with archive.open(member) as stream:
                content = read_all(stream, budget)
            if hashlib.sha256(content).hexdigest() != about.get("sha256"):
                raise ValueError("it is not the one that was packed")
        except BROKEN as error:
            log.add("bundle_given", blob.name, what=member, why=str(error) or type(error).__name__)
            continue
        name = about.get("name")
        found[member] = (name if isinstance(name, str) and 0 < len(name) <= LONGEST_OWN else member, content)
    return found


def _marks(blob: Blob, archive: zipfile.ZipFile, log: Log, budget: Budget) -> Marks:
    if MARKS not in archive.NameToInfo:
        return Marks()
    try:
        if archive.NameToInfo[MARKS].file_size > LARGEST:
            raise ValueError(f"they are larger than {LARGEST >> 20} MB")
        with archive.open(MARKS) as stream:
            return from_json(read_all(stream, budget))
    except BROKEN as error:
        log.add("bundle_marks", blob.name, why=str(error) or type(error).__name__)
        return Marks()


def _idf(blob: Blob, archive: zipfile.ZipFile, log: Log, budget: Budget) -> bytes | None:
    if IDF not in archive.NameToInfo:
        return None
    try:
        with archive.open(IDF) as stream:
            return read_all(stream, budget)
    except BROKEN as error:
        log.add("bundle_idf", blob.name, why=str(error) or type(error).__name__)
        return None
