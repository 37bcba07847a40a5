"""Test paired comparisons against enumeration, scipy, and the leaderboard's numbers for the same runs."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from data.study import Study
from metrics.analysis import numbers as analysis_numbers
from metrics.analysis import run_differences
from metrics.analysis.paired import Family, against, compare_all, family, opposed
from metrics.base import Stats
from metrics.cache.disk import Cache
from metrics.engine import scoring
from metrics.engine.result import Result, assemble, failed
from metrics.engine.tasks import Options
from metrics.permutation.sign_flips import Sides, sign_flips
from metrics.registry import METRICS
from tests.studies import study as random_study

ROUGE, TRM, BLEU = METRICS["rouge_l"], METRICS["trm_bow"], METRICS["bleu_2"]
NAMES = ("bleu_2", "rouge_l", "trm_bow", "distinct_1")


def result(values: list[float] | np.ndarray, metric=ROUGE) -> Result:
    column = np.asarray(values, dtype=float).reshape(-1, 1)
    return assemble(metric, Stats(column, np.arange(len(column)), len(column)), None, 50, 0)


def numbers_of(study: Study, names: tuple[str, ...] = NAMES) -> analysis_numbers.Numbers:
    return analysis_numbers.Numbers(scoring.score(study, [METRICS[name] for name in names], Options(), Cache(None)))


def naive_p(a: np.ndarray, b: np.ndarray, finish) -> float:
    found = []
    for swap in product([False, True], repeat=len(a)):
        mask = np.array(swap)[:, None]
        one, other = np.where(mask, b, a), np.where(mask, a, b)
        found.append(abs(float(finish(one.sum(axis=0)) - finish(other.sum(axis=0)))))
    return float(np.mean(np.array(found) >= found[0] - 1e-9))


@given(arrays(float, (7, 2), elements=st.integers(0, 3).map(float)))
def test_the_exact_p_is_that_of_all_sign_vectors(values: np.ndarray) -> None:
    a, b = (np.column_stack([values[:, k], np.ones(7)]) for k in (0, 1))
    (found,) = sign_flips([Sides(a, b, ROUGE.finish)])
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


def counts(rng: np.random.Generator, easy: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Draw BLEU statistics (n, 10) of items with `sizes` captions of ten words, of which a share `easy` matches."""
    rows = np.zeros((len(easy), 10))
    rows[:, 0] = rng.binomial(10 * sizes, easy)
    rows[:, [4, 8, 9]] = 10 * sizes[:, None]
    return rows


def rates(first: int | None, second: int | None, gain: float, weighed: bool = True, items: int = 60) -> float:
    """Return the share of 100 studies with p <= 0.05 if the first run's share of matches is higher by `gain`.

    `first` and `second` are the runs' captions per item; None gives more captions to easy items in the first run, and
    to hard items in the second. If `weighed`, counts are weighted by the numbers of captions.
    """
    rng, bleu, rejected = np.random.default_rng(9), METRICS["bleu_1"], 0
    for _ in range(100):
        easy = 0.07 + 0.86 * rng.random(items)
        sizes = [np.where((easy > 0.5) == up, 10, 1) if n is None else np.full(items, n)
                 for n, up in ((first, True), (second, False))]  # fmt: skip
        a, b = counts(rng, easy + gain, sizes[0]), counts(rng, easy, sizes[1])
        weights = np.column_stack(sizes).astype(float) if weighed else None
        rejected += sign_flips([Sides(a, b, bleu.finish, weights)], draws=199, budget=2)[0].p_value <= 0.05
    return rejected / 100


def test_a_pooled_score_is_tested_with_power_where_one_run_says_ten_times_as_much() -> None:
    """Swapping raw counts would compare halves of the larger run with each other, and hardly ever reject."""
    assert rates(10, 1, 0.04, weighed=False, items=120) <= 0.02
    assert rates(10, 1, 0.04, items=120) >= 0.75
    assert rates(10, 1, 0.0) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 100)


@pytest.mark.parametrize("gain", [0.06, -0.06])
def test_the_weighting_of_the_items_is_no_evidence_in_either_direction(gain: float) -> None:
    """One run has ten captions for each easy item, and the other for each hard item.

    Without a gain, pooled values differ by 0.37.
    """
    assert rates(None, None, 0.0) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 100)
    assert rates(None, None, gain) >= 0.75


