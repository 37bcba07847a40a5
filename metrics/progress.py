"""Progress reporting and cancellation for long-running work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace


class Cancelled(Exception):
    """The person who asked for the work no longer wants it."""


class Unable(Exception):
    """The work cannot go on; the message says why and what to do, without a full stop, for people to read."""


@dataclass(frozen=True)
class Hooks:
    """`progress(text)` says what is done now, `share(done)` how much is, 0..1; `should_stop()` is asked between."""

    progress: Callable[[str], None] = lambda text: None
    should_stop: Callable[[], bool] = lambda: False
    share: Callable[[float], None] = lambda done: None

    def check(self) -> None:
        """Raise Cancelled if the work is no longer wanted."""
        check_stop(self.should_stop)

    def part(self, begin: float, end: float) -> Hooks:
        """Hooks for a part of the work: its share 0..1 is that from `begin` to `end` of the whole."""
        return replace(self, share=lambda done: self.share(begin + (end - begin) * done))


def check_stop(should_stop: Callable[[], bool] | None) -> None:
    """Raise Cancelled if `should_stop()`; None never stops."""
    if should_stop and should_stop():
        raise Cancelled
