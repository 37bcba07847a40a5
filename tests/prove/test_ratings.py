"""Measure how well COSMic without images agrees with the RaCCoon ratings, compared with a prediction from the label."""

from __future__ import annotations

from pathlib import Path

import pytest

from data.coherence_study import ratings_in
from metrics.analysis.coherence import cosmic_agreement
from metrics.cache.disk import Cache
from metrics.learned.cosmic_data import Design
from metrics.progress import Hooks
from tests.prove.conftest import Proof


@pytest.mark.prove
@pytest.mark.timeout(1_800)
def test_without_images_the_network_agrees_with_people_better_than_the_label_alone(
    realdata: Path, proof: Proof
) -> None:
    """This takes four minutes for five folds of 732 images."""
    path = realdata / "cosmic_raccoon.tsv"
    rated = ratings_in(path.name, path.read_bytes()).rated
    found = cosmic_agreement.learned(rated, None, Design(), Cache(None), Hooks())
    scores = {"COSMic": found.scores, cosmic_agreement.LABEL_ALONE: cosmic_agreement.label_alone(rated, found.fold)}
    table = cosmic_agreement.table(rated, scores).set_index(["label", "metric"])
    mine, alone, story = (
        table.loc[of] for of in (("all", "COSMic"), ("all", cosmic_agreement.LABEL_ALONE), ("Story", "COSMic"))
    )
    for what, one in (("COSMic without images", mine), ("label alone", alone), ("COSMic, stories alone", story)):
        proof.row("COSMic on RaCCoon: agreement with people", scores=what, captions=int(one.n), tau_b=float(one.value))
    assert mine.low < 0.481 < mine.high
    assert alone.difference_low > 0, "better than the label"
    assert story.low > 0.05, "of stories it knows more than that they are stories"
