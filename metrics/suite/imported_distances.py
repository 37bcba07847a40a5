"""Distances imported from a file, one matrix per run and item, for every metric and view that needs only distances."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from data.study import Captions, ImportedDistances, Study, of_study
from metrics.base import Metric, Undefined
from metrics.chunk import Chunk, Learns, caption_order, pooled_order
from metrics.distances.base import Distance
from metrics.mathematics.arrays import Floats
from metrics.suite.distribution import Trm

Known = dict[str, dict[str, tuple[Captions, Floats]]]
"""The pooled texts and their matrix by run and item, both in the order of a chunk."""


@dataclass(frozen=True)
class ImportedDistance(Distance):
    """Distances between the captions of one study, computed elsewhere; `digest` is the digest of the matrices.

    `judge` is the signature of the judge that rated the similarities, or "" for distances from a file.
    """

    own_name: str = ""
    said: str = ""
    digest: str = ""
    judge: str = ""
    fixed: ClassVar[frozenset[str]] = frozenset({"own_name", "said", "digest", "judge"})
    maximum: ClassVar[float] = 0.0
    of_any_texts: ClassVar[bool] = False

    @property
    def name(self) -> str:  # type: ignore[override]
        return self.own_name

    @property
    def label(self) -> str:
        return f"{self.said} ({'judged' if self.judge else 'imported'})"

    @property
    def parameters(self) -> str:
        return f"{f'judged|{self.judge}' if self.judge else 'imported'}|matrices:{self.digest[:12]}"

    @property
    def learns(self) -> Learns:
        return "names"

    def prepare(self, study: Study) -> Known:
        """Return the matrices of all runs of the study and, under "", the parts with only the references."""
        known, found = _of_study(study), next((one for one in study.distances if one.digest == self.digest), None)
        if self.digest not in known:
            known[self.digest] = _known(study, found) if found else {}
        return known[self.digest]

    def pairs(self, context: Known, chunk: Chunk, index: int) -> Floats:
        texts, matrix = context.get(chunk.run, {}).get(chunk.ids[index], ((), None))
        if matrix is None or texts != chunk.texts(index):
            raise Undefined(f"{self.name} has no distances of these captions")
        return -matrix


@of_study
def _of_study(study: Study) -> dict[str, Known]:
    """Return the study's cache of `prepare`, by the digest of the matrices."""
    return {}


def _known(study: Study, found: ImportedDistances) -> Known:
    known: Known = {"": {}}
    for run in study.runs:
        known[run.name] = {}
        for item in study.items:
            matrix = found.matrices.get(run.name, {}).get(item.id)
            if matrix is None:
                continue
            candidates = run.candidates.get(item.id, ())
            texts = (*candidates, *item.references)
            known[run.name][item.id] = _ordered(texts, matrix, pooled_order(candidates, item.references))
            alone = [len(candidates) + k for k in caption_order(item.references)]
            known[""].setdefault(item.id, _ordered(texts, matrix, alone))
    return known


def _ordered(texts: Captions, matrix: Floats, order: list[int]) -> tuple[Captions, Floats]:
    return tuple(texts[k] for k in order), np.asarray(matrix[np.ix_(order, order)], dtype=float)


def distance_metrics(study: Study, taken: Container[str]) -> dict[str, Metric]:
    """Return the triangle-rank metrics of all imported distances of a study, by name; no name is in `taken`."""
    found: dict[str, Metric] = {}
    for one in study.distances:
        clash = {one.name, f"trm_{one.name}"} & found.keys() or one.name in taken or f"trm_{one.name}" in taken
        name = f"imported_{one.name}" if clash else one.name
        metric = Trm(ImportedDistance(name, one.name, one.digest, one.signature))
        found[metric.name] = metric
    return found
