"""Test on COCO that, as in Cui et al., people score above a run and augmentation detects captions of other images."""

from __future__ import annotations

from pathlib import Path

import pytest

from data.load import load_study
from metrics.analysis.critique.critics import Critic, critics
from metrics.cache.disk import Cache
from metrics.learned.critique_metric import Critique
from metrics.progress import Hooks


@pytest.mark.slow
def test_augmentation_is_what_shows_captions_of_other_images_to_be_wrong(realdata: Path) -> None:
    study = load_study([realdata / "magic_coco_500.jsonl"]).study
    assert study is not None
    part, cache = study.only(items=[item.id for item in study.items[:100]], runs=["magic"]), Cache(None)

    def scores(augmented: bool) -> dict[str, float]:
        found: Critic = critics(part, Critique(augmented=augmented, negatives="equal"), cache, Hooks())[0]
        return {name: one.value for name, one in found.scores.items()}

    augmented, without = scores(True), scores(False)
    for found in (augmented, without):
        assert found["people"] > found["run"] + 0.05
    for kind in ("random_caption", "word_permutation", "random_words"):
        assert without[kind] > without["people"] - 0.1, kind
        assert augmented[kind] < augmented["people"] - 0.1, kind
