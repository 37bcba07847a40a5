"""BLEU, chrF and chrF++ for plain captions, slowly, as in their papers."""

from __future__ import annotations

import math
import re

import numpy as np

from tests.second_route import slow
from tests.second_route.texts import sides


def words_13a(text):
    """Split plain captions into words and punctuation marks, as the tokenizer 13a does."""
    return tuple(re.findall(r"\w+|[^\w\s]", text))


def exponential(row, whole):
    """Post 2018: BLEU from the counts of `bleu_counts`; the k-th order without a match counts as 1 / 2^k matches."""
    orders = [(row[2 * k], row[2 * k + 1]) for k in range(4) if whole or row[2 * k + 1]]
    if not row[0] or any(not total for _, total in orders):
        return 0.0
    shares, part = [], 1.0
    for match, total in orders:
        part = part if match else part / 2
        shares.append((match or part) / total)
    return 100 * min(1.0, math.exp(1 - row[9] / row[8])) * math.prod(shares) ** (1 / len(shares))


def sacrebleu(metric, study, run):
    items, rows = [], []
    for own, people in sides(study, run):
        counted = [slow.bleu_counts(words_13a(text), [words_13a(other) for other in people]) for text in own]
        items.append(np.mean([exponential(row, whole=False) for row in counted]))
        rows += counted
    return items, exponential(np.sum(rows, axis=0), whole=True)


def chrf_counts(hypothesis, reference, words):
    """Return the numbers of n-grams of the hypothesis, of the reference and of both, by order.

    Rows are for characters, then for words and punctuation marks. The first number is 0 if the reference has no
    n-grams.
    """
    letters = [(tuple("".join(text.split())), 6) for text in (hypothesis, reference)]
    marks = [(words_13a(text), words) for text in (hypothesis, reference)]
    counts = []
    for (one, orders), (other, _) in (letters, marks):
        for n in range(1, orders + 1):
            left, right = slow.grams(one, n), slow.grams(other, n)
            counts.append((left.total() if right else 0, right.total(), (left & right).total()))
    return np.array(counts, dtype=float)


def chrf_of(counts):
    """Popović 2015: F of the mean precision and the mean recall, where recall is twice as important."""
    used = [row for row in counts if row[0] and row[1]]
    precision, recall = (sum(row[2] / row[side] for row in used) / len(used) for side in (0, 1))
    return 100 * 5 * precision * recall / (4 * precision + recall) if precision + recall else 0.0


def chrf(metric, study, run):
    items, total = [], 0.0
    for own, people in sides(study, run):
        best = [max((chrf_counts(t, other, metric.space.words) for other in people), key=chrf_of) for t in own]
        items.append(np.mean([chrf_of(counts) for counts in best]))
        total = total + sum(best)
    return items, chrf_of(total)
