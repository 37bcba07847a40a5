"""BLEU as in the COCO evaluation: additive statistics of captions, and matrices of single pairs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from metrics.mathematics.arrays import Floats, Integers
from metrics.text.ngrams import NgramCounts, count_words

STATISTICS = 10
TINY, SMALL = 1e-15, 1e-9


def bleu_statistics(candidates: Sequence[Sequence[str]], references: Sequence[Sequence[str]]) -> Floats:
    """(n_candidates, 10) statistics of tokenised candidates against all references of their item.

    Columns 0-3: matching n-grams of length 1..4, each clipped at its maximum count in a reference; 4-7: the number of
    n-grams; 8: words; 9: words of the reference closest in length, the shorter on ties. Rows add up over a corpus.
    Raises ValueError if there are no references. Papineni et al. 2002, with the length rule of the COCO evaluation.
    """
    places, n = np.arange(len(candidates) + len(references)), len(candidates)
    return counted_statistics(count_words([*candidates, *references]), places[:n], places[n:])


def counted_statistics(counts: NgramCounts, candidates: Integers, references: Integers) -> Floats:
    """Return `bleu_statistics` of texts, given by their numbers in `counts`. Raises the same error."""
    from metrics.text.pair_kernels import clipped_to_all

    if not len(references):
        raise ValueError("BLEU needs at least one reference.")
    own, others = counts.lengths[candidates], counts.lengths[references]
    statistics = np.empty((len(own), STATISTICS))
    statistics[:, :4] = clipped_to_all(counts.ids, counts.counts, counts.indptr, candidates, references)
    statistics[:, 4:8] = np.maximum(own[:, None] - np.arange(4), 0)
    statistics[:, 8] = own
    statistics[:, 9] = reference_lengths(own, others)
    return statistics


def reference_lengths(own: Integers, others: Integers) -> Integers:
    """Return (..., n) lengths in words of the reference closest in length to each of n candidates, the shorter on ties.

    `own` is (n,), `others` (..., m): each row is a set of references.
    """
    offered = others[..., None, :]
    gaps = 2 * np.abs(offered - own[:, None]) + (offered > own[:, None])
    found: Integers = np.take_along_axis(others, gaps.argmin(axis=-1), axis=-1)
    return found


def bleu(statistics: Floats, n: int = 4) -> Floats:
    """BLEU-n (...) of summed statistics (..., 10), in 0..1.

    It uses the constants of the COCO evaluation (1e-15 is added to matches, 1e-9 to n-grams), so that corpus and
    caption values equal those of that evaluation; a caption without a match of some order is then not exactly 0. Raises
    ValueError unless n is 1 to 4.
    """
    _check_order(n)
    statistics = np.asarray(statistics, dtype=float)
    correct, guess = statistics[..., :n], statistics[..., 4 : 4 + n]
    precision = np.prod((correct + TINY) / (guess + SMALL), axis=-1) ** (1.0 / n)
    return precision * _brevity((statistics[..., 8] + TINY) / (statistics[..., 9] + SMALL))


def bleu_pairs(tokens: Sequence[Sequence[str]], n: int = 4) -> Floats:
    """(N, N) sentence BLEU-n of all pairs of a hypothesis (row) and its only reference (column), in 0..1.

    An order without a match makes the score 0, whereas the COCO evaluation prints a small residue (below 1e-3) of its
    constants. Raises ValueError unless n is 1 to 4.
    """
    from metrics.text.pair_kernels import clipped_pairs

    _check_order(n)
    counts = count_words(tokens, n)
    matches = clipped_pairs(counts.ids, counts.counts, counts.indptr)
    lengths = counts.lengths.astype(float)
    possible = np.maximum(lengths - np.arange(n)[:, None], 1.0)[:, :, None]
    precision: Floats = np.prod(matches / possible, axis=0) ** (1.0 / n)
    return precision * _brevity((lengths[:, None] + TINY) / (lengths[None, :] + SMALL))


def _brevity(ratio: Floats) -> Floats:
    """Return the brevity penalty of a text with `ratio` times the length of its reference."""
    penalty: Floats = np.exp(np.minimum(0.0, 1.0 - 1.0 / np.maximum(ratio, 1e-300)))
    return penalty


def _check_order(n: int) -> None:
    if not 1 <= n <= 4:
        raise ValueError(f"BLEU has orders 1 to 4, not {n}")
