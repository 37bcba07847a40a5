"""The aligner of METEOR 1.5 in compiled code: links between the words of two texts, and their best alignment.

Denkowski and Lavie 2014, section 2, and the METEOR 1.5 implementation for what the paper leaves open: the beam of 40,
its order, and how ties are broken. Partial alignments grow along the reference. They are sorted by weighted matches
(most first), chunks (fewest first), distance (smallest first) and then by age. The search weights exact links by 1 and
all other links by a half, rounding down each side's share of a link. The distance between the ends of a possible link
is added to the alignment that continues WITHOUT it, and so to those that branch off from that one later.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.mathematics.compiled import compiled

BEAM = 40
STATISTICS = 23
EXACT, STEM, SYNONYM, PARAPHRASE = range(4)
START, LENGTH, OTHER_START, OTHER_LENGTH, MODULE = range(5)
"""Columns of links: start and word count in the reference, then in the hypothesis, and the matcher."""
NEXT, LAST, NODE, LINK, PARENT = range(5)
"""Columns of partial alignments: the next free word of the reference; the word of the hypothesis after the last link
(-1 after a gap); the last link as a node; the link just chosen (-1: none); and the alignment that it was added to.
"""
MATCH, CHUNK = 1 << 47, 1 << 31
"""Parts of the key by which partial alignments are sorted, smallest first: -matches * MATCH + chunks * CHUNK +
distance. There are fewer than 2^16 chunks, and distances are below 2^31.
"""


class Vocabulary(NamedTuple):
    """Facts (n_words,) about words, and their sets of synonyms.

    `keys` are equal for equal words, `stems` for words with equal stems, and `is_function` marks function words. The
    sets of word w are synsets[synset_starts[w]:synset_starts[w + 1]], ascending, with a bit of `mask` for each.
    """

    keys: NDArray[np.int32]
    stems: NDArray[np.int32]
    is_function: NDArray[np.bool_]
    mask: NDArray[np.uint64]
    synset_starts: NDArray[np.int64]
    synsets: NDArray[np.int32]


class Texts(NamedTuple):
    """Words of texts, words[starts[t]:starts[t + 1]], and their phrases that have a paraphrase.

    The phrases phrases[phrase_starts[t]:phrase_starts[t + 1]] are rows of position, length and number, sorted by
    position, then by length; `again` is the row of the next occurrence of a phrase in the same text, -1 after the last.
    Those paraphrases of phrase p that occur in any text are partners[partner_starts[p]:partner_starts[p + 1]].
    """

    starts: NDArray[np.int64]
    words: NDArray[np.int32]
    phrase_starts: NDArray[np.int64]
    phrases: NDArray[np.int32]
    again: NDArray[np.int32]
    partner_starts: NDArray[np.int64]
    partners: NDArray[np.int32]


@compiled
def repeats(phrase_starts, phrases, n_phrases):  # type: ignore[no-untyped-def]
    """(n_rows,) for each row, that of the next occurrence of its phrase in the same text; -1 after the last."""
    again = np.full(len(phrases), -1, np.int32)
    row = np.full(n_phrases, -1, np.int64)
    for text in range(len(phrase_starts) - 1):
        for k in range(phrase_starts[text + 1] - 1, phrase_starts[text] - 1, -1):
            if phrase_starts[text] <= row[phrases[k, 2]] < phrase_starts[text + 1]:
                again[k] = row[phrases[k, 2]]
            row[phrases[k, 2]] = k
    return again


@compiled
def _add(links, n, start, length, other_start, other_length, module):  # type: ignore[no-untyped-def]
    """Append a link and return the number of links, which is also incremented if there is no more room."""
    if n < len(links):
        links[n, START], links[n, LENGTH] = start, length
        links[n, OTHER_START], links[n, OTHER_LENGTH], links[n, MODULE] = other_start, other_length, module
    return n + 1


@compiled
def _synonyms(vocabulary, a, b):  # type: ignore[no-untyped-def]
    if not vocabulary.mask[a] & vocabulary.mask[b]:
        return False
    i, j = vocabulary.synset_starts[a], vocabulary.synset_starts[b]
    while i < vocabulary.synset_starts[a + 1] and j < vocabulary.synset_starts[b + 1]:
        if vocabulary.synsets[i] == vocabulary.synsets[j]:
            return True
        if vocabulary.synsets[i] < vocabulary.synsets[j]:
            i += 1
        else:
            j += 1
    return False


@compiled
def _word_links(vocabulary, hypothesis, reference, only_exact, links):  # type: ignore[no-untyped-def]
    """Add links of words: for each reference word exact matches, then stems, then synonyms. Return their number."""
    n, one = np.int64(0), np.int64(1)
    exact, stem, synonym = np.int64(EXACT), np.int64(STEM), np.int64(SYNONYM)
    for i, word in enumerate(reference):
        for j, other in enumerate(hypothesis):
            if vocabulary.keys[word] == vocabulary.keys[other]:
                n = _add(links, n, i, one, j, one, exact)
        if only_exact:
            continue
        for j, other in enumerate(hypothesis):
            if vocabulary.stems[word] == vocabulary.stems[other] and vocabulary.keys[word] != vocabulary.keys[other]:
                n = _add(links, n, i, one, j, one, stem)
        for j, other in enumerate(hypothesis):
            if vocabulary.keys[word] != vocabulary.keys[other] and _synonyms(vocabulary, word, other):
                n = _add(links, n, i, one, j, one, synonym)
    return n


@compiled
def _mark(texts, text, marks):  # type: ignore[no-untyped-def]
    """Store the first row of each phrase of a text; `marks` (n_phrases, 2) contains the text + 1 and the row."""
    for k in range(texts.phrase_starts[text + 1] - 1, texts.phrase_starts[text] - 1, -1):
        marks[texts.phrases[k, 2], 0], marks[texts.phrases[k, 2], 1] = text + 1, k


@compiled
def _paraphrase_links(texts, hypothesis, reference, marks, other_marks, links, n):  # type: ignore[no-untyped-def]
    """Add links of paraphrases, first by the entries of the reference's phrases; return the number of links."""
    phrases, paraphrase = texts.phrases, np.int64(PARAPHRASE)
    for k in range(texts.phrase_starts[reference], texts.phrase_starts[reference + 1]):
        for e in range(texts.partner_starts[phrases[k, 2]], texts.partner_starts[phrases[k, 2] + 1]):
            if other_marks[texts.partners[e], 0] == hypothesis + 1:
                row = other_marks[texts.partners[e], 1]
                while row >= 0:
                    n = _add(links, n, phrases[k, 0], phrases[k, 1], phrases[row, 0], phrases[row, 1], paraphrase)
                    row = texts.again[row]
    for k in range(texts.phrase_starts[hypothesis], texts.phrase_starts[hypothesis + 1]):
        for e in range(texts.partner_starts[phrases[k, 2]], texts.partner_starts[phrases[k, 2] + 1]):
            if marks[texts.partners[e], 0] == reference + 1:
                row = marks[texts.partners[e], 1]
                while row >= 0:
                    n = _add(links, n, phrases[row, 0], phrases[row, 1], phrases[k, 0], phrases[k, 1], paraphrase)
                    row = texts.again[row]
    return n


