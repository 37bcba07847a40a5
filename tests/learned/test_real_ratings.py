"""COSMic on RaCCoon, the ratings that it was made for: what it learns without images, and what the label says."""

from __future__ import annotations

from pathlib import Path

import pytest

from data.coherence_study import ratings_in
from metrics.analysis import coherence
from metrics.cache.disk import Cache
from metrics.learned.cosmic_data import Design, label_means
from metrics.progress import Hooks


@pytest.mark.slow
@pytest.mark.timeout(1_200)
def test_without_images_the_network_agrees_with_people_no_better_than_the_label_alone(realdata: Path) -> None:
    """Two minutes of processor time: five folds of 732 images."""
    path = realdata / "cosmic_raccoon.tsv"
    rated = ratings_in(path.name, path.read_bytes()).rated
    assert (len(rated), len({one.image for one in rated})) == (2_575, 732)
    means = {label: mean for label, (mean, _) in label_means(rated).items()}
    assert sorted(means, key=means.__getitem__) == ["Subjective", "Story", "Meta", "Visible"]
    found = coherence.learned(rated, None, Design(), Cache(None), Hooks())
    scores = {"COSMic": found.scores, coherence.LABEL_ALONE: coherence.label_alone(rated, found.fold)}
    table = coherence.table(rated, scores).set_index(["label", "metric"])
    mine, alone = (table.loc[("all", name)] for name in scores)
    assert 0.42 < mine.value < 0.46
    assert mine.low < 0.437 < mine.high
    assert alone.value == pytest.approx(0.445, abs=5e-4)
    assert alone.value > mine.value
    assert alone.difference_low < 0, "not better than the label"
    story = table.loc[("Story", "COSMic")]
    assert story.low > 0.05, "of stories it knows more than that they are stories"
