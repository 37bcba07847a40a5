"""Enumeration of all partitions of N texts into n candidates and the rest, in the order of itertools.combinations.

A statistic that is a polynomial of degree two or three in the labels takes about one addition per partition: a
depth-first traversal stores what each further text would add to the texts chosen so far.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import comb

import numpy as np

from metrics.mathematics.arrays import Integers, Labels
from metrics.mathematics.compiled import compiled

_ROWS = 16_384


@compiled
def _choose_more(depth, text, pairs, triples, cubic, total, gain, gain_of_pair):  # type: ignore[no-untyped-def]
    """Update the state after choosing `text` on top of `depth` texts: the sum, and what later texts or pairs add."""
    size = pairs.shape[0]
    total[depth + 1] = total[depth] + gain[depth, text]
    for other in range(text + 1, size):
        of_pair = gain_of_pair[depth, text, other] if cubic else pairs[text, other]
        gain[depth + 1, other] = gain[depth, other] + of_pair
    if cubic and depth + 1 < gain_of_pair.shape[0]:
        for first in range(text + 1, size):
            for second in range(first + 1, size):
                gain_of_pair[depth + 1, first, second] = (
                    gain_of_pair[depth, first, second] + triples[text, first, second]
                )


@compiled
def sums(linear, pairs, triples, chosen, mirrored, out):  # type: ignore[no-untyped-def]
    """Fill `out` with sum l_i + sum p_ij + sum t_ijk over the chosen texts i < j < k, for every choice.

    linear (N,), pairs (N, N) and triples (N, N, N), or (1, 1, 1) without triples, are read only at increasing indices.
    If `mirrored`, the first text is always chosen: these are the first half of all choices when half of the texts are
    chosen. Integers wrap around, on purpose.
    """
    size, last = linear.shape[0], chosen - 1
    cubic = triples.shape[0] == size
    total = np.zeros(chosen + 1, dtype=linear.dtype)
    gain = np.zeros((chosen + 1, size), dtype=linear.dtype)
    side = size if cubic else 1
    gain_of_pair = np.zeros((max(chosen - 1, 1), side, side), dtype=linear.dtype)
    gain[0] = linear
    if cubic:
        gain_of_pair[0] = pairs
    pick = np.zeros(chosen, dtype=np.int64)
    depth, filled = 0, 0
    while depth >= 0:
        stop = 1 if mirrored and depth == 0 else size - last + depth
        if depth < last and pick[depth] < stop:
            _choose_more(depth, pick[depth], pairs, triples, cubic, total, gain, gain_of_pair)
            depth += 1
            pick[depth] = pick[depth - 1] + 1
            continue
        if depth == last:
            for text in range(pick[depth], stop):
                out[filled] = total[depth] + gain[depth, text]
                filled += 1
        depth -= 1
        if depth >= 0:
            pick[depth] += 1


@compiled
def fill_labels(pick, out):  # type: ignore[no-untyped-def]
    """Fill `out` (rows, N) with the labels of the choices from `pick` onwards, and advance `pick` past them."""
    size, chosen = out.shape[1], len(pick)
    for row in range(out.shape[0]):
        for place in range(chosen):
            out[row, pick[place]] = True
        place = chosen - 1
        while place > 0 and pick[place] == size - chosen + place:
            place -= 1
        pick[place] += 1
        for later in range(place + 1, chosen):
            pick[later] = pick[later - 1] + 1


@compiled
def fill_labels_at(places, counts, chosen, out):  # type: ignore[no-untyped-def]
    """Fill `out` (rows, N) with the labels of the choices numbered `places`; `counts` is (N + 1, chosen + 1)."""
    size = out.shape[1]
    for row in range(len(places)):
        left, wanted = places[row], chosen
        for text in range(size):
            if wanted == 0:
                break
            with_text = counts[size - text - 1, wanted - 1]
            if left < with_text:
                out[row, text] = True
                wanted -= 1
            else:
                left -= with_text


def labels_at(size: int, chosen: int, places: Integers) -> Labels:
    """(rows, N) labels of the choices at these positions in the order of itertools.combinations.

    There must be fewer than 2^63 choices.
    """
    if 2 * chosen > size:  # the complements are in reverse order
        return ~labels_at(size, size - chosen, number(size, chosen) - 1 - places)
    counts = np.array([[comb(n, k) for k in range(chosen + 1)] for n in range(size + 1)], dtype=np.int64)
    out = np.zeros((len(places), size), dtype=np.bool_)
    fill_labels_at(places, counts, chosen, out)
    return out


def number(size: int, chosen: int, mirrored: bool = False) -> int:
    """Return the number of ways to choose the texts, or half of it if `mirrored`."""
    return comb(size, chosen) // 2 if mirrored else comb(size, chosen)


def label_blocks(size: int, chosen: int, mirrored: bool = False) -> Iterator[Labels]:
    """Yield (rows, N) labels of all choices, or of those with the first text if `mirrored`, in order, in blocks."""
    pick = np.arange(chosen)
    left = number(size, chosen, mirrored)
    while left:
        out = np.zeros((min(left, _ROWS), size), dtype=np.bool_)
        fill_labels(pick, out)
        left -= len(out)
        yield out


def random_labels(is_candidate: Labels, draws: int, seed: int) -> Labels:
    """(draws, N) random relabellings with the same number of candidates."""
    rows = np.broadcast_to(is_candidate, (draws, len(is_candidate)))
    return np.random.default_rng(seed).permuted(rows, axis=1)