@compiled
def _grouped(links, n, length):  # type: ignore[no-untyped-def]
    """Group links by their start in the reference, in the order found: return where each group begins, and the rows."""
    begin = np.zeros(length + 1, np.int64)
    for k in range(n):
        begin[links[k, START] + 1] += 1
    for i in range(length):
        begin[i + 1] += begin[i]
    rows, filled = np.empty(n, np.int64), begin.copy()
    for k in range(n):
        rows[filled[links[k, START]]] = k
        filled[links[k, START]] += 1
    return begin, rows


@compiled
def _fixed(links, n, begin, rows, length, other_length):  # type: ignore[no-untyped-def]
    """Return the links whose words no other link covers, by their start in the reference (-1: none)."""
    covered, other_covered = np.zeros(length, np.int64), np.zeros(other_length, np.int64)
    for k in range(n):
        for i in range(links[k, START], links[k, START] + links[k, LENGTH]):
            covered[i] += 1
        for j in range(links[k, OTHER_START], links[k, OTHER_START] + links[k, OTHER_LENGTH]):
            other_covered[j] += 1
    fixed = np.full(length, -1, np.int64)
    for i in range(length):
        if begin[i + 1] - begin[i] == 1:
            k = rows[begin[i]]
            alone = True
            for at in range(links[k, START], links[k, START] + links[k, LENGTH]):
                alone = alone and covered[at] == 1
            for j in range(links[k, OTHER_START], links[k, OTHER_START] + links[k, OTHER_LENGTH]):
                alone = alone and other_covered[j] == 1
            if alone:
                fixed[i] = k
    return fixed


