"""Test relabelling within items, and MAUVE with it, against loops over all relabellings with new clusters."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

from metrics.mathematics.arrays import Alternative, Floats, Labels
from metrics.mathematics.mauve import mauve, of_labellings, quantise
from metrics.permutation.within_items import Pool, pool_of, within_items_test

SIZES = [(1, 2), (2, 2), (0, 3), (1, 2), (2, 0)]
KEYS = [7, 3, 2, 9, 1]


def item_of_texts(sizes: list[tuple[int, int]]) -> np.ndarray:
    """Return the item (N,) of each pooled text, where all candidates come before all references."""
    return np.concatenate([np.repeat(np.arange(len(sizes)), [size[side] for size in sizes]) for side in range(2)])


def every_labelling(sizes: list[tuple[int, int]]) -> set[tuple[bool, ...]]:
    """Return all labellings that keep the number of candidates of each item."""
    item, found = item_of_texts(sizes), set()
    choices = [combinations(np.flatnonzero(item == k), n) for k, (n, _) in enumerate(sizes)]
    for chosen in product(*choices):
        inside = {place for one in chosen for place in one}
        found.add(tuple(place in inside for place in range(len(item))))
    return found


def test_every_relabelling_is_tried_once() -> None:
    pool = pool_of(SIZES, KEYS)
    (labels,) = pool.blocks()
    assert pool.relabellings == 3 * 6 * 3 == len(labels)
    assert set(map(tuple, labels.tolist())) == every_labelling(SIZES)
    assert tuple(pool.observed.tolist()) in every_labelling(SIZES)


@pytest.mark.parametrize("sizes", [SIZES, [(2, 3)] * 40, [(40, 60), (1, 1), (1, 1)]])
def test_random_relabellings_leave_each_item_its_candidates_and_reach_every_text(sizes: list[tuple[int, int]]) -> None:
    item, pool = item_of_texts(sizes), pool_of(sizes, range(len(sizes)))
    labels = np.concatenate(list(pool.blocks(budget=1, draws=2_000, seed=5)))
    assert labels.shape == (2_000, len(item))
    for k, (n, m) in enumerate(sizes):
        own = labels[:, item == k]
        assert (own.sum(axis=1) == n).all()
        assert np.allclose(own.mean(axis=0), n / (n + m), atol=4 * 0.5 / np.sqrt(2_000))
    again = np.concatenate(list(pool.blocks(budget=1, draws=2_000, seed=5)))
    other = np.concatenate(list(pool.blocks(budget=1, draws=2_000, seed=6)))
    assert (labels == again).all()
    assert (labels != other).any()


def test_items_of_one_key_change_sides_alike_and_others_by_themselves() -> None:
    sizes = [(2, 3)] * 4
    (labels,) = pool_of(sizes, [5, 8, 5, 6]).blocks(budget=1, draws=200)
    item = item_of_texts(sizes)
    one, two, three, _ = (labels[:, item == k] for k in range(4))
    assert (one == three).all()
    assert (one != two).any()
    assert pool_of(sizes, [5, 8, 5, 6]).relabellings == 10**3


def weighted(labels: Labels, weights: Floats) -> Floats:
    return labels @ weights


def test_p_is_the_share_of_all_relabellings_or_that_of_the_draws_and_one() -> None:
    rng = np.random.default_rng(3)
    pool = pool_of(SIZES, KEYS)
    weights = rng.normal(size=len(pool.observed))
    values = np.array([np.dot(labels, weights) for labels in every_labelling(SIZES)])
    observed = weights[pool.observed].sum()
    tails: dict[Alternative, Labels] = {"less": values <= observed + 1e-9, "greater": values >= observed - 1e-9}
    for side, extreme in tails.items():
        found = within_items_test(lambda labels: weighted(labels, weights), pool, side)
        assert found.exact
        assert found.p_value == pytest.approx(extreme.mean())
        assert found.floor == pytest.approx(1 / 54)
    drawn = within_items_test(lambda labels: weighted(labels, weights), pool, "less", 53, draws=4_999)
    assert (drawn.exact, drawn.floor) == (False, 1 / 5_000)
    assert drawn.p_value == pytest.approx((values <= observed + 1e-9).mean(), abs=0.03)


def test_the_order_of_items_changes_nothing() -> None:
    sizes, rng = [(2, 3)] * 6, np.random.default_rng(1)
    weights, keys, order = rng.normal(size=(6, 5)), [4, 2, 9, 7, 1, 3], np.array([5, 3, 0, 2, 4, 1])

    def p(order: np.ndarray) -> float:
        flat = np.concatenate([weights[order, :2].ravel(), weights[order, 2:].ravel()])
        pool = pool_of(sizes, [keys[k] for k in order])
        return within_items_test(lambda labels: weighted(labels, flat), pool, "less", 1, draws=99).p_value

    assert p(order) == p(np.arange(6))


def test_a_test_needs_an_item_with_both_sides() -> None:
    with pytest.raises(ValueError, match="an item with candidates and references"):
        within_items_test(lambda labels: labels.sum(axis=1), pool_of([(2, 0), (0, 3)], [1, 2]), "less")


def made(items: int) -> tuple[Floats, Pool]:
    """Make embeddings of two candidates, which are slightly shifted, and of two references for each item, and their
    pool.

    The last two points are copies of the first two.
    """
    rng = np.random.default_rng(items)
    centres = rng.normal(size=(items, 8))
    sides = [np.repeat(centres, 2, axis=0) + rng.normal(size=(2 * items, 8)) + shift for shift in (0.4, 0.0)]
    points = np.concatenate(sides)
    points[-2:] = points[:2]
    return points, pool_of([(2, 2)] * items, range(items))


@pytest.mark.parametrize("clusters", [2, 6])
def test_mauve_of_a_relabelling_is_that_of_clusters_made_anew(clusters: int) -> None:
    points, pool = made(30)
    labels = next(pool.blocks(budget=1, draws=12, seed=2))
    found = of_labellings(quantise(points, clusters), labels)
    slow = [mauve(points[one], points[~one], clusters).value for one in labels]
    assert found == pytest.approx(slow, abs=1e-12)
    assert np.ptp(slow) > 0.001
    assert of_labellings(quantise(points, clusters), pool.observed[None]) == pytest.approx(
        mauve(points[:60], points[60:], clusters).value, abs=1e-12
    )


def test_the_exact_p_of_mauve_is_that_of_a_loop() -> None:
    points, pool = made(3)
    clusters = quantise(points, 3, starts=1)
    found = within_items_test(lambda labels: of_labellings(clusters, labels), pool, "less")
    slow = [
        mauve(points[one], points[~one], 3, starts=1).value for one in np.array(sorted(every_labelling([(2, 2)] * 3)))
    ]
    observed = mauve(points[pool.observed], points[~pool.observed], 3, starts=1).value
    assert len(slow) == len(found.null) == 6**3
    assert found.p_value == pytest.approx(np.mean(np.array(slow) <= observed + 1e-9))
