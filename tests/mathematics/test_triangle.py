"""Test laws of the triangle-rank metric, and whether the words for its shares fit point clouds with a known fault."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.mathematics.triangle import rank_shares, triangle_rank
from metrics.permutation.triangles import null_shares, observed_shares

CANDIDATES = np.arange(20) < 10


def first(size, n):
    return np.arange(size) < n


def test_shares_of_a_worked_example():
    """References 1 and 2 are at distance 2 from each other, at 1 and 3 from candidate 0, and at 9 from candidate 3."""
    distance = np.array([[0, 1, 3, 9], [1, 0, 2, 9], [3, 2, 0, 9], [9, 9, 9, 0]], dtype=float)
    shares = rank_shares(distance, np.array([True, False, False, True]))
    # pair (1, 2) is the middle edge with x = 0 and the shortest with x = 3
    # pair (0, 3) ties with the edge from 3 in both triangles and is longer than the other
    assert np.allclose(shares, [[0.5, 0.5, 0], [0, 0.5, 0.5]])
    assert triangle_rank(distance, np.array([True, False, False, True])) == pytest.approx(4 / 3)
    paper = rank_shares(distance, np.array([True, False, False, True]), ties="paper")
    assert np.allclose(paper, [[0.5, 0.5, 0], [0, 1, 1]])


@given(st.integers(0, 2**32 - 1), st.integers(2, 7), st.integers(2, 7), st.booleans())
@settings(max_examples=60, deadline=None)
def test_laws(seed, n, m, whole):
    rng = np.random.default_rng(seed)
    size = n + m
    distance = rng.integers(0, 4, (size, size)).astype(float) if whole else rng.random((size, size))
    labels = rng.permutation(first(size, n))
    shares = rank_shares(distance, labels)
    assert np.allclose(shares.sum(axis=1), 1)
    assert (shares >= 0).all()
    assert 0 <= triangle_rank(distance, labels) <= 8 / 3 + 1e-12
    assert (rank_shares(distance, labels, "paper") >= shares - 1e-12).all()
    assert np.allclose(rank_shares(np.exp(distance), labels), shares, atol=1e-12)  # only the order counts
    assert np.allclose(rank_shares(distance, ~labels), shares[::-1])
    changed = distance + np.diag(rng.random(size))
    assert np.array_equal(rank_shares(changed, labels), shares)
    order = rng.permutation(size)
    assert np.allclose(rank_shares(distance[np.ix_(order, order)], labels[order]), shares)


def test_the_extremes_are_reached():
    apart = np.where(CANDIDATES[:, None] == CANDIDATES[None], 1.0, 2.0)
    assert triangle_rank(apart, CANDIDATES) == pytest.approx(8 / 3)


@pytest.mark.parametrize("ties", ["shared", "paper"])
def test_compiled_shares_are_the_same_to_the_last_digit(ties):
    rng = np.random.default_rng(3)
    for size, candidates in [(4, 2), (7, 3), (15, 10), (80, 30)]:
        distance = rng.integers(0, 6, (size, size)) / 7  # with many ties, and not symmetric
        labels = rng.permutation(first(size, candidates))
        assert np.array_equal(observed_shares(distance, labels, ties), rank_shares(distance, labels, ties))


def test_large_sets_are_cut_into_blocks(monkeypatch):
    distance = np.random.default_rng(0).integers(0, 50, (30, 30)).astype(float)
    whole = rank_shares(distance, first(30, 12))
    monkeypatch.setattr("metrics.mathematics.triangle._CELLS_AT_ONCE", 500)
    assert np.array_equal(rank_shares(distance, first(30, 12)), whole)


def mean_shares(candidates, dimensions):
    """Return shares (2, 3), averaged over 40 items of ten candidates and ten standard normal references."""
    rng = np.random.default_rng(dimensions)
    out = []
    for _ in range(40):
        points = np.concatenate([candidates(rng, (10, dimensions)), rng.normal(size=(10, dimensions))])
        out.append(rank_shares(np.linalg.norm(points[:, None] - points[None], axis=2), CANDIDATES))
    return np.mean(out, axis=0)


@pytest.mark.parametrize("dimensions", [2, 10])
def test_words_for_point_clouds(dimensions):
    """The shares reveal each fault; both rows are needed, since a shift alone makes the pairs of both sides short."""

    def shares(candidates):
        return mean_shares(candidates, dimensions)

    like = shares(lambda rng, shape: rng.normal(size=shape))
    assert np.abs(like - 1 / 3).max() < 0.05

    off = shares(lambda rng, shape: rng.normal(size=shape) + 6 / np.sqrt(dimensions))
    assert off[0, 0] > 0.8, "candidates off the references: the references' pair is shortest"
    assert off[1, 0] > 0.8, "and so is the candidates', though they are as varied as the references"

    central = shares(lambda rng, shape: 0.3 * rng.normal(size=shape))
    assert central[0, 2] > 0.5, "candidates amid the references: the references' pair is longest"
    assert central[1, 0] > 0.7, "and the candidates are alike"

    distinct_captions = shares(lambda rng, shape: 0.01 * rng.normal(size=shape) + rng.normal(size=shape[1]))
    assert np.abs(distinct_captions[0] - 1 / 3).max() < 0.08, "copies of one typical text are where references are"
    assert distinct_captions[1, 0] > 0.95, "but all alike"

    spread = shares(lambda rng, shape: 2 * rng.normal(size=shape))
    assert spread[1, 2] > 0.45, "candidates over-dispersed: their pair is longest"
    assert spread[0, 0] > 0.5, "and they lie around the references, off them"


@pytest.mark.parametrize("function", [rank_shares, triangle_rank, null_shares])
def test_malformed_input_is_explained(function):
    with pytest.raises(ValueError, match=r"Triangles need two texts on each side, got 1 candidate\(s\) and 3"):
        function(np.zeros((4, 4)), first(4, 1))
    with pytest.raises(ValueError, match="holds 1 of 16 numbers that are NaN or infinite"):
        function(np.where(np.arange(16).reshape(4, 4) == 6, np.nan, 0.0), first(4, 2))
    with pytest.raises(ValueError, match='ties must be "shared" or "paper"'):
        function(np.zeros((4, 4)), first(4, 2), ties="none")
