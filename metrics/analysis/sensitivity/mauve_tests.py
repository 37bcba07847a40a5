"""Permutation tests of MAUVE: the captions that a case draws are pooled over all items and have one p."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from data.study import Item, Run, Settings, Study
from metrics.analysis.sensitivity import sets
from metrics.analysis.sensitivity.drawn_chunk import study_drawn_from
from metrics.base import Undefined
from metrics.cache.disk import Cache, text_vectors
from metrics.chunk import CHUNK, Chunk, chunks
from metrics.mathematics.arrays import Floats
from metrics.progress import Hooks
from metrics.suite.corpus_embeddings import Mauve


def run_tests(study: Study, made: sets.Design, metrics: Sequence[Mauve], cache: Cache, hooks: Hooks) -> Floats:
    """Return the p of each case by each metric, with its smallest possible value: (cases, metrics, 2).

    NaN for cases with too few captions. Each caption is embedded once, whichever cases draw it. Raises Cancelled.
    """
    kept = text_vectors()
    of = study_drawn_from(study, made)
    pieces = tuple(map(len, chunks(of.items, of.runs[0], CHUNK)))
    every = Chunk.of(of.items, of.runs[0], cache.with_text_vectors(kept), hooks, pieces=pieces)
    for encoder in {metric.space.encoder for metric in metrics}:
        every.embedded_sides(encoder)
    found = np.full((len(made.cases), len(metrics), 2), np.nan)
    for number, case in enumerate(made.cases):
        chunk = _drawn(study, made, case, Cache(None).with_text_vectors(kept), hooks)
        for m, metric in enumerate(metrics):
            hooks.check()
            try:
                test = metric.test_run(chunk, seed=made.seed)
            except Undefined:
                continue
            found[number, m] = test.p_value, test.floor
        hooks.share((number + 1) / len(made.cases))
    return found


def _drawn(study: Study, made: sets.Design, case: sets.Case, cache: Cache, hooks: Hooks) -> Chunk:
    run, items, said = study.run(made.run), [], {}
    for place in sets.chosen_items(study, made).tolist():
        if (sides := sets.drawn(study, run, made, place, case)) is not None:
            item = study.items[place]
            items.append(Item(item.id, sides[1], cluster=item.cluster))
            said[item.id] = sides[0]
    return Chunk.of(items, Run("drawn", "drawn", Settings(), said), cache, hooks, clustered=study.unit is not None)
