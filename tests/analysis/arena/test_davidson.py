"""Test the Bradley-Terry model with ties and order against other programs and closed forms, and when it has no
maximum.
"""

from __future__ import annotations

from dataclasses import replace

import choix
import numpy as np
import pytest

from metrics.analysis.arena.davidson import fit
from metrics.base import Undefined
from tests.analysis.arena.worlds import drawn, votes
from tests.second_route.davidson import log_likelihood, slow_fit

STRENGTHS = np.array([0.9, 0.2, -0.3, -0.8])


def test_without_ties_strengths_are_those_of_another_program() -> None:
    of = drawn(np.random.default_rng(1), STRENGTHS, 80, 5)
    pairs = [(a, b) if won else (b, a) for a, b, won in zip(of.first, of.second, of.won)]
    theirs = choix.ilsr_pairwise(4, pairs, tol=1e-12)
    assert fit(of).strengths == pytest.approx(theirs - theirs.mean(), abs=1e-9)
    assert not fit(of).tying
    assert not fit(of).ordered


@pytest.mark.parametrize(("ties", "order"), [(0.0, 0.6), (0.7, None), (0.7, 0.6), (0.7, -0.4)])
def test_ties_and_order_are_those_of_the_likelihood_vote_by_vote(ties: float, order: float | None) -> None:
    of = drawn(np.random.default_rng(2), STRENGTHS[:3], 40, 3, ties, order)
    found, (strengths, tied, effect) = fit(of), slow_fit(of, bool(ties), order is not None)
    assert found.strengths == pytest.approx(strengths, abs=1e-5)
    assert found.order == pytest.approx(effect, abs=1e-5)
    assert found.ties == pytest.approx(tied * np.exp(-effect / 2), abs=1e-5)  # our ties are averaged over both orders
    assert found.tying == bool(ties)
    assert found.ordered == (order is not None)


def test_two_runs_have_a_closed_form() -> None:
    found = fit(votes((0, 1, 30, 12, 8, 0, 0), (1, 0, 2, 3, 5, 0, 1)))
    assert found.strengths == pytest.approx([np.log(35 / 10) / 2, -np.log(35 / 10) / 2], abs=1e-12)
    assert found.ties == pytest.approx(15 / np.sqrt(350), abs=1e-12)
    assert found.win_rate(np.array([found.strengths[0] - found.strengths[1]])) == pytest.approx([42.5 / 60])


def test_an_even_number_of_orders_has_a_closed_form() -> None:
    found = fit(votes((0, 1, 30, 0, 10, 1, 0), (0, 1, 10, 0, 30, -1, 0)))
    assert found.strengths == pytest.approx([0, 0], abs=1e-12)
    assert found.order == pytest.approx(np.log(3), abs=1e-12)


def test_names_and_sides_change_nothing() -> None:
    of = drawn(np.random.default_rng(3), STRENGTHS, 60, 4, 0.5, 0.5)
    turned = replace(of, first=of.second, second=of.first, won=of.lost, lost=of.won, shown=-of.shown)
    assert fit(turned).strengths == pytest.approx(fit(of).strengths, abs=1e-10)
    assert fit(turned).order == pytest.approx(fit(of).order, abs=1e-10)
    place = np.array([2, 0, 3, 1])
    moved = fit(replace(of, first=place[of.first], second=place[of.second]))
    assert moved.strengths[place] == pytest.approx(fit(of).strengths, abs=1e-10)


def test_derivatives_are_those_of_the_likelihood() -> None:
    of = drawn(np.random.default_rng(4), STRENGTHS[:3], 12, 4, 0.5, 0.5)
    found, step = fit(of), 1e-5
    at = np.array([*found.strengths, found.order, np.log(found.ties)])
    by = found.derivatives(of)
    for q in range(len(at)):
        ends = []
        for sign in (1, -1):
            z = at + sign * step * (np.arange(len(at)) == q)
            ends.append([log_likelihood(of, z[:3], np.exp(z[4] + z[3] / 2), z[3], unit) for unit in range(12)])
        slope = (np.array(ends[0]) - ends[1]) / (2 * step)
        assert np.bincount(of.unit, by[:, q]) == pytest.approx(slope, abs=1e-6)


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([(0, 1, 0, 5, 0, 0, 0)], "every vote is a tie"),
        ([(0, 1, 9, 0, 0, 1, 0), (0, 1, 0, 0, 9, -1, 0)], "shown in one position always win"),
        ([(0, 1, 5, 3, 0, 0, 0)], "never contradict"),
        ([(0, 1, 5, 0, 0, 0, 0), (1, 2, 5, 0, 0, 0, 0), (0, 2, 5, 0, 0, 0, 0), (0, 1, 0, 2, 0, 0, 0)], "never contra"),
    ],
)
def test_a_likelihood_without_a_maximum_says_why(rows: list[tuple[int, ...]], why: str) -> None:
    with pytest.raises(Undefined, match=why):
        fit(votes(*rows))  # type: ignore[arg-type]


def test_a_tie_between_far_runs_contradicts_an_order() -> None:
    rows = [(0, 1, 5, 1, 0, 0, 0), (1, 2, 5, 1, 0, 0, 0)]
    with pytest.raises(Undefined):
        fit(votes(*rows))
    found = fit(votes(*rows, (0, 2, 0, 1, 0, 0, 0)))
    assert np.isfinite(found.strengths).all()
    assert found.strengths[0] > found.strengths[1] > found.strengths[2]


def test_an_order_that_never_varies_cannot_be_told_from_strength() -> None:
    found = fit(votes((0, 1, 7, 0, 3, 1, 0)))
    assert not found.ordered
    assert found.strengths[0] - found.strengths[1] == pytest.approx(np.log(7 / 3))
