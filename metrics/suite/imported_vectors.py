"""Metrics of embeddings from a file: the same as for the sentence encoder, but named after the embeddings."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass

import numpy as np

from data.study import ImportedVectors, Study, of_study
from metrics.base import Metric
from metrics.distances.embeddings import FileDistance
from metrics.suite.corpus_embeddings import CorpusFrechet, Mauve
from metrics.suite.distribution import Frechet, Mmd, Trm
from metrics.suite.diversity import Vendi
from metrics.suite.quality import Bert
from metrics.text import encoder
from metrics.text.encoder import FILE_PREFIX, Vectors


@dataclass(frozen=True, eq=False)
class FileEncoder:
    """Embeddings that were computed elsewhere, looked up by text."""

    vectors: ImportedVectors
    own_name: str

    @property
    def name(self) -> str:
        """The name used in signatures; it identifies the embeddings."""
        return f"{FILE_PREFIX}{self.own_name}@{self.vectors.digest[:12]}"

    @property
    def label(self) -> str:
        """The name in headings."""
        return f"{self.vectors.name} (imported)"

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return (n, d) embeddings of the texts; NaN for a text without an embedding."""
        rows, places = self.vectors.rows, self.vectors.places
        found = np.full((len(texts), rows.shape[1]), np.nan, dtype=np.float32)
        for k, text in enumerate(texts):
            if (place := places.get(text)) is not None:
                found[k] = rows[place]
        return found


def vector_metrics(study: Study, taken: Container[str]) -> dict[str, Metric]:
    """Return the metrics of all imported embeddings of a study, by name; no name is in `taken`."""
    found: dict[str, Metric] = {}
    for one in encoders(study, taken):
        encoder.register(one)
        found |= {metric.name: metric for metric in metrics_of(FileDistance(one.name))}
    return found


def encoders(study: Study, taken: Container[str]) -> tuple[FileEncoder, ...]:
    """Return the imported embeddings of a study, under names that no metric in `taken` has."""
    known = _encoders(study)
    return tuple(known.setdefault(one.name, FileEncoder(one, _free(one.name, taken))) for one in study.vectors)


@of_study
def _encoders(study: Study) -> dict[str, FileEncoder]:
    """Return the study's cache of encoders by name, which is empty at first and exists as long as the study."""
    return {}


def _free(name: str, taken: Container[str]) -> str:
    clash = any(metric.name in taken for metric in metrics_of(FileDistance(f"{FILE_PREFIX}{name}@")))
    return f"imported_{name}" if clash else name


def metrics_of(space: FileDistance) -> tuple[Metric, ...]:
    """Return all metrics of embeddings, based on this distance."""
    return Bert(space), Trm(space), Mmd(space), Frechet(space), CorpusFrechet(space), Mauve(space), Vendi(space)
