"""Exact integer n-grams: words become numbers and n-grams pairs of numbers, without hashing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from metrics.mathematics.arrays import Integers

MAX_N = 4


@dataclass(frozen=True)
class NgramCounts:
    """The number of times that each text contains each n-gram, in compressed rows, by order.

    `ids` (E,) are the distinct n-grams of each text, and `counts` (E,) their counts: those of text t and order k + 1
    are at indptr[k, t]..indptr[k, t + 1], in ascending order; `indptr` is (orders, T + 1). The ids of order k + 1 are
    starts[k]..starts[k + 1]. An n-gram consists of the n-gram `prefix` (-1: none) and the token `last`, both (distinct
    n-grams,). `lengths` (T,) are in tokens.
    """

    ids: Integers
    counts: Integers
    indptr: Integers
    starts: Integers
    prefix: Integers
    last: Integers
    lengths: Integers


def words(tokens: Sequence[str]) -> list[str]:
    """Return tokens split again at any white space, as BLEU and CIDEr of the COCO evaluation read them.

    The PTB tokenizer puts no-break spaces into some tokens, such as "1 1/2".
    """
    return " ".join(tokens).split()


def encode(texts: Sequence[Sequence[str]]) -> list[Integers]:
    """Return one int64 array per text, in which words are numbered by the sorted vocabulary."""
    lists = [words(text) for text in texts]
    numbers = {word: number for number, word in enumerate(sorted(set(chain.from_iterable(lists))))}
    return [np.array([numbers[word] for word in text], dtype=np.int64) for text in lists]


def count(texts: Sequence[Integers], orders: int = MAX_N) -> NgramCounts:
    """Return `count_flat` of integer texts; exact below 2^31 distinct n-grams of each length. Raises the same error."""
    lengths = np.array([len(text) for text in texts], dtype=np.int64)
    flat = np.concatenate(texts) if texts else np.zeros(0, dtype=np.int64)
    return count_flat(flat, lengths, orders)


def count_flat(flat: Integers, lengths: Integers, orders: int = MAX_N) -> NgramCounts:
    """Return counts of n-grams of length 1..orders of texts joined in `flat`. Raises ValueError for `orders` < 1."""
    from metrics.text.ngram_kernels import count_ngrams

    if orders < 1:
        raise ValueError(f"orders must be at least 1, not {orders}")
    offsets = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths, dtype=np.int64)])
    ids, counts, *rest = count_ngrams(np.asarray(flat, dtype=np.int64), offsets, orders)
    indptr, starts, prefix, last = rest
    return NgramCounts(ids, counts, indptr, starts, prefix, last, lengths)


def count_words(texts: Iterable[Sequence[str]], orders: int = MAX_N) -> NgramCounts:
    """Return `count` for texts given as tokens."""
    return count(encode(list(texts)), orders)
