"""Uploaded studies of all sessions, limited by total size and by the time since they were last used."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from data.load import Loaded
from figures.style.wording import item_noun

SESSION_BYTES = 2 << 30
TOTAL_BYTES = 4 << 30
"""Maximum bytes of memory for the studies of one session, and of all sessions. The largest upload takes about one GiB.
"""
MAX_AGE_SECONDS = 24 * 3600.0
"""Seconds after which a study that no connected session has open is removed."""
UNDO_SECONDS = 600.0
"""Seconds for which the session that closed a study can reopen it."""
_REMEMBERED = 2_000
_A_TEXT, _A_SCORE, _AN_ITEM, _A_STUDY = 70, 500, 900, 50_000
Alive = Callable[[str], bool]


Why = Literal["closed", "unused", "room"]


@dataclass(frozen=True)
class Gone:
    """A study that is no longer available: its description, with the noun for its items, and the reason."""

    name: str
    items: int
    runs: int
    why: Why
    noun: str = "item"


@dataclass
class _Entry:
    loaded: Loaded
    size: int
    owner: str
    used: float


class Library:
    """Studies by unguessable token: anyone with the link can open a study, but nobody can list studies.

    To make room, the least recently used study is removed, first among those of the requesting session, then among all.
    A study that another connected session has open stays; `alive` tells whether the session of this name is
    connected.
    """

    def __init__(
        self,
        of_session: int = SESSION_BYTES,
        in_all: int = TOTAL_BYTES,
        age: float = MAX_AGE_SECONDS,
        alive: Alive = lambda owner: False,
        weigh: Callable[[Loaded], int] | None = None,
    ) -> None:
        self.of_session, self.in_all, self.age = of_session, in_all, age
        self.alive = alive
        self._weigh = weigh or weight
        self._kept: dict[str, _Entry] = {}
        self._open: dict[str, str] = {}
        self._gone: dict[str, Gone] = {}
        self._closed: dict[str, tuple[_Entry, str, float]] = {}
        self._due = 0.0
        self._lock = threading.Lock()

    def add(self, loaded: Loaded, owner: str = "") -> str | None:
        """Store a study of a session; return its token, or None if there is no room for it."""
        token = secrets.token_urlsafe(16)
        return token if self._put(token, loaded, owner) else None

    def replace(self, token: str, loaded: Loaded, expected: Loaded | None = None) -> bool:
        """Store a study under a known token.

        Return False, and leave what is stored under the token as it is, if there is no room, or if this is no longer
        the `expected` study.
        """
        known = self._kept.get(token)
        return self._put(token, loaded, known.owner if known else "", expected)

    def get(self, token: str) -> Loaded | None:
        """Return the study with that token, or None."""
        with self._lock:
            kept = self._kept.get(token)
            if kept is None:
                return None
            kept.used = time.monotonic()
            return kept.loaded

    def opened(self, owner: str, token: str | None) -> None:
        """Record the study that a session has open, or None if it has no study of its own.

        Studies that are too old are removed.
        """
        with self._lock:
            if token is None:
                self._open.pop(owner, None)
            else:
                self._open[owner] = token
                if token in self._kept:
                    self._kept[token].used = time.monotonic()
            if time.monotonic() >= self._due:  # pages call this dozens of times each, and many studies may be kept
                self._age_out()
                self._due = time.monotonic() + min(1.0, self.age / 10)

    def close(self, token: str, owner: str) -> None:
        """Close a study for everybody; for a while, this session can reopen it."""
        with self._lock:
            if token in self._kept:
                self._closed[token] = self._kept[token], owner, time.monotonic()
                self._let_go(token, "closed")

    def reopen(self, token: str, owner: str) -> bool:
        """Reopen a study under its link; return False if this session did not close it, or if it is no longer kept."""
        with self._lock:
            self._age_out()
            if not self._can_reopen(token, owner):
                return False
            self._kept[token] = self._closed.pop(token)[0]
            self._kept[token].used = time.monotonic()
            self._gone.pop(token, None)
            return True

    def can_reopen(self, token: str, owner: str) -> bool:
        """Return whether `reopen` would open the study."""
        with self._lock:
            self._age_out()
            return self._can_reopen(token, owner)

    def gone(self, token: str) -> Gone | None:
        """Return the description of a study no longer available; None for a token that is unknown or too old."""
        with self._lock:
            return self._gone.get(token)

    def _put(self, token: str, loaded: Loaded, owner: str, expected: Loaded | None = None) -> bool:
        size, now = self._weigh(loaded), time.monotonic()
        with self._lock:
            self._age_out()
            known = self._kept.get(token)
            if expected is not None and (known is None or known.loaded is not expected):
                return False
            if not self._fits(size - (known.size if known else 0)):
                self._closed = {}
            self._kept.pop(token, None)
            leaving = self._leaving(size, owner)
            if leaving is None:
                if known is not None:
                    self._kept[token] = known
                return False
            for gone in leaving:
                self._let_go(gone, "room")
            self._kept[token] = _Entry(loaded, size, owner, now)
            return True

    def _leaving(self, size: int, owner: str) -> list[str] | None:
        """The tokens of the studies to remove to make room; None if removing them would not be enough."""
        own = [token for token in self._unused(owner) if self._kept[token].owner == owner]
        mine = sum(kept.size for kept in self._kept.values() if kept.owner == owner)
        total = sum(kept.size for kept in self._kept.values())
        leaving: list[str] = []
        for tokens, over in ((own, mine + size - self.of_session), (self._unused(owner), total + size - self.in_all)):
            freed = sum(self._kept[token].size for token in leaving)
            for token in tokens:
                if freed >= over:
                    break
                if token not in leaving:
                    leaving.append(token)
                    freed += self._kept[token].size
            if freed < over:
                return None
        return leaving

    def _unused(self, asks: str = "") -> list[str]:
        """The tokens of studies that no other connected session has open, least recently used first."""
        held = set(self._held(asks))
        return sorted(self._kept.keys() - held, key=lambda token: self._kept[token].used)

    def _held(self, asks: str) -> Iterator[str]:
        for owner in list(self._open):
            if owner != asks and not self.alive(owner):
                del self._open[owner]
            elif owner != asks:
                yield self._open[owner]

    def _age_out(self) -> None:
        oldest = time.monotonic() - self.age
        if any(kept.used < oldest for kept in self._kept.values()):
            for token in self._unused():
                if self._kept[token].used < oldest:
                    self._let_go(token, "unused")
        late = time.monotonic() - UNDO_SECONDS
        self._closed = {token: of for token, of in self._closed.items() if of[2] > late}

    def _let_go(self, token: str, why: Why) -> None:
        study = self._kept.pop(token).loaded.study
        if study is not None:
            self._gone[token] = Gone(study.name, len(study.items), len(study.runs), why, item_noun(study))
        while len(self._gone) > _REMEMBERED:
            del self._gone[next(iter(self._gone))]

    def _can_reopen(self, token: str, owner: str) -> bool:
        return token in self._closed and self._closed[token][1] == owner

    def _fits(self, size: int) -> bool:
        """Whether there is room for `size` more bytes beside all studies, including those that can be reopened."""
        entries = [*self._kept.values(), *(of[0] for of in self._closed.values())]
        return size + sum(entry.size for entry in entries) <= self.in_all


def weight(loaded: Loaded) -> int:
    """Return about how many bytes a study takes: its texts (as read and as repaired), numbers and files."""
    study, size = loaded.study, _A_STUDY + loaded.marks.size + sum(map(len, loaded.numbers.values()))
    size += len(loaded.idf.content) if loaded.idf is not None else 0
    size += sum(len(one.content) for one in (loaded.network, loaded.images, loaded.word_vectors) if one is not None)
    size += loaded.pictures.size if loaded.pictures is not None else 0
    if study is None:
        return size
    size += sum(_A_SCORE * len(row) for one in study.scores for of in one.values.values() for row in of.values())
    for item in study.items:
        size += _AN_ITEM + sum(map(len, item.references)) + _A_TEXT * len(item.references)
    for run in study.runs:
        for captions in run.candidates.values():
            size += sum(map(len, captions)) + _A_TEXT * (len(captions) + 4)
    return size
