"""Measure level, coverage and power of statements about simulated judges with known properties."""

from __future__ import annotations

import numpy as np
import pytest

from metrics.analysis.judging import position_bias
from metrics.analysis.judging.length_bias import length_slope
from metrics.analysis.judging.position_bias import both_orders
from metrics.analysis.judging.repeatability import repeatability
from metrics.analysis.judging.self_preference import self_preference
from metrics.analysis.judging.shares import share
from metrics.mathematics.arrays import Floats
from metrics.permutation.pvalues import ALPHA
from tests.analysis.judging.judges import compared, scored
from tests.prove.conftest import Proof

KINDS = ("normal", "five values", "two values", "skewed")


def room(share: float, repeats: int) -> float:
    return 3.2 * float(np.sqrt(share * (1 - share) / repeats))


def answered(rng: np.random.Generator, kind: str, items: int, captions: int, repeats: int, part: float) -> Floats:
    """Draw scores (items, captions, repeats) of a `kind`.

    Before they are rounded, a `part` of their variance is due to captions, of which 70 % is common to all captions of
    an item.
    """
    draw = (
        (lambda shape: rng.exponential(size=shape) - 1) if kind == "skewed" else (lambda shape: rng.normal(size=shape))
    )
    own = np.sqrt(0.7) * draw((items, 1, 1)) + np.sqrt(0.3) * draw((items, captions, 1))
    score = np.sqrt(part) * own + np.sqrt(1 - part) * draw((items, captions, repeats))
    if kind == "five values":
        return np.clip(np.round(score), -2, 2)
    return np.where(score > 0.5, 1.0, 0.0) if kind == "two values" else score


def share_of_captions(kind: str, part: float) -> float:
    score = answered(np.random.default_rng(1), kind, 60_000, 3, 2, part)
    off = score - score.mean()
    return float((off[..., 0] * off[..., 1]).mean() / off.var())


def coverage(kind: str, items: int, part: float, repeats: int) -> tuple[float, float]:
    """Return the shares of intervals that contain the true share of variance, and of those that are above 0."""
    rng, truth = np.random.default_rng(items), share_of_captions(kind, part)
    question, unit = np.repeat(np.arange(3 * items), 2), np.repeat(np.arange(items), 6)
    found = [repeatability(answered(rng, kind, items, 3, 2, part).ravel(), question, unit).icc for _ in range(repeats)]
    known = [one for one in found if np.isfinite(one.low)]
    held = np.mean([one.low <= truth <= one.high for one in known])
    return float(held), float(np.mean([one.low > 0 for one in known]))


def told(judge: str, items: int, repeats: int) -> dict[str, float]:
    """Return how often each finding is made: that orders agree, that they contradict each other, that place or
    length matters.
    """
    rng = np.random.default_rng(items)
    found = dict.fromkeys(("orders_agree", "orders_contradict", "place", "length"), 0.0)
    for _ in range(repeats):
        made = compared(rng, judge, items)
        orders = both_orders(made.outcome, made.pair, made.swapped)
        agree, first = position_bias.agreement(orders, made.unit), position_bias.first_place(orders, made.unit)
        longer = position_bias.longer(orders, made.gap, made.unit)
        found["orders_agree"] += (agree.p_value <= ALPHA and agree.value > 0.5) / repeats
        found["orders_contradict"] += (agree.p_value <= ALPHA and agree.value < 0.5) / repeats
        found["place"] += (first.p_value <= ALPHA) / repeats
        found["length"] += (longer.p_value <= ALPHA) / repeats
    return found


def shares_hold(items: int, each: int, truth: float, together: bool, repeats: int) -> float:
    """Return how often the interval of a share contains the true value; if `together`, pairs of an item lean the
    same way.
    """
    rng, held = np.random.default_rng(items), 0
    for _ in range(repeats):
        chance = rng.beta(3 * truth, 3 * (1 - truth), (items, 1)) if together else np.full((items, 1), truth)
        leaning = np.where(rng.random((items, each)) < chance, 1.0, -1.0)
        found = share(leaning.ravel(), np.repeat(np.arange(items), each))
        held += found.low <= truth <= found.high
    return held / repeats


def slopes(judge: str, items: int, repeats: int) -> tuple[float, float]:
    """Return how often the slope on words is significant, and how often its interval contains the true slope."""
    rng, sure, held = np.random.default_rng(items), 0, 0
    for _ in range(repeats):
        score, _, item, words = scored(rng, judge, items, repeats=1)
        found = length_slope(score, words.astype(float), item, item)
        sure += found.p_value <= ALPHA
        held += found.low <= (40 if judge == "length" else 0) <= found.high
    return sure / repeats, held / repeats


def preferred(items: int, lead: float, own: float, noise: tuple[float, float], repeats: int) -> tuple[float, float]:
    """Return how often a judge is said to favour its own run, and how often to disfavour it.

    The run is better by `lead`, and its judge adds `own` to its scores.
    """
    rng, more, less = np.random.default_rng(items), 0, 0
    for _ in range(repeats):
        quality = rng.normal(size=(4, items)) + rng.normal(size=items)
        quality[0] += lead
        judged, people = (quality + of * rng.normal(size=quality.shape) for of in noise)
        judged[0] += own
        found = self_preference(judged, people, 0, np.arange(items))
        more += found.p_value <= ALPHA and found.value > 0
        less += found.p_value <= ALPHA and found.value < 0
    return more / repeats, less / repeats


