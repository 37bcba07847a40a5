"""A language model of captions: trigrams interpolated with shorter n-grams as in Witten and Bell (1991)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

import numpy as np

from metrics.mathematics.arrays import Floats

START, END = "<s>", "</s>"
LONGEST = 40
"""Maximum number of words in a sample."""


class NgramModel:
    """P(word | the `order` - 1 previous words), learned from captions as lists of words.

    P_n(w | h) = (c(h w) + t(h) P_{n-1}(w | h')) / (c(h) + t(h)), where t(h) counts the distinct words seen after h and
    h' is h without its first word; the recursion ends in a uniform distribution over all words and the end mark.
    """

    def __init__(self, captions: Iterable[Sequence[str]], order: int = 3) -> None:
        self.order = order
        self._after: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
        for words in captions:
            padded = [*[START] * (order - 1), *words, END]
            for place in range(order - 1, len(padded)):
                for n in range(order):
                    self._after[tuple(padded[place - n : place])][padded[place]] += 1
        self.words = tuple(sorted(self._after[()]))
        self._known: dict[tuple[str, ...], Floats] = {}
        self._place = {word: k for k, word in enumerate(self.words)}

    def probabilities(self, history: Sequence[str]) -> Floats:
        """Return (words,) probabilities of the next word after a history, which sum to 1."""
        padded = (*[START] * (self.order - 1), *history)
        return self._of(padded[len(padded) - self.order + 1 :])

    def sample(self, rng: np.random.Generator) -> list[str]:
        """Return one caption drawn at temperature 1, of at most LONGEST words."""
        found: list[str] = []
        while len(found) < LONGEST:
            sums = np.cumsum(self.probabilities(found))
            word = self.words[int(np.searchsorted(sums, rng.random() * sums[-1], side="right"))]
            if word == END:
                break
            found.append(word)
        return found

    def _of(self, history: tuple[str, ...]) -> Floats:
        if history in self._known:
            return self._known[history]
        lower = self._of(history[1:]) if history else np.full(len(self.words), 1 / len(self.words))
        seen = self._after.get(history)
        if not seen:
            return lower
        kinds = len(seen)
        found = kinds * lower
        for word, count in seen.items():
            found[self._place[word]] += count
        self._known[history] = found / (seen.total() + kinds)
        return self._known[history]
