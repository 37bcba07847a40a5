"""Overlap and variety of sets of texts by their n-grams: integer token arrays in, numbers out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from metrics.mathematics.arrays import Floats, Integers, Labels
from metrics.mathematics.checks import check_matrix
from metrics.text import set_ngram_kernels

Texts = Sequence[ArrayLike]


def jaccard_orders(candidates: Texts, references: Texts, max_n: int = 4) -> Floats:
    """(max_n,) ratio of shared to joint n-gram mass of two sets, for n = 1..max_n, in 0..1.

    sum_g min(C_n(g, S1), C_n(g, S2)) / sum_g max(...), where C_n is the count divided by the number of texts of the
    set. NaN for an order that no text of either set is long enough for, or for an empty set. Raises ValueError for
    malformed tokens. Montahaei et al., section 3.2.1.
    """
    sizes = len(candidates), len(references)
    if min(sizes) == 0:
        return np.full(max_n, np.nan)
    out = np.full(max_n, np.nan)
    for order, grams in enumerate(set_ngram_kernels.orders([*candidates, *references], max_n)):
        first = grams.text < sizes[0]
        mass = [
            np.bincount(grams.gram[side], weights=grams.count[side], minlength=grams.distinct) / size
            for side, size in ((first, sizes[0]), (~first, sizes[1]))
        ]
        if grams.distinct:
            out[order] = np.minimum(*mass).sum() / np.maximum(*mass).sum()
    return out


def ms_jaccard(candidates: Texts, references: Texts, max_n: int = 4) -> Floats:
    """(max_n - 1,) MS-Jaccard-N for N = 2..max_n: the geometric mean of `jaccard_orders` up to N; higher is better.

    An order without a shared n-gram makes it 0; an order that no text is long enough for is NaN in `jaccard_orders` and
    omitted from the mean. NaN for an empty set, or if there are no tokens. Montahaei et al., section 3.2.1.
    """
    return geometric_means(jaccard_orders(candidates, references, max_n))


def ms_jaccard_without(
    candidates: Texts,
    references: Texts,
    candidate_group: ArrayLike,
    reference_group: ArrayLike,
    groups: int,
    max_n: int = 4,
) -> tuple[Floats, Floats]:
    """Return `ms_jaccard`, and its values (groups, max_n - 1) without each group of texts.

    The groups of candidates (texts,) and of references (texts,) are numbered from 0; a group is left out of both sets.
    All groups take a single pass: n-grams are sorted once, and each group's counts are subtracted from the total.
    """
    sizes = len(candidates), len(references)
    group = np.concatenate([np.asarray(side, dtype=np.int64) for side in (candidate_group, reference_group)])
    texts = np.array(sizes) - np.zeros((groups + 1, 2), dtype=np.int64)
    texts[1:, 0] -= np.bincount(group[: sizes[0]], minlength=groups)
    texts[1:, 1] -= np.bincount(group[sizes[0] :], minlength=groups)
    found = np.full((groups + 1, max_n), np.nan)
    for order, grams in enumerate(set_ngram_kernels.orders([*candidates, *references], max_n)):
        found[:, order] = _shared_mass(grams, group[grams.text], grams.text < sizes[0], texts)
    found[(texts == 0).any(axis=1)] = np.nan
    means = np.array([geometric_means(row) for row in found]).reshape(groups + 1, -1)
    return means[0], means[1:]


def _shared_mass(grams: set_ngram_kernels.Grams, group: Integers, first: Labels, texts: Integers) -> Floats:
    """(groups + 1,) ratio of shared to joint mass of an order, for all texts and without each group; NaN for no mass.

    `group` and `first` are the group and the side of each entry, `texts` (groups + 1, 2) the remaining texts on each
    side.
    """
    whole = [np.bincount(grams.gram[side], grams.count[side], grams.distinct) for side in (first, ~first)]
    by_group = np.argsort(2 * group + ~first, kind="stable")
    ends = np.searchsorted((2 * group + ~first)[by_group], np.arange(2 * len(texts) - 1))
    out = np.full(len(texts), np.nan)
    for k, sizes in enumerate(texts):
        left = list(whole)
        for side in (0, 1) if k else ():
            rows = by_group[ends[2 * k - 2 + side] : ends[2 * k - 1 + side]]
            left[side] = whole[side] - np.bincount(grams.gram[rows], grams.count[rows], grams.distinct)
        mass = [counts / max(size, 1) for counts, size in zip(left, sizes)]
        joint = np.maximum(*mass).sum()
        if joint > 0:
            out[k] = np.minimum(*mass).sum() / joint
    return out


def geometric_means(orders: Floats) -> Floats:
    """(max_n - 1,) geometric means of the first 2, 3, .. entries, ignoring NaN; 0 if one of them is 0."""
    with np.errstate(divide="ignore"):
        logs = np.log(orders)
    there = ~np.isnan(orders)
    used = np.cumsum(there)
    with np.errstate(invalid="ignore"):
        means = np.exp(np.cumsum(np.where(there, logs, 0.0)) / np.where(used > 0, used, np.nan))
    return means[1:]


def self_bleu(texts: Texts, max_n: int = 4) -> Floats:
    """(texts, max_n - 1) BLEU-N of each text against all other texts, N = 2..max_n; high if texts are alike.

    Weights are 1 / N, and the reference length is the closest length, the shorter on ties. An order without a match
    counts 0.1 matches (Chen and Cherry 2014, method 1; the default of the fast-bleu package); without a matching word
    the score is 0. The mean over texts is Self-BLEU (Zhu et al. 2018). NaN with fewer than two texts.

    A clipped count needs the largest count in another text: for each n-gram the largest and second largest counts and
    the text with the largest are stored, so 10,000 texts take seconds.
    """
    size = len(texts)
    if size < 2:
        return np.full((size, max(max_n - 1, 0)), np.nan)
    lengths = _lengths(texts)
    matched = np.zeros((size, max_n))
    for order, grams in enumerate(set_ngram_kernels.orders(texts, max_n)):
        clipped = np.minimum(grams.count, _largest_elsewhere(grams))
        matched[:, order] = np.bincount(grams.text, weights=clipped, minlength=size)
    return _bleu(matched, lengths, _closest_elsewhere(lengths))


def pool_bleu(candidates: Texts, references: Texts, max_n: int = 4) -> Floats:
    """(candidates, max_n - 1) BLEU-N of each candidate against all references at once, N = 2..max_n; higher is better.

    Weights, closest length and orders without a match are as in `self_bleu`. For each n-gram the largest count in one
    reference is stored, so 10,000 candidates against 20,000 references take seconds. NaN if there are no references.
    Raises ValueError for malformed tokens. Montahaei et al., tables 1 to 3.
    """
    size = len(candidates)
    if not len(references):
        return np.full((size, max(max_n - 1, 0)), np.nan)
    lengths, matched = _lengths(candidates), np.zeros((size, max_n))
    for order, grams in enumerate(set_ngram_kernels.orders([*candidates, *references], max_n)):
        own = grams.text < size
        most = np.zeros(grams.distinct, dtype=np.int64)
        np.maximum.at(most, grams.gram[~own], grams.count[~own])
        clipped = np.minimum(grams.count[own], most[grams.gram[own]])
        matched[:, order] = np.bincount(grams.text[own], weights=clipped, minlength=size)
    return _bleu(matched, lengths, _closest_of(lengths, _lengths(references)))


def self_bleu_without(texts: Texts, group: ArrayLike, max_n: int = 4) -> tuple[Floats, Floats]:
    """Return `self_bleu`, and its means (groups, max_n - 1) without each group of texts.

    `group` (texts,) numbers the groups from 0. A group is left out both as hypotheses and as references of the other
    groups; NaN if fewer than two texts remain. All groups take a single pass: leaving one out changes the matches of an
    n-gram in a text only if its clipped count depends on that group, so few scores must be recomputed.
    """
    of, lengths, size = np.asarray(group, dtype=np.int64), _lengths(texts), len(texts)
    groups = int(of.max(initial=-1)) + 1
    scores = self_bleu(texts, max_n)
    if size < 2:
        return scores, np.full((groups, max(max_n - 1, 0)), np.nan)
    matched, pairs, lost = np.zeros((size, max_n)), [_closest_lost(lengths, of)], []
    for order, grams in enumerate(set_ngram_kernels.orders(texts, max_n)):
        found = _lost(grams, of)
        matched[:, order] = np.bincount(grams.text, weights=found.clipped, minlength=size)
        lost.append((found.text * groups + found.group, found.matches))
        pairs.append(lost[-1][0])
    changed, place = np.unique(np.concatenate(pairs), return_inverse=True)
    text, without = np.divmod(changed, groups)
    left, start = matched[text], len(pairs[0])
    for order, (keys, matches) in enumerate(lost):
        left[:, order] -= np.bincount(place[start : start + len(keys)], weights=matches, minlength=len(changed))
        start += len(keys)
    closest = _closest_without(lengths, of, text, without)
    gain = _bleu(left, lengths[text], closest) - scores[text]
    sums = scores.sum(axis=0) + _grouped(gain, without, groups) - _grouped(scores, of, groups)
    remaining = size - np.bincount(of, minlength=groups)[:, None]
    return scores, np.where(remaining > 1, sums / np.maximum(remaining, 1), np.nan)


class _Lost(NamedTuple):
    """The clipped count of each n-gram entry, and the matches that a text loses without a group, if it loses any."""

    clipped: Integers
    text: Integers
    group: Integers
    matches: Integers


def _lost(grams: set_ngram_kernels.Grams, group: Integers) -> _Lost:
    """Return how leaving out any one group changes the clipped counts of the other groups' texts."""
    order = np.lexsort((-grams.count, grams.gram))
    gram, count, own = grams.gram[order], grams.count[order], group[grams.text[order]]
    first, second = _leaders(gram, np.arange(len(gram)), grams.distinct)
    entry = np.arange(len(gram))
    leads = entry == first[gram]
    elsewhere = np.where(leads, second[gram], first[gram])
    most = np.where(elsewhere >= 0, count[elsewhere], 0)
    alone = np.where(elsewhere >= 0, own[elsewhere], -1)
    # The next best without the leader's group; for the leader itself, without the second's group.
    best = own[first]
    others = _leaders(gram, entry[own != best[gram]], grams.distinct)
    runner = np.where(entry == others[0][gram], others[1][gram], others[0][gram])
    rivals = np.where(second >= 0, own[second], -1)
    beside = _leaders(gram, entry[~leads & (own != rivals[gram])], grams.distinct)[0]
    runner = np.where(leads, beside[gram], runner)
    next_best = np.where(runner >= 0, count[runner], 0)
    clipped, without = np.minimum(count, most), np.minimum(count, next_best)
    loses = (elsewhere >= 0) & (alone != own) & (without < clipped)
    ordered = np.empty_like(clipped)
    ordered[order] = clipped
    return _Lost(ordered, grams.text[order][loses], alone[loses], (clipped - without)[loses])


