"""Mean scores of candidates against all references under relabelling: the compiled routes of S_agg.

For each text the other texts are sorted once (best score or closest length first), so the best reference under a
relabelling is the first one on the other side; it is found after (n + m) / m comparisons on average.
"""

from __future__ import annotations

import numpy as np

from metrics.mathematics.arrays import Floats, Integers
from metrics.mathematics.compiled import compiled
from metrics.text.bleu import SMALL, TINY


@compiled
def mean_of_best(scores, order, labels, out):  # type: ignore[no-untyped-def]
    """Fill out (partitions,) with the mean over candidates of the best score against any reference; scores (N, N)."""
    size = labels.shape[1]
    for row in range(labels.shape[0]):
        total, candidates = 0.0, 0
        for text in range(size):
            if not labels[row, text]:
                continue
            place = 0
            while labels[row, order[text, place]]:
                place += 1
            total += scores[text, order[text, place]]
            candidates += 1
        out[row] = total / candidates


@compiled
def mean_of_f(scores, order, beta, labels, out):  # type: ignore[no-untyped-def]
    """Fill out (partitions,) with the mean over candidates of F of the best precision and recall; scores (2, N, N)."""
    size = labels.shape[1]
    for row in range(labels.shape[0]):
        total, candidates = 0.0, 0
        for text in range(size):
            if not labels[row, text]:
                continue
            candidates += 1
            place = 0
            while labels[row, order[0, text, place]]:
                place += 1
            precision = scores[0, text, order[0, text, place]]
            place = 0
            while labels[row, order[1, text, place]]:
                place += 1
            recall = scores[1, text, order[1, text, place]]
            if precision > 0.0 and recall > 0.0:
                total += (1.0 + beta * beta) * precision * recall / (recall + beta * beta * precision)
        out[row] = total / candidates


@compiled
def _log_precisions(lengths, orders):  # type: ignore[no-untyped-def]
    """(N, orders, matches) logs of the precision of each text for every possible number of matches."""
    logs = np.empty((len(lengths), orders, lengths.max() + 1))
    for text in range(len(lengths)):
        for k in range(orders):
            for matched in range(logs.shape[2]):
                possible = max(float(lengths[text]) - k, 0.0)
                logs[text, k, matched] = np.log((float(matched) + TINY) / (possible + SMALL))
    return logs


@compiled
def _brevity(lengths, order):  # type: ignore[no-untyped-def]
    """(N, N) log brevity penalty of each text for the length of the reference at each position in `order`."""
    logs = np.empty(order.shape)
    for text in range(len(lengths)):
        for place in range(order.shape[1]):
            closest, length = float(lengths[order[text, place]]) + SMALL, float(lengths[text]) + TINY
            logs[text, place] = min(0.0, 1.0 - closest / length)
    return logs


@compiled
def _matches(masks, weights, start, end, references):  # type: ignore[no-untyped-def]
    """Return the total weight of the masks from start to end that contain a reference, computed without branches."""
    matched = 0
    if masks.shape[1] == 1:
        for entry in range(start, end):
            matched += weights[entry] * ((masks[entry, 0] & references[0]) != 0)
        return matched
    for entry in range(start, end):
        hit = np.uint64(0)
        for word in range(masks.shape[1]):
            hit |= masks[entry, word] & references[word]
        matched += weights[entry] * (hit != 0)
    return matched


@compiled
def mean_bleu(masks, weights, starts, lengths, order, labels, out):  # type: ignore[no-untyped-def]
    """Fill out (partitions,) with the mean sentence BLEU of the candidates; arrays as in `bleu_masks.BleuMasks`.

    The constants of the COCO evaluation are added to every count and length, so no score is exactly 0.
    """
    size, orders = labels.shape[1], starts.shape[1] - 1
    precisions, brevity = _log_precisions(lengths, orders), _brevity(lengths, order)
    references = np.zeros(masks.shape[1], dtype=np.uint64)
    for row in range(labels.shape[0]):
        references[:] = 0
        total, candidates = 0.0, 0
        for text in range(size):
            if not labels[row, text]:
                references[text >> 6] |= np.uint64(1) << np.uint64(text & 63)
        for text in range(size):
            if not labels[row, text]:
                continue
            candidates += 1
            logs = 0.0
            for k in range(orders):
                logs += precisions[text, k, _matches(masks, weights, starts[text, k], starts[text, k + 1], references)]
            place = 0
            while labels[row, order[text, place]]:
                place += 1
            total += np.exp(logs / orders + brevity[text, place])
        out[row] = total / candidates


def best_first(scores: Floats) -> Integers:
    """(..., N, N) order of texts for each row: the others from the best to the worst score, then the text itself."""
    size = scores.shape[-1]
    keys = np.where(np.eye(size, dtype=bool), np.inf, -scores)
    return np.argsort(keys, axis=-1, kind="stable").astype(np.int64)


def closest_first(lengths: Integers) -> Integers:
    """(N, N) order of texts for each text: the others by closeness of length, shorter first on ties, then itself."""
    size = len(lengths)
    gaps = 2 * np.abs(lengths[:, None] - lengths[None, :]) + (lengths[None, :] > lengths[:, None])
    keys = np.where(np.eye(size, dtype=bool), np.iinfo(np.int64).max, gaps)
    return np.argsort(keys, axis=-1, kind="stable").astype(np.int64)
