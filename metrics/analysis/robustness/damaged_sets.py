"""Sets of people's captions, an increasing share of which is damaged, for metrics of sets.

The references of an item are divided at random into a set to be damaged and the references that it is compared with. A
share gamma of the set is transformed at full strength: of n captions, gamma n, rounded up or down at random so that the
mean over items is exact. A larger gamma damages the same captions and further ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from data.study import Captions, Item, Study, digest
from metrics.analysis.robustness.damaged_captions import Damaged, Source
from metrics.analysis.robustness.design import Design, HeldOut, sampled, words_of
from metrics.cache.disk import Cache
from metrics.progress import Hooks
from metrics.transformations import Transformation, TransformationFaulty, transformed
from metrics.transformations.base import LEAST

BETWEEN = "\n"
"""Separator between the captions of a set in one text."""
FEWEST = 2
"""Minimum number of captions on either side of an item; with fewer, most metrics of sets have no value."""


@dataclass(frozen=True)
class HeldOutSet:
    """The captions of an item that are damaged, in order of damage; `item` has the references that are left untouched.

    `chance` determines how the number of damaged captions is rounded.
    """

    place: int
    captions: tuple[HeldOut, ...]
    item: Item
    chance: float

    def number(self, share: float) -> int:
        """Return how many captions are damaged for a given share of the set."""
        return int(np.floor(share * len(self.captions) + self.chance + 1e-9)) if share < 1 else len(self.captions)

    @property
    def texts(self) -> Captions:
        """The captions before damage."""
        return tuple(" ".join(one.words) for one in self.captions)


def held_out_sets(study: Study, design: Design) -> tuple[HeldOutSet, ...]:
    """Return half of the references of each item for which both halves have at least two captions.

    In the half returned, captions of fewer than LEAST words are dropped and do not count. Items beyond the `most` of
    the design are left out at random.
    """
    found = []
    for place, item in enumerate(study.items):
        rng = np.random.default_rng([design.seed, 1, int(digest(item.references)[:12], 16)])
        order = rng.permutation(len(item.references)).tolist()
        half = len(order) // 2
        others = Item(item.id, tuple(item.references[k] for k in order[half:]))
        words = [words_of(item.references[k]) for k in order[:half]]
        captions = tuple(HeldOut(place, one, others) for one in words if len(one) >= LEAST)
        if min(len(captions), len(others.references)) >= FEWEST:
            found.append(HeldOutSet(place, captions, others, float(rng.random())))
    return tuple(found[k] for k in sampled(len(found), design))


def damaged_sets(study: Study, design: Design, chosen: Sequence[HeldOutSet], cache: Cache, hooks: Hooks) -> Damaged:
    """Return the damaged variants of the sets, each as one text of captions separated by BETWEEN. Raises Cancelled."""
    columns = [[BETWEEN.join(one.texts) for one in chosen], _strangers(chosen, design)]
    failures = []
    flat = [caption for one in chosen for caption in one.captions]
    source = Source(study, flat, cache, hooks)
    for one in design.transformations:
        try:
            changed, why = _changed(one, design, flat, source, hooks), ""
        except TransformationFaulty as error:
            changed, why = [" ".join(caption.words) for caption in flat], str(error)
        columns += _columns(design.of(one), chosen, changed)
        failures.append(why)
    return Damaged(tuple(zip(*columns)), tuple(failures))


def _strangers(chosen: Sequence[HeldOutSet], design: Design) -> list[str]:
    if len(chosen) < 2:
        return [BETWEEN.join(one.texts) for one in chosen]
    order = np.random.default_rng([design.seed, 2]).permutation(len(chosen))
    lender = dict(zip(order.tolist(), np.roll(order, 1).tolist()))
    return [BETWEEN.join(chosen[lender[k]].texts) for k in range(len(chosen))]


def _changed(
    one: Transformation, design: Design, captions: Sequence[HeldOut], source: Source, hooks: Hooks
) -> list[str]:
    found = []
    for k, caption in enumerate(captions):
        hooks.check()
        words = transformed(one.prepare(source.of(k, one)), caption.words, 1.0, caption.rng(design, one, 1.0))
        found.append(" ".join(words))
    return found


def _columns(shares: Sequence[float], chosen: Sequence[HeldOutSet], changed: Sequence[str]) -> list[list[str]]:
    found: list[list[str]] = [[] for _ in shares]
    start = 0
    for one in chosen:
        end = start + len(one.captions)
        for column, share in zip(found, shares):
            cut = start + one.number(share)
            column.append(BETWEEN.join([*changed[start:cut], *one.texts[cut - start :]]))
        start = end
    return found
