"""Test cycles of runs: planted cycles, counts by plain loops, and the number expected from noise."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from metrics.analysis.arena.cycles import cycles
from metrics.analysis.arena.strengths import Standing, standing
from tests.analysis.arena.worlds import drawn, votes


def majority(of: Standing) -> set[tuple[int, int]]:
    found = set()
    for one, other, share in zip(of.each.first, of.each.second, of.each.observed):
        if share != 0.5:
            found.add((int(one), int(other)) if share > 0.5 else (int(other), int(one)))
    return found


def by_hand(beats: set[tuple[int, int]], runs: int) -> set[frozenset[int]]:
    chains = permutations(range(runs), 3)
    return {frozenset(abc) for abc in chains if {abc[:2], abc[1:], abc[2:] + abc[:1]} <= beats}


def test_a_planted_cycle_is_found_and_significant() -> None:
    rows = [(a, b, 14, 1, 5, 0, k) for k in range(20) for a, b in ((0, 1), (1, 2), (2, 0))]
    rows += [(3, other, 4, 0, 1, 0, k) for k in range(20) for other in range(3)]
    found = cycles(standing(votes(*rows)))
    (one,) = found.found
    assert set(one.runs) == {0, 1, 2}
    assert {(a, b) for a, b in zip(one.runs, one.runs[1:] + one.runs[:1])} == {(0, 1), (1, 2), (2, 0)}
    assert one.shares == pytest.approx([0.725] * 3)
    assert one.p < 0.001
    assert found.triples == 4
    assert found.p_value < 0.5


def test_cycles_are_those_counted_by_hand() -> None:
    for seed in range(3):
        of = standing(drawn(np.random.default_rng(seed), np.zeros(8), 40, 4))
        found = cycles(of)
        assert {frozenset(one.runs) for one in found.found} == by_hand(majority(of), 8)
        assert len(found.found) == len({frozenset(one.runs) for one in found.found}) > 0
        assert all(min(one.shares) > 0.5 for one in found.found)
        assert [one.p for one in found.found] == sorted(one.p for one in found.found)


def test_the_expected_number_is_that_of_votes_drawn_one_by_one() -> None:
    strengths = np.linspace(-0.5, 0.5, 5)
    of = standing(drawn(np.random.default_rng(3), strengths, 40, 4, 0.5, 0.3))
    rng, counts, cast = np.random.default_rng(4), [], of.votes.summed()
    chances, n = of.fit.chances(cast), cast.total.astype(int)
    for _ in range(400):
        lead: dict[tuple[int, int], int] = {}
        for k in range(len(n)):
            pair = (int(cast.first[k]), int(cast.second[k]))
            lead[pair] = lead.get(pair, 0) + int(rng.choice((1, 0, -1), size=n[k], p=chances[:, k]).sum())
        beats = {pair if gap > 0 else pair[::-1] for pair, gap in lead.items() if gap}
        counts.append(len(by_hand(beats, 5)))
    found = cycles(of)
    assert found.expected == pytest.approx(np.mean(counts), abs=4 * np.std(counts) * np.sqrt(1 / 400 + 1 / 1000))
    assert found.p_value == pytest.approx(np.mean(np.array(counts) >= len(found.found)), abs=0.1)


def test_a_drawn_even_split_is_part_of_no_cycle() -> None:
    """With two votes per pair, a run wins both in a quarter of draws, so each of the two possible cycles has
    probability 1/64.
    """
    of = standing(votes(*((a, b, 1, 0, 1, 0, a + b) for a, b in ((0, 1), (1, 2), (0, 2)))))
    assert cycles(of).expected == pytest.approx(2 / 64, abs=4 * np.sqrt(2 / 64 / 1000))


def test_pairs_that_nobody_compared_are_in_no_triple() -> None:
    rows = [(0, 1, 3, 0, 2, 0, 0), (1, 2, 3, 0, 2, 0, 1), (2, 3, 3, 0, 2, 0, 2), (3, 0, 3, 0, 2, 0, 3)]
    assert cycles(standing(votes(*rows))).triples == 0
