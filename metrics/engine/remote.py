"""Tasks on a cluster worker, which has the source and the plug-ins, but neither the caller's files nor its cache."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, TypeVar

from numpy.typing import NDArray

from metrics.base import Metric
from metrics.cache.disk import Cache, default_directory
from metrics.cache.entry import Arrays
from metrics.engine.tasks import ChunkScore, Facts, Task, score_chunk
from metrics.extensions.plugins import load_shipped
from metrics.needs import unmet
from metrics.progress import Cancelled, Hooks

T = TypeVar("T")
RETURNED_KINDS = ("stats", "tests")
"""Kinds of cache entries that are sent back, so that interrupted work can resume."""
Entries = dict[str, dict[str, NDArray[Any]]]


@dataclass(frozen=True)
class RemoteTask:
    """A task for a worker, without facts and cache. `signatures` are those of its metrics on the caller's machine.

    `session` separates the in-memory caches of different callers; None if entries may stay on the worker's disk.
    """

    task: Task
    signatures: tuple[str, ...]
    session: str | None = None


class _RecordingCache(Cache):
    """A worker's cache that records the entries to be sent back."""

    def __init__(self, of: Cache) -> None:
        super().__init__(of.directory)
        self._memory = of._memory
        self.entries: Entries = {}

    def read(self, key: str, of: Callable[[dict[str, NDArray[Any]]], T]) -> T | None:
        def noting(arrays: dict[str, NDArray[Any]]) -> T:
            found = of(arrays)
            self._note(key, arrays)
            return found

        return super().read(key, noting)

    def put(self, key: str, arrays: Arrays, compress: bool = False) -> None:
        super().put(key, arrays, compress)
        self._note(key, arrays)

    def _note(self, key: str, arrays: Arrays) -> None:
        if key.split("/")[0] in RETURNED_KINDS:
            self.entries[key] = dict(arrays)


def answer(order: bytes, facts: bytes) -> tuple[str, str, bytes]:
    """Return a task's outcome ("done", "unfit", "stopped"), the reason, and its scores and cache entries as bytes."""
    from distributed.protocol.serialize import deserialize_bytes, serialize_bytes

    load_shipped()
    asked: RemoteTask = deserialize_bytes(order)
    if why := missing_requirement(asked.task.metrics, asked.signatures):
        return "unfit", why, b""
    cache = _RecordingCache(_cache(asked.session))
    task = replace(asked.task, facts=_facts(facts), cache=cache)
    try:
        scores: list[ChunkScore] = score_chunk(task, Hooks(should_stop=_should_stop()))
    except Cancelled:
        return "stopped", "", b""
    return "done", "", serialize_bytes((scores, cache.entries))


def missing_requirement(metrics: tuple[Metric, ...], signatures: tuple[str, ...]) -> str | None:
    """Return what this machine lacks to compute the same numbers as the caller; None if it lacks nothing."""
    for metric, signature in zip(metrics, signatures):
        for need in sorted(metric.needs):
            if why := unmet(need):
                return why
        try:
            found = metric.signature
        except Exception as error:  # noqa: BLE001 - whatever keeps a metric from stating its signature
            return str(error)
        if found != signature:
            return f"it would compute {found}, not {signature}"
    return None


def _should_stop() -> Callable[[], bool]:
    """Return a function that reports whether this thread's task was cancelled or its client has disconnected."""
    from dask.distributed import get_worker

    worker = get_worker()
    key = worker.get_current_task()

    def asked() -> bool:
        state = worker.state.tasks.get(key)
        return state is None or state.state == "cancelled"

    return asked


@lru_cache(maxsize=2)
def _facts(raw: bytes) -> Facts:
    from distributed.protocol.serialize import deserialize_bytes

    found: Facts = deserialize_bytes(raw)
    return found


@lru_cache(maxsize=1)
def _cache(session: str | None) -> Cache:
    return Cache(default_directory() if session is None else None)