@compiled
def _offer(keys, order, found, n, key, after, last, node, link, parent):  # type: ignore[no-untyped-def]
    """Insert a partial alignment after those that are no worse, and keep the first BEAM; return how many are kept."""
    if n == BEAM and key >= keys[BEAM - 1]:
        return n
    slot = n if n < BEAM else order[BEAM - 1]
    at = min(n, BEAM - 1)
    while at > 0 and keys[at - 1] > key:
        keys[at], order[at] = keys[at - 1], order[at - 1]
        at -= 1
    keys[at], order[at] = key, slot
    found[slot, NEXT], found[slot, LAST], found[slot, NODE] = after, last, node
    found[slot, LINK], found[slot, PARENT] = link, parent
    return min(n + 1, BEAM)


@compiled
def _gain(links, k, last):  # type: ignore[no-untyped-def]
    """Return a link's contribution, except distance, to the key of an alignment up to hypothesis word `last`."""
    weight = 2 if links[k, MODULE] == EXACT else 1
    matches = links[k, LENGTH] * weight // 2 + links[k, OTHER_LENGTH] * weight // 2
    return (last != -1 and last != links[k, OTHER_START]) * CHUNK - matches * MATCH


@compiled
def _free(links, k, taken, used, path):  # type: ignore[no-untyped-def]
    """Return whether no fixed link (in the reference) and no chosen one (in the hypothesis) has a link's words."""
    for i in range(links[k, START], links[k, START] + links[k, LENGTH]):
        if taken[i]:
            return False
    for j in range(links[k, OTHER_START], links[k, OTHER_START] + links[k, OTHER_LENGTH]):
        if used[path, j >> 6] >> np.uint64(j & 63) & np.uint64(1):
            return False
    return True


@compiled
def _use(links, k, used, path):  # type: ignore[no-untyped-def]
    """Mark a link's words in the hypothesis as used, with one bit each."""
    for j in range(links[k, OTHER_START], links[k, OTHER_START] + links[k, OTHER_LENGTH]):
        used[path, j >> 6] |= np.uint64(1) << np.uint64(j & 63)


@compiled
def _step(i, links, begin, rows, fixed, taken, costs, paths, used, n, keys, order, found):  # type: ignore[no-untyped-def]
    """Extend n partial alignments by word i of the reference; return how many are kept, at most BEAM."""
    new, none = np.int64(0), np.int64(-1)  # constants as arguments would compile each function anew
    for path in range(n):
        key, after, last, node = costs[path], paths[path, NEXT], paths[path, LAST], paths[path, NODE]
        if i < after:
            new = _offer(keys, order, found, new, key, after, last, node, none, path)
            continue
        if fixed[i] >= 0:
            k = fixed[i]
            key += _gain(links, k, last) + abs(links[k, START] - links[k, OTHER_START])
            last = links[k, OTHER_START] + links[k, OTHER_LENGTH]
            new = _offer(keys, order, found, new, key, i + links[k, LENGTH], last, node, none, path)
            continue
        for row in range(begin[i], begin[i + 1]):
            k = rows[row]
            if _free(links, k, taken, used, path):
                ahead, end = i + links[k, LENGTH], links[k, OTHER_START] + links[k, OTHER_LENGTH]
                new = _offer(keys, order, found, new, key + _gain(links, k, last), ahead, end, node, k, path)
                key += abs(links[k, START] - links[k, OTHER_START])
        key += (last != -1) * CHUNK
        new = _offer(keys, order, found, new, key, after + 1, none, node, none, path)
    return new


