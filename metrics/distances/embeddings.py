"""Distances of sentence embeddings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from metrics.base import Need, Undefined, Work
from metrics.chunk import Chunk
from metrics.distances.base import Distance
from metrics.mathematics.arrays import Floats
from metrics.text.encoder import FILE_PREFIX, POOLED_PREFIX


@dataclass(frozen=True)
class BertDistance(Distance):
    """Cosine distance of sentence embeddings."""

    encoder: str = "all-MiniLM-L6-v2"
    name: ClassVar[str] = "bert"
    symmetric: ClassVar[bool] = True
    cites: ClassVar[tuple[str, ...]] = ("reimers2019sentence",)
    work: ClassVar[Work] = "encoder"

    @property
    def label(self) -> str:
        from metrics.text.encoder import encoder_label

        return encoder_label(self.encoder)

    @property
    def needs(self) -> frozenset[Need]:
        return frozenset({"encoder"})

    @property
    def parameters(self) -> str:
        from metrics.text.encoder import encoder_signature

        return f"enc:{encoder_signature(self.encoder)}"

    def vectors(self, context: Any, chunk: Chunk, index: int) -> Floats:
        """(N, d) embeddings."""
        return chunk.embeddings(self.encoder, index)

    def pairs(self, context: Any, chunk: Chunk, index: int) -> Floats:
        return cosine(self.vectors(context, chunk, index))

    def block(self, context: Any, chunk: Chunk, index: int) -> Floats:
        vectors, n = _unit(self.vectors(context, chunk, index)), chunk.sizes(index)[0]
        return np.clip(vectors[:n] @ vectors[n:].T, -1.0, 1.0)


def cosine(vectors: Floats) -> Floats:
    """Return the (N, N) cosine similarity; 0 for rows of length zero, even with themselves."""
    unit = _unit(vectors)
    return np.clip(unit @ unit.T, -1.0, 1.0)


def _unit(vectors: Floats) -> Floats:
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(length > 0, length, 1.0)


@dataclass(frozen=True)
class PooledDistance(BertDistance):
    """Cosine distance in the pooled layer of a model; `encoder` may omit the prefix, and "" stands for no model."""

    encoder: str = ""

    def __post_init__(self) -> None:
        if self.encoder:
            object.__setattr__(self, "encoder", f"{POOLED_PREFIX}{str(self.encoder).removeprefix(POOLED_PREFIX)}")

    @property
    def needs(self) -> frozenset[Need]:
        return frozenset({"encoder"} if self.encoder else {"pooled layer"})

    @property
    def parameters(self) -> str:
        return super().parameters if self.encoder else "enc:none"


@dataclass(frozen=True)
class FileDistance(BertDistance):
    """Cosine distance of embeddings from a file, or of averaged word vectors."""

    fixed: ClassVar[frozenset[str]] = frozenset({"encoder"})
    """Fields that no option can change: another encoder would make another distance."""
    work: ClassVar[Work] = "words"

    @property
    def name(self) -> str:  # type: ignore[override]
        return self.encoder.removeprefix(FILE_PREFIX).rpartition("@")[0]

    @property
    def needs(self) -> frozenset[Need]:
        return frozenset()

    def vectors(self, context: Any, chunk: Chunk, index: int) -> Floats:
        found = super().vectors(context, chunk, index)
        lacking = int(np.isnan(found).any(axis=1).sum())
        if lacking:
            raise Undefined(f"{self.name} has no vector for {lacking} of the {len(found)} captions")
        return found
