"""Statistics of candidates against every subset of the references, from pairwise scores that are computed once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from metrics.base import Metric, Stats, Undefined
from metrics.chunk import Chunk
from metrics.distances.meteor import MeteorDistance, pair_statistics, why_unscored
from metrics.distances.words import RougeLDistance
from metrics.mathematics.arrays import Floats, Integers
from metrics.suite.quality import Bert, BertScore, Bleu, CiderD, Meteor, PairQuality, Quality, RougeL
from metrics.suite.scene import SceneF

if TYPE_CHECKING:
    from metrics.text.ngrams import NgramCounts

Subsets = Sequence[Integers]
"""For each size, a (subsets, size) array of positions."""
Rows = Callable[[Any, Any, Chunk, int, Subsets], list[Floats]]


def totals(metric: Metric, context: Any, chunk: Chunk, subsets: Sequence[Subsets]) -> list[Floats]:
    """Return totals (items, subsets, columns) for each size; `subsets` are file positions, by item and size.

    Raises Cancelled.
    """
    values: list[list[Floats]] = [[] for _ in subsets[0]]
    items: list[list[Integers]] = [[] for _ in subsets[0]]
    for index, of_item in enumerate(subsets):
        chunk.hooks.check()
        for k, found in enumerate(_rows(metric, context, chunk, index, of_item)):
            count, n, columns = found.shape
            values[k].append(found.reshape(count * n, columns))
            items[k].append(np.repeat(index * count + np.arange(count), n))
    out = []
    for k, first in enumerate(subsets[0]):
        shape = (len(subsets), len(first))
        stats = Stats(np.concatenate(values[k]), np.concatenate(items[k]), shape[0] * shape[1])
        out.append(metric.totals(stats).reshape(*shape, -1))
    return out


def _rows(metric: Metric, context: Any, chunk: Chunk, index: int, subsets: Subsets) -> list[Floats]:
    """(subsets, n, columns) statistics for each size; NaN if the metric has no value."""
    n = chunk.sizes(index)[0]
    assert isinstance(metric, Quality)
    try:
        if n == 0:
            raise Undefined("no captions of the run")
        return FAST[type(metric)](metric, context, chunk, index, subsets)
    except Undefined:
        return [np.full((len(rows), n, metric.columns), np.nan) for rows in subsets]


def _sorted_places(chunk: Chunk, index: int) -> Integers:
    return np.argsort(chunk.reference_places[index])


def _pairs(metric: PairQuality, context: Any, chunk: Chunk, index: int, subsets: Subsets) -> list[Floats]:
    block = metric.space.block(context, chunk, index)[:, _sorted_places(chunk, index)]
    mean = metric.rule == "mean_mean"
    parts = [block[:, rows].mean(axis=2) if mean else block[:, rows].max(axis=2) for rows in subsets]
    return [part.T[:, :, None] for part in parts]


def _rouge(metric: RougeL, context: Any, chunk: Chunk, index: int, subsets: Subsets) -> list[Floats]:
    from metrics.text.rouge import f_score

    assert isinstance(metric.space, RougeLDistance)
    both = metric.space.block_precision_recall(chunk, index)[:, :, _sorted_places(chunk, index)]
    best = [both[:, :, rows].max(axis=3) for rows in subsets]
    return [f_score(precision, recall).T[:, :, None] for precision, recall in best]


def _meteor(metric: Meteor, context: Any, chunk: Chunk, index: int, subsets: Subsets) -> list[Floats]:
    from metrics.text.meteor import score

    assert isinstance(metric.space, MeteorDistance)
    block = pair_statistics(chunk, metric.space)[index]
    if np.isnan(block).any():
        raise Undefined(why_unscored(chunk, metric.space, index))
    scores, out = score(block), []
    for rows in subsets:
        best = rows[np.arange(len(rows)), scores[:, rows].argmax(axis=2)]
        out.append(block[np.arange(len(block))[:, None], best].swapaxes(0, 1))
    return out


def _bleu(metric: Bleu, context: Any, chunk: Chunk, index: int, subsets: Subsets) -> list[Floats]:
    from metrics.text.bleu import STATISTICS, reference_lengths
    from metrics.text.ngrams import MAX_N, count_words

    n = chunk.sizes(index)[0]
    counts = count_words(chunk.tokens(metric.tokenizer, index))
    own, others = counts.lengths[:n], counts.lengths[n:][_sorted_places(chunk, index)]
    out = [np.empty((len(rows), n, STATISTICS)) for rows in subsets]
    table, orders = _tabulated(counts, n)
    said, most = table[:n, None], table[n:][_sorted_places(chunk, index)]
    for rows, found in zip(subsets, out):
        found[:, :, :MAX_N] = (np.minimum(said, most[rows].max(axis=1)) @ orders).swapaxes(0, 1)
    for rows, found in zip(subsets, out):
        found[:, :, 4:8] = np.maximum(own[:, None] - np.arange(MAX_N), 0)
        found[:, :, 8] = own
        found[:, :, 9] = reference_lengths(own, others[rows])
    return out


def _scene(metric: SceneF, context: Any, chunk: Chunk, index: int, subsets: Subsets) -> list[Floats]:
    unions, n = metric.unions(chunk, index), chunk.sizes(index)[0]
    places, out = n + _sorted_places(chunk, index), []
    for rows in subsets:
        references = np.zeros((len(rows), len(unions.has)), dtype=bool)
        references[np.arange(len(rows))[:, None], places[rows]] = True
        scores = unions.scores(references)[:, :n]
        scores[~np.any(references @ unions.has, axis=1)] = np.nan  # these references contain no tuples
        out.append(scores[:, :, None])
    return out


def _tabulated(counts: NgramCounts, n: int) -> tuple[Floats, Floats]:
    """Counts (texts, k) of the n-grams in the first n texts, and one-hot rows (k, orders) of their orders."""
    texts = len(counts.lengths)
    table = np.zeros((texts, counts.starts[-1]))
    each = np.diff(counts.indptr, axis=1)
    table[np.repeat(np.tile(np.arange(texts), len(each)), each.ravel()), counts.ids] = counts.counts
    here = table[:n].any(axis=0)
    orders = np.repeat(np.eye(len(each)), np.diff(counts.starts), axis=0)
    return table[:, here], orders[here]


FAST: dict[type[Metric], Rows] = {
    Bleu: _bleu,
    CiderD: _pairs,
    Bert: _pairs,
    BertScore: _pairs,
    RougeL: _rouge,
    Meteor: _meteor,
    SceneF: _scene,
}
"""Functions that compute subset scores from the scores of pairs or from facts, by exact class of metric.

Subclasses may score differently.
"""