def test_swapped_statistics_take_the_weight_of_the_side_that_they_come_to() -> None:
    rng = np.random.default_rng(10)
    sizes = rng.integers(1, 6, size=(7, 2))
    a, b = (counts(rng, rng.random(7), sizes[:, k]) for k in (0, 1))
    finish, found = METRICS["bleu_1"].finish, []
    for swap in product([False, True], repeat=7):
        gaps = []
        for swapped in (np.array(swap), ~np.array(swap)):
            sums = [np.zeros(10), np.zeros(10)]
            for item in range(7):
                said = (b[item] / sizes[item, 1], a[item] / sizes[item, 0]) if swapped[item] else (
                    a[item] / sizes[item, 0], b[item] / sizes[item, 1])  # fmt: skip
                for side in (0, 1):
                    sums[side] += sizes[item, side] * said[side]
            gaps.append(float(finish(sums[0]) - finish(sums[1])))
        found.append(abs(gaps[0] - gaps[1]) / 2)
    expected = np.mean(np.array(found) >= found[0] - 1e-9)
    (p,) = sign_flips([Sides(a, b, finish, sizes.astype(float))])
    assert p.p_value == pytest.approx(expected, abs=1e-12)
    assert p.exact


def test_equal_numbers_of_candidates_change_nothing() -> None:
    rng = np.random.default_rng(11)
    easy, sizes = rng.random(9), rng.integers(1, 6, size=9)
    a, b = (counts(rng, easy, sizes) for _ in range(2))
    for draws, budget in ((999, 2), (999, 200_000)):
        plain, weighed = (
            sign_flips([Sides(a, b, BLEU.finish, weights)], draws, budget)
            for weights in (None, np.column_stack([sizes, sizes]).astype(float))
        )
        assert plain == weighed


def test_captions_said_twice_change_neither_difference_nor_p() -> None:
    """The test begins with captions, since a run that repeats each caption is the same sampler."""
    study = random_study(items=9, candidates=2, seed=12)
    first, second = study.runs
    twice = replace(first, candidates={item: said * 2 for item, said in first.candidates.items()})
    found = []
    for one in (first, twice):
        of = replace(study, runs=(one, second))
        found.append(family(of, numbers_of(of, ("bleu_2",)), [(one, second, BLEU)]).comparisons[0])
    assert found[1].difference == pytest.approx(found[0].difference, abs=1e-9)
    assert found[1].test == found[0].test
    assert found[1].effect.value == pytest.approx(found[0].effect.value, abs=1e-6)


def test_the_effect_of_a_pooled_score_agrees_with_its_difference() -> None:
    """Either both intervals exclude zero or neither does; an effect computed from item scores would not ensure that."""
    study = random_study(items=30, runs=6, seed=13)
    numbers = numbers_of(study, ("bleu_2",))
    for run in study.runs[1:]:
        c = family(study, numbers, [(study.runs[0], run, BLEU)]).comparisons[0]
        assert np.sign(c.effect.value) == np.sign(c.difference)
        assert (c.effect.low > 0 or c.effect.high < 0) == c.sure
        a, b = (numbers.results[r.name, "bleu_2"].totals for r in (study.runs[0], run))
        without = [float(BLEU.finish(np.delete(a, k, 0).sum(0)) - BLEU.finish(np.delete(b, k, 0).sum(0)))
                   for k in range(30)]  # fmt: skip
        error = np.sqrt(29 / 30 * ((np.array(without) - np.mean(without)) ** 2).sum())
        assert c.effect.value == pytest.approx(c.difference / error / np.sqrt(30))


def test_sampled_assignments_estimate_the_exact_p() -> None:
    random = np.random.default_rng(6)
    gap = random.normal(0.45, 1, 15)
    a, b = np.column_stack([gap, np.ones(15)]), np.column_stack([np.zeros(15), np.ones(15)])
    (exact,) = sign_flips([Sides(a, b, ROUGE.finish)])
    (drawn,) = sign_flips([Sides(a, b, ROUGE.finish)], draws=20_000, budget=1_000)
    assert (exact.exact, drawn.exact) == (True, False)
    assert drawn.floor == 1 / 20_001
    assert drawn.p_value == pytest.approx(exact.p_value, abs=5 * np.sqrt(exact.p_value / 20_000))
    (again,) = sign_flips([Sides(a, b, ROUGE.finish)], draws=20_000, budget=1_000)
    assert again == drawn
    (other,) = sign_flips([Sides(a, b, ROUGE.finish)], draws=20_000, budget=1_000, seed=1)
    assert other.p_value != drawn.p_value


def test_a_sampled_p_counts_the_observed_assignment() -> None:
    """If the observed assignment were not counted, a clear difference could have a p of 0."""
    a, b = (np.column_stack([np.full(30, value), np.ones(30)]) for value in (1.0, 0.0))
    (clear,) = sign_flips([Sides(a, b, ROUGE.finish)], draws=99)
    assert (clear.p_value, clear.floor, clear.exact, clear.tried) == (0.01, 0.01, False, 99)
    a[:, 0] = [k % 2 for k in range(30)]
    b[:, 0] = 1 - a[:, 0]
    (even,) = sign_flips([Sides(a, b, ROUGE.finish)], draws=99)
    assert even.p_value == 1, "as extreme as a tie is everything"


