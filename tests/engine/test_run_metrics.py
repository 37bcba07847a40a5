"""Test metrics of a whole run: their intervals, also recomputed independently, and runs without captions or an
interval.
"""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from data.study import Item, Run, Settings, Study
from metrics.bootstrap import LEAST, bootstrap_weights, group_jackknife, percentiles
from metrics.cache.disk import Cache
from metrics.chunk import Chunk
from metrics.engine import scoring
from metrics.engine.result import Result
from metrics.engine.scores_table import scores
from metrics.engine.tasks import Options
from metrics.engine.workers import Workers
from metrics.mathematics.arrays import Floats
from metrics.mathematics.frechet import corpus_frechet
from metrics.registry import METRICS, resolve
from metrics.suite.corpus_embeddings import CorpusFrechet
from metrics.suite.diversity import Distinct
from metrics.units import by_unit
from tests.studies import captions, study

NAMES = [name for name, metric in METRICS.items() if not metric.of_items]


def scored(name: str, candidates: list[int], references: int = 30) -> Result:
    source = random.Random(1)
    items = tuple(Item(str(k), captions(source, references)) for k in range(len(candidates)))
    said = {str(k): captions(source, n) for k, n in enumerate(candidates)}
    uneven = Study("uneven", items, (Run("run", "run", Settings(), said),))
    return scoring.score(uneven, resolve([name], "whitespace"), workers=Workers(jobs=1))["run", name]


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
    if found.metric.no_interval:
        assert np.isnan([found.low, found.high]).all()
        return
    assert low <= found.low <= found.corpus <= found.high <= high


@pytest.mark.parametrize("squared", [False, True])
def test_the_interval_of_the_corpus_frechet_distance_leaves_out_groups(squared: bool) -> None:
    """The interval from the moments of groups equals that from distances computed without each group."""
    of = study(items=24, runs=1)
    metric = CorpusFrechet(squared=squared)
    found = scoring.score(of, [metric], workers=Workers(jobs=1))["run 0", metric.name]
    chunk = Chunk.of(of.items, of.runs[0], Cache(None))

    def kept(items: np.ndarray) -> float:
        sides = [[chunk.embeddings(metric.space.encoder, k)[where(k)] for k in items] for where in (own, others)]
        return corpus_frechet(*map(np.concatenate, sides), squared)

    own, others = chunk.is_candidate, lambda index: ~chunk.is_candidate(index)
    assert found.corpus == pytest.approx(kept(np.arange(24)), rel=1e-5)
    assert (found.low, found.high) == pytest.approx(group_jackknife(kept, 24), rel=1e-3)


def test_the_interval_of_self_bleu_leaves_out_items_from_the_pool_too() -> None:
    """The items' jackknife values are resampled: n times the value minus n - 1 times the value without the item."""
    of, metric = study(items=24, runs=1), METRICS["corpus_self_bleu_4"]
    found = {
        (resamples, seed): scoring.score(of, [metric], Options(resamples=resamples, seed=seed))["run 0", metric.name]
        for resamples, seed in ((300, 0), (300, 1), (400, 0))
    }
    assert len({(one.low, one.high) for one in found.values()}) == 3
    one = found[300, 1]
    without = [
        scoring.score(replace(of, items=of.items[:k] + of.items[k + 1 :]), [metric])["run 0", metric.name].corpus
        for k in range(24)
    ]
    shares = one.corpus - 23 * (np.array(without) - np.mean(without))
    assert one.totals[:, 1].tolist() == [1] * 24
    assert one.totals[:, 0] == pytest.approx(shares, abs=1e-10)
    assert one.totals[:, 0].mean() == pytest.approx(one.corpus, abs=1e-12)
    values = np.concatenate([block @ shares / 24 for block in bootstrap_weights(24, 300, 1)])
    assert (one.low, one.high) == pytest.approx(np.quantile(values, percentiles(24)))


def test_the_interval_of_self_bleu_leaves_out_whole_clusters() -> None:
    of, metric = study(items=24, runs=1), METRICS["corpus_self_bleu_4"]
    unit = np.repeat(np.arange(12), [1, 3] * 6)
    of = replace(of, items=tuple(replace(item, cluster=str(k)) for item, k in zip(of.items, unit)))
    one = scoring.score(of, [metric])["run 0", metric.name]
    without = [
        scoring.score(of.only(items=[i.id for i, k in zip(of.items, unit) if k != left]), [metric])[
            "run 0", metric.name
        ].corpus
        for left in range(12)
    ]
    off = -11 * (np.array(without) - np.mean(without))
    totals = by_unit(one.totals, unit)
    assert totals[:, 1].tolist() == [1, 3] * 6
    assert totals[:, 0] - one.corpus * totals[:, 1] == pytest.approx(2 * off, abs=1e-10)
    assert one.totals[:, 0].mean() == pytest.approx(one.corpus, abs=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_five_items_have_no_interval_and_six_have_one(name: str) -> None:
    for items, known in ((LEAST - 1, False), (LEAST, True)):
        of = study(items=items, candidates=12, references=12)
        # One item has a unique word; otherwise none would affect the vocabulary.
        said = dict(of.runs[0].candidates)
        said["image 0"] = (*said["image 0"][:11], "An unheard-of zeppelin.")
        of = replace(of, runs=(replace(of.runs[0], candidates=said),))
        found = scoring.score(of, [METRICS[name]])["run 0", name]
        why = None if known else "n = 5 is too few: intervals begin at 6"
        if found.metric.no_interval:
            known, why = False, found.metric.no_interval
        assert np.isfinite(found.corpus)
        assert np.isfinite([found.low, found.high]).tolist() == [known, known]
        assert not found.high <= found.low
        assert found.why_no_interval() == why


def test_a_run_that_says_one_caption_of_everything_has_no_interval_of_its_words() -> None:
    of = study(items=30, runs=1)
    same = replace(of, runs=(replace(of.runs[0], candidates={item.id: ("a dog runs",) * 5 for item in of.items}),))
    for name in ("vocabulary", "corpus_self_bleu_2", "caption_length", "distinct_1", "unique_captions"):
        found = scoring.score(same, [METRICS[name]])["run 0", name]
        assert np.isfinite(found.corpus)
        assert np.isnan([found.low, found.high]).all(), name
        (row,) = scores(same, {("run 0", name): found}).to_dict("records")
        of_parts = "leaving out items does not change it"
        assert row["ci_error"] == ("it is the same in every resample" if found.metric.additive else of_parts)


def test_a_value_that_some_resamples_lack_says_so() -> None:
    class Sometimes(Distinct):
        def resampled(self, totals: Floats) -> Floats:
            values = self.finish(totals)
            return np.where(np.arange(len(values)) % 50, values, np.nan)

    found = scoring.score(study(items=30, runs=1), [METRICS["distinct_1"]])["run 0", "distinct_1"]
    assert np.isfinite(found.low)
    assert found.why_no_interval() is None
    gone = replace(found, metric=Sometimes(1), low=np.nan, high=np.nan)
    assert gone.why_no_interval() == "it is undefined in some resamples"
