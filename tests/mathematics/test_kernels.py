"""Test laws and values of MMD, the Frechet distance and the Vendi score."""

from __future__ import annotations

import numpy as np
import pytest

from metrics.mathematics.frechet import corpus_frechet, frechet, frechet_of_few, frechet_of_moments, gram, moments
from metrics.mathematics.kernels import mmd2_of_kernel, rbf_kernel, vendi

RNG = np.random.default_rng(0)


def first(size, n):
    return np.arange(size) < n


def mmd2(points, labels, biased=False):
    return mmd2_of_kernel(rbf_kernel(points), labels, biased)


def test_kernel_of_a_worked_example():
    kernel = rbf_kernel(np.array([[0.0], [1.0], [3.0]]))  # distances 1, 2, 3: median 2, s = 1
    assert kernel[0, 1] == pytest.approx(np.exp(-0.5))
    assert kernel[0, 2] == pytest.approx(np.exp(-4.5))
    assert np.array_equal(np.diag(kernel), [1, 1, 1])
    assert rbf_kernel(np.array([[0.0], [1.0], [3.0]]), bandwidth=1.0)[0, 1] == pytest.approx(np.exp(-1 / 8))


def test_kernel_where_the_median_distance_is_zero():
    points = np.array([[0.0, 1.0]] * 4 + [[2.0, 2.0]])
    kernel = rbf_kernel(points)
    assert np.array_equal(kernel, np.equal.outer(points[:, 0], points[:, 0]).astype(float))
    near = rbf_kernel(points, 1e-9)
    assert np.array_equal(kernel, near)


def test_mmd_of_identical_texts_is_zero():
    points = np.tile(RNG.normal(size=5), (7, 1))
    assert mmd2(points, first(7, 3)) == 0
    assert mmd2(points, first(7, 3), biased=True) == 0


def test_mmd_is_unbiased_and_the_biased_one_is_not():
    rng = np.random.default_rng(1)
    values = np.array(
        [[mmd2(x := rng.normal(size=(9, 4)), first(9, 4)), mmd2(x, first(9, 4), biased=True)] for _ in range(1500)]
    )
    mean, spread = values.mean(axis=0), values.std(axis=0) / np.sqrt(1500)
    assert abs(mean[0]) < 4 * spread[0]
    assert mean[1] > 20 * spread[1]
    assert (values[:, 1] >= 0).all()


def test_invariances():
    points, labels = RNG.normal(size=(11, 6)), first(11, 4)
    turn = np.linalg.qr(RNG.normal(size=(6, 6)))[0]
    moved = points @ turn + 100.0
    assert mmd2(moved, labels) == pytest.approx(mmd2(points, labels), abs=1e-10)
    assert mmd2(7 * points, labels) == pytest.approx(mmd2(points, labels), abs=1e-12)
    assert frechet(moved, labels) == pytest.approx(frechet(points, labels), rel=1e-9)
    assert frechet(3 * points, labels) == pytest.approx(9 * frechet(points, labels), rel=1e-9)
    assert frechet(points, ~labels) == pytest.approx(frechet(points, labels), rel=1e-9)
    assert frechet(points, labels, squared=False) ** 2 == pytest.approx(frechet(points, labels))


def test_frechet_values_known_in_closed_form():
    one = np.array([[-1.0], [1.0]])
    assert corpus_frechet(one, 3 * one + 5) == pytest.approx(25 + 2 * (3 - 1) ** 2)  # (mean gap)^2 + (sd gap)^2
    assert corpus_frechet(one, one) == pytest.approx(0, abs=1e-12)
    points = RNG.normal(size=(50, 8))
    assert corpus_frechet(points, points + 2.0) == pytest.approx(8 * 4.0)
    assert corpus_frechet(points, 2 * points) == pytest.approx(
        (points.mean(axis=0) ** 2).sum() + np.trace(np.cov(points.T))
    )


def test_corpus_frechet_of_singular_covariances():
    """The texts lie in a plane of a 50-dimensional space, where a matrix square root would lose half of its digits."""
    plane = RNG.normal(size=(2, 50))
    first_set, second_set = RNG.normal(size=(1000, 2)) @ plane, RNG.normal(size=(900, 2)) @ plane
    turn = np.linalg.qr(plane.T)[0]
    flat = corpus_frechet(first_set @ turn, second_set @ turn)
    assert corpus_frechet(first_set, second_set) == pytest.approx(flat, rel=1e-9)


def test_gram_has_no_mean():
    centred = gram(RNG.normal(size=(6, 3)) + 1000)
    assert np.allclose(centred.sum(axis=0), 0, atol=1e-9)
    assert np.allclose(centred, centred.T)


def test_vendi_counts_different_texts():
    assert vendi(np.ones((5, 5))) == pytest.approx(1)
    assert vendi(np.eye(5)) == pytest.approx(5)
    assert vendi(np.kron(np.eye(3), np.ones((4, 4)))) == pytest.approx(3)
    assert np.isnan(vendi(np.empty((0, 0))))
    with pytest.raises(ValueError, match="similarity of 1 of each text with itself"):
        vendi(2 * np.eye(3))


@pytest.mark.parametrize("function", [mmd2, frechet])
def test_malformed_input_is_explained(function):
    with pytest.raises(ValueError, match="need two texts on each side, got 1 candidate"):
        function(np.zeros((4, 2)), first(4, 1))
    with pytest.raises(ValueError, match="The embeddings holds 1 of 8 numbers that are NaN"):
        function(np.array([[0, 1], [2, 3], [4, np.nan], [6, 7]]), first(4, 2))
    with pytest.raises(ValueError, match=r"must be \(texts, dimensions\), got shape \(4,\)"):
        function(np.zeros(4), first(4, 2))
    with pytest.raises(ValueError, match=r"one label per text, \(4,\), got shape \(5,\)"):
        function(np.zeros((4, 2)), first(5, 2))


def test_what_one_text_a_side_allows():
    assert mmd2_of_kernel(np.eye(2), first(2, 1), biased=True) == pytest.approx(2)
    with pytest.raises(ValueError, match="two texts on each side, got 1 and 4"):
        corpus_frechet(np.zeros((1, 3)), np.zeros((4, 3)))
    with pytest.raises(ValueError, match="differ in dimension: 3 and 2"):
        corpus_frechet(np.zeros((3, 3)), np.zeros((4, 2)))
    with pytest.raises(ValueError, match="bandwidth must be positive"):
        rbf_kernel(np.zeros((3, 3)), 0)


def test_frechet_of_moments_is_the_corpus_distance():
    random = np.random.default_rng(4)
    left, right = random.normal(size=(60, 12)), random.normal(0.3, 1.4, size=(45, 12))
    extra = random.normal(2, 1, size=(15, 12))
    whole = moments(np.concatenate([left, extra])).without(moments(extra))
    for squared in (True, False):
        found = frechet_of_moments(whole, moments(right), squared)
        assert found == pytest.approx(corpus_frechet(left, right, squared), rel=1e-9)
        few = frechet_of_few(left[:7], moments(right), squared)
        assert few == pytest.approx(corpus_frechet(left[:7], right, squared), rel=1e-9)
