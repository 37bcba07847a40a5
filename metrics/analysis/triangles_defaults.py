"""The distance, run and item whose triangles are shown by default, by the same rule for page and command."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain

import numpy as np

from data.study import Item, Run, Study, of_study
from metrics.analysis.triangles import ENOUGH
from metrics.distances.words import BowDistance
from metrics.engine.result import Result
from metrics.suite.distribution import Trm

MIN_DISTINCT_SHARE = 0.5
"""Minimum share of distinct captions of an item in the default view: copies of one caption show little."""


def first_scored(trms: Mapping[str, Trm], scored: Callable[[Trm], bool]) -> str:
    """Return the label of the first distance whose TRM is already `scored`, or else that of bags of words."""
    return next((label for label, by in trms.items() if scored(by)), BowDistance.label)


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
) -> tuple[str, int]:
    """Return a run's name and the position of the item with the run's median TRM.

    The run is the first whose captions of that item vary, if there is one. The item with the smallest p would mislead:
    among 48 items without a difference, the smallest p is below .05 in nine studies out of ten. Without results, return
    the first run and item with enough captions on each side. `run` and `item` (an id) restrict the choice.
    """
    runs = [r for r in study.runs if r.name == run] or list(study.runs)
    everything = range(len(study.items))
    places = [k for k in everything if study.items[k].id == item] or everything
    medians = [(of, k) for of in runs if (k := _median(results.get((of.name, metric.name)), places)) is not None]
    varied = [(of, k) for of, k in medians if _variety(of.candidates[study.items[k].id]) >= MIN_DISTINCT_SHARE]
    enough = ((of, k) for k in places for of in runs if has_enough(study.items[k], of))
    of, k = next(chain(varied, medians, enough), (runs[0], places[0]))
    return of.name, k


def _median(result: Result | None, places: Sequence[int]) -> int | None:
    """The position of the (lower) median of the defined values; None without such values."""
    known = [] if result is None else [k for k in places if np.isfinite(result.items[k])]
    if result is None or not known:
        return None
    return sorted(known, key=lambda k: float(result.items[k]))[(len(known) - 1) // 2]


def _variety(texts: Sequence[str]) -> float:
    return len(set(texts)) / max(len(texts), 1)
