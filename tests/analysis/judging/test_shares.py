"""Test shares of pairs: the sign test, an independent computation of the interval, and which pairs are left out."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest
from scipy.stats import beta, binomtest, t

from metrics.analysis.judging.shares import share, share_interval


@pytest.mark.parametrize(("hits", "n"), [(12, 15), (9, 10), (8, 16), (0, 9)])
def test_with_one_pair_an_item_it_is_the_sign_test(hits: int, n: int) -> None:
    leaning = np.where(np.arange(n) < hits, 1.0, -1.0)
    found = share(leaning, np.arange(n))
    assert found.value == pytest.approx(hits / n)
    assert found.p_value == pytest.approx(binomtest(hits, n).pvalue)
    assert found.n == n


def slow_interval(hits: list[float], sizes: list[float]) -> tuple[float, float]:
    """Return the Clopper-Pearson interval for the effective number of pairs, computed term by term."""
    units, n = len(sizes), sum(sizes)
    value = sum(hits) / n
    squares = 0.0
    for h, m in zip(hits, sizes):
        squares += (h - value * m) ** 2
    variance = squares * units / (units - 1) / n**2
    effective = min(n, value * (1 - value) / variance * (t.ppf(0.975, n - 1) / t.ppf(0.975, units - 1)) ** 2)
    x = effective * value
    return beta.ppf(0.025, x, effective - x + 1), beta.ppf(0.975, x + 1, effective - x)


def test_the_interval_by_a_second_route() -> None:
    rng = np.random.default_rng(3)
    sizes = rng.integers(1, 5, 12).astype(float)
    hits = np.array([rng.binomial(int(m), 0.7) for m in sizes], dtype=float)
    assert share_interval(hits, sizes) == pytest.approx(slow_interval(hits.tolist(), sizes.tolist()))


def test_pairs_of_an_item_that_lean_together_are_no_more_than_one() -> None:
    """Ten items with five equal pairs each have an interval as wide as that of about ten pairs, not of fifty."""
    alike = np.repeat(np.where(np.arange(10) < 7, 1.0, -1.0), 5)
    together, apart = share(alike, np.repeat(np.arange(10), 5)), share(alike, np.arange(50))
    assert together.value == apart.value == 0.7
    assert together.high - together.low > 1.9 * (apart.high - apart.low)
    assert together.p_value == pytest.approx(binomtest(7, 10).pvalue)


def test_a_share_of_all_has_the_interval_of_its_items() -> None:
    found = share(np.ones(24), np.repeat(np.arange(8), 3))
    assert (found.value, found.high) == (1.0, 1.0)
    assert found.low == pytest.approx(0.025 ** (1 / 8))
    assert found.p_value == pytest.approx(2 / 2**8)


def test_few_items_have_no_interval_and_no_pairs_no_share() -> None:
    few, none = share(np.ones(5), np.arange(5)), share(np.full(3, np.nan), np.arange(3))
    assert isnan(few.low)
    assert few.p_value == pytest.approx(2 / 32)
    assert isnan(none.value)
    assert none.n == 0
