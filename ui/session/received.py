"""The files that browsers sent, which Streamlit keeps in memory beside the studies made of them, bounded in bytes.

Streamlit would keep those of a browser that left until something else happens to collect its session, however long.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

IN_ALL = 2 << 30
"""Bytes that the files of all sessions may take together."""
GONE = 180.0
"""Seconds after which a browser that is not connected cannot have its session back: Streamlit gives it 120."""


@dataclass
class _Sent:
    size: int
    release: Callable[[], None]
    connected: float


class Received:
    """How much each session's uploader holds, and the way to give it up; `alive` says whether one is connected."""

    def __init__(self, alive: Callable[[str], bool], in_all: int = IN_ALL, gone: float = GONE) -> None:
        self.alive, self.in_all, self.gone = alive, in_all, gone
        self._sent: dict[str, _Sent] = {}
        self._lock = threading.Lock()

    def note(self, session: str, size: int, release: Callable[[], None]) -> bool:
        """The session's uploader holds so many bytes now; False where all hold more than they may."""
        self.sweep()
        with self._lock:
            self._sent[session] = _Sent(size, release, time.monotonic())
            return sum(sent.size for sent in self._sent.values()) <= self.in_all

    def release(self, session: str) -> None:
        """Give up what the session sent."""
        with self._lock:
            sent = self._sent.pop(session, None)
        if sent is not None:
            sent.release()

    def sweep(self) -> None:
        """Give up what sessions sent whose browser has left for good."""
        now = time.monotonic()
        left = []
        with self._lock:
            for session, sent in self._sent.items():
                if self.alive(session):
                    sent.connected = now
                elif now - sent.connected > self.gone:
                    left.append(session)
        for session in left:
            self.release(session)
