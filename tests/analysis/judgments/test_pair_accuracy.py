"""Test agreement within items, by pairs and by Pearson's r, against loops; ties occur on both sides."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from metrics.analysis.judgments.pair_accuracy import accuracy, accuracy_draws, pairs_within, right, within


def by_loop(x: np.ndarray, y: np.ndarray, item: np.ndarray, unit: np.ndarray) -> tuple[float, float]:
    score, decided, balance, by, of = 0.0, 0, 0.0, 0, 0
    for i, j in combinations(range(len(x)), 2):
        if item[i] == item[j] and unit[i] != unit[j]:
            a, b = np.sign(x[i] - x[j]), np.sign(y[i] - y[j])
            balance += a * b
            by, of = by + (a != 0), of + (b != 0)
            if b:
                decided += 1
                score += 0.5 if a == 0 else float(a == b)
    return score / decided, balance / np.sqrt(by * of)


def test_within_is_that_of_a_double_loop() -> None:
    rng = np.random.default_rng(0)
    item, unit = np.repeat(np.arange(30), 6), np.repeat(np.arange(90), 2)
    x, y = rng.integers(0, 4, 90)[unit].astype(float), rng.integers(1, 4, 180).astype(float)
    found = within(x, y, pairs_within(item, unit), 30)
    share, tau = by_loop(x, y, item, unit)
    assert found.accuracy.value == pytest.approx(share)
    assert found.kendall_tau_b.value == pytest.approx(tau)
    assert found.accuracy.low < share < found.accuracy.high
    assert (within(x, y, pairs_within(item, unit), 30, seed=1).boot != found.boot).any()


def test_pearson_within_is_that_of_values_less_the_mean_of_their_item() -> None:
    rng = np.random.default_rng(1)
    item = np.repeat(np.arange(30), 4)
    own = rng.normal(size=120)
    x = own + 9 * rng.normal(size=30)[item]
    y = own + rng.normal(size=120) + 9 * rng.normal(size=30)[item]
    found = within(x, y, pairs_within(item, np.arange(120)), 30)
    off = [side - np.bincount(item, side)[item] / 4 for side in (x, y)]
    assert found.pearson.value == pytest.approx(np.corrcoef(*off)[0, 1])
    assert found.pearson.value > np.corrcoef(x, y)[0, 1] + 0.2


def test_a_constant_has_half_and_no_order() -> None:
    item = np.repeat(np.arange(20), 3)
    y = np.random.default_rng(2).normal(size=60)
    found = within(np.zeros(60), y, pairs_within(item, np.arange(60)), 20)
    assert found.accuracy.value == 0.5
    assert found.accuracy.p_value == 1
    assert np.isnan(found.kendall_tau_b.value)


def test_ratings_of_one_caption_are_no_pair() -> None:
    pairs = pairs_within(np.zeros(4, dtype=int), np.array([0, 0, 1, 1]))
    assert sorted(zip(pairs.first.tolist(), pairs.second.tolist())) == [(0, 2), (0, 3), (1, 2), (1, 3)]


def test_preferences_count_ties_half() -> None:
    found = right(np.array([1.0, -2, 0, 3]), np.array([1.0, 1, 1, -2]))
    assert found.tolist() == [1, 0, 0.5, 0]
    whole = accuracy(found, accuracy_draws(found, np.arange(4), 4), 4)
    assert whole.value == 0.375
    assert np.isnan(whole.low)  # four items are too few for an interval
