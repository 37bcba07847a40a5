"""The chance level of a score: the values of runs when scored against the references of other items.

A pairing is a derangement: each item gets the references of an item outside its cluster. Each pairing shifts the items
in a random circular order, within strata on request, so that few pairs recur. `chance` is the mean over the pairings.
Its interval runs from their 2.5 % to their 97.5 % quantile: captions that say nothing about their items score within it
in 95 % of studies. With 39 pairings these ends are the minimum and maximum; by symmetry, captions unrelated to their
references fall below the minimum in 1 case in 40, and above the maximum equally often.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from data.study import DataError, Item, Run, Study
from metrics.base import Metric, Stats
from metrics.cache import array_checks
from metrics.cache.disk import Cache, entry_key, text_vectors
from metrics.cache.entry import Arrays
from metrics.chunk import CHUNK, Chunk, StudyDigests
from metrics.distances.bertscore import BertScoreDistance
from metrics.engine.result import Result
from metrics.mathematics.arrays import Floats, Integers
from metrics.progress import Hooks
from metrics.text.text_set import TextSet

VERSION = 1
PAIRINGS = 39
LEAST = 8
"""Minimum number of items with a partner: with seven, some pairings coincide, and their range is too narrow."""
LENGTH = "length"
"""The value of `Design.within` for strata of items whose references are of similar length."""
STRATUM, STRATA = 20, 10
"""Minimum number of items per stratum of length, and maximum number of strata."""


@dataclass(frozen=True)
class Design:
    """The assignment of other items' references to items: the number of pairings, and the strata that they respect.

    `within` is "" for no strata, LENGTH, or a field of the items' metadata.
    """

    pairings: int = PAIRINGS
    seed: int = 0
    within: str = ""


@dataclass(frozen=True)
class Chance:
    """The chance values of one run by one metric.

    `value`, `low` and `high` belong to the run; `items` (items, 3) contains the mean, minimum and maximum of each item.
    NaN where undefined; with fewer than LEAST items, only the means are defined.
    """

    value: float
    low: float
    high: float
    items: Floats

    def above(self, value: float, higher_is_better: bool) -> bool:
        """Return whether a value is better than the whole interval; False if there is no interval."""
        return value > self.high if higher_is_better else value < self.low


class Range(NamedTuple):
    """The mean over some pairings, and the ends of their central 95 %; NaN without values."""

    value: float
    low: float
    high: float


def has_chance(metric: Metric) -> bool:
    """Return whether a metric has a chance value: it must compare captions with the references of their own item.

    A metric of a whole run compares captions with all references, whichever item they belong to. A metric that reads
    stated numbers or trains a network cannot use other references.
    """
    return (
        metric.family in ("quality", "distribution")
        and metric.reads_references
        and metric.of_items
        and not metric.of_stated_captions
        and not metric.judges_others
    )


def strata(study: Study, within: str) -> Integers:
    """Return the number of each item's stratum (items,). Raises DataError for a field that no item has."""
    if not within:
        return np.zeros(len(study.items), dtype=np.int64)
    if within == LENGTH:
        words = [np.mean([len(text.split()) for text in item.references] or [0]) for item in study.items]
        count = max(1, min(STRATA, len(words) // STRATUM))
        rank = np.argsort(np.argsort(words, kind="stable"), kind="stable")
        return np.asarray(rank * count // max(len(words), 1), dtype=np.int64)
    fields = dict.fromkeys(name for item in study.items for name in item.metadata)
    if within not in fields:
        known = ", ".join([LENGTH, *fields])
        raise DataError(f"no item has a field {within!r} in its metadata; chance can be taken within {known}")
    told = [str(item.metadata.get(within, "")) for item in study.items]
    numbers = {name: k for k, name in enumerate(dict.fromkeys(told))}
    return np.array([numbers[name] for name in told])


def partners(study: Study, design: Design) -> Integers:
    """Return positions (pairings, items) of the items whose references each item gets.

    Positions are -1 where a stratum allows no derangement. Raises DataError as `strata` does.
    """
    rng = np.random.default_rng(design.seed)
    found = np.full((design.pairings, len(study.items)), -1)
    group = strata(study, design.within)
    unit = np.arange(len(study.items)) if study.unit is None else study.unit
    for number in np.unique(group):
        places = np.flatnonzero(group == number)
        # Clusters are contiguous, so a shift by at least the largest size never pairs items of one cluster.
        largest = int(np.bincount(unit[places]).max())
        offsets = np.empty(0, dtype=np.int64)
        for row in found if len(places) >= 2 * largest else ():
            if not len(offsets):
                order = places[np.lexsort((rng.random(len(places)), rng.random(unit.max() + 1)[unit[places]]))]
                offsets = rng.permutation(np.arange(largest, len(places) - largest + 1))
            row[order] = np.roll(order, -offsets[0])
            offsets = offsets[1:]
    return found


def key(study: Study, metric: Metric, design: Design) -> str:
    """Return the cache key of all runs' chance values by one metric. Raises DataError as `strata` does."""
    groups = tuple(strata(study, design.within).tolist()) if design.within else ()
    contents = [study.contents[run.name] for run in study.runs]
    said = (VERSION, design.pairings, design.seed, *groups)
    return entry_key("chance", metric.signature, study.references_digest, *contents, *study.clustering, *said)


def measure(study: Study, metric: Metric, design: Design, cache: Cache, hooks: Hooks | None = None) -> Arrays:
    """Return "runs" (runs, pairings), each run's value by pairing, and "items" (runs, items, 3) as in `Chance`.

    There are no pairings if no item has a partner. Texts are embedded once, so each further pairing costs only the
    comparison of captions. Raises Cancelled, and DataError as `strata` does.
    """
    hooks = hooks or Hooks()
    paired = [other for other in partners(study, design) if (other >= 0).any()]
    runs, items = [], []
    for number, run in enumerate(study.runs):
        part = hooks.part(number / len(study.runs), (number + 1) / len(study.runs))
        values, each = [], np.full((len(paired), len(study.items)), np.nan)
        for place, one in enumerate(scored(study, metric, run, paired, cache, part)):
            values.append(one.corpus)
            each[place] = one.items
        runs.append(values)
        items.append(_summed_up(each))
    lacking = (0, len(study.items), 3)
    return {
        "runs": np.reshape(runs, (len(study.runs), len(paired))),
        "items": np.stack(items) if items else np.empty(lacking),
    }


def scored(
    study: Study, metric: Metric, run: Run, paired: Sequence[Integers], cache: Cache, hooks: Hooks
) -> Iterator[Result]:
    """Yield a run's result for each pairing (items,) in turn; items without a partner (-1) have no value."""
    return _Run(study, metric, run, cache.with_text_vectors(text_vectors()), hooks).scored(paired)


@dataclass(frozen=True)
class _Run:
    study: Study
    metric: Metric
    run: Run
    cache: Cache
    hooks: Hooks

    def scored(self, paired: Sequence[Integers]) -> Iterator[Result]:
        states, texts = self._states(), self._texts()
        of_study = replace(self.study, runs=(self.run,))
        facts = self.metric.prepare(of_study) if self.metric.learns in ("nothing", "references") else None
        for place, other in enumerate(paired):
            self.hooks.progress(f"{self.metric.label}, pairing {place + 1} of {len(paired)}")
            self.hooks.share(place / max(len(paired), 1))
            kept = np.flatnonzero(other >= 0)
            exchanged = [
                Item(self.study.items[k].id, self.study.items[other[k]].references, cluster=self.study.items[k].cluster)
                for k in kept
            ]
            learned = facts
            if self.metric.learns == "texts":
                learned = self.metric.prepare(Study(self.study.name, tuple(exchanged), (self.run,)))
            pieces = [exchanged[start : start + CHUNK] for start in range(0, len(kept), CHUNK)]
            yield self._result(
                [self.metric.stats(learned, self._chunk(piece, states, texts)) for piece in pieces], kept
            )

    def _result(self, parts: Sequence[Stats], kept: Integers) -> Result:
        self.hooks.check()
        items = np.full(len(self.study.items), np.nan)
        items[kept] = np.concatenate([self.metric.items(stats) for stats in parts])
        totals = np.concatenate([self.metric.totals(stats) for stats in parts])
        before = np.cumsum([0, *(stats.n_items for stats in parts)])
        return Result(
            self.metric,
            len(self.study.items),
            corpus=float(self.metric.finish(totals.sum(axis=0))),
            values=np.concatenate([self.metric.units(stats.values) for stats in parts]),
            unit_item=np.concatenate([kept[stats.item + start] for stats, start in zip(parts, before)]),
            items=items,
        )

    def _texts(self) -> TextSet:
        """All texts of the run and of the references, so that each is processed once for all pairings."""
        said = (self.run.candidates.get(item.id, ()) for item in self.study.items)
        return TextSet(text for own in (*said, *(item.references for item in self.study.items)) for text in own)

    def _chunk(self, items: Sequence[Item], states: dict[str, object], texts: TextSet) -> Chunk:
        """A chunk of items with other items' references; it writes nothing to disk and finds embeddings in memory."""
        self.hooks.check()
        memory = Cache(None)
        memory.text_vectors = self.cache.text_vectors
        chunk = Chunk.of(items, self.run, memory, self.hooks, StudyDigests.of(self.study, self.run))
        chunk.known = texts
        space = getattr(self.metric, "space", None)
        if states and isinstance(space, BertScoreDistance):
            known = [[states[text] for text in chunk.texts(k)] for k in range(len(chunk))]
            chunk.shared(("token states", space.encoder, space.layer), lambda: known)
        return chunk

    def _states(self) -> dict[str, object]:
        """The token states of each text, if the metric reads them; embeddings are stored in the cache's memory.

        The metric computes both when it scores the items with their own references.
        """
        states: dict[str, object] = {}
        if "encoder" not in self.metric.needs:
            return states
        space = getattr(self.metric, "space", None)
        facts = self.metric.prepare(replace(self.study, runs=(self.run,)))
        for start in range(0, len(self.study.items), CHUNK):
            self.hooks.check()
            items = self.study.items[start : start + CHUNK]
            chunk = Chunk.of(items, self.run, self.cache, self.hooks, StudyDigests.of(self.study, self.run))
            self.metric.stats(facts, chunk)
            if isinstance(space, BertScoreDistance):
                found: list[list[object]] = chunk.shared(("token states", space.encoder, space.layer), list)
                states |= {text: one for k, own in enumerate(found) for text, one in zip(chunk.texts(k), own)}
        return states


def _summed_up(values: Floats) -> Floats:
    """(items, 3) mean, minimum and maximum over values (pairings, items); NaN for an item without values."""
    known = ~np.isnan(values)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(known, values, 0).sum(axis=0) / known.sum(axis=0)
    low = np.where(known, values, np.inf).min(axis=0, initial=np.inf)
    high = np.where(known, values, -np.inf).max(axis=0, initial=-np.inf)
    return np.where(known.any(axis=0), np.stack([mean, low, high]), np.nan).T


def fits(study: Study, arrays: Arrays) -> bool:
    """Return whether arrays from a cache or a bundle can be the chance values of a study's runs."""
    runs, items = len(study.runs), len(study.items)
    return array_checks.has_shapes(arrays, {"runs": (runs, None), "items": (runs, items, 3)})


def of_arrays(study: Study, arrays: Arrays) -> dict[str, Chance]:
    """Return the chance values by run name from the arrays of `measure`."""
    return {run.name: _chance(arrays["runs"][k], arrays["items"][k]) for k, run in enumerate(study.runs)}


def of_pairings(values: Floats) -> Range:
    """Return the mean of values (pairings,) and the ends of their central 95 %: with 39, the minimum and maximum.

    Values of NaN are left out; if no value remains, all three are NaN.
    """
    known = values[~np.isnan(values)]
    if not len(known):
        return Range(np.nan, np.nan, np.nan)
    low, high = np.quantile(known, (0.025, 0.975), method="weibull")
    return Range(float(known.mean()), float(low), float(high))


def _chance(values: NDArray[np.float64], items: Floats) -> Chance:
    value, low, high = of_pairings(values)
    if np.isnan(value):
        return Chance(value, low, high, items)
    few = int((~np.isnan(items[:, 0])).sum()) < LEAST
    if few:
        low, high, items = np.nan, np.nan, np.where([True, False, False], items, np.nan)
    return Chance(value, low, high, items)
