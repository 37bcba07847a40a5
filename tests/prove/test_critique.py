"""The critique with the LSTM of Cui et al. 2018, trained on real captions: it takes minutes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from data.load import load_study
from metrics.analysis.critique.critics import critics
from metrics.cache.disk import Cache
from metrics.critique import Critique
from metrics.progress import Hooks
from tests.prove.conftest import Proof


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
