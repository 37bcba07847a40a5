"""Critiques' scores of all captions of a study, and the reasons why a study is too small for critiques."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metrics.learned.critique_data import Corpus, Rows
from metrics.mathematics.arrays import Floats

LEAST_ITEMS = 10
"""Minimum number of items of a fold that a critique can learn from."""
PROBES = ("random_caption", "word_permutation", "random_words", "language_model")


class TooFew(ValueError):
    """Raised if there is too little to learn from; the message states what is missing."""


@dataclass(frozen=True)
class Measured:
    """Scores in 0..1 of captions by the critiques that did not learn from their item; NaN if there is no context.

    `runs` (repeats, captions) are the scores of the runs' captions, in the order of runs, items and candidates, and
    `people` (repeats, references) those of references, each in the context of the item's other references. `probes`
    (repeats, kinds, items) are means over an item's captions of each kind in PROBES. `losses` (repeats, folds, epochs,
    2) are those on training and held-out examples, NaN after the last epoch, and `best` (repeats, folds) the epochs
    whose weights were kept.
    """

    runs: Floats
    people: Floats
    probes: Floats
    losses: Floats
    best: Rows


def usable_items(corpus: Corpus, fold: int, in_context: bool) -> Rows:
    """Return the items of a fold that a critique can learn from, ascending. Raises TooFew if they are too few."""
    wanted = 1 + in_context
    found = [
        k
        for k, texts in enumerate(corpus.people)
        if corpus.folds[k] == fold and len(texts) >= wanted and any(run[k] for run in corpus.runs)
    ]
    if len(found) < LEAST_ITEMS:
        references = "two references and" if in_context else "references and"
        raise TooFew(
            f"a critique learns from at least {LEAST_ITEMS} items of each half of the study that have {references} a "
            f"caption by the run; one half has {len(found)}"
        )
    return np.array(found, dtype=np.int64)
