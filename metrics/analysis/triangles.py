"""The evidence behind the TRM of one item: shares, test, null distribution, interpretation, and typical triangles."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import comb
from typing import Literal

import numpy as np

from data.study import Study
from metrics.base import Undefined, need_sets
from metrics.cache.disk import Cache
from metrics.chunk import Chunk, pooled_order
from metrics.distances.base import ItemDistances, item_distances
from metrics.engine.tasks import Options, item_seeds
from metrics.mathematics.arrays import Floats
from metrics.mathematics.triangle import at_maximum, rank_shares
from metrics.permutation.item_test import PermutationResult, permutation_test
from metrics.permutation.triangles import null_shares
from metrics.suite.distribution import Trm

Code = Literal["apart", "middle", "wide", "alike", "off", "between", "astride", "interleaved", "none"]
CLOUD = 20_000
"""Maximum number of relabellings behind the range of the shares; if there are fewer, all are used."""
RANGE = (0.025, 0.975)
MAX_PAIRS = 20_000
ENOUGH = 3
"""Minimum number of captions per side for shares of triangles to be informative."""

# Ranks (0 shortest, 2 longest) that exceed their range, for the pair in the references and in the candidates. The words
# were chosen on point clouds. Only both directions together distinguish a shift from a change of spread: a pure shift
# raises U_0 in both, a pure change of spread raises U_0 in one and U_2 in the other.
READINGS: dict[tuple[int | None, int | None], Code] = {
    (0, 0): "apart",
    (2, 0): "middle",
    (0, 2): "wide",
    (None, 0): "alike",
    (0, None): "off",
    (2, None): "between",
    (None, 2): "astride",
    (2, 2): "interleaved",
    (None, None): "none",
}


@dataclass(frozen=True)
class Evidence:
    """A rank share above the 95 % range of its null distribution; with `direction` 0, the pair is in the references."""

    direction: int
    rank: int
    share: float
    low: float
    high: float


@dataclass(frozen=True)
class Reading:
    """The interpretation of the shares, with its evidence; without evidence, there is no interpretation."""

    code: Code
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True)
class WorstTriangle:
    """An extreme triangle: its texts by pooled position, its edges, and the margin by which its pair is extreme."""

    pair: tuple[int, int]
    point: int
    inside: float
    edges: tuple[float, float]
    margin: float


@dataclass(frozen=True)
class TriangleView:
    """The TRM of one item and run with all its evidence; `distances` contains the texts in file order.

    `shares` is (2, 3); `cloud` (relabellings, 2, 3) are the rank shares of relabellings, all of them if at most CLOUD;
    `low` and `high` (2, 3) are the ends of the 95 % range of the cloud.
    """

    metric: Trm
    distances: ItemDistances
    shares: Floats
    test: PermutationResult
    cloud: Floats
    low: Floats
    high: Floats
    reading: Reading

    @property
    def value(self) -> float:
        """The TRM of this item, as in the table of scores."""
        return self.test.statistic

    @property
    def sizes(self) -> tuple[int, int]:
        """Numbers of candidates and of references."""
        return len(self.distances.candidates), len(self.distances.references)

    @property
    def at_maximum(self) -> float:
        """Share of the distances at their maximum, where triangles tie."""
        return at_maximum(self.distances.matrix, self.metric.space.maximum)

    @property
    def least_p(self) -> float:
        """The smallest p that relabelling these distances can give; it can be above the floor if triangles tie."""
        null = self.test.null
        return max(float((null >= null.max() - 1e-9).mean()), self.test.floor)

    @property
    def triangles(self) -> int:
        """The number of sets of three captions that include both sides."""
        n, m = self.sizes
        return comb(n, 2) * m + comb(m, 2) * n

    @property
    def partitions(self) -> int:
        """The number of ways to split the texts into sides of these sizes."""
        return comb(sum(self.sizes), self.sizes[0])


def triangle_view(
    study: Study, run: str, position: int, metric: Trm, cache: Cache, options: Options | None = None
) -> TriangleView:
    """Return the TRM of the item at `position`, as in scoring (same order, seed and budget), with its evidence.

    Raises Undefined with the reason if the item has no TRM.
    """
    options = options or Options()
    item, of = study.items[position], study.run(run)
    alone = Chunk.of((item,), of, Cache(None))
    need_sets(alone, 0)
    distances = item_distances(study, run, position, metric.space, cache, options.chunk)
    order = pooled_order(distances.candidates, distances.references)
    matrix, labels = distances.matrix[np.ix_(order, order)], alone.is_candidate(0)
    try:
        cloud = null_shares(matrix, labels, CLOUD, metric.ties)
        test = permutation_test(
            "trm", matrix, labels, options.budget, item_seeds(options, alone, 0)[0], ties=metric.ties
        )
    except ValueError as too_many:
        raise Undefined(str(too_many)) from too_many
    shares = rank_shares(matrix, labels, metric.ties)
    # With few relabellings, an interpolated range would cover less than its nominal share.
    low = np.quantile(cloud, RANGE[0], axis=0, method="lower")
    high = np.quantile(cloud, RANGE[1], axis=0, method="higher")
    return TriangleView(metric, distances, shares, test, cloud, low, high, read(shares, low, high))


def read(shares: Floats, low: Floats, high: Floats) -> Reading:
    """Return the interpretation of shares (2, 3); only ranks above their null range, from `low` to `high`, count.

    If both the shortest and the longest rank of a direction exceed their ranges, only the rank with the larger excess
    counts.
    """
    said: list[int | None] = []
    evidence: list[Evidence] = []
    for direction in (0, 1):
        above = shares[direction] - high[direction]
        rank = 0 if above[0] >= above[2] else 2
        if above[rank] <= 0:
            said.append(None)
            continue
        said.append(rank)
        of = (float(bound[direction, rank]) for bound in (shares, low, high))
        evidence.append(Evidence(direction, rank, *of))
    return Reading(READINGS[said[0], said[1]], tuple(evidence))


def strongest_departure(shares: Floats) -> tuple[int, int]:
    """Return the (direction, rank) of the extreme rank, shortest or longest, with the largest share."""
    cells = [(direction, rank) for direction in (0, 1) for rank in (0, 2)]
    return max(cells, key=lambda cell: float(shares[cell]))


def worst_triangles(distances: ItemDistances, direction: int, rank: int, count: int = 3) -> tuple[WorstTriangle, ...]:
    """Return up to `count` triangles of `by_margin`, no two with the same pair or the same third caption."""
    found: list[WorstTriangle] = []
    seen: set[frozenset[int] | int] = set()
    for one in by_margin(distances, direction, rank):
        both = frozenset(one.pair)
        if len(found) == count:
            break
        if both not in seen and one.point not in seen:
            found.append(one)
            seen |= {both, one.point}
    return tuple(found)


def by_margin(distances: ItemDistances, direction: int, rank: int) -> Iterator[WorstTriangle]:
    """Yield triangles in which the pair's edge is the shortest (`rank` 0) or longest (2), widest margin first.

    Equal texts count once, so that a triangle has three different texts from two sides; the texts of a pair are equal
    only if all texts of its side are. Each pair occurs in both directions, because distances need not be symmetric;
    at most MAX_PAIRS triangles are examined.
    """
    pairs, points = _distinct(distances, bool(direction)), _distinct(distances, not direction)
    y1, y2 = (axis.ravel() for axis in np.meshgrid(pairs, pairs, indexing="ij"))
    if len(pairs) == 1:
        y2 = _second(distances, bool(direction))[y1]
    y1, y2 = y1[(y1 != y2) & (y2 >= 0)], y2[(y1 != y2) & (y2 >= 0)]
    if not len(y1) or not len(points):
        return
    inside = distances.matrix[y1, y2]
    edges = distances.matrix[points][:, y1], distances.matrix[points][:, y2]
    margin = np.minimum(*edges) - inside if rank == 0 else inside - np.maximum(*edges)
    order = np.argsort(-margin, axis=None, kind="stable")[:MAX_PAIRS]
    for x, p in zip(*np.unravel_index(order, margin.shape)):
        if margin[x, p] <= 0:
            return
        yield WorstTriangle(
            (int(y1[p]), int(y2[p])),
            int(points[x]),
            float(inside[p]),
            (float(edges[0][x, p]), float(edges[1][x, p])),
            float(margin[x, p]),
        )


def _side(distances: ItemDistances, candidates: bool) -> range:
    n = len(distances.candidates)
    return range(n) if candidates else range(n, len(distances.texts))


def _distinct(distances: ItemDistances, candidates: bool) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    first = {distances.texts[k]: k for k in reversed(_side(distances, candidates))}
    return np.array(sorted(first.values()), dtype=np.int64)


def _second(distances: ItemDistances, candidates: bool) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """(N,) position of the second occurrence of each text on a side; -1 if it occurs once."""
    places: dict[str, list[int]] = {}
    for k in _side(distances, candidates):
        places.setdefault(distances.texts[k], []).append(k)
    return np.array([([*places.get(text, ()), -1, -1])[1] for text in distances.texts], dtype=np.int64)
