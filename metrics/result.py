"""What one metric says of one run: values, tests and intervals, as plain arrays that the cache can keep."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metrics.arrays import Floats
from metrics.base import Metric, Stats


@dataclass(frozen=True)
class Tests:
    """Permutation tests of the items of a chunk or run; NaN where an item could not be tested.

    `p_value`, `floor`, `statistic`, `null_mean` are (n_items,); `draws` is (draws,), the sum over the tested items
    of statistics drawn from each item's null.
    """

    p_value: Floats
    floor: Floats
    statistic: Floats
    null_mean: Floats
    draws: Floats

    @staticmethod
    def joined(parts: list[Tests]) -> Tests:
        """The tests of consecutive chunks as one."""
        names = ("p_value", "floor", "statistic", "null_mean")
        columns = {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
        return Tests(draws=np.sum([part.draws for part in parts], axis=0), **columns)


@dataclass(frozen=True)
class Result:
    """One metric on one run.

    `values` (n_units,) with `unit_item` (n_units,) at candidate level, `items` (n_items,), `totals` (n_items, k) to
    resample; `corpus` with its 95 % interval `low`, `high`; tests where asked for; `reasons` by item, and `error`
    if the metric failed as a whole.
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
    item_floor: Floats | None = None
    null_mean: Floats | None = None
    p_value: float = np.nan
    p_hmp: float = np.nan
    p_floor: float = np.nan
    reasons: Mapping[int, str] = field(default_factory=dict)
    error: str | None = None

    @property
    def n(self) -> int:
        """Number of items behind the corpus value."""
        return int((~np.isnan(self.items)).sum()) if len(self.items) else (0 if np.isnan(self.corpus) else self.n_items)

    @property
    def tested(self) -> bool:
        """True if permutation tests were run."""
        return self.item_p is not None

    def why(self) -> str | None:
        """Why there is no corpus value, in one sentence; None if there is one."""
        if not np.isnan(self.corpus):
            return None
        if self.error:
            return self.error
        reasons = sorted(set(self.reasons.values()))
        return reasons[0] if reasons else "no item has a value"


NOT_YET = "not computed yet"
"""Stands for a number that no result is there for."""
_SCALARS = ("corpus", "low", "high", "p_value", "p_hmp", "p_floor")
_ARRAYS = ("values", "unit_item", "items", "totals", "item_p", "item_floor", "null_mean")


def to_arrays(result: Result) -> dict[str, NDArray[Any]]:
    """The result as arrays for the cache; its metric is known by the key, and units that are items are said once."""
    left_out = ("values", "unit_item") if result.metric.grain == "item" else ()
    arrays = {n: getattr(result, n) for n in _ARRAYS if n not in left_out and getattr(result, n) is not None}
    arrays["scalars"] = np.array([getattr(result, name) for name in _SCALARS])
    said = json.dumps({"n_items": result.n_items, "error": result.error, "reasons": dict(result.reasons)})
    arrays["said"] = np.frombuffer(said.encode(), dtype=np.uint8)
    return arrays


def from_arrays(metric: Metric, arrays: Mapping[str, NDArray[Any]]) -> Result:
    """The inverse of `to_arrays`."""
    said = json.loads(arrays["said"].tobytes())
    known = {name: arrays[name] for name in _ARRAYS if name in arrays}
    if metric.grain == "item":
        known |= {"values": known["items"], "unit_item": np.arange(len(known["items"]))}
    scalars = dict(zip(_SCALARS, map(float, arrays["scalars"])))
    reasons = {int(item): reason for item, reason in said["reasons"].items()}
    return Result(metric, said["n_items"], **scalars, **known, reasons=reasons, error=said["error"])  # type: ignore[arg-type]


def failed(metric: Metric, n_items: int, error: str) -> Result:
    """A metric that could not be computed: a row with its error, not a lost run."""
    items = np.full(n_items, np.nan) if metric.grain != "run" else np.empty(0)
    return Result(metric, n_items, items=items, error=error)


def joined_stats(parts: list[Stats]) -> Stats:
    """The statistics of consecutive chunks as one."""
    offsets = np.cumsum([0, *(part.n_items for part in parts)])
    item = np.concatenate([part.item + start for part, start in zip(parts, offsets)])
    reasons = {i + int(start): why for part, start in zip(parts, offsets) for i, why in part.reasons.items()}
    return Stats(np.concatenate([part.values for part in parts]), item, int(offsets[-1]), reasons)


def assemble(metric: Metric, stats: Stats, tests: Tests | None, resamples: int, seed: int) -> Result:
    """The result of a run from its statistics and tests."""
    items, totals = metric.items(stats), metric.totals(stats)
    low, high = metric.interval(totals, resamples, seed)
    result = {
        "corpus": float(metric.finish(totals.sum(axis=0))),
        "low": low,
        "high": high,
        "values": metric.units(stats.values),
        "unit_item": stats.item,
        "items": items,
        "totals": totals,
        "reasons": stats.reasons,
    }
    return Result(metric, stats.n_items, **result, **(_tested(metric, tests) if tests else {}))  # type: ignore[arg-type]


def _tested(metric: Metric, tests: Tests) -> dict[str, Any]:
    from metrics.pvalues import corpus_p, harmonic_mean_p

    known = ~np.isnan(tests.p_value)
    found: dict[str, Any] = {"item_p": tests.p_value, "item_floor": tests.floor, "null_mean": tests.null_mean}
    if not known.any():
        return found
    found["p_hmp"] = harmonic_mean_p(tests.p_value[known]).calibrated
    # Of few items, fewer relabellings exist than are drawn, and the draws estimate a p that cannot be smaller.
    found["p_floor"] = max(1 / (len(tests.draws) + 1), float(np.prod(tests.floor[known])))
    p_value = corpus_p(float(tests.statistic[known].sum()), tests.draws, metric.alternative)
    found["p_value"] = max(p_value, found["p_floor"])
    return found
