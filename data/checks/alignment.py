"""Captions that belong to other items: shifted files, and runs that fit others' references as well as their own.

The nearness of two items is the cosine between the words in the captions of one and in the references of the other,
each word weighted by how few items have it. A run is reported if its captions are not significantly nearer to their own
references than to those of all other items (one-sided t-test over items or clusters). Possible causes are a file in
another order, captions or references read from the wrong fields, and a model that does not see the items. With fewer
than 30 items, a run is reported only if its captions are no nearer on average. A constant shift of the ids, in the
whole file or from some item to the end of the file, is reported if the references at that shift are significantly
nearer than the items' own; the test is corrected for the number of shifts.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from data.findings import Log
from data.matching.merge import Pool
from data.study import Run, Study

if TYPE_CHECKING:
    from scipy import sparse

LEAST, FEW = 30, 5
"""Minimum number of independent units (items or clusters) for a t-test, and for any check.

With few units, even good runs may not differ significantly from chance. So, from `FEW` units on, a run is reported if
its captions are on average no nearer to their own items. Among 2,400 draws of 5 to 20 items from four sets of real
captions, none was reported; of the draws in which each item had the captions of the next, 85 to 100 % were. For
instructions, which share few words, 11 % of draws were reported at 5 items and 1 % at 20. docs/proof.md has the rates
on the demo.
"""
ALPHA, SURE = 0.05, 0.001
"""Significance level for a run to be above chance, and the level for a shift, which is corrected for the number of
shifts.
"""
POWER = 0.8
"""Power of the t-test at the smallest difference that a finding reports as detectable."""
PARTS = 10
"""A shift is sought from the start of each tenth of the items."""
WIDTH = 64
"""Number of random directions onto which words are projected to find the best shift, which is then tested
on the words.
"""
_WORD = re.compile(r"[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
Floats = NDArray[np.float64]


class Shift(NamedTuple):
    """From item `first` on, each item has the captions of the item `by` places later in the file."""

    by: int
    first: int


class Words:
    """The words in the references of a study, for comparison with each run."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self.columns = defaultdict[str, int]()
        self.columns.default_factory = self.columns.__len__
        self.references = self._counts(item.references for item in study.items)
        self.having = np.asarray((self.references > 0).sum(axis=0)).ravel()

    def _counts(self, captions: Iterable[Sequence[str]]) -> sparse.csr_matrix:
        """(items, words) share of each item's captions that contain each word."""
        from scipy import sparse

        places: list[int] = []
        ends, texts_of = [0], list[int]()
        for texts in captions:
            for text in texts:
                places.extend(map(self.columns.__getitem__, dict.fromkeys(_WORD.findall(text.lower()))))
            ends.append(len(places))
            texts_of.append(len(texts))
        found = sparse.csr_matrix((np.ones(len(places)), places, ends), (len(self.study.items), len(self.columns)))
        found.sum_duplicates()
        found.data /= np.repeat(texts_of, np.diff(found.indptr))
        return found

    def against(self, run: Run) -> tuple[sparse.csr_matrix, sparse.csr_matrix]:
        """(items, words) unit vectors of weighted words: those of the run's captions, and those of the references."""
        from scipy import sparse

        own = self._counts(run.candidates[item.id] for item in self.study.items)
        items, width = own.shape
        references = self.references.copy()
        references.resize((items, width))  # type: ignore[arg-type]
        having = np.pad(self.having, (0, width - len(self.having)))
        weight = sparse.diags(np.log((items + 1) / (having + 1)))
        return _directions(own @ weight), _directions(references @ weight)


def _directions(rows: sparse.csr_matrix) -> sparse.csr_matrix:
    from scipy import sparse

    length = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    return sparse.csr_matrix(sparse.diags(1 / np.where(length > 0, length, 1)) @ rows)


def check(study: Study, pool: Pool, log: Log) -> Study:
    """Report runs with shifted captions, and runs whose captions are no nearer to the references of their own items
    than to those of other items.

    Return the study with a clause about each of them in `astray`.
    """
    units = _sums(study, np.ones(len(study.items)))
    if len(units) < FEW or not any(item.references for item in study.items):
        return study
    words, astray = Words(study), dict[str, str]()
    for run in study.runs:
        file = pool.runs[run.name].file if run.name in pool.runs else ""
        nearness = Nearness(study, *words.against(run))
        if len(units) < LEAST:
            if nearness.captions.nnz and nearness.over.mean() <= 0:
                log.add("run_not_nearer", file, id=run.name, run=run.name)
                astray[run.name] = "fits its own {one}s no better than others"
        elif (found := nearness.shift()) is not None:
            item, of = study.items[found.first].id, study.items[(found.first + found.by) % len(study.items)].id
            log.add("shifted_run", file, id=item, run=run.name, by=abs(found.by), item=item, of=of)
            astray[run.name] = "fits other {one}s better than its own"
        elif not nearness.above_chance():
            own, over = float(nearness.own.mean()), float(nearness.over.mean())
            least = _least(_sums(study, nearness.over)) * len(units) / len(study.items)
            near, far, least_text = (f"{value:.3f}" for value in (own, own - over, least))
            log.add("run_at_chance", file, id=run.name, run=run.name, own=near, others=far, least=least_text)
            astray[run.name] = "does not detectably fit its own {one}s better than others"
    return replace(study, astray=astray) if astray else study


