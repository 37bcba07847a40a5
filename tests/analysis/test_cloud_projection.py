"""Test density, and the trustworthiness of planes with few points or far from the origin."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.manifold import trustworthiness as sklearn_trust

from metrics.analysis.cloud.density import Grid, density
from metrics.analysis.cloud.projection import trustworthiness


@pytest.mark.parametrize("n", [24, 27, 30])
def test_too_few_points_have_no_trust(n: int) -> None:
    """For k >= n / 2, the formula can leave the range from 0 to 1: it gives -0.7 for 24 random points."""
    rng = np.random.default_rng(n)
    space, plane = rng.normal(size=(n, 8)), rng.normal(size=(n, 2))
    assert np.isnan(trustworthiness(space, plane, 15))


@pytest.mark.parametrize("n", [31, 400])
def test_where_the_plane_lies_has_no_say(n: int) -> None:
    rng = np.random.default_rng(n)
    space = rng.normal(size=(n, 6))
    plane = 1e-2 * space[:, :2] + [40, -7]
    expected = sklearn_trust(space, plane, n_neighbors=15)
    assert trustworthiness(space + 100, plane, 15) == pytest.approx(expected, abs=1e-4)
    assert 0 <= expected <= 1


def test_the_dense_place_is_where_the_points_are() -> None:
    """The first axis of `height` is y, the second is x."""
    rng = np.random.default_rng(2)
    points = rng.normal(size=(100, 2)) * np.where(np.arange(100) < 90, 0.2, 3)[:, None]
    points[:90] += (6, -2)
    found = density(points, Grid.over(points))
    assert found is not None
    row, column = np.unravel_index(found.height.argmax(), found.height.shape)
    assert (found.grid.x[column], found.grid.y[row]) == pytest.approx((6, -2), abs=0.3)
    inside = found.height >= found.levels[1]
    x, y = np.meshgrid(found.grid.x, found.grid.y)
    assert np.hypot(x - 6, y + 2)[inside].max() < 1.5, "the region of 80 % lies round the ninety points"
