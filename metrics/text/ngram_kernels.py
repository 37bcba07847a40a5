"""Compiled kernels that number and count n-grams exactly, and look them up in a table of document frequencies."""

from __future__ import annotations

import numpy as np

from metrics.compiled import compiled


@compiled
def _owners(offsets, size):  # type: ignore[no-untyped-def]
    """Text of every token, and how many tokens are left of it from there."""
    left, owner = np.zeros(size, np.int64), np.zeros(size, np.int64)
    for t in range(len(offsets) - 1):
        for place in range(offsets[t], offsets[t + 1]):
            left[place], owner[place] = offsets[t + 1] - place, t
    return left, owner


@compiled
def _number(places, keys, here, first, earlier, words, prefix, last):  # type: ignore[no-untyped-def]
    """Number the n-grams that begin at `places`, equal keys alike, from `first` on; the first number not used."""
    number, before = np.int64(first - 1), np.int64(-1)
    for i in np.argsort(keys):
        place = places[i]
        if keys[i] != before:
            before = keys[i]
            number += 1
            # `here` still holds the number of the tokens before the last one, counted within their order.
            prefix[number] = here[place] + earlier if earlier >= 0 else -1
            last[number] = words[i]
        here[place] = number - first
    return number + 1


@compiled
def _tally(pairs, distinct, first, filled, ids, counts, ends):  # type: ignore[no-untyped-def]
    """Runs of equal (text, n-gram) pairs as entries from `filled` on; `ends[t + 1]` is where text t ends."""
    pairs.sort()
    ends[:] = filled
    for i in range(len(pairs)):
        if i and pairs[i] == pairs[i - 1]:
            counts[filled - 1] += 1
            continue
        ids[filled], counts[filled] = pairs[i] % distinct + first, 1
        filled += 1
        ends[pairs[i] // distinct + 1] = filled
    for t in range(len(ends) - 1):
        ends[t + 1] = max(ends[t + 1], ends[t])
    return filled


@compiled
def count_ngrams(flat, offsets, orders):  # type: ignore[no-untyped-def]
    """Number the distinct n-grams of texts (tokens `flat`, text t at offsets[t]..offsets[t+1]) and count them per text.

    Returns ids (E,) and counts (E,) of the distinct n-grams of each text, those of order k and text t at
    indptr[k, t]..indptr[k, t+1]; starts (orders + 1,): ids of order k are starts[k]..starts[k+1]; and for
    each id its first n - 1 tokens as an id (`prefix`, -1 for single words) and its last token (`last`).
    An n-gram is numbered by the pair (prefix, last token), so nothing is hashed and nothing collides.
    """
    size = len(flat)
    distinct_words = np.unique(flat)
    token = np.searchsorted(distinct_words, flat)
    left, owner = _owners(offsets, size)
    here = np.zeros(size, np.int64)
    ids, counts = np.zeros(orders * size, np.int64), np.zeros(orders * size, np.int64)
    prefix, last = np.full(orders * size, -1, np.int64), np.zeros(orders * size, np.int64)
    indptr, starts = np.zeros((orders, len(offsets)), np.int64), np.zeros(orders + 1, np.int64)
    filled = 0
    for k in range(orders):
        places = np.flatnonzero(left > k)
        keys = (here[places] * len(distinct_words) if k else np.zeros(len(places), np.int64)) + token[places + k]
        earlier = starts[k - 1] if k else -1
        starts[k + 1] = _number(places, keys, here, starts[k], earlier, flat[places + k], prefix, last)
        distinct = starts[k + 1] - starts[k]
        pairs = owner[places] * distinct + here[places]
        filled = _tally(pairs, distinct, starts[k], filled, ids, counts, indptr[k])
    total = starts[orders]
    return ids[:filled].copy(), counts[:filled].copy(), indptr, starts, prefix[:total].copy(), last[:total].copy()


@compiled
def find_ngrams(starts, prefix, last, table_starts, table_keys, words):  # type: ignore[no-untyped-def]
    """Place of each numbered n-gram in a table, -1 where the table lacks it.

    The table is sorted within each order by prefix place x `words` + word; tokens from `words` up are not in it.
    """
    orders = min(len(starts), len(table_starts)) - 1
    found = np.full(len(prefix), -1, np.int64)
    for k in range(orders):
        for i in range(starts[k], starts[k + 1]):
            if last[i] >= words or (k and found[prefix[i]] < 0):
                continue
            key = last[i]
            if k:
                key += (found[prefix[i]] - table_starts[k - 1]) * words
            low, high = table_starts[k], table_starts[k + 1]
            while low < high:
                middle = (low + high) // 2
                if table_keys[middle] < key:
                    low = middle + 1
                else:
                    high = middle
            if low < table_starts[k + 1] and table_keys[low] == key:
                found[i] = low
    return found
