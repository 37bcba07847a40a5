"""Runs against each other, held to a route that resamples captions and scores them anew."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from metrics import compare, engine
from metrics.base import Stats
from metrics.cache import Cache
from metrics.registry import METRICS
from metrics.result import assemble, failed
from metrics.tasks import Options
from tests.studies import study as random_study

NAMES = ("bleu_2", "cider_d", "distinct_1", "ms_jaccard_2", "corpus_self_bleu_2")


@pytest.fixture(scope="module")
def scored():
    study = random_study(items=7, runs=4, seed=3)
    results = engine.score(study, [METRICS[name] for name in NAMES], Options(), Cache(None))
    return study, results


@pytest.mark.parametrize("name", NAMES)
def test_resamples_are_those_of_each_result_and_the_same_items_for_all(scored, name):
    study, results = scored
    own = [results[run.name, name] for run in study.runs]
    boot = compare.resampled(own, resamples=2_000)
    for result, row in zip(own, boot):
        assert np.quantile(row, [0.025, 0.975]) == pytest.approx([result.low, result.high], abs=1e-12)
    random = np.random.default_rng(0)
    for k in range(5):
        drawn = random.integers(len(study.items), size=len(study.items))
        slow = [float(r.metric.finish(r.totals[drawn].sum(axis=0))) for r in own]
        assert boot[:, k] == pytest.approx(slow, abs=1e-12)


def test_items_without_a_value_are_not_resampled():
    """Eight of sixty items can have a value: the interval and the resamples are those of a study of the eight."""
    study = random_study(items=60, candidates=3, seed=4)
    lone = {item.id: 1 if k >= 8 else 3 for k, item in enumerate(study.items)}
    cut = [replace(r, candidates={i: c[: lone[i]] for i, c in r.candidates.items()}) for r in study.runs]
    study = replace(study, runs=tuple(cut))
    few = study.only(items=[i for i, n in lone.items() if n > 1])
    metric = METRICS["unique_captions"]
    many, own = ([found[r.name, metric.name] for r in study.runs] for found in map(values_of(metric), (study, few)))
    for one, other in zip(many, own):
        assert (one.corpus, one.low, one.high) == (other.corpus, other.low, other.high)
        assert not np.isnan(one.low)
    np.testing.assert_array_equal(compare.resampled(many, 200), compare.resampled(own, 200))


def values_of(metric):
    return lambda study: engine.score(study, [metric], Options(), Cache(None))


def test_what_cannot_be_resampled_is_undefined_beside_the_others(scored):
    _study, results = scored
    good = results["run 0", "cider_d"]
    boot = compare.resampled([good, failed(good.metric, 7, "broken")], resamples=50)
    assert not np.isnan(boot[0]).any()
    assert np.isnan(boot[1]).all()
    assert compare.verdict(np.full(2, np.nan), boot, True, 7) is None


def test_a_paired_difference_is_surer_than_the_intervals_apart():
    """Two runs that differ by a constant on every item: the difference is certain however wide their intervals."""
    random = np.random.default_rng(1)
    drawn = random.normal(0, 10, size=2_000)
    values, boot = np.array([0.0, 0.5]), np.vstack([drawn, drawn + 0.5])
    found = compare.differences(values, boot, 0)
    assert found.value[1] == found.low[1] == pytest.approx(found.high[1])
    assert found.sure.tolist() == [False, True]
    assert compare.differences(values, boot, 1).value.tolist() == [-0.5, 0.0]


@given(arrays(float, (4, 31), elements=st.integers(0, 4).map(float)), st.booleans())
def test_rank_ranges_against_counting(boot, higher):
    found = compare.rank_ranges(boot, higher)
    for k in range(4):
        low, high = [], []
        for b in range(31):
            own, column = boot[k, b], boot[:, b]
            ahead = sum((other > own) if higher else (other < own) for other in column)
            low.append(ahead + 1)
            high.append(ahead + sum(other == own for other in column))
        # The smallest number that at least the share of the resamples does not exceed.
        assert found.low[k] == sorted(low)[int(np.ceil(0.025 * 31)) - 1]
        assert found.high[k] == sorted(high)[int(np.ceil(0.975 * 31)) - 1]
        assert 1 <= found.low[k] <= found.high[k] <= 4


def test_ranks_leave_out_runs_without_resamples():
    boot = np.vstack([np.full(20, 1.0), np.full(20, np.nan), np.full(20, 2.0)])
    found = compare.rank_ranges(boot, higher_is_better=False)
    assert found.low.tolist() == [1, 0, 2]
    assert found.high.tolist() == [1, 0, 2]


def test_ranking_puts_the_undefined_last():
    values = np.array([0.2, np.nan, 0.9, 0.2])
    assert compare.ranking(values, higher_is_better=True) == [2, 0, 3, 1]
    assert compare.ranking(values, higher_is_better=False) == [0, 3, 2, 1]


def test_verdict_names_who_is_tied_who_is_apart_and_who_is_unknown():
    random = np.random.default_rng(2)
    noise = random.normal(0, 0.1, size=(3, 2_000))
    values = np.array([0.50, 0.51, 0.95, np.nan, 0.7])
    boot = np.vstack([values[:3, None] + noise, np.full((2, 2_000), np.nan)])
    found = compare.verdict(values, boot, higher_is_better=False, items=9)
    assert found == compare.Verdict(0, 4, tied=(1,), apart=(2,), unknown=(4,), items=9)
    best_high = compare.verdict(values, boot, higher_is_better=True, items=9)
    assert best_high is not None
    assert (best_high.best, best_high.apart) == (2, (1, 0))


def test_one_run_and_one_item():
    study = random_study(items=1, runs=1)
    result = engine.score(study, [METRICS["rouge_l"]], Options(), Cache(None))["run 0", "rouge_l"]
    boot = compare.resampled([result])
    found = compare.verdict(np.array([result.corpus]), boot, True, 1)
    assert found == compare.Verdict(0, 1, (), (), (), 1)
    assert compare.rank_ranges(boot, True).low.tolist() == [0]


def test_runs_with_values_for_other_items_are_not_told_apart():
    """The same captions, but one run lost half of its values: the difference is that of the items."""
    whole = np.linspace(0, 1, 40)
    half = np.where(np.arange(40) < 20, np.nan, whole)
    metric = METRICS["rouge_l"]
    both = []
    for items in (whole, half):
        stats = Stats(items.reshape(-1, 1), np.arange(40), 40)
        both.append(assemble(metric, stats, None, 200, 0))
    values, boot, sets = compare.corpus_values(both), compare.resampled(both), compare.item_sets(both)
    assert sets.tolist() == [0, 1]
    found = compare.verdict(values, boot, True, 40, sets)
    assert found is not None
    assert found.unknown == (0,)
    assert found.apart == ()
    assert compare.verdict(values, boot, True, 40).apart == (0,)
