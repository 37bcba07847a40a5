"""Measure the level of the test of a slice, false finds after correction, and the power to find words and gaps."""

from __future__ import annotations

import numpy as np
import pytest

from metrics.permutation.pvalues import ALPHA
from tests.analysis.slices.worlds import found_at_detectable, rates
from tests.mathematics.test_group_tests import level_of_few
from tests.prove.conftest import Proof

WORLDS = ((120, 0.0, 400), (300, 0.0, 400), (1_000, 0.0, 400), (300, 1.2, 60))
"""Numbers of items, effects of the planted word on the difference (standard deviation 1.1), and repeats."""


def room(share: float, repeats: int) -> float:
    return 3.2 * float(np.sqrt(share * (1 - share) / repeats))


@pytest.mark.prove
@pytest.mark.parametrize(("items", "effect", "repeats"), WORLDS)
def test_false_finds_of_slices(proof: Proof, items: int, effect: float, repeats: int) -> None:
    found = rates(repeats, items, effect)
    proof.row(
        "Slices: rejections by one slice where there is nothing, false finds after either correction, and power",
        items=items,
        effect_of_planted_word=effect,
        slices=found.slices,
        level=found.level,
        any_false_after_holm=found.any_holm,
        false_share_after_bh=found.false_share_bh,
        planted_found_after_holm=found.found if effect else None,
        repeats=repeats,
    )
    if not effect:
        assert found.level <= ALPHA + 0.01
        assert max(found.any_holm, found.false_share_bh) <= ALPHA + room(ALPHA, repeats)


@pytest.mark.prove
@pytest.mark.parametrize("items", [120, 300, 1_000])
def test_a_gap_called_detectable_is_found_in_about_four_of_five_studies(proof: Proof, items: int) -> None:
    """Noise is skewed, as differences between runs are, so the power is somewhat below 0.8."""
    found = found_at_detectable(200, items)
    proof.row("Slices: power at the gap that is called detectable", items=items, power=np.mean(found), repeats=200)
    assert 0.7 <= np.mean(found) <= 0.9


SPREADS = (("normal", 0.0), ("gamma, shape 1", 1.0))
FEW = ((5, 60), (12, 120), (36, 300))


@pytest.mark.prove
@pytest.mark.parametrize(("values", "shape"), SPREADS)
@pytest.mark.parametrize(("inside", "items"), FEW)
def test_few_items_that_vary_more(proof: Proof, values: str, shape: float, inside: int, items: int) -> None:
    """The slice varies as much as the rest, twice or four times as much; the power is for one standard deviation."""
    worlds = 600
    level, twice, four = (level_of_few(shape, ratio, inside, items, worlds) for ratio in (1.0, 2.0, 4.0))
    proof.row(
        "Slices that vary more than the other items, around the same mean: how often one stands out",
        values=values,
        items=f"{inside} of {items}",
        as_much=level,
        twice_as_much=twice,
        four_times_as_much=four,
        power_at_one_standard_deviation=level_of_few(shape, 1.0, inside, items, worlds, shift=1.0),
        repeats=worlds,
    )
    assert level <= ALPHA + room(ALPHA, worlds)
    if not shape:
        assert max(twice, four) <= ALPHA + room(ALPHA, worlds)
