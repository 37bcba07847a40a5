"""Compiled kernels that number and count n-grams exactly, and look them up in a table of document frequencies."""

from __future__ import annotations

import numpy as np

from metrics.mathematics.compiled import compiled

# numpy's sorting, slices and whole-array operations take seconds to compile; loops over elements do not.
_SHORT = 16
"""Length of runs that are sorted by insertion."""


@compiled
def _order(keys, size):  # type: ignore[no-untyped-def]
    """Return positions of the first `size` keys in ascending order, by a merge sort of short sorted runs."""
    order, other = np.empty(size, np.int64), np.empty(size, np.int64)
    for low in range(0, size, _SHORT):
        for place in range(low, min(low + _SHORT, size)):
            at = place
            while at > low and keys[order[at - 1]] > keys[place]:
                order[at] = order[at - 1]
                at -= 1
            order[at] = place
    width = _SHORT
    while width < size:
        for low in range(0, size, 2 * width):
            middle, high = min(low + width, size), min(low + 2 * width, size)
            i, j = low, middle
            if middle == high or keys[order[middle - 1]] <= keys[order[middle]]:
                for at in range(low, high):
                    other[at] = order[at]
                continue
            for at in range(low, high):
                if j >= high or (i < middle and keys[order[i]] <= keys[order[j]]):
                    other[at] = order[i]
                    i += 1
                else:
                    other[at] = order[j]
                    j += 1
        order, other = other, order
        width *= 2
    return order


@compiled
def _numbered(keys, size, number, first):  # type: ignore[no-untyped-def]
    """Number equal keys alike, in ascending order from 0, in `number`; store where each number occurs first."""
    distinct = np.int64(0)
    order = _order(keys, size)
    for at in range(size):
        place = order[at]
        if at == 0 or keys[place] != keys[order[at - 1]]:
            first[distinct] = place
            distinct += 1
        number[place] = distinct - 1
    return distinct


@compiled
def count_ngrams(flat, offsets, orders):  # type: ignore[no-untyped-def]
    """Number the distinct n-grams of texts (tokens `flat`, text t at offsets[t]..offsets[t+1]) and count them per text.

    Returns the fields of `ngrams.NgramCounts` without the lengths. N-grams are numbered by the pair
    (prefix, last token), without hashing, so there are no collisions.
    """
    size, texts = len(flat), len(offsets) - 1
    token, here, first = np.empty(size, np.int64), np.zeros(size, np.int64), np.empty(size, np.int64)
    words = _numbered(flat, size, token, first)
    places, owner, left = np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size, np.int64)
    for text in range(texts):
        for place in range(offsets[text], offsets[text + 1]):
            owner[place], left[place] = text, offsets[text + 1] - place
    keys, number = np.empty(size, np.int64), np.empty(size, np.int64)
    ids, counts = np.empty(orders * size, np.int64), np.empty(orders * size, np.int64)
    prefix, last = np.empty(orders * size, np.int64), np.empty(orders * size, np.int64)
    indptr, starts = np.zeros((orders, texts + 1), np.int64), np.zeros(orders + 1, np.int64)
    filled = 0
    for k in range(orders):
        n = np.int64(0)
        for place in range(size):
            if left[place] > k:
                places[n], keys[n] = place, token[place + k] + (here[place] * words if k else 0)
                n += 1
        distinct = _numbered(keys, n, number, first)
        starts[k + 1] = starts[k] + distinct
        for one in range(distinct):
            place = places[first[one]]
            prefix[starts[k] + one] = here[place] + starts[k - 1] if k else -1
            last[starts[k] + one] = flat[place + k]
        for i in range(n):
            here[places[i]] = number[i]
            keys[i] = owner[places[i]] * distinct + number[i]
        order, before = _order(keys, n), np.int64(-1)
        indptr[k, 0] = filled
        for at in range(n):
            pair = keys[order[at]]
            if pair == before:
                counts[filled - 1] += 1
                continue
            ids[filled], counts[filled], before = pair % distinct + starts[k], 1, pair
            filled += 1
            indptr[k, pair // distinct + 1] = filled
        for text in range(texts):
            indptr[k, text + 1] = max(indptr[k, text + 1], indptr[k, text])
    total = starts[orders]
    return ids[:filled].copy(), counts[:filled].copy(), indptr, starts, prefix[:total].copy(), last[:total].copy()


@compiled
def find_ngrams(starts, prefix, last, table_starts, table_keys, words):  # type: ignore[no-untyped-def]
    """Return the position of each numbered n-gram in a table; -1 if the table lacks it.

    The table is sorted within each order by prefix position x `words` + word; tokens from `words` up are not in it.
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
