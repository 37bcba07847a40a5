"""Exact n-grams of integer token arrays, sorted, one order at a time, without hashing or collisions.

They serve statistics of a whole set of texts. `ngrams.py` counts text by text: faster for the few texts of an item, two
to three times slower for the tens of thousands of a run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from metrics.mathematics.arrays import Integers, Labels


@dataclass(frozen=True)
class Grams:
    """Distinct n-grams of each text, with one entry per (text, n-gram): the n-gram, the text, and the count.

    Entries are sorted by n-gram, then by text; `distinct` n-grams are numbered from 0.
    """

    gram: Integers
    text: Integers
    count: Integers
    distinct: int


def check_texts(texts: Sequence[ArrayLike]) -> list[Integers]:
    """Return the token arrays as int64. Raises ValueError for the first that is not a one-dimensional integer array."""
    out = []
    for number, text in enumerate(texts):
        tokens = np.asarray(text)
        if tokens.ndim != 1 or (tokens.size and tokens.dtype.kind not in "iu"):
            raise ValueError(f"Text {number} must be a one-dimensional array of integer tokens, got {tokens.dtype}.")
        out.append(tokens.astype(np.int64))
    return out


def orders(texts: Sequence[ArrayLike], max_n: int) -> Iterator[Grams]:
    """Yield each text's distinct n-grams for n = 1..max_n. Raises ValueError for malformed tokens or max_n below 1."""
    if max_n < 1:
        raise ValueError(f"max_n must be at least 1, got {max_n}.")
    arrays = check_texts(texts)
    lengths = np.array([len(text) for text in arrays], dtype=np.int64)
    owner = np.repeat(np.arange(len(arrays)), lengths)
    left = np.concatenate([np.arange(n, 0, -1) for n in lengths]) if len(owner) else owner
    flat = np.concatenate(arrays) if arrays else np.empty(0, dtype=np.int64)
    words, tokens = np.unique(flat, return_inverse=True)
    grams = tokens
    for n in range(1, max_n + 1):
        if n > 1:
            # an n-gram is its first n - 1 tokens, already numbered, and its last token: exact below 2^31 of each
            inside = left[: len(grams)] >= n
            pairs = np.where(inside, grams, 0)[:-1] * max(len(words), 1) + tokens[n - 1 :]
            grams = np.full(len(grams) - 1 if len(grams) else 0, -1, dtype=np.int64)
            keep = inside[: len(grams)]
            grams[keep] = np.unique(pairs[: len(grams)][keep], return_inverse=True)[1]
        yield _distinct(grams, owner[: len(grams)], left[: len(grams)] >= n, len(arrays))


def _distinct(grams: Integers, owner: Integers, inside: Labels, texts: int) -> Grams:
    keys, counts = np.unique(grams[inside] * max(texts, 1) + owner[inside], return_counts=True)
    gram, text = np.divmod(keys, max(texts, 1))
    return Grams(gram, text, counts.astype(np.int64), int(gram.max()) + 1 if len(gram) else 0)
