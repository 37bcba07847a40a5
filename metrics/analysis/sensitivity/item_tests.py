"""Permutation tests of all cases for a few items at a time, so that texts are embedded and compared only once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from data.study import Study
from metrics.analysis.sensitivity import sets
from metrics.analysis.sensitivity.drawn_chunk import Drawn, DrawnChunk, most_texts, study_drawn_from
from metrics.analysis.sensitivity.uniformity import SIMULATIONS, simulated
from metrics.base import Metric, Undefined
from metrics.cache.disk import Cache
from metrics.chunk import CHUNK, Chunk, StudyDigests, chunks
from metrics.distances.base import Distance
from metrics.engine.tasks import Options, item_seeds
from metrics.mathematics.arrays import Floats
from metrics.permutation.item_test import PermutationResult
from metrics.permutation.pvalues import null_draws
from metrics.progress import Hooks


class ItemTests(NamedTuple):
    """Tests of some items: `p` and `floors` (cases, metrics, items), and simulated p-values under the null.

    `simulated` (cases of people, metrics, items, simulations) are the p-values with randomly drawn labels.
    """

    p: Floats
    floors: Floats
    simulated: NDArray[np.float32]


@dataclass(frozen=True)
class Sums:
    """Sums over items with a p: the statistic (cases, metrics), and draws from its null (cases, metrics, draws)."""

    observed: Floats = field(default_factory=lambda: np.zeros(()))
    draws: Floats = field(default_factory=lambda: np.zeros(()))

    def __add__(self, other: Sums) -> Sums:
        return Sums(self.observed + other.observed, self.draws + other.draws)


@dataclass(frozen=True)
class Piece:
    """The tests of some items, and their contributions to the tests of the corpus."""

    items: ItemTests
    sums: Sums


@dataclass(frozen=True)
class Work:
    """The tests of a design, some items at a time."""

    study: Study
    made: sets.Design
    metrics: tuple[Metric, ...]
    cache: Cache
    hooks: Hooks
    options: Options = Options()

    @cached_property
    def people(self) -> tuple[int, ...]:
        """The cases in which people's captions replace the run's."""
        return tuple(k for k, case in enumerate(self.made.cases) if case.row != "run")

    @cached_property
    def of_items(self) -> tuple[int, ...]:
        """The indices of the metrics that test items; MAUVE tests whole runs."""
        return tuple(m for m, metric in enumerate(self.metrics) if metric.of_items)

    @cached_property
    def _learned(self) -> Study:
        return self.study.only(runs=[self.made.run])

    @cached_property
    def _whole(self) -> StudyDigests:
        return StudyDigests.of(self._learned)

    @cached_property
    def _tested(self) -> tuple[Metric, ...]:
        return tuple(metric.tested_as for metric in self.metrics)

    @cached_property
    def _facts(self) -> tuple[Any, ...]:
        return tuple(metric.prepare(self._learned) for metric in self._tested)

    def sources(self) -> Iterator[tuple[NDArray[np.int64], Chunk]]:
        """Yield the study positions of some items, and a chunk of these items with all texts that any case draws."""
        of, start = study_drawn_from(self.study, self.made), 0
        places = sets.chosen_items(self.study, self.made)
        for piece in chunks(of.items, of.runs[0], CHUNK):
            chunk = Chunk.of(piece, of.runs[0], self.cache, self.hooks, self._whole)
            yield places[start : start + len(piece)], chunk
            start += len(piece)

    def fill(self, source: Chunk) -> None:
        """Compute the distances that the tests of a chunk will need, in one thread."""
        for space, facts in self._spaces().items():
            if most_texts(source) <= space.pooled_limit:
                space.all_distances(facts, source)

    def _spaces(self) -> dict[Distance, Any]:
        found = ((getattr(self._tested[m], "space", None), self._facts[m]) for m in self.of_items)
        return {space: facts for space, facts in found if isinstance(space, Distance)}

    def piece(self, source: Chunk, places: Sequence[int], start: int) -> Piece:
        """Return the tests of the items at these positions of the study; the first is at `start` in `source`."""
        shape = (len(self.made.cases), len(self.metrics))
        of_people = (len(self.people), len(self.metrics), len(places), SIMULATIONS)
        p, floors = (np.full((*shape, len(places)), np.nan) for _ in range(2))
        tests = ItemTests(p, floors, np.full(of_people, np.nan, dtype=np.float32))
        piece = Piece(tests, Sums(np.zeros(shape), np.zeros((*shape, self.options.draws))))
        if self.of_items and (drawn := self._drawn(places, start)):
            self._test(source, drawn, start, piece)
        return piece

    def _drawn(self, places: Sequence[int], start: int) -> list[Drawn]:
        run = self.study.run(self.made.run)
        return [
            Drawn(number, start + k, *sides)
            for k, place in enumerate(places)
            for number, case in enumerate(self.made.cases)
            if (sides := sets.drawn(self.study, run, self.made, place, case)) is not None
        ]

    def _test(self, source: Chunk, drawn: Sequence[Drawn], start: int, into: Piece) -> None:
        chunk = DrawnChunk.of_sets(source, drawn, self.hooks, self._whole)
        chunk.facts.update(self._spaces())
        seeds = [item_seeds(self.options, chunk, index)[0] for index in range(len(chunk))]
        digests = [chunk.relabelling_digest(index) for index in range(len(chunk))]
        for m in self.of_items:
            metric = self._tested[m]
            for index, one in enumerate(drawn):
                self.hooks.check()
                try:
                    found = metric.test(self._facts[m], chunk, index, self.options.budget, seeds[index])
                except Undefined:
                    continue
                entropy = [self.made.seed, one.case, m, digests[index]]
                self._take(found, one.case, m, one.item - start, np.random.SeedSequence(entropy), into)

    def _take(
        self, found: PermutationResult, case: int, m: int, item: int, seed: np.random.SeedSequence, into: Piece
    ) -> None:
        of_draws, of_people = seed.spawn(2)
        into.items.p[case, m, item] = found.p_value
        into.items.floors[case, m, item] = found.floor
        into.sums.observed[case, m] += found.statistic
        into.sums.draws[case, m] += null_draws(found.null, self.options.draws, of_draws)
        if case in self.people:
            row = self.people.index(case)
            into.items.simulated[row, m, item] = simulated(found, SIMULATIONS, np.random.default_rng(of_people))
