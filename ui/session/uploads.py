"""Uploaded files, which Streamlit keeps in memory beside the studies built from them, limited in bytes.

When a browser has left, Streamlit would otherwise keep its files until it happens to collect the session.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

TOTAL_BYTES = 2 << 30
"""Maximum bytes of the uploaded files of all sessions together."""
RESUME_SECONDS = 180.0
"""Seconds after which a disconnected browser cannot resume its session; Streamlit allows 120."""


@dataclass
class _Upload:
    size: int
    release: Callable[[], None]
    connected: float


class Received:
    """The bytes in each session's uploader, and how to release them; `alive` tells whether a session is connected."""

    def __init__(self, alive: Callable[[str], bool], in_all: int = TOTAL_BYTES, gone: float = RESUME_SECONDS) -> None:
        self.alive, self.in_all, self.gone = alive, in_all, gone
        self._sent: dict[str, _Upload] = {}
        self._lock = threading.Lock()

    def record(self, session: str, size: int, release: Callable[[], None]) -> bool:
        """Record the size in bytes of a session's uploaded files, and how to release them.

        Return False if all sessions together exceed the limit.
        """
        self.sweep()
        with self._lock:
            self._sent[session] = _Upload(size, release, time.monotonic())
            return sum(sent.size for sent in self._sent.values()) <= self.in_all

    def release(self, session: str) -> None:
        """Release the uploaded files of one session."""
        with self._lock:
            sent = self._sent.pop(session, None)
        if sent is not None:
            sent.release()

    def sweep(self) -> None:
        """Release the uploaded files of sessions whose browser has been gone for more than `gone` seconds."""
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
