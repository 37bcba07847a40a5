"""Compiled loops of the test of words: random labels of captions, and the statistic of every word under them."""

from __future__ import annotations

import numpy as np

from metrics.mathematics.arrays import Floats, Integers
from metrics.mathematics.compiled import compiled


@compiled
def swapped_weights(people: Integers, runs: Integers, uniform: Floats) -> Floats:
    """(captions, K) weights of random labels, from `uniform` (2, images, K) numbers in [0, 1).

    Image i has people[i] captions by people, followed by runs[i] by the run. One random caption of the run joins the m
    captions of people, and the run's other captions get weight 0; of these m + 1, a random one gets 1 and the rest get
    -1 / m.
    """
    images, columns = uniform.shape[1], uniform.shape[2]
    weights = np.zeros((people.sum() + runs.sum(), columns))
    first = 0
    for image in range(images):
        m, n = people[image], runs[image]
        for k in range(columns):
            joins = first + m + int(uniform[0, image, k] * n)
            chosen = int(uniform[1, image, k] * (m + 1))
            weights[first : first + m, k] = -1.0 / m
            weights[joins, k] = -1.0 / m
            weights[joins if chosen == m else first + chosen, k] = 1.0
        first += m + n
    return weights


@compiled
def shuffled_weights(people: Integers, runs: Integers, uniform: Floats) -> Floats:
    """(captions, K) weights of random labels: 1 / n for an image's n captions of the run, -1 / m for its m others.

    Image i has people[i] + runs[i] captions; `uniform` (sum of min(n, m), K) are the random numbers in [0, 1).
    """
    columns = uniform.shape[1]
    sizes = people + runs
    weights = np.empty((sizes.sum(), columns))
    order = np.empty(sizes.max(), dtype=np.int64)
    first, row = 0, 0
    for image in range(len(runs)):
        size, n = sizes[image], runs[image]
        few = min(n, size - n)
        mine, theirs = 1.0 / n, -1.0 / (size - n)
        drawn, other = (mine, theirs) if n == few else (theirs, mine)
        for k in range(columns):
            for j in range(size):
                order[j] = j
                weights[first + j, k] = other
            for j in range(few):
                at = j + int(uniform[row + j, k] * (size - j))
                order[j], order[at] = order[at], order[j]
                weights[first + order[j], k] = drawn
        row += few
        first += size
    return weights


@compiled
def statistics(
    words: Integers,
    groups: Integers,
    images: Integers,
    captions: Integers,
    counts: Floats,
    shares: Floats,
    weights: Floats,
    gaps: Floats,
) -> Floats:
    """(words, K) sum over images of d, divided by the root of the sum of d squared; 0 if every d is 0.

    d = sum over the captions of an image of weight * (count of the word - its share * words of the caption). The
    entries of word w for one image are groups[g]..groups[g + 1], for the g in words[w]..words[w + 1], and `images`
    (groups,) is that image; `captions` and `counts` (entries,) are the caption and the count; `gaps` (images, K) are
    the sums of weight * words of the caption.
    """
    columns = weights.shape[1]
    found = np.zeros((len(words) - 1, columns))
    length, length_square = gaps.sum(axis=0), (gaps * gaps).sum(axis=0)
    gap, total, square, cross = np.empty(columns), np.empty(columns), np.empty(columns), np.empty(columns)
    for word in range(len(words) - 1):
        total[:] = 0.0
        square[:] = 0.0
        cross[:] = 0.0
        for group in range(words[word], words[word + 1]):
            gap[:] = 0.0
            for entry in range(groups[group], groups[group + 1]):
                for k in range(columns):
                    gap[k] += counts[entry] * weights[captions[entry], k]
            for k in range(columns):
                total[k] += gap[k]
                square[k] += gap[k] * gap[k]
                cross[k] += gap[k] * gaps[images[group], k]
        share = shares[word]
        for k in range(columns):
            variance = square[k] - 2 * share * cross[k] + share * share * length_square[k]
            if variance > 1e-18:
                found[word, k] = (total[k] - share * length[k]) / np.sqrt(variance)
    return found
