"""Test boxes and lassos: the points inside, the text format, and invalid texts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.analysis.cloud.selection import CORNERS, STEPS, Area, Plane, drawn, read

RNG = np.random.default_rng(3)
CORNER = st.tuples(st.integers(-9_999, 9_999), st.integers(-9_999, 9_999))


def circle(k: int, radius: float = 1.0) -> np.ndarray:
    angle = np.linspace(0, 2 * np.pi, k, endpoint=False)
    return radius * np.column_stack([np.cos(angle), np.sin(angle)])


def test_a_box_holds_what_lies_between_its_corners() -> None:
    points = RNG.uniform(0, STEPS, (500, 2))
    area = Area("box", ((700, 200), (300, 900)))
    x, y = points.T
    np.testing.assert_array_equal(area.holds(points), (x > 300) & (x < 700) & (y > 200) & (y < 900))


def test_a_lasso_holds_what_its_line_goes_round() -> None:
    points = RNG.uniform(-1.2, 1.2, (2_000, 2))
    plane = Plane.over([[-1.2, -1.2], [1.2, 1.2]])
    area = drawn("lasso", circle(24), plane)
    assert area is not None
    far = np.hypot(*points.T)
    held = area.holds(plane.steps(points))
    assert held[far < 0.98].all()
    assert not held[far > 1.01].any()
    ring = Area("lasso", ((0, 0), (900, 0), (900, 900), (600, 900), (600, 300), (300, 300), (300, 900), (0, 900)))
    assert ring.holds([[100, 800], [450, 800], [450, 100], [800, 800]]).tolist() == [True, False, True, True]


def test_a_long_lasso_keeps_the_corners_that_matter() -> None:
    plane = Plane.over([[-1.0, -1.0], [1.0, 1.0]])
    area = drawn("lasso", circle(400), plane)
    assert area is not None
    assert len(area.corners) == CORNERS
    points = RNG.uniform(-1, 1, (4_000, 2))
    assert (area.holds(plane.steps(points)) == (np.hypot(*points.T) < 1)).mean() > 0.98
    side = np.linspace(-1, 1, 100, endpoint=False)
    square = np.concatenate(
        [
            np.column_stack(p)
            for p in [(side, -1 + 0 * side), (1 + 0 * side, side), (-side, 1 + 0 * side), (-1 + 0 * side, -side)]
        ]
    )
    found = drawn("lasso", square, plane)
    assert found is not None
    assert sorted(found.corners) == [(0, 0), (0, 1000), (1000, 0), (1000, 1000)]


def goes_round(corners: list[tuple[int, int]]) -> bool:
    (x, y), (x1, y1), *rest = corners
    return any((x1 - x) * (y2 - y) != (y1 - y) * (x2 - x) for x2, y2 in rest)


@given(st.lists(CORNER, min_size=3, max_size=CORNERS, unique=True).filter(goes_round))
def test_what_is_written_is_read(corners: list[tuple[int, int]]) -> None:
    for area in (Area("lasso", tuple(corners)), Area("box", (corners[0], (corners[0][0] + 1, corners[0][1] - 1)))):
        if max(abs(n) for corner in area.corners for n in corner) <= 9_999:
            assert read(area.text) == area
    assert len(Area("lasso", tuple(corners)).text) <= 5 + 12 * CORNERS


@pytest.mark.parametrize(
    "text",
    [
        "",
        "box",
        "lasso_",
        "box_1.2",
        "box_1.2_1.9",
        "box_1.2_3.4_5.6",
        "lasso_1.2_3.4",
        "lasso_1.1_1.1_1.1",
        "lasso_1.2_3.4_5",
        "box_1.2_3.nan",
        "box_1.2_3.44444",
        "circle_1.2_3.4",
        "box_1.2_3.4 ",
        "box_١.2_3.4",
        "lasso" + "_1.2_3.4" * 16,
        "<script>",
        "lasso_0.0_10.10_30.30",
        "lasso_0.5_3.5_9.5_6.5",
        "lasso_1.1_1.1_1.2",
    ],
)
def test_any_other_text_is_no_area(text: str) -> None:
    assert read(text) is None


def test_a_press_without_a_drag_is_no_area() -> None:
    plane = Plane.over([[0.0, 0.0], [1.0, 1.0]])
    assert drawn("box", [[0.5, 0.5], [0.5, 0.9]], plane) is None
    assert drawn("lasso", [[0.5, 0.5], [0.5, 0.5], [0.5, 0.5]], plane) is None
    assert drawn("lasso", [[0.1, 0.1], [0.2, 0.2], [0.9, 0.9], [0.4, 0.4]], plane) is None, "to and fro on one line"


def test_corners_lie_on_the_nearest_steps_and_not_beyond_what_is_written() -> None:
    plane = Plane.over([[0.0, 0.0], [1.0, 1.0]])
    area = drawn("box", [[0.1006, -0.2006], [500.0, -500.0]], plane)
    assert area is not None
    assert area.corners == ((101, -201), (9_999, -9_999))
    assert read(area.text) == area


def test_a_turn_either_way_keeps_the_same_corners() -> None:
    plane = Plane.over([[0.0, 0.0], [1000.0, 1000.0]])
    corners = [[0, 0], [500, 0], [900, 0], [900, 300], [400, 310], [900, 900], [0, 900]]
    there, back = drawn("lasso", corners, plane), drawn("lasso", corners[::-1], plane)
    assert there is not None
    assert back is not None
    assert set(there.corners) == set(back.corners) == {tuple(corner) for corner in corners} - {(500, 0)}
    triangle = drawn("lasso", [[0, 0], [500, 0], [900, 0], [900, 900]], plane)
    assert triangle is not None
    assert triangle.corners == ((0, 0), (900, 0), (900, 900))


def test_a_point_level_with_a_corner_is_counted_once() -> None:
    diamond = Area("lasso", ((0, 50), (50, 0), (100, 50), (50, 100)))
    points = [[1, 50], [50, 50], [99, 50], [-1, 50], [101, 50], [-1, 0], [101, 100], [49, 100.5]]
    assert diamond.holds(points).tolist() == [True] * 3 + [False] * 5


def test_places_and_steps_are_each_others_way_back() -> None:
    xy = RNG.normal(size=(20, 2)) * [3, 0.1] + [5, -7]
    plane = Plane.over(xy)
    np.testing.assert_allclose(plane.places(plane.steps(xy)), xy)
    assert plane.steps(xy).min(axis=0).tolist() == [0, 0]
    np.testing.assert_allclose(plane.steps(xy).max(axis=0), STEPS)
    assert np.isfinite(Plane.over([[1.0, 2.0], [1.0, 2.0]]).steps([[1.0, 2.0]])).all()
