"""The numbers of an open study bundle, read on demand, and the memory that numbers occupy."""

from __future__ import annotations

from collections.abc import Mapping

from data.study import Run, Study
from metrics.analysis.artifacts import Artifact
from metrics.analysis.bundle import arrays_from_bundle, result_from_bundle
from metrics.base import Metric
from metrics.cache.entry import Arrays
from metrics.cache.memory import LruCache
from metrics.engine import scoring
from metrics.engine.result import Result
from metrics.engine.tasks import Options


class BundleNumbers:
    """The numbers of a study bundle, read and checked on demand.

    `read` caches the numbers from all bundles by the session's name and the key.
    """

    def __init__(self, numbers: Mapping[str, bytes], owner: str, read: LruCache[str, Result | Arrays]) -> None:
        self.numbers = numbers
        self._owner = f"{owner} {id(numbers)} "
        self._read = read
        self._damaged: set[str] = set()

    def get(self, metric: Metric, run: Run, study: Study, options: Options) -> Result | None:
        """Return a result; None if the bundle has none, or a damaged one."""
        key = scoring.result_key(metric, run, study, options)
        found = self._read.get(self._owner + key)
        if found is None and key in self.numbers and key not in self._damaged:
            found = result_from_bundle(metric, run, study, options, self.numbers[key])
            if found is None:
                self._damaged.add(key)
            else:
                self._read.put(self._owner + key, found)
        return found if isinstance(found, Result) else None

    def arrays(self, artifact: Artifact) -> Arrays | None:
        """Return the arrays of an artifact; None if the bundle has none that fit it."""
        found = self._read.get(self._owner + artifact.key)
        if found is None and artifact.key in self.numbers and artifact.key not in self._damaged:
            found = arrays_from_bundle(artifact.key, self.numbers[artifact.key], artifact.validated)
            if found is None:
                self._damaged.add(artifact.key)
            else:
                self._read.put(self._owner + artifact.key, frozen(found))
        return None if isinstance(found, Result) else found


def size_of(key: str, found: Result | Arrays) -> int:
    """Return roughly how many bytes of memory a result or arrays occupy."""
    arrays = (found.values, found.items, found.totals) if isinstance(found, Result) else found.values()
    return sum(array.nbytes for array in arrays) + 10_000


def frozen(arrays: Arrays) -> Arrays:
    """Return the arrays as read-only, because all sessions share them."""
    for array in arrays.values():
        array.flags.writeable = False
    return arrays
