"""Damage ten thousand entries of all kinds, and check what the cache returns for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.test_damage import damage_entries, filled
from tests.prove.conftest import Proof

TIMES = 10_000


@pytest.mark.prove
def test_ten_thousand_damages_give_no_wrong_array(proof: Proof, tmp_path: Path) -> None:
    counts = damage_entries(tmp_path / "damaged", filled(tmp_path / "whole"), TIMES, seed=1)
    proof.row("Reads of cache entries after random damage", damages=TIMES, exceptions=0, **counts)
    assert counts["wrong"] == 0
    assert counts["absent"] + counts["whole"] == TIMES
    assert counts["whole"] < TIMES / 100
