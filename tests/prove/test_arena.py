"""Measure the simultaneous coverage of Arena's intervals, and how often equal runs and true models are rejected."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from metrics.analysis.arena.strengths import Standing, standing
from metrics.analysis.arena.votes import Votes
from metrics.permutation.pvalues import ALPHA
from tests.analysis.arena.worlds import drawn, ranked
from tests.prove.conftest import Proof

LEVEL, REPEATS = 0.95, 600
TIES, ORDER = 0.6, 0.4


class Design(NamedTuple):
    """Numbers of runs, of items, and of votes per item, with ties and orders; 0 votes means one ranking of all runs
    per item.
    """

    runs: int
    items: int
    votes: int

    @property
    def name(self) -> str:
        of = f"{self.votes} votes of each, ties and orders" if self.votes else "a ranking of all runs of each"
        return f"{self.runs} runs, {self.items} items, {of}"


DESIGNS = (
    Design(2, 20, 3),
    Design(3, 20, 3),
    Design(6, 20, 5),
    Design(6, 100, 5),
    Design(10, 20, 30),
    Design(10, 100, 10),
    Design(6, 20, 0),
    Design(6, 100, 0),
)
LEAST = {10: 0.89, 6: 0.91}
"""The minimum coverage with fewer than 50 items, by the number of runs; in all other cases, it is 0.93.

Decision 039.
"""


class Rates(NamedTuple):
    """Shares of the simulated worlds, and the number of worlds.

    `coverage`: all intervals of runs and pairs contain the truth; `order`: the interval of the order does;
    `told_apart`: a test distinguishes two equal runs; `departs`: the test of the model rejects it for a run, although
    it is true.
    """

    coverage: float
    order: float
    told_apart: float
    departs: float
    worlds: int


def world(design: Design, strengths: np.ndarray, rng: np.random.Generator) -> Votes:
    if not design.votes:
        return ranked(rng, strengths, design.items)
    return drawn(rng, strengths, design.items, design.votes, TIES, ORDER)


def holds(found: Standing, strengths: np.ndarray) -> bool:
    real = strengths[found.ranked]
    gaps, off = real[:, None] - real, ~np.eye(len(real), dtype=bool)
    pairs = (found.pairs.low <= gaps) & (gaps <= found.pairs.high)
    return bool(pairs[off].all() and ((found.low <= real) & (real <= found.high)).all())


def rates(design: Design, repeats: int) -> Rates:
    rng = np.random.default_rng(design.items * design.runs)
    strengths, equal = np.linspace(0.7, -0.7, design.runs), np.zeros(design.runs)
    rows, apart = [], []
    for repeat in range(repeats):
        found = standing(world(design, strengths, rng), repeat)
        if len(found.ranked) == design.runs:
            order = found.order.low <= ORDER <= found.order.high
            rows.append((holds(found, strengths), order, np.nanmin(found.each.p_model, initial=1.0) <= ALPHA))
        found = standing(world(design, equal, rng), repeat)
        if len(found.ranked) == design.runs:
            apart.append(np.nanmin(found.pairs.p) <= ALPHA)
    coverage, order, departs = np.mean(np.array(rows, dtype=np.float64), axis=0)
    return Rates(float(coverage), float(order), float(np.mean(apart)), float(departs), len(rows))


def room(share: float, repeats: int) -> float:
    return 3.2 * float(np.sqrt(share * (1 - share) / repeats))


def check(design: Design, found: Rates) -> None:
    least = LEAST.get(design.runs, 0.93) if design.items < 50 else 0.93
    assert found.worlds > 0
    assert found.coverage >= least - room(least, found.worlds)
    assert found.departs <= 0.06 + room(0.06, found.worlds)
    assert found.told_apart <= 1 - least + room(1 - least, found.worlds)
    if design.votes:
        assert found.order >= 0.93 - room(0.93, found.worlds)


@pytest.mark.parametrize("design", [DESIGNS[1], DESIGNS[6]], ids=lambda design: design.name)
def test_intervals_in_short(design: Design) -> None:
    check(design, rates(design, 60))


@pytest.mark.prove
@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.name)
def test_intervals_of_all_runs_and_pairs(proof: Proof, design: Design) -> None:
    found = rates(design, REPEATS)
    proof.row(
        "Arena: intervals of all runs and pairs at once, and tests where nothing is to be found",
        design=design.name,
        nominal=LEVEL,
        coverage=found.coverage,
        coverage_of_the_order=found.order if design.votes else None,
        equal_runs_told_apart=found.told_apart,
        some_pair_departs=found.departs,
        repeats=found.worlds,
    )
    check(design, found)
