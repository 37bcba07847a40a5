"""Test triangle ranks and their exact p-values against loops over triangles and partitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.mathematics.triangle import rank_shares, triangle_rank
from metrics.permutation import partitions
from metrics.permutation import triangles as _trm
from metrics.permutation.item_test import permutation_test
from metrics.permutation.triangles import null_shares
from tests.second_route import slow


@st.composite
def items(draw, largest=8):
    """Draw a distance matrix, symmetric or not, with few different values and so with many ties; also draw labels."""
    size = draw(st.integers(4, largest))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    distance = rng.integers(0, draw(st.integers(1, 30)), (size, size)) / 7
    if draw(st.booleans()):
        distance = distance + distance.T
    labels = np.arange(size) < draw(st.integers(2, size - 2))
    return distance, rng.permutation(labels)


TIES = ["shared", "paper"]


@pytest.mark.parametrize("ties", TIES)
@given(items())
@settings(max_examples=60, deadline=None)
def test_rank_shares_equal_the_loop(ties, item):
    assert np.allclose(rank_shares(*item, ties), slow.rank_shares(*item, ties), rtol=0, atol=1e-12)


@pytest.mark.parametrize("ties", TIES)
@given(items(largest=7))
@settings(max_examples=25, deadline=None)
def test_every_partition_and_the_p_value(ties, item):
    distance, labels = item
    null = slow.permutation_null(lambda d, z: slow.triangle_rank(d, z, ties), distance, labels)
    result = permutation_test("trm", distance, labels, ties=ties)
    assert result.exact
    assert np.allclose(result.null, null, rtol=0, atol=1e-12)
    assert result.p_value == pytest.approx(slow.p_value(null, slow.triangle_rank(distance, labels, ties), "greater"))


@pytest.mark.parametrize("ties", TIES)
@given(items(largest=12))
@settings(max_examples=30, deadline=None)
def test_counting_bits_equals_the_polynomial(ties, item):
    distance, labels = item
    candidates = int(labels.sum())
    every = _trm.all_shares(distance, candidates, ties)
    blocks = [_trm.some_shares(distance, b, ties) for b in partitions.label_blocks(len(labels), candidates)]
    assert np.array_equal(every, np.concatenate(blocks))


@pytest.mark.parametrize("size", [62, 63, 64, 65, 66, 127, 128, 129])
@pytest.mark.parametrize("ties", TIES)
def test_counting_bits_across_word_borders(size, ties):
    rng = np.random.default_rng(size)
    distance = rng.integers(0, 9, (size, size)).astype(float)
    labels = partitions.random_labels(np.arange(size) < size // 3, 3, 0)
    shares = _trm.some_shares(distance, labels, ties)
    expected = [rank_shares(distance, row, ties) for row in labels]
    assert np.allclose(shares, expected, rtol=0, atol=1e-14)


def test_one_large_set_against_the_loop():
    rng = np.random.default_rng(5)
    distance, labels = rng.integers(0, 9, (66, 66)).astype(float), rng.permutation(np.arange(66) < 3)
    assert np.allclose(rank_shares(distance, labels), slow.rank_shares(distance, labels), rtol=0, atol=1e-12)


@pytest.mark.parametrize(("candidates", "references"), [(2, 70), (70, 2), (3, 40), (40, 3)])
def test_small_sides_of_large_sets_are_enumerated(candidates, references):
    size = candidates + references
    distance = np.random.default_rng(0).random((size, size))
    labels = np.arange(size) < candidates
    result = permutation_test("trm", distance, labels, budget=20_000)
    assert result.exact
    assert result.null[0] == pytest.approx(triangle_rank(distance, labels), abs=1e-12)
    last = np.zeros(size, dtype=bool)
    last[-candidates:] = True
    assert result.null[-1] == pytest.approx(triangle_rank(distance, last), abs=1e-12)


def test_a_cloud_is_all_partitions_or_a_seeded_sample():
    distance = np.random.default_rng(1).random((10, 10))
    labels = np.arange(10) < 4
    everything = null_shares(distance, labels)
    assert everything.shape == (210, 2, 3)
    assert np.allclose(everything[0], rank_shares(distance, labels), rtol=0, atol=1e-14)
    sample = null_shares(distance, labels, limit=50, seed=3)
    assert sample.shape == (50, 2, 3)
    assert np.array_equal(sample, null_shares(distance, labels, limit=50, seed=3))
    assert not np.array_equal(sample, null_shares(distance, labels, limit=50, seed=4))
    for row in sample:
        assert np.abs(everything - row).max(axis=(1, 2)).min() < 1e-12
