"""Cycles of three runs, each preferred to the next, and how many of them the fitted model expects by chance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from metrics.analysis.arena.strengths import Standing
from metrics.mathematics.arrays import Floats

DRAWS = 1_000
"""Number of simulations of all votes from the fitted model."""


class Cycle(NamedTuple):
    """Three runs, as positions in the study: most votes prefer each to the next, and the last to the first.

    `shares` (3,) are the shares of votes that prefer each run to the next; `p` is the largest of the three p-values.
    """

    runs: tuple[int, int, int]
    shares: tuple[float, float, float]
    p: float


@dataclass(frozen=True, eq=False)
class Cycles:
    """The observed cycles, most significant first, and the cycles in simulations from the fitted model.

    `drawn` (DRAWS,) is the number of cycles in each simulation; simulated votes are independent. `triples` is the
    number of sets of three runs whose three pairs were all compared.
    """

    found: tuple[Cycle, ...]
    drawn: Floats
    triples: int

    @property
    def expected(self) -> float:
        """The expected number of cycles under the model."""
        return float(self.drawn.mean())

    @property
    def p_value(self) -> float:
        """The probability, under the model, of at least as many cycles as were observed."""
        return float((1 + (self.drawn >= len(self.found)).sum()) / (1 + len(self.drawn)))


def cycles(of: Standing, seed: int = 0) -> Cycles:
    """Return the cycles among the ranked runs; a pair with evenly split votes belongs to no cycle."""
    place = {int(run): k for k, run in enumerate(of.ranked)}
    one = np.array([place[int(run)] for run in of.each.first], dtype=np.int64)
    other = np.array([place[int(run)] for run in of.each.second], dtype=np.int64)
    n, size = len(of.ranked), len(one)
    share, p = np.full((2, n, n), np.nan)
    share[one, other], share[other, one] = of.each.observed, 1 - of.each.observed
    p[one, other] = p[other, one] = of.each.p_even
    compared = ~np.isnan(share)
    triples = round(float(np.trace(np.linalg.matrix_power(compared.astype(float), 3))) / 6)
    found = []
    for a, b, c in _triples(share > 0.5):
        chain = ((a, b), (b, c), (c, a))
        runs = (int(of.ranked[a]), int(of.ranked[b]), int(of.ranked[c]))
        shares = tuple(float(share[pair]) for pair in chain)
        found.append(Cycle(runs, shares, max(float(p[pair]) for pair in chain)))  # type: ignore[arg-type]
    found.sort(key=lambda cycle: (cycle.p, -min(cycle.shares)))
    return Cycles(tuple(found), _drawn(of, one, other, n, size, seed), triples)


def _triples(beats: np.ndarray) -> list[tuple[int, int, int]]:
    """All cycles a, b, c of a relation (n, n), each listed once, starting at its lowest index."""
    found = []
    for a in range(len(beats)):
        for b in np.flatnonzero(beats[a, a + 1 :]) + a + 1:
            found += [(a, int(b), int(c)) for c in np.flatnonzero(beats[b] & beats[:, a]) if c > a]
    return found


def _drawn(of: Standing, one: np.ndarray, other: np.ndarray, n: int, size: int, seed: int) -> Floats:
    """Numbers of cycles (DRAWS,) in votes simulated from the model, with as many votes on each pair as were cast."""
    cells = of.votes.summed()
    at = np.full((n, n), -1)
    at[one, other] = np.arange(size)
    chances = of.fit.chances(cells).T
    cast = np.maximum(np.rint(cells.total), 1).astype(np.int64)
    votes = np.random.default_rng(seed).multinomial(cast, chances, size=(DRAWS, len(cast)))
    lead = np.zeros((size, DRAWS))
    np.add.at(lead, at[cells.first, cells.second], (votes[..., 0] - votes[..., 2]).T)
    beats = np.zeros((DRAWS, n, n))
    beats[:, one, other], beats[:, other, one] = lead.T > 0, lead.T < 0
    return np.asarray(np.einsum("kab,kbc,kca->k", beats, beats, beats, optimize=True) / 3)
