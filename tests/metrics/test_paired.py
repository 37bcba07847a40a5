"""Paired comparisons, held to naive enumeration, to scipy, and to what the leaderboard says of the same runs."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from data.study import Study
from metrics import compare, engine, scored
from metrics.base import Stats
from metrics.cache import Cache
from metrics.paired import Family, compare_all, family, opposed, sign_flips
from metrics.registry import METRICS
from metrics.result import Result, assemble, failed
from metrics.tasks import Options
from tests.studies import study as random_study

ROUGE, TRM, BLEU = METRICS["rouge_l"], METRICS["trm_bow"], METRICS["bleu_2"]
NAMES = ("bleu_2", "rouge_l", "trm_bow", "distinct_1")


def result(values: list[float] | np.ndarray, metric=ROUGE) -> Result:
    """A result whose items have these values, some NaN; its corpus value is their mean."""
    column = np.asarray(values, dtype=float).reshape(-1, 1)
    return assemble(metric, Stats(column, np.arange(len(column)), len(column)), None, 50, 0)


def numbers_of(study: Study, names: tuple[str, ...] = NAMES) -> scored.Numbers:
    return scored.Numbers(engine.score(study, [METRICS[name] for name in names], Options(), Cache(None)))


def naive_p(a: np.ndarray, b: np.ndarray, finish) -> float:
    """Every way to swap the rows of the two runs, one at a time."""
    found = []
    for swap in product([False, True], repeat=len(a)):
        mask = np.array(swap)[:, None]
        one, other = np.where(mask, b, a), np.where(mask, a, b)
        found.append(abs(float(finish(one.sum(axis=0)) - finish(other.sum(axis=0)))))
    return float(np.mean(np.array(found) >= found[0] - 1e-9))


@given(arrays(float, (7, 2), elements=st.integers(0, 3).map(float)))
def test_the_exact_p_is_that_of_all_sign_vectors(values: np.ndarray) -> None:
    a, b = (np.column_stack([values[:, k], np.ones(7)]) for k in (0, 1))
    (found,) = sign_flips([(a, b, ROUGE.finish)])
    assert found.p_value == pytest.approx(naive_p(a, b, ROUGE.finish), abs=1e-12)
    differing = int((values[:, 0] != values[:, 1]).sum())
    assert found.exact
    assert found.tried == 2**differing
    assert found.floor == (2 / 2**differing if differing else 1)
    assert found.p_value >= found.floor - 1e-12


def test_the_sign_flip_test_of_a_mean_is_that_of_scipy() -> None:
    from scipy.stats import permutation_test

    random = np.random.default_rng(5)
    for shift in (0.0, 0.4, 1.0):
        gap = random.normal(shift, 1, 11)
        (found,) = compare_all([(result(gap), result(np.zeros(11)))])
        theirs = permutation_test((gap,), np.mean, permutation_type="samples", n_resamples=np.inf)
        assert found.test.p_value == pytest.approx(theirs.pvalue, abs=1e-12)
        assert found.difference == pytest.approx(gap.mean())


def test_a_pooled_score_is_tested_by_swapping_its_counts() -> None:
    study = random_study(items=8, seed=4)
    results = numbers_of(study, ("bleu_2",)).results
    a, b = results["run 0", "bleu_2"], results["run 1", "bleu_2"]
    (found,) = compare_all([(a, b)])
    assert found.test.p_value == pytest.approx(naive_p(a.totals, b.totals, BLEU.finish), abs=1e-12)
    assert found.difference == pytest.approx(a.corpus - b.corpus)
    mean_of_items = float(np.nanmean(a.items - b.items))
    assert found.difference != pytest.approx(mean_of_items, abs=1e-3), "BLEU is pooled, not averaged"


def test_sampled_assignments_estimate_the_exact_p() -> None:
    random = np.random.default_rng(6)
    gap = random.normal(0.45, 1, 15)
    a, b = np.column_stack([gap, np.ones(15)]), np.column_stack([np.zeros(15), np.ones(15)])
    (exact,) = sign_flips([(a, b, ROUGE.finish)])
    (drawn,) = sign_flips([(a, b, ROUGE.finish)], draws=20_000, budget=1_000)
    assert (exact.exact, drawn.exact) == (True, False)
    assert drawn.floor == 1 / 20_001
    assert drawn.p_value == pytest.approx(exact.p_value, abs=5 * np.sqrt(exact.p_value / 20_000))
    (again,) = sign_flips([(a, b, ROUGE.finish)], draws=20_000, budget=1_000)
    assert again == drawn
    (other,) = sign_flips([(a, b, ROUGE.finish)], draws=20_000, budget=1_000, seed=1)
    assert other.p_value != drawn.p_value


def test_a_sampled_p_counts_the_observed_assignment() -> None:
    """So it is never 0, however clear the difference."""
    a, b = (np.column_stack([np.full(30, value), np.ones(30)]) for value in (1.0, 0.0))
    (clear,) = sign_flips([(a, b, ROUGE.finish)], draws=99)
    assert (clear.p_value, clear.floor, clear.exact, clear.tried) == (0.01, 0.01, False, 99)
    a[:, 0] = [k % 2 for k in range(30)]
    b[:, 0] = 1 - a[:, 0]
    (even,) = sign_flips([(a, b, ROUGE.finish)], draws=99)
    assert even.p_value == 1, "as extreme as a tie is everything"


def test_under_the_null_p_is_uniform() -> None:
    """Both runs drawn alike: p is at most 0.05 in a twentieth of the studies, and at most a half in half of them."""
    random = np.random.default_rng(7)
    pairs = []
    for _ in range(600):
        values = random.gamma(2, 1, (2, 40))
        pairs.append(tuple(np.column_stack([row, np.ones(40)]) for row in values))
    p = np.array([found.p_value for found in sign_flips([(a, b, ROUGE.finish) for a, b in pairs], draws=999)])
    for level in (0.05, 0.5):
        assert np.mean(p <= level) == pytest.approx(level, abs=4 * np.sqrt(level * (1 - level) / 600))


@pytest.mark.parametrize("name", NAMES)
def test_the_difference_and_its_interval_are_those_of_the_leaderboard(name: str) -> None:
    study = random_study(items=9, runs=3, seed=3)
    numbers = numbers_of(study)
    values, boot = numbers.corpus(study, METRICS[name], study.runs)
    theirs = compare.differences(values, boot, 1)
    found = family(study, numbers, [(study.runs[2], study.runs[1], METRICS[name])]).comparisons[0]
    assert (found.first, found.second) == ("run 2", "run 1")
    assert [found.difference, found.low, found.high] == pytest.approx(
        [theirs.value[2], theirs.low[2], theirs.high[2]], abs=1e-12
    )
    assert found.values == pytest.approx((values[2], values[1]))


def test_the_effect_is_mean_over_deviation_and_its_interval_is_resampled() -> None:
    random = np.random.default_rng(8)
    a, b = random.normal(1, 1, 30), random.normal(0.5, 1, 30)
    (found,) = compare_all([(result(a), result(b))])
    gap = a - b
    assert found.effect.value == pytest.approx(gap.mean() / gap.std(ddof=1))
    source, slow = np.random.default_rng(0), []
    for _ in range(2_000):
        drawn = gap[source.integers(30, size=30)]
        slow.append(drawn.mean() / drawn.std(ddof=1))
    assert [found.effect.low, found.effect.high] == pytest.approx(np.quantile(slow, [0.025, 0.975]), abs=1e-9)


@pytest.mark.parametrize(("metric", "counts", "winner"), [(ROUGE, (2, 1, 1), 1), (TRM, (1, 1, 2), -1)])
def test_winning_follows_the_direction_of_the_metric(metric, counts, winner) -> None:
    a, b = result([1.0, 0.9, 0.5, 0.1, np.nan], metric), result([0.2, 0.1, 0.5, 0.3, 0.4], metric)
    (found,) = compare_all([(a, b)])
    assert found.counts == counts
    assert found.winner == winner
    assert (found.n, found.left_out) == (4, 1)
    assert found.values == pytest.approx((0.625, 0.275))
    assert np.isnan(found.items).tolist() == [False, False, False, False, True]


@pytest.mark.parametrize(("n", "known"), [(2, False), (5, False), (6, True)])
def test_few_items_have_no_interval_but_a_test(n: int, known: bool) -> None:
    (found,) = compare_all([(result(np.arange(n) + 1.0), result(np.zeros(n)))])
    assert np.isfinite([found.difference, found.effect.value, found.test.p_value]).all()
    assert np.isfinite([found.low, found.high, found.effect.low, found.effect.high]).tolist() == [known] * 4


def test_runs_that_say_the_same_do_not_differ() -> None:
    same = [0.1, 0.2, 0.3, 0.1, 0.2, 0.3]
    (found,) = compare_all([(result(same), result(same))])
    assert (found.test.p_value, found.test.floor, found.winner, found.counts) == (1.0, 1.0, 0, (0, 6, 0))
    assert (found.effect.value, found.low, found.high) == (0.0, 0.0, 0.0)
    assert not found.sure


def test_one_item_and_none() -> None:
    one, none = compare_all([(result([0.4]), result([0.1])), (result([0.4]), failed(ROUGE, 1, "no java"))])
    assert (one.test.p_value, one.test.floor, one.n) == (1.0, 1.0, 1)
    assert np.isnan([one.low, one.high, one.effect.value]).all()
    assert (none.n, none.reason, none.winner) == (0, "no java", 0)
    assert np.isnan([none.difference, none.test.p_value]).all()


def test_disjoint_items_are_said_not_compared() -> None:
    (found,) = compare_all([(result([0.4, np.nan]), result([np.nan, 0.3]))])
    assert (found.n, found.left_out) == (0, 2)
    assert found.reason == "no item has a value in both runs"


def test_sure_is_at_most_five_percent_and_an_item_of_nobody_is_not_left_out() -> None:
    nan = np.nan
    (found,) = compare_all([(result([nan, nan, 0.5, 0.6]), result([nan, 0.1, 0.2, 0.3]))])
    assert (found.n, found.left_out) == (2, 1)
    assert Family((found, found), np.array([0.05, 0.0501])).firm().tolist() == [True, False]


def test_the_family_is_corrected_as_a_whole_and_names_its_winners() -> None:
    study = random_study(items=20, runs=2, seed=3)
    copied = replace(study.runs[1], candidates={item.id: item.references for item in study.items})
    study = replace(study, runs=(study.runs[0], copied))
    numbers = numbers_of(study)
    metrics = [METRICS[name] for name in NAMES]
    found = family(study, numbers, [(study.runs[0], copied, metric) for metric in metrics])
    p = [c.test.p_value for c in found.comparisons]
    assert found.tests == 4
    assert min(found.adjusted) == pytest.approx(4 * min(p))
    assert {c.metric.name for c in found.ahead(-1, firm=True)} == {"bleu_2", "rouge_l"}
    assert found.ahead(1, firm=True) == []
    missing = family(study, numbers, [(study.runs[0], copied, METRICS["meteor"])])
    assert missing.comparisons[0].reason == "not computed yet"
    assert missing.tests == 0


def test_what_is_kept_goes_by_the_names_of_the_study_that_asks() -> None:
    study = random_study(seed=11)
    numbers = numbers_of(study, ("rouge_l",))
    family(study, numbers, [(*study.runs, ROUGE)])
    renamed = replace(study, runs=tuple(replace(run, name=f"new {run.name}") for run in study.runs))
    other = scored.Numbers({(f"new {run}", name): found for (run, name), found in numbers.results.items()})
    found = family(renamed, other, [(*renamed.runs, ROUGE)]).comparisons[0]
    assert (found.first, found.second) == ("new run 0", "new run 1")


def test_a_metric_of_a_whole_run_has_no_items_to_pair() -> None:
    study = random_study()
    found = family(study, scored.Numbers({}), [(*study.runs, METRICS["vocabulary"])]).comparisons[0]
    assert "no items to pair" in found.reason


def test_disagreement_is_of_items_with_opposite_winners() -> None:
    up = compare_all([(result([0.9, 0.1, 0.5, 0.6]), result([0.1, 0.2, 0.4, 0.6]))])[0]
    down = compare_all([(result([0.9, 0.1, 0.1, 0.6], TRM), result([0.1, 0.2, 0.4, 0.5], TRM))])[0]
    found = opposed(up, down)
    assert np.isnan(found).tolist() == [False, False, True, True]
    assert found[0] == np.nanmax(found)
    assert found[0] > 0 > found[1]
    assert opposed(down, up) == pytest.approx(-found, nan_ok=True)
