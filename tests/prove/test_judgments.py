"""Measure coverage and level for the agreement of metrics with people, and how often the best metric is left out."""

from __future__ import annotations

import numpy as np
import pytest

from metrics.analysis.judgments import best_metric, systems
from metrics.analysis.judgments.caption_agreement import WITHIN
from metrics.analysis.judgments.correlation import STATISTICS, Correlations, Estimate, correlations
from metrics.analysis.judgments.pair_accuracy import Within, pairs_within, within
from metrics.mathematics.arrays import Floats, Integers
from metrics.permutation.pvalues import ALPHA
from tests.prove.conftest import Proof

CAPTIONS = 4
RESAMPLES = 500
SIZES = (20, 50, 100, 250)
SLOPE = 0.4
REPEATS = {20: 2_500, 50: 2_500, 100: 2_500, 250: 1_500}
LEVELS = {20: 0.065, 50: 0.06, 100: 0.055, 250: 0.055}
"""The largest true rejection rate allowed without agreement, by the number of items; chance is added to it.

The statistics of a world are of the same captions and deviate together, so few repeats cannot distinguish 7 % from 5 %.
"""
COVERS = {20: 0.92, 50: 0.93, 100: 0.94, 250: 0.94}


def world(rng: np.random.Generator, items: int, slope: float) -> tuple[Floats, Floats, Integers]:
    """Draw a metric's values, whole ratings, and the items of captions; the item affects both values and ratings."""
    item = np.repeat(np.arange(items), CAPTIONS)
    easy, liked = rng.normal(size=(2, items))
    x = easy[item] + rng.normal(size=len(item))
    return x, np.round(slope * x + liked[item] + rng.normal(size=len(item))), item


def estimates(across: Correlations, inside: Within) -> dict[str, Estimate]:
    """Return the estimates of all statistics, over captions and within items, by level and name."""
    found = {f"captions, {name}": across.estimate(name) for name in STATISTICS}
    return {**found, **{f"within an item, {name}": one for name, one in zip(WITHIN, inside)}}  # type: ignore[dict-item]


def judged(rng: np.random.Generator, items: int, slope: float, seed: int) -> dict[str, Estimate]:
    x, y, item = world(rng, items, slope)
    pairs = pairs_within(item, np.arange(len(item)))
    across = correlations(x, y, item, items, RESAMPLES, seed)
    return estimates(across, within(x, y, pairs, items, RESAMPLES, seed))


def truth(slope: float) -> dict[str, float]:
    x, y, item = world(np.random.default_rng(99), 30_000, slope)
    pairs = pairs_within(item, np.arange(len(item)))
    found = estimates(correlations(x, y, item, 30_000, 2), within(x, y, pairs, 30_000, 2))
    return {name: one.value for name, one in found.items()}


def rates(items: int, repeats: int) -> tuple[dict[str, float], dict[str, float]]:
    """Return rejection rates if a metric and people are independent, and coverage if they agree, both by statistic."""
    rng, real = np.random.default_rng(items), truth(SLOPE)
    wrong, held = dict.fromkeys(real, 0.0), dict.fromkeys(real, 0.0)
    for repeat in range(repeats):
        for name, one in judged(rng, items, 0.0, repeat).items():
            wrong[name] += (one.p_value <= ALPHA) / repeats
        for name, one in judged(rng, items, SLOPE, repeat).items():
            held[name] += (one.low <= real[name] <= one.high) / repeats
    return wrong, held


def room(share: float, repeats: int) -> float:
    """Return the most by which chance may raise a share in `repeats` samples, over all statistics."""
    return 3.2 * float(np.sqrt(share * (1 - share) / repeats))


def test_levels_and_coverage_in_short() -> None:
    wrong, held = rates(50, 120)
    for name in wrong:
        assert wrong[name] <= LEVELS[50] + room(LEVELS[50], 120), name
        assert held[name] >= COVERS[50] - room(COVERS[50], 120), name


@pytest.mark.prove
@pytest.mark.parametrize("items", SIZES)
def test_levels_and_coverage_of_captions(proof: Proof, items: int) -> None:
    repeats = REPEATS[items]
    wrong, held = rates(items, repeats)
    for name in wrong:
        proof.row(
            "Agreement with people: level of p and coverage of 95 % intervals",
            statistic=name,
            design=f"{items} items, {CAPTIONS} captions",
            level=wrong[name],
            coverage=held[name],
            repeats=repeats,
        )
    assert {name: share for name, share in wrong.items() if share > LEVELS[items] + room(LEVELS[items], repeats)} == {}
    assert {name: share for name, share in held.items() if share < COVERS[items] - room(COVERS[items], repeats)} == {}


def rejected(n: int, repeats: int) -> dict[str, float]:
    """Return rejection rates at system level if there is no agreement or, for Williams' test, equal agreement."""
    rng = np.random.default_rng(n)
    wrong = dict.fromkeys((*systems.STATISTICS[:3], "williams"), 0.0)
    for _ in range(repeats):
        x, y = rng.normal(size=(2, n))
        found = systems.agreement(x, y).of
        for name in systems.STATISTICS[:3]:
            wrong[name] += (found[name].p_value <= ALPHA) / repeats
        one, other = (0.7 * y + rng.normal(size=n) for _ in range(2))
        r = np.corrcoef([one, other, y])
        wrong["williams"] += (systems.williams(r[0, 2], r[1, 2], r[0, 1], n) <= ALPHA) / repeats
    return wrong


def test_system_level_in_short() -> None:
    for name, share in rejected(6, 200).items():
        assert share <= ALPHA + room(ALPHA, 200), name


@pytest.mark.prove
@pytest.mark.parametrize(("n", "repeats"), [(6, 2_000), (9, 300), (15, 400)])
def test_level_of_systems(proof: Proof, n: int, repeats: int) -> None:
    wrong = rejected(n, repeats)
    for name, share in wrong.items():
        proof.row(
            "Agreement with people: level of p over systems",
            statistic=name,
            systems=n,
            nominal=ALPHA,
            measured=share,
            repeats=repeats,
        )
    assert max(wrong.values()) <= ALPHA + room(ALPHA, repeats)


def left_out(metrics: int, items: int, repeats: int) -> float:
    """Return the share of worlds in which the truly best metric is not among those that may be the best.

    All metrics agree equally with people, so each is best, and the first represents all.
    """
    rng, missed = np.random.default_rng(metrics * items), 0
    for repeat in range(repeats):
        x, y, item = world(rng, items, 0.0)
        sides = [x + 0.4 * y + 0.7 * rng.normal(size=len(x)) for _ in range(metrics)]
        found = [correlations(side, y, item, items, RESAMPLES, repeat) for side in sides]
        k = STATISTICS.index("spearman")
        values, boot = np.array([one.value[k] for one in found]), np.array([one.boot[k] for one in found])
        missed += not best_metric.may_be_best(values, boot, np.zeros(metrics))[0]
    return missed / repeats


def test_groups_in_short() -> None:
    assert left_out(4, 50, 100) <= ALPHA + room(ALPHA, 100)


@pytest.mark.prove
@pytest.mark.parametrize("items", SIZES[:2])
def test_the_best_metric_is_in_its_group(proof: Proof, items: int) -> None:
    for metrics in (3, 6):
        repeats = 400
        share = left_out(metrics, items, repeats)
        proof.row(
            "Agreement with people: the best metric is left out of the group that may be the best",
            metrics=metrics,
            items=items,
            nominal=ALPHA,
            measured=share,
            repeats=repeats,
        )
        assert share <= LEVELS[items] + room(LEVELS[items], repeats)
