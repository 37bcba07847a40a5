"""The pathological transformations of Cui et al. 2018, 3.3 and 4.3: another caption, other words, another order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from metrics.transformations.base import Drawing, Transformation, another, places, share

CUI = "Cui et al. 2018, section 3.3"


@dataclass(frozen=True)
class RandomCaption(Drawing):
    """Replaces the caption with the caption of another item."""

    name: ClassVar[str] = "random_caption"
    label: ClassVar[str] = "Random caption"
    source: ClassVar[str] = CUI
    summary: ClassVar[str] = "Strength: the share of other items, the nearest first, from which the caption is drawn."

    def transform(self, words: list[str], strength: float, rng: np.random.Generator) -> list[str]:
        near = self.material.others[: share(strength, len(self.material.others), least=1)]
        return list(near[int(rng.integers(len(near)))]) if near else list(words)


@dataclass(frozen=True)
class WordPermutation(Transformation):
    """Changes the order of the words."""

    name: ClassVar[str] = "word_permutation"
    label: ClassVar[str] = "Shuffled words"
    source: ClassVar[str] = CUI
    summary: ClassVar[str] = "Strength: the share of words, at least two, that are moved, each to another place."

    def transform(self, words: list[str], strength: float, rng: np.random.Generator) -> list[str]:
        chosen = places(strength, range(len(words)), rng)
        order = list(chosen)
        # Sattolo's shuffle: one cycle through all positions, so that none keeps its word.
        for k in range(len(order) - 1, 0, -1):
            other = int(rng.integers(k))
            order[k], order[other] = order[other], order[k]
        moved = dict(zip(chosen, order))
        return [words[moved.get(k, k)] for k in range(len(words))]


@dataclass(frozen=True)
class RandomWords(Drawing):
    """Replaces words of the caption with words of the study's vocabulary."""

    name: ClassVar[str] = "random_words"
    label: ClassVar[str] = "Random words"
    source: ClassVar[str] = CUI
    summary: ClassVar[str] = "Strength: the share of words, at least two, replaced with others from the vocabulary."

    def transform(self, words: list[str], strength: float, rng: np.random.Generator) -> list[str]:
        found = list(words)
        for k in places(strength, range(len(words)), rng):
            found[k] = another(self.material.vocabulary, words[k], rng)
        return found
