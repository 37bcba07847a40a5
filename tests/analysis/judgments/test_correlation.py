"""Test correlations of clustered points against scipy, and their bootstrap against repeated points."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from metrics.analysis.judgments.correlation import STATISTICS, correlations
from metrics.bootstrap import bootstrap_weights


def points(items: int, each: int, digits: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    item = np.repeat(np.arange(items), each)
    x = rng.normal(size=len(item)) + rng.normal(size=items)[item]
    return np.round(x, digits), np.round(0.5 * x + rng.normal(size=len(item))), item


def by_scipy(x: np.ndarray, y: np.ndarray) -> list[float]:
    return [
        stats.kendalltau(x, y).statistic,
        stats.kendalltau(x, y, variant="c").statistic,
        stats.spearmanr(x, y).statistic,
        stats.pearsonr(x, y).statistic,
    ]


@pytest.mark.parametrize("digits", [0, 1, 9])
def test_values_are_those_of_scipy(digits: int) -> None:
    x, y, item = points(60, 4, digits)
    found = correlations(x, y, item, 60, resamples=2)
    np.testing.assert_allclose(found.value, by_scipy(x, y), rtol=1e-12)


@pytest.mark.parametrize("digits", [0, 9])
def test_a_draw_is_the_statistic_of_the_repeated_points(digits: int) -> None:
    x, y, item = points(25, 3, digits)
    found = correlations(x, y, item, 25, resamples=20, seed=3)
    (weights,) = bootstrap_weights(25, 20, 3)
    for row, boot in zip(weights.astype(int), found.boot.T):
        repeated = np.repeat(np.arange(len(x)), row[item])
        np.testing.assert_allclose(boot, by_scipy(x[repeated], y[repeated]), rtol=1e-9)


def test_order_of_points_and_increasing_transformations_do_not_matter_to_ranks() -> None:
    x, y, item = points(40, 3, 1)
    order = np.random.default_rng(1).permutation(len(x))
    first = correlations(x, y, item, 40, resamples=50)
    second = correlations(np.exp(x[order]), y[order], item[order], 40, resamples=50)
    np.testing.assert_allclose(first.boot[:3], second.boot[:3], atol=1e-12)
    np.testing.assert_allclose(correlations(-x, y, item, 40, 2).value, -first.value, rtol=1e-12)


def test_a_constant_side_and_few_clusters_have_nothing() -> None:
    x, y, item = points(40, 3, 1)
    flat = correlations(np.zeros(len(x)), y, item, 40, resamples=20)
    assert np.isnan(flat.value).all()
    few = correlations(x[:9], y[:9], item[:9], 3, resamples=20)
    assert np.isfinite(few.value).all()
    assert np.isnan(few.boot).all()
    assert np.isnan(few.estimate("pearson").p_value)


def test_p_allows_for_clusters() -> None:
    """Copies of a caption add no evidence, so neither the interval nor p may change, while scipy's p shrinks."""
    x, y, item = points(60, 1, 9)
    once = correlations(x, y, item, 60)
    often = correlations(np.repeat(x, 8), np.repeat(y, 8), np.repeat(item, 8), 60)
    for name in STATISTICS:
        one, other = once.estimate(name), often.estimate(name)
        assert other.p_value == pytest.approx(one.p_value, rel=0.1)
        assert other.high - other.low == pytest.approx(one.high - one.low, rel=0.05)
    assert stats.pearsonr(np.repeat(x, 8), np.repeat(y, 8)).pvalue < once.estimate("pearson").p_value / 100


def test_the_interval_of_independent_points_is_near_fishers() -> None:
    rng = np.random.default_rng(5)
    x = rng.normal(size=400)
    y = 0.6 * x + 0.8 * rng.normal(size=400)
    found = correlations(x, y, np.arange(400), 400).estimate("pearson")
    middle, half = np.arctanh(found.value), 1.96 / np.sqrt(397)
    assert found.low == pytest.approx(np.tanh(middle - half), abs=0.02)
    assert found.high == pytest.approx(np.tanh(middle + half), abs=0.02)


def test_p_of_pearson_is_that_of_a_jackknife_over_clusters() -> None:
    x, y, item = points(30, 4, 9)
    y = y + 0.2 * x
    found = correlations(x, y, item, 31, resamples=200)  # the last cluster is empty
    without = np.array([stats.pearsonr(x[item != k], y[item != k]).statistic for k in range(30)])
    error = np.sqrt(29 / 30 * ((without - without.mean()) ** 2).sum())
    assert found.pearson_error == pytest.approx(error, rel=1e-9)
    p = 2 * stats.t.sf(abs(found.value[3]) / error, 30)
    assert found.estimate("pearson").p_value == pytest.approx(p, rel=1e-9)
    spearman = found.boot[2].std() * np.sqrt(31 / 30)
    assert found.estimate("spearman").p_value == pytest.approx(2 * stats.t.sf(abs(found.value[2]) / spearman, 30))


def test_p_of_pearson_is_unknown_where_one_cluster_makes_all_of_it() -> None:
    x, y, item = points(10, 3, 9)
    found = correlations(np.where(item == 0, x, 0.0), y, item, 10, resamples=200)
    assert np.isfinite(found.value[3])
    assert np.isnan(found.pearson_error)
    assert np.isnan(found.estimate("pearson").p_value)
