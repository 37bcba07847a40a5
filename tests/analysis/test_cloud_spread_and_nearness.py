"""Test the spread of captions by runs and by people, and which runs differ most, against slow computations."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from data.study import Item, Run, Settings, Study
from metrics.analysis.cloud.captions import Layout, Points, Projection, draws, facts, layout, points
from metrics.analysis.cloud.spread_and_nearness import (
    different,
    most_different,
    most_repeated,
    nearest_first,
    standings,
)
from metrics.permutation.pvalues import holm
from tests.studies import study as random_study

NAN = float("nan")


def numbers(of: Points, vectors: np.ndarray, runs: int) -> Layout:
    first, _ = of.nodes(False)
    arrays = {"xy": vectors[first, :2], "trust": np.array([1.0, 1.0]), "variance": np.full(2, np.nan)}
    return layout(of, Projection("pca"), arrays | facts(vectors, of, 1 + runs))


def test_different_captions_are_those_expected_of_all_draws() -> None:
    said = {"a": ("x", "x", "y"), "b": ("x", "z"), "c": ("y", "y", "w")}
    of = points(Study("s", tuple(Item(k, ()) for k in said), (Run("r", "m", Settings(), said),)))
    draws = [len(set(draw)) / 3 for draw in product(*said.values())]
    assert different(of, np.arange(len(of))) == pytest.approx(np.mean(draws))
    assert np.isnan(different(of, np.arange(0)))


def test_a_run_that_gives_one_caption_for_all_images_has_almost_no_spread_over_them() -> None:
    items = tuple(Item(str(k), (f"a {k}", f"b {k}", f"c {k}")) for k in range(40))
    same = Run("same", "same", Settings(), {item.id: ("one",) for item in items})
    own = Run("own", "own", Settings(), {item.id: (f"d {item.id}",) for item in items})
    study = Study("s", items, (same, own))
    of = points(study)
    rng = np.random.default_rng(3)
    vectors = 3 * rng.normal(size=(40, 6))[of.item] + rng.normal(size=(len(of), 6))
    vectors[of.group == 1] = 5.0
    lay = numbers(of, vectors, 2)
    found = standings(of, lay)
    assert not found.within
    assert found.spread == pytest.approx([1 / 40, 1.0])
    assert found.manner[0] == "repeats"
    assert found.manner[1] == "untold"
    assert [most_repeated(run)[1] for run in study.runs] == [40, 1]
    assert most_repeated(same) == ("one", 40)
    assert most_different(of, found, 4) == (1, 0)
    assert nearest_first(found, (0, 1)) == [1, 0]
    assert len(np.unique(lay.xy[of.group == 1], axis=0)) == 1


def test_equal_captions_of_several_images_lie_at_the_mean_of_their_places() -> None:
    items = tuple(Item(str(k), (f"a {k}", f"b {k}")) for k in range(3))
    study = Study("s", items, (Run("r", "m", Settings(), {item.id: ("one",) for item in items}),))
    of, projection = points(study), Projection("pca", centred=True)
    first, _ = of.nodes(True)
    vectors = np.random.default_rng(4).normal(size=(len(of), 6))
    arrays = {"xy": vectors[first, :2], "trust": np.array([1.0, 1.0]), "variance": np.full(2, np.nan)}
    xy = layout(of, projection, arrays | facts(vectors, of, 2)).xy
    np.testing.assert_allclose(xy[of.group == 1], [vectors[of.group == 1, :2].mean(axis=0)] * 3)
    np.testing.assert_allclose(xy[of.group == 0], vectors[of.group == 0, :2])


def test_a_run_that_repeats_itself_within_an_image_does_so_though_most_runs_have_one_caption() -> None:
    items = tuple(Item(str(k), tuple(f"{name} {k}" for name in "abcd")) for k in range(40))
    one = Run("one", "one", Settings(), {item.id: (f"e {item.id}",) for item in items})
    beam = Run("beam", "beam", Settings(), {item.id: tuple(f"{n} {item.id}" for n in range(4)) for item in items})
    of = points(Study("s", items, (one, beam)))
    rng = np.random.default_rng(9)
    vectors = 3 * rng.normal(size=(40, 6))[of.item] + rng.normal(size=(len(of), 6))
    own = np.flatnonzero(of.group == 2)
    vectors[own] = vectors[own[of.place[own] == 0]].repeat(4, axis=0) + 0.1 * rng.normal(size=(len(own), 6))
    found = standings(of, numbers(of, vectors, 2))
    assert not found.within
    assert found.spread == pytest.approx([1, 1])
    assert found.manner == ("untold", "repeats")


def test_spread_is_within_an_image_where_most_runs_have_two_captions_of_one() -> None:
    study = random_study(items=30, references=4, candidates=3, runs=3)
    single = {key: texts[:1] for key, texts in study.runs[2].candidates.items()}
    study = Study("s", study.items, (*study.runs[:2], Run("one", "one", Settings(), single)))
    of = points(study)
    vectors = np.random.default_rng(5).normal(size=(len(of), 6))
    lay = numbers(of, vectors, 3)
    found = standings(of, lay)
    assert found.within
    np.testing.assert_allclose(found.spread, lay.within[1:] / lay.within[0])
    assert np.isnan(found.spread[2])
    assert set(found.known) == {0, 1, 2}


def test_runs_that_differ_most_begin_with_the_nearest_to_people_and_lie_far_apart() -> None:
    study = random_study(items=20, references=4, candidates=3, runs=5)
    of = points(study)
    base = numbers(of, np.random.default_rng(6).normal(size=(len(of), 6)), 5)
    within = np.array([0.4, 0.38, 0.4, 0.0, 0.8, 0.36])
    reach = np.array([NAN, 0.4, 0.2, 0.1, 0.1, 0.4])
    lay = Layout(**{**vars(base), "within": within, "reach": reach, "chance": np.array([NAN, *[0.4] * 5])})
    found = standings(of, lay)
    assert most_different(of, found, 3) == (0, 3, 2)
    assert set(most_different(of, found, 9)) == set(range(5))
    assert most_different(of, found, 3, [0, 1, 2, 0, 2]) == (0, 2, 1), "one run for each setting"


def test_without_people_the_runs_that_differ_most_are_those_with_other_shares_of_different_captions() -> None:
    items = tuple(Item(str(k), ()) for k in range(10))
    runs = tuple(
        Run(name, name, Settings(), {str(k): (f"{name} {k % kinds}",) for k in range(10)})
        for name, kinds in (("a", 10), ("b", 9), ("c", 1))
    )
    of = points(Study("s", items, runs))
    found = standings(of, numbers(of, np.random.default_rng(7).normal(size=(len(of), 4)), 3))
    assert not found.known
    assert most_different(of, found, 2) == (0, 2)


def test_enough_relabellings_are_drawn_to_tell_many_runs_from_people() -> None:
    items = tuple(Item(str(i), tuple(f"{i} {k}" for k in range(4))) for i in range(12))
    run = {item.id: ("elsewhere",) for item in items}
    runs = tuple(Run(f"run {k}", "m", Settings(), run) for k in range(60))
    of = points(Study("s", items, runs))
    vectors = np.random.default_rng(0).normal(loc=[9, 0, 0, 0, 0, 0], size=(len(of), 6)).astype(np.float32)
    vectors[of.group > 0] = [-1, 0, 0, 0, 0, 0]
    known = facts(vectors, of, 61)
    assert draws(24) == draws(1) == 999
    assert draws(60) == 2400
    np.testing.assert_allclose(known["floor"][1:], 1 / 2401)
    assert (holm(known["p"][1:]) < 0.05).all()
