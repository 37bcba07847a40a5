"""Similarity to a reference, reduced for texts that are probably not fluent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from metrics.base import Need, Range, Undefined, Work
from metrics.chunk import Chunk
from metrics.distances.base import Distance
from metrics.distances.embeddings import BertDistance
from metrics.mathematics.arrays import Floats


@dataclass(frozen=True)
class FluentDistance(Distance):
    """Maximum - similarity, where the similarity of a hypothesis with a fluency error is multiplied by 1 - penalty.

    A text has an error if the probability that `classifier` gives for one is above `threshold`. The classifier is a
    folder with a sequence classifier of transformers, or a file with the probability for each text.
    """

    of: BertDistance = BertDistance()
    classifier: str = ""
    threshold: Annotated[float, Range(0, 1)] = 0.9
    penalty: Annotated[float, Range(0, 1)] = 0.9
    name: ClassVar[str] = "fluent"
    work: ClassVar[Work] = "encoder"

    @property
    def label(self) -> str:
        return f"Fluent {self.of.label}"

    @property
    def parameters(self) -> str:
        from metrics.text.fluency import signature

        errors = signature(self.classifier) if self.classifier else "none"
        return f"errors:{errors}|above:{self.threshold:g}|penalty:{self.penalty:g}|{self.of.parameters}"

    @property
    def cites(self) -> tuple[str, ...]:  # type: ignore[override]
        return self.of.cites

    @property
    def needs(self) -> frozenset[Need]:
        return self.of.needs if self.classifier else self.of.needs | {"error classifier"}

    def keys(self, chunk: Chunk, index: int) -> list[Any]:
        return self.of.keys(chunk, index)

    def pairs(self, context: Any, chunk: Chunk, index: int) -> Floats:
        return self.of.similarity(context, chunk, index) * self._kept(chunk, self.keys(chunk, index))

    def block(self, context: Any, chunk: Chunk, index: int) -> Floats:
        return self.of.block(context, chunk, index) * self._kept(chunk, chunk.candidates[index])

    def _kept(self, chunk: Chunk, texts: Sequence[str]) -> Floats:
        """(n, 1) share of its similarity that each text keeps. Raises Undefined if a probability is unknown."""
        from metrics.text.fluency import probabilities

        def of_all() -> dict[str, float]:
            every = sorted({text for side in (chunk.candidates, chunk.references) for own in side for text in own})
            return dict(
                zip(every, probabilities(self.classifier, every, chunk.hooks.should_stop).tolist(), strict=True)
            )

        known = chunk.shared(("error probabilities", self.classifier), of_all)
        found = np.array([known[text] for text in texts])
        if lacking := int(np.isnan(found).sum()):
            raise Undefined(f"the file of error probabilities lacks {lacking} of {len(found)} captions")
        return np.where(found > self.threshold, 1.0 - self.penalty, 1.0).reshape(-1, 1)
