"""Embedding ahead of scoring: the distinct captions of several chunks are embedded together, whichever run has them."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import replace
from functools import partial

from metrics.base import Metric
from metrics.cache.disk import TextVectors, text_vectors
from metrics.chunk import Chunk
from metrics.distances.embeddings import BertDistance
from metrics.engine.tasks import Task, chunk_of
from metrics.engine.workers import Scored, Workers
from metrics.progress import Cancelled, Hooks

TEXTS = 8_192
"""Approximate number of captions, with repetitions, to embed together."""
BLOCK = 4
"""Number of consecutive chunks of one run before the same chunks of the next run."""
RUNS = 5
"""Number of runs that take turns: more would save little, and keep more unfinished results in memory."""


def scored(tasks: Iterable[Task], workers: Workers, hooks: Hooks) -> Scored:
    """Yield the scores of tasks, as `Workers.scored` does on threads, after embedding the captions of several tasks.

    A caption that occurs in several chunks is embedded once, and there are enough texts of each length to fill batches.
    Runs take turns, so that data of the references are still in memory for the next run. Embeddings that the
    tasks' cache already shares with other scorings stay shared. `hooks.embedded` receives the share of all windows that
    is embedded.
    """
    vectors = text_vectors()
    windows, scoring = list(_windows(_by_turns(tasks))), replace(hooks, embedded=lambda done: None)

    def embedded(before: int, done: float) -> None:
        hooks.embedded((before + done) / len(windows))

    for k, some in enumerate(windows):
        window = [_sharing(task, vectors) for task in some]
        _embed(window, replace(hooks, embedded=partial(embedded, k)))
        embedded(k, 1.0)
        _give_back_memory()
        with closing(workers.scored(window, scoring)) as found:
            for one in found:
                yield one
                _give_back_memory()


def _by_turns(tasks: Iterable[Task]) -> list[Task]:
    """Return the tasks in another order: one group of `RUNS` runs after another.

    The runs of a group take turns every `BLOCK` chunks, and tasks for whole runs are at the end of each group.
    """
    tasks = list(tasks)
    place = {name: k // RUNS for k, name in enumerate(dict.fromkeys(task.run.name for task in tasks))}
    return sorted(tasks, key=lambda task: (place[task.run.name], bool(task.pieces), task.position // BLOCK))


def _windows(tasks: Iterable[Task]) -> Iterator[list[Task]]:
    """Yield windows of tasks with about `TEXTS` captions.

    Tasks for whole runs do not count if other tasks embed the same captions.
    """
    tasks = list(tasks)
    others = _embedded_in_parts(tasks)
    window: list[Task] = []
    texts = 0
    for task in tasks:
        more = 0 if task.pieces and task.run.name in others else _texts(task)
        if window and texts + more > TEXTS:
            yield window
            window, texts = [], 0
        window.append(task)
        texts += more
    if window:
        yield window


def _embedded_in_parts(tasks: Iterable[Task]) -> set[str]:
    """Return the names of the runs whose captions are embedded by tasks for some of their items."""
    return {task.run.name for task in tasks if not task.pieces and _encoders(task.metrics)}


def _texts(task: Task) -> int:
    return sum(len(item.references) + len(task.run.candidates.get(item.id, ())) for item in task.items)


def _sharing(task: Task, vectors: TextVectors) -> Task:
    shared = task.cache.text_vectors is not None
    return task if shared else replace(task, cache=task.cache.with_text_vectors(vectors))


def _embed(tasks: Iterable[Task], hooks: Hooks) -> None:
    by_encoder: dict[tuple[str, int | None], list[Chunk]] = {}
    finished = 0

    def embedded(done: float) -> None:
        hooks.embedded((finished + done) / len(by_encoder))

    own, tasks = replace(hooks, embedded=embedded), list(tasks)
    others = _embedded_in_parts(tasks)
    for task in tasks:
        later = task.pieces and (task.run.name in others or _texts(task) > TEXTS)  # it fills its batches by itself
        for encoder in _encoders(task.metrics) if not later else ():
            chunk = chunk_of(task, own)
            by_encoder.setdefault((encoder, chunk.layers.get(encoder)), []).append(chunk)
    for (encoder, _), chunks in by_encoder.items():
        try:
            chunks[0].embed_ahead(encoder, chunks)
        except Cancelled:
            raise
        except Exception:  # noqa: BLE001 - the task meets it again and reports it as the error of its metrics
            return
        finished += 1


def _encoders(metrics: Iterable[Metric]) -> set[str]:
    spaces = (getattr(metric, "space", None) for metric in metrics)
    return {space.encoder for space in spaces if isinstance(space, BertDistance)}


def _give_back_memory() -> None:
    """Return freed memory to the system: glibc keeps it per thread, which would double the peak for a large study."""
    with suppress(OSError, AttributeError):  # other C libraries do so themselves or have no such call
        ctypes.CDLL("libc.so.6").malloc_trim(0)
