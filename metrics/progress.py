"""Progress reporting and cancellation for long-running work."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace


class Cancelled(Exception):
    """Raised when the person who requested the work has cancelled it."""


class Unable(Exception):
    """Raised if the work cannot continue; the message states the reason and the remedy, without a full stop."""


@dataclass(frozen=True)
class Hooks:
    """Callbacks of long-running work.

    `progress(text)` names the current step, `share(done)` reports the share that is done, 0..1, `finished()` announces
    that another part of the result can be read from the cache, and `should_stop()`, called in between, returns whether
    to stop. `embedded(done)` reports the share of the captions in hand that is embedded.
    """

    progress: Callable[[str], None] = lambda text: None
    should_stop: Callable[[], bool] = lambda: False
    share: Callable[[float], None] = lambda done: None
    finished: Callable[[], None] = lambda: None
    embedded: Callable[[float], None] = lambda done: None

    def check(self) -> None:
        """Raise Cancelled if the work is no longer wanted."""
        check_stop(self.should_stop)

    def part(self, begin: float, end: float) -> Hooks:
        """Return hooks for a part of the work, whose share 0..1 maps to `begin` to `end` of the whole."""
        return replace(self, share=lambda done: self.share(begin + (end - begin) * done))


def check_stop(should_stop: Callable[[], bool] | None) -> None:
    """Raise Cancelled if `should_stop()` is true; None never stops."""
    if should_stop and should_stop():
        raise Cancelled


class _Undivided(threading.local):
    depth = 0


_undivided = _Undivided()


@contextmanager
def undivided() -> Iterator[None]:
    """Mark the block as work that must not be suspended before it ends, since it holds a lock that others may need."""
    _undivided.depth += 1
    try:
        yield
    finally:
        _undivided.depth -= 1


def is_undivided() -> bool:
    """Return whether this thread does work that must not be suspended."""
    return _undivided.depth > 0
