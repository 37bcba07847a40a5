"""Damage six hundred study bundles, and check how they are opened."""

from __future__ import annotations

import pytest

from tests.engine.test_damaged_bundles import fuzz, packed
from tests.prove.conftest import Proof

__all__ = ["packed"]
TIMES = 600


@pytest.mark.prove
def test_six_hundred_damaged_bundles_open_right_or_are_refused(proof: Proof, request: pytest.FixtureRequest) -> None:
    counts = fuzz(request.getfixturevalue("packed"), seed=1, times=TIMES)
    cells = {outcome: counts[outcome] for outcome in ("right", "refused", "wrong")}
    proof.row("Damaged study bundles", damages=TIMES, exceptions=0, **cells)
    assert set(counts) == {"right", "refused"}