class Nearness:
    """The nearness of a run's captions to the references of their own and of other items; `captions` and `references`
    are (items, words).
    """

    def __init__(self, study: Study, captions: sparse.csr_matrix, references: sparse.csr_matrix) -> None:
        """Compare each item with its own references and with all others."""
        self.study, self.captions, self.references = study, captions, references
        items = captions.shape[0]
        self.own = self.at(0)
        every = np.asarray(captions @ np.asarray(references.sum(axis=0)).ravel())
        self.over = self.own - (every - self.own) / (items - 1)

    def at(self, by: int) -> Floats:
        """(items,) nearness to the references of the item `by` places later, wrapping around at the end."""
        rows = np.roll(np.arange(self.captions.shape[0]), -by)
        return np.asarray(self.captions.multiply(self.references[rows]).sum(axis=1)).ravel()

    def above_chance(self) -> bool:
        """Return whether items are significantly nearer to their own references than to those of other items."""
        return _p(_sums(self.study, self.over)) <= ALPHA

    def shift(self) -> Shift | None:
        """Return the first shift found at which the references are significantly nearer than the items' own; None if
        there is none.
        """
        items = self.captions.shape[0]
        if not self.captions.nnz:
            return None
        rng = np.random.default_rng(0)
        directions = rng.choice((-1.0, 1.0), (self.captions.shape[1], WIDTH))
        captions, references = self.captions @ directions, self.references @ directions
        for first in range(0, items, -(-items // PARTS)):
            # All captions are always tried; a part only if it is much farther from its references than the part before.
            if first and self.over[first:].mean() > self.over[:first].mean() / 2:
                continue
            if len(_sums(self.study, self.over, first)) < LEAST:
                continue
            by = _best_shift(captions, references, first)
            gain = self.at(by) - self.own
            last = items - max(by, 0) if first else items
            if _p(_sums(self.study, gain, first, last)) <= SURE / (items * PARTS):
                return Shift(by, _begin(gain))
        return None


def _begin(gain: Floats) -> int:
    """Return the item from which the (items,) gains of a shift have the greatest sum to the end; 0 if near the
    start.
    """
    begin = int(np.cumsum(gain[::-1])[::-1].argmax())
    return begin if begin > len(gain) // (2 * PARTS) else 0


def _best_shift(captions: Floats, references: Floats, first: int) -> int:
    """Return the nonzero shift at which the items from `first` on are nearest to the references overall."""
    items = len(captions)
    part = captions.copy()
    part[:first] = 0
    spectrum = np.fft.rfft(references, axis=0) * np.conj(np.fft.rfft(part, axis=0))
    near = np.fft.irfft(spectrum.sum(axis=1), items)
    by = int(near[1:].argmax()) + 1
    return by if by <= items // 2 else by - items


def _sums(study: Study, values: Floats, first: int = 0, last: int | None = None) -> Floats:
    """(units,) sums of (items,) values within each independent unit, over the items from `first` to before `last`."""
    values = values[first:last]
    if study.unit is None:
        return values
    _, place = np.unique(study.unit[first:last], return_inverse=True)
    return np.bincount(place, weights=values).astype(np.float64)


def _least(values: Floats) -> float:
    """Return the smallest positive mean that the one-sided t-test at level `ALPHA` would detect with power `POWER`.

    The standard error is estimated from `values`.
    """
    from scipy.special import stdtrit

    error = float(values.std(ddof=1)) / np.sqrt(len(values))
    return float((stdtrit(len(values) - 1, 1 - ALPHA) + stdtrit(len(values) - 1, POWER)) * error)


def _p(values: Floats) -> float:
    """Return the p-value of the one-sided t-test that the mean is above 0; 1 for fewer than two values or only zeros.

    Nonzero values that are all equal give 0 if they are positive, else 1.
    """
    if len(values) < 2 or not values.any():
        return 1.0
    from scipy.special import stdtr

    error = values.std(ddof=1) / np.sqrt(len(values))
    if error == 0:
        return 0.0 if values[0] > 0 else 1.0
    return float(stdtr(len(values) - 1, -values.mean() / error))