def test_under_the_null_p_is_uniform() -> None:
    """If both runs come from one distribution, p is at most 0.05 in 5 % of studies and at most 0.5 in half of them."""
    random = np.random.default_rng(7)
    pairs = []
    for _ in range(600):
        values = random.gamma(2, 1, (2, 40))
        pairs.append(tuple(np.column_stack([row, np.ones(40)]) for row in values))
    p = np.array([found.p_value for found in sign_flips([Sides(a, b, ROUGE.finish) for a, b in pairs], draws=999)])
    for level in (0.05, 0.5):
        assert np.mean(p <= level) == pytest.approx(level, abs=4 * np.sqrt(level * (1 - level) / 600))


@pytest.mark.parametrize("name", NAMES)
def test_the_difference_and_its_interval_are_those_of_the_leaderboard(name: str) -> None:
    study = random_study(items=9, runs=3, seed=3)
    numbers = numbers_of(study)
    values, boot = numbers.corpus(study, METRICS[name], study.runs)
    theirs = run_differences.differences(values, boot, 1, 9)
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
    half = 2.045230 * np.std(slow, ddof=1) * np.sqrt(30 / 29)  # t of 29 degrees of freedom
    middle = 2 * found.effect.value - np.mean(slow)
    assert [found.effect.low, found.effect.high] == pytest.approx([middle - half, middle + half], abs=1e-6)


@pytest.mark.parametrize("effect", [0.3, 2.5])
def test_the_interval_of_the_effect_covers(effect: float) -> None:
    """Percentile intervals would cover only 94 % and 87 %, because resampling overstates large effects."""
    random, held = np.random.default_rng(9), []
    for _ in range(300):
        (found,) = compare_all([(result(random.normal(effect, 1, 20)), result(np.zeros(20)))])
        held.append(found.effect.low <= effect <= found.effect.high)
    assert np.mean(held) > 0.92


@pytest.mark.parametrize(("metric", "counts", "winner"), [(ROUGE, (2, 1, 1), 1), (TRM, (1, 1, 2), -1)])
def test_winning_follows_the_direction_of_the_metric(metric, counts, winner) -> None:
    a, b = result([1.0, 0.9, 0.5, 0.1, np.nan], metric), result([0.2, 0.1, 0.5, 0.3, 0.4], metric)
    (found,) = compare_all([(a, b)])
    assert found.counts == counts
    assert found.winner == winner
    assert (found.n, found.left_out) == (4, 1)
    assert found.values == pytest.approx((0.625, 0.275))
    assert np.isnan(found.items).tolist() == [False, False, False, False, True]


@pytest.mark.parametrize(
    ("n", "known", "of_effect"), [(2, False, False), (5, False, False), (6, True, False), (10, True, True)]
)
def test_few_items_have_no_interval_but_a_test(n: int, known: bool, of_effect: bool) -> None:
    (found,) = compare_all([(result(np.arange(n) + 1.0), result(np.zeros(n)))])
    assert np.isfinite([found.difference, found.effect.value, found.test.p_value]).all()
    assert np.isfinite([found.low, found.high]).all() == known
    assert np.isfinite([found.effect.low, found.effect.high]).all() == of_effect


def test_runs_that_say_the_same_do_not_differ() -> None:
    same = [0.1, 0.2, 0.3, 0.1, 0.2, 0.3]
    (found,) = compare_all([(result(same), result(same))])
    assert (found.test.p_value, found.test.floor, found.winner, found.counts) == (1.0, 1.0, 0, (0, 6, 0))
    assert found.effect.value == 0
    assert np.isnan([found.low, found.high, found.effect.low, found.effect.high]).all(), "no interval without a width"
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
    assert found.reason == "no item has a value for both runs"


def test_sure_is_at_most_five_percent_and_an_item_of_nobody_is_not_left_out() -> None:
    nan = np.nan
    (found,) = compare_all([(result([nan, nan, 0.5, 0.6]), result([nan, 0.1, 0.2, 0.3]))])
    assert (found.n, found.left_out) == (2, 1)
    assert Family((found, found), np.array([0.05, 0.0501])).significant().tolist() == [True, False]


def test_the_family_is_corrected_as_a_whole_and_names_its_winners() -> None:
    study = random_study(items=20, references=5, runs=2, seed=3)
    copied = replace(study.runs[1], candidates={item.id: item.references for item in study.items})
    study = replace(study, runs=(study.runs[0], copied))
    numbers = numbers_of(study)
    metrics = [METRICS[name] for name in NAMES]
    found = family(study, numbers, [(study.runs[0], copied, metric) for metric in metrics])
    p = [c.test.p_value for c in found.comparisons]
    assert found.tests == 4
    assert min(found.adjusted) == pytest.approx(4 * min(p))
    assert {c.metric.name for c in found.ahead(-1, significant=True)} == {"bleu_2", "rouge_l"}
    assert found.ahead(1, significant=True) == []
    missing = family(study, numbers, [(study.runs[0], copied, METRICS["meteor"])])
    assert missing.comparisons[0].reason == "not computed yet"
    assert missing.tests == 0


