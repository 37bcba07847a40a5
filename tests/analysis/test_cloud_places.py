"""Test dense places in a plane and their words, and where in the plane two runs differ."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from metrics.analysis.cloud.density import GRID, WIDTH, Grid, density, smoothed
from metrics.analysis.cloud.difference import BROAD, density_difference, spots
from metrics.analysis.cloud.places import DEEP, PRIOR, basins, log_odds, marking_words, places


def heaps(*middles: tuple[float, float], n: int = 60, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.normal(middle, 0.3, size=(n, 2)) for middle in middles])


def test_heaps_are_places_with_the_words_that_are_said_there() -> None:
    xy = heaps((0, 0), (10, 0), (0, 10), (10, 10))
    words = ["dog", "cat", "train", "kite"]
    texts = [f"A {words[k // 60]} on the beach" for k in range(240)]
    found = places(texts, xy, np.arange(240), Grid.over(xy))
    assert sorted(place.words for place in found) == [("cat",), ("dog",), ("kite",), ("train",)]
    for place in found:
        assert {texts[row] for row in place.rows} == {f"A {place.words[0]} on the beach"}
        assert np.linalg.norm(xy[place.rows].mean(axis=0) - (place.x, place.y)) < 0.5
    assert places(texts, xy, np.arange(5), Grid.over(xy)) == (), "five captions have no density"


def test_one_heap_is_told_apart_by_its_sides() -> None:
    rng = np.random.default_rng(3)
    xy = rng.normal(size=(400, 2))
    texts = ["a dog runs" if x > 0 else "a cat runs" for x, _ in xy]
    found = places(texts, xy, np.arange(400), Grid.over(xy))
    assert found
    middle = np.median(xy, axis=0)
    for place in found:
        assert place.words in {("dog",), ("cat",)}
        assert (place.words == ("dog",)) == (place.x > 0)
        far = np.linalg.norm(xy - middle, axis=1)
        assert (far[place.rows] > np.median(far)).all(), "the middle belongs to no side"


def test_peaks_are_one_place_where_the_way_between_them_is_high() -> None:
    line = np.zeros((5, 9))
    line[2] = [0.1, 0.6, 1.0, 0.6, 0.3, 0.5, 0.8, 0.5, 0.1]
    label, peaks = basins(line)
    assert peaks == [(2, 2), (2, 6)]
    assert label[2, 1:4].tolist() == [0, 0, 0]
    assert label[2, 5:8].tolist() == [1, 1, 1]
    assert label[0].tolist() == [-1] * 9
    line[2, 4] = DEEP * 0.8 + 0.01
    line[2, 3] = line[2, 5] = 0.79
    assert len(basins(line)[1]) == 1


def test_log_odds_are_those_of_monroe_word_by_word() -> None:
    own, others = np.array([8.0, 2.0, 5.0]), np.array([1.0, 9.0, 5.0])
    total = own + others
    for k, z in enumerate(log_odds(own, others, total)):
        prior = PRIOR * total[k] / total.sum()

        def odds(said: np.ndarray, k: int = k, prior: float = prior) -> float:
            return math.log((said[k] + prior) / (said.sum() + PRIOR - said[k] - prior))

        spread = 1 / (own[k] + prior) + 1 / (others[k] + prior)
        assert z == pytest.approx((odds(own) - odds(others)) / math.sqrt(spread), rel=1e-12)


def test_words_count_once_a_caption_and_function_words_never() -> None:
    texts = ["the dog dog dog dog", "the dog", *(["the cat"] * 40), *(["the horse, Horse"] * 40)]
    label = np.array([-1, -1, *([0] * 40), *([1] * 40)])
    assert marking_words(texts, label, 3) == [("cat",), ("horse",), ()]
    assert marking_words([], np.empty(0, dtype=np.int64), 1) == [()]


def slow_difference(xy: np.ndarray, first: np.ndarray, second: np.ndarray, grid: Grid) -> np.ndarray:
    out = np.zeros((GRID, GRID))
    step = grid.x[1] - grid.x[0]
    for rows, sign in ((first, 1.0), (second, -1.0)):
        for cell, times in Counter(zip(*(one.tolist() for one in grid.cells(xy[rows])))).items():
            x = np.exp(-(((np.arange(GRID) - cell[0]) / (BROAD * GRID)) ** 2) / 2)
            y = np.exp(-(((np.arange(GRID) - cell[1]) / (BROAD * GRID)) ** 2) / 2)
            whole = 2 * math.pi * (BROAD * GRID) ** 2
            out += sign * times / len(rows) * np.outer(y, x) / whole
    assert step > 0
    return out


def test_the_difference_is_that_of_a_slow_route_and_keeps_the_sign() -> None:
    xy = heaps((0, 0), (6, 0), (3, 5))
    first, second, item = np.arange(0, 90), np.arange(90, 180), np.zeros(180, dtype=np.int64)
    grid = Grid.over(np.concatenate([xy, [[-8, -8], [14, 14]]]))
    found = density_difference(xy, first, second, item, grid, draws=49)
    assert found is not None
    np.testing.assert_allclose(found.height, slow_difference(xy, first, second, grid), atol=2e-5)
    assert found.apart == pytest.approx(np.abs(found.height).sum() / 2)
    back = density_difference(xy, second, first, item, grid, draws=49)
    assert back is not None
    np.testing.assert_allclose(back.height, -found.height, atol=1e-12)


def test_runs_that_write_elsewhere_are_told_apart_with_place_and_words() -> None:
    xy = heaps((0, 0), (8, 8), n=100)
    texts = ["a dog sleeps"] * 100 + ["a train waits"] * 100
    item = np.tile(np.arange(10), 20)
    found = density_difference(xy, np.arange(100), np.arange(100, 200), item, Grid.over(xy), draws=99)
    assert found is not None
    assert found.p_value == found.floor == 0.01
    assert found.apart > 0.95
    assert found.by_chance < 0.3
    one, other = spots(found, texts, xy, np.arange(100), np.arange(100, 200))
    assert (one[0].place.words, other[0].place.words) == (("dog", "sleeps"), ("train", "waits"))
    assert one[0].first > 0.9
    assert one[0].second == 0
    assert density_difference(xy, np.arange(3), np.arange(100, 200), item, Grid.over(xy)) is None


def test_runs_that_write_alike_are_seldom_told_apart_however_items_differ() -> None:
    rng = np.random.default_rng(5)
    p = []
    for _ in range(60):
        centre = rng.normal(scale=5, size=(12, 2))
        item = np.tile(np.repeat(np.arange(12), 5), 2)
        xy = centre[item] + rng.normal(size=(120, 2))
        found = density_difference(xy, np.arange(60), np.arange(60, 120), item, Grid.over(xy), draws=39)
        assert found is not None
        p.append(found.p_value)
    assert np.mean(np.array(p) <= 0.05) < 0.15
    assert 0.3 < np.mean(p) < 0.7, "relabelled within items, p is even"


def test_cells_are_those_that_regions_are_counted_in() -> None:
    xy = heaps((0, 0), (4, 4))
    grid = Grid.over(xy)
    column, row = grid.cells(xy)
    half = (grid.x[1] - grid.x[0]) / 2 + 1e-9
    assert (np.abs(grid.x[column] - xy[:, 0]) <= half).all()
    assert (np.abs(grid.y[row] - xy[:, 1]) <= half).all()
    dense = density(xy, grid)
    assert dense is not None
    height = smoothed(column, row, WIDTH)
    np.testing.assert_allclose(dense.height, height / height.max())
