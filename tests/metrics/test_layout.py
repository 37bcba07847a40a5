"""The trust in a plane, where points are few and where they lie far from the origin."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.manifold import trustworthiness as sklearn_trust

from metrics.layout import trustworthiness


@pytest.mark.parametrize("n", [24, 27, 30])
def test_too_few_points_have_no_trust(n: int) -> None:
    """For k >= n / 2 the formula leaves 0..1: of 24 random points it made -0.7."""
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