def _leaders(gram: Integers, entries: Integers, distinct: int) -> tuple[Integers, Integers]:
    """(distinct,) the first and the second entry of each n-gram, -1 if missing; `entries` are sorted by n-gram."""
    out = np.full((2, distinct), -1)
    starts = np.flatnonzero(np.diff(gram[entries], prepend=-1))
    out[0, gram[entries[starts]]] = entries[starts]
    later = starts[np.diff(starts, append=len(entries)) > 1] + 1
    out[1, gram[entries[later]]] = entries[later]
    return out[0], out[1]


def _closest_lost(lengths: Integers, group: Integers) -> Integers:
    """Return the keys text * groups + group of texts whose closest length occurs only in that other group."""
    groups = int(group.max()) + 1
    closest, width = _closest_elsewhere(lengths), int(lengths.max()) + 1
    texts_of = np.bincount(group * width + lengths, minlength=groups * width).reshape(groups, width)
    said_by = (texts_of > 0).sum(axis=0)
    numbers = (np.arange(groups)[:, None] * (texts_of > 0)).sum(axis=0)
    # A text is not its own reference: it may be the only one of its group with its length.
    itself = (closest == lengths) & (texts_of[group, closest] == 1)
    only = np.where(said_by[closest] - itself == 1, numbers[closest] - np.where(itself, group, 0), group)
    lone = np.flatnonzero(only != group)
    return lone * groups + only[lone]


