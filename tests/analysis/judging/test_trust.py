"""Test that each statement about a judge requires its test, and that all biases share one correction."""

from __future__ import annotations

from dataclasses import replace

import pytest

from metrics.analysis.judging.agreement import Own, People
from metrics.analysis.judging.answers import NONE, Kind, kinds
from metrics.analysis.judging.repeatability import Repeatability
from metrics.analysis.judging.trust import State, Trust, trusts
from metrics.analysis.judgments.correlation import Estimate
from tests.analysis.judging.studies import judged

CLAIR, PAIRS = kinds(judged(items=8))
NOT = float("nan")


def of(*some: Kind) -> tuple[Trust, ...]:
    return trusts(some, [People()] * len(some), [Own()] * len(some))


def with_icc(value: float, low: float, changed: int = 9, changed_items: int = 9, repeated: int = 9) -> Kind:
    icc = Estimate(value, low, 1.0, NOT, 18)
    return replace(CLAIR, repeats=Repeatability(icc, 0.1, repeated, changed, changed_items))


@pytest.mark.parametrize(
    ("kind", "state"),
    [
        (with_icc(0.6, 0.2), "steady"),
        (with_icc(0.3, -0.01), "coin"),
        (with_icc(1.0, NOT, changed=0, changed_items=0), "steady"),
        (with_icc(0.9, NOT, changed=1, changed_items=1), "steady"),
        (with_icc(0.9, NOT, changed=4, changed_items=3), "few"),
        (with_icc(NOT, NOT, changed=0, changed_items=0), "same"),
        (with_icc(NOT, NOT, repeated=0), "few"),
    ],
)
def test_scores_are_steady_only_where_their_interval_says_so(kind: Kind, state: State) -> None:
    assert of(kind)[0].state == state


@pytest.mark.parametrize(
    ("value", "low", "p", "state"),
    [(0.8, 0.6, 0.01, "steady"), (0.6, 0.4, 0.2, "coin"), (0.1, 0.0, 0.001, "place"), (1.0, NOT, 0.06, "few")],
)
def test_comparisons_are_by_the_test_of_both_orders(value: float, low: float, p: float, state: State) -> None:
    assert PAIRS.pairs is not None
    pairs = replace(PAIRS.pairs, agree=Estimate(value, low, 1.0, p, 20))
    assert of(replace(PAIRS, pairs=pairs))[0].state == state


def test_a_judge_of_pairs_that_seldom_decides_is_not_called_a_coin() -> None:
    assert PAIRS.pairs is not None
    pairs = replace(PAIRS.pairs, agree=NONE, ties=PAIRS.answers // 2)
    assert of(replace(PAIRS, pairs=pairs))[0].state == "few"
    assert of(replace(PAIRS, pairs=replace(pairs, ties=pairs.ties + 1)))[0].state == "ties"


@pytest.mark.parametrize(
    ("how", "states"),
    [
        ({"steady": 2.0}, ("steady", "steady")),
        ({"steady": 0.0, "place": 2.0}, ("coin", "place")),
        ({"steady": 0.0}, ("coin", "coin")),
    ],
)
def test_judges_whose_truth_is_known(how: dict[str, float], states: tuple[State, State]) -> None:
    assert tuple(one.state for one in of(*kinds(judged(items=30, runs=3, **how)))) == states


def test_biases_are_corrected_for_all_kinds_together() -> None:
    """Two p-values of 0.03 are not significant; if one of them is 0.001 instead, both are, as by Holm."""
    assert PAIRS.pairs is not None
    clair = replace(CLAIR, slope=NONE._replace(value=1.0, p_value=0.03))
    pairs = replace(PAIRS.pairs, first=NONE._replace(value=0.7, p_value=0.03), longer=NONE)
    assert [list(one.biases) for one in of(clair, replace(PAIRS, pairs=pairs))] == [[], []]
    assert [one.adjusted for one in of(clair, replace(PAIRS, pairs=pairs))] == [{"length": 0.06}, {"place": 0.06}]
    surer = replace(pairs, first=pairs.first._replace(p_value=0.001))
    assert [list(one.biases) for one in of(clair, replace(PAIRS, pairs=surer))] == [["length"], ["place"]]
    own = Own(NONE._replace(value=0.5, p_value=0.001), "run 0", "ROUGE-L")
    assert list(trusts([CLAIR], [People()], [own])[0].biases) == ["own"]
