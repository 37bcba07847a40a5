"""Measure the coverage of corpus BLEU's intervals over texts in studies of one item, as of models without a prompt."""

from __future__ import annotations

import numpy as np
import pytest

from data.study import Item, Run, Settings, Study
from metrics.base import Stats
from metrics.cache.disk import Cache
from metrics.chunk import Chunk
from metrics.registry import METRICS
from tests.prove.conftest import Proof
from tests.prove.worlds import grammars
from tools.demo.captions import render
from tools.demo.grammar import sample
from tools.demo.models import TRUTH, distribution

POPULATION, POOL = 20_000, 2_000
SIZES = (50, 200, 1_000)
REPEATS = 2_000


def population() -> Study:
    rng, known, model = np.random.default_rng(9), grammars(), distribution("Loose", 0.7)

    def says(source: object) -> str:
        return render(sample(known[rng.integers(len(known))].root, source, rng))  # type: ignore[arg-type]

    pool = tuple(says(TRUTH) for _ in range(POOL))
    items = tuple(Item(str(k), () if k else pool) for k in range(POPULATION))
    return Study("texts", items, (Run("model", "model", Settings(), {item.id: (says(model),) for item in items}),))


@pytest.mark.prove
def test_corpus_bleu_of_texts_is_covered(proof: Proof) -> None:
    """The texts of a run are resampled while the pool is held fixed."""
    study, rng = population(), np.random.default_rng(10)
    chunk, missed = Chunk.of(study.items, study.runs[0], Cache(None)), {}
    for name in (f"corpus_bleu_{n}" for n in range(2, 6)):
        metric = METRICS[name]
        rows = metric.stats(None, chunk).values
        truth = rows[:, 0].mean()
        for size in SIZES:
            drawn = [rows[rng.integers(len(rows), size=size)].sum(axis=0, keepdims=True) for _ in range(REPEATS)]
            ends = [metric.interval(metric.totals(Stats(one, np.zeros(1, int), 1)), 100, 0) for one in drawn]
            share = float(np.mean([low <= truth <= high for low, high in ends]))
            proof.row(
                "Corpus BLEU of texts without items: coverage of 95 % intervals",
                metric=name,
                texts=size,
                nominal=0.95,
                measured=share,
                repeats=REPEATS,
            )
            if share < 0.94 - 3.2 * np.sqrt(0.95 * 0.05 / REPEATS):
                missed[name, size] = share
    assert not missed
