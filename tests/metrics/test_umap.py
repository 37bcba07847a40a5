"""UMAP against the authors' own code, and what must hold of it."""

from __future__ import annotations

import numpy as np
import pytest

from metrics import umap as ours
from metrics._umap import descend
from metrics.hooks import Cancelled, Hooks
from metrics.layout import trustworthiness
from metrics.umap import Neighbours, curve, fuzzy_graph, nearest, place, umap


def groups(n: int = 60, of: int = 4, d: int = 12) -> tuple[np.ndarray, np.ndarray]:
    """Unit vectors round some far centres, with the group of each; every tenth is said twice."""
    rng = np.random.default_rng(5)
    label = np.repeat(np.arange(of), n)
    rows = 3 * rng.normal(size=(of, d))[label] + rng.normal(size=(n * of, d))
    rows[1::10] = rows[::10]
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32), label


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_neighbours_are_those_of_all_distances(metric: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from scipy.spatial.distance import cdist

    monkeypatch.setattr(ours, "BLOCK", 32)
    vectors = np.random.default_rng(1).normal(size=(100, 5))
    found = nearest(vectors, 7, metric)
    whole = cdist(vectors, vectors, metric)
    assert found.rows[:, 0].tolist() == list(range(100))
    np.testing.assert_array_equal(found.rows, np.argsort(whole, axis=1)[:, :7])
    np.testing.assert_allclose(found.distance[:, 1:], np.sort(whole, axis=1)[:, 1:7], atol=1e-5)
    everyone = nearest(vectors[:10], 10, metric)
    assert {tuple(sorted(row)) for row in everyone.rows.tolist()} == {tuple(range(10))}


@pytest.mark.parametrize("k", [2, 5, 15])
def test_the_graph_is_that_of_umap_learn(k: int) -> None:
    from umap.umap_ import fuzzy_simplicial_set

    vectors, _ = groups()
    near = nearest(vectors, k)
    assert (near.distance[:, 1] == 0).sum() > 40, "texts said twice are neighbours at no distance"
    theirs, _, _ = fuzzy_simplicial_set(vectors, k, None, "cosine", knn_indices=near.rows, knn_dists=near.distance)
    np.testing.assert_allclose(fuzzy_graph(near).toarray(), theirs.toarray(), atol=1e-4)


def test_all_captions_in_one_place_make_a_graph() -> None:
    near = nearest(np.ones((12, 3)), 5)
    assert not near.distance.any()
    assert np.isfinite(fuzzy_graph(near).data).all()
    assert np.isfinite(umap(np.ones((12, 3)), 5)).all()


@pytest.mark.parametrize("apart", [0.0, 0.1, 0.8])
def test_the_curve_is_that_of_umap_learn(apart: float) -> None:
    from umap.umap_ import find_ab_params

    assert curve(apart) == pytest.approx(find_ab_params(1.0, apart), rel=1e-6)


def test_an_epoch_moves_points_as_umap_learn_does() -> None:
    from umap.layouts import optimize_layout_euclidean

    vectors, _ = groups(n=20)
    ties = fuzzy_graph(nearest(vectors, 6)).tocoo()
    edges = np.column_stack([ties.row, ties.col]).astype(np.int32)
    period = ties.data.max() / ties.data
    # Wide apart, where rounding does not grow from epoch to epoch.
    start = np.random.default_rng(2).uniform(0, 60, (80, 2)).astype(np.float32)
    seeds, (a, b) = np.array([11, 22, 33]), curve(0.1)
    n_epochs = 8
    moved = start.copy()
    theirs = optimize_layout_euclidean(
        moved, moved, edges[:, 0], edges[:, 1], n_epochs, 80, period, a, b, seeds, move_other=True
    )
    states = seeds + start[:, 0].astype(float).view(np.int64).reshape(-1, 1)
    mine, due = start.copy(), np.column_stack([period, period / 5])
    for first, end in ((0, 4), (4, n_epochs)):
        descend(mine, edges, period, due, states, (np.float32(a), np.float32(b)), (first, end, n_epochs))
    assert np.abs(mine - start).max() > 1
    np.testing.assert_allclose(mine, theirs, atol=5e-4)


def test_neighbours_stay_and_far_groups_part() -> None:
    vectors, label = groups()
    xy = umap(vectors)
    assert trustworthiness(vectors, xy) > 0.93
    middles = np.array([xy[label == k].mean(axis=0) for k in range(4)])
    nearest_middle = np.linalg.norm(xy[:, None] - middles[None], axis=2).argmin(axis=1)
    assert (nearest_middle == label).mean() > 0.98


def test_it_is_as_faithful_as_umap_learn() -> None:
    from umap import UMAP

    vectors, _ = groups(n=100)
    theirs = UMAP(metric="cosine", random_state=0, n_jobs=1).fit_transform(vectors)
    assert trustworthiness(vectors, umap(vectors)) > trustworthiness(vectors, theirs) - 0.01


def test_the_same_seed_gives_the_same_picture_and_another_gives_another() -> None:
    vectors, _ = groups()
    np.testing.assert_array_equal(umap(vectors, seed=3), umap(vectors, seed=3))
    assert np.abs(umap(vectors, seed=3) - umap(vectors, seed=4)).max() > 0.1
    assert np.abs(umap(vectors, apart=0.8) - umap(vectors)).max() > 0.1


def test_the_share_grows_to_the_end_and_the_work_stops_in_either_half() -> None:
    vectors, _ = groups()
    shares: list[float] = []
    said: list[str] = []
    umap(vectors, hooks=Hooks(said.append, share=shares.append))
    assert shares == sorted(shares)
    assert shares[0] == 0
    assert 0.95 < shares[-1] < 1
    assert any(text.startswith("UMAP finds neighbours, 0 of 240") for text in said)
    assert "UMAP places captions, round 495 of 500" in said
    for last in (0, 30):
        asked = iter(range(1000))
        with pytest.raises(Cancelled):
            umap(vectors, hooks=Hooks(should_stop=lambda: next(asked) >= last))  # noqa: B023
        assert next(asked) == last + 1


def test_few_points_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 10 different captions, here are 5"):
        umap(np.eye(5))


def test_no_edge_pulls_where_points_coincide() -> None:
    graph = fuzzy_graph(Neighbours(np.array([[0, 1], [1, 0]]), np.zeros((2, 2))))
    xy = place(graph, np.zeros((2, 2), dtype=np.float32), (1.5, 0.9), np.random.default_rng(0), Hooks())
    np.testing.assert_array_equal(xy, 0)
