"""The words of captions, or their phrases of two and three words, as entries of a sparse table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Literal

import numpy as np

from data.study import Run, Study
from metrics.mathematics.arrays import Integers, Labels
from metrics.permutation.word_tests import WordCounts
from metrics.text.ngrams import NgramCounts, count
from metrics.text.word_marks import words
from metrics.units import Units, of_items

Unit = Literal["words", "phrases"]
UNITS: tuple[Unit, ...] = ("words", "phrases")
ORDERS: dict[Unit, tuple[int, ...]] = {"words": (1,), "phrases": (2, 3)}
"""The possible numbers of words per term, by unit."""


@dataclass(frozen=True, eq=False)
class Terms:
    """The names (w,) of the terms of some images, their counts in each caption, and the numbers of images with them."""

    names: tuple[str, ...]
    counts: WordCounts = field(repr=False)
    images: Integers = field(repr=False)


def shared_items(study: Study, run: Run) -> list[int]:
    """Return the positions of the items that have captions by people and by the run."""
    return [k for k, item in enumerate(study.items) if item.references and run.candidates.get(item.id)]


def terms(study: Study, run: Run, unit: Unit, fewest: int) -> Terms | None:
    """Return the terms in captions of at least `fewest` of the images that have captions by people and by the run.

    Captions of both sides count alike: whether a term is included does not depend on who used it. Words are compared in
    lower case, without stemming. Return None if there are no such terms.
    """
    places = shared_items(study, run)
    texts: list[str] = []
    image: list[int] = []
    of_run: list[bool] = []
    for k, place in enumerate(places):
        item = study.items[place]
        sides = (item.references, run.candidates[item.id])
        # If images share draws, equal captions must have equal positions.
        both = [text for side in sides for text in (side if study.unit is None else sorted(side))]
        texts += both
        image += [k] * len(both)
        of_run += [j >= len(item.references) for j in range(len(both))]
    known: dict[str, tuple[str, ...]] = {text: words(text) for text in dict.fromkeys(texts)}
    said = [known[text] for text in texts]
    if not said or not any(said):
        return None
    together = of_items(study.unit, np.array(places))
    return _kept(said, np.array(image, dtype=np.int64), np.array(of_run), unit, fewest, together)


def _kept(
    said: Sequence[tuple[str, ...]], image: Integers, of_run: Labels, unit: Unit, fewest: int, together: Units
) -> Terms | None:
    orders, vocabulary = ORDERS[unit], sorted(set(chain.from_iterable(said)))
    number = {word: k for k, word in enumerate(vocabulary)}
    found = count([np.array([number[word] for word in text], dtype=np.int64) for text in said], max(orders))
    caption = np.concatenate([np.repeat(np.arange(len(said)), np.diff(found.indptr[n - 1])) for n in orders])
    ends = [(found.indptr[n - 1][0], found.indptr[n - 1][-1]) for n in orders]
    gram, times = (np.concatenate([array[a:b] for a, b in ends]) for array in (found.ids, found.counts))
    pairs = np.unique(gram * (int(image[-1]) + 1) + image[caption]) // (int(image[-1]) + 1)
    grams, images = np.unique(pairs, return_counts=True)
    frequent = images >= fewest
    if not frequent.any():
        return None
    grams, images = grams[frequent], images[frequent]
    keep = np.isin(gram, grams)
    word = np.searchsorted(grams, gram[keep])
    order = np.lexsort((caption[keep], word))
    counts = WordCounts(
        word[order], caption[keep][order], times[keep][order], image, of_run, found.lengths, len(grams), together
    )
    return Terms(tuple(_names(found, grams, vocabulary)), counts, images.astype(np.int64))


def _names(found: NgramCounts, grams: Integers, vocabulary: Sequence[str]) -> list[str]:
    def parts(gram: int) -> list[str]:
        before = int(found.prefix[gram])
        return [*(parts(before) if before >= 0 else []), vocabulary[int(found.last[gram])]]

    return [" ".join(parts(int(gram))) for gram in grams]
