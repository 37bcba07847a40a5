"""Slices: level of the test of one slice, false finds after either correction, and the share of planted words found."""

from __future__ import annotations

import numpy as np
import pytest

from metrics.pvalues import ALPHA
from tests.analysis.slices.worlds import rates
from tests.prove.conftest import Proof

REPEATS = 400
WORLDS = ((120, 0.0), (300, 0.0), (1_000, 0.0), (300, 1.2), (1_000, 0.6))
"""Items, and by how much the planted word moves the difference of the two runs: its standard deviation is about 1.1."""


def room(share: float) -> float:
    """What chance adds to a share in so many worlds."""
    return 3.2 * float(np.sqrt(share * (1 - share) / REPEATS))


@pytest.mark.prove
@pytest.mark.timeout(1_800)
@pytest.mark.parametrize(("items", "effect"), WORLDS)
def test_false_finds_of_slices(proof: Proof, items: int, effect: float) -> None:
    found = rates(REPEATS, items, effect)
    proof.row(
        "Slices: rejections by one slice where there is nothing, false finds after either correction, and power",
        items=items,
        effect_of_planted_word=effect,
        slices=found.slices,
        level=found.level,
        any_false_after_holm=found.any_holm,
        false_share_after_bh=found.false_share_bh,
        planted_found_after_holm=found.found if effect else np.nan,
        repeats=REPEATS,
    )
    if not effect:
        assert found.level <= ALPHA + 0.01
        assert max(found.any_holm, found.false_share_bh) <= ALPHA + room(ALPHA)
