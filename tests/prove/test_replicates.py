"""Measure the level of comparisons of settings over seeds, and the coverage of their intervals and of the seeds'
share.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from metrics.analysis import run_differences
from metrics.analysis.replicates.setting_differences import seed_variance
from metrics.analysis.replicates.spread_of_seeds import Estimate, estimate
from metrics.bootstrap import bootstrap_weights
from metrics.mathematics.arrays import Floats
from metrics.permutation.pvalues import ALPHA
from tests.prove.conftest import Proof

ITEMS = 60
SEEDS = ((2, 2), (3, 3), (5, 5), (2, 5))
SHARES = (0.0, 0.3, 0.6, 0.9)
"""The seeds' share of the variance of a difference; items and residuals each have half of the rest."""
MOST = 0.07
"""The largest rejection rate allowed if settings are equal, for any share of the seeds: Satterthwaite's t is
approximate.
"""
LEAST = 0.93


class World(NamedTuple):
    """Standard deviations of the effect of a seed, of the effect of an item within a setting, and of the residual."""

    seed: float
    item: float
    rest: float


def world(share: float, runs: tuple[int, int]) -> World:
    """Return a world in which a difference between two settings has variance 1, of which a `share` is due to seeds."""
    seeds = sum(1 / r for r in runs)
    left = (1 - share) / 2
    return World(np.sqrt(share / seeds), np.sqrt(left * ITEMS / 2), np.sqrt(left * ITEMS / seeds))


def setting(rng: np.random.Generator, of: World, runs: int, weights: Floats) -> tuple[Estimate, Floats]:
    """Draw a setting whose true mean is 0; return its estimate and its resampled means."""
    parts = of.seed * rng.normal(size=(runs, 1)) + of.item * rng.normal(size=ITEMS)
    values = parts + of.rest * rng.normal(size=(runs, ITEMS))
    boot = values @ weights.T / ITEMS
    return estimate(values.mean(axis=1), boot, ITEMS), boot.mean(axis=0)


def rates(share: float, runs: tuple[int, int], repeats: int, over_items: bool = False) -> dict[str, float]:
    """Return how often a true null hypothesis is rejected, and the coverage for the difference and for the seeds'
    share.

    With `over_items`, the test ignores seeds.
    """
    rng, of = np.random.default_rng([*runs, round(100 * share)]), world(share, runs)
    (weights,) = bootstrap_weights(ITEMS, 800)
    found = dict.fromkeys(("level", "difference", "share"), 0.0)
    between = of.seed**2 + of.rest**2 / ITEMS
    truth = between / (between + of.item**2 / ITEMS) if between else 0.0
    for _ in range(repeats):
        one, other = (setting(rng, of, r, weights) for r in runs)
        means, estimates = np.array([one[0].mean, other[0].mean]), (one[0], other[0])
        seeds = None if over_items else seed_variance(estimates)
        pairs = run_differences.all_pairs(means, np.stack([one[1], other[1]]), ITEMS, seeds=seeds)
        found["level"] += (pairs.p[0, 1] <= ALPHA) / repeats
        found["difference"] += (pairs.low[0, 1] <= 0 <= pairs.high[0, 1]) / repeats
        found["share"] += (one[0].share_low <= truth <= one[0].share_high) / repeats
    return found


def room(share: float, repeats: int) -> float:
    return 3.2 * float(np.sqrt(share * (1 - share) / repeats))


@pytest.mark.parametrize("share", SHARES)
def test_level_and_coverage_in_short(share: float) -> None:
    found = rates(share, (3, 3), 150)
    assert found["level"] <= MOST + room(MOST, 150)
    assert min(found["difference"], found["share"]) >= LEAST - room(LEAST, 150)


def test_items_alone_would_call_seeds_a_difference() -> None:
    """If seeds matter, a test that ignores them finds over a third of pairs of equal settings significantly
    different.
    """
    assert rates(0.9, (3, 3), 150, over_items=True)["level"] > 0.35


@pytest.mark.prove
@pytest.mark.parametrize("runs", SEEDS)
@pytest.mark.parametrize("share", SHARES)
def test_level_and_coverage_of_settings(proof: Proof, runs: tuple[int, int], share: float) -> None:
    repeats = 2_000
    found, alone = rates(share, runs, repeats), rates(share, runs, repeats, over_items=True)
    proof.row(
        "Replicates: level of the comparison of two settings over items and seeds, and coverage of its intervals",
        seeds=f"{runs[0]} and {runs[1]}",
        share_of_seeds=share,
        items=ITEMS,
        level=found["level"],
        level_over_items_alone=alone["level"],
        coverage_of_difference=found["difference"],
        coverage_of_share=found["share"],
        repeats=repeats,
    )
    assert found["level"] <= MOST + room(MOST, repeats)
    assert min(found["difference"], found["share"]) >= LEAST - room(LEAST, repeats)
