"""Permutation tests on nested sets of captions: the p of every item and of the corpus, by number of captions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from data.study import Study
from metrics.analysis.sensitivity import sets
from metrics.analysis.sensitivity.item_tests import Sums, Work
from metrics.analysis.sensitivity.mauve_tests import run_tests
from metrics.analysis.sensitivity.sets import Case, Design
from metrics.analysis.sensitivity.uniformity import Uniformity, uniformity
from metrics.base import Metric
from metrics.cache.disk import Cache, entry_key
from metrics.cache.entry import Arrays
from metrics.mathematics.arrays import Alternative, Floats
from metrics.permutation.pvalues import Averages, averages, corpus_p, uniform_averages
from metrics.progress import Hooks
from metrics.suite.corpus_embeddings import Mauve

VERSION = 1
"""Version of the computation; part of the cache key."""
PIECE = 32
"""Number of items tested between two progress reports."""


class Summary(NamedTuple):
    """The p of one metric and case, over `n` items and for the corpus; NaN where undefined.

    `low`, `median` and `high` are the quartiles of the items' p, `floor` is the smallest that any item can have, and
    `found` is the share of items with p up to .05. `averages` are averages of the items' p; `uniform` are the same if
    all possible p of each item were equally likely.
    """

    n: int
    low: float
    median: float
    high: float
    floor: float
    found: float
    averages: Averages
    uniform: Averages
    corpus: float
    corpus_floor: float


@dataclass(frozen=True, eq=False)
class Curve:
    """Item p-values `p` and their `floors` (cases, metrics, items), and the p of the corpus for each case and metric.

    `corpus` (cases, metrics, 2) is p with its smallest possible value; `uniform` (cases, metrics, 2) is, for the rows
    of people, the distance of the items' p from uniformity with its p-value.
    """

    design: Design
    metrics: tuple[Metric, ...]
    p: Floats = field(repr=False)
    floors: Floats = field(repr=False)
    corpus: Floats = field(repr=False)
    uniform: Floats = field(repr=False)

    def place(self, case: Case, metric: str) -> tuple[int, int]:
        """Return the indices of a case and of the metric with that name."""
        return self.design.cases.index(case), [one.name for one in self.metrics].index(metric)

    def summary(self, case: Case, metric: str) -> Summary:
        """Return a summary of a metric's p in a case: quartiles over items, the share up to .05, and the corpus p.

        If no item has a p, n is 0 and all statistics over items are NaN.
        """
        at = self.place(case, metric)
        known = ~np.isnan(self.p[at])
        p, floors = self.p[at][known], self.floors[at][known]
        corpus, least = (float(value) for value in self.corpus[at])
        if not len(p):
            return Summary(0, *(np.nan,) * 5, averages([]), averages([]), corpus, least)
        low, middle, high = (float(q) for q in np.quantile(p, (0.25, 0.5, 0.75)))
        found = float((p <= 0.05).mean())
        both = averages(p), uniform_averages(floors)
        return Summary(len(p), low, middle, high, float(floors.min()), found, *both, corpus, least)

    def uniformity(self, case: Case, metric: str) -> Uniformity:
        """Return how far p is from uniform when people are compared with people, and the p of a test of uniformity."""
        at = self.place(case, metric)
        statistic, p = (float(value) for value in self.uniform[at])
        return Uniformity(statistic, p, int((~np.isnan(self.p[at])).sum()))

    def arrays(self) -> Arrays:
        """Return the numbers as arrays for the cache."""
        return {"p": self.p, "floors": self.floors, "corpus": self.corpus, "uniform": self.uniform}


def testable(metrics: Sequence[Metric]) -> tuple[Metric, ...]:
    """Return the metrics that have a permutation test for any set of captions."""
    return tuple(metric for metric in metrics if metric.tested and metric.tested_as.learns != "names")


def tested_whole(metrics: Sequence[Metric]) -> tuple[Mauve, ...]:
    """Return the metrics with one permutation test over the captions of all items, and no test of single items."""
    return tuple(metric for metric in metrics if isinstance(metric, Mauve))


def key(study: Study, made: Design, metrics: Sequence[Metric]) -> str:
    """Return the cache key; it depends on captions, references, design and signatures."""
    said = [[*map(list, made.cases)], made.items, made.seed, VERSION]
    content = study.contents[made.run]
    return entry_key(
        "sensitivity",
        study.references_digest,
        content,
        said,
        [m.tested_as.signature for m in metrics],
        *study.clustering,
    )


def from_arrays(made: Design, metrics: Sequence[Metric], arrays: Arrays) -> Curve:
    """Return the curve from its arrays, the inverse of `Curve.arrays`."""
    parts = {name: arrays[name] for name in ("p", "floors", "corpus", "uniform")}
    return Curve(made, tuple(metrics), **parts)


def fits(arrays: Arrays, study: Study, made: Design, metrics: Sequence[Metric]) -> bool:
    """Return whether arrays from a cache or a bundle can belong to this design."""
    cells = (len(made.cases), len(metrics))
    items = len(sets.chosen_items(study, made))
    shapes = {"p": (*cells, items), "floors": (*cells, items), "corpus": (*cells, 2), "uniform": (*cells, 2)}
    for name, shape in shapes.items():
        found = arrays.get(name)
        if found is None or found.dtype.kind != "f" or found.shape != shape:
            return False
        known = found[~np.isnan(found)]
        if len(known) and (known.min() < 0 or known.max() > 1):
            return False
    return True


def measure(
    study: Study,
    made: Design,
    metrics: Sequence[Metric],
    cache: Cache | None = None,
    hooks: Hooks | None = None,
) -> Curve:
    """Return the tests of every case of the design by every metric. Raises Cancelled, and whatever a metric raises.

    MAUVE has no p per item, but one for all captions that a case draws, relabelled within their items.

    A metric that learns from a study, for example document frequencies, learns once from all texts of the run and its
    references, whoever wrote them, so that all relabellings of a set are equally likely. Embeddings of all texts of an
    item and distances between them come from the cache or are computed once; each set uses its part of them. Items of
    one cluster are relabelled identically, so that the p of the corpus and of uniformity account for clusters. Tests
    run in one thread: two threads would contend for the interpreter between tests of a millisecond, and take longer.
    """
    hooks = hooks or Hooks()
    whole = tested_whole(metrics)
    of_items = hooks.part(0.0, 0.5) if whole else hooks
    work = Work(study, made, tuple(metrics), cache or Cache(None), of_items)
    total, done = len(sets.chosen_items(study, made)), 0
    found, sums = [], Sums()
    for places, source in work.sources():
        work.fill(source)
        for start in range(0, len(places), PIECE):
            of_items.check()
            piece = work.piece(source, places[start : start + PIECE].tolist(), start)
            found.append(piece.items)
            sums = sums + piece.sums
            done += piece.items.p.shape[-1]
            of_items.share(done / total)
    p, floors, simulated = (np.concatenate(parts, axis=2) for parts in zip(*found, strict=True))
    corpus = _corpus(sums, p, floors, [metric.tested_as.alternative for metric in metrics])
    if whole:
        columns = [k for k, metric in enumerate(metrics) if metric in whole]
        corpus[:, columns] = run_tests(study, made, whole, work.cache, hooks.part(0.5, 1.0))
    uniform = np.full(corpus.shape, np.nan)
    for row, case in enumerate(work.people):
        for m in range(len(metrics)):
            uniform[case, m] = uniformity(p[case, m], simulated[row, m])[:2]
    return Curve(made, tuple(metrics), p, floors, corpus, uniform)


def _corpus(sums: Sums, p: Floats, floors: Floats, sides: Sequence[Alternative]) -> Floats:
    """(cases, metrics, 2) p of the corpus permutation test, and its smallest possible value; NaN if no item has a p."""
    found = np.full((*p.shape[:2], 2), np.nan)
    for at in np.ndindex(*p.shape[:2]):
        known = ~np.isnan(p[at])
        if known.any():
            least = float(np.exp(np.log(floors[at][known]).sum()))
            least = max(1 / (sums.draws.shape[-1] + 1), least)
            tested = corpus_p(float(sums.observed[at]), sums.draws[at], sides[at[1]])
            found[at] = max(tested, least), least
    return found
