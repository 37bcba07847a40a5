"""Test length bias, the slope within items, against least squares with an intercept per item."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest

from metrics.analysis.judging.length_bias import length_slope


def test_it_is_least_squares_with_a_level_for_each_item() -> None:
    rng = np.random.default_rng(0)
    item = np.repeat(np.arange(12), 4)
    words, score = rng.integers(5, 20, 48).astype(float), rng.normal(size=48)
    columns = np.column_stack([words, np.eye(12)[item]])
    slope = np.linalg.lstsq(columns, score, rcond=None)[0][0]
    found = length_slope(score, words, item, item)
    assert found.value == pytest.approx(10 * slope)
    assert found.low < found.value < found.high


def test_items_that_are_hard_to_describe_say_nothing() -> None:
    """Scores fall with caption length between items and rise with it within items."""
    item = np.repeat(np.arange(10), 3)
    words = 20.0 - item + np.tile([0, 1, 2], 10)
    score = 5.0 * item + 0.5 * np.tile([0, 1, 2], 10)
    assert length_slope(score, words, item, item).value == pytest.approx(5.0)


def test_captions_of_one_length_have_no_slope() -> None:
    item = np.repeat(np.arange(8), 2)
    found = length_slope(np.arange(16.0), np.full(16, 7.0), item, item)
    assert isnan(found.value)
    assert found.n == 0
