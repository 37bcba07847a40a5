"""ROUGE-N and ROUGE-Lsum as computed by the package rouge-score 0.1.2, with its tokens."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from metrics.mathematics.arrays import Floats, Integers
from metrics.text.rouge import f_score
from metrics.text.tokens import Tokens

STEMMED_FROM = 4
"""Minimum length in letters of words that are stemmed."""
_WORD = re.compile(r"[a-z0-9]+")


def rouge_tokens(text: str, stemmer: bool) -> Tokens:
    """Return the runs of a..z and 0..9 of the text in lower case; `stemmer` replaces words with their stems.

    Words of fewer than STEMMED_FROM letters are not stemmed. Other letters are not part of words: é splits a word, and
    Chinese text has no words.
    """
    found = _WORD.findall(text.lower())
    return tuple(map(_stem(), found) if stemmer else found)


@cache
def _stem() -> Callable[[str], str]:
    """Return a function that maps a word to its stem, by NLTK's variant of the Porter stemmer."""
    from nltk.stem.porter import PorterStemmer

    stem = PorterStemmer().stem
    return cache(lambda word: stem(word) if len(word) >= STEMMED_FROM else word)


def shared_ngrams(hypotheses: Sequence[Tokens], references: Sequence[Tokens], n: int) -> Floats:
    """(h, r) F-score of n-grams of each hypothesis and each reference, in 0..1; 0 if a text has no n-gram. Lin 2004."""
    left, right = ([Counter(zip(*(text[k:] for k in range(n)))) for text in side] for side in (hypotheses, references))
    hits = np.array([[_shared(one, other) for other in right] for one in left], dtype=float)
    sizes = (np.array([count.total() for count in side], dtype=float) for side in (left, right))
    return _f_of_hits(hits.reshape(len(left), len(right)), *sizes)


def _shared(one: Counter[Tokens], other: Counter[Tokens]) -> int:
    return sum(min(count, other[gram]) for gram, count in one.items() if gram in other)


def summary_lcs(hypotheses: Sequence[Sequence[Tokens]], references: Sequence[Sequence[Tokens]]) -> Floats:
    """(h, r) F-score of the union of longest common subsequences, in 0..1; texts are lists of sentences.

    A word of a reference's sentence is a hit if it is part of that sentence's longest common subsequence with some
    sentence of the hypothesis; a word counts at most as often as the hypothesis has it. If there are several such
    subsequences, rouge-score's choice counts. Lin 2004, section 3.2.
    """
    from metrics.text.pair_kernels import union_hits

    texts = [*hypotheses, *references]
    numbers: dict[str, int] = {}
    flat = [numbers.setdefault(word, len(numbers)) for text in texts for sentence in text for word in sentence]
    ends = _offsets([len(sentence) for text in texts for sentence in text])
    of_text = _offsets([len(text) for text in texts])
    hits = union_hits(np.array(flat, dtype=np.int64), ends, of_text, len(hypotheses), max(len(numbers), 1))
    sizes = (np.array([sum(map(len, text)) for text in side], dtype=float) for side in (hypotheses, references))
    return _f_of_hits(hits, *sizes)


def _offsets(lengths: Sequence[int]) -> Integers:
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(np.array(lengths, dtype=np.int64))])


def _f_of_hits(hits: Floats, of_hypotheses: Floats, of_references: Floats) -> Floats:
    return f_score(hits / np.maximum(of_hypotheses, 1)[:, None], hits / np.maximum(of_references, 1), beta=1.0)