def _closest_without(lengths: Integers, group: Integers, text: Integers, without: Integers) -> Integers:
    """Return, for each text, the closest length of another text that is not in the group `without`."""
    out = _closest_elsewhere(lengths)[text]
    groups = int(group.max()) + 1
    for place in np.flatnonzero(np.isin(text * groups + without, _closest_lost(lengths, group))):
        others = np.delete(lengths, text[place])[np.delete(group, text[place]) != without[place]]
        own = lengths[text[place]]
        if len(others):
            out[place] = others[np.argmin(2 * np.abs(others - own) + (others > own))]
    return out


def _grouped(values: Floats, group: Integers, groups: int) -> Floats:
    return np.column_stack([np.bincount(group, weights=column, minlength=groups) for column in values.T])


def _bleu(matched: Floats, lengths: Integers, closest: Integers) -> Floats:
    """(texts, max_n - 1) BLEU-2 and above, from clipped matches (texts, max_n) and closest lengths; 0 for no words."""
    orders = np.arange(matched.shape[1])
    counted = np.where((matched == 0) & (orders > 0), 0.1, matched)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(counted / np.maximum(lengths[:, None] - orders, 1.0))
        brevity = np.minimum(0.0, 1 - closest / lengths)
    brevity[lengths == 0] = 0.0
    return np.exp(np.cumsum(logs, axis=1) / (orders + 1) + brevity[:, None])[:, 1:]


