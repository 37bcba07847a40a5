"""Measure false discoveries of words if a run writes as people do, with and without repeats, and the power."""

from __future__ import annotations

import numpy as np
import pytest

from data.load import load_study
from data.study import Study
from metrics.permutation.pvalues import ALPHA
from tests.analysis.words.worlds import World, made, rates
from tests.prove.conftest import Proof

NULLS = (World(1, 1), World(5, 5), World(10, 1), World(10, 4), World(5, 5, "phrases"))
REPEATS = 400
TABLE = "Words against people's: false finds where the run's captions are people's, and power"


def room(share: float) -> float:
    return 3.2 * float(np.sqrt(share * (1 - share) / REPEATS))


def add(proof: Proof, captions: str, study: Study, world: World, repeats: int = REPEATS) -> None:
    found = rates(study, world, repeats)
    proof.row(
        TABLE,
        captions=captions,
        images=len(study.items),
        of_the_run=world.own,
        different=world.different,
        unit=world.unit,
        tested=found.words,
        level=found.level,
        any_false=found.any_adjusted,
        level_of_z=found.level_z,
        any_false_of_z_bonferroni=found.any_z_bonferroni,
        zero_in_interval=found.zero_in_interval,
        planted_found=None if world.planted is None else found.found,
        repeats=repeats,
    )
    if world.planted is not None:
        assert found.found >= 0.8
        return
    assert found.level <= ALPHA + 0.005
    assert found.any_adjusted <= ALPHA + room(ALPHA)
    assert found.zero_in_interval >= 0.92


@pytest.mark.prove
@pytest.mark.parametrize("world", [*NULLS, World(5, 5, planted=0.25)], ids=str)
def test_false_finds_of_words_of_made_captions(proof: Proof, world: World) -> None:
    add(proof, "made", made(), world, REPEATS if world.planted is None else 60)


@pytest.mark.prove
@pytest.mark.parametrize("world", NULLS, ids=str)
def test_false_finds_of_words_of_real_captions(proof: Proof, world: World, request: pytest.FixtureRequest) -> None:
    study = load_study([request.getfixturevalue("realdata") / "abstract48s_500.jsonl"]).study
    assert study is not None
    add(proof, "real, 48 an image", study, world)
