"""Subsets of each item's references, and the study in which every subset is a separate item."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from data.study import Item, Run, Study, digest

MOST = 20
"""Maximum number of subsets per size that are scored for an item."""
SHARE = 0.95
"""Share of the items (with two references or more) that must have at least `count` references."""
SIZES = (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 40, 50, 75, 100)


@dataclass(frozen=True)
class Design:
    """The subsets of a study: `count` references of each of `items` (positions), in subsets of these `sizes`.

    `sizes` starts at 1 and ends with `count`, a size with a single subset.
    """

    count: int
    items: tuple[int, ...]
    sizes: tuple[int, ...]
    most: int = MOST
    seed: int = 0

    def subsets(self, size: int) -> int:
        """Return the number of subsets of this size that are scored for an item."""
        return min(comb(self.count, size), self.most)

    def drawn(self, study: Study, place: int, size: int) -> NDArray[np.int64]:
        """Return positions (subsets, size) of references of one item: all subsets, or random subsets.

        Random subsets are cut from shuffled references, so that consecutive subsets are disjoint if possible. If the
        item has more than `count` references, `count` of them are drawn first. The draw depends only on the seed, the
        item's references and the size.
        """
        references = study.items[place].references
        rng = np.random.default_rng([self.seed, int(digest(references)[:12], 16)])
        pool = np.sort(rng.choice(len(references), self.count, replace=False))
        if comb(self.count, size) <= self.most:
            return pool[np.array(list(combinations(range(self.count), size)), dtype=np.int64)]
        rng = np.random.default_rng([self.seed, size, int(digest(references)[:12], 16)])
        found: list[NDArray[np.int64]] = []
        while len(found) < self.most:
            order = rng.permutation(self.count)
            found += [np.sort(order[k * size : (k + 1) * size]) for k in range(self.count // size // 2 * 2 or 1)]
        return pool[np.array(found[: self.most])]

    def disjoint(self, size: int) -> NDArray[np.int64]:
        """Return indices (pairs, 2) of disjoint pairs among the subsets of a size up to half of all references."""
        if comb(self.count, size) > self.most:
            return np.arange(self.most // 2 * 2).reshape(-1, 2)
        sets = [set(one) for one in combinations(range(self.count), size)]
        return np.array([(i, j) for i, j in combinations(range(len(sets)), 2) if not sets[i] & sets[j]])


def design(study: Study, most: int = MOST, seed: int = 0) -> Design | None:
    """Return the design of a study; None if no item has two references.

    `count` is the largest number of references that 95 % of the items with two or more have.
    """
    counts = np.array([len(item.references) for item in study.items])
    several = counts[counts >= 2]
    if not len(several):
        return None
    count = int(np.quantile(several, 1 - SHARE, method="lower"))
    items = tuple(int(k) for k in np.flatnonzero(counts >= count))
    sizes = tuple(k for k in SIZES if k < count)
    return Design(count, items, (*sizes, count), most, seed)


def expanded(study: Study, made: Design, size: int) -> Study:
    """Return a study in which every subset of this size is an item; subsets of one item are adjacent."""
    items, source = [], []
    for place in made.items:
        item = study.items[place]
        for k, rows in enumerate(made.drawn(study, place, size)):
            items.append(Item(f"{place}#{k}", tuple(item.references[row] for row in rows)))
            source.append(item.id)
    runs = tuple(
        Run(run.name, run.model, run.settings, {i.id: run.candidates.get(of, ()) for i, of in zip(items, source)})
        for run in study.runs
    )
    return Study(study.name, tuple(items), runs, tokenizer=study.tokenizer)
