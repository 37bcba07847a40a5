"""How often people and a run use each word, and which words differ most in frequency."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from data.study import Run, Study
from metrics.learned.critique_data import plain
from metrics.mathematics.arrays import Floats

LEAST = 5
"""Minimum number of occurrences of a word, in people's and the run's captions together."""


@dataclass(frozen=True)
class WordUse:
    """Words, with how often (words,) `people` and the `run` use each; `totals` are the counts of all words per side."""

    words: tuple[str, ...]
    people: NDArray[np.int64]
    run: NDArray[np.int64]
    totals: tuple[int, int]

    def per_thousand(self) -> tuple[Floats, Floats]:
        """Return (words,) occurrences per 1,000 words, for people and for the run."""
        return tuple(1_000 * side / max(of, 1) for side, of in zip((self.people, self.run), self.totals))  # type: ignore[return-value]

    def surprise(self) -> Floats:
        """Return log-likelihood ratios G (words,) of unequal rates, positive for words that the run uses more often.

        G = 2 sum o log(o / e) over the word and all other words on both sides, where e is the count expected at equal
        rates (Dunning 1993).
        """
        totals = np.array(self.totals, dtype=float).reshape(2, 1)
        said = np.array([self.people, self.run], dtype=float)
        observed = np.array([said, totals - said])
        expected = totals * observed.sum(axis=1, keepdims=True) / totals.sum()
        with np.errstate(divide="ignore", invalid="ignore"):
            parts = np.where(observed > 0, observed * np.log(observed / expected), 0.0)
        return np.asarray(2 * parts.sum(axis=(0, 1)) * np.where(said[1] > expected[0, 1], 1, -1))


def word_use(study: Study, run: Run) -> WordUse:
    """Return the words that occur at least LEAST times, lower-cased without punctuation, most used by people first."""
    people = _counts(text for item in study.items for text in item.references)
    own = _counts(text for item in study.items for text in run.candidates.get(item.id, ()))
    words = [word for word in people | own if people[word] + own[word] >= LEAST]
    words.sort(key=lambda word: (-people[word], -own[word], word))
    first, second = (np.array([side[word] for word in words], dtype=np.int64) for side in (people, own))
    return WordUse(tuple(words), first, second, (people.total(), own.total()))


def _counts(texts: Iterable[str]) -> Counter[str]:
    return Counter(word for text in texts for word in plain(text).split())
