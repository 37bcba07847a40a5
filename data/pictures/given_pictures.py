"""The pictures opened with a study: read within limits, kept small, and matched to items."""

from __future__ import annotations

import hashlib
import os
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property

from data.files.blobs import Blob
from data.files.limits import TooLargeError
from data.files.picture_bytes import HEAVY, NoPicture, pixels, written
from data.findings import Log, clip
from data.pictures import picture_names
from data.pictures.picture_names import Match
from data.study import Item, Study, digest, of_study

MOST_FILES, MOST_KEPT = 10_000, 512 << 20
"""Maximum number of pictures in a study, and of bytes of them in the form that is kept."""
_AHEAD = 16


@dataclass(frozen=True, eq=False)
class GivenPicture:
    """A picture: its original name, the sha256 digest of its file, and the JPEG made from it.

    `apart` is True for a picture that was added to an open study rather than opened together with the captions.
    """

    name: str
    sha256: str
    content: bytes = field(repr=False)
    apart: bool = False


@dataclass(frozen=True, eq=False)
class Pictures:
    """All pictures of a study, and the pattern of their names, if there is one."""

    files: tuple[GivenPicture, ...] = ()
    pattern: str = ""

    @cached_property
    def digest(self) -> str:
        """Digest of the pattern and of the names and contents of the pictures."""
        return digest([self.pattern, [[one.name, one.sha256] for one in self.files]])

    @cached_property
    def size(self) -> int:
        """The total size of the pictures in bytes."""
        return sum(len(one.content) for one in self.files)

    def of(self, study: Study, item: Item) -> bytes | None:
        """Return the picture of an item of the study, or None."""
        place = self.match(study).of.get(item.id)
        return None if place is None else self.files[place].content

    def match(self, study: Study) -> Match:
        """Return the match between pictures and items of the study, cached."""
        known = _matches(study)
        if self.digest not in known:
            known.clear()
            names, keys = [one.name for one in self.files], [one.sha256 for one in self.files]
            known[self.digest] = picture_names.match(study.items, names, keys, self.pattern)
        return known[self.digest]

    def used(self, study: Study) -> Pictures:
        """Return the pictures that belong to an item of the study, without duplicates."""
        places = dict.fromkeys(self.match(study).of.values())
        return replace(self, files=tuple(self.files[place] for place in places))


@of_study
def _matches(study: Study) -> dict[str, Match]:
    """Return the cached result of `match` for a study, by the digest of the pictures."""
    return {}


def together(*given: Pictures | None) -> Pictures | None:
    """Merge pictures, without duplicates and within the limits of a study, and keep the first pattern of names.

    Return None if neither a picture nor a pattern is left.
    """
    there = [one for one in given if one is not None]
    files: dict[tuple[str, str], GivenPicture] = {}
    for one in (one for of in there for one in of.files):
        files.setdefault((one.name, one.sha256), one)
    kept, size = [], 0
    for one in list(files.values())[:MOST_FILES]:
        size += len(one.content)
        if size > MOST_KEPT:
            break
        kept.append(one)
    pattern = next((one.pattern for one in there if one.pattern), "")
    return Pictures(tuple(kept), pattern) if kept or pattern else None


class Gallery:
    """Collects pictures as they are read: decodes a few at a time and keeps them small, within the limits of a study.

    `known` are pictures decoded earlier; a file with the same bytes is not decoded again.
    """

    def __init__(self, log: Log, known: Iterable[GivenPicture] = ()) -> None:
        self._log = log
        self._known = {one.sha256: one.content for one in known}
        self._kept: list[GivenPicture] = []
        self._waiting: deque[tuple[Blob, str, Future[bytes]]] = deque()
        self._pool: ThreadPoolExecutor | None = None
        self._seen = self._size = self._over = 0

    def add(self, blob: Blob) -> None:
        """Add a picture from its file, or a finding if it cannot be read; beyond the limits, only count it."""
        self._seen += 1
        if self._seen > MOST_FILES or self._size > MOST_KEPT:
            self._over += 1
            return
        self._pool = self._pool or ThreadPoolExecutor(min(4, os.cpu_count() or 1), "pictures")
        key = hashlib.sha256(blob.content).hexdigest()
        known = self._known.get(key)
        size = pixels(blob.content) if known is None else 0
        heavy = size > HEAVY and not blob.content.startswith(b"\xff\xd8\xff")
        try:
            blob.budget.take_pixels(size)
        except TooLargeError as why:
            self._log.add("pictures_too_large", blob.source.name if blob.source else blob.name, why=why)
            return
        if heavy:
            self._take(0)
        done: Future[bytes] = self._pool.submit(written, blob.content) if known is None else Future()
        if known is not None:
            done.set_result(known)
        # The original bytes are freed as soon as they are decoded.
        self._waiting.append((replace(blob, content=b""), key, done))
        self._take(0 if heavy else _AHEAD)

    def finish(self) -> tuple[GivenPicture, ...]:
        """Return all pictures, in the order of their files, with a finding if pictures were left out."""
        self._take(0)
        if self._pool is not None:
            self._pool.shutdown()
        if self._over:
            self._log.add("pictures_too_many", n=self._over, most=MOST_FILES, mb=MOST_KEPT >> 20)
        return tuple(self._kept)

    def _take(self, leave: int) -> None:
        while len(self._waiting) > leave:
            blob, key, done = self._waiting.popleft()
            try:
                content = done.result()
            except NoPicture as why:
                self._log.add("picture_broken", *_place(blob), why=why)
                continue
            if self._size + len(content) > MOST_KEPT:
                self._over += 1
                continue
            self._known[key] = content
            self._size += len(content)
            self._kept.append(GivenPicture(blob.path or blob.name, key, content))


def _place(blob: Blob) -> tuple[str, str]:
    """Return the file that a person opened, and the name within it."""
    given = blob.source.name if blob.source is not None else blob.name
    return (given, clip(blob.path)) if blob.path and given != blob.name else (blob.name, "")


def sorted_out(blobs: Iterable[tuple[Blob, bool]], gallery: Gallery) -> Iterator[tuple[Blob, bool]]:
    """Yield the files that are not pictures; add the pictures to the gallery."""
    for blob, forced in blobs:
        if blob.picture:
            gallery.add(blob)
        else:
            yield blob, forced
