"""Test kernel statistics and aggregate scores under relabelling against definitions and itertools."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.mathematics.frechet import corpus_frechet, frechet, gram
from metrics.mathematics.kernels import mmd2_of_kernel, rbf_kernel
from metrics.permutation import compiled_routes, partitions
from metrics.permutation.bleu_masks import bleu_masks
from metrics.permutation.item_test import permutation_test
from tests.second_route import slow

SCORES = {"mean_mean": slow.mean_mean, "mean_max": slow.mean_max, "rouge_l": slow.rouge_l}


@st.composite
def embeddings(draw):
    """Draw points in few dimensions, sometimes with duplicates, and labels with at least two points per side."""
    size, dimensions = draw(st.integers(4, 8)), draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    points = rng.normal(size=(size, dimensions)) * 10.0 ** draw(st.integers(-2, 2)) + draw(st.integers(-3, 3))
    points = points[rng.integers(0, size, size)] if draw(st.booleans()) else points
    return points, rng.permutation(np.arange(size) < draw(st.integers(2, size - 2)))


@pytest.mark.parametrize("biased", [False, True])
@given(embeddings())
@settings(max_examples=40, deadline=None)
def test_mmd_by_its_three_means(biased, item):
    points, labels = item
    distances = np.linalg.norm(points[:, None] - points[None], axis=2)
    scale = np.median(distances[np.triu_indices(len(points), 1)]) / 2
    if scale > 1e-9:
        kernel = np.exp(-(distances**2) / (2 * scale**2))
        assert np.allclose(rbf_kernel(points), kernel, rtol=0, atol=1e-9)
    kernel = rbf_kernel(points)
    assert mmd2_of_kernel(kernel, labels, biased) == pytest.approx(slow.mmd2(kernel, labels, biased), abs=1e-12)


@pytest.mark.parametrize("statistic", ["mmd", "mmd_biased"])
@given(embeddings())
@settings(max_examples=25, deadline=None)
def test_mmd_of_every_partition(statistic, item):
    points, labels = item
    kernel, biased = rbf_kernel(points), statistic == "mmd_biased"
    null = slow.permutation_null(lambda k, z: slow.mmd2(k, z, biased), kernel, labels)
    result = permutation_test(statistic, kernel, labels)
    assert np.allclose(result.null, null, rtol=0, atol=1e-12)
    assert result.statistic == pytest.approx(slow.mmd2(kernel, labels, biased), abs=1e-12)
    assert result.p_value == pytest.approx(slow.p_value(null, result.statistic, "greater"))


@given(embeddings())
@settings(max_examples=40, deadline=None)
def test_frechet_by_the_matrix_square_root(item):
    points, labels = item
    size = np.abs(points).max() ** 2
    expected = slow.frechet(points, labels)
    # the square root of a singular matrix is good to about the root of the rounding error, ours to the error itself
    assert frechet(points, labels) == pytest.approx(expected, abs=1e-6 * size)
    assert frechet(points, labels, squared=False) == pytest.approx(np.sqrt(max(frechet(points, labels), 0)))


def test_frechet_where_the_matrix_square_root_is_accurate():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(60, 5)) @ rng.normal(size=(5, 5))
    labels = np.arange(60) < 25
    assert frechet(points, labels) == pytest.approx(slow.frechet(points, labels), rel=1e-10)
    wide = rng.normal(size=(12, 40))
    few = np.arange(12) < 5
    assert corpus_frechet(wide[few], wide[~few]) == pytest.approx(
        permutation_test("frechet", gram(wide), few).statistic, rel=1e-12
    )


@given(embeddings())
@settings(max_examples=40, deadline=None)
def test_frechet_of_every_partition(item):
    points, labels = item
    result = permutation_test("frechet", gram(points), labels)
    null = slow.permutation_null(frechet, points, labels)
    scale = np.abs(gram(points)).max()
    assert np.allclose(result.null, null, rtol=0, atol=1e-12 * max(scale, 1e-12) + 1e-12 * scale)
    near = 1e-9 * result.statistic + 1e-11 * scale
    assert np.mean(null >= result.statistic + near) <= result.p_value <= np.mean(null >= result.statistic - near)


def test_the_frechet_p_is_that_of_the_matrix_square_root():
    rng = np.random.default_rng(3)
    points, labels = rng.normal(size=(8, 2)) + 3, np.arange(8) < 4
    null = slow.permutation_null(slow.frechet, points, labels)
    result = permutation_test("frechet", gram(points), labels)
    assert np.allclose(result.null, null, rtol=1e-7)
    assert result.p_value == np.mean(null >= null[0] * (1 - 1e-7))


@pytest.mark.parametrize("name", SCORES)
@given(st.integers(0, 2**32 - 1), st.integers(2, 8), st.integers(1, 7), st.integers(1, 6))
@settings(max_examples=40, deadline=None)
def test_scores_of_every_partition(name, seed, size, candidates, levels):
    rng = np.random.default_rng(seed)
    candidates = min(candidates, size - 1)
    shape = (2, size, size) if name == "rouge_l" else (size, size)
    scores, labels = rng.integers(0, levels + 1, shape) / levels, rng.permutation(np.arange(size) < candidates)
    null = slow.permutation_null(SCORES[name], scores, labels)
    result = permutation_test(name, scores, labels)
    assert np.allclose(result.null, null, rtol=0, atol=1e-12)
    assert result.p_value == pytest.approx(slow.p_value(null, SCORES[name](scores, labels), "less"))


@given(st.integers(0, 2**32 - 1), st.integers(2, 7), st.integers(1, 5))
@settings(max_examples=40, deadline=None)
def test_bleu_of_every_partition(seed, size, max_n):
    rng = np.random.default_rng(seed)
    texts = [tuple(rng.integers(0, 3, rng.integers(1, 9))) for _ in range(size)]
    labels = rng.permutation(np.arange(size) < rng.integers(1, size))
    null = slow.permutation_null(lambda t, z: slow.bleu(t, z, max_n), texts, labels)
    result = permutation_test("bleu", bleu_masks(texts, max_n), labels)
    assert np.allclose(result.null, null, rtol=0, atol=1e-12)
    assert result.p_value == pytest.approx(slow.p_value(null, slow.bleu(texts, labels, max_n), "less"))


@pytest.mark.parametrize("size", [63, 64, 65, 130])
def test_bleu_masks_across_word_borders(size):
    rng = np.random.default_rng(size)
    texts = [tuple(rng.integers(0, 4, rng.integers(2, 9))) for _ in range(size)]
    labels = np.arange(size) < size - 2  # the references are in the last word, or on both sides of its border
    result = permutation_test("bleu", bleu_masks(texts, 3), labels, budget=0, draws=1)
    assert result.statistic == pytest.approx(slow.bleu(texts, labels, 3), abs=1e-12)


@pytest.mark.parametrize("name", ["mmd", "mmd_biased", "mean_mean"])
@given(embeddings())
@settings(max_examples=25, deadline=None)
def test_the_walk_equals_one_by_one(name, item):
    points, labels = item
    route = compiled_routes.ROUTES[name]
    state = route.prepare(rbf_kernel(points))
    n = int(labels.sum())
    blocks = np.concatenate([route.values(state, b) for b in partitions.label_blocks(len(labels), n)])
    assert np.allclose(route.every(state, n, False), blocks, rtol=0, atol=1e-12)
