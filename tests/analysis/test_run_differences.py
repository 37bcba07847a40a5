"""Test the comparison of runs: independent computations of resamples and tests, ranks, verdicts, and equal runs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student
from scipy.stats import ttest_rel

from metrics.analysis import run_differences
from metrics.base import Stats
from metrics.bootstrap import bootstrap_totals, percentiles
from metrics.cache.disk import Cache
from metrics.engine import scoring
from metrics.engine.result import assemble, failed
from metrics.engine.tasks import Options
from metrics.registry import METRICS
from tests.equal_runs import pool, studies
from tests.studies import study as random_study

NAMES = ("bleu_2", "cider_d", "distinct_1", "ms_jaccard_2", "corpus_self_bleu_2")


@pytest.fixture(scope="module")
def scored():
    study = random_study(items=7, runs=4, seed=3)
    results = scoring.score(study, [METRICS[name] for name in NAMES], Options(), Cache(None))
    return study, results


@pytest.mark.parametrize("name", NAMES)
def test_resamples_are_those_of_each_result_and_the_same_items_for_all(scored, name):
    study, results = scored
    own = [results[run.name, name] for run in study.runs]
    boot = run_differences.resampled(own, resamples=2_000)
    for result, row in zip(own, boot):
        assert np.quantile(row, percentiles(7)) == pytest.approx([result.low, result.high], abs=1e-12)
    random = np.random.default_rng(0)
    for k in range(5):
        drawn = random.integers(len(study.items), size=len(study.items))
        slow = [float(r.metric.finish(r.totals[drawn].sum(axis=0))) for r in own]
        assert boot[:, k] == pytest.approx(slow, abs=1e-12)


def test_items_without_a_value_are_not_resampled():
    """Only eight of sixty items can have a value; intervals and resamples equal those of a study of these eight
    items.
    """
    study = random_study(items=60, candidates=3, seed=4)
    lone = {item.id: 1 if k >= 8 else 3 for k, item in enumerate(study.items)}
    cut = [replace(r, candidates={i: c[: lone[i]] for i, c in r.candidates.items()}) for r in study.runs]
    study = replace(study, runs=tuple(cut))
    few = study.only(items=[i for i, n in lone.items() if n > 1])
    metric = METRICS["self_bleu_2"]
    many, own = ([found[r.name, metric.name] for r in study.runs] for found in map(values_of(metric), (study, few)))
    for one, other in zip(many, own):
        assert (one.corpus, one.low, one.high) == (other.corpus, other.low, other.high)
        assert not np.isnan(one.low)
    np.testing.assert_array_equal(run_differences.resampled(many, 200), run_differences.resampled(own, 200))


def values_of(metric):
    return lambda study: scoring.score(study, [metric], Options(), Cache(None))


def test_what_cannot_be_resampled_is_undefined_beside_the_others(scored):
    _study, results = scored
    good = results["run 0", "cider_d"]
    boot = run_differences.resampled([good, failed(good.metric, 7, "broken")], resamples=50)
    assert not np.isnan(boot[0]).any()
    assert np.isnan(boot[1]).all()
    pairs = run_differences.all_pairs(np.array([good.corpus, np.nan]), boot, 7)
    assert np.isnan(pairs.p).all()
    assert pairs.known.tolist() == [True, False]
    assert run_differences.verdict(np.full(2, np.nan), pairs, True) is None


def test_a_paired_difference_is_surer_than_the_intervals_apart():
    """Two runs differ by a constant on every item, so the difference is certain however wide their intervals are."""
    random = np.random.default_rng(1)
    drawn = random.normal(0, 10, size=2_000)
    values, boot = np.array([0.0, 0.5]), np.vstack([drawn, drawn + 0.5])
    found = run_differences.differences(values, boot, 0, 60)
    assert found.value[1] == pytest.approx(found.low[1]) == pytest.approx(found.high[1])
    assert found.sure.tolist() == [False, True]
    assert run_differences.differences(values, boot, 1, 60).value.tolist() == [-0.5, 0.0]
    varied = run_differences.differences(values, boot + np.array([[0], [0.1]]) * random.normal(size=2_000), 0, 60)
    assert (varied.low[1], varied.high[1]) == pytest.approx((0.5 - 0.196, 0.5 + 0.196), abs=0.02)


@given(st.integers(0, 10_000), st.integers(2, 6), st.integers(6, 30))
def test_all_pairs_against_student_s_t_of_each_pair(seed, runs, items):
    """For a mean, the bootstrap error equals that of the t-test up to resampling.

    The test recomputes both corrections of p.
    """
    random = np.random.default_rng(seed)
    drawn = random.normal(size=(items, 1)) + random.normal(size=(items, runs)) + np.arange(runs) * random.random()
    values = drawn.mean(axis=0)
    found = run_differences.all_pairs(values, resample(drawn), items)
    i, j = np.triu_indices(runs, 1)
    slow = [ttest_rel(drawn[:, a], drawn[:, b]) for a, b in zip(i, j)]
    size = np.abs([one.statistic for one in slow])
    # A standard error of 2,000 resamples is off by 1.6 %: here by at most four times that.
    least, most = (multipletests(2 * student.sf(size * (1 + off), items - 1)) for off in (0.064, -0.064))
    assert (least <= found.p[i, j]).all()
    assert (found.p[i, j] <= most).all()
    np.testing.assert_array_equal(found.p, found.p.T)
    assert np.isnan(np.diag(found.p)).all()
    ends = np.array([one.confidence_interval(1 - 0.05 / len(size)) for one in slow])
    width = (ends[:, 1] - ends[:, 0]).max()
    assert found.low[i, j] == pytest.approx(ends[:, 0], abs=0.06 * width)
    assert found.high[j, i] == pytest.approx(-ends[:, 0], abs=0.06 * width)
    np.testing.assert_allclose(found.against(0).value, values - values[0])


def resample(drawn):
    return bootstrap_totals(drawn).T / len(drawn)


def multipletests(p):
    order, out, largest = np.argsort(p), np.empty(len(p)), 0.0
    for place, k in enumerate(order):
        largest = max(largest, min(1.0, (len(p) - place) * p[k]))
        out[k] = largest
    return out


def test_ranks_count_who_is_better_and_who_is_worse_for_sure():
    sure = np.full((4, 4), 0.5)
    for better, worse in ((0, 1), (0, 2), (0, 3), (1, 3)):
        sure[better, worse] = sure[worse, better] = 0.01
    values = np.array([9.0, 5.0, 4.0, 3.0])
    gaps = values[:, None] - values
    pairs = run_differences.Pairs(gaps, gaps, gaps, sure, np.ones(4, dtype=bool))
    found = run_differences.rank_ranges(pairs, higher_is_better=True)
    assert (found.low.tolist(), found.high.tolist()) == ([1, 2, 2, 3], [1, 3, 4, 4])
    found = run_differences.rank_ranges(pairs, higher_is_better=False)
    assert (found.low.tolist(), found.high.tolist()) == ([4, 2, 1, 1], [4, 3, 3, 2])


@pytest.mark.parametrize("items", [6, 9])
def test_runs_that_differ_by_the_same_everywhere_have_the_p_of_items_that_all_agree(items):
    drawn = np.random.default_rng(0).normal(size=(items, 1)) + np.array([0.0, 0.5, 0.0])
    pairs = run_differences.all_pairs(drawn.mean(axis=0), resample(drawn), items)
    alone = 2.0 ** (1 - items)
    assert pairs.p[0, 1] == pytest.approx(min(1, 3 * alone))
    assert pairs.p[0, 2] == 1.0
    assert pairs.sure[0, 1] == (items == 9)


def test_ranks_leave_out_runs_without_resamples():
    drawn = np.random.default_rng(0).normal(size=(40, 2)) + np.array([0.0, 5.0])
    boot = np.insert(resample(drawn), 1, np.nan, axis=0)
    values = np.insert(drawn.mean(axis=0), 1, np.nan)
    found = run_differences.rank_ranges(run_differences.all_pairs(values, boot, 40), higher_is_better=False)
    assert found.low.tolist() == [1, 0, 2]
    assert found.high.tolist() == [1, 0, 2]


@pytest.mark.parametrize("runs", [5, 12])
def test_nobody_is_told_apart_more_often_than_5_percent_where_all_runs_are_equal(runs):
    """Uncorrected comparisons with the best run would wrongly put some run behind it in 30 to 70 % of studies."""
    repeats, wrong = 150, np.zeros(2)
    for results in studies([pool("rouge_l")] * runs, 30, repeats, seed=runs):
        values, boot = run_differences.corpus_values(results), run_differences.resampled(results)
        ranks = run_differences.rank_ranges(run_differences.all_pairs(values, boot, 30), higher_is_better=True)
        alone = run_differences.differences(values, boot, int(np.argmax(values)), 30)
        wrong += [(ranks.low > 1).any() or (ranks.high < runs).any(), alone.sure.any()]
    assert wrong[0] <= 16  # 5 % of 150, plus three standard deviations
    assert wrong[1] > 30


def test_ranking_puts_the_undefined_last():
    values = np.array([0.2, np.nan, 0.9, 0.2])
    assert run_differences.ranking(values, higher_is_better=True) == [2, 0, 3, 1]
    assert run_differences.ranking(values, higher_is_better=False) == [0, 3, 2, 1]


def test_verdict_names_who_is_tied_who_is_apart_and_who_is_unknown():
    drawn = np.random.default_rng(2).normal(0, 0.1, size=(60, 3)) + np.array([0.50, 0.51, 0.95])
    boot = np.vstack([resample(drawn), np.full((2, 2_000), np.nan)])
    values = np.array([0.50, 0.51, 0.95, np.nan, 0.7])
    pairs = run_differences.all_pairs(values, boot, 60)
    found = run_differences.verdict(values, pairs, higher_is_better=False)
    assert found == run_differences.Verdict(0, 4, tied=(1,), apart=(2,), unknown=(4,))
    best_high = run_differences.verdict(values, pairs, higher_is_better=True)
    assert best_high is not None
    assert (best_high.best, best_high.apart) == (2, (1, 0))


def test_one_run_and_one_item():
    study = random_study(items=1, runs=1)
    result = scoring.score(study, [METRICS["rouge_l"]], Options(), Cache(None))["run 0", "rouge_l"]
    boot = run_differences.resampled([result])
    pairs = run_differences.all_pairs(np.array([result.corpus]), boot, 1)
    assert run_differences.verdict(np.array([result.corpus]), pairs, True) == run_differences.Verdict(0, 1, (), (), ())
    assert run_differences.rank_ranges(pairs, True).low.tolist() == [0]


def test_runs_with_values_for_other_items_are_not_told_apart():
    """Both runs have the same captions, but one lost half of its values, so the difference is due to the items."""
    whole = np.linspace(0, 1, 40)
    half = np.where(np.arange(40) < 20, np.nan, whole)
    metric = METRICS["rouge_l"]
    both = []
    for items in (whole, half):
        stats = Stats(items.reshape(-1, 1), np.arange(40), 40)
        both.append(assemble(metric, stats, None, 200, 0))
    values, boot, sets = (
        run_differences.corpus_values(both),
        run_differences.resampled(both),
        run_differences.item_sets(both),
    )
    assert sets.tolist() == [0, 1]
    found = run_differences.verdict(values, run_differences.all_pairs(values, boot, 40, sets), True)
    assert found is not None
    assert found.unknown == (0,)
    assert found.apart == ()
    assert run_differences.differences(values, boot, 0, 40, sets).sure.tolist() == [False, False]
    assert run_differences.all_pairs(values, boot, 20).sure[0, 1]
