"""What Cui et al. 2018 found, on captions of COCO: people above the run, and what augmentation is for."""

from __future__ import annotations

from pathlib import Path

import pytest

from data.load import load_study
from metrics.analysis.critique.critics import Critic, critics
from metrics.cache.disk import Cache
from metrics.learned.critique_metric import Critique
from metrics.progress import Hooks


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "run"),
    [("magic_coco_500", "magic"), ("coco_mrnn_beam10_plus9systems_500", "Liu-et-al-2017")],
)
def test_augmentation_is_what_shows_captions_of_other_images_to_be_wrong(realdata: Path, file: str, run: str) -> None:
    study = load_study([realdata / f"{file}.jsonl"]).study
    assert study is not None
    part, cache = study.only(items=[item.id for item in study.items[:200]], runs=[run]), Cache(None)

    def scores(augmented: bool) -> dict[str, float]:
        found: Critic = critics(part, Critique(augmented=augmented, negatives="equal"), cache, Hooks())[0]
        return {name: one.value for name, one in found.scores.items()}

    augmented, without = scores(True), scores(False)
    for found in (augmented, without):
        assert found["people"] > found["run"] + 0.05
    for kind in ("random_caption", "word_permutation", "random_words"):
        assert without[kind] > without["people"] - 0.1, kind
        assert augmented[kind] < augmented["people"] - 0.1, kind
