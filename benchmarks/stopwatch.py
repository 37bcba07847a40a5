"""The time of one piece of work, by the clock and of the processor."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import NamedTuple


class Time(NamedTuple):
    """Seconds by the clock and of processor time, which says more on a machine that others use too."""

    clock: float
    processor: float

    def __str__(self) -> str:
        return f"{self.clock:.1f} s, processor {self.processor:.1f} s"


def timed(work: Callable[[], object]) -> Time:
    """Return how long a piece of work takes; the processor time is that of this program, in all its threads."""
    started, used = time.perf_counter(), os.times().user
    work()
    return Time(time.perf_counter() - started, os.times().user - used)
