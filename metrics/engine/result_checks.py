"""Checks that arrays from a cache or a bundle can be the result of a metric on a run."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from data.study import Run, Study
from metrics.base import Metric
from metrics.cache.array_checks import Unfit, exceeds_largest
from metrics.cache.entry import Arrays
from metrics.engine.result import Result, from_arrays

SLACK = 1e-6
"""Tolerance for rounding: of a value beyond its bounds, and of a corpus value relative to its totals."""
LONGEST = 500
"""Maximum number of characters of the reason for a missing value."""


def result_of(metric: Metric, run: Run, study: Study, tested: bool, arrays: Arrays) -> Result:
    """Return the result of a metric on a run of a study from these arrays.

    The result must have the sizes of the study, be without an error, and be consistent: its corpus value follows from
    its totals, values are within their bounds, and every p is in 0..1. Otherwise raises one of
    `cache.disk.UNFIT_ERRORS`.
    """
    found = from_arrays(metric, arrays)
    for why, holds in (*_sizes(found, run, study, tested), *_values(found), *_words(found)):
        if not holds:
            raise Unfit(why)
    return found


def _sizes(found: Result, run: Run, study: Study, tested: bool) -> Iterator[tuple[str, bool]]:
    n, metric = len(study.items), found.metric
    yield "another number of items", type(found.n_items) is int and found.n_items == n
    yield "items", found.items.shape == ((n if metric.of_items else 0),)
    yield "totals", found.totals.ndim == 2 and found.totals.shape[1] > 0
    yield "totals of every item", not metric.of_items or len(found.totals) == n
    yield "values", found.values.ndim == 1 and found.values.shape == found.unit_item.shape
    if metric.grain == "candidate":
        counts = [len(run.candidates.get(item.id, ())) for item in study.items]
        yield "values of every candidate", np.array_equal(found.unit_item, np.repeat(np.arange(n), counts))
    for array, there in (
        (found.item_p, tested),
        (found.item_floor, tested),
        (found.null_mean, tested),
        (found.item_two_sided, tested and metric.two_sided),
    ):
        yield "tests", (array is not None) == there and (array is None or array.shape == (n,))
    yield "a joint test", found.joint is None or (tested and metric.joint)


def _values(found: Result) -> Iterator[tuple[str, bool]]:
    low, high = found.metric.bounds
    numbers = [found.values, found.items, np.array([found.corpus, found.low, found.high])]
    numbers += [] if found.null_mean is None else [found.null_mean]
    numbers += [found.joint.z] if found.joint else []
    for array in (*numbers, found.totals):
        yield "numbers", array.dtype.kind == "f" and not exceeds_largest(array)
    for array in numbers[:2]:
        yield "a value out of bounds", not (array < low - SLACK).any() and not (array > high + SLACK).any()
    yield "an interval with one end", np.isnan(found.low) == np.isnan(found.high)
    yield "an interval that ends before it begins", not found.low > found.high
    yield "a value beside its interval", not (found.corpus < found.low - SLACK or found.corpus > found.high + SLACK)
    shares = [getattr(found, name) for name in vars(found) if name.startswith("p_")]
    joint = np.concatenate([found.joint[:2], *found.joint[3:]]) if found.joint else None
    for p in (found.item_p, found.item_two_sided, found.item_floor, np.array(shares), joint):
        if p is not None:
            yield "a p", p.dtype.kind == "f" and not ((p < 0) | (p > 1 + SLACK)).any()
    with np.errstate(all="ignore"):
        total = float(found.metric.finish(found.totals.sum(axis=0)))
    yield "totals of another value", bool(np.isclose(total, found.corpus, rtol=SLACK, atol=SLACK, equal_nan=True))


def _words(found: Result) -> Iterator[tuple[str, bool]]:
    yield "an error", found.error is None
    for reasons in (found.reasons, found.untested):
        yield "reasons", all(0 <= item < max(found.n_items, 1) and _is_said(why) for item, why in reasons.items())


def _is_said(why: object) -> bool:
    return isinstance(why, str) and len(why) <= LONGEST and why.isprintable()
