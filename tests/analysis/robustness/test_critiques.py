"""Test a critique's scores of damaged captions: it is trained once, and gives undamaged captions the scores of
people's.
"""

from __future__ import annotations

import itertools
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from data.study import Run, Settings, Study
from metrics.analysis import artifacts
from metrics.analysis.critique import stored
from metrics.analysis.robustness.curves import curves
from metrics.analysis.robustness.design import Design, held_out, suited, suited_sets
from metrics.analysis.robustness.measure import from_arrays, key
from metrics.cache.disk import Cache
from metrics.learned import critique as learned
from metrics.learned import critique_metric as critique
from metrics.learned.critique_data import plain
from metrics.learned.critique_metric import Critique, joint
from metrics.progress import Hooks
from metrics.registry import METRICS
from metrics.transformations import TRANSFORMATIONS
from tests.studies import study as random_study

STUDY = random_study(items=30, references=3, candidates=1, runs=2, seed=4)
METRIC = Critique(combination="linear")
DESIGN = Design(tuple(TRANSFORMATIONS[name] for name in ("word_permutation", "random_words")), (0.5, 1.0))


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("networks")
    joint(STUDY, METRIC, Cache(folder), Hooks())
    return folder


def test_untouched_captions_score_as_people_do_and_one_training_serves_all(
    monkeypatch: pytest.MonkeyPatch, trained: Path
) -> None:
    real, trainings = critique.judge, []

    def counted(*given: Any) -> Any:
        trainings.append(given)
        return real(*given)

    monkeypatch.setattr("metrics.analysis.robustness.critiques.judge", counted)
    cache, metrics = Cache(trained), (METRICS["bleu_1"], METRIC)
    arrays = artifacts.damaged_captions(STUDY, DESIGN, metrics, cache).compute(cache, Hooks())
    found = from_arrays(DESIGN, metrics, arrays)
    assert len(trainings) == 1
    people = joint(STUDY, METRIC, cache, Hooks()).people.mean(axis=0).reshape(30, 3)
    untouched = found.totals["critique"][:, 0, 0]
    for row, one in enumerate(held_out(STUDY, DESIGN)):
        references = sorted(STUDY.items[one.place].references)
        (place,) = (k for k, text in enumerate(references) if text not in one.item.references)
        assert untouched[row] == pytest.approx(people[one.place, place], abs=1e-6)
    every = curves(found, metrics, resamples=50)
    assert every["random_words", "critique"].kept[-1] < 0.8
    assert 0 < every["random_words", "critique"].area.value < 1


def test_other_damages_of_another_day_are_scored_without_training_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trained: Path
) -> None:
    shutil.copytree(trained / "weights", tmp_path / "weights")
    real, trainings = learned.train, []
    monkeypatch.setattr(learned, "train", lambda *given: trainings.append(given) or real(*given))

    def totals(cache: Cache) -> Any:
        arrays = artifacts.damaged_captions(STUDY, design, (METRIC,), cache).compute(cache, Hooks())
        return from_arrays(design, (METRIC,), arrays).totals["critique"]

    design = Design((TRANSFORMATIONS["word_permutation"],), (1.0,))
    kept = totals(Cache(tmp_path))
    assert not trainings
    assert np.array_equal(kept, totals(Cache(None)))
    assert len(trainings) == 2
    usage = Cache(tmp_path).usage()
    assert usage.kinds["weights"][0] == 2
    Cache(tmp_path).clear()
    assert not (tmp_path / "weights").exists()


def test_its_key_holds_what_it_learned_from_and_those_of_others_do_not() -> None:
    said = {item.id: ("a boat",) for item in STUDY.items}
    changed: Study = replace(STUDY, runs=(STUDY.runs[0], Run("run 1", "run 1", Settings(), said)))
    assert key(STUDY, DESIGN, [METRIC]) != key(changed, DESIGN, [METRIC])
    assert key(STUDY, DESIGN, [METRICS["bleu_1"]]) == key(changed, DESIGN, [METRICS["bleu_1"]])
    assert key(STUDY, DESIGN, [METRIC]) != key(STUDY, DESIGN, [replace(METRIC, augmented=False)])
    assert suited(METRIC)
    assert not suited_sets(METRIC)


def test_a_study_too_small_has_a_reason() -> None:
    small = random_study(items=8, references=3, candidates=1, runs=1)
    cache = Cache(None)
    arrays = artifacts.damaged_captions(small, DESIGN, (METRIC,), cache).compute(cache, Hooks())
    (one, *_) = curves(from_arrays(DESIGN, (METRIC,), arrays), (METRIC,), resamples=20).values()
    assert "learns from at least 10 items" in one.reason
    assert np.isnan(one.kept).all()


@pytest.fixture
def beside_images(tmp_path: Path) -> Critique:
    names = np.array([item.id for item in STUDY.items])
    np.savez(tmp_path / "images.npz", names=names, features=np.random.default_rng(6).normal(size=(30, 5)))
    return replace(METRIC, context="image", images=str(tmp_path / "images.npz"))


def test_beside_images_damaged_captions_are_judged_by_the_features_of_their_own(
    beside_images: Critique, trained: Path
) -> None:
    cache = Cache(trained)

    def totals(metric: Critique) -> Any:
        arrays = artifacts.damaged_captions(STUDY, DESIGN, (metric,), cache).compute(cache, Hooks())
        return from_arrays(DESIGN, (metric,), arrays)

    found, beside_references = totals(beside_images), totals(METRIC)
    assert not np.allclose(found.totals["critique"], beside_references.totals["critique"])
    trained = critique.judge(STUDY, beside_images, cache, Hooks())
    features = np.load(beside_images.images)["features"]
    for place, row, said in zip(found.places, found.totals["critique"], found.texts, strict=True):
        network = trained.networks[1 - trained.work.corpus.folds[trained.places[place]]]
        texts = network.vectors(trained.work.read([plain(text) for text in said]))
        image = torch.tensor(features[[place] * len(said)], dtype=torch.float32)
        with torch.no_grad():
            expected = network.classifier(texts, image).softmax(dim=1)[:, 1]
        assert row[:, 0] == pytest.approx(expected.numpy(), abs=1e-6)


def test_keys_hold_the_context_and_the_images_that_are_read(beside_images: Critique) -> None:
    other = replace(STUDY, items=tuple(replace(item, image=f"{item.id}.png") for item in STUDY.items))
    swapped = [STUDY.items[1].id, STUDY.items[0].id]
    items = tuple(replace(item, id=id) for item, id in zip(STUDY.items, swapped)) + STUDY.items[2:]
    said = [{new.id: run.candidates[old.id] for new, old in zip(items, STUDY.items)} for run in STUDY.runs]
    runs = tuple(replace(run, candidates=own) for run, own in zip(STUDY.runs, said))
    ids = replace(STUDY, items=items, runs=runs)
    both = replace(beside_images, context="both")
    contexts = (METRIC, beside_images, both)
    for one, other_one in itertools.combinations(contexts, 2):
        assert key(STUDY, DESIGN, [one]) != key(STUDY, DESIGN, [other_one])
        assert stored.key(STUDY, stored.Design(one)) != stored.key(STUDY, stored.Design(other_one))
    for changed in (other, ids):
        for metric in contexts:
            same = metric is METRIC
            assert (key(STUDY, DESIGN, [metric]) == key(changed, DESIGN, [metric])) == same
            design = stored.Design(metric)
            assert (stored.key(STUDY, design) == stored.key(changed, design)) == same
