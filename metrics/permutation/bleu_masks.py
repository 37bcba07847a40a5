"""Bit masks of the texts of an item that contain each n-gram, by count: sentence BLEU for any choice of references."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metrics.mathematics.arrays import Integers
from metrics.text import set_ngram_kernels


@dataclass(frozen=True)
class BleuMasks:
    """Everything needed to compute the sentence BLEU of any text against any set of the other texts.

    If text h contains an n-gram c times, there is one mask for each level l = 1..c: the set of texts that contain it at
    least l times. The clipped matches of h against references R are the masks that intersect R, counted with their
    weights. Equal masks of one text and order are stored once; masks without another text are dropped. `masks` are (M,
    words), where bit t % 64 of word t // 64 is text t, and `weights` are (M,). The masks of text h and order k + 1 are
    starts[h, k]..starts[h, k + 1], with `starts` (N, orders + 1). `lengths` (N,) are in tokens.
    """

    masks: NDArray[np.uint64]
    weights: Integers
    starts: Integers
    lengths: Integers

    def up_to(self, n: int) -> BleuMasks:
        """Return the masks for BLEU of a lower order."""
        return replace(self, starts=np.ascontiguousarray(self.starts[:, : n + 1]))


def bleu_masks(texts: Sequence[ArrayLike], max_n: int = 4) -> BleuMasks:
    """Return the masks of an item's pooled texts (integer token arrays) for BLEU of order `max_n` with equal weights.

    They are the "matrix" of the statistic "bleu" in `permutation_test`. Raises ValueError for malformed tokens or
    orders.
    """
    lengths = np.array([len(np.asarray(text)) for text in texts], dtype=np.int64)
    columns = [_levels(grams, len(texts)) for grams in set_ngram_kernels.orders(texts, max_n)]
    text = np.concatenate([column[0] for column in columns])
    order = np.repeat(np.arange(max_n), [len(column[0]) for column in columns])
    masks = np.concatenate([column[1] for column in columns])
    keys = np.concatenate([text[:, None], order[:, None], masks.view(np.int64)], axis=1)
    kept, weights = np.unique(keys, axis=0, return_counts=True)
    place = kept[:, 0] * max_n + kept[:, 1]
    ends = np.searchsorted(place, np.arange(len(texts) * max_n + 1))
    starts = np.stack([ends[k : k + (len(texts) - 1) * max_n + 1 : max_n] for k in range(max_n + 1)], axis=1)
    masks = np.ascontiguousarray(kept[:, 2:]).view(np.uint64)
    return BleuMasks(masks, weights.astype(np.int64), starts.astype(np.int64), lengths)


def _levels(grams: set_ngram_kernels.Grams, size: int) -> tuple[Integers, NDArray[np.uint64]]:
    """(rows,) text of each mask, and (rows, words) masks: bits for other texts that have an n-gram at least l times.

    There is a mask for each n-gram of a text and each l up to its count in that text; masks without any bit are left
    out.
    """
    rows, at_least = [], []
    for level in range(1, int(grams.count.max()) + 1 if len(grams.count) else 1):
        keep = grams.count >= level
        has = np.zeros((grams.distinct, size), dtype=np.bool_)
        has[grams.gram[keep], grams.text[keep]] = True
        rows.append(grams.text[keep])
        at_least.append(has[grams.gram[keep]])
    text = np.concatenate(rows) if rows else np.empty(0, dtype=np.int64)
    has = np.concatenate(at_least) if at_least else np.empty((0, size), dtype=np.bool_)
    has[np.arange(len(text)), text] = False
    shared = has.any(axis=1)
    padded = np.zeros((int(shared.sum()), 64 * ((size + 63) // 64)), dtype=np.bool_)
    padded[:, :size] = has[shared]
    return text[shared], np.packbits(padded, axis=1, bitorder="little").view("<u8").astype(np.uint64)
