"""Rank shares of all triangles under every relabelling of the texts: the compiled routes of the triangle metric.

A triangle weights its ranks in integer sixths (a tie of two shares 3 + 3, of three 2 + 2 + 2), so that all sums are
exact. With label 1 for the chosen texts, the two sums of weights (pair among the chosen, pair among the others) are
polynomials of degree three in the labels, with the same cubic part except for its sign: `coefficients`. Both are packed
into one 64-bit word, 32 bits each. Random relabellings of larger sets are computed by counting bits instead: `counted`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from metrics.mathematics.arrays import Floats, Integers, Labels
from metrics.mathematics.checks import check_labels, check_matrix, check_two_a_side
from metrics.mathematics.compiled import compiled, popcount
from metrics.mathematics.triangle import Ties, check_ties, rank_weights
from metrics.permutation.partitions import number, random_labels, sums

LARGEST = 256
"""Maximum number of texts; more would need hundreds of megabytes of weights and a minute of counting."""


@compiled
def coefficients(distance, weights, cubic, linear, pairs, triples):  # type: ignore[no-untyped-def]
    """Fill the polynomial of each rank: linear (K, N), pairs (K, N, N), triples (K, N, N, N) at increasing indices.

    The low 32 bits are for pairs among the texts that are not chosen, the high 32 bits for pairs among chosen texts.
    """
    size = distance.shape[0]
    high = np.int64(1) << np.int64(32)
    for i in range(size):
        for j in range(i + 1, size):
            for x in range(size):
                if x in (i, j):
                    continue
                first, second = distance[x, i], distance[x, j]
                forth, back = distance[i, j], distance[j, i]
                lower_forth = (first < forth) + (second < forth)
                tied_forth = (first == forth) + (second == forth)
                lower_back = (first < back) + (second < back)
                tied_back = (first == back) + (second == back)
                low, middle, top = min(x, i), min(max(x, i), j), max(x, j)
                for k in range(linear.shape[0]):
                    weight = weights[lower_forth, tied_forth, k] + weights[lower_back, tied_back, k]
                    linear[k, x] += weight
                    pairs[k, i, j] += weight * high
                    pairs[k, min(i, x), max(i, x)] -= weight
                    pairs[k, min(j, x), max(j, x)] -= weight
                    if cubic:
                        triples[k, low, middle, top] += weight - weight * high


@compiled
def ranks(distance, is_candidate, counts):  # type: ignore[no-untyped-def]
    """Add triangles to counts (2, 3, 3) by direction and by numbers of edges shorter than, and equal to, the pair's."""
    size = distance.shape[0]
    for i in range(size):
        for j in range(size):
            if i == j or is_candidate[i] != is_candidate[j]:
                continue
            direction = 1 if is_candidate[i] else 0
            edge = distance[i, j]
            for x in range(size):
                if is_candidate[x] == is_candidate[i]:
                    continue
                first, second = distance[x, i], distance[x, j]
                lower = (1 if first < edge else 0) + (1 if second < edge else 0)
                tied = (1 if first == edge else 0) + (1 if second == edge else 0)
                counts[direction, lower, tied] += 1


@compiled
def pair_weights(distance, weights, out):  # type: ignore[no-untyped-def]
    """Fill out (N, N, K, N) with the weight of rank k in the triangles of pair i < j (both orders) and point x."""
    size = distance.shape[0]
    for i in range(size):
        for j in range(i + 1, size):
            for x in range(size):
                if x in (i, j):
                    continue
                first, second = distance[x, i], distance[x, j]
                forth, back = distance[i, j], distance[j, i]
                for k in range(out.shape[2]):
                    out[i, j, k, x] = (
                        weights[(first < forth) + (second < forth), (first == forth) + (second == forth), k]
                        + weights[(first < back) + (second < back), (first == back) + (second == back), k]
                    )


@compiled
def counted(planes, labels, out):  # type: ignore[no-untyped-def]
    """Fill out (partitions, 2, K) with sums of weights, given by binary digits: planes (N, N, K, bits, words)."""
    size = labels.shape[1]
    ranks, bits, words = planes.shape[2:]
    sides = np.zeros((2, words), dtype=np.uint64)
    for row in range(labels.shape[0]):
        sides[:] = 0
        for x in range(size):
            sides[1 - labels[row, x], x >> 6] |= np.uint64(1) << np.uint64(x & 63)
        for i in range(size):
            for j in range(i + 1, size):
                if labels[row, i] != labels[row, j]:
                    continue
                side = labels[row, i]
                for k in range(ranks):
                    for bit in range(bits):
                        count = np.int64(0)
                        for word in range(words):
                            count += popcount(planes[i, j, k, bit, word] & sides[side, word])
                        out[row, side, k] += count << bit


def _ranks_needed(ties: str) -> int:
    """Return the number of ranks to compute: unless `ties` is "paper", their shares sum to one, so two are enough."""
    return 3 if ties == "paper" else 2