def test_what_is_kept_goes_by_the_names_of_the_study_that_asks() -> None:
    study = random_study(seed=11)
    numbers = numbers_of(study, ("rouge_l",))
    family(study, numbers, [(*study.runs, ROUGE)])
    renamed = replace(study, runs=tuple(replace(run, name=f"new {run.name}") for run in study.runs))
    other = analysis_numbers.Numbers({(f"new {run}", name): found for (run, name), found in numbers.results.items()})
    found = family(renamed, other, [(*renamed.runs, ROUGE)]).comparisons[0]
    assert (found.first, found.second) == ("new run 0", "new run 1")


def test_a_metric_of_a_whole_run_has_no_items_to_pair() -> None:
    study = random_study()
    found = family(study, analysis_numbers.Numbers({}), [(*study.runs, METRICS["vocabulary"])]).comparisons[0]
    assert "nothing to pair" in found.reason


def test_disagreement_is_of_items_with_opposite_winners() -> None:
    up = compare_all([(result([0.9, 0.1, 0.5, 0.6]), result([0.1, 0.2, 0.4, 0.6]))])[0]
    down = compare_all([(result([0.9, 0.1, 0.1, 0.6], TRM), result([0.1, 0.2, 0.4, 0.5], TRM))])[0]
    found = opposed(up, down)
    assert np.isnan(found).tolist() == [False, False, True, True]
    assert found[0] == np.nanmax(found)
    assert found[0] > 0 > found[1]
    assert opposed(down, up) == pytest.approx(-found, nan_ok=True)


def test_of_few_items_the_tests_against_a_leader_are_corrected_for_all_pairs() -> None:
    study = random_study(items=5, runs=4)
    numbers = numbers_of(study, ("rouge_l",))
    order = run_differences.ranking(np.array([numbers.results[run.name, "rouge_l"].corpus for run in study.runs]), True)
    found = against(study, numbers, study.runs[order[0]], ROUGE, study.runs)
    assert found.over_all_pairs
    assert [float(p) for p in found.adjusted] == [min(1.0, 6 * c.test.p_value) for c in found.comparisons]
    of = replace(study, runs=(*study.runs, replace(study.runs[order[0]], name="as good")))
    assert against(of, numbers_of(of, ("rouge_l",)), of.runs[-1], ROUGE, of.runs).over_all_pairs, "a tie leads, too"


def test_a_baseline_that_leads_is_judged_with_all_pairs_of_runs() -> None:
    """Among twelve equal runs, the luckiest seldom differs from others; by tests of fixed pairs, it often would."""
    source, items, runs = np.random.default_rng(11), 60, 12
    of = random_study(items=items, references=3, candidates=2, runs=runs)
    wrong = {"leader": 0, "plain": 0}
    for _ in range(40):
        values = source.normal(size=(runs, items))
        results = {}
        for run, row in zip(of.runs, values):
            totals = np.column_stack([row, np.ones(items)])
            results[run.name, "rouge_l"] = Result(
                ROUGE, items, float(row.mean()), items=row, values=np.repeat(row, 2), totals=totals,
                unit_item=np.repeat(np.arange(items), 2),
            )  # fmt: skip
        numbers = analysis_numbers.Numbers(results)
        best = of.runs[int(values.mean(axis=1).argmax())]
        found = against(of, numbers, best, ROUGE, of.runs)
        assert found.over_all_pairs
        assert not against(of, numbers, of.runs[int(values.mean(axis=1).argmin())], ROUGE, of.runs).over_all_pairs
        pairs = numbers.pairs(of, ROUGE, of.runs)
        place = {run.name: k for k, run in enumerate(of.runs)}
        for c, p in zip(found.comparisons, found.adjusted):
            assert (c.low, c.high) == (pairs.low[place[c.first], place[best.name]],
                                       pairs.high[place[c.first], place[best.name]])  # fmt: skip
            assert p == pairs.p[place[c.first], place[best.name]]
        wrong["leader"] += bool(found.significant().any())
        plain = family(of, numbers, [(run, best, ROUGE) for run in of.runs if run != best])
        wrong["plain"] += bool(any(c.sure for c in plain.comparisons))
    assert wrong["leader"] <= 6, "5 % of 40 studies, and what chance allows"
    assert wrong["plain"] > 15
