"""Slow but obvious versions of the mathematics, written from the definitions; only tests use them."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations, permutations

import numpy as np


def rank_shares(distance, is_candidate, ties="shared"):
    out = np.zeros((2, 3))
    everyone = range(len(distance))
    for direction in (0, 1):
        pair_side = [i for i in everyone if bool(is_candidate[i]) == bool(direction)]
        point_side = [i for i in everyone if bool(is_candidate[i]) != bool(direction)]
        seen = 0
        for x in point_side:
            for y1, y2 in permutations(pair_side, 2):
                out[direction] += triangle(distance[y1, y2], distance[x, y1], distance[x, y2], ties)
                seen += 1
        out[direction] /= seen
    return out


def triangle(inside, edge0, edge1, ties):
    """Return the contributions (3,) of one triangle to the ranks of its inside edge."""
    if ties == "paper":
        return np.array(
            [
                inside <= edge0 and inside <= edge1,
                edge0 <= inside <= edge1 or edge1 <= inside <= edge0,
                inside >= edge0 and inside >= edge1,
            ],
            dtype=float,
        )
    places = np.zeros(3)
    for order in permutations([(inside, "in"), (edge0, "e0"), (edge1, "e1")]):
        values = [value for value, _ in order]
        if values == sorted(values):
            places[[name for _, name in order].index("in")] += 1
    return places / places.sum()


def triangle_rank(distance, is_candidate, ties="shared"):
    return float(np.abs(rank_shares(distance, is_candidate, ties) - 1 / 3).sum())


def permutation_null(statistic, matrix, is_candidate):
    size = len(is_candidate)
    values = []
    for chosen in combinations(range(size), int(sum(is_candidate))):
        labels = np.zeros(size, dtype=bool)
        labels[list(chosen)] = True
        values.append(statistic(matrix, labels))
    return np.array(values)


def p_value(null, observed, tail):
    """Return the share of partitions at least as extreme as the observed one, or equal to it up to rounding."""
    near = 1e-9 * max(1e-3, float(np.abs(null).max()))
    return float(np.mean(null >= observed - near if tail == "greater" else null <= observed + near))


def mmd2(kernel, is_candidate, biased=False):
    first, second = np.flatnonzero(is_candidate), np.flatnonzero(~is_candidate)

    def inner(side):
        return np.mean([kernel[i, j] for i in side for j in side if biased or i != j])

    across = np.mean([kernel[i, j] for i in first for j in second])
    return float(inner(first) + inner(second) - 2 * across)


def frechet(embeddings, is_candidate):
    """Return the squared Frechet distance by the square root of the product of the covariances."""
    import warnings

    from scipy.linalg import LinAlgWarning, sqrtm

    first, second = embeddings[is_candidate], embeddings[~is_candidate]
    shift = first.mean(axis=0) - second.mean(axis=0)
    cov_first, cov_second = np.cov(first.T).reshape(len(shift), -1), np.cov(second.T).reshape(len(shift), -1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LinAlgWarning)  # few texts have singular covariances
        root = sqrtm(cov_first @ cov_second)
    return float(shift @ shift + np.trace(cov_first) + np.trace(cov_second) - 2 * np.trace(root).real)


def mean_mean(scores, is_candidate):
    first, second = np.flatnonzero(is_candidate), np.flatnonzero(~is_candidate)
    return float(np.mean([np.mean([scores[h, r] for r in second]) for h in first]))


def mean_max(scores, is_candidate):
    first, second = np.flatnonzero(is_candidate), np.flatnonzero(~is_candidate)
    return float(np.mean([max(scores[h, r] for r in second) for h in first]))


def rouge_l(overlaps, is_candidate):
    first, second = np.flatnonzero(is_candidate), np.flatnonzero(~is_candidate)
    values = []
    for h in first:
        precision = max(overlaps[0, h, r] for r in second)
        recall = max(overlaps[1, h, r] for r in second)
        below = recall + 1.44 * precision
        values.append(2.44 * precision * recall / below if precision * recall > 0 else 0.0)
    return float(np.mean(values))


def grams(text, n):
    return Counter(tuple(text[i : i + n]) for i in range(len(text) - n + 1))


def sentence_bleu(hypothesis, references, max_n, smoothing):
    """Return BLEU-max_n of one text, by the definition of Papineni et al. with this smoothing."""
    logs = []
    length = len(hypothesis)
    closest = min((len(r) for r in references), key=lambda other: (abs(other - length), other))
    for n in range(1, max_n + 1):
        counts = grams(hypothesis, n)
        clipped = [min(count, max(grams(r, n)[gram] for r in references)) for gram, count in counts.items()]
        matched, possible = sum(clipped), max(1, sum(counts.values()))
        if smoothing == "coco":
            logs.append(math.log((matched + 1e-15) / (sum(counts.values()) + 1e-9)))
            continue
        if n == 1 and matched == 0:
            return 0.0
        if matched == 0 and smoothing == "none":
            return 0.0
        matched = matched or 0.1
        logs.append(math.log(matched / possible))
    if smoothing == "coco":
        length, closest = length + 1e-15, closest + 1e-9
    return min(1.0, math.exp(1 - closest / length)) * math.exp(sum(logs) / max_n)


def bleu(texts, is_candidate, max_n):
    references = [t for t, candidate in zip(texts, is_candidate, strict=True) if not candidate]
    hypotheses = [t for t, candidate in zip(texts, is_candidate, strict=True) if candidate]
    return float(np.mean([sentence_bleu(h, references, max_n, "coco") for h in hypotheses]))


def self_bleu(texts, max_n):
    return np.array([sentence_bleu(text, texts[:i] + texts[i + 1 :], max_n, "epsilon") for i, text in enumerate(texts)])


def jaccard(first, second, n):
    """Return MS-Jaccard's term of order n: the sum of smaller mean counts over that of larger ones; None without
    n-grams.
    """
    one, two = sum((grams(t, n) for t in first), Counter()), sum((grams(t, n) for t in second), Counter())
    keys = set(one) | set(two)
    if not keys:
        return None
    pairs = [(one[g] / len(first), two[g] / len(second)) for g in keys]
    return sum(min(p) for p in pairs) / sum(max(p) for p in pairs)


def bleu_counts(hypothesis, references):
    """Return clipped matches and numbers of n-grams for orders 1 to 4, the length, and the closest length of a
    reference.
    """
    row = []
    for n in range(1, 5):
        counts = grams(hypothesis, n)
        row.append(sum(min(c, max(grams(r, n)[g] for r in references)) for g, c in counts.items()))
        row.append(sum(counts.values()))
    closest = min((len(r) for r in references), key=lambda length: (abs(length - len(hypothesis)), length))
    return [*row, len(hypothesis), closest]
