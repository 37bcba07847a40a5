"""Test p over systems against all permutations and scipy, Williams' test, and the influence of one system."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from scipy import stats

from metrics.analysis.judgments import best_metric, systems
from metrics.analysis.judgments.correlation import correlations

X = np.array([0.3, 0.9, 0.9, 1.4, 2.0, 2.2, 3.1])
Y = np.array([1.0, 1.5, 1.2, 1.2, 3.0, 2.0, 2.5])


def test_values_are_those_of_scipy() -> None:
    found = systems.agreement(X, Y).of
    assert found["pearson"].value == pytest.approx(stats.pearsonr(X, Y).statistic)
    assert found["spearman"].value == pytest.approx(stats.spearmanr(X, Y).statistic)
    assert found["kendall_tau_b"].value == pytest.approx(stats.kendalltau(X, Y).statistic)
    assert found["kendall_tau_c"].value == pytest.approx(stats.kendalltau(X, Y, variant="c").statistic)


def test_p_is_the_share_of_all_orders() -> None:
    found = systems.agreement(X, Y)
    orders = [Y[list(order)] for order in permutations(range(len(Y)))]
    of = {
        "pearson": lambda y: stats.pearsonr(X, y).statistic,
        "spearman": lambda y: stats.spearmanr(X, y).statistic,
        "kendall_tau_b": lambda y: stats.kendalltau(X, y).statistic,
    }
    some = np.random.default_rng(0).permutation(len(orders))[:600]
    for name, statistic in of.items():
        drawn = np.array([abs(statistic(orders[k])) for k in some])
        share = (drawn >= abs(statistic(Y)) - 1e-9).mean()
        assert found.of[name].p_value == pytest.approx(share, abs=4 * np.sqrt(0.25 / 600) * 0.5 + 0.004)
    assert found.of["pairwise_accuracy"].p_value == found.of["kendall_tau_b"].p_value


def test_p_of_a_perfect_order_of_five_is_two_in_all_orders() -> None:
    found = systems.agreement(np.arange(5.0), np.arange(5.0) ** 3).of
    assert found["spearman"].p_value == pytest.approx(2 / 120)
    assert found["kendall_tau_b"].p_value == pytest.approx(2 / 120)
    assert np.isnan(found["pearson"].low)  # five systems are too few for an interval


def test_many_systems_are_drawn_and_near_scipy() -> None:
    rng = np.random.default_rng(4)
    x = rng.normal(size=15)
    y = 0.5 * x + rng.normal(size=15)
    found = systems.agreement(x, y)
    assert found.of["pearson"].p_value == pytest.approx(stats.pearsonr(x, y).pvalue, abs=0.01)
    assert found.of["kendall_tau_b"].p_value == pytest.approx(stats.kendalltau(x, y).pvalue, abs=0.005)
    assert found.of["pearson"].low < found.of["pearson"].value < found.of["pearson"].high


def test_pairwise_accuracy_leaves_out_what_people_tie_and_halves_what_the_metric_ties() -> None:
    found = systems.agreement(np.array([1.0, 1, 2]), np.array([1.0, 2, 2])).of
    assert found["pairwise_accuracy"].value == 0.75  # one tie by the metric, one correct, one tie by people


def test_one_system_can_turn_the_correlation() -> None:
    x, y = np.append(np.arange(6.0), 2.0), np.append(np.arange(6.0) / 10, 9.0)
    found = systems.agreement(x, y)
    assert found.of["pearson"].value < 0
    assert found.without[-1] == pytest.approx(1)
    assert (found.without[:-1] < 0.1).all()


def test_two_systems_have_no_correlation() -> None:
    assert np.isnan(systems.agreement(np.arange(2.0), np.arange(2.0)).of["pearson"].value)


def test_williams_against_a_worked_value_and_its_symmetry() -> None:
    """r12 = .6, r13 = .4, r23 = .7, n = 20: K = .326; t = .2 sqrt(19 * 1.7 / (2 * .326 * 19 / 17 + .25 * .027))."""
    rest = 1 - 0.36 - 0.16 - 0.49 + 2 * 0.6 * 0.4 * 0.7
    t = 0.2 * np.sqrt(19 * 1.7 / (2 * rest * 19 / 17 + 0.25 * 0.3**3))
    expected = 2 * stats.t.sf(t, 17)
    assert systems.williams(0.6, 0.4, 0.7, 20) == pytest.approx(expected)
    assert systems.williams(0.4, 0.6, 0.7, 20) == pytest.approx(expected)
    assert systems.williams(0.5, 0.5, 0.7, 20) == 1
    assert np.isnan(systems.williams(0.6, 0.4, 0.7, 3))


def test_the_ranking_names_those_that_may_be_the_best() -> None:
    rng = np.random.default_rng(6)
    item = np.repeat(np.arange(200), 3)
    truth = rng.normal(size=600)
    noise = [0.5, 0.52, 3.0]
    found = [correlations(truth + n * rng.normal(size=600), truth, item, 200, seed=1) for n in noise]
    values, boot = np.array([one.value[0] for one in found]), np.stack([one.boot[0] for one in found])
    ranked = best_metric.ranking(values, boot, 200, np.zeros(3, dtype=int))
    assert ranked.order[-1] == 2
    assert ranked.best.tolist() == [True, True, False]
    assert set(ranked.letters[0]) & set(ranked.letters[1])
    assert not set(ranked.letters[0]) & set(ranked.letters[2])
