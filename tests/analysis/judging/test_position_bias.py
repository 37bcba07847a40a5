"""Test three shares of pairs in both orders: by an independent computation, and for simulated judges."""

from __future__ import annotations

from itertools import product
from math import isnan

import numpy as np
import pytest

from metrics.analysis.judging import position_bias as module
from metrics.analysis.judging.position_bias import Orders, both_orders
from metrics.mathematics.arrays import Floats, Integers
from tests.analysis.judging.judges import JUDGES, compared


def slow(outcome: Floats, pair: Integers, swapped: Integers, gap: Floats) -> tuple[float, float, float]:
    """Return the shares of wins in first place, of agreeing answers and of longer winners, from all answers to every
    pair.
    """
    first, agree, longer = [], [], []
    for one in np.unique(pair):
        sides = [[o for o in outcome[(pair == one) & (swapped == s)] if o] for s in (0, 1)]
        if not (sides[0] and sides[1]):
            continue
        both = list(product(*sides))
        first.append(np.mean([[a > 0, b > 0] for a, b in both]))
        agree.append(np.mean([(a > 0) != (b > 0) for a, b in both]))
        if gap[one]:
            longer.append(np.mean([[a * gap[one] > 0, b * gap[one] < 0] for a, b in both]))
    return float(np.mean(first)), float(np.mean(agree)), float(np.mean(longer))


def shares(orders: Orders, gap: Floats, unit: Integers) -> tuple[float, float, float]:
    found = module.first_place(orders, unit), module.agreement(orders, unit), module.longer(orders, gap, unit)
    return found[0].value, found[1].value, found[2].value


@pytest.mark.parametrize("judge", JUDGES)
def test_by_all_answers_of_every_pair(judge: str) -> None:
    made = compared(np.random.default_rng(5), judge, items=8, repeats=2, ties=0.2)
    orders = both_orders(made.outcome, made.pair, made.swapped)
    expected = slow(made.outcome, made.pair, made.swapped, made.gap)
    assert shares(orders, made.gap[orders.pair], made.unit[orders.pair]) == pytest.approx(expected)


def test_a_judge_that_goes_by_the_place_agrees_with_itself_in_no_pair() -> None:
    made = compared(np.random.default_rng(6), "position", items=20)
    orders = both_orders(made.outcome, made.pair, made.swapped)
    first, agree = (of(orders, made.unit[orders.pair]) for of in (module.first_place, module.agreement))
    assert (first.value, agree.value, agree.low) == (1.0, 0.0, 0.0)
    assert max(first.p_value, agree.p_value) < 1e-3


def test_a_judge_that_goes_by_the_length_does_so_in_both_orders() -> None:
    made = compared(np.random.default_rng(7), "length", items=20)
    told = made.gap[made.pair] != 0
    orders = both_orders(made.outcome[told], made.pair[told], made.swapped[told])
    unit = made.unit[orders.pair]
    assert module.longer(orders, made.gap[orders.pair], unit).value == 1.0
    assert module.first_place(orders, unit).value == 0.5
    assert module.agreement(orders, unit).value == 1.0


def test_a_pair_in_one_order_is_left_out_and_ties_decide_nothing() -> None:
    outcome = np.array([1.0, -1, 1, 0, 1])
    orders = both_orders(outcome, np.array([0, 0, 1, 2, 2]), np.array([0, 1, 0, 0, 1]))
    assert orders.pair.tolist() == [0, 2]
    assert orders.forward[0] == orders.backward[0] == 1
    assert isnan(orders.forward[1])
    assert module.agreement(orders, np.arange(2)).n == 1
