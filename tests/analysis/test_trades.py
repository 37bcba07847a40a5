"""Test trade-offs of models against plain computations: quality at people's diversity, and area by fine strips."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.study import Run, Settings
from metrics.analysis import trades
from metrics.analysis.frontier import paths

Points = list[tuple[float, float]]


def dense(points: Points, joined: bool) -> np.ndarray:
    """Return the points; if `joined`, also 2,001 points on every segment between neighbours."""
    segments = [np.linspace(a, b, 2001) for a, b in itertools.pairwise(points)] if joined else []
    return np.concatenate([np.array(points), *segments])


def slow_attained(everything: np.ndarray, at: float) -> float:
    """Return the highest quality among points at least as diverse as `at`; minus infinity if there are none."""
    able = everything[everything[:, 1] >= at - 1e-12, 0]
    return float(able.max()) if len(able) else -np.inf


def slow_area(points: Points, corners: np.ndarray, joined: bool) -> float:
    (q0, q1), (d0, d1) = corners
    strips, everything = d0 + (np.arange(400) + 0.5) / 400 * (d1 - d0), dense(points, joined)
    return float(np.mean([max(slow_attained(everything, at) - q0, 0) / (q1 - q0) for at in strips]))


numbers = st.floats(0, 1, allow_nan=False).map(lambda x: round(x, 3))
points = st.lists(st.tuples(numbers, numbers), min_size=1, max_size=5)


@given(points, numbers, st.booleans())
@settings(deadline=None, max_examples=150)
def test_attained_by_dense_points(here: Points, at: float, joined: bool) -> None:
    q, d = np.array(here).T
    found = float(trades.attained(q, d, np.asarray(at), joined))
    slow = slow_attained(dense(here, joined), at)
    steepest = max([abs(b[0] - a[0]) for a, b in itertools.pairwise(here)], default=0.0)
    assert found >= slow - 1e-9
    assert found == slow or found - slow <= steepest / 2000 + 1e-9 or slow == -np.inf
    assert (found == -np.inf) == (d.max() < at)


@given(points, st.booleans())
@settings(deadline=None, max_examples=60)
def test_area_by_fine_strips_and_its_laws(here: Points, joined: bool) -> None:
    q, d = np.array(here).T
    corners = np.array([[-0.1, 1.1], [-0.1, 1.1]])
    found = float(trades.area(q, d, corners, joined))
    assert found == pytest.approx(slow_area(here, corners, joined), abs=0.02)
    assert 0 <= found <= 1
    assert trades.area(q, d, corners, True) >= trades.area(q, d, corners, False) - 1e-12
    more = trades.area(np.r_[q, 0.5], np.r_[d, 0.5], corners, False)
    assert more >= trades.area(q, d, corners, False) - 1e-12, "a further setting takes nothing away"


def test_a_setting_on_the_line_between_two_others_adds_nothing() -> None:
    q, d, corners = np.array([1.0, 0.0]), np.array([0.0, 1.0]), np.array([[0.0, 1.0], [0.0, 1.0]])
    two = float(trades.area(q, d, corners, True))
    three = float(trades.area(np.array([1, 0.75, 0.0]), np.array([0, 0.25, 1.0]), corners, True))
    assert two == pytest.approx(0.5)
    assert three == pytest.approx(two)
    stepped = float(trades.area(np.array([1, 0.75, 0.0]), np.array([0, 0.25, 1.0]), corners, False))
    assert stepped == pytest.approx(0.25 * 0.75), "without lines, every setting adds its rectangle"
    assert np.isnan(trades.area(q, d, np.array([[1.0, 1.0], [0.0, 1.0]]), True))


def run(name: str, model: str, **of: float | str) -> Run:
    return Run(name, model, Settings(**of), {})  # type: ignore[arg-type]


def test_models_are_compared_at_the_temperatures_they_share() -> None:
    runs = [
        *(run(f"a{t}", "A", temperature=t) for t in (0.3, 0.5, 0.7, 1.0)),
        *(run(f"b{t}", "B", temperature=t) for t in (0.5, 1.0, 1.3)),
        run("greedy", "A", decoder="greedy"),
    ]
    groups, temperatures = trades.compared(runs, paths(runs))
    assert temperatures == (0.5, 1.0)
    assert {m: [runs[k].name for k in at] for m, at in groups.items()} == {"A": ["a0.5", "a1.0"], "B": ["b0.5", "b1.0"]}
    lone = [*runs, run("c", "C"), run("c too", "C")]
    groups, temperatures = trades.compared(lone, paths(lone))
    assert temperatures == ()
    assert groups["A"] == (0, 1, 2, 3)
    assert groups["C"] == (8, 9)


def axes(noise: float, people: float, judged: bool = True, shift: float = 0.0) -> tuple[list[Run], trades.Axes]:
    """Make two models at three temperatures; B has `shift` less quality everywhere.

    Unless `judged`, nothing is tested.
    """
    runs = [run(f"{m}{t}", m, temperature=t) for m in "AB" for t in (0.3, 0.7, 1.0)]
    quality, diversity = np.r_[0.9, 0.7, 0.5, 0.9, 0.7, 0.5], np.tile([0.1, 0.5, 0.9], 2)
    quality[3:] -= shift
    source = np.random.default_rng(0)
    common = source.normal(scale=noise, size=(2, 1, 1000))
    drawn = [
        axis[:, None] + common[k] + source.normal(scale=noise / 4, size=(6, 1000))
        for k, axis in enumerate((quality, diversity))
    ]
    people_drawn = people + source.normal(scale=noise / 4, size=1000)
    return runs, trades.Axes(quality, diversity, *drawn, np.full(6, 200), people, people_drawn, False, judged)


def test_what_is_kept_its_interval_and_what_is_sure() -> None:
    runs, of = axes(0.01, 0.3, shift=0.1)
    found = trades.trades(runs, paths(runs), of, (1, 1))
    first, second = found.models
    assert (first.model, second.model) == ("A", "B")
    assert first.kept.value == pytest.approx(0.8)
    assert second.kept.value == pytest.approx(0.7)
    assert first.kept.low < 0.8 < first.kept.high
    assert second.behind
    assert second.smaller
    assert first.behind is None
    same = trades.trades(runs, paths(runs), axes(0.01, 0.3)[1], (1, 1))
    assert not same.models[1].behind
    unjudged = trades.trades(runs, paths(runs), axes(0.01, 0.3, judged=False, shift=0.1)[1], (1, 1))
    assert unjudged.models[1].behind is None


def test_a_model_less_diverse_than_people_keeps_nothing_there() -> None:
    runs, of = axes(0.01, 0.95)
    found = trades.trades(runs, paths(runs), of, (1, 1))
    assert not found.reaching
    assert all(np.isnan(one.kept.value) and np.isnan(one.kept.low) for one in found.models)
    assert all(one.behind is None and one.short for one in found.models)
    runs, near = axes(0.05, 0.9)
    first, *_ = near_people = trades.trades(runs, paths(runs), near, (1, 1)).models
    assert np.isfinite(first.kept.value)
    assert np.isnan(first.kept.low), "in many resamples it is less diverse than people"
    assert not any(one.short for one in near_people), "one of its settings may be as diverse"


def test_directions_are_those_of_the_metrics() -> None:
    """Both axes have their signs reversed, as for metrics whose lower values are better."""
    runs, of = axes(0.01, 0.3, shift=0.1)
    found = trades.trades(runs, paths(runs), of, (-1, -1))
    assert found.people == -0.3
    assert found.models[0].model == "A"
    assert found.models[0].kept.value == pytest.approx(-0.8)
    assert found.models[0].kept.low < found.models[0].kept.value < found.models[0].kept.high


def test_unknown_people_leave_the_area() -> None:
    runs, of = axes(0.01, np.nan, shift=0.1)
    found = trades.trades(runs, paths(runs), of, (1, 1))
    assert np.isnan(found.people)
    assert not found.reaching
    assert found.by_area[0].model == "A"
    assert found.by_area[1].smaller
