"""Metrics of a whole run: their intervals stay in what is possible, and items without captions cost no value."""

from __future__ import annotations

import random

import numpy as np
import pytest

from data.study import Item, Run, Settings, Study
from metrics import engine
from metrics.backend import Workers
from metrics.bootstrap import bootstrap_weights, group_jackknife
from metrics.cache import Cache
from metrics.chunk import Chunk
from metrics.corpus import CorpusFrechet
from metrics.kernels import corpus_frechet
from metrics.registry import METRICS, resolve
from metrics.result import Result
from metrics.tasks import Options
from tests.studies import captions, study

NAMES = [name for name, metric in METRICS.items() if not metric.of_items]


def scored(name: str, candidates: list[int], references: int = 30) -> Result:
    """A run with that many captions of each item."""
    source = random.Random(1)
    items = tuple(Item(str(k), captions(source, references)) for k in range(len(candidates)))
    said = {str(k): captions(source, n) for k, n in enumerate(candidates)}
    uneven = Study("uneven", items, (Run("run", "run", Settings(), said),))
    return engine.score(uneven, resolve([name], "whitespace"), workers=Workers(jobs=1))["run", name]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", NAMES)
def test_items_without_candidates_cost_the_interval_at_most(name: str) -> None:
    found = scored(name, [60, 0, 0])
    assert found.error is None
    assert not np.isnan(found.corpus)


@pytest.mark.parametrize("name", NAMES)
def test_intervals_are_in_what_is_possible(name: str) -> None:
    found = scored(name, [60, 1, 1, 1, 1, 1])
    low, high = found.metric.bounds
    assert low <= found.low <= found.corpus <= found.high <= high


@pytest.mark.parametrize("squared", [False, True])
def test_the_interval_of_the_corpus_frechet_distance_leaves_out_groups(squared: bool) -> None:
    """By the moments of groups, held to the distance of what is left without each."""
    of = study(items=24, runs=1)
    metric = CorpusFrechet(squared=squared)
    found = engine.score(of, [metric], workers=Workers(jobs=1))["run 0", metric.name]
    chunk = Chunk.of(of.items, of.runs[0], Cache(None))

    def kept(items: np.ndarray) -> float:
        sides = [[chunk.embeddings(metric.space.encoder, k)[where(k)] for k in items] for where in (own, others)]
        return corpus_frechet(*map(np.concatenate, sides), squared)

    own, others = chunk.is_candidate, lambda index: ~chunk.is_candidate(index)
    assert found.corpus == pytest.approx(kept(np.arange(24)), rel=1e-5)
    assert (found.low, found.high) == pytest.approx(group_jackknife(kept, 24), rel=1e-3)


def test_the_interval_of_self_bleu_resamples_items_as_it_is_asked_to() -> None:
    """By drawing items with replacement, the Self-BLEU of each candidate kept as it is."""
    of, metric = study(items=24, runs=1), METRICS["corpus_self_bleu_4"]
    found = {
        (resamples, seed): engine.score(of, [metric], Options(resamples=resamples, seed=seed))["run 0", metric.name]
        for resamples, seed in ((300, 0), (300, 1), (400, 0))
    }
    assert len({(one.low, one.high) for one in found.values()}) == 3
    assert len({one.corpus for one in found.values()}) == 1
    totals = found[300, 1].totals
    assert totals[:, 1].tolist() == [5] * 24
    values = [(block @ totals)[:, 0] / (block @ totals)[:, 1] for block in bootstrap_weights(24, 300, 1)]
    assert (found[300, 1].low, found[300, 1].high) == pytest.approx(np.quantile(np.concatenate(values), [0.025, 0.975]))