def all_shares(distance: Floats, candidates: int, ties: str, mirrored: bool = False) -> Floats:
    """(partitions, 2, 3) rank shares of all partitions with this number of candidates, in the order of combinations.

    `mirrored` omits the second half (equal sizes only). The smaller side is enumerated; its complements are in exactly
    the reverse order.
    """
    size = len(distance)
    references = size - candidates
    chosen = min(candidates, references)
    ranks, cubic = _ranks_needed(ties), chosen >= 3
    linear = np.zeros((ranks, size), dtype=np.int64)
    pairs = np.zeros((ranks, size, size), dtype=np.int64)
    triples = np.zeros((ranks,) + (size if cubic else 1,) * 3, dtype=np.int64)
    coefficients(distance, rank_weights(ties), cubic, linear, pairs, triples)
    words = np.empty((ranks, number(size, chosen, mirrored)), dtype=np.int64)
    for k in range(ranks):
        sums(linear[k], pairs[k], triples[k], chosen, mirrored, words[k])
    halves = np.stack([words & 0xFFFFFFFF, words.view(np.uint64) >> np.uint64(32)])
    weights = halves.astype(np.int64).transpose(2, 0, 1)
    if chosen != candidates:
        weights = weights[::-1, ::-1]
    return _as_shares(weights, candidates, references)


def observed_shares(distance: Floats, is_candidate: Labels, ties: str) -> Floats:
    """(2, 3) rank shares of one labelling, bitwise equal to those of `metrics.mathematics.triangle.rank_shares`."""
    counts = np.zeros((2, 3, 3), dtype=np.int64)
    ranks(distance, is_candidate, counts)
    by_rank = rank_weights(ties).reshape(9, 3)
    flat = counts.reshape(2, 9)
    return np.asarray((flat @ by_rank) / (6 * flat.sum(axis=1, keepdims=True)))


def some_shares(distance: Floats, labels: Labels, ties: str) -> Floats:
    """(partitions, 2, 3) rank shares under the given labels (partitions, N), by counting bits.

    The cost per partition is about (n^2 + m^2) w, where w is the number of 64-bit words with a bit for each text.
    Raises ValueError above 256 texts.
    """
    size = len(distance)
    if size > LARGEST:
        raise ValueError(f"Triangles under relabelling need at most {LARGEST} texts, got {size}: draw fewer texts.")
    weights = np.zeros((size, size, _ranks_needed(ties), size), dtype=np.uint8)
    pair_weights(distance, rank_weights(ties), weights)
    unit = max(int(np.gcd.reduce(weights, axis=None)), 1)
    planes = _planes(weights // np.uint8(unit))
    counts = np.zeros((len(labels), 2, weights.shape[2]), dtype=np.int64)
    counted(planes, labels.view(np.uint8).astype(np.int64), counts)
    candidates = int(labels[0].sum())
    return _as_shares(counts * unit, candidates, size - candidates)


def _planes(weights: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """(N, N, K, bits, words) binary digits of (N, N, K, N) weights, one bit for each third point."""
    size = weights.shape[-1]
    bits = max(int(weights.max()).bit_length(), 1)
    words = (size + 63) // 64
    digits = (weights[..., None, :] >> np.arange(bits, dtype=np.uint8)[:, None]) & 1
    padded = np.zeros((*digits.shape[:-1], words * 64), dtype=np.uint8)
    padded[..., :size] = digits
    return np.packbits(padded, axis=-1, bitorder="little").view("<u8").astype(np.uint64)


def _as_shares(weights: Integers, candidates: int, references: int) -> Floats:
    """Return shares from sums of sixths (partitions, 2, K); the third rank is the remainder if two were counted."""
    of_pairs = [references * (references - 1) * candidates, candidates * (candidates - 1) * references]
    whole = 6 * np.array(of_pairs, dtype=np.int64)
    if weights.shape[2] == 2:
        weights = np.concatenate([weights, (whole - weights.sum(axis=2))[:, :, None]], axis=2)
    return weights / whole[:, None]


def null_shares(
    distance: Floats, is_candidate: Labels, limit: int = 20_000, ties: Ties = "shared", seed: int = 0
) -> Floats:
    """(partitions, 2, 3) rank shares under relabelling: the null cloud around an observed point.

    If there are at most `limit` partitions, all are returned, in the order of itertools.combinations over the
    candidates; otherwise those of `limit` random partitions. Other arguments and errors are as in `rank_shares`; also
    raises ValueError if more than 256 texts would have to be sampled.
    """
    distance, is_candidate = check_matrix(distance), check_labels(is_candidate, len(distance))
    check_two_a_side(is_candidate, "Triangles")
    check_ties(ties)
    candidates = int(is_candidate.sum())
    if number(len(distance), candidates) <= limit:
        return all_shares(distance, candidates, ties)
    return some_shares(distance, random_labels(is_candidate, limit, seed), ties)
