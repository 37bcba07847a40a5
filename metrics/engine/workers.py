"""Local backends: threads, or processes run by joblib; `cluster.py` has another backend.

Joblib's threads look for finished tasks every 10 ms, which would take longer than scoring a small study. Word metrics
hold Python's lock most of the time: two threads take as long as one.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal, Protocol

from threadpoolctl import ThreadpoolController

from metrics import installation
from metrics.child_processes import end_with_parent, lifeline, uninterrupted
from metrics.engine.remote import missing_requirement
from metrics.engine.tasks import ChunkScore, Facts, Task, score_chunk
from metrics.progress import Hooks

LEAST_ITEMS = 1_500
"""Minimum number of items, over all runs, for which word metrics take longer than starting processes."""
OWN = (f"{installation.TOP}metrics.", f"{installation.TOP}data.")
"""Prefixes of the modules of metrics that every process can load."""
Scored = Generator[tuple[Task, list[ChunkScore]], None, None]


class Backend(Protocol):
    """A way to run tasks; the numbers do not depend on it."""

    def scored(self, tasks: Sequence[Task], hooks: Hooks) -> Scored:
        """Yield each task with its scores as it finishes; the rest is dropped when a task raises or iteration stops."""
        ...


@dataclass(frozen=True)
class Workers:
    """Threads or processes of this machine, `jobs` at once (-1: one per processor).

    With `spread`, threads leave large amounts of word metrics to processes, provided that these share the cache folder.
    """

    backend: Literal["threading", "loky"] = "threading"
    jobs: int = 2
    spread: bool = False

    def scored(self, tasks: Sequence[Task], hooks: Hooks) -> Scored:
        """Yield scores as `Backend.scored` does. Threads check the hooks within tasks, processes only between tasks."""
        if self.backend == "threading" and not self._spreads(tasks):
            return _by_threads(tasks, hooks, self.jobs)
        return _by_processes(tasks, hooks, self.jobs)

    def _spreads(self, tasks: Sequence[Task]) -> bool:
        if not self.spread or self.jobs == 1 or sum(len(task.items) for task in tasks) < LEAST_ITEMS:
            return False
        kept = all(task.cache.directory is not None and not task.cache.given for task in tasks)
        used = {metric for task in tasks for metric in task.metrics}
        return kept and all(one.work == "words" and type(one).__module__.startswith(OWN) for one in used)


def _by_threads(tasks: Sequence[Task], hooks: Hooks, jobs: int) -> Scored:
    with _one_core_for_matrices(), ThreadPoolExecutor(jobs if jobs > 0 else os.cpu_count(), "scoring") as pool:
        waiting = {pool.submit(score_chunk, task, hooks): task for task in tasks}
        try:
            for finished in as_completed(waiting):
                hooks.check()
                yield waiting.pop(finished), finished.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _one_core_for_matrices() -> AbstractContextManager[object]:
    """Return a context in which numpy's matrix products use one thread each, in the whole process.

    Chunks keep the cores busy. Additional OpenBLAS threads wait for one another by spinning: an eigendecomposition of
    384 x 384 on two busy cores takes 16 ms of processor time with one thread and 290 ms in two threads with two each.
    Only numpy's OpenBLAS matters; scipy's is not loaded for this, since memory may be short. A limit that another
    thread set and that is still in force, such as for another study being scored, is kept.
    """
    return _matrix_libraries("scipy.linalg._fblas" in sys.modules).limit(limits=1, user_api="blas")


@cache
def _matrix_libraries(_with_scipy: bool) -> ThreadpoolController:
    """Return a controller of numpy's OpenBLAS, and of scipy's once it is loaded; finding all libraries takes 4 ms."""
    return ThreadpoolController()


def _by_processes(tasks: Sequence[Task], hooks: Hooks, jobs: int) -> Scored:
    """Yield the scores of tasks run in processes; threads take over if processes lack a requirement or have died."""
    from joblib import Parallel, delayed, effective_n_jobs, parallel_config
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    warnings.filterwarnings("ignore", "A worker stopped while some jobs were given")  # its tasks are redone elsewhere
    warnings.filterwarnings("ignore", r"\d+ tasks which ")  # unfinished tasks after a cancellation
    with parallel_config(backend="loky", n_jobs=jobs, initializer=end_with_parent, initargs=(lifeline()[0].recv,)):
        parallel, several = Parallel(return_as="generator_unordered", batch_size=1), effective_n_jobs(jobs) > 1
    left = dict(enumerate(tasks))
    try:
        with parallel:
            if several:
                _start_processes()
            finished = parallel(delayed(_numbered)(*order) for order in _orders(tasks))
            with (
                _one_core_for_matrices(),
                closing(finished),
            ):  # as on threads: sums in the caller must round as they do there
                for k, scores in finished:
                    hooks.check()
                    if scores is not None:
                        yield left.pop(k), scores
    except TerminatedWorkerError:
        pass
    if left:
        yield from _by_threads(list(left.values()), hooks, jobs)


def _start_processes() -> None:
    """Start joblib's processes, which would otherwise start with the first task; interruptions wait until they run."""
    from joblib.externals.loky import get_reusable_executor

    with uninterrupted():
        get_reusable_executor(reuse=True).submit(os.getpid)


def _orders(tasks: Sequence[Task]) -> Iterator[tuple[int, Task, tuple[str, ...]]]:
    """Yield the numbered tasks with the facts of their runs instead of the studies, and their metrics' signatures.

    Tasks whose facts fail are skipped: threads run them, where only the metric that causes the error reports it.
    """
    facts: Facts | None = None
    packed: Facts | None = None
    for k, task in enumerate(tasks):
        if facts is not task.facts:
            facts = task.facts
            try:
                packed = facts.packed()
            except Exception:  # noqa: BLE001 - whatever a metric raises must not cost the other metrics
                packed = None
        if packed is not None:
            yield k, replace(task, facts=packed), tuple(metric.signature for metric in task.metrics)


def _numbered(k: int, task: Task, signatures: tuple[str, ...]) -> tuple[int, list[ChunkScore] | None]:
    if missing_requirement(task.metrics, signatures):
        return k, None
    with _one_core_for_matrices():
        return k, score_chunk(task, None)
