"""Test the variance components of a setting against the analysis of variance of the items' values."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from metrics.analysis.replicates.spread_of_seeds import Estimate, estimate
from metrics.bootstrap import bootstrap_weights
from metrics.mathematics.arrays import Floats


def of_items(values: Floats) -> Estimate:
    items = values.shape[1]
    (weights,) = bootstrap_weights(items)
    return estimate(values.mean(axis=1), values @ weights.T / items, items)


def world(rng: np.random.Generator, runs: int, items: int, seed: float, rest: float) -> Floats:
    """Draw values (runs, items): an item effect with standard deviation 1, a seed effect, and a residual."""
    parts = seed * rng.normal(size=(runs, 1)) + rng.normal(size=items)
    return np.asarray(parts + rest * rng.normal(size=(runs, items)))


def test_the_components_are_those_of_an_analysis_of_variance() -> None:
    values = world(np.random.default_rng(3), 4, 150, 0.05, 1.2)
    runs, items = values.shape
    centred = values - values.mean(axis=1, keepdims=True) - values.mean(axis=0) + values.mean()
    rest = (centred**2).sum() / ((runs - 1) * (items - 1))
    of_the_items = (runs * values.mean(axis=0).var(ddof=1) - rest) / runs
    found = of_items(values)
    assert found.mean == pytest.approx(values.mean())
    assert found.sd == pytest.approx(values.mean(axis=1).std(ddof=1))
    assert found.drawn == pytest.approx(rest / items, rel=0.1)
    between = found.sd**2
    assert found.share == pytest.approx(between / (between + of_the_items / items), rel=0.1)
    assert found.excess == pytest.approx(max(between - rest / items, 0) / runs, rel=0.1, abs=1e-4)


def test_few_items_are_not_taken_for_less_spread() -> None:
    """A bootstrap variance is too small by the factor (n - 1) / n, which is 7 / 8 for eight items."""
    ratios = []
    for seed in range(20):
        values = world(np.random.default_rng(seed), 3, 8, 0.3, 1.0)
        centred = values - values.mean(axis=1, keepdims=True) - values.mean(axis=0) + values.mean()
        ratios.append(of_items(values).drawn / ((centred**2).sum() / (2 * 7) / 8))
    assert np.mean(ratios) == pytest.approx(1, abs=0.04)


def test_equal_seeds_have_no_share_and_known_seeds_all() -> None:
    same = of_items(np.tile(np.random.default_rng(0).normal(size=50), (3, 1)))
    assert (same.sd, same.excess) == (0.0, 0.0)
    assert np.isnan(same.share), "equal values do not tell how far other seeds lie apart"
    assert same.reason == "all seeds have the same value"
    apart = of_items(np.random.default_rng(0).normal(size=(3, 1)) + np.zeros((3, 50)))
    assert apart.share == 1.0
    assert apart.excess == pytest.approx(apart.sd**2 / 3)


def test_what_one_run_does_not_tell_is_said() -> None:
    one = of_items(np.random.default_rng(0).normal(size=(1, 50)))
    assert np.isnan(one.sd)
    assert np.isnan(one.share)
    assert one.reason == "one run: the difference between seeds is not known"
    assert one.low < one.mean < one.high
    without = estimate(np.array([0.1, 0.3]), np.full((2, 10), np.nan), 50)
    assert without.sd == pytest.approx(np.sqrt(0.02))
    assert np.isnan(without.share)
    assert without.reason == "no resamples"


def test_the_interval_of_the_share_is_that_of_two_variances() -> None:
    """Without residuals, the variances between seeds and between items are two independent mean squares."""
    values = world(np.random.default_rng(5), 5, 400, 0.03, 0.0)
    found = of_items(values)
    ratio = found.sd**2 / (values[0].var(ddof=1) / 400)
    ends = [ratio / stats.f.isf(tail, 4, 399) for tail in (0.025, 0.975)]
    assert [found.share_low, found.share_high] == pytest.approx([end / (1 + end) for end in ends], rel=0.06)


def test_little_known_items_widen_the_interval_of_the_share() -> None:
    """The items' component is a difference of two mean squares, with degrees of freedom by Satterthwaite 1946."""
    values = world(np.random.default_rng(1), 2, 40, 0.5, 2.0)
    found = of_items(values)
    centred = values - values.mean(axis=1, keepdims=True) - values.mean(axis=0) + values.mean()
    rest, items = (centred**2).sum() / 39, 2 * values.mean(axis=0).var(ddof=1)
    component = (items - rest) / 2
    freedom = component**2 / ((items / 2) ** 2 / 39 + (rest / 2) ** 2 / 39)
    assert freedom < 20, "far fewer than the 39 of the items"
    ratio = found.sd**2 / (component / 40)
    ends = [ratio / stats.f.isf(tail, 1, freedom) for tail in (0.025, 0.975)]
    assert [found.share_low, found.share_high] == pytest.approx([end / (1 + end) for end in ends], rel=0.15)
    of_the_items = ratio / stats.f.isf(0.025, 1, 39)
    assert found.share_low < 0.9 * of_the_items / (1 + of_the_items)
