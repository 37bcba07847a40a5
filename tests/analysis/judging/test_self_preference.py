"""Test self-preference: independent computations of the leads and both slopes, and judges with a known preference."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest

from metrics.analysis.judging.self_preference import self_preference
from metrics.analysis.judgments.correlation import t_test
from metrics.bootstrap import bootstrap_weights, interval
from metrics.mathematics.arrays import Floats


def world(lead: float, own: float, items: int = 60, seed: int = 0) -> tuple[Floats, Floats]:
    """Draw values (4, items) by a judge and by the comparison.

    Run 1 leads by `lead` and, with the judge, by a further `own`.
    """
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=(4, items)) + rng.normal(size=items)
    quality[1] += lead
    judged = 10 * (quality + 0.5 * rng.normal(size=quality.shape))
    judged[1] += 10 * own
    return judged, quality + 0.5 * rng.normal(size=quality.shape)


def slow(judged: Floats, compared: Floats, weights: Floats) -> tuple[float, float, float]:
    """Return the difference of the leads: raw, and with the comparison's lead converted by each of the two
    regressions.
    """
    leads: list[list[float]] = [[], []]
    off: list[list[float]] = [[], []]
    for k, n in enumerate(weights.astype(int)):
        for side, values in enumerate((judged, compared)):
            rest = [values[run, k] for run in (0, 2, 3)]
            leads[side] += [values[1, k] - np.mean(rest)] * n
            off[side] += [one - np.mean(rest) for one in rest] * n
    x, y = np.array(off[1]), np.array(off[0])
    deviation = [np.sqrt((side**2).sum() / (2 * len(leads[0]))) for side in (y, x)]
    judge, people = np.mean(leads[0]), np.mean(leads[1])
    forward, reverse = (x @ y) / (x @ x), (y @ y) / (x @ y)
    first = judge / deviation[0] - people / deviation[1]
    return first, (judge - forward * people) / deviation[0], (judge - reverse * people) / deviation[0]


def test_by_a_second_route() -> None:
    judged, compared = world(1.0, 0.5, items=12)
    found = self_preference(judged, compared, 1, np.arange(12))
    assert found.value == pytest.approx(slow(judged, compared, np.ones(12))[0])
    weights = np.concatenate(list(bootstrap_weights(12, 2000, 0)))
    drawn = np.array([slow(judged, compared, row)[1:] for row in weights])
    ends = [interval(of, 12) for of in drawn.T]
    assert found.low == pytest.approx(min(low for low, _ in ends))
    assert found.high == pytest.approx(max(high for _, high in ends))
    p = [t_test(value, of, 12) for value, of in zip(slow(judged, compared, np.ones(12))[1:], drawn.T)]
    assert found.p_value == pytest.approx(max(p))


@pytest.mark.parametrize("lead", [-1.0, 0.0, 1.0])
def test_a_better_model_is_no_preference_and_a_preferred_one_is(lead: float) -> None:
    fair, own = (self_preference(*world(lead, extra), 1, np.arange(60)) for extra in (0.0, 1.5))
    assert fair.low < 0 < fair.high
    assert fair.p_value > 0.05
    assert own.low > 0
    assert own.p_value < 0.01


def test_a_judge_that_answers_at_random_is_not_compared() -> None:
    judged, compared = world(-2.0, 0.0)
    coin = self_preference(np.random.default_rng(1).normal(size=judged.shape), compared, 1, np.arange(60))
    assert coin.value > 1
    assert isnan(coin.low) or coin.low < 0


def test_gaps_are_left_out_and_two_runs_refused() -> None:
    judged, compared = world(0.0, 0.0)
    judged[2, 5] = np.nan
    less = np.delete(judged, 5, axis=1), np.delete(compared, 5, axis=1)
    one, other = self_preference(judged, compared, 1, np.arange(60)), self_preference(*less, 1, np.arange(59))
    assert one == other
    assert one.n == 59
    with pytest.raises(ValueError, match="3 runs, got 2"):
        self_preference(judged[:2], compared[:2], 0, np.arange(60))
