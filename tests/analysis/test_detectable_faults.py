"""Test which faults a study could have detected: how they are made, which are found, and what decides nothing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from data.study import Study
from metrics.analysis.detectable_faults import FAULTLESS, LESS_VARIED, Detectable, detectable, mixtures, statistics
from metrics.analysis.numbers import of_results, with_detectable
from metrics.engine.scoring import score
from metrics.engine.tasks import Options
from metrics.registry import METRICS
from tests.prove.worlds import world
from tools.demo.models import TRUTH

METRIC = METRICS["trm_cider_d"]
OPTIONS = Options(p_values=True, draws=999, resamples=1)


def of_people(items: int, captions: int = 5, seed: int = 2) -> Study:
    return world(items, {"people": (TRUTH, captions)}, seed=seed, references=captions, fixed=True)


def found_in(study: Study, tests: int = 1) -> Detectable | None:
    mixed = mixtures(study, study.runs[0])
    assert mixed is not None
    z = statistics(mixed, METRIC, score(mixed, [METRIC], OPTIONS))
    return None if z is None else detectable(mixed, z, study, tests)


def test_faults_are_made_of_the_study_s_own_captions() -> None:
    study = of_people(6)
    mixed = mixtures(study, study.runs[0])
    assert mixed is not None
    said = {run.name: run.candidates for run in mixed.runs}
    assert list(said) == [FAULTLESS, LESS_VARIED, *(f"{k} wrong" for k in (1, 2, 3, 5))]
    for item in study.items:
        pool = sorted((*item.references, *study.runs[0].candidates[item.id]))
        shuffled = next(one for one in mixed.items if one.id == item.id)
        assert sorted((*said[FAULTLESS][item.id], *shuffled.references)) == pool
        for wrong in (1, 2, 3, 5):
            strangers = [text for text in said[f"{wrong} wrong"][item.id] if text not in pool]
            assert len(strangers) == wrong
        assert len(set(said[LESS_VARIED][item.id])) == 3
    assert mixtures(study, study.runs[0]) == mixed


def test_the_same_images_twice_find_no_more_than_once() -> None:
    """As separate items, the twins of a cluster would be shuffled separately, and would detect faults as 48 images
    do.
    """
    study = of_people(24)
    items = tuple(replace(one, id=f"{one.id}{end}", cluster=one.id) for end in ("", "'") for one in study.items)
    # The order of a twin's captions does not matter.
    said = {one.id: study.runs[0].candidates[one.cluster][:: 1 if one.id == one.cluster else -1] for one in items}
    twice = replace(study, items=items, runs=(replace(study.runs[0], candidates=said),))
    mixed = mixtures(twice, twice.runs[0])
    assert mixed is not None
    assert mixed.unit is not None
    assert len({(one.cluster, one.references) for one in mixed.items}) == 24, "twins are shuffled alike"
    apart = replace(mixed, items=tuple(replace(one, cluster="") for one in mixed.items))
    together, alone = (score(of, [METRIC], OPTIONS)["1 wrong", METRIC.name].joint for of in (mixed, apart))
    assert together is not None
    assert alone is not None
    assert abs(together.z).max() < 0.9 * abs(alone.z).max()


@pytest.mark.parametrize(("clusters", "tests", "finds"), [(8, 1, True), (8, 8, False), (5, 1, False)])
def test_what_flips_of_few_clusters_can_find(clusters: int, tests: int, finds: bool) -> None:
    """A statistic of 8 clusters is at most the root of 8, below the normal quantiles, however clear the fault is.

    With 5 clusters, or with 8 clusters and 8 tests, no p by sign flips is small enough.
    """
    study = of_people(3 * clusters)
    items = tuple(replace(item, cluster=str(k % clusters)) for k, item in enumerate(study.items))
    study = replace(study, items=items)
    mixed = mixtures(study, study.runs[0])
    assert mixed is not None
    z = np.full((len(mixed.runs), 6), 0.98 * np.sqrt(clusters))
    z[0] = 0
    found = detectable(mixed, z, study, tests)
    assert (found.wrong, found.captions, found.less_varied) == (1 if finds else None, 5, finds)


def test_a_divergence_below_its_expectation_is_no_fault() -> None:
    study = of_people(6)
    mixed = mixtures(study, study.runs[0])
    assert mixed is not None
    z = np.zeros((len(mixed.runs), 6))
    z[1:, 0] = -99
    assert detectable(mixed, z, study, 1).nothing
    z[1:, 1] = -99
    assert detectable(mixed, z, study, 1).wrong == 1, "the other statistics count in both directions"


def test_more_images_find_smaller_faults() -> None:
    few, many = found_in(of_people(4)), found_in(of_people(48))
    assert few is not None
    assert many is not None
    assert many.wrong is not None
    assert many.wrong <= 2
    assert few.wrong is None or few.wrong > many.wrong


def test_a_study_that_would_find_nothing_does_not_decide() -> None:
    study = of_people(12, 3)
    numbers = of_results(score(study, (METRIC,), OPTIONS), {})
    numbers = with_detectable(study, numbers, METRIC, lambda of, one: statistics(of, one, score(of, [one], OPTIONS)))
    assert not numbers.detectable[METRIC.name].nothing
    assert numbers.against_people(study, METRIC, study.runs).alike == (0,)
    blind = replace(numbers, detectable={METRIC.name: Detectable(None, 3, less_varied=False)})
    people = blind.against_people(study, METRIC, study.runs)
    assert people.alike == ()
    assert people.undecided == (0,)


@pytest.mark.parametrize("captions", [1, 2])
def test_too_few_captions_make_no_faults(captions: int) -> None:
    study = of_people(1, captions)
    assert mixtures(study, study.runs[0]) is None


def test_one_image_decides_nothing() -> None:
    """No fault can be made from one image, so what its test could detect is unknown."""
    study, metric = of_people(1), METRICS["trm_rouge_l"]
    numbers = of_results(score(study, (metric,), OPTIONS), {})
    assert numbers.against_people(study, metric, study.runs).alike == (0,)
    judged = with_detectable(study, numbers, metric, lambda of, one: pytest.fail("there are no runs to test"))
    assert judged.against_people(study, metric, study.runs).undecided == (0,)


def test_nothing_is_said_before_all_runs_are_tested() -> None:
    study = of_people(6)
    mixed = mixtures(study, study.runs[0])
    assert mixed is not None
    results = score(mixed, [METRIC], OPTIONS)
    results.pop((LESS_VARIED, METRIC.name))
    assert statistics(mixed, METRIC, results) is None
