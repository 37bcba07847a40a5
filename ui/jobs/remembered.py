"""What pages asked for, kept in memory up to a number of bytes, and what is read of study bundles."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping
from typing import TYPE_CHECKING, Generic, TypeVar

from data.study import Run, Study
from metrics.analysis.bundle import given, given_result
from metrics.base import Metric
from metrics.cache.entry import Arrays
from metrics.engine import scoring
from metrics.engine.result import Result
from metrics.engine.tasks import Options

if TYPE_CHECKING:
    from ui.jobs.jobs import Call

REMEMBERED = 1 << 30
T = TypeVar("T")


class Remembered(Generic[T]):
    """Values in memory by key, the least recently used given up above a number of bytes."""

    def __init__(self, limit: int = REMEMBERED) -> None:
        self.limit = limit
        self.size = 0
        self._kept: OrderedDict[str, tuple[T, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: str) -> T | None:
        """The value, or None."""
        with self._lock:
            if key not in self._kept:
                return None
            self._kept.move_to_end(key)
            return self._kept[key][0]

    def put(self, key: str, value: T, size: int) -> None:
        """Keep a value of `size` bytes."""
        with self._lock:
            if key in self._kept:
                return
            self._kept[key] = value, size
            self.size += size
            while self.size > self.limit and len(self._kept) > 1:
                self.size -= self._kept.popitem(last=False)[1][1]

    def forget(self, key: str) -> None:
        """Give a value up."""
        with self._lock:
            if key in self._kept:
                self.size -= self._kept.pop(key)[1]


class Brought:
    """The numbers of a study bundle: read when they are asked for, and no others are believed in their place.

    `kept` holds what was read of all bundles, under the session's name and the key, for a while.
    """

    def __init__(self, numbers: Mapping[str, bytes], owner: str, kept: Remembered[Result | Arrays]) -> None:
        self.numbers = numbers
        self._owner = f"{owner} {id(numbers)} "
        self._kept = kept
        self._damaged: set[str] = set()

    def get(self, metric: Metric, run: Run, study: Study, options: Options) -> Result | None:
        """A number; None if the bundle has none or a damaged one."""
        key = scoring.result_key(metric, run, study, options)
        found = self._kept.get(self._owner + key)
        if found is None and key in self.numbers and key not in self._damaged:
            found = given_result(metric, run, study, options, self.numbers[key])
            if found is None:
                self._damaged.add(key)
            else:
                self._kept.put(self._owner + key, found, size_of(found))
        return found if isinstance(found, Result) else None

    def arrays(self, call: Call) -> Arrays | None:
        """The arrays of a call; None if the bundle has none or none that can be its."""
        found = self._kept.get(self._owner + call.key)
        if found is None and call.key in self.numbers and call.key not in self._damaged:
            found = given(call.key, self.numbers[call.key], call.of_arrays)
            if found is None:
                self._damaged.add(call.key)
            else:
                self._kept.put(self._owner + call.key, *frozen(found))
        return None if isinstance(found, Result) else found


def size_of(result: Result) -> int:
    """Bytes of memory that a result takes."""
    return result.values.nbytes + result.items.nbytes + result.totals.nbytes + 10_000


def frozen(arrays: Arrays) -> tuple[Arrays, int]:
    """The arrays, which all sessions share, made read-only; and their bytes."""
    for array in arrays.values():
        array.flags.writeable = False
    return arrays, sum(array.nbytes for array in arrays.values()) + 10_000
