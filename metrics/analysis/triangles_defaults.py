"""The distance, run and item whose triangles are shown by default, by the same rule for page and command."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import TypeVar

import numpy as np

from data.study import Item, Run, Study, of_study
from metrics.analysis.triangles import ENOUGH
from metrics.base import Metric
from metrics.distances.embeddings import BertDistance
from metrics.distances.words import BowDistance
from metrics.engine.result import Result
from metrics.permutation.pvalues import ALPHA
from metrics.registry import METRICS
from metrics.suite.distribution import Trm

T = TypeVar("T")
LOOKED_AT = 24
"""The number of sets of captions that are tested to find one to begin with, while a run has no results."""
MIN_DISTINCT_SHARE = 0.5
"""Minimum share of distinct captions of an item in the default view: copies of one caption show little."""


def first_scored(trms: Mapping[str, Trm], scored: Callable[[Metric], bool]) -> str:
    """Return the label of a distance by meaning for which little is left to compute, or else that of bags of words.

    That is the first distance whose TRM is already `scored`, or else sentence embeddings if captions were compared by
    them: bags of words find a caption about something else near one that shares its articles and prepositions.
    """
    by_meaning = [label for label, by in trms.items() if label != BowDistance.label and scored(by)]
    embedded = [label for label, by in trms.items() if by.space == BertDistance()]
    return next(iter([*by_meaning, *(embedded if scored(METRICS["bert"]) else ())]), BowDistance.label)


def has_enough(item: Item, run: Run) -> bool:
    """Return whether both sides have enough captions for a verdict."""
    return min(len(run.candidates.get(item.id, ())), len(item.references)) >= ENOUGH


@of_study
def any_enough(study: Study) -> bool:
    """Return whether any run and item have enough captions for a verdict."""
    return any(has_enough(item, run) for run in study.runs for item in study.items)


def typical(
    study: Study,
    metric: Trm,
    results: Mapping[tuple[str, str], Result],
    run: str | None = None,
    item: str | None = None,
    p_of: Callable[[Run, int], float] | None = None,
) -> tuple[str, int]:
    """Return a run's name and the position of an item: of those with p of at most ALPHA, the one with the median TRM.

    If these are no more than chance gives, it is the one with the run's median TRM. The run is the first whose captions
    of that item vary, if there is one. The item with the smallest p would mislead: among 48 items without a difference,
    the smallest p is below .05 in nine studies out of ten. Without results, return the first run and item with enough
    captions on each side; with `p_of`, which computes p, LOOKED_AT such items are tested by the same rule, and the
    first counts. `run` and `item` (an id) restrict the choice.
    """
    runs = [r for r in study.runs if r.name == run] or list(study.runs)
    everything = range(len(study.items))
    places = [k for k in everything if study.items[k].id == item] or everything
    medians = [(of, k) for of in runs if (k := _median(results.get((of.name, metric.name)), places)) is not None]
    varied = [(of, k) for of, k in medians if _variety(of.candidates[study.items[k].id]) >= MIN_DISTINCT_SHARE]
    enough = [(of, k) for k in places for of in runs if has_enough(study.items[k], of)]
    if p_of is not None and enough and not medians:
        tested = [(of, k) for of, k in enough if of is enough[0][0]][:LOOKED_AT]
        enough = [*_more_than_chance(tested, [p_of(*one) for one in tested]), *enough]
    of, k = next(chain(varied, medians, enough), (runs[0], places[0]))
    return of.name, k


def _more_than_chance(of: Sequence[T], p: Sequence[float]) -> list[T]:
    """Return those with p of at most ALPHA, if they are significantly more than chance gives; else none."""
    from scipy.stats import binom

    found = [one for one, value in zip(of, p, strict=True) if value <= ALPHA]
    return found if found and binom.sf(len(found) - 1, len(of), ALPHA) <= ALPHA else []


def _median(result: Result | None, places: Sequence[int]) -> int | None:
    """The position of the lower median of the significant values; None without values.

    Unless more values are significant than chance gives, all defined values count.
    """
    known = [] if result is None else [k for k in places if np.isfinite(result.items[k])]
    if result is None or not known:
        return None
    if (p := result.item_p) is not None:
        known = _more_than_chance(known, [float(p[k]) for k in known]) or known
    return sorted(known, key=lambda k: float(result.items[k]))[(len(known) - 1) // 2]


def _variety(texts: Sequence[str]) -> float:
    return len(set(texts)) / max(len(texts), 1)
