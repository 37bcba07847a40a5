"""Test the joint test of a run: what it detects and what not, an independent computation of p, chunks, and the
cache.
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from data.study import Run, Study
from metrics.analysis.claims import compare_with_people
from metrics.cache.disk import Cache
from metrics.chunk import Chunk, StudyDigests
from metrics.engine import tasks
from metrics.engine.result import Result
from metrics.engine.scores_table import scores
from metrics.engine.scoring import result_key, score
from metrics.engine.tasks import Options
from metrics.mathematics.arrays import Floats
from metrics.permutation.joint_test import PARTS
from metrics.registry import METRICS
from tests.prove.worlds import world
from tools.demo.models import TRUTH

NAME = "trm_cider_d"
NEAREST, SPREAD = PARTS.index("nearest reference"), PARTS.index("spread")


def with_wrong(study: Study, of: int = 1) -> Study:
    run, ids = study.runs[0], [item.id for item in study.items]
    said = {
        here: (*run.candidates[there][:of], *run.candidates[here][of:]) for here, there in zip(ids, [*ids[1:], ids[0]])
    }
    return replace(study, runs=(Run("wrong", run.model, run.settings, said),))


def result_of(study: Study, name: str = NAME, cache: Cache | None = None, **options: int) -> Result:
    found = score(study, [METRICS[name]], Options(p_values=True, resamples=1, **options), cache)
    return found[study.runs[0].name, name]


@pytest.fixture(scope="module")
def people() -> Study:
    return world(40, {"people": (TRUTH, 5)}, seed=4, fixed=True)


def test_one_wrong_caption_in_five_is_found(people: Study) -> None:
    found = result_of(with_wrong(people))
    assert found.joint is not None
    assert found.p_value > 0.05
    assert found.joint.p < 0.01
    assert found.joint.z[NEAREST] > 2.5
    assert found.joint.z[SPREAD] > 3
    assert compare_with_people([found]).differ == (0,)


def test_captions_of_people_are_not_told_apart(people: Study) -> None:
    found = result_of(people)
    assert found.joint is not None
    assert found.joint.p > 0.05
    assert compare_with_people([found]).alike == (0,)
    assert found.p_people == found.joint.p


def test_copied_references_are_named_as_a_leak(people: Study) -> None:
    copied = replace(people.runs[0], candidates={item.id: item.references for item in people.items})
    found = compare_with_people([result_of(replace(people, runs=(copied,)))])
    assert found.leaks == (0,)
    assert ("nearest reference", False) in found.departures[0]
    assert compare_with_people([result_of(with_wrong(people))]).leaks == ()


def test_chunks_cache_and_table_do_not_change_it(people: Study, tmp_path: Path) -> None:
    study, cache = with_wrong(people), Cache(tmp_path)
    whole, cut = result_of(study), result_of(study, chunk=7)
    first, again = (result_of(study, cache=cache, chunk=7) for _ in range(2))
    assert whole.joint is not None
    for other in (cut, first, again):
        assert other.joint is not None
        np.testing.assert_allclose(np.concatenate(other.joint[2:]), np.concatenate(whole.joint[2:]), atol=1e-8)
        assert other.joint[:2] == whole.joint[:2]
    row = scores(study, {("wrong", NAME): whole}).iloc[0]
    assert row["p_joint"] == whole.joint.p
    assert row["p_value"] == whole.p_value
    assert f"spread {whole.joint.z[SPREAD]:+.3g} p {whole.joint.p_single[SPREAD]:.4g}" in row["joint_parts"]


def test_few_images_are_tested_exactly() -> None:
    small = world(2, {"people": (TRUTH, 3)}, seed=1, references=3)
    found = result_of(small)
    assert found.joint is not None
    assert (found.joint.p * 400) % 1 == pytest.approx(0, abs=1e-6)  # 20 relabellings for each of two images
    assert found.joint.p == pytest.approx(result_of(small, seed=1).joint.p)  # type: ignore[union-attr]


def test_items_that_belong_together_are_tested_by_the_signs_of_what_they_depart_by() -> None:
    """The test itself sums each item's deviations from the mean over all relabellings of the item."""
    small = world(18, {"people": (TRUTH, 3)}, seed=2, references=3, fixed=True)
    # Frames of a cluster are not adjacent in the file, and the last two items are in no cluster.
    clusters = [f"video {k % 8}" for k in range(16)] + ["", ""]
    study = replace(small, items=tuple(replace(item, cluster=of) for item, of in zip(small.items, clusters)))
    sums: dict[str, list[float]] = {}
    for number, (item, cluster) in enumerate(zip(study.items, clusters)):
        departed = np.array(departure(study, number))
        name = cluster or item.id
        sums[name] = [a + b for a, b in zip(sums.get(name, [0.0] * len(PARTS)), departed)]
    departures = np.array(list(sums.values()))
    scale = np.sqrt((departures**2).sum(axis=0))
    largest = []
    for signs in itertools.product([1, -1], repeat=len(departures)):
        z = np.array(signs) @ departures / scale
        largest.append(max(z[0], np.abs(z[1:]).max()))
    for chunk in (128, 5):
        found = result_of(study, chunk=chunk)
        assert found.joint is not None
        np.testing.assert_allclose(found.joint.z, departures.sum(axis=0) / scale, atol=1e-7)
        assert found.joint.p == pytest.approx(np.mean(np.array(largest) >= largest[0] - 1e-9), abs=1e-9)
        assert found.n_units == 10


def departure(study: Study, number: int) -> Floats:
    """Return the deviations (6,) of an item's statistics from their means over all its relabellings."""
    metric, run = METRICS[NAME], study.runs[0]
    chunk = Chunk.of(study.items, run, Cache(None), whole=StudyDigests.of(study, run))
    n, m = chunk.sizes(number)
    labels = np.array([[k in of for k in range(n + m)] for of in itertools.combinations(range(n + m), n)])
    context = metric.prepare(study)
    signed = metric.signed_statistics(context, chunk, number, labels)
    observed = metric.signed_statistics(context, chunk, number, chunk.is_candidate(number)[None])[0]
    test = metric.test(context, chunk, number, 1000, 0)
    return np.array([test.statistic - test.null.mean(), *(observed - signed.mean(axis=0))])


def test_a_study_of_clusters_gives_the_same_from_the_cache(people: Study, tmp_path: Path) -> None:
    study, cache = in_pairs(with_wrong(people)), Cache(tmp_path)
    first, again = (result_of(study, cache=cache, chunk=7).joint for _ in range(2))
    assert first is not None
    assert again is not None
    for one, other in zip(first, again):
        np.testing.assert_array_equal(one, other)
    assert first.p < 0.05
    assert result_of(study, seed=1).joint != first  # for 20 clusters, signs are sampled


def test_results_of_clusters_by_another_version_are_not_read(people: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    options, metric = Options(p_values=True), METRICS[NAME]
    keys = []
    for version in (1, 2):
        monkeypatch.setattr(tasks, "IN_CLUSTERS", ("departures", version))
        keys.append([result_key(metric, of.runs[0], of, options) for of in (people, in_pairs(people))])
    assert keys[0][0] == keys[1][0]
    assert keys[0][1] != keys[1][1]


def in_pairs(study: Study) -> Study:
    return replace(study, items=tuple(replace(item, cluster=f"c{k // 2}") for k, item in enumerate(study.items)))


def test_a_metric_without_a_joint_test_has_none(people: Study) -> None:
    assert result_of(people, "bleu_1").joint is None
    assert np.isnan(scores(people, {("people", "bleu_1"): result_of(people, "bleu_1")}).iloc[0]["p_joint"])
