"""Local backends: threads or processes of this machine, run by joblib; `cluster.py` has another backend."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Literal, Protocol

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
    """A joblib backend and its number of simultaneous jobs (-1: one for each processor)."""

    backend: Literal["threading", "loky"] = "threading"
    jobs: int = 2

    def scored(self, tasks: Sequence[Task], hooks: Hooks) -> Scored:
        """As `Backend.scored`. Threads share the hooks: they report and stop within tasks, processes between them."""
        from joblib import Parallel, delayed, parallel_config

        inner = hooks if self.backend == "threading" else None
        with parallel_config(backend=self.backend, n_jobs=self.jobs):
            parallel = Parallel(return_as="generator_unordered", batch_size=1)
            finished = parallel(delayed(_numbered)(k, task, inner) for k, task in enumerate(tasks))
        with closing(finished):
            for k, scores in finished:
                hooks.check()
                yield tasks[k], scores


def _numbered(k: int, task: Task, hooks: Hooks | None) -> tuple[int, list[ChunkScore]]:
    return k, score_chunk(task, hooks)
