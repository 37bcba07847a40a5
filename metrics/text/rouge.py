"""ROUGE-L from the longest common subsequence, as in the COCO evaluation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from metrics.mathematics.arrays import Floats

BETA = 1.2


def rouge_l_pairs(tokens: Sequence[Sequence[str]]) -> Floats:
    """(2, N, N) precision and recall of the longest common subsequence of all pairs, in 0..1.

    Rows are hypotheses and columns references: precision divides by the row's length, recall by the column's. As in the
    COCO evaluation, a text without tokens counts as one empty token, which matches only another such text.
    """
    return _precision_recall(tokens, len(tokens), 0)


def rouge_l_block(candidates: Sequence[Sequence[str]], references: Sequence[Sequence[str]]) -> Floats:
    """(2, n, m) precision and recall of candidates against references only."""
    return _precision_recall([*candidates, *references], len(candidates), len(candidates))


def f_score(precision: Floats, recall: Floats, beta: float = BETA) -> Floats:
    """Return (1 + beta^2) P R / (R + beta^2 P), or 0 if either is 0 (Lin 2004, equation 4)."""
    product = np.asarray(precision * recall, dtype=float)
    below = np.asarray(recall + beta**2 * precision, dtype=float)
    return np.where(product > 0, (1 + beta**2) * product / np.where(below > 0, below, 1.0), 0.0)


def _precision_recall(tokens: Sequence[Sequence[str]], rows: int, columns: int) -> Floats:
    from metrics.text.pair_kernels import common_subsequence

    texts = [tuple(text) or ("",) for text in tokens]
    numbers: dict[str, int] = {}
    flat = np.array([numbers.setdefault(word, len(numbers)) for text in texts for word in text], dtype=np.int64)
    lengths = np.array([len(text) for text in texts], dtype=np.int64)
    offsets = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths)])
    common = common_subsequence(flat, offsets, rows, columns).astype(float)
    return np.stack([common / lengths[:rows, None], common / lengths[None, columns:]])
