"""Words as numbers, for networks that read captions word by word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

LARGEST, LEAST, STEPS = 10_000, 5, 15
"""Maximum number of words, minimum occurrences of each, and number of words read per caption (Cui et al. 2018)."""
UNKNOWN = 1
"""The number of all other words; 0 marks the end of a caption."""


@dataclass(frozen=True)
class Vocabulary:
    """The words of a study that are frequent enough, most frequent first."""

    words: tuple[str, ...]

    @classmethod
    def of(cls, texts: Iterable[str]) -> Vocabulary:
        """Return the words that occur at least LEAST times, at most LARGEST of them."""
        counts = Counter(word for text in texts for word in text.split())
        known = [word for word, count in counts.items() if count >= LEAST]
        return cls(tuple(sorted(known, key=lambda word: (-counts[word], word))[:LARGEST]))

    def __len__(self) -> int:
        return len(self.words) + 2

    def numbers(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """Return (n, STEPS) numbers of the first words of each text, followed by 0 in shorter texts."""
        place = {word: k for k, word in enumerate(self.words, UNKNOWN + 1)}
        found = np.zeros((len(texts), STEPS), dtype=np.int64)
        for row, text in zip(found, texts):
            words = [place.get(word, UNKNOWN) for word in text.split()[:STEPS]]
            row[: len(words)] = words
        return found
