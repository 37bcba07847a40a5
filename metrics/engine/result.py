"""The result of one metric on one run: values, tests and intervals, as plain arrays that the cache can store."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metrics.base import Metric, Stats
from metrics.bootstrap import LEAST, why_no_interval
from metrics.engine.permutation_tests import Tests, joined_reasons, run_tests
from metrics.mathematics.arrays import Floats
from metrics.permutation.joint_test import Joint, as_array, of_array
from metrics.units import Units, by_unit, count_units


@dataclass(frozen=True)
class Result:
    """The result of one metric on one run.

    `values` (n_units,) are the values of the candidates, or of the items for a metric with one value per item, and
    `unit_item` (n_units,) are their items. `items` (n_items,) are the values of the items, and `totals` (n_items, k)
    the statistics to resample. `corpus` is the run's value, and `low` and `high` are the ends of its 95 % interval.
    Tests, if requested, are in the fields that `run_tests` returns; `joint` is the joint test of a divergence.
    `reasons` states, by item, why it has no value, and `untested` why an item with a value has no p. `error` is set if
    the metric failed as a whole. `unit` (n_items,) numbers the independent units of the items; None if each item is a
    unit. `at_maximum`, for a triangle-rank metric, is the mean share of distances at their maximum.
    """

    metric: Metric
    n_items: int
    corpus: float = np.nan
    low: float = np.nan
    high: float = np.nan
    values: Floats = field(default_factory=lambda: np.empty(0))
    unit_item: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    items: Floats = field(default_factory=lambda: np.empty(0))
    totals: Floats = field(default_factory=lambda: np.empty((0, 0)))
    item_p: Floats | None = None
    item_two_sided: Floats | None = None
    item_floor: Floats | None = None
    null_mean: Floats | None = None
    p_value: float = np.nan
    p_two_sided: float = np.nan
    p_hmp_raw: float = np.nan
    p_hmp: float = np.nan
    p_floor: float = np.nan
    drawn: float = np.nan
    at_maximum: float = np.nan
    joint: Joint | None = None
    reasons: Mapping[int, str] = field(default_factory=dict)
    untested: Mapping[int, str] = field(default_factory=dict)
    error: str | None = None
    unit: Units = None

    @cached_property
    def fingerprint(self) -> str:
        """The sha256 of the result's values, which differs if a bundle has other values for the same captions."""
        found = hashlib.sha256()
        for array in (self.items, self.totals, np.array([self.corpus]), *([] if self.unit is None else [self.unit])):
            found.update(np.ascontiguousarray(array).tobytes())
        return found.hexdigest()

    @property
    def n(self) -> int:
        """Number of items behind the corpus value."""
        return int((~np.isnan(self.items)).sum()) if len(self.items) else (0 if np.isnan(self.corpus) else self.n_items)

    @property
    def n_units(self) -> int:
        """Number of independent units behind the corpus value: items, or the clusters that these belong to."""
        if self.unit is None or self.n == 0:
            return self.n
        return count_units(self.unit, ~np.isnan(self.items) if len(self.items) else np.arange(self.n_items))

    @property
    def drawn_totals(self) -> Floats:
        """The totals of the units that a bootstrap draws: (units, k), or (n_items, k) if each item is its own unit."""
        return by_unit(self.totals, _resampled_unit(self.totals, self.unit))

    @property
    def sd(self) -> float:
        """Standard deviation over the items with a value (n - 1 degrees of freedom); NaN for fewer than two."""
        known = self.items[~np.isnan(self.items)]
        return float(np.std(known, ddof=1)) if len(known) > 1 else np.nan

    @property
    def tested(self) -> bool:
        """Whether permutation tests were run."""
        return self.item_p is not None

    def why(self) -> str | None:
        """Return the reason why there is no corpus value, in one sentence; None if there is a value."""
        if not np.isnan(self.corpus):
            return None
        if self.error:
            return self.error
        reasons = sorted(set(self.reasons.values()))
        return reasons[0] if reasons else "it has no value for any item"

    @property
    def p_people(self) -> float:
        """The p of the hypothesis that the run's captions are like people's, from the joint test if there is one."""
        return self.joint.p if self.joint else self.p_two_sided

    @property
    def p_people_floor(self) -> float:
        """The smallest possible `p_people`."""
        if self.joint:
            return self.joint.floor
        return min(1.0, self.p_floor * (2 if self.metric.two_sided else 1))

    @property
    def p_n(self) -> int:
        """Number of items behind the run's p: those that could be tested."""
        return 0 if self.item_p is None else int((~np.isnan(self.item_p)).sum())

    def why_no_p(self) -> str | None:
        """Return the reason why the run has no p, in one sentence; None if it has a p."""
        if self.p_n:
            return None
        return self.why() or next(iter(sorted(set(self.untested.values()))), "not tested")

    def why_no_interval(self) -> str | None:
        """Return the reason why the corpus value lacks an interval, in one sentence; None if it has one or is NaN."""
        if np.isnan(self.corpus) or not np.isnan(self.low):
            return None
        return self.metric.no_interval or self._why_no_interval

    @cached_property
    def _why_no_interval(self) -> str:
        if self.n_units >= LEAST and not self.metric.additive:
            return "leaving out items does not change it"
        drawn = self.metric.redrawn(self.drawn_totals) if self.n_units >= LEAST else ()
        return why_no_interval(self.n_units, drawn, clusters=self.unit is not None)


