"""Metrics of averaged word vectors, from a file named with `--vectors` or TRILENS_VECTORS."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from metrics.base import Metric, Need
from metrics.distances.embeddings import FileDistance
from metrics.registry import register, unregister
from metrics.suite.imported_vectors import metrics_of
from metrics.text import encoder, word_vectors
from metrics.text.word_vectors import WordVectors

VARIABLE = "TRILENS_VECTORS"
_lock = threading.Lock()
_loaded: dict[str, tuple[WordVectors, tuple[Metric, ...]]] = {}


@dataclass(frozen=True)
class WordVectorDistance(FileDistance):
    """Cosine distance of averaged word vectors."""

    cites: ClassVar[tuple[str, ...]] = ("chan2022distribution",)

    @property
    def label(self) -> str:
        return "word vectors"

    @property
    def needs(self) -> frozenset[Need]:
        return frozenset({"java"})


def load(path: Path) -> tuple[Metric, ...]:
    """Register and return the metrics of a file of vectors, replacing those of an earlier file.

    Raises DataError or OSError if the file cannot be used.
    """
    found = word_vectors.read(path)
    with _lock:
        for name, (known, metrics) in list(_loaded.items()):
            if name == found.name:
                return metrics
            unregister(*(metric.name for metric in metrics))
            del _loaded[known.name]
        encoder.register(found)
        metrics = metrics_of(WordVectorDistance(found.name))
        register(*metrics)
        _loaded[found.name] = found, metrics
        return metrics


def load_named() -> tuple[Metric, ...]:
    """Register and return the metrics of the file in TRILENS_VECTORS, if it is set. Raises the errors of `load`."""
    name = os.environ.get(VARIABLE)
    return load(Path(name).expanduser()) if name else ()


def unload() -> None:
    """Remove the metrics of word vectors from the registry."""
    with _lock:
        for _, metrics in _loaded.values():
            unregister(*(metric.name for metric in metrics))
        _loaded.clear()
