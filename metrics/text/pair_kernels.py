"""Compiled kernels that compare texts: clipped n-gram matches, CIDEr-D, and longest common subsequences."""

from __future__ import annotations

import numpy as np

from metrics.mathematics.compiled import compiled


@compiled
def clipped_to_all(ids, counts, indptr, candidates, references):  # type: ignore[no-untyped-def]
    """(n_candidates, orders) matching n-grams of candidates, each clipped at its largest count in one reference."""
    orders = indptr.shape[0]
    matches = np.zeros((len(candidates), orders))
    for k in range(orders):
        for c in range(len(candidates)):
            start, stop = indptr[k, candidates[c]], indptr[k, candidates[c] + 1]
            most = np.zeros(stop - start, np.int64)
            for r in references:
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
    """(orders, T, T) number of n-grams that each pair of texts shares, with repetitions."""
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
def _norms(weights, indptr):  # type: ignore[no-untyped-def]
    orders, texts = indptr.shape[0], indptr.shape[1] - 1
    norms = np.zeros((orders, texts))
    for k in range(orders):
        for t in range(texts):
            total = 0.0
            for e in range(indptr[k, t], indptr[k, t + 1]):
                total += weights[e] * weights[e]
            norms[k, t] = np.sqrt(total)
    return norms


@compiled
def cider_similarity(  # type: ignore[no-untyped-def]
    ids, weights, indptr, lengths, other_ids, other_weights, other_indptr, other_lengths, sigma
):
    """(n, m) CIDEr-D of n hypotheses against m references; an id of -1 matches no n-gram of the other side."""
    orders, rows, columns = indptr.shape[0], len(lengths), len(other_lengths)
    norms, other_norms = _norms(weights, indptr), _norms(other_weights, other_indptr)
    similarity = np.zeros((rows, columns))
    for a in range(rows):
        for b in range(columns):
            total = 0.0
            for k in range(orders):
                i, stop, j, end = indptr[k, a], indptr[k, a + 1], other_indptr[k, b], other_indptr[k, b + 1]
                dot = 0.0
                while i < stop and j < end:
                    if ids[i] == other_ids[j]:
                        dot += min(weights[i], other_weights[j]) * other_weights[j]
                        i += 1
                        j += 1
                    elif ids[i] < other_ids[j]:
                        i += 1
                    else:
                        j += 1
                if norms[k, a] > 0.0 and other_norms[k, b] > 0.0:
                    total += dot / (norms[k, a] * other_norms[k, b])
            # The COCO code counts bigrams, not words: texts of one word and of none are equally long.
            gap = float(max(lengths[a] - 1, 0) - max(other_lengths[b] - 1, 0))
            similarity[a, b] = 10.0 * total / orders * np.exp(-gap * gap / (2.0 * sigma * sigma))
    return similarity


@compiled
def common_subsequence(flat, offsets, rows, columns):  # type: ignore[no-untyped-def]
    """(rows, T - columns) lengths of the longest common subsequences of texts 0 to `rows` and texts `columns` to T.

    Ends are exclusive. Text t is flat[offsets[t]:offsets[t + 1]]; tokens are numbers from 0. Bit-parallel (Hyyro 2004):
    one bit per token of the row's text, one machine word per 64 tokens.
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


@compiled
def _mark_common(said, other, hit):  # type: ignore[no-untyped-def]
    table = np.zeros((len(said) + 1, len(other) + 1), np.int32)
    for i in range(1, len(said) + 1):
        for j in range(1, len(other) + 1):
            if said[i - 1] == other[j - 1]:
                table[i, j] = table[i - 1, j - 1] + 1
            else:
                table[i, j] = max(table[i - 1, j], table[i, j - 1])
    i, j = len(said), len(other)
    while i > 0 and j > 0:
        if said[i - 1] == other[j - 1]:
            hit[i - 1] = True
            i, j = i - 1, j - 1
        elif table[i, j - 1] > table[i - 1, j]:
            j -= 1
        else:
            i -= 1


@compiled
def union_hits(flat, ends, of_text, rows, vocabulary):  # type: ignore[no-untyped-def]
    """(rows, texts - rows) number of words of each later text that sentences of the first `rows` texts share in order.

    Sentence s is flat[ends[s]:ends[s + 1]], and text t has the sentences of_text[t]..of_text[t + 1]. A word counts at
    most as often as it occurs in the row. Among equally long common subsequences, the traceback steps back in the other
    sentence only if this leaves a longer subsequence.
    """
    texts = len(of_text) - 1
    found = np.zeros((rows, texts - rows))
    left = np.zeros(vocabulary, np.int64)
    for a in range(rows):
        own = flat[ends[of_text[a]] : ends[of_text[a + 1]]]
        for b in range(rows, texts):
            left[own] = 0
            for word in own:
                left[word] += 1
            for s in range(of_text[b], of_text[b + 1]):
                said = flat[ends[s] : ends[s + 1]]
                hit = np.zeros(len(said), np.bool_)
                for other in range(of_text[a], of_text[a + 1]):
                    _mark_common(said, flat[ends[other] : ends[other + 1]], hit)
                for p in range(len(said)):
                    if hit[p] and left[said[p]] > 0:
                        left[said[p]] -= 1
                        found[a, b - rows] += 1
    return found
