"""Permutation tests of all cases of a few items at once, so that every caption is embedded and tokenised once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from data.study import Captions, Item, Run, Settings, Study
from metrics.analysis.sensitivity import sets
from metrics.analysis.sensitivity.uniform import SIMULATIONS, simulated
from metrics.arrays import Floats
from metrics.base import Metric, Undefined
from metrics.cache.disk import Cache
from metrics.chunk import Chunk, StudyDigests
from metrics.engine.tasks import Options, item_seeds
from metrics.permutation.exact import PermutationResult
from metrics.progress import Hooks
from metrics.pvalues import null_draws


class ItemTests(NamedTuple):
    """Tests of some items: `p` and `floors` (cases, metrics, items), and what p could be under the null.

    `simulated` (cases of people, metrics, items, simulations) are p-values with the labels of an item drawn at random.
    """

    p: Floats
    floors: Floats
    simulated: NDArray[np.float32]


@dataclass(frozen=True)
class Sums:
    """Sums over items with a p: of the statistic (cases, metrics), of draws from its null (cases, metrics, draws)."""

    observed: Floats = field(default_factory=lambda: np.zeros(()))
    draws: Floats = field(default_factory=lambda: np.zeros(()))

    def __add__(self, other: Sums) -> Sums:
        return Sums(self.observed + other.observed, self.draws + other.draws)


@dataclass(frozen=True)
class Piece:
    """The tests of some items, and what they add to the tests of the corpus."""

    items: ItemTests
    sums: Sums


class _Drawn(NamedTuple):
    """One item in one case: its place among the items of the piece, and the captions of both sides."""

    case: int
    item: int
    candidates: Captions
    references: Captions


@dataclass(frozen=True)
class Work:
    """The tests of a design, a piece at a time."""

    study: Study
    made: sets.Design
    metrics: tuple[Metric, ...]
    hooks: Hooks
    options: Options = Options()

    @cached_property
    def people(self) -> tuple[int, ...]:
        """The cases in which people stand in for the run."""
        return tuple(k for k, case in enumerate(self.made.cases) if case.row != "run")

    @cached_property
    def _learned(self) -> Study:
        return self.study.only(runs=[self.made.run])

    def piece(self, places: Sequence[int]) -> Piece:
        """Return the tests of the items at these places of the study."""
        shape = (len(self.made.cases), len(self.metrics))
        of_people = (len(self.people), len(self.metrics), len(places), SIMULATIONS)
        p, floors = (np.full((*shape, len(places)), np.nan) for _ in range(2))
        tests = ItemTests(p, floors, np.full(of_people, np.nan, dtype=np.float32))
        piece = Piece(tests, Sums(np.zeros(shape), np.zeros((*shape, self.options.draws))))
        if drawn := self._drawn(places):
            self._test(drawn, piece)
        return piece

    def _drawn(self, places: Sequence[int]) -> list[_Drawn]:
        run = self.study.run(self.made.run)
        return [
            _Drawn(number, k, *sides)
            for k, place in enumerate(places)
            for number, case in enumerate(self.made.cases)
            if (sides := sets.drawn(self.study, run, self.made, place, case)) is not None
        ]

    def _test(self, drawn: Sequence[_Drawn], into: Piece) -> None:
        """Fill in the tests of one chunk in which every case of an item is an item of its own."""
        items = tuple(Item(str(k), one.references) for k, one in enumerate(drawn))
        run = Run("drawn", "drawn", Settings(), {item.id: one.candidates for item, one in zip(items, drawn)})
        chunk = Chunk.of(items, run, Cache(None), self.hooks, StudyDigests.of(self._learned))
        for m, metric in enumerate(self.metrics):
            context = metric.tested_as.prepare(self._learned)
            for index, one in enumerate(drawn):
                self.hooks.check()
                seed = item_seeds(self.options, chunk, index)[0]
                try:
                    found = metric.tested_as.test(context, chunk, index, self.options.budget, seed)
                except Undefined:
                    continue
                entropy = [self.made.seed, one.case, m, chunk.item_digest(index)]
                self._take(found, one, m, np.random.SeedSequence(entropy), into)

    def _take(self, found: PermutationResult, one: _Drawn, m: int, seed: np.random.SeedSequence, into: Piece) -> None:
        of_draws, of_people = seed.spawn(2)
        into.items.p[one.case, m, one.item] = found.p_value
        into.items.floors[one.case, m, one.item] = found.floor
        into.sums.observed[one.case, m] += found.statistic
        into.sums.draws[one.case, m] += null_draws(found.null, self.options.draws, of_draws)
        if one.case in self.people:
            row = self.people.index(one.case)
            into.items.simulated[row, m, one.item] = simulated(found, SIMULATIONS, np.random.default_rng(of_people))
