"""The joint test of a run: what it finds that a divergence does not, and that chunks and the cache do not change it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from data.study import Run, Study
from metrics.analysis.claims import compare_with_people
from metrics.cache.disk import Cache
from metrics.engine.result import Result
from metrics.engine.scoring import score
from metrics.engine.table import scores
from metrics.engine.tasks import Options
from metrics.permutation.joint import PARTS
from metrics.registry import METRICS
from tests.prove.worlds import world
from tools.demo.models import TRUTH

NAME = "trm_cider_d"
NEAREST, SPREAD = PARTS.index("nearest reference"), PARTS.index("spread")


def with_wrong(study: Study, of: int = 1) -> Study:
    """The study whose run says, in `of` of its captions of each image, something about the next image."""
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
    assert (found.joint.p * 400) % 1 == pytest.approx(0, abs=1e-6)  # 20 relabellings of each of two images
    assert found.joint.p == pytest.approx(result_of(small, seed=1).joint.p)  # type: ignore[union-attr]


def test_a_metric_without_a_joint_test_has_none(people: Study) -> None:
    assert result_of(people, "bleu_1").joint is None
    assert np.isnan(scores(people, {("people", "bleu_1"): result_of(people, "bleu_1")}).iloc[0]["p_joint"])
