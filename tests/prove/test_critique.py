"""Measure the critique: its LSTM on real captions, and how often people's runs and harmed runs are told from people.

The LSTM is that of Cui et al. 2018; training it takes minutes.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import ttest_rel

from data.load import load_study
from metrics.analysis.critique.critics import GAP, critics
from metrics.cache.disk import Cache, text_vectors
from metrics.learned.critique_metric import Critique
from metrics.permutation.pvalues import ALPHA
from metrics.progress import Hooks
from tests.levels import by_grammar, null_study
from tests.prove.conftest import Proof
from tests.prove.test_joint import HARMS, made

WORLDS, HARMED = 120, 20


@pytest.mark.prove
def test_the_lstm_scores_people_above_a_run_and_made_captions(realdata: Path, proof: Proof) -> None:
    study = load_study([realdata / "magic_coco_500.jsonl"]).study
    assert study is not None
    part = study.only(items=[item.id for item in study.items[:200]], runs=["clipre"])
    (found,) = critics(part, Critique(reader="lstm"), Cache(None), Hooks())
    scores = {name: one.value for name, one in found.scores.items()}
    epochs = np.isfinite(found.losses[..., 0]).sum(axis=2)
    proof.row(
        "The critique with an LSTM on 200 images of COCO",
        **{name.replace("_", " "): round(value, 2) for name, value in scores.items()},
        epochs=" and ".join(map(str, epochs.ravel())),
    )
    assert scores["people"] > scores["run"] + 0.1
    assert scores["people"] > scores["random_words"] + 0.1
    assert epochs.max() <= 30


@pytest.mark.prove
def test_runs_of_people_are_told_from_people_no_more_often_than_the_level(proof: Proof) -> None:
    """There are 40 images with 3 captions per side; the critiques of both halves learn only from the run."""
    rng, cache, p = np.random.default_rng(1), Cache(None).with_text_vectors(text_vectors()), []
    for seed in range(WORLDS):
        study = null_study(by_grammar(), rng, 40, 3, 3)
        (found,) = critics(study, Critique(augmented=False, seed=seed), cache, Hooks())
        people, own = (np.array([part.mean() for part in of]) for of in (found.people_scores, found.run_scores))
        p.append((float(ttest_rel(people, own).pvalue), found.scores[GAP].p_value))
    before, after = (np.array(p) <= ALPHA).mean(axis=0)
    proof.row(
        "Critique without augmentation: runs of people's own captions that are distinguished from people",
        design="40 images, 3 v 3 captions",
        nominal=ALPHA,
        before=before,
        measured=after,
        repeats=WORLDS,
    )
    assert after <= ALPHA + 3.2 * np.sqrt(ALPHA * (1 - ALPHA) / WORLDS)


@pytest.mark.prove
@pytest.mark.parametrize("harm", ["one wrong of five", "one caption for all", "shorter"])
@pytest.mark.parametrize(("augmented", "images"), [(False, 40), (True, 40), (True, 100), (True, 200)])
def test_a_harmed_run_is_told_from_people(augmented: bool, images: int, harm: str, proof: Proof) -> None:
    """There are five captions per side; with 40 images, the power of the test against people is low."""
    rng, cache, p = np.random.default_rng(2), Cache(None).with_text_vectors(text_vectors()), []
    for seed in range(HARMED):
        study = made(by_grammar(), HARMS[harm], images, rng)
        (found,) = critics(study, Critique(augmented=augmented, seed=seed), cache, Hooks())
        p.append(found.scores[GAP].p_value)
    power = float((np.array(p) <= ALPHA).mean())
    if images == 40:
        assert power < 0.5, "the page says that 40 images are few"
    proof.row(
        "Critique: harmed runs that are distinguished from people",
        design=f"{images} images, 5 v 5 captions",
        harm=harm,
        augmented=augmented,
        power=power,
        repeats=HARMED,
    )