def _lengths(texts: Texts) -> Integers:
    return np.array([len(np.asarray(text)) for text in texts], dtype=np.int64)


def _largest_elsewhere(grams: set_ngram_kernels.Grams) -> Integers:
    """Return, for each entry, the largest count of its n-gram in another text."""
    order = np.lexsort((-grams.count, grams.gram))
    starts = np.flatnonzero(np.diff(grams.gram[order], prepend=-1))
    largest, owner = grams.count[order][starts], grams.text[order][starts]
    several = np.diff(starts, append=len(order)) > 1
    second = np.where(several, grams.count[order][np.minimum(starts + 1, max(len(order) - 1, 0))], 0)
    return np.where(owner[grams.gram] == grams.text, second[grams.gram], largest[grams.gram])


def _closest_of(lengths: Integers, others: Integers) -> Integers:
    """Return, for each length, the closest length in `others`, the shorter length on ties."""
    known = np.unique(others)
    above = np.searchsorted(known, lengths)
    low, high = known[np.maximum(above - 1, 0)], known[np.minimum(above, len(known) - 1)]
    return np.where(np.abs(lengths - low) <= np.abs(high - lengths), low, high)


def _closest_elsewhere(lengths: Integers) -> Integers:
    """Return, for each text, the closest length of another text, the shorter on ties."""
    ordered = np.argsort(lengths, kind="stable")
    sizes = lengths[ordered]
    far = np.iinfo(np.int64).max // 4
    below = np.concatenate([[-far], sizes[:-1]])
    above = np.concatenate([sizes[1:], [far]])
    closest = np.where(sizes - below <= above - sizes, below, above)
    out = np.empty_like(lengths)
    out[ordered] = closest
    return out


def zipf_coefficient(tokens: ArrayLike) -> float:
    """Return the negated slope of log frequency over log rank of the words, by least squares over all ranks.

    `tokens` (T,) is the word of every token, as a number. About 1 for English, 0 if all words are equally frequent.
    NaN with fewer than two different words.
    """
    counts = np.sort(np.unique(np.asarray(tokens), return_counts=True)[1])[::-1]
    if len(counts) < 2:
        return float("nan")
    ranks, frequencies = np.log(np.arange(1, len(counts) + 1)), np.log(counts)
    ranks = ranks - ranks.mean()
    return float(-(ranks @ frequencies) / (ranks @ ranks)) + 0.0


def self_cider(similarity: ArrayLike) -> float:
    """Return the diversity of m texts from their (m, m) CIDEr matrix: 0 (all alike) to 1 (nothing shared).

    It is -log_m(s_1 / sum s), with s the singular values of the n-gram vectors, the roots of the eigenvalues of the
    matrix (its symmetric part). Eigenvalues that are negative, or below m machine epsilons of the largest, count as 0,
    since roots would magnify rounding errors. NaN with fewer than two texts or an all-zero matrix. Wang and Chan 2019.
    """
    matrix = check_matrix(similarity, "The CIDEr matrix")
    if len(matrix) < 2:
        return float("nan")
    spectrum = np.linalg.eigvalsh((matrix + matrix.T) / 2)
    noise = len(matrix) * np.finfo(float).eps * spectrum.max()
    values = np.sqrt(np.where(spectrum > noise, spectrum, 0.0))
    if values.sum() == 0:
        return float("nan")
    return float(-np.log(values.max() / values.sum()) / np.log(len(matrix))) + 0.0
