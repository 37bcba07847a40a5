"""Test the joint test against people: its statistics against a slow version, its symmetry, and that p is exact."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from metrics.mathematics.arrays import Floats, Labels
from metrics.permutation import partitions
from metrics.permutation.joint_test import PARTS, as_array, every_sum, joint_test, of_array, signed_statistics


def slow_statistics(distance: Floats, lengths: Floats, candidates: list[int]) -> list[float]:
    everyone = range(len(distance))
    references = [k for k in everyone if k not in candidates]

    def d(i: int, j: int) -> float:
        return 0.0 if i == j else float(distance[i, j] + distance[j, i]) / 2

    def mean(values: list[float]) -> float:
        return sum(values) / len(values)

    totals = [sum(d(i, j) for j in everyone) for i in everyone]
    medoids = [i for i in everyone if totals[i] <= min(totals) + 1e-8]
    off = [mean([d(i, j) for j in medoids]) for i in everyone]
    within = [mean([d(i, j) for i, j in combinations(side, 2)]) for side in (candidates, references)]
    return [
        mean([min(d(c, r) for r in references) for c in candidates]),
        mean([min(d(r, c) for c in candidates) for r in references]),
        mean([off[c] for c in candidates]) - mean([off[r] for r in references]),
        within[0] - within[1],
        mean([float(lengths[c]) for c in candidates]) - mean([float(lengths[r]) for r in references]),
    ]


def texts(rng: np.random.Generator, size: int, grid: int = 0) -> tuple[Floats, Floats]:
    """Draw distances of random points, in steps of 1 / `grid` unless it is 0, and lengths of texts."""
    points = rng.normal(size=(size, 3))
    distance = np.linalg.norm(points[:, None] - points[None, :], axis=-1) + rng.uniform(0, 0.1, (size, size))
    np.fill_diagonal(distance, 0)
    return (np.round(distance * grid) / grid if grid else distance), rng.integers(3, 60, size).astype(float)


@pytest.mark.parametrize(("n", "m", "grid"), [(2, 2, 0), (3, 2, 2), (2, 4, 3), (4, 3, 0)])
def test_statistics_are_those_of_the_slow_route(n: int, m: int, grid: int) -> None:
    distance, lengths = texts(np.random.default_rng(n * m + grid), n + m, grid)
    chosen = list(combinations(range(n + m), n))
    labels = np.array([[k in c for k in range(n + m)] for c in chosen])
    wanted = [slow_statistics(distance, lengths, list(c)) for c in chosen]
    np.testing.assert_allclose(signed_statistics(distance, lengths, labels), wanted, atol=1e-12)


def test_exchanging_equal_sides_turns_the_statistics() -> None:
    distance, lengths = texts(np.random.default_rng(1), 8)
    labels = np.arange(8)[None] < 4
    ours, theirs = (signed_statistics(distance, lengths, side)[0] for side in (labels, ~labels))
    np.testing.assert_allclose(theirs, [ours[1], ours[0], *-ours[2:]], atol=1e-12)


@pytest.mark.parametrize(("size", "chosen"), [(6, 2), (7, 5), (10, 5), (3, 3)])
def test_labels_at_places_are_those_of_combinations(size: int, chosen: int) -> None:
    wanted = np.array([[k in c for k in range(size)] for c in combinations(range(size), chosen)])
    places = np.random.default_rng(0).integers(len(wanted), size=40)
    assert np.array_equal(partitions.labels_at(size, chosen, places), wanted[places])


def statistics(distance: Floats, lengths: Floats, labels: Labels) -> Floats:
    """Return all six statistics; the first one, a divergence, is the sum of the next two."""
    signed = signed_statistics(distance, lengths, labels)
    return np.column_stack([signed[:, 0] + signed[:, 1], signed])


def test_p_of_every_relabelling_is_uniform() -> None:
    """If each relabelling is taken as observed, at most a share p of them has a p-value of at most p."""
    rng = np.random.default_rng(3)
    every = [statistics(*texts(rng, 5), partitions.labels_at(5, 2, np.arange(10))) for _ in range(2)]
    null = every_sum(every)
    p = np.array([joint_test(row, null, exact=True).p for row in null])
    assert len(null) == 100
    for level in (0.05, 0.1, 0.3):
        assert (p <= level).mean() <= level
    assert p.min() == pytest.approx(joint_test(null[0], null, exact=True).floor)


def test_the_p_of_the_whole_is_that_of_its_largest_part() -> None:
    rng = np.random.default_rng(4)
    null, observed = rng.normal(size=(999, len(PARTS))), np.array([0.5, -3.0, 1.0, 0.2, 0.0, 0.1])
    found = joint_test(observed, null, exact=False)
    every = np.vstack([observed, null])
    z = (every - every.mean(axis=0)) / every.std(axis=0)
    largest = np.column_stack([z[:, :1], np.abs(z[:, 1:])]).max(axis=1)
    assert found.p == pytest.approx((largest >= largest[0]).mean())
    assert found.p == found.p_adjusted.min() == found.p_adjusted[1]
    assert found.p_single[1] == pytest.approx((np.abs(z[:, 1]) >= abs(z[0, 1])).mean())
    assert found.p_single[0] == pytest.approx((every[:, 0] >= observed[0]).mean())
    restored = of_array(as_array(found))
    np.testing.assert_allclose(
        np.concatenate([restored.z, restored.p_adjusted]), [*found.z, *found.p_adjusted], atol=1e-8
    )


def test_what_relabelling_does_not_change_takes_no_part() -> None:
    null = np.column_stack([np.random.default_rng(5).normal(size=(99, 1)), np.full((99, len(PARTS) - 1), 0.3)])
    found = joint_test(null[0] + 1e-15, null, exact=False)
    assert not found.z[1:].any()
    assert found.p == pytest.approx(found.p_single[0])
