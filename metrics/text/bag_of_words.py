"""Bags of words over the most frequent words of a study."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from metrics.mathematics.arrays import Floats
from metrics.text.ngrams import words

WORDS = 5_000


@dataclass(frozen=True)
class BagOfWords:
    """The words to count, most frequent first. Chan et al., B.1."""

    vocabulary: tuple[str, ...]

    @classmethod
    def fit(cls, items: Sequence[Sequence[Sequence[str]]], size: int | None = WORDS) -> BagOfWords:
        """Return the `size` most frequent words, or all, of items' tokenised texts; ties are in alphabetical order."""
        seen = Counter(word for texts in items for text in texts for word in words(text))
        ranked = sorted(seen.items(), key=lambda pair: (-pair[1], pair[0]))
        return cls(tuple(word for word, _ in ranked[:size]))

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.vocabulary)}

    def vectors(self, tokens: Sequence[Sequence[str]]) -> Floats:
        """(N, d) counts; d are the words of the vocabulary that occur in these texts, most frequent first.

        Words in none of the texts would only add zeros, which do not affect lengths, angles or differences. A text
        without any of the words is a row of zeros.
        """
        numbers = self._numbers
        rows = [Counter(word for word in words(text) if word in numbers) for text in tokens]
        present = sorted(set().union(*rows), key=numbers.__getitem__)
        column = {word: place for place, word in enumerate(present)}
        vectors = np.zeros((len(rows), len(present)))
        for row, counted in zip(vectors, rows):
            for word, times in counted.items():
                row[column[word]] = times
        return vectors


def bow_distances(vectors: Floats) -> Floats:
    """(N, N) cosine distances of bags of words, in 0..1.

    A text without counted words has distance 1 to every text with counted words, and 0 to every other text without
    them: their bags are equal, and equal texts must have distance 0.
    """
    length = np.linalg.norm(vectors, axis=1)
    unit = vectors / np.where(length > 0, length, 1.0)[:, None]
    distance: Floats = np.clip(1.0 - unit @ unit.T, 0.0, 1.0)
    empty = length == 0
    distance[np.ix_(empty, empty)] = 0.0
    np.fill_diagonal(distance, 0.0)
    return distance
