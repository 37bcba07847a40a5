"""Compiled kernels that compare texts: clipped n-gram matches, CIDEr-D, and the longest common subsequence."""

from __future__ import annotations

import numpy as np

from metrics.compiled import compiled


@compiled
def clipped_to_all(ids, counts, indptr, n_candidates):  # type: ignore[no-untyped-def]
    """(n_candidates, orders) matches of the first texts, each clipped at the most that one of the other texts has."""
    orders, texts = indptr.shape[0], indptr.shape[1] - 1
    matches = np.zeros((n_candidates, orders))
    for k in range(orders):
        for c in range(n_candidates):
            start, stop = indptr[k, c], indptr[k, c + 1]
            most = np.zeros(stop - start, np.int64)
            for r in range(n_candidates, texts):
                i, j, end = start, indptr[k, r], indptr[k, r + 1]
                while i < stop and j < end:
                    if ids[i] == ids[j]:
                        most[i - start] = max(most[i - start], min(counts[i], counts[j]))
                        i += 1
                        j += 1
                    elif ids[i] < ids[j]:
                        i += 1
                    else:
                        j += 1
            matches[c, k] = most.sum()
    return matches


@compiled
def clipped_pairs(ids, counts, indptr):  # type: ignore[no-untyped-def]
    """(orders, T, T) n-grams that each two texts share, with multiplicity."""
    orders, texts = indptr.shape[0], indptr.shape[1] - 1
    matches = np.zeros((orders, texts, texts))
    for k in range(orders):
        for a in range(texts):
            for b in range(a, texts):
                i, stop, j, end = indptr[k, a], indptr[k, a + 1], indptr[k, b], indptr[k, b + 1]
                shared = 0
                while i < stop and j < end:
                    if ids[i] == ids[j]:
                        shared += min(counts[i], counts[j])
                        i += 1
                        j += 1
                    elif ids[i] < ids[j]:
                        i += 1
                    else:
                        j += 1
                matches[k, a, b] = matches[k, b, a] = shared
    return matches


@compiled
def cider_similarity(ids, weights, indptr, lengths, sigma, rows, columns):  # type: ignore[no-untyped-def]
    """(rows, T - columns) CIDEr-D of texts 0..rows as hypotheses against texts columns..T as references."""
    orders, texts = indptr.shape[0], indptr.shape[1] - 1
    norms = np.zeros((orders, texts))
    for k in range(orders):
        for t in range(texts):
            total = 0.0
            for e in range(indptr[k, t], indptr[k, t + 1]):
                total += weights[e] * weights[e]
            norms[k, t] = np.sqrt(total)
    similarity = np.zeros((rows, texts - columns))
    for a in range(rows):
        for b in range(columns, texts):
            total = 0.0
            for k in range(orders):
                i, stop, j, end = indptr[k, a], indptr[k, a + 1], indptr[k, b], indptr[k, b + 1]
                dot = 0.0
                while i < stop and j < end:
                    if ids[i] == ids[j]:
                        dot += min(weights[i], weights[j]) * weights[j]
                        i += 1
                        j += 1
                    elif ids[i] < ids[j]:
                        i += 1
                    else:
                        j += 1
                if norms[k, a] > 0.0 and norms[k, b] > 0.0:
                    total += dot / (norms[k, a] * norms[k, b])
            # The COCO code counts bigrams, not words: texts of one word and of none are equally long.
            gap = float(max(lengths[a] - 1, 0) - max(lengths[b] - 1, 0))
            similarity[a, b - columns] = 10.0 * total / orders * np.exp(-gap * gap / (2.0 * sigma * sigma))
    return similarity


@compiled
def common_subsequence(flat, offsets, rows, columns):  # type: ignore[no-untyped-def]
    """(rows, T - columns) length of the longest common subsequence; tokens are numbers from 0.

    Bit-parallel (Hyyro 2004): a bit a token of the row's text, a machine word for every 64 of them.
    """
    texts = len(offsets) - 1
    lengths = np.zeros((rows, texts - columns), np.int64)
    one, all_bits = np.uint64(1), ~np.uint64(0)
    vocabulary = np.int64(1)
    for word in flat:
        vocabulary = max(vocabulary, word + 1)
    slot = np.full(vocabulary, -1, np.int64)
    for a in range(rows):
        size = offsets[a + 1] - offsets[a]
        blocks = (size + 63) // 64
        match = np.zeros((size, max(blocks, 1)), np.uint64)
        for p in range(size):
            word = flat[offsets[a] + p]
            if slot[word] < 0:
                slot[word] = p
            match[slot[word], p >> 6] |= one << np.uint64(p & 63)
        state = np.empty(max(blocks, 1), np.uint64)
        for b in range(columns, texts):
            state[:] = all_bits
            for q in range(offsets[b], offsets[b + 1]):
                row = slot[flat[q]]
                if row < 0:
                    continue
                carry = np.uint64(0)
                for w in range(blocks):
                    both = state[w] & match[row, w]
                    first = state[w] + both
                    total = first + carry
                    carry = np.uint64(1) if (first < both or total < carry) else np.uint64(0)
                    state[w] = total | (state[w] & ~match[row, w])
            found = 0
            for p in range(size):
                found += 1 - ((state[p >> 6] >> np.uint64(p & 63)) & one)
            lengths[a, b - columns] = found
        for p in range(size):
            slot[flat[offsets[a] + p]] = -1
    return lengths
