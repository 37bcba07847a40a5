"""Test the permutation test of groups against scipy, brute force and simulated worlds; also corrections of p."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy import stats
from scipy.sparse import csr_array

from metrics.mathematics.arrays import Floats
from metrics.permutation.group_tests import group_tests
from metrics.permutation.pvalues import benjamini_hochberg, holm
from metrics.progress import Cancelled, Hooks


def of_groups(groups: list[list[int]], n: int) -> csr_array:
    dense = np.zeros((len(groups), n))
    for k, group in enumerate(groups):
        dense[k, group] = 1
    return csr_array(dense)


def welch(inside: Floats, outside: Floats) -> float:
    return float(stats.ttest_ind(inside, outside, equal_var=False).statistic)


def test_the_statistic_is_welchs_t() -> None:
    values = np.random.default_rng(1).gamma(0.5, size=40)
    groups = [[0, 3, 9, 11, 30], list(range(20))]
    found = group_tests(of_groups(groups, 40), values, draws=99)
    for k, group in enumerate(groups):
        assert found.statistic[k] == pytest.approx(welch(values[group], np.delete(values, group)), rel=1e-9)


def test_p_is_that_of_every_choice_of_as_many_items() -> None:
    values = np.random.default_rng(2).gamma(0.7, size=12)
    group = [1, 4, 5, 9]
    every = [welch(values[list(c)], np.delete(values, c)) for c in combinations(range(12), 4)]
    observed = welch(values[group], np.delete(values, group))
    low, high = (np.mean(np.array(every) <= observed + 1e-9), np.mean(np.array(every) >= observed - 1e-9))
    found = group_tests(of_groups([group], 12), values, draws=40_000)
    of_t = stats.ttest_ind(values[group], np.delete(values, group), equal_var=False).pvalue
    assert 2 * min(low, high) > of_t
    assert found.p_value[0] == pytest.approx(2 * min(low, high), abs=0.012)


def test_p_is_not_below_that_of_welchs_t() -> None:
    values = np.random.default_rng(8).normal(size=60)
    values[:6] = 8 * values[:6] + 5
    groups = [list(range(6)), list(range(6, 60)), list(range(30))]
    found = group_tests(of_groups(groups, 60), values, draws=4_999).p_value
    of_t = [stats.ttest_ind(values[g], np.delete(values, g), equal_var=False).pvalue for g in groups]
    assert found[:2] == pytest.approx(of_t[:2], rel=1e-9), "few values that vary more"
    assert (found >= np.array(of_t) * (1 - 1e-9)).all()


def level_of_few(shape: float, ratio: float, inside: int, items: int, worlds: int, shift: float = 0.0) -> float:
    """Return how often the test detects a group of `inside` items whose values vary `ratio` times as much as the
    others.

    Both have the same mean, to which the group adds `shift`. Values are normal or, if `shape` is not 0,
    gamma-distributed with that shape.
    """
    rng = np.random.default_rng(inside * items + int(10 * ratio))
    rejected = 0
    for _ in range(worlds):
        values = rng.gamma(shape, size=items) - shape if shape else rng.normal(size=items)
        values[:inside] = ratio * values[:inside] + shift
        groups = of_groups([list(range(inside))], items)
        rejected += group_tests(groups, values, draws=199, seed=int(rng.integers(2**31))).p_value[0] <= 0.05
    return rejected / worlds


def test_few_items_that_vary_more_are_not_told_apart_by_that() -> None:
    assert level_of_few(0, 4.0, 5, 60, worlds=300) <= 0.05 + 3.2 * np.sqrt(0.05 * 0.95 / 300)
    assert level_of_few(0, 1.0, 12, 120, worlds=60, shift=1.2) >= 0.8


def test_p_is_scipys() -> None:
    rng = np.random.default_rng(3)
    values = rng.gamma(0.5, size=60)
    values[:10] += 0.5
    found = group_tests(of_groups([list(range(10))], 60), values, draws=20_000)

    def t(one: Floats, other: Floats, axis: int) -> Floats:
        return np.asarray(stats.ttest_ind(one, other, axis=axis, equal_var=False).statistic)

    other = stats.permutation_test(
        (values[:10], values[10:]), t, permutation_type="independent", vectorized=True, n_resamples=20_000, rng=rng
    )
    of_t = stats.ttest_ind(values[:10], values[10:], equal_var=False).pvalue
    assert 0.005 < other.pvalue < 0.5
    assert found.p_value[0] == pytest.approx(max(other.pvalue, of_t), abs=0.012)


def test_groups_of_small_p_go_on_and_the_others_do_not() -> None:
    rng = np.random.default_rng(4)
    values = rng.normal(size=200)
    values[:20] += 2
    groups = [list(range(20)), *([sorted(rng.choice(200, 20, replace=False)) for _ in range(30)])]
    found = group_tests(of_groups(groups, 200), values, draws=999)
    assert found.draws[0] == 200 * 31
    assert found.p_value[0] == pytest.approx(2 / 6_201)
    assert (found.draws == 999).sum() >= 25


def test_values_that_do_not_vary_tell_nothing_apart() -> None:
    found = group_tests(of_groups([[0, 1, 2]], 10), np.full(10, 0.3), draws=99)
    assert found.p_value[0] == 1.0
    apart = group_tests(of_groups([[0, 1, 2]], 10), np.array([1.0] * 3 + [0.0] * 7), draws=9_999)
    assert apart.p_value[0] == pytest.approx(2 / 120, rel=0.25)


def test_more_spread_inside_is_no_find() -> None:
    """A test of the plain difference rejects 27 % of groups of twenty items that vary five times as much with the
    same mean.
    """
    rng, found = np.random.default_rng(5), 0
    for _ in range(300):
        values = rng.normal(size=100)
        values[:20] *= 5
        found += group_tests(of_groups([list(range(20))], 100), values, draws=199).p_value[0] <= 0.05
    assert found / 300 <= 0.05 + 3.2 * np.sqrt(0.05 * 0.95 / 300)


def test_too_small_groups_and_a_cancel() -> None:
    with pytest.raises(ValueError, match="two items each"):
        group_tests(of_groups([[0]], 5), np.arange(5.0))
    with pytest.raises(Cancelled):
        group_tests(of_groups([[0, 1]], 5), np.arange(5.0), hooks=Hooks(should_stop=lambda: True))
    assert len(group_tests(csr_array((0, 5)), np.arange(5.0)).p_value) == 0


def test_the_same_seed_gives_the_same_p() -> None:
    values = np.random.default_rng(6).normal(size=50)
    groups = of_groups([list(range(12)), list(range(30, 45))], 50)
    one, two, other = (group_tests(groups, values, draws=499, seed=s).p_value for s in (1, 1, 2))
    assert np.array_equal(one, two)
    assert not np.array_equal(one, other)


@pytest.mark.parametrize("count", [1, 7, 40])
def test_benjamini_hochberg_is_scipys(count: int) -> None:
    p = np.random.default_rng(count).uniform(size=count) ** 2
    p[count // 2] = p[0]
    assert benjamini_hochberg(p) == pytest.approx(stats.false_discovery_control(p), rel=1e-12)


def test_corrections_by_hand() -> None:
    p = [0.04, np.nan, 0.01, 0.02]
    assert benjamini_hochberg(p) == pytest.approx([0.04, np.nan, 0.03, 0.03], nan_ok=True)
    assert holm(p) == pytest.approx([0.04, np.nan, 0.03, 0.04], nan_ok=True)
    with pytest.raises(ValueError, match="lie in"):
        benjamini_hochberg([0.5, 1.5])
    assert len(benjamini_hochberg([])) == 0
