"""Test that p-values under a true null hypothesis are uniform up to their discrete steps; also averages of p-values."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from metrics.mathematics.frechet import gram
from metrics.mathematics.kernels import rbf_kernel
from metrics.permutation.item_test import permutation_test
from metrics.permutation.pvalues import averages, corpus_p, harmonic_mean_p, null_draws, uniform_averages

ITEMS = 600


def observed_p(statistic, ties_of_distance, seed):
    """Return p-values (ITEMS,) of items whose 3 candidates and 5 references come from the same distribution."""
    rng = np.random.default_rng(seed)
    labels = np.arange(8) < 3
    out = []
    for _ in range(ITEMS):
        points = rng.normal(size=(8, 3))
        if ties_of_distance:
            distance = rng.integers(0, 4, (8, 8)).astype(float)
        else:
            distance = np.linalg.norm(points[:, None] - points[None], axis=2)
        given = {"trm": distance, "mmd": rbf_kernel(points), "frechet": gram(points), "mean_max": -distance}[statistic]
        out.append(permutation_test(statistic, given, labels).p_value)
    return np.array(out)


@pytest.mark.parametrize("statistic", ["trm", "mmd", "frechet", "mean_max"])
def test_exact_p_is_uniform_under_the_null(statistic):
    p = observed_p(statistic, False, 1)
    # with 56 partitions p moves in steps of 1 / 56; a uniform number within its step makes it continuous
    smooth = p - np.random.default_rng(0).random(ITEMS) / 56
    assert stats.kstest(smooth, "uniform").pvalue > 1e-3


@pytest.mark.parametrize("statistic", ["trm", "mean_max"])
def test_ties_make_p_conservative_never_too_small(statistic):
    p = observed_p(statistic, True, 2)
    for level in (0.05, 0.1, 0.25, 0.5):
        spread = np.sqrt(level * (1 - level) / ITEMS)
        assert np.mean(p <= level) <= level + 3.5 * spread


def test_p_is_small_where_the_null_is_false():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(15, 8)) + 3 * (np.arange(15) < 5)[:, None]
    distance = np.linalg.norm(points[:, None] - points[None], axis=2)
    for statistic, given in (("trm", distance), ("mmd", rbf_kernel(points)), ("frechet", gram(points))):
        result = permutation_test(statistic, given, np.arange(15) < 5)
        assert result.p_value < 0.01, statistic


@pytest.mark.parametrize("tests", [20, 1000])
def test_calibrated_harmonic_mean_rejects_as_often_as_it_says(tests):
    repeats = 4000
    p = np.random.default_rng(tests).random((repeats, tests))
    raw, calibrated = np.array([harmonic_mean_p(row) for row in p]).T
    spread = np.sqrt(0.05 * 0.95 / repeats)
    assert np.mean(calibrated <= 0.05) == pytest.approx(0.05, abs=3.5 * spread)
    assert 0.06 < np.mean(raw <= 0.05) < 0.10


def test_corpus_test_is_calibrated_and_has_power():
    rng = np.random.default_rng(5)
    labels, found = np.arange(8) < 3, {0.0: [], 1.0: []}
    for shift, values in found.items():
        for repeat in range(60):
            total, draws = 0.0, np.zeros(199)
            for item in range(6):
                points = rng.normal(size=(8, 3)) + shift * labels[:, None]
                result = permutation_test("mmd", rbf_kernel(points), labels)
                total += result.statistic
                draws += null_draws(result.null, 199, seed=1000 * repeat + item)
            values.append(corpus_p(total, draws))
    assert stats.kstest(found[0.0], "uniform").pvalue > 1e-3
    assert np.mean(np.array(found[1.0]) <= 0.05) > 0.6


@pytest.mark.parametrize(
    ("partitions", "mean", "log", "harmonic"), [(5, 0.6, -0.652, 0.438), (20, 0.525, -0.879, 0.278), (1, 1, 0, 1)]
)
def test_averages_of_uniform_p_are_those_of_every_p_once(
    partitions: int, mean: float, log: float, harmonic: float
) -> None:
    """One caption against 4 (COCO) or 19 (MSR-VTT) others has 5 or 20 relabellings, and as many possible p-values."""
    every = np.arange(1, partitions + 1) / partitions
    found, uniform = averages(every), uniform_averages(np.full(partitions, 1 / partitions))
    assert (uniform.mean, uniform.log, uniform.harmonic.raw) == pytest.approx((mean, log, harmonic), abs=5e-4)
    assert (found.mean, found.log) == pytest.approx((uniform.mean, uniform.log))
    assert found.harmonic == pytest.approx(uniform.harmonic)


def test_averages_leave_out_what_has_no_p_and_mix_numbers_of_partitions() -> None:
    found = uniform_averages([1 / 5, np.nan, 1 / 20])
    assert found.mean == pytest.approx((0.6 + 0.525) / 2)
    assert found.harmonic.raw == pytest.approx(2 / (sum(1 / k for k in range(1, 6)) + sum(1 / k for k in range(1, 21))))
    assert averages([0.5, np.nan, 0.1]).mean == pytest.approx(0.3)
    assert np.isnan(averages([np.nan])[:2]).all()
    assert averages([0.0, 0.5]).log == -np.inf
