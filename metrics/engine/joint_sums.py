"""The data that the joint test of a run needs from its items, as plain arrays that the cache can store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metrics.base import Metric
from metrics.cache import array_checks
from metrics.chunk import Chunk
from metrics.mathematics.arrays import Floats, Integers, Labels
from metrics.permutation import partitions
from metrics.permutation.item_test import BUDGET, DRAWS, PermutationResult
from metrics.permutation.joint_test import PARTS, Joint, as_array, every_sum, joint_test, of_array
from metrics.permutation.sign_flips import every_sign, random_signs
from metrics.units import Units, by_unit

JOINT_DRAWS = 4_999
"""Number of random relabellings of a run in its joint test; the floor of p is then 1 / 5,000."""


@dataclass(frozen=True)
class JointSums:
    """Sums of the six statistics of `joint_test.PARTS` over the tested items of a chunk or run.

    `observed` (6,) are the sums for the texts as they are, and `draws` (JOINT_DRAWS or fewer, 6) those under random
    relabelling of every item. `nulls` contains an array (partitions, 6) for each item if the relabellings of all items
    together are few enough to be enumerated; otherwise it is empty. `items` is the number of tested items. If items
    are in clusters, `departures` (items, 6) of the observed statistics from their means under relabelling replace all
    of these except `items`.
    """

    observed: Floats
    draws: Floats
    items: int = 0
    nulls: tuple[Floats, ...] = ()
    departures: Floats = field(default_factory=lambda: np.empty((0, len(PARTS))))

    @staticmethod
    def joined(parts: list[JointSums]) -> JointSums | None:
        """Return the combined sums of consecutive chunks; None if there are no chunks."""
        if not parts:
            return None
        nulls = tuple(null for part in parts for null in part.nulls)
        observed, draws = (np.sum([getattr(part, name) for part in parts], axis=0) for name in ("observed", "draws"))
        departures = np.concatenate([part.departures for part in parts])
        return JointSums(observed, draws, sum(part.items for part in parts), nulls, departures)

    def tested(self, unit: Units = None, seed: int = 0) -> Joint:
        """Return the joint test, exact if all relabellings can be enumerated.

        If items are in clusters, `unit` (items,) has the number of each item's cluster. A person may write about all
        items of a cluster in the same manner, so relabelling each item separately, or all in the same way, would not
        represent chance. Under the null hypothesis the departures are 0 on average, so the test instead flips the
        signs of the clusters' departures.
        """
        if len(self.departures):
            departures = by_unit(self.departures, unit)
            every = len(departures) <= np.log2(BUDGET)
            signs = [every_sign(len(departures))] if every else random_signs(len(departures), JOINT_DRAWS, seed)
            flipped = np.concatenate([some @ departures for some in signs])
            return of_array(as_array(joint_test(departures.sum(axis=0), flipped, every)))
        exact = len(self.nulls) == self.items and are_few([len(null) for null in self.nulls])
        return of_array(as_array(joint_test(self.observed, every_sum(self.nulls) if exact else self.draws, exact)))

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the sums as arrays for the cache."""
        return {
            "joint_observed": self.observed,
            "joint_draws": self.draws,
            "joint_items": np.array([self.items]),
            "joint_sizes": np.array([len(null) for null in self.nulls], dtype=np.int64),
            "joint_nulls": np.concatenate([np.empty((0, len(PARTS))), *self.nulls]),
            **({"joint_departures": self.departures} if len(self.departures) else {}),
        }

    @staticmethod
    def from_arrays(arrays: Mapping[str, NDArray[Any]]) -> JointSums | None:
        """Return the sums that `to_arrays` stored; None if it stored none. Raises Unfit for arrays of other shapes."""
        if "joint_observed" not in arrays:
            return None
        sizes, width = arrays["joint_sizes"], len(PARTS)
        shapes = {"joint_observed": (width,), "joint_draws": (None, width), "joint_nulls": (int(sizes.sum()), width)}
        departures = arrays.get("joint_departures", np.empty((0, width)))
        shapes |= {"joint_departures": (int(arrays["joint_items"][0]), width)} if len(departures) else {}
        array_checks.expect(arrays, {**shapes, "joint_items": (1,)})
        nulls = np.split(arrays["joint_nulls"], np.cumsum(sizes)[:-1]) if len(sizes) else []
        items = int(arrays["joint_items"][0])
        return JointSums(arrays["joint_observed"], arrays["joint_draws"], items, tuple(nulls), departures)


def are_few(sizes: list[int]) -> bool:
    """Return whether items with these numbers of relabellings have few enough combinations to be enumerated."""
    return float(np.log(sizes).sum()) <= np.log(BUDGET)


@dataclass
class JointCollector:
    """A collector to which a chunk's items are added one by one; its arrays are those of `JointSums`."""

    metric: Metric
    context: Any
    chunk: Chunk
    draws: int
    every: bool
    observed: Floats = field(init=False)
    drawn: Floats = field(init=False)
    nulls: list[Floats] = field(default_factory=list)
    departures: list[Floats] = field(default_factory=list)
    items: int = 0

    def __post_init__(self) -> None:
        rows = 0 if self.chunk.clusters else min(self.draws, JOINT_DRAWS)
        self.observed, self.drawn = np.zeros(len(PARTS)), np.zeros((rows, len(PARTS)))

    @classmethod
    def of(cls, metric: Metric, context: Any, chunk: Chunk, items: Integers, draws: int) -> JointCollector:
        """Return the collector for the items of a chunk that are to be tested."""
        counts = [partitions.number(n + m, n) for n, m in (chunk.sizes(int(index)) for index in items)]
        return cls(metric, context, chunk, draws, are_few(counts) and not chunk.clusters)

    def add(self, index: int, found: PermutationResult, places: NDArray[np.uint32], seed: int) -> None:
        """Add an item that was tested with `seed`; `places` are the positions of the draws in its null distribution."""
        places = places[:JOINT_DRAWS]
        sides = self.chunk.is_candidate(index)
        statistics = self.metric.signed_statistics

        def under(labels: Labels) -> Floats:
            return statistics(self.context, self.chunk, index, labels)

        n, size = int(sides.sum()), len(sides)
        self.items += 1
        observed = np.concatenate([[found.statistic], under(sides[None])[0]])
        whole = found.exact and (self.every or len(found.null) <= len(places))
        if found.exact:
            labels = partitions.labels_at(size, n, np.arange(len(found.null)) if whole else places.astype(np.int64))
        else:
            labels = partitions.random_labels(sides, DRAWS, seed)[places]
        null = np.column_stack([found.null if whole else found.null[places], under(labels)])
        if self.chunk.clusters:
            self.departures.append(observed - null.mean(axis=0))
            return
        self.observed += observed
        self.drawn += null[places] if whole else null
        if self.every:
            self.nulls.append(null)

    def sums(self) -> JointSums:
        """Return the sums over all added items."""
        departures = np.array(self.departures).reshape(-1, len(PARTS))
        return JointSums(self.observed, self.drawn, self.items, tuple(self.nulls) if self.every else (), departures)
