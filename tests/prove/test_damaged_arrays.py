"""Damage fifteen hundred files of arrays, and check how they are read."""

from __future__ import annotations

import pytest

from tests.engine.test_damaged_arrays import fuzz
from tests.prove.conftest import Proof

TIMES = 1_500


@pytest.mark.prove
def test_fifteen_hundred_damaged_arrays_open_right_or_are_refused(proof: Proof) -> None:
    counts = fuzz(seed=1, times=TIMES)
    cells = {outcome: counts[outcome] for outcome in ("right", "refused", "wrong")}
    proof.row("Damaged files of arrays", damages=TIMES, exceptions=0, **cells)
    assert set(counts) == {"right", "refused"}
