"""The time that a piece of work takes, in wall-clock and processor seconds."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import NamedTuple


class Time(NamedTuple):
    """Wall-clock seconds, and processor seconds, which are more reliable on a machine that others also use."""

    clock: float
    processor: float

    def __str__(self) -> str:
        return f"{self.clock:.1f} s, processor {self.processor:.1f} s"


def timed(work: Callable[[], object]) -> Time:
    """Return the time that a piece of work takes; the processor time is the user time of all threads of the program."""
    started, used = time.perf_counter(), os.times().user
    work()
    return Time(time.perf_counter() - started, os.times().user - used)
