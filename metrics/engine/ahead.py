"""Embedding ahead of scoring: the distinct captions of some chunks in one go, whatever runs they are of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import replace

from metrics.base import Metric
from metrics.cache.disk import TextVectors, text_vectors
from metrics.chunk import AHEAD
from metrics.distances.embeddings import BertDistance
from metrics.engine.tasks import Task, chunk_of
from metrics.engine.workers import Scored, Workers
from metrics.progress import Cancelled, Hooks


def scored(tasks: Sequence[Task], workers: Workers, hooks: Hooks) -> Scored:
    """As `Workers.scored` on threads; some tasks at a time, whose captions are embedded before.

    A caption that several chunks hold is embedded once, and batches, which hold texts of one length, are full.
    Embeddings that the cache of the tasks shares with other scorings stay shared.
    """
    vectors = text_vectors()
    for start in range(0, len(tasks), AHEAD):
        window = [_sharing(task, vectors) for task in tasks[start : start + AHEAD]]
        _embed(window, hooks)
        with closing(workers.scored(window, hooks)) as found:
            yield from found


def _sharing(task: Task, vectors: TextVectors) -> Task:
    shared = task.cache.text_vectors is not None
    return task if shared else replace(task, cache=task.cache.with_text_vectors(vectors))


def _embed(tasks: Iterable[Task], hooks: Hooks) -> None:
    by_encoder: dict[str, list[Task]] = {}
    for task in tasks:
        for encoder in _encoders(task.metrics) if not task.pieces else ():
            by_encoder.setdefault(encoder, []).append(task)
    for encoder, some in by_encoder.items():
        chunks = [chunk_of(task, hooks) for task in some]
        try:
            chunks[0].embed_ahead(encoder, chunks)
        except Cancelled:
            raise
        except Exception:  # noqa: BLE001 - the task meets it again, and says it as the error of its metrics
            return


def _encoders(metrics: Iterable[Metric]) -> set[str]:
    spaces = (getattr(metric, "space", None) for metric in metrics)
    return {space.encoder for space in spaces if isinstance(space, BertDistance)}
