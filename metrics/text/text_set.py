"""Distinct texts, with results that are computed once per text and shared by all comparisons."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import numpy as np

from metrics.mathematics.arrays import Integers
from metrics.text.ngrams import NgramCounts, count_words
from metrics.text.tokens import Tokenizer, Tokens, tokenize

T = TypeVar("T")


class TextSet:
    """Distinct texts, numbered from 0."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._number = {text: k for k, text in enumerate(dict.fromkeys(texts))}
        self._made: dict[Any, Any] = {}

    def once(self, key: Any, make: Callable[[], T]) -> T:
        """Return the value for a key, computed once in the lifetime of the set."""
        if key not in self._made:
            self._made[key] = make()
        found: T = self._made[key]
        return found

    def tokens(self, tokenizer: Tokenizer, texts: Iterable[str]) -> list[Tokens]:
        """Return the tokens of some of the texts. Raises KeyError for other texts."""
        known = self.once(("tokens", tokenizer), lambda: tokenize(list(self._number), tokenizer))
        return [known[self._number[text]] for text in texts]

    def ngrams(self, tokenizer: Tokenizer) -> NgramCounts:
        """Return the n-gram counts of all texts, in the order of their numbers."""
        return self.once(("n-grams", tokenizer), lambda: count_words(self.tokens(tokenizer, self._number)))

    def numbers(self, texts: Sequence[str]) -> Integers:
        """(n,) numbers of some of the texts. Raises KeyError for other texts."""
        return np.array([self._number[text] for text in texts], dtype=np.int64)
