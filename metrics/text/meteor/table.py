"""Compiled reading of METEOR's paraphrase table into a tree of phrases, and walks through the tree."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.mathematics.compiled import compiled

SPACE, END = 32, 10
WORD_BITS = 20
SLOTS, EDGES, PAIRS = 1 << 19, 1 << 22, 1 << 23
"""Capacity for words, for nodes of the tree, and for table entries; the sizes of hash tables are powers of 2."""
LETTERS = SLOTS * 16


class Reading(NamedTuple):
    """The part of the table read so far: hash tables of words and edges, the nodes of each entry, and their counts.

    Words are numbered from 1; `slots` finds the number by a hash of the bytes, and `starts` the word in `letters`.
    `edges` contains each edge as one number that combines node and word, and `nodes` the node at its end. `left` and
    `right` are the nodes of both sides of an entry. `counts` are the numbers of words, nodes and entries, and of bytes
    of all words.
    """

    slots: NDArray[np.int32]
    starts: NDArray[np.int64]
    letters: NDArray[np.uint8]
    edges: NDArray[np.int64]
    nodes: NDArray[np.int32]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    counts: NDArray[np.int64]

    @classmethod
    def empty(cls) -> Reading:
        """Return the table before its first line is read."""
        return cls(
            np.zeros(SLOTS, np.int32),
            np.zeros(SLOTS + 1, np.int64),
            np.zeros(LETTERS, np.uint8),
            np.zeros(EDGES, np.int64),
            np.zeros(EDGES, np.int32),
            np.zeros(PAIRS, np.int32),
            np.zeros(PAIRS, np.int32),
            np.array([0, 1, 0, 0], dtype=np.int64),
        )

    @property
    def full(self) -> bool:
        """Whether the next piece of the table might not fit."""
        words, nodes, entries, letters = self.counts / (SLOTS, EDGES, PAIRS, LETTERS)
        return bool(max(words, nodes, entries, letters) > 0.9)


@compiled
def _scattered(key):  # type: ignore[no-untyped-def]
    """Return a 64-bit key with its bits mixed (Steele and Vigna's finalizer)."""
    key = np.uint64(key)
    key = (key ^ (key >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    key = (key ^ (key >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return key ^ (key >> np.uint64(31))


@compiled
def _word(text, start, stop, reading):  # type: ignore[no-untyped-def]
    hashed = np.uint64(stop - start)
    for at in range(start, stop):
        hashed = hashed * np.uint64(0x100000001B3) ^ np.uint64(text[at])
    last = np.uint64(len(reading.slots) - 1)
    slot = _scattered(hashed) & last
    while reading.slots[slot] > 0:
        first = reading.starts[reading.slots[slot] - 1]
        same = reading.starts[reading.slots[slot]] - first == stop - start
        at = 0
        while same and at < stop - start:
            same = reading.letters[first + at] == text[start + at]
            at += 1
        if same:
            return reading.slots[slot]
        slot = (slot + np.uint64(1)) & last
    first = reading.counts[3]
    for at in range(stop - start):  # a slice would take seconds to compile
        reading.letters[first + at] = text[start + at]
    reading.counts[3] += stop - start
    reading.counts[0] += 1
    reading.starts[reading.counts[0]] = reading.counts[3]
    reading.slots[slot] = reading.counts[0]
    return reading.slots[slot]


@compiled
def _slot(edges, node, word):  # type: ignore[no-untyped-def]
    """Return the slot and the key of the edge of a word from a node, even if that edge does not exist yet."""
    key = (np.int64(node) << WORD_BITS) | np.int64(word)
    last = np.uint64(len(edges) - 1)
    slot = _scattered(key) & last
    while edges[slot] != 0 and edges[slot] != key:
        slot = (slot + np.uint64(1)) & last
    return slot, key


@compiled
def _phrase(text, start, reading):  # type: ignore[no-untyped-def]
    """Return the node of the phrase on a line, and where the next line starts."""
    node, at = 0, start
    while text[at] != END:
        if text[at] == SPACE:
            at += 1
            continue
        stop = at
        while text[stop] != SPACE and text[stop] != END:
            stop += 1
        slot, key = _slot(reading.edges, node, _word(text, at, stop, reading))
        if reading.edges[slot] == 0:
            reading.edges[slot] = key
            reading.nodes[slot] = reading.counts[1]
            reading.counts[1] += 1
        node, at = reading.nodes[slot], stop
    return node, at + 1


@compiled
def read(text, reading):  # type: ignore[no-untyped-def]
    """Read the complete three-line entries at the start of the text; return where the first incomplete one starts."""
    entry, at, lines = 0, 0, 0
    stops = np.zeros(3, np.int64)
    for end in range(len(text)):
        if text[end] != END:
            continue
        stops[lines] = end + 1
        lines += 1
        if lines == 3:
            lines = 0
            left, at = _phrase(text, stops[0], reading)
            right, at = _phrase(text, at, reading)
            entry = reading.counts[2]
            reading.left[entry], reading.right[entry] = left, right
            reading.counts[2] += 1
    return at


@compiled
def find(letters, starts, word):  # type: ignore[no-untyped-def]
    """Return the position of a word, as bytes, among sorted words; -1 if it is absent."""
    low, high = 0, len(starts) - 1
    while low < high:
        middle = (low + high) // 2
        start, stop = starts[middle], starts[middle + 1]
        at = 0
        while at < len(word) and start + at < stop and letters[start + at] == word[at]:
            at += 1
        if at == len(word) and start + at == stop:
            return middle
        if at < len(word) and (start + at == stop or letters[start + at] < word[at]):
            low = middle + 1
        else:
            high = middle
    return -1


@compiled
def phrases_of(words, indptr, edges, nodes, is_phrase):  # type: ignore[no-untyped-def]
    """Find the tree's phrases in texts, given as the numbers of words, from 1, or 0 for unknown words.

    Return where each text's phrases start, and for each phrase its position in the text, its length and its node,
    sorted by position, then by length.
    """
    texts = len(indptr) - 1
    starts = np.zeros(texts + 1, np.int64)
    room = 4 * len(words) + 16
    found = np.empty((room, 3), np.int32)
    n = 0
    for text in range(texts):
        for first in range(indptr[text], indptr[text + 1]):
            node, at = np.int64(0), first
            while at < indptr[text + 1] and words[at] > 0:
                slot, _ = _slot(edges, node, words[at])
                if edges[slot] == 0:
                    break
                node, at = nodes[slot], at + 1
                if is_phrase[node]:
                    if n == len(found):
                        found = np.concatenate((found, np.empty_like(found)))
                    found[n, 0], found[n, 1], found[n, 2] = first - indptr[text], at - first, node
                    n += 1
        starts[text + 1] = n
    return starts, found[:n]


@compiled
def partners_among(present, place, indptr, partners):  # type: ignore[no-untyped-def]
    """Find the partners of each phrase in `present` that are in `present` themselves. Return where each phrase's
    partners start, and the partners, in the order of the table, as positions in `present`. `place` contains the
    position of each phrase in `present`, -1 if it is absent.
    """
    starts = np.zeros(len(present) + 1, np.int64)
    kept = np.empty(max(16, len(present)), np.int32)
    n = 0
    for k in range(len(present)):
        for e in range(indptr[present[k]], indptr[present[k] + 1]):
            if place[partners[e]] >= 0:
                if n == len(kept):
                    kept = np.concatenate((kept, np.empty_like(kept)))
                kept[n] = place[partners[e]]
                n += 1
        starts[k + 1] = n
    return starts, kept[:n]
