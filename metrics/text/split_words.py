"""Captions split into words, spaces and signs, and the caption whose words are the most similar to another's."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from unicodedata import category

# A word with its combining marks and apostrophes; each character in scripts without spaces; or a run of signs.
_MARKS = "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u200c\u200d"
_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_TOKEN = re.compile(rf"[{_UNSPACED}]|(?:(?![{_UNSPACED}])\w[{_MARKS}]*)+(?:['’]\w+)*|\s+|[^\w\s]+")


def nearest(text: str, others: Sequence[str]) -> str:
    """Return the text among `others` with the highest Dice similarity of words to `text`; the first on ties."""
    own = _bag(text)
    return max(others, key=lambda other: _dice(own, _bag(other)))


def tokens(text: str) -> list[str]:
    """Return the words of a caption and the spaces and signs between them, which concatenate to the caption."""
    return _TOKEN.findall(text)


@lru_cache(maxsize=1 << 16)
def is_word(token: str) -> bool:
    """Return whether a token is a word, not space or punctuation, which metrics ignore."""
    return not all(char.isspace() or category(char).startswith("P") for char in token)


def _bag(text: str) -> Counter[str]:
    return Counter(word.casefold() for word in tokens(text) if is_word(word))


def _dice(a: Counter[str], b: Counter[str]) -> float:
    size = a.total() + b.total()
    return 2 * (a & b).total() / size if size else 0.0