def test_judges_in_short() -> None:
    held, above = coverage("five values", 20, 0.0, 60)
    assert held >= 0.92 - room(0.92, 60)
    assert above <= 0.035 + room(0.035, 60)
    coin, place = told("coin", 16, 40), told("position", 16, 10)
    assert max(coin.values()) <= ALPHA + room(ALPHA, 40)
    assert (place["orders_contradict"], place["place"], place["length"]) == pytest.approx((1, 1, 0))
    assert sum(preferred(30, 1.0, 0.0, (0.5, 0.5), 30)) <= ALPHA + room(ALPHA, 30)


@pytest.mark.prove
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("items", [12, 50])
@pytest.mark.parametrize("part", [0.0, 0.3, 0.8])
def test_the_interval_of_repeatability(proof: Proof, kind: str, items: int, part: float) -> None:
    repeats = 1_000
    held, above = coverage(kind, items, part, repeats)
    proof.row(
        "Judges: coverage of the interval of repeatability, 3 captions of an item asked twice",
        answers=kind,
        items=items,
        true_share=share_of_captions(kind, part),
        coverage=held,
        above_0=above,
        repeats=repeats,
    )
    assert held >= 0.9 - (0.04 if kind == "skewed" and items < 20 else 0) - room(0.95, repeats)
    if not part:
        assert above <= 0.03 + room(0.03, repeats)


@pytest.mark.prove
@pytest.mark.parametrize("judge", ["coin", "leaning", "steady", "position", "length"])
@pytest.mark.parametrize("items", [8, 16, 60])
def test_pairs_in_both_orders(proof: Proof, judge: str, items: int) -> None:
    repeats = 1_000 if items < 20 else 300
    found = told(judge, items, repeats)
    proof.row(
        "Judges: how often agreement or contradiction of orders, position and length are reported, 3 pairs per item",
        judge=judge,
        items=items,
        **found,
        repeats=repeats,
    )
    null = {
        "coin": ("orders_agree", "orders_contradict", "place", "length"),
        "leaning": ("orders_agree", "place", "length"),
        "steady": ("orders_contradict", "place", "length"),
        "position": ("orders_agree", "length"),
        "length": ("orders_contradict", "place"),
    }[judge]
    assert all(found[name] <= ALPHA + room(ALPHA, repeats) for name in null), found


@pytest.mark.prove
@pytest.mark.parametrize(("items", "each"), [(8, 1), (20, 3), (60, 3)])
@pytest.mark.parametrize("truth", [0.5, 0.8, 0.95])
@pytest.mark.parametrize("together", [False, True])
def test_the_interval_of_a_share(proof: Proof, items: int, each: int, truth: float, together: bool) -> None:
    repeats = 1_000
    held = shares_hold(items, each, truth, together, repeats)
    proof.row(
        "Judges: coverage of the interval of a share of pairs",
        items=items,
        pairs_of_an_item=each,
        lean_alike="yes" if together else "no",
        true_share=truth,
        coverage=held,
        repeats=repeats,
    )
    assert held >= 0.93 - room(0.93, repeats)


@pytest.mark.prove
@pytest.mark.parametrize("judge", ["steady", "coin", "length"])
@pytest.mark.parametrize("items", [12, 50])
def test_the_slope_on_words(proof: Proof, judge: str, items: int) -> None:
    repeats = 1_000
    sure, held = slopes(judge, items, repeats)
    proof.row(
        "Judges: how often the slope on words is reported, and coverage of its interval, 3 captions per item",
        judge=judge,
        items=items,
        reported=sure,
        coverage=held if judge != "length" else None,
        repeats=repeats,
    )
    if judge != "length":
        assert sure <= 0.065 + room(0.065, repeats)
        assert held >= 0.92 - room(0.92, repeats)


@pytest.mark.prove
@pytest.mark.parametrize("items", [20, 100])
@pytest.mark.parametrize("lead", [-1.0, 0.0, 1.0])
@pytest.mark.parametrize("noise", [(0.5, 0.5), (2.0, 1.0), (10.0, 1.0)])
def test_self_preference(proof: Proof, items: int, lead: float, noise: tuple[float, float]) -> None:
    """`noise` has the standard deviations of a judge's scores and of ratings; `preferred_if_it_is_by_1` has a biased
    judge.
    """
    repeats = 400
    more, less = preferred(items, lead, 0.0, noise, repeats)
    proof.row(
        "Judges: how often a run is said to be preferred or put down by its own judge, 3 runs beside it",
        items=items,
        own_run_better_by=lead,
        noise_of_judge=noise[0],
        noise_of_people=noise[1],
        preferred=more,
        put_down=less,
        preferred_if_it_is_by_1=preferred(items, lead, 1.0, noise, 100)[0],
        repeats=repeats,
    )
    assert max(more, less) <= ALPHA / 2 + room(ALPHA / 2, repeats)
