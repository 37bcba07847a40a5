"""The distance by chrF and chrF++, as sacreBLEU computes them for one hypothesis and one reference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from metrics.base import Range
from metrics.chunk import Chunk
from metrics.distances.base import Distance
from metrics.mathematics.arrays import Floats


@dataclass(frozen=True)
class ChrfDistance(Distance):
    """100 - chrF. With `words`, word n-grams up to that length are added, as in chrF+ and chrF++."""

    words: Annotated[int, Range(0, 2)] = 0
    lowercase: bool = False
    cites: ClassVar[tuple[str, ...]] = ("popovic2015chrf", "post2018call")
    maximum: ClassVar[float] = 100.0

    @property
    def name(self) -> str:  # type: ignore[override]
        return f"chrf{'_plus' * self.words}"

    @property
    def label(self) -> str:
        return f"chrF{'+' * self.words}"

    @property
    def scorer(self) -> Any:
        """sacreBLEU's scorer."""
        from metrics.text.sacre import scorer

        return scorer("chrf", self.lowercase, words=self.words)

    @property
    def parameters(self) -> str:
        from metrics.text.sacre import signature

        return signature(self.scorer)

    def pairs(self, context: Any, chunk: Chunk, index: int) -> Floats:
        return self._of(chunk.texts(index), chunk.texts(index))

    def block(self, context: Any, chunk: Chunk, index: int) -> Floats:
        return self._of(chunk.candidates[index], chunk.references[index])

    def _of(self, hypotheses: Sequence[str], references: Sequence[str]) -> Floats:
        from metrics.text.sacre import scores, statistics

        found = [scores(self.scorer, statistics(self.scorer, hypotheses, [text])) for text in references]
        return np.array(found).reshape(len(references), len(hypotheses)).T
