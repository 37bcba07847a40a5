"""Permutation tests of a statistic of the pooled texts of many items, with relabelling only within items."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.mathematics.arrays import Alternative, Floats, Integers, Labels
from metrics.permutation import partitions
from metrics.permutation.item_test import BUDGET, DRAWS, PermutationResult, counted

_CELLS_AT_ONCE = 1 << 22
_LARGEST = 2**63


class Group(NamedTuple):
    """Items with the same numbers of candidates and references.

    `columns` (items, n + m) are the positions of their texts, candidates first. Items of one `unit` (items,) change
    sides in the same way; `units` is the number of units, and `relabellings` the number of relabellings of each unit.
    """

    candidates: int
    columns: Integers
    unit: Integers
    units: int
    relabellings: int


@dataclass(frozen=True)
class Pool:
    """The texts of all items: all candidates, item by item, then all references, item by item.

    `sizes` (items, 2) are the numbers of candidates and of references of each item. Items with equal keys and sizes,
    such as those of a cluster, change sides in the same way; their texts are sorted. Random draws depend on the items'
    keys, not on their order.
    """

    sizes: Integers
    keys: NDArray[np.uint64]

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """Items grouped by their numbers of candidates and references, without those that have only one side."""
        starts = np.cumsum(self.sizes, axis=0) - self.sizes
        starts[:, 1] += self.sizes[:, 0].sum()
        found = []
        for n, m in np.unique(self.sizes[(self.sizes > 0).all(axis=1)], axis=0).tolist():
            items = np.flatnonzero((self.sizes == (n, m)).all(axis=1))
            sides = [starts[items, side, None] + np.arange(k) for side, k in enumerate((n, m))]
            names, unit = np.unique(self.keys[items], return_inverse=True)
            found.append(Group(n, np.concatenate(sides, axis=1), unit, len(names), partitions.number(n + m, n)))
        return tuple(found)

    @cached_property
    def relabellings(self) -> int:
        """The number of relabellings of all items together."""
        return prod(group.relabellings**group.units for group in self.groups)

    @property
    def observed(self) -> Labels:
        """(N,) True for candidates."""
        n, m = self.sizes.sum(axis=0).tolist()
        return np.arange(n + m) < n

    def blocks(self, budget: int = BUDGET, draws: int = DRAWS, seed: int = 0) -> Iterator[Labels]:
        """Yield blocks (rows, N) of labels: all relabellings if at most `budget`, else `draws` random relabellings."""
        every = self.relabellings <= budget
        left, rng, start = (self.relabellings if every else draws), np.random.default_rng(seed), 0
        rows = max(1, _CELLS_AT_ONCE // len(self.observed))
        while start < left:
            numbers = np.arange(start, min(start + rows, left))
            start += len(numbers)
            out = np.tile(self.observed, (len(numbers), 1))
            for group in self.groups:
                if every:
                    numbers, labels = _of_numbers(group, numbers)
                else:
                    labels = _random(group, len(numbers), rng)
                out[:, group.columns.ravel()] = labels[:, group.unit].reshape(len(out), -1)
            yield out


def _of_numbers(group: Group, numbers: Integers) -> tuple[Integers, Labels]:
    """Return the numbers without the part for this group, and the group's (rows, units, n + m) labels.

    Each number encodes a relabelling of all groups that are left.
    """
    places = np.empty((len(numbers), group.units), dtype=np.int64)
    for unit in range(group.units):
        numbers, places[:, unit] = np.divmod(numbers, group.relabellings)
    return numbers, _labels(group, places)


def _random(group: Group, rows: int, rng: np.random.Generator) -> Labels:
    if group.relabellings < _LARGEST:
        return _labels(group, rng.integers(group.relabellings, size=(rows, group.units)))
    size = group.columns.shape[1]
    first = np.broadcast_to(np.arange(size) < group.candidates, (rows, group.units, size))
    return rng.permuted(first, axis=2)


def _labels(group: Group, places: Integers) -> Labels:
    size = group.columns.shape[1]
    return partitions.labels_at(size, group.candidates, places.ravel()).reshape(*places.shape, size)


def within_items_test(
    values: Callable[[Labels], Floats],
    pool: Pool,
    alternative: Alternative,
    budget: int = BUDGET,
    seed: int = 0,
    *,
    draws: int = DRAWS,
) -> PermutationResult:
    """Return the permutation test of the hypothesis that in every item both sides share one distribution.

    `values` returns the statistic (B,) of all texts of the `pool` under labels (B, N). If there are at most `budget`
    relabellings of all items together, all are counted; otherwise p = (b + 1) / (draws + 1) with random relabellings.
    Raises ValueError if no item has texts on both sides.
    """
    if not pool.groups:
        raise ValueError("A permutation test within items needs an item with candidates and references.")
    observed = float(values(pool.observed[None])[0])
    null = np.concatenate([values(labels) for labels in pool.blocks(budget, draws, seed)])
    return counted(observed, null, pool.relabellings <= budget, 1.0, alternative)


def pool_of(sizes: Sequence[tuple[int, int]], keys: Sequence[int]) -> Pool:
    """Return the pool of items with these numbers of candidates and references, and these 64-bit keys."""
    return Pool(np.array(sizes, dtype=np.int64).reshape(-1, 2), np.array(keys, dtype=np.uint64))
