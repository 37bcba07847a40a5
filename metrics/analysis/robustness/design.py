"""The design: which captions of people are damaged, by which transformations, at which strengths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from data.study import Item, Study, digest
from metrics.base import Metric
from metrics.transformations import Transformation
from metrics.transformations.base import LEAST, bare_word

STRENGTHS = (0.2, 0.4, 0.6, 0.8, 1.0)
MOST = 1000
"""Items that are damaged by default, drawn at random where a study has more."""
UNGRADED = (1.0,)


@dataclass(frozen=True)
class Design:
    """Transformations at `strengths` above 0, ascending and up to 1; at most `most` items, drawn with `seed`."""

    transformations: tuple[Transformation, ...]
    strengths: tuple[float, ...] = STRENGTHS
    most: int = MOST
    seed: int = 0

    def of(self, one: Transformation) -> tuple[float, ...]:
        """Return the strengths of a transformation: the greatest alone where it has no degrees."""
        return self.strengths if one.graded else UNGRADED

    @property
    def variants(self) -> int:
        """Number of captions of an item: the untouched one first, then all strengths of each transformation."""
        return 1 + sum(len(self.of(one)) for one in self.transformations)

    def columns(self, one: Transformation) -> slice:
        """Return the places of a transformation among the variants."""
        sizes = [len(self.of(other)) for other in self.transformations]
        start = [1, *accumulate(sizes, initial=1)][1:][self.transformations.index(one)]
        return slice(start, start + len(self.of(one)))


@dataclass(frozen=True)
class HeldOut:
    """One caption of an item as the candidate: its words, and the item with the other references."""

    place: int
    words: tuple[str, ...]
    item: Item

    def rng(self, design: Design, one: Transformation, strength: float) -> np.random.Generator:
        """Return the random numbers of one transformed caption, whatever else is transformed."""
        texts = digest([" ".join(self.words), self.item.references, one.signature])
        return np.random.default_rng([design.seed, round(strength * 1e6), int(texts[:12], 16)])


def strengths(given: Sequence[float]) -> tuple[float, ...]:
    """Return strengths for a design: those given above 0, and 1. Raises ValueError for one outside 0 to 1."""
    wrong = [value for value in given if not 0 <= value <= 1]
    if wrong:
        raise ValueError(f"a strength is from 0 to 1, not {wrong[0]:g}")
    return tuple(sorted({round(value, 6) for value in given if value > 0} | {1.0}))


def held_out(study: Study, design: Design) -> tuple[HeldOut, ...]:
    """Return a caption of each item with two references or more; items whose caption has one word are left out.

    The draw of the caption depends on the seed and the item's references alone. Words are divided by blanks; marks
    around them are left out of the untouched caption too, or a new order would give other marks.
    """
    found = []
    for place, item in enumerate(study.items):
        if len(item.references) < 2:
            continue
        rng = np.random.default_rng([design.seed, int(digest(item.references)[:12], 16)])
        k = int(rng.integers(len(item.references)))
        words = tuple(bare for word in item.references[k].replace("\0", " ").split() if (bare := without_marks(word)))
        if len(words) >= LEAST:
            others = (*item.references[:k], *item.references[k + 1 :])
            found.append(HeldOut(place, words, Item(item.id, others)))
    if len(found) <= design.most:
        return tuple(found)
    chosen = np.random.default_rng(design.seed).choice(len(found), design.most, replace=False)
    return tuple(found[k] for k in np.sort(chosen))


def without_marks(word: str) -> str:
    """Return the word without marks around it, its case kept; "" for marks alone."""
    bare = bare_word(word)
    start = word.lower().find(bare)
    return word[start : start + len(bare)] if bare else ""


def suited(metric: Metric) -> bool:
    """Return whether a metric has a value of a single caption that is computed here, where more is better or said."""
    one_caption = metric.of_items and metric.reads_candidates and metric.family in ("quality", "diversity")
    return one_caption and not metric.of_stated_captions
