"""Test what COSMic learns from a sample of the RaCCoon ratings, for which it was made.

`tests/prove/test_ratings.py` measures the same with all images.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from data.coherence_study import Rated, ratings_in
from metrics.analysis.coherence import cosmic_agreement
from metrics.cache.disk import Cache
from metrics.learned import cosmic
from metrics.learned.cosmic_data import Design, label_means
from metrics.progress import Hooks

IMAGES, EPOCHS = 120, 5


@pytest.fixture(scope="module")
def rated(realdata: Path) -> tuple[Rated, ...]:
    path = realdata / "cosmic_raccoon.tsv"
    return tuple(ratings_in(path.name, path.read_bytes()).rated)


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cosmic, "RECIPE", replace(cosmic.RECIPE, epochs=EPOCHS))


def test_the_label_alone_agrees_with_people_as_published(rated: tuple[Rated, ...]) -> None:
    assert (len(rated), len({one.image for one in rated})) == (2_575, 732)
    means = {label: mean for label, (mean, _) in label_means(rated).items()}
    assert sorted(means, key=means.__getitem__) == ["Subjective", "Story", "Meta", "Visible"]
    place = np.unique([one.image for one in rated], return_inverse=True)[1]
    scores = cosmic_agreement.label_alone(rated, cosmic.folds(place, Design().seed))
    table = cosmic_agreement.table(rated, {cosmic_agreement.LABEL_ALONE: scores}).set_index(["label", "metric"])
    assert table.loc[("all", cosmic_agreement.LABEL_ALONE)].value == pytest.approx(0.445, abs=5e-4)


@pytest.mark.slow
@pytest.mark.usefixtures("short")
def test_without_images_the_network_learns_no_more_than_the_label_says(rated: tuple[Rated, ...]) -> None:
    names = set(sorted({one.image for one in rated})[:IMAGES])
    some = [one for one in rated if one.image in names]
    found = cosmic_agreement.learned(some, None, Design(), Cache(None), Hooks())
    scores = {"COSMic": found.scores, cosmic_agreement.LABEL_ALONE: cosmic_agreement.label_alone(some, found.fold)}
    table = cosmic_agreement.table(some, scores).set_index(["label", "metric"])
    mine, alone = (table.loc[("all", name)] for name in scores)
    assert mine.low > 0.3
    assert alone.difference_low < 0, "not better than the label"
