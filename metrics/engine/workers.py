"""Local backends: threads, or processes run by joblib; `cluster.py` has another backend.

Threads of joblib look for finished tasks every 10 ms, which a small study waits for longer than for its numbers.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing
from dataclasses import dataclass
from typing import Literal, Protocol

from threadpoolctl import threadpool_limits

from metrics.engine.tasks import ChunkScore, Task, score_chunk
from metrics.progress import Hooks

Scored = Generator[tuple[Task, list[ChunkScore]], None, None]


class Backend(Protocol):
    """A way to run tasks; the numbers do not depend on it."""

    def scored(self, tasks: Sequence[Task], hooks: Hooks) -> Scored:
        """Yield every task with its scores, as they finish; the rest is dropped when one raises or iteration stops."""
        ...


@dataclass(frozen=True)
class Workers:
    """Threads or processes of this machine, so many at once (-1: one for each processor)."""

    backend: Literal["threading", "loky"] = "threading"
    jobs: int = 2

    def scored(self, tasks: Sequence[Task], hooks: Hooks) -> Scored:
        """As `Backend.scored`. Threads share the hooks: they report and stop within tasks, processes between them."""
        if self.backend == "threading":
            return _by_threads(tasks, hooks, self.jobs)
        return _by_processes(tasks, hooks, self.jobs)


def _by_threads(tasks: Sequence[Task], hooks: Hooks, jobs: int) -> Scored:
    with _one_core_for_matrices(), ThreadPoolExecutor(jobs if jobs > 0 else os.cpu_count(), "scoring") as pool:
        waiting = {pool.submit(score_chunk, task, hooks): task for task in tasks}
        try:
            for finished in as_completed(waiting):
                hooks.check()
                yield waiting.pop(finished), finished.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _one_core_for_matrices() -> threadpool_limits:
    """Return a context in which each thread does its own matrix products, in its whole process.

    Chunks keep the cores busy. Threads of OpenBLAS beside them wait for one another by spinning: an eigendecomposition
    of 384 x 384 on two busy cores takes 16 ms of processor time by one thread and 290 ms by two threads with two each.
    It is OpenBLAS of numpy that matters; that of scipy is not loaded for it, which takes memory that there may not be.
    Where another thread set a limit that is still in force, as another study that is being scored does, that one stays.
    """
    return threadpool_limits(1, user_api="blas")


def _by_processes(tasks: Sequence[Task], hooks: Hooks, jobs: int) -> Scored:
    from joblib import Parallel, delayed, parallel_config

    with parallel_config(backend="loky", n_jobs=jobs):
        parallel = Parallel(return_as="generator_unordered", batch_size=1)
        finished = parallel(delayed(_numbered)(k, task) for k, task in enumerate(tasks))
    with closing(finished):
        for k, scores in finished:
            hooks.check()
            yield tasks[k], scores


def _numbered(k: int, task: Task) -> tuple[int, list[ChunkScore]]:
    with _one_core_for_matrices():
        return k, score_chunk(task, None)
