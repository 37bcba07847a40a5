"""Metrics of embeddings that come from a file: those that the sentence encoder has, under the name of the file."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass

import numpy as np

from data.study import ImportedVectors, Study, of_study
from metrics.base import Metric
from metrics.corpus import CorpusFrechet, Mauve
from metrics.distances.embeddings import FileDistance
from metrics.distribution import Frechet, Mmd, Trm
from metrics.diversity import Vendi
from metrics.quality import Bert
from metrics.text import encoder
from metrics.text.encoder import FROM_FILE, OwnEncoder, Vectors


@dataclass(frozen=True, eq=False)
class FileEncoder:
    """Embeddings that were computed elsewhere, looked up by text."""

    vectors: ImportedVectors
    own_name: str

    @property
    def name(self) -> str:
        """Determines the vectors."""
        return f"{FROM_FILE}{self.own_name}@{self.vectors.digest[:12]}"

    @property
    def label(self) -> str:
        """What headings call them."""
        return f"{self.vectors.name} (imported)"

    def encode(self, texts: Sequence[str]) -> Vectors:
        """(n, d) rows of the texts; NaN where there is none."""
        rows, places = self.vectors.rows, self.vectors.places
        found = np.full((len(texts), rows.shape[1]), np.nan, dtype=np.float32)
        for k, text in enumerate(texts):
            if (place := places.get(text)) is not None:
                found[k] = rows[place]
        return found


def vector_metrics(study: Study, taken: Container[str]) -> dict[str, Metric]:
    """The metrics of all embeddings that came with a study, by name; none is the name of a metric that is `taken`."""
    found: dict[str, Metric] = {}
    for one in encoders(study, taken):
        encoder.keep(one)
        found |= {metric.name: metric for metric in metrics_of(FileDistance(one.name))}
    return found


def encoders(study: Study, taken: Container[str]) -> tuple[FileEncoder, ...]:
    """The embeddings that came with a study, each under a name that no metric `taken` has."""
    known = _encoders(study)
    return tuple(known.setdefault(one.name, FileEncoder(one, _free(one.name, taken))) for one in study.vectors)


@of_study
def _encoders(study: Study) -> dict[str, FileEncoder]:
    """By name, held for as long as the study is."""
    return {}


def _free(name: str, taken: Container[str]) -> str:
    clash = any(metric.name in taken for metric in metrics_of(FileDistance(f"{FROM_FILE}{name}@")))
    return f"imported_{name}" if clash else name


def metrics_of(space: FileDistance) -> tuple[Metric, ...]:
    """Every metric that embeddings have."""
    return Bert(space), Trm(space), Mmd(space), Frechet(space), CorpusFrechet(space), Mauve(space), Vendi(space)


def kept(one: OwnEncoder) -> FileDistance:
    """The distance of an encoder from a file, which can be found from now on."""
    encoder.keep(one)
    return FileDistance(one.name)
