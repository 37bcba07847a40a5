"""Test central captions and orders of images by laws and against values worked out in the test."""

from __future__ import annotations

import numpy as np
import pytest

from metrics.analysis.central.medoid import centrality
from metrics.analysis.item_order import disagreement, in_order, shares_below

NAN = float("nan")


def test_the_middle_of_a_line_is_central_on_each_side():
    points = np.array([0.0, 1.0, 5.0, 10.0, 11.0, 14.0])
    labels = np.array([True, True, True, False, False, False])
    found = centrality(np.abs(points[:, None] - points[None]), labels)
    assert found.expected == pytest.approx([3.0, 2.5, 4.5, 2.5, 2.0, 3.5])
    assert found.central.tolist() == [False, True, False, False, True, False]


def test_the_text_is_the_hypothesis():
    distance = np.array([[0, 1, 1], [9, 0, 9], [5, 5, 0]], dtype=float)
    found = centrality(distance, np.zeros(3, dtype=bool))
    assert found.expected == pytest.approx([1, 9, 5])
    assert found.central.tolist() == [True, False, False]


def test_ties_are_ties_and_the_diagonal_has_no_say():
    distance = np.ones((4, 4)) + 7 * np.eye(4)
    found = centrality(distance, np.array([True, True, True, False]))
    assert found.central.tolist() == [True, True, True, False]
    assert np.isnan(found.expected[3]), "one text has no others"
    distance[0, 1:3] = 1 + 1e-12
    assert centrality(distance, np.array([True, True, True, False])).central[:3].all(), "rounding tells none apart"


def test_a_caption_said_often_pulls_the_centre():
    points = np.array([0.0, 0.0, 0.0, 1.0, 1.5])
    found = centrality(np.abs(points[:, None] - points[None]), np.ones(5, dtype=bool))
    assert found.central.tolist() == [True, True, True, False, False]


def test_the_order_of_texts_has_no_say():
    rng = np.random.default_rng(0)
    distance, labels = rng.random((9, 9)), np.arange(9) < 4
    order = rng.permutation(9)
    found, turned = centrality(distance, labels), centrality(distance[np.ix_(order, order)], labels[order])
    assert turned.expected == pytest.approx(found.expected[order])
    assert np.array_equal(turned.central, found.central[order])


def test_malformed_input_is_explained():
    with pytest.raises(ValueError, match="must be square"):
        centrality(np.zeros((2, 3)), np.array([True, False]))
    with pytest.raises(ValueError, match="one label per text"):
        centrality(np.zeros((2, 2)), np.array([True]))


def test_orders_keep_ties_and_put_the_undefined_last():
    values = np.array([2.0, NAN, 1.0, 2.0, 3.0])
    assert in_order(values).tolist() == [2, 0, 3, 4, 1]
    assert in_order(values, descending=True).tolist() == [4, 0, 3, 2, 1]


def test_shares_below_count_equal_values_half():
    assert shares_below(np.array([1.0, 2.0, 2.0, NAN, 5.0])) == pytest.approx(
        [0.125, 0.5, 0.5, NAN, 0.875], nan_ok=True
    )
    assert np.isnan(shares_below(np.array([NAN]))).all()


def test_disagreement():
    up, down = np.array([1.0, 2.0, 3.0, 4.0]), np.array([0.4, 0.3, 0.2, 0.1])
    assert disagreement(up, 10**up) == pytest.approx([0, 0, 0, 0]), "it knows ranks alone"
    assert disagreement(up, down, second_up=False) == pytest.approx([0, 0, 0, 0]), "less is better for the second"
    assert disagreement(up, down).tolist() == [-0.75, -0.25, 0.25, 0.75]
    assert np.array_equal(disagreement(up, down), -disagreement(down, up))
    partly = disagreement(np.array([1.0, NAN, 3.0]), np.array([5.0, 1.0, 2.0]))
    assert partly == pytest.approx([-0.5, NAN, 0.5], nan_ok=True)
