"""Test laws of corpus p-values, of resampling, and of the intervals obtained from resamples."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from metrics import bootstrap
from metrics.bootstrap import (
    FEW,
    LEAST,
    bootstrap_totals,
    bootstrap_weights,
    group_jackknife,
    interval,
    known_interval,
    percentiles,
)
from metrics.permutation.pvalues import corpus_p, harmonic_mean_p, null_draws


def test_harmonic_mean_values():
    result = harmonic_mean_p([0.01, 0.5, np.nan, 0.2])
    assert result.raw == pytest.approx(3 / (100 + 2 + 5))
    # P(X >= x) of Landau's own variable is the integral below; with its scale and location the argument is
    # x - log L - (1 - Euler's constant), because 0.874367 = 1 - 0.577216 + log(pi / 2)
    where = 1 / result.raw - math.log(3) - (1 - np.euler_gamma)

    def density_of_tail(t):
        return math.exp(-t * math.log(t) - where * t) * math.sin(math.pi * t) / (math.pi * t)

    assert result.calibrated == pytest.approx(
        quad(density_of_tail, 0, 20, points=[0.01, 0.1, 1], limit=500)[0], rel=1e-5
    )


def test_harmonic_mean_at_its_edges():
    assert harmonic_mean_p([0.03]) == (pytest.approx(0.03), pytest.approx(0.03))
    assert all(math.isnan(value) for value in harmonic_mean_p([]))
    assert all(math.isnan(value) for value in harmonic_mean_p([np.nan]))
    assert harmonic_mean_p([0.0, 0.4]) == (0.0, 0.0)
    assert harmonic_mean_p([1.0] * 50).calibrated > 0.9
    with pytest.raises(ValueError, match=r"lie in 0\.\.1"):
        harmonic_mean_p([0.2, 1.2])


def test_draws_come_from_the_null_and_from_their_seed():
    null = np.array([1.0, 2.0, 2.0, 10.0])
    draws = null_draws(null, 20_000, seed=3)
    assert np.array_equal(draws, null_draws(null, 20_000, seed=3))
    assert not np.array_equal(draws, null_draws(null, 20_000, seed=4))
    shares = np.unique(draws, return_counts=True)[1] / 20_000
    assert shares == pytest.approx([0.25, 0.5, 0.25], abs=0.015)
    assert null_draws(null, 5, np.random.SeedSequence(1)).shape == (5,)
    with pytest.raises(ValueError, match="holds 1 of 2"):
        null_draws([1.0, np.nan])
    with pytest.raises(ValueError, match="got 0 and 9"):
        null_draws([], 9)


def test_corpus_p_counts_the_observed_once():
    assert corpus_p(5.0, [1.0, 2.0, 5.0, 7.0]) == pytest.approx(3 / 5)
    assert corpus_p(5.0, [1.0, 2.0, 5.0, 7.0], "less") == pytest.approx(4 / 5)
    assert corpus_p(0.1 + 0.2, [0.3, 0.2]) == pytest.approx(2 / 3)  # equal but for rounding
    assert corpus_p(9.0, np.zeros(99)) == 1 / 100
    with pytest.raises(ValueError, match="alternative must be"):
        corpus_p(1.0, [1.0], "two-sided")


def test_totals_are_weights_times_sums():
    sums = np.random.default_rng(0).random((30, 4))
    weights = np.concatenate(list(bootstrap_weights(30, 50, seed=2)))
    assert weights.shape == (50, 30)
    assert (weights.sum(axis=1) == 30).all()
    assert bootstrap_totals(sums, 50, seed=2) == pytest.approx(weights @ sums)


def test_resamples_are_shared_between_runs_and_do_not_depend_on_the_blocks(monkeypatch):
    whole = np.concatenate(list(bootstrap_weights(30, 50, seed=2)))
    monkeypatch.setattr(bootstrap, "_CELLS_AT_ONCE", 100)
    blocks = list(bootstrap_weights(30, 50, seed=2))
    assert max(len(block) for block in blocks) == 3
    assert np.array_equal(np.concatenate(blocks), whole)
    assert not np.array_equal(np.concatenate(list(bootstrap_weights(30, 50, seed=3))), whole)


def test_kept_resamples_are_those_drawn_and_nobody_can_change_them(monkeypatch):
    first = bootstrap_totals(np.eye(40), 30, seed=5)
    monkeypatch.setattr(bootstrap, "_drawn", lambda *given: pytest.fail("drawn again"))
    assert np.array_equal(bootstrap_totals(np.eye(40), 30, seed=5), first)
    (kept,) = bootstrap_weights(40, 30, seed=5)
    with pytest.raises(ValueError, match="read-only"):
        kept += 1


def test_weights_of_many_blocks_are_drawn_once_and_cost_a_byte_each(monkeypatch):
    whole = np.concatenate(list(bootstrap_weights(700, 40, seed=8)))
    monkeypatch.setattr(bootstrap, "_CELLS_AT_ONCE", 7_000)
    assert np.array_equal(np.concatenate(list(bootstrap_weights(700, 40, seed=8))), whole)
    kept = bootstrap._counts.get((700, 40, 8))
    assert kept is not None
    assert kept.nbytes == 700 * 40
    drawn = bootstrap._drawn
    monkeypatch.setattr(bootstrap, "_drawn", lambda *given: pytest.fail("drawn again"))
    assert np.array_equal(np.concatenate(list(bootstrap_weights(700, 40, seed=8))), whole)
    monkeypatch.setattr(bootstrap, "_drawn", drawn)
    monkeypatch.setattr(bootstrap, "_MOST_KEPT", 700 * 40 - 1)
    assert np.array_equal(np.concatenate(list(bootstrap_weights(700, 40, seed=8))), whole)


@pytest.mark.parametrize("other", [(12, 20, 6), (12, 21, 5), (13, 20, 5)])
def test_kept_resamples_are_found_for_equal_arguments_alone(other):
    def drawn(n_items, resamples, seed):
        rng = np.random.default_rng(seed)
        return [np.bincount(rng.integers(n_items, size=n_items), minlength=n_items).tolist() for _ in range(resamples)]

    for arguments in ((12, 20, 5), other, (12, 20, 5)):
        (kept,) = bootstrap_weights(*arguments)
        assert kept.tolist() == drawn(*arguments)


def test_the_bootstrap_interval_covers():
    rng, hits = np.random.default_rng(0), 0
    for repeat in range(200):
        values = rng.exponential(size=(60, 1))
        low, high = interval(bootstrap_totals(values, 300, seed=repeat) / 60, 60)
        hits += low <= 1 <= high
    assert 0.88 < hits / 200 < 0.99


def test_percentiles_make_good_what_resampling_few_items_lacks():
    """For normal values, these percentiles give the t interval: its quantile and a standard deviation with divisor n
    - 1.
    """
    n = 8
    quantile = 2.364624 * np.sqrt(n / (n - 1))  # t of 7 degrees of freedom
    assert percentiles(n) == pytest.approx((norm.cdf(-quantile), norm.cdf(quantile)), abs=1e-7)
    assert percentiles(100_000) == pytest.approx((0.025, 0.975), abs=1e-5)
    assert percentiles(20)[0] == pytest.approx(0.0159, abs=5e-5)
    values = np.random.default_rng(4).normal(size=n)
    low, high = interval(bootstrap_totals(values[:, None], 200_000) / n, n)
    half = 2.364624 * values.std(ddof=1) / np.sqrt(n)
    assert (high - low) / (2 * half) == pytest.approx(1, abs=0.06)  # the tails of few values are not normal


def test_of_few_items_there_is_no_interval_and_of_the_fewest_it_nearly_covers():
    """Coverage is about 93 % for six normal values, and about 95 % for ten and for twenty."""
    rng = np.random.default_rng(2)
    for n in (1, LEAST - 1):
        assert np.isnan(interval(bootstrap_totals(rng.normal(size=(n, 1)), 50), n)).all()
    for n, least, most in ((LEAST, 0.918, 0.945), (10, 0.93, 0.96), (FEW, 0.935, 0.965)):
        ends = [interval(means, n) for means in bootstrap_totals(rng.normal(size=(n, 2_000)), 1_000).T]
        assert least < np.mean([low <= 0 <= high for low, high in ends]) < most


def test_the_range_of_fewer_items_cannot_cover():
    """The argument for LEAST is that a percentile interval of a mean cannot leave the range of its items."""
    values = np.random.default_rng(3).normal(size=(20_000, LEAST))
    for n, enough in ((LEAST - 1, False), (LEAST, True)):
        held = np.mean((values[:, :n].min(axis=1) <= 0) & (values[:, :n].max(axis=1) >= 0))
        assert held == pytest.approx(1 - 2.0 ** (1 - n), abs=0.005)
        assert (held > 0.95) == enough


def test_the_jackknife_interval_covers_and_equals_the_textbook_for_means():
    rng, hits = np.random.default_rng(1), 0
    for _ in range(200):
        values = rng.normal(size=60)
        low, high = group_jackknife(lambda items, values=values: float(values[items].std(ddof=1)), 60)
        hits += low <= 1 <= high
    assert 0.88 < hits / 200 < 0.99
    values = rng.normal(size=12)
    low, high = group_jackknife(lambda items: float(values[items].mean()), 12, groups=12)
    half = 2.200985 * values.std(ddof=1) / np.sqrt(12)  # t of 11 degrees of freedom
    assert (low, high) == pytest.approx((values.mean() - half, values.mean() + half), rel=1e-6)


def test_an_interval_of_what_is_known_leaves_out_the_rest_while_it_is_little():
    values = np.r_[np.arange(96.0), [np.nan] * 3, np.inf]
    assert known_interval(values, 96) == known_interval(values, 96, least=0.96) == interval(np.arange(96.0), 96)
    assert all(math.isnan(end) for end in (*known_interval(values, 96, least=0.97), *known_interval([np.nan], 96)))


def test_intervals_that_do_not_exist():
    assert all(math.isnan(end) for end in interval([], 9))
    assert all(math.isnan(end) for end in interval([1.0, np.nan], 9))
    assert all(math.isnan(end) for end in group_jackknife(lambda items: 1.0, 1))
    assert all(math.isnan(end) for end in group_jackknife(lambda items: float("nan"), 9))


def test_malformed_input_is_explained():
    with pytest.raises(ValueError, match="holds 1 of 2 numbers"):
        bootstrap_totals([[1.0, np.nan]])
    with pytest.raises(ValueError, match=r"must be \(items, k\), got shape \(3,\)"):
        bootstrap_totals([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="needs items and resamples, got 0 and 2000"):
        bootstrap_totals(np.empty((0, 2)))
    with pytest.raises(ValueError, match="needs two groups"):
        group_jackknife(lambda items: 1.0, 5, groups=1)