@compiled
def _resolve(links, begin, rows, fixed, length, other_length):  # type: ignore[no-untyped-def]
    """Return the links of the best alignment, by their start in the reference (-1: none)."""
    taken, words = np.zeros(length, np.bool_), (other_length >> 6) + 1
    used, next_used = np.zeros((BEAM, words), np.uint64), np.empty((BEAM, words), np.uint64)
    for i in range(length):
        if fixed[i] >= 0:
            for at in range(i, i + links[fixed[i], LENGTH]):
                taken[at] = True
            _use(links, fixed[i], used, np.int64(0))
    paths, found = np.zeros((BEAM, PARENT + 1), np.int64), np.empty((BEAM, PARENT + 1), np.int64)
    costs, keys, order = np.zeros(BEAM, np.int64), np.empty(BEAM, np.int64), np.empty(BEAM, np.int64)
    nodes, n, n_nodes = np.empty((BEAM * length, 2), np.int64), np.int64(1), np.int64(0)
    paths[0, LAST] = paths[0, NODE] = -1
    for i in range(length):
        n = _step(i, links, begin, rows, fixed, taken, costs, paths, used, n, keys, order, found)
        for rank in range(n):
            costs[rank] = keys[rank]
            for column in range(PARENT + 1):
                paths[rank, column] = found[order[rank], column]
            for word in range(words):
                next_used[rank, word] = used[paths[rank, PARENT], word]
            if paths[rank, LINK] >= 0:
                _use(links, paths[rank, LINK], next_used, rank)
                nodes[n_nodes, 0], nodes[n_nodes, 1] = paths[rank, LINK], paths[rank, NODE]
                paths[rank, NODE] = n_nodes
                n_nodes += 1
        used, next_used = next_used, used
    best = 0
    for rank in range(n):
        costs[rank] += (paths[rank, LAST] != -1) * CHUNK
        best = rank if costs[rank] < costs[best] else best
    chosen, node = fixed.copy(), paths[best, NODE]
    while node >= 0:
        chosen[links[nodes[node, 0], START]] = nodes[node, 0]
        node = nodes[node, 1]
    return chosen


@compiled
def _count(vocabulary, hypothesis, reference, links, chosen, row):  # type: ignore[no-untyped-def]
    row[0], row[1] = len(hypothesis), len(reference)
    for word in hypothesis:
        row[2] += vocabulary.is_function[word]
    for word in reference:
        row[3] += vocabulary.is_function[word]
    i, last, chunks = 0, -1, 0
    while i < len(reference):
        if chosen[i] < 0:
            last, i = -1, i + 1
            continue
        link = links[chosen[i]]
        chunks += link[OTHER_START] != last
        first = 4 + 4 * link[MODULE]
        for word in hypothesis[link[OTHER_START] : link[OTHER_START] + link[OTHER_LENGTH]]:
            row[first + 2 * vocabulary.is_function[word]] += 1
        for word in reference[i : i + link[LENGTH]]:
            row[first + 1 + 2 * vocabulary.is_function[word]] += 1
        row[21] += link[OTHER_LENGTH]
        row[22] += link[LENGTH]
        last, i = link[OTHER_START] + link[OTHER_LENGTH], i + link[LENGTH]
    whole = chunks == 1 and row[21] == row[0] and row[22] == row[1]
    row[20] = 0 if whole else chunks


@compiled
def align(vocabulary, texts, pairs, marks, other_marks, most):  # type: ignore[no-untyped-def]
    """(n, 23) statistics of pairs (n, 2) of text numbers, hypothesis and reference; NaN for more than `most` links.

    `marks` and `other_marks` are (n_phrases, 2) zeros, to be used only for these texts.
    """
    rows = np.zeros((len(pairs), STATISTICS))
    links, marked, other_marked = np.empty((256, 5), np.int64), -1, -1
    for p in range(len(pairs)):
        h, r = pairs[p]
        hypothesis = texts.words[texts.starts[h] : texts.starts[h + 1]]
        reference = texts.words[texts.starts[r] : texts.starts[r + 1]]
        same = len(hypothesis) == len(reference)
        for i in range(len(hypothesis) if same else 0):
            same = same and vocabulary.keys[hypothesis[i]] == vocabulary.keys[reference[i]]
        if other_marked != h:
            _mark(texts, h, other_marks)
        if marked != r:
            _mark(texts, r, marks)
        marked, other_marked = r, h
        while True:
            n = _word_links(vocabulary, hypothesis, reference, same, links)
            if not same:
                n = _paraphrase_links(texts, h, r, marks, other_marks, links, n)
            if n <= len(links) or n > most:
                break
            links = np.empty((2 * n, 5), np.int64)
        if n > most:
            for column in range(STATISTICS):
                rows[p, column] = np.nan
            continue
        begin, order = _grouped(links, n, len(reference))
        fixed = _fixed(links, n, begin, order, len(reference), len(hypothesis))
        chosen = fixed
        n_fixed = 0
        for i in range(len(reference)):
            n_fixed += fixed[i] >= 0
        if n > n_fixed:
            chosen = _resolve(links, begin, order, fixed, len(reference), len(hypothesis))
        _count(vocabulary, hypothesis, reference, links, chosen, rows[p])
    return rows
