"""What one metric says of one run: values, tests and intervals, as plain arrays that the cache can keep."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
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
    of statistics drawn from each item's null; `reasons` says by item why one with a value could not be tested.
    """

    p_value: Floats
    floor: Floats
    statistic: Floats
    null_mean: Floats
    draws: Floats
    reasons: Mapping[int, str] = field(default_factory=dict)

    @staticmethod
    def joined(parts: list[Tests]) -> Tests:
        """The tests of consecutive chunks as one."""
        names = ("p_value", "floor", "statistic", "null_mean")
        columns = {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
        starts = np.cumsum([0, *(len(part.p_value) for part in parts)])
        reasons = joined_reasons([part.reasons for part in parts], starts)
        return Tests(draws=np.sum([part.draws for part in parts], axis=0), reasons=reasons, **columns)


@dataclass(frozen=True)
class Result:
    """One metric on one run.

    `values` (n_units,) with `unit_item` (n_units,) at candidate level, `items` (n_items,), `totals` (n_items, k) to
    resample; `corpus` with its 95 % interval `low`, `high`; tests where asked for; `reasons` by item of no value,
    `untested` by item of a value without a p, and `error` if the metric failed as a whole.
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
    untested: Mapping[int, str] = field(default_factory=dict)
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

    @property
    def p_n(self) -> int:
        """Number of items behind the p of the run: those that could be tested."""
        return 0 if self.item_p is None else int((~np.isnan(self.item_p)).sum())

    def why_no_p(self) -> str | None:
        """Why there is no p of the run, in one sentence; None if there is one."""
        if self.p_n:
            return None
        return self.why() or next(iter(sorted(set(self.untested.values()))), "not tested")


NOT_YET = "not computed yet"
"""Stands for a number that no result is there for."""
_SCALARS = ("corpus", "low", "high", "p_value", "p_hmp", "p_floor")
_ARRAYS = ("values", "unit_item", "items", "totals", "item_p", "item_floor", "null_mean")
_REASONS = ("reasons", "untested")


def to_arrays(result: Result) -> dict[str, NDArray[Any]]:
    """The result as arrays for the cache; its metric is known by the key, and units that are items are said once."""
    left_out = ("values", "unit_item") if result.metric.grain == "item" else ()
    arrays = {n: getattr(result, n) for n in _ARRAYS if n not in left_out and getattr(result, n) is not None}
    arrays["scalars"] = np.array([getattr(result, name) for name in _SCALARS])
    said = {"n_items": result.n_items, "error": result.error} | {n: dict(getattr(result, n)) for n in _REASONS}
    arrays["said"] = np.frombuffer(json.dumps(said).encode(), dtype=np.uint8)
    return arrays


def from_arrays(metric: Metric, arrays: Mapping[str, NDArray[Any]]) -> Result:
    """The inverse of `to_arrays`."""
    said = json.loads(arrays["said"].tobytes())
    known: dict[str, Any] = {name: arrays[name] for name in _ARRAYS if name in arrays}
    if metric.grain == "item":
        known |= {"values": known["items"], "unit_item": np.arange(len(known["items"]))}
    scalars = dict(zip(_SCALARS, map(float, arrays["scalars"])))
    # What was kept before tests gave their reasons has none.
    known |= {name: {int(item): why for item, why in said.get(name, {}).items()} for name in _REASONS}
    return Result(metric, said["n_items"], **scalars, **known, error=said["error"])  # type: ignore[arg-type]


def failed(metric: Metric, n_items: int, error: str) -> Result:
    """A metric that could not be computed: a row with its error, not a lost run."""
    items = np.full(n_items, np.nan) if metric.of_items else np.empty(0)
    return Result(metric, n_items, items=items, error=error)


def joined_stats(parts: list[Stats]) -> Stats:
    """The statistics of consecutive chunks as one."""
    offsets = np.cumsum([0, *(part.n_items for part in parts)])
    item = np.concatenate([part.item + start for part, start in zip(parts, offsets)])
    reasons = joined_reasons([part.reasons for part in parts], offsets)
    return Stats(np.concatenate([part.values for part in parts]), item, int(offsets[-1]), reasons)


def joined_reasons(parts: Iterable[Mapping[int, str]], starts: Iterable[int]) -> dict[int, str]:
    """Reasons by item of consecutive chunks, whose items begin at `starts`, as one."""
    return {i + int(start): why for part, start in zip(parts, starts) for i, why in part.items()}


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
    found["untested"] = tests.reasons
    if not known.any():
        return found
    found["p_hmp"] = harmonic_mean_p(tests.p_value[known]).calibrated
    # Of few items, fewer relabellings exist than are drawn, and the draws estimate a p that cannot be smaller.
    found["p_floor"] = max(1 / (len(tests.draws) + 1), float(np.prod(tests.floor[known])))
    p_value = corpus_p(float(tests.statistic[known].sum()), tests.draws, metric.alternative)
    found["p_value"] = max(p_value, found["p_floor"])
    return found
