"""Test laws of the permutation tests, for every statistic and every way to compute it."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from metrics.mathematics.frechet import frechet, gram
from metrics.mathematics.kernels import rbf_kernel
from metrics.mathematics.triangle import triangle_rank
from metrics.permutation.bleu_masks import bleu_masks
from metrics.permutation.item_test import DRAWS, permutation_test

STATISTICS = ["trm", "mmd", "mmd_biased", "frechet", "mean_mean", "mean_max", "rouge_l", "bleu"]
SYMMETRIC = {"trm", "mmd", "mmd_biased", "frechet"}


def matrix(statistic, size, seed=0):
    rng = np.random.default_rng(seed)
    if statistic == "bleu":
        return bleu_masks([rng.integers(0, 12, rng.integers(4, 12)) for _ in range(size)], 2)
    if statistic == "rouge_l":
        return rng.random((2, size, size))
    if statistic in ("mmd", "mmd_biased"):
        return rbf_kernel(rng.normal(size=(size, 4)))
    if statistic == "frechet":
        return gram(rng.normal(size=(size, 4)))
    return rng.random((size, size))


def first(size, n):
    return np.arange(size) < n


@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize(("n", "m"), [(3, 5), (5, 3), (4, 4)])
def test_exact_results_hold_together(statistic, n, m):
    result = permutation_test(statistic, matrix(statistic, n + m), first(n + m, n))
    assert result.exact
    assert result.null.dtype == np.float64
    assert len(result.null) == {3: 56, 5: 56, 4: 70}[n]
    assert result.null[0] == pytest.approx(result.statistic, abs=1e-12)
    ends = {"greater": result.null.max(), "less": result.null.min()}
    tied = np.isclose(result.null, ends[result.alternative], rtol=1e-9, atol=1e-12)
    assert result.floor == pytest.approx(tied.mean())
    if statistic != "bleu":  # words repeat, and so do its values
        assert tied.sum() == (2 if statistic in SYMMETRIC and n == m else 1)
    assert result.floor <= result.p_value <= 1
    assert result.alternative == ("greater" if statistic in SYMMETRIC else "less")


@pytest.mark.parametrize("statistic", sorted(SYMMETRIC))
def test_the_floor_of_five_and_five_is_two_in_252(statistic):
    rng = np.random.default_rng(0)
    points = np.concatenate([rng.normal(size=(5, 3)), rng.normal(size=(5, 3)) + 50])
    distance = np.linalg.norm(points[:, None] - points[None], axis=2)
    given = {"trm": distance, "frechet": gram(points)}.get(statistic, rbf_kernel(points))
    result = permutation_test(statistic, given, first(10, 5))
    assert result.p_value == result.floor == 2 / 252


@pytest.mark.parametrize("statistic", [name for name in STATISTICS if name != "bleu"])
def test_the_order_of_the_texts_does_not_matter(statistic):
    values, labels = matrix(statistic, 9), first(9, 4)
    order = np.random.default_rng(2).permutation(9)
    shuffled = values[:, order][:, :, order] if statistic == "rouge_l" else values[np.ix_(order, order)]
    before, after = permutation_test(statistic, values, labels), permutation_test(statistic, shuffled, labels[order])
    assert after.statistic == pytest.approx(before.statistic, rel=1e-9)
    assert after.p_value == before.p_value
    assert np.allclose(np.sort(before.null), np.sort(after.null), rtol=0, atol=1e-12)


@pytest.mark.parametrize("statistic", STATISTICS)
def test_random_relabellings_agree_with_all(statistic):
    values, labels = matrix(statistic, 10), np.random.default_rng(1).permutation(first(10, 4))
    exact = permutation_test(statistic, values, labels)
    drawn = permutation_test(statistic, values, labels, budget=209, seed=5)
    assert not drawn.exact
    assert len(drawn.null) == DRAWS
    assert drawn.floor == 1 / (DRAWS + 1)
    assert drawn.statistic == exact.statistic
    spread = np.sqrt(exact.p_value * (1 - exact.p_value) / DRAWS)
    assert abs(drawn.p_value - exact.p_value) < 5 * spread + 2 / DRAWS
    again = permutation_test(statistic, values, labels, budget=209, seed=5)
    other = permutation_test(statistic, values, labels, budget=209, seed=6)
    assert np.array_equal(drawn.null, again.null)
    assert not np.array_equal(drawn.null, other.null)
    gap = np.abs(exact.null[None, :] - drawn.null[:200, None]).min(axis=1)
    assert gap.max() < 1e-12


def test_random_relabellings_count_the_observed_one():
    """p is (b + 1) / (m + 1), where the observed labelling counts as a draw.

    If it did not count, p would be 0 whenever no draw is as extreme.
    """
    points = np.arange(40.0)[:, None] + 1000 * first(40, 20)[:, None]
    result = permutation_test("mmd", rbf_kernel(points), first(40, 20), draws=99)
    assert not result.exact
    assert result.p_value == result.floor == 1 / 100
    constant = permutation_test(lambda m, z: 0.0, np.zeros((40, 1)), first(40, 20), draws=99)
    assert constant.p_value == 1.0


def test_the_budget_decides():
    values = matrix("trm", 10)
    assert permutation_test("trm", values, first(10, 4), budget=210).exact
    assert not permutation_test("trm", values, first(10, 4), budget=209, draws=9).exact


@pytest.mark.parametrize("size", [63, 64, 65, 100])
def test_sets_around_a_word(size):
    values, labels = matrix("trm", size), first(size, size // 2)
    result = permutation_test("trm", values, labels, draws=50)
    assert result.statistic == pytest.approx(triangle_rank(values, labels), abs=1e-12)
    assert 1 / 51 <= result.p_value <= 1


def test_alternatives_count_opposite_tails():
    values, labels = matrix("mean_max", 9), first(9, 4)
    less = permutation_test("mean_max", values, labels)
    greater = permutation_test("mean_max", values, labels, alternative="greater")
    tied = np.mean(np.abs(less.null - less.statistic) < 1e-9)
    assert less.p_value + greater.p_value == pytest.approx(1 + tied)
    assert less.p_two_sided == greater.p_two_sided == min(1, 2 * min(less.p_value, greater.p_value))
    with pytest.raises(ValueError, match='must be "greater" or "less", got \'both\''):
        permutation_test("mean_max", values, labels, alternative="both")


@pytest.mark.parametrize(
    ("statistic", "values"),
    [
        ("trm", np.zeros((8, 8))),
        ("trm", np.full((8, 8), 0.3)),
        ("mmd", np.full((8, 8), 0.3)),
        ("mmd_biased", np.full((8, 8), 0.3)),
        ("frechet", np.full((8, 8), 1e6 / 3)),
        ("mean_mean", np.full((8, 8), 0.1)),
        ("mean_max", np.full((8, 8), 0.1)),
        ("rouge_l", np.full((2, 8, 8), 0.1)),
    ],
)
def test_indistinguishable_texts_have_p_one(statistic, values):
    """Rounding errors differ between partitions and must not be mistaken for differences."""
    for draws in ({}, {"budget": 1, "draws": 99}):
        found = permutation_test(statistic, values, first(8, 3), **draws)
        assert (found.p_value, found.p_two_sided, found.floor) == (1.0, 1.0, 1.0)


def test_any_callable_is_a_statistic():
    rng = np.random.default_rng(0)
    points, labels = rng.normal(size=(8, 2)), first(8, 4)
    by_hand = permutation_test(frechet, points, labels)
    compiled = permutation_test("frechet", gram(points), labels)
    assert np.allclose(by_hand.null, compiled.null, rtol=0, atol=1e-12)
    assert by_hand.p_value == compiled.p_value
    assert by_hand.floor == compiled.floor == 2 / 70


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("statistic", [name for name in STATISTICS if name != "bleu"])
def test_numbers_that_are_not_finite_are_refused(statistic, bad):
    values = matrix(statistic, 6).copy()
    values[..., 1, 2] = bad
    with pytest.raises(ValueError, match=r"holds 1|holds 2"):
        permutation_test(statistic, values, first(6, 3))


@pytest.mark.parametrize("statistic", ["trm", "mmd", "frechet"])
@pytest.mark.parametrize("n", [0, 1, 5, 6])
def test_two_texts_a_side_are_needed(statistic, n):
    with pytest.raises(ValueError, match=f"need two texts on each side, got {n} candidate"):
        permutation_test(statistic, matrix(statistic, 6), first(6, n))


@pytest.mark.parametrize("statistic", ["mmd_biased", "mean_mean", "mean_max", "rouge_l", "bleu"])
def test_one_text_a_side_is_enough_for_means(statistic):
    assert len(permutation_test(statistic, matrix(statistic, 5), first(5, 1)).null) == 5
    with pytest.raises(ValueError, match="need a candidate and a reference, got 0 and 5"):
        permutation_test(statistic, matrix(statistic, 5), first(5, 0))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("median", np.zeros((4, 4)), first(4, 2)), "statistic must be callable or one of trm, mmd"),
        (("trm", np.zeros((4, 5)), first(4, 2)), r"must be square, got shape \(4, 5\)"),
        (("trm", np.zeros((4, 4)), np.array([1, 1, 0, 0])), "must hold booleans"),
        (("trm", np.zeros((4, 4)), first(5, 2)), r"one label per text, \(4,\)"),
        (("mmd", np.arange(16.0).reshape(4, 4), first(4, 2)), "kernel must be symmetric"),
        (("bleu", np.zeros((4, 4)), first(4, 2)), "takes the result of bleu_masks"),
        (("rouge_l", np.zeros((4, 4)), first(4, 2)), r"shape \(2, N, N\)"),
        ((lambda m, z: float("nan"), np.zeros((4, 4)), first(4, 2)), "not finite for 6 of 6"),
    ],
)
def test_malformed_input_is_explained(arguments, message):
    with pytest.raises(ValueError, match=message):
        permutation_test(*arguments)


def test_sets_too_large_for_triangles_are_refused():
    with pytest.raises(ValueError, match="at most 256 texts, got 257"):
        permutation_test("trm", np.zeros((257, 257)), first(257, 100))


def test_pages_do_not_pay_for_the_compiler():
    """numba is imported when a p-value is asked for, not with the modules."""
    program = (
        "import sys, metrics.permutation, metrics.mathematics.triangle, metrics.permutation.pvalues; "
        "print('numba' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_masks_of_four_orders_hold_those_of_fewer(n):
    rng = np.random.default_rng(n)
    texts = [rng.integers(0, 6, rng.integers(0, 12)) for _ in range(7)]
    own = permutation_test("bleu", bleu_masks(texts, n), first(7, 3))
    shared = permutation_test("bleu", bleu_masks(texts, 4).up_to(n), first(7, 3))
    np.testing.assert_array_equal(shared.null, own.null)
    assert shared.p_value == own.p_value
