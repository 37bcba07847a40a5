"""Measure false finds of words if a run writes as people do, the power, and the coverage of ratios' intervals."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from data.load import load_study
from data.study import Study
from metrics.permutation.pvalues import ALPHA
from tests.analysis.words.worlds import World, covered, made, rates
from tests.prove.conftest import Proof

NULLS = (World(1, 1), World(5, 5), World(10, 1), World(10, 4), World(5, 5, "phrases"))
REPEATS = 400
COVERED = 300
SIZES = ((5, 1, 1), (3, 2, 2), (5, 5, 5), (5, 10, 1))
"""Captions per image by people, captions per image by the run, and how many of the latter are distinct."""
PLANTED = [
    *product((0.25, 1.0, 2.0, 4.0), (12, 30, 100), SIZES),
    *product((25.0,), (12, 30, 100), SIZES[1:2]),
]
TABLE = "Words against people's: false finds where the run's captions are people's, and power"

COVERAGE = "Words against people's: how often the interval of a planted word's ratio holds the true one"


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


@pytest.mark.prove
@pytest.mark.parametrize(("truth", "images", "sizes"), PLANTED, ids=str)
def test_coverage_of_the_ratio_of_a_planted_word(
    proof: Proof, truth: float, images: int, sizes: tuple[int, int, int]
) -> None:
    people, own, different = sizes
    found = covered(truth, images, COVERED, sizes)
    proof.row(
        COVERAGE,
        true_ratio=truth,
        images=images,
        of_people=people,
        of_the_run=own,
        different=different,
        nominal=1 - ALPHA,
        coverage=found,
        repeats=COVERED,
    )
    assert found >= 0.9
