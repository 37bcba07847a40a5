"""Test that a study in which every item occurs twice, as a cluster, has the same numbers as the study itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

from data.study import Item, Run, Study
from metrics.analysis import paired, run_differences
from metrics.analysis.cloud.density import Grid
from metrics.analysis.cloud.difference import density_difference
from metrics.analysis.slices import differences as slices
from metrics.analysis.unique_correct.variance_shares import surface
from metrics.analysis.words import usage
from metrics.bootstrap import bootstrap_totals, random_groups
from metrics.cache.disk import Cache
from metrics.engine import scoring
from metrics.engine.result import Result
from metrics.engine.tasks import Options
from metrics.permutation.group_tests import group_tests
from metrics.registry import resolve
from metrics.units import by_unit, count_units
from tests import studies

NAMES = ("bleu_4", "rouge_l", "trm_bow", "vocabulary", "distinct_2")


def doubled(study: Study, clusters: bool = True) -> Study:
    """Return the study with every item twice, with captions in another order; if `clusters`, each pair is a cluster."""
    items = [replace(item, cluster=item.id if clusters else "") for item in study.items]
    again = [replace(item, id=f"{item.id} again", references=item.references[::-1]) for item in items]
    return replace(study, items=(*items, *again), runs=tuple(map(_twice, study.runs)))


def _twice(run: Run) -> Run:
    return replace(run, candidates={**run.candidates, **{f"{id} again": c[::-1] for id, c in run.candidates.items()}})


def scored(study: Study) -> dict[tuple[str, str], Result]:
    metrics = resolve(list(NAMES), "whitespace", study=study)
    return scoring.score(study, metrics, Options(p_values=True, draws=1_999), Cache(None))


@pytest.fixture(scope="module")
def once() -> Study:
    return studies.study(items=24, references=3, candidates=3, seed=3)


@pytest.fixture(scope="module")
def results(once: Study) -> tuple[dict[tuple[str, str], Result], dict[tuple[str, str], Result]]:
    return scored(once), scored(doubled(once))


@pytest.mark.parametrize("name", NAMES)
def test_an_interval_of_doubled_items_is_that_of_the_items(results, name: str) -> None:  # type: ignore[no-untyped-def]
    one, two = (found["run 0", name] for found in results)
    assert two.n_units == one.n_units == 24
    assert two.n in (48, one.n * 2)
    assert (two.low, two.high) == pytest.approx((one.low, one.high), nan_ok=True)


@pytest.mark.parametrize("name", ["bleu_4", "rouge_l", "trm_bow"])
def test_the_relabelling_of_doubled_items_is_that_of_the_items(results, name: str) -> None:  # type: ignore[no-untyped-def]
    one, two = (found["run 0", name] for found in results)
    assert two.p_value == pytest.approx(one.p_value, abs=0.04)
    assert two.p_floor == pytest.approx(max(one.p_floor, 1 / 2_000), rel=1e-6)


def test_a_comparison_of_doubled_items_is_that_of_the_items(results) -> None:  # type: ignore[no-untyped-def]
    one, two = (paired.compare_all([(of["run 0", n], of["run 1", n]) for n in NAMES[:3]]) for of in results)
    for a, b in zip(one, two):
        assert b.test.p_value == pytest.approx(a.test.p_value)
        assert (b.n, b.n_units) == (48, 24)
        assert (b.low, b.high) == pytest.approx((a.low, a.high))
        assert b.effect.value == pytest.approx(a.effect.value, rel=0.03)
        assert (b.effect.low, b.effect.high) == pytest.approx((a.effect.low, a.effect.high), abs=0.05)
    drawn = [run_differences.resampled([of["run 0", "rouge_l"], of["run 1", "rouge_l"]]) for of in results]
    assert drawn[1] == pytest.approx(drawn[0])


def test_slices_of_doubled_items_are_those_of_the_items() -> None:
    values = np.random.default_rng(1).normal(size=30)
    group = np.arange(30) < 12
    one = group_tests(csr_array([group.astype(float)]), values, 3_999)
    twice = csr_array([np.concatenate([group, group]).astype(float)])
    cluster = np.concatenate([np.arange(30), np.arange(30)])
    two = group_tests(twice, np.concatenate([values, values]), 3_999, cluster=cluster)
    naive = group_tests(twice, np.concatenate([values, values]), 3_999)
    assert two.p_value[0] == pytest.approx(one.p_value[0], abs=0.03)
    assert abs(naive.p_value[0] - one.p_value[0]) > 0.08
    mean, low, high = slices._mean(values, None)
    assert slices._mean(np.concatenate([values, values]), cluster) == pytest.approx((mean, low, high))


def test_words_of_doubled_items_are_those_of_the_items(once: Study) -> None:
    design = usage.Design("run 0", fewest=5, draws=499)
    one = usage.measure(once, design)
    two, naive = (usage.measure(doubled(once, of), replace(design, fewest=10)) for of in (True, False))
    apart, too_far = (np.abs(other["p_value"] - one["p_value"]).mean() for other in (two, naive))
    assert apart < 0.04 < 0.1 < too_far
    assert two["statistic"] == pytest.approx(one["statistic"] * np.sqrt(2), rel=1e-6)


def test_sets_of_doubled_items_are_those_of_the_items() -> None:
    rng = np.random.default_rng(2)
    values, pairs = rng.random((12, 2, 6)), np.array([(m, k) for m in (0, 1, 2) for k in (1, 2)])
    one = surface(values, pairs)
    two = surface(np.concatenate([values, values]), pairs, unit=np.concatenate([np.arange(12), np.arange(12)]))
    assert two.error == pytest.approx(one.error)
    assert (two.correct.p, two.correct.low) == pytest.approx((one.correct.p, one.correct.low))


def test_places_of_doubled_items_are_those_of_the_items() -> None:
    rng = np.random.default_rng(4)
    xy, item = rng.normal(size=(400, 2)), np.repeat(np.arange(40), 10)
    first, second = (np.flatnonzero(np.arange(400) % 2 == k) for k in (0, 1))
    one = density_difference(xy, first, second, item, Grid.over(xy), 99)
    both, rows = np.concatenate([xy, xy]), [np.concatenate([of, of + 400]) for of in (first, second)]
    unit = np.concatenate([np.arange(40), np.arange(40)])
    two = density_difference(both, rows[0], rows[1], np.concatenate([item, item + 40]), Grid.over(xy), 99, unit=unit)
    assert one is not None
    assert two is not None
    assert two.apart == pytest.approx(one.apart)
    assert two.by_chance == pytest.approx(one.by_chance, rel=0.1)
    assert two.p_value == pytest.approx(one.p_value, abs=0.2)


def test_what_belongs_together_is_drawn_together() -> None:
    unit = np.array([5, 0, 5, 2, 0, 5, 7, 8, 9, 11, 12])
    values = np.random.default_rng(0).random((11, 3))
    assert by_unit(values, unit)[0] == pytest.approx(values[unit == 0].sum(axis=0))
    assert bootstrap_totals(values, 50, 1, unit) == pytest.approx(bootstrap_totals(by_unit(values, unit), 50, 1))
    groups = random_groups(11, 4, unit=unit)
    assert all(len(set(groups[unit == one])) == 1 for one in unit)
    assert (count_units(unit, unit > 1), count_units(None, unit > 1)) == (7, 9)


def test_clusters_are_part_of_the_study_and_none_change_no_key(once: Study) -> None:
    metric, run = resolve(["bleu_4"])[0], once.runs[0]
    key = scoring.result_key(metric, run, once, Options())
    grouped = replace(once, items=tuple(replace(one, cluster="a") for one in once.items))
    assert (once.unit, once.clustering) == (None, ())
    assert grouped.digest != once.digest
    assert scoring.result_key(metric, run, grouped, Options()) != key
    assert grouped.only(items=[once.items[0].id]).unit is None
    lone = Study("lone", (Item("1", ("a",)), Item("2", ("b",), cluster="x"), Item("3", ("c",), cluster="x")), ())
    assert lone.unit is not None
    assert lone.unit.tolist() == [0, 1, 1]
