"""Overlap and variety of sets of texts, from their n-grams: integer token arrays in, numbers out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from metrics import _set_ngrams
from metrics._checks import check_matrix
from metrics.arrays import Floats, Integers

Texts = Sequence[ArrayLike]
Smoothing = Literal["none", "epsilon", "add_one"]


def jaccard_orders(candidates: Texts, references: Texts, max_n: int = 4) -> Floats:
    """(max_n,) shared over joint n-gram mass of two sets, n = 1..max_n, in 0..1.

    sum_g min(C_n(g, S1), C_n(g, S2)) / sum_g max(...), C_n = count over the number of texts of the set. NaN for an
    order that no text of either set is long enough for, or for an empty set. Montahaei et al., section 3.1.1.
    """
    sizes = len(candidates), len(references)
    if min(sizes) == 0:
        return np.full(max_n, np.nan)
    out = np.full(max_n, np.nan)
    for order, grams in enumerate(_set_ngrams.orders([*candidates, *references], max_n)):
        first = grams.text < sizes[0]
        mass = [
            np.bincount(grams.gram[side], weights=grams.count[side], minlength=grams.distinct) / size
            for side, size in ((first, sizes[0]), (~first, sizes[1]))
        ]
        if grams.distinct:
            out[order] = np.minimum(*mass).sum() / np.maximum(*mass).sum()
    return out


def ms_jaccard(candidates: Texts, references: Texts, max_n: int = 4) -> Floats:
    """(max_n - 1,) MS-Jaccard-N for N = 2..max_n: the geometric mean of `jaccard_orders` up to N; higher is better.

    An order without a shared n-gram makes it 0; an order that no text is long enough for is left out of the mean, and
    is NaN in `jaccard_orders`. NaN for an empty set, or without any token. Montahaei et al., section 3.1.1.
    """
    return geometric_means(jaccard_orders(candidates, references, max_n))


def geometric_means(orders: Floats) -> Floats:
    """(max_n - 1,) geometric means of the first 2, 3, .. entries that are not NaN; 0 if one of them is 0."""
    with np.errstate(divide="ignore"):
        logs = np.log(orders)
    there = ~np.isnan(orders)
    used = np.cumsum(there)
    with np.errstate(invalid="ignore"):
        means = np.exp(np.cumsum(np.where(there, logs, 0.0)) / np.where(used > 0, used, np.nan))
    return means[1:]


def self_bleu(texts: Texts, max_n: int = 4, smoothing: Smoothing = "epsilon") -> Floats:
    """(texts, max_n - 1) BLEU-N of each text against all the others, N = 2..max_n; high means alike.

    Weights 1 / N, closest length with the shorter on ties. Smoothing of an order without a match: "epsilon" counts 0.1
    matches (Chen and Cherry 2014, method 1; what the fast-bleu package does by default), "none" makes the score 0,
    "add_one" adds one to matches and possible matches above order 1. Without a matching word the score is 0. The
    mean over texts is Self-BLEU (Zhu et al. 2018). NaN with fewer than two texts.

    A clipped count needs the largest count in another text: of each n-gram the largest, the second largest and the
    owner of the largest are kept, so that 10,000 texts take seconds.
    """
    if smoothing not in ("none", "epsilon", "add_one"):
        raise ValueError(f"smoothing must be none, epsilon or add_one, got {smoothing!r}.")
    size = len(texts)
    if size < 2:
        return np.full((size, max(max_n - 1, 0)), np.nan)
    lengths = np.array([len(np.asarray(text)) for text in texts], dtype=np.int64)
    logs = np.zeros((size, max_n))
    for order, grams in enumerate(_set_ngrams.orders(texts, max_n)):
        clipped = np.minimum(grams.count, _largest_elsewhere(grams))
        matched: Floats = np.bincount(grams.text, weights=clipped, minlength=size).astype(np.float64)
        logs[:, order] = _log_precision(matched, np.maximum(lengths - order, 1.0), order, smoothing)
    with np.errstate(divide="ignore", invalid="ignore"):
        brevity = np.minimum(0.0, 1 - _closest_elsewhere(lengths) / lengths)
    brevity[lengths == 0] = 0.0
    return np.exp(np.cumsum(logs, axis=1) / np.arange(1, max_n + 1) + brevity[:, None])[:, 1:]


def _largest_elsewhere(grams: _set_ngrams.Grams) -> Integers:
    """Of each entry, the largest count of its n-gram in another text."""
    order = np.lexsort((-grams.count, grams.gram))
    starts = np.flatnonzero(np.diff(grams.gram[order], prepend=-1))
    largest, owner = grams.count[order][starts], grams.text[order][starts]
    several = np.diff(starts, append=len(order)) > 1
    second = np.where(several, grams.count[order][np.minimum(starts + 1, max(len(order) - 1, 0))], 0)
    return np.where(owner[grams.gram] == grams.text, second[grams.gram], largest[grams.gram])


def _log_precision(matched: Floats, possible: Floats, order: int, smoothing: Smoothing) -> Floats:
    """(texts,) log of the clipped precision of an order, smoothed; -inf where it makes the score 0."""
    if order > 0 and smoothing == "add_one":
        matched, possible = matched + 1, possible + 1
    if order > 0 and smoothing == "epsilon":
        matched = np.where(matched == 0, 0.1, matched)
    with np.errstate(divide="ignore"):
        return np.log(matched / possible)


def _closest_elsewhere(lengths: Integers) -> Integers:
    """Of each text, the length of another text that is closest to its own, the shorter on ties."""
    ordered = np.argsort(lengths, kind="stable")
    sizes = lengths[ordered]
    far = np.iinfo(np.int64).max // 4
    below = np.concatenate([[-far], sizes[:-1]])
    above = np.concatenate([sizes[1:], [far]])
    closest = np.where(sizes - below <= above - sizes, below, above)
    out = np.empty_like(lengths)
    out[ordered] = closest
    return out


def zipf_coefficient(tokens: ArrayLike) -> float:
    """Slope, with its sign turned, of log frequency over log rank of the words: least squares over all ranks.

    `tokens` (T,) is the word of every token, as a number. About 1 for English, 0 if all are equally frequent. NaN with
    fewer than two different words.
    """
    counts = np.sort(np.unique(np.asarray(tokens), return_counts=True)[1])[::-1]
    if len(counts) < 2:
        return float("nan")
    ranks, frequencies = np.log(np.arange(1, len(counts) + 1)), np.log(counts)
    ranks = ranks - ranks.mean()
    return float(-(ranks @ frequencies) / (ranks @ ranks)) + 0.0


def self_cider(similarity: ArrayLike) -> float:
    """Diversity of m texts from their (m, m) CIDEr matrix: 0 (all alike) to 1 (nothing shared).

    -log_m(s_1 / sum s), s the singular values of the n-gram vectors, the roots of the eigenvalues of the matrix (its
    symmetric part). Eigenvalues below m machine epsilons of the largest, or negative, are 0: roots would make much of
    what is rounding alone. NaN with fewer than two texts or an all-zero matrix. Wang and Chan 2019.
    """
    matrix = check_matrix(similarity, "The CIDEr matrix")
    if len(matrix) < 2:
        return float("nan")
    spectrum = np.linalg.eigvalsh((matrix + matrix.T) / 2)
    noise = len(matrix) * np.finfo(float).eps * spectrum.max()
    values = np.sqrt(np.where(spectrum > noise, spectrum, 0.0))
    if values.sum() == 0:
        return float("nan")
    return float(-np.log(values.max() / values.sum()) / np.log(len(matrix))) + 0.0