PENDING = "not computed yet"
"""The reason shown for a result that has not been computed yet."""
# New fields go at the end: results cached earlier without tests have fewer fields, and remain valid.
_SCALARS = ("corpus", "low", "high", "p_value", "p_hmp", "p_floor", "p_two_sided", "p_hmp_raw", "drawn", "at_maximum")
_ARRAYS = ("values", "unit_item", "items", "totals", "item_p", "item_two_sided", "item_floor", "null_mean", "unit")
_REASONS = ("reasons", "untested")


def to_arrays(result: Result) -> dict[str, NDArray[Any]]:
    """Return the result as arrays for the cache.

    The metric is omitted, since the cache key names it; if each unit is an item, the values are stored once.
    """
    left_out = ("values", "unit_item") if result.metric.grain == "item" else ()
    arrays = {n: getattr(result, n) for n in _ARRAYS if n not in left_out and getattr(result, n) is not None}
    if result.joint:
        arrays["joint"] = as_array(result.joint)
    arrays["scalars"] = np.array([getattr(result, name) for name in _SCALARS])
    said = {"n_items": result.n_items, "error": result.error} | {n: dict(getattr(result, n)) for n in _REASONS}
    arrays["said"] = np.frombuffer(json.dumps(said).encode(), dtype=np.uint8)
    return arrays


def from_arrays(metric: Metric, arrays: Mapping[str, NDArray[Any]]) -> Result:
    """Return the result that `to_arrays` stored. Raises one of `cache.disk.UNFIT_ERRORS` for other arrays."""
    said = json.loads(arrays["said"].tobytes())
    known: dict[str, Any] = {name: arrays[name] for name in _ARRAYS if name in arrays}
    if metric.grain == "item":
        known |= {"values": known["items"], "unit_item": np.arange(len(known["items"]))}
    if "joint" in arrays:
        known["joint"] = of_array(arrays["joint"])
    scalars = dict(zip(_SCALARS, map(float, arrays["scalars"])))
    # Results that were cached before tests recorded their reasons have none.
    known |= {name: {int(item): why for item, why in said.get(name, {}).items()} for name in _REASONS}
    return Result(metric, said["n_items"], **scalars, **known, error=said["error"])  # type: ignore[arg-type]


def failed(metric: Metric, n_items: int, error: str) -> Result:
    """Return the result of a metric that could not be computed: its error, and NaN for every item.

    The other metrics of the request are then not lost.
    """
    items = np.full(n_items, np.nan) if metric.of_items else np.empty(0)
    return Result(metric, n_items, items=items, error=error)


def joined_stats(parts: list[Stats]) -> Stats:
    """Return the combined statistics of consecutive chunks."""
    offsets = np.cumsum([0, *(part.n_items for part in parts)])
    item = np.concatenate([part.item + start for part, start in zip(parts, offsets)])
    reasons = joined_reasons([part.reasons for part in parts], offsets)
    return Stats(np.concatenate([part.values for part in parts]), item, int(offsets[-1]), reasons)


def _resampled_unit(totals: Floats, unit: Units) -> Units:
    """Return the units if the totals have a row per item, else None: other values have a single row of totals."""
    return unit if unit is not None and len(unit) == len(totals) else None


def assemble(
    metric: Metric, stats: Stats, tests: Tests | None, resamples: int, seed: int, unit: Units = None
) -> Result:
    """Return the result of a run from its statistics and tests; intervals are over the items' `unit` (n_items,).

    Values that are undefined are NaN, as are the ends of the interval with fewer than LEAST clusters.
    """
    items, totals = metric.items(stats), metric.totals(stats)
    drawn = by_unit(totals, _resampled_unit(totals, unit))
    few = len(drawn) < LEAST and len(drawn) < len(totals)
    low, high = (np.nan, np.nan) if few else metric.interval(drawn, resamples, seed)
    result = {
        "corpus": float(metric.finish(totals.sum(axis=0))),
        "low": low,
        "high": high,
        "values": metric.units(stats.values),
        "unit_item": stats.item,
        "items": items,
        "totals": totals,
        "reasons": stats.reasons,
        "unit": unit,
    }
    for name, column in zip(metric.extra_fields, stats.values.T[1:]):
        known = column[~np.isnan(column)]
        result[name] = float(known.mean()) if len(known) else np.nan
    return Result(metric, stats.n_items, **result, **(run_tests(metric, tests, seed, unit) if tests else {}))  # type: ignore[arg-type]
