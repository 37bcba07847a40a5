"""The design: which of people's captions or sets are damaged, by which transformations, at which strengths."""

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
"""Default maximum number of items that are damaged, drawn at random from larger studies."""
UNGRADED = (1.0,)


@dataclass(frozen=True)
class Design:
    """Transformations at `strengths` above 0, ascending and up to 1; at most `most` items, drawn with `seed`.

    Single captions are damaged at increasing strength; if `sets`, an increasing share of a set's captions is damaged at
    full strength.
    """

    transformations: tuple[Transformation, ...]
    strengths: tuple[float, ...] = STRENGTHS
    most: int = MOST
    seed: int = 0
    sets: bool = False

    @property
    def bases(self) -> int:
        """Number of undamaged variants: the untouched variant and, for sets, another item's captions."""
        return 2 if self.sets else 1

    def of(self, one: Transformation) -> tuple[float, ...]:
        """Return the strengths for a transformation: all of them for sets, or if it has degrees; else only 1."""
        return self.strengths if one.graded or self.sets else UNGRADED

    def graded(self, one: Transformation) -> bool:
        """Return whether there are degrees, either of the transformation or of the damaged share of a set."""
        return one.graded or self.sets

    @property
    def variants(self) -> int:
        """Number of variants of an item's caption or set: the bases, then all strengths of each transformation."""
        return self.bases + sum(len(self.of(one)) for one in self.transformations)

    def columns(self, one: Transformation) -> slice:
        """Return the columns of a transformation among the variants."""
        sizes = [len(self.of(other)) for other in self.transformations]
        start = [0, *accumulate(sizes, initial=self.bases)][1:][self.transformations.index(one)]
        return slice(start, start + len(self.of(one)))


@dataclass(frozen=True)
class HeldOut:
    """One caption of an item, as a candidate: its words, and the item with its other references."""

    place: int
    words: tuple[str, ...]
    item: Item

    def rng(self, design: Design, one: Transformation, strength: float) -> np.random.Generator:
        """Return the random generator of one transformed caption, which does not depend on other transformations."""
        texts = digest([" ".join(self.words), self.item.references, one.signature])
        return np.random.default_rng([design.seed, round(strength * 1e6), int(texts[:12], 16)])


def strengths(given: Sequence[float]) -> tuple[float, ...]:
    """Return a design's strengths: the given strengths above 0, and 1. Raises ValueError for values outside 0 to 1."""
    wrong = [value for value in given if not 0 <= value <= 1]
    if wrong:
        raise ValueError(f"a strength is from 0 to 1, not {wrong[0]:g}")
    return tuple(sorted({round(value, 6) for value in given if value > 0} | {1.0}))


def held_out(study: Study, design: Design) -> tuple[HeldOut, ...]:
    """Return one caption of each item that has at least two references, for at most `most` items.

    Captions of fewer than LEAST words are left out. The choice depends only on the seed and the item's references.
    Words are split at spaces; surrounding punctuation is removed from the untouched caption too, since reordering would
    otherwise also move the punctuation.
    """
    found = [one for one in _all_held_out(study, design) if len(one.words) >= LEAST]
    return tuple(found[k] for k in sampled(len(found), design))


def without_words(study: Study, design: Design) -> int:
    """Return the number of items left out because their caption has fewer than LEAST words, as those in Chinese do."""
    return sum(len(one.words) < LEAST for one in _all_held_out(study, design))


def _all_held_out(study: Study, design: Design) -> list[HeldOut]:
    found = []
    for place, item in enumerate(study.items):
        if len(item.references) > 1:
            rng = np.random.default_rng([design.seed, int(digest(item.references)[:12], 16)])
            k = int(rng.integers(len(item.references)))
            others = (*item.references[:k], *item.references[k + 1 :])
            found.append(HeldOut(place, words_of(item.references[k]), Item(item.id, others)))
    return found


def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a caption without their surrounding punctuation."""
    return tuple(bare for word in text.replace("\0", " ").split() if (bare := without_marks(word)))


def sampled(n: int, design: Design) -> list[int]:
    """Return the ascending positions, among n items, that the design uses: at most `most`, drawn with its seed."""
    if n <= design.most:
        return list(range(n))
    return sorted(np.random.default_rng(design.seed).choice(n, design.most, replace=False).tolist())


def without_marks(word: str) -> str:
    """Return the word without its surrounding punctuation, with its case unchanged; "" for punctuation only."""
    bare = bare_word(word)
    start = word.lower().find(bare)
    return word[start : start + len(bare)] if bare else ""


def suited(metric: Metric) -> bool:
    """Return whether a metric measures quality or diversity and can score single damaged captions."""
    one_caption = metric.of_items and metric.reads_candidates and metric.family in ("quality", "diversity")
    return one_caption and (metric.judges_others or not metric.of_stated_captions)


def suited_sets(metric: Metric) -> bool:
    """Return whether a metric can score an item's set of damaged captions, or all sets as a run."""
    of_a_set = not metric.of_items or metric.family in ("distribution", "diversity")
    return of_a_set and metric.reads_candidates and not metric.of_stated_captions
