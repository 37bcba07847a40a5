"""Permutation tests of a run's items and of the whole run, as plain arrays that the cache can store."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from metrics.base import Metric
from metrics.engine.joint_sums import JointSums
from metrics.mathematics.arrays import Floats, Labels
from metrics.permutation.item_test import two_sided
from metrics.permutation.pvalues import Null, Tails, corpus_p, exact_tails, few, harmonic_mean_p
from metrics.units import Units, of_items

T = TypeVar("T")
COLUMNS = ("p_value", "p_two_sided", "floor", "statistic", "null_mean", "drawn")


@dataclass(frozen=True)
class Tests:
    """Permutation tests of the items of a chunk or run; NaN for an item that could not be tested.

    `p_value`, `p_two_sided`, `floor`, `statistic`, `null_mean` and `drawn`, the number of random relabellings (0 if all
    partitions were enumerated), are (n_items,). `draws` (draws,) is the sum over the tested items of statistics drawn
    from each item's null distribution. `joint` is set for a metric with a joint test. `nulls` contains the exact null
    distributions by item, either all of them or none (see `Nulls`). `reasons` explains, by item, why an item with a
    value could not be tested.
    """

    p_value: Floats
    p_two_sided: Floats
    floor: Floats
    statistic: Floats
    null_mean: Floats
    drawn: Floats
    draws: Floats
    nulls: Mapping[int, Null] = field(default_factory=dict)
    reasons: Mapping[int, str] = field(default_factory=dict)
    joint: JointSums | None = None

    @staticmethod
    def joined(parts: list[Tests]) -> Tests:
        """Return the combined tests of consecutive chunks."""
        columns = {name: np.concatenate([getattr(part, name) for part in parts]) for name in COLUMNS}
        starts = np.cumsum([0, *(len(part.p_value) for part in parts)])
        reasons = joined_reasons([part.reasons for part in parts], starts)
        nulls = joined_reasons([part.nulls for part in parts], starts)
        joint = JointSums.joined([part.joint for part in parts if part.joint])
        draws = np.sum([part.draws for part in parts], axis=0)
        return Tests(draws=draws, nulls=nulls, reasons=reasons, joint=joint, **columns)

    @property
    def known(self) -> Labels:
        """(n_items,) whether each item was tested."""
        return ~np.isnan(self.p_value)

    @property
    def informative(self) -> Labels:
        """(n_items,) whether relabelling changes the statistic; it does not if all captions are equal."""
        return self.known & (self.floor < 1)


class Nulls:
    """Exact null distributions by item: `kept` contains all of them, or none once they become too many or too large."""

    def __init__(self) -> None:
        self.kept: dict[int, Null] = {}
        self._few = True

    def add(self, item: int, null: Floats) -> None:
        """Add the values of all partitions of an item whose statistic changes under relabelling."""
        if self._few:
            self.kept[item] = Null.of(null)
            self._few = few([len(one.values) for one in self.kept.values()])
            self.kept = self.kept if self._few else {}


def to_arrays(tests: Tests) -> dict[str, NDArray[Any]]:
    """Return the tests as arrays for the cache, without their reasons."""
    values, counts = ([getattr(null, name) for null in tests.nulls.values()] for name in ("values", "counts"))
    return {
        **{name: getattr(tests, name) for name in (*COLUMNS, "draws")},
        "null_item": np.array(list(tests.nulls), dtype=np.int64),
        "null_sizes": np.array([len(v) for v in values], dtype=np.int64),
        "null_values": np.concatenate([np.empty(0), *values]),
        "null_counts": np.concatenate([np.empty(0, dtype=np.int64), *counts]),
        **(tests.joint.to_arrays() if tests.joint else {}),
    }


def from_arrays(arrays: Mapping[str, NDArray[Any]], reasons: Mapping[int, str]) -> Tests:
    """Return the tests that `to_arrays` stored. Raises Unfit as `JointSums.from_arrays` does."""
    ends = np.cumsum(arrays["null_sizes"])[:-1]
    values, counts = (np.split(arrays[name], ends) for name in ("null_values", "null_counts"))
    nulls = {int(item): Null(v, c) for item, v, c in zip(arrays["null_item"], values, counts)}
    joint = JointSums.from_arrays(arrays)
    return Tests(**{name: arrays[name] for name in (*COLUMNS, "draws")}, nulls=nulls, reasons=reasons, joint=joint)


def joined_reasons(parts: Iterable[Mapping[int, T]], starts: Iterable[int]) -> dict[int, T]:
    """Return one mapping of values by item, such as reasons, from consecutive chunks that begin at `starts`."""
    return {i + int(start): said for part, start in zip(parts, starts) for i, said in part.items()}


def run_tests(metric: Metric, tests: Tests, seed: int = 0, unit: Units = None) -> dict[str, Any]:
    """Return the test fields of a Result: the tests of its items, and the p of the run.

    `p_value` is the p of the corpus permutation test in the metric's own tail; `p_two_sided` counts both tails for a
    score and equals `p_value` for a divergence. Both are exact if the distribution of the sum over items can be
    enumerated (`drawn` is 0); otherwise they come from `drawn` random relabellings. `p_floor` is the smallest possible
    `p_value`: the product of the items' floors, or 1 / (draws + 1) if that is larger. Items of one `unit` (n_items,)
    are relabelled together and count once, with their largest floor. `p_hmp` is the harmonic mean p of the items,
    calibrated for their number; `p_hmp_raw` is the plain harmonic mean. `joint` is the joint test of a metric that has
    one; its random sign flips of clusters are drawn with `seed`.
    """
    known, informative = tests.known, tests.informative
    found: dict[str, Any] = {"item_p": tests.p_value, "item_floor": tests.floor, "null_mean": tests.null_mean}
    if metric.two_sided:
        found["item_two_sided"] = tests.p_two_sided
    found["untested"] = tests.reasons
    if not known.any():
        return found
    found["p_hmp_raw"], found["p_hmp"] = harmonic_mean_p(tests.p_value[known])
    if tests.joint:
        found["joint"] = tests.joint.tested(of_items(unit, known), seed)
    if informative.sum() > 1:
        return found | _of_sums(metric, tests, unit)
    alone = informative if informative.any() else known
    columns = zip(("p_value", "p_two_sided", "p_floor", "drawn"), ("p_value", "p_two_sided", "floor", "drawn"))
    return found | {name: float(getattr(tests, column)[alone][0]) for name, column in columns}


def _of_sums(metric: Metric, tests: Tests, unit: Units) -> dict[str, float]:
    informative, draws = tests.informative, 0
    floor = float(np.prod(_floors(tests.floor[informative], of_items(unit, informative))))
    tails = None
    if len(tests.nulls) == informative.sum():
        tails = exact_tails(float(tests.statistic[informative].sum()), list(tests.nulls.values()))
    if tails is None:
        observed, draws = float(tests.statistic[tests.known].sum()), len(tests.draws)
        tails = Tails(corpus_p(observed, tests.draws, "less"), corpus_p(observed, tests.draws, "greater"))
        floor = max(1 / (draws + 1), floor)
    p, other = (tails.low, tails.high) if metric.alternative == "less" else (tails.high, tails.low)
    # The draws estimate a p that cannot be smaller than its floor.
    p = max(p, floor)
    both = two_sided(p, other) if metric.two_sided else p
    return {"p_value": p, "p_two_sided": both, "p_floor": floor, "drawn": float(draws)}


def _floors(floors: Floats, unit: Units) -> Floats:
    """(units,) floor of each unit, whose items are relabelled together: the largest floor among them."""
    if unit is None:
        return floors
    numbers, place = np.unique(unit, return_inverse=True)
    largest = np.zeros(len(numbers))
    np.maximum.at(largest, place, floors)
    return largest
