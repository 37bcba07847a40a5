"""The difference between two runs, or the score of one, on each slice, compared with its value on the other items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Literal, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from data.study import Study, digest
from metrics.analysis.comparable_runs import why_not_paired
from metrics.analysis.slices.groups import KINDS, Slice, slices
from metrics.base import Metric
from metrics.cache import array_checks
from metrics.cache.disk import array_texts, entry_key, text_array
from metrics.cache.entry import Arrays
from metrics.engine.result import PENDING, Result
from metrics.engine.scoring import REFERENCES, Results
from metrics.mathematics.arrays import Floats, Integers
from metrics.permutation.group_tests import group_tests
from metrics.permutation.item_test import DRAWS
from metrics.permutation.pvalues import ALPHA, benjamini_hochberg, holm
from metrics.progress import Hooks
from metrics.suite.consensus import Consensus
from metrics.suite.quality import RougeL
from metrics.text import tokens
from metrics.units import Units, by_unit, of_items

VERSION = 2
FEWEST, FEWEST_OF_SMALL, SMALL = 10, 5, 100
"""Minimum numbers of items per slice: in a study of at least SMALL items, and in a smaller one."""
STEADY, SPREAD = 50, 2.0
"""A test on fewer than STEADY items with more than SPREAD times the variation elsewhere may exceed its level."""
POWER = 0.8
"""Probability of finding a slice whose gap counts as detectable."""
Correction = Literal["holm", "bh"]
AGREEMENT = Consensus(RougeL())
"""The agreement of an item's references, by ROUGE-L, which reads no other items."""


@dataclass(frozen=True)
class Design:
    """The comparison of run `first` with run `second`, or of a single run with its mean.

    `fewest` is the minimum number of items per slice.
    """

    first: str
    second: str | None = None
    fewest: int = FEWEST
    draws: int = DRAWS
    seed: int = 0


@dataclass(frozen=True, eq=False)
class Values:
    """The values (items,) by which slices are compared: the first run's, minus the second run's if there is one.

    NaN is a gap. `sides` (runs, items) are the values of the runs, `agreement` (items,) is the agreement of the
    references, and `unit` (items,) numbers the independent units of the items, if these are clustered.
    """

    metric: Metric
    design: Design
    sides: Floats = field(repr=False)
    agreement: Floats = field(repr=False)
    fingerprints: tuple[str, ...] = ()
    unit: Units = None

    @property
    def items(self) -> Floats:
        """(items,) differences, or the values of the only run."""
        return self.sides[0] - self.sides[1] if len(self.sides) > 1 else self.sides[0]

    @property
    def known(self) -> Integers:
        """(known,) positions of the items with a value."""
        return np.flatnonzero(np.isfinite(self.items))

    @property
    def agreement_decides(self) -> bool:
        """Whether values rise with the agreement of the references, as a single run's scores against them do.

        Where people agree, everybody scores higher against the references, including people themselves: such a slice
        says nothing about the run.
        """
        return len(self.sides) == 1 and self.metric.reads_references

    @property
    def sign(self) -> int:
        """+1 if higher is better (or, for a diversity metric, more diverse), else -1."""
        return 1 if self.metric.higher_is_better else -1


class SliceDifference(NamedTuple):
    """A slice of `n` items: its mean `value` with its 95 % interval, and `elsewhere`, the mean of the other items.

    `gap` is value minus elsewhere, with its own interval; `p_value` is from the permutation test of the gap, and
    `adjusted` is corrected across all slices.
    """

    slice: Slice
    n: int
    value: float
    low: float
    high: float
    elsewhere: float
    gap: float
    gap_low: float
    gap_high: float
    p_value: float
    adjusted: float

    @property
    def significant(self) -> bool:
        """Whether the slice differs significantly from the other items."""
        return self.adjusted <= ALPHA


@dataclass(frozen=True, eq=False)
class SliceDifferences:
    """All slices, smallest p first, and the mean over all `n` items with its 95 % interval.

    `without_words` is true if words cannot be counted, so that no slice is formed by words or lengths.
    """

    rows: tuple[SliceDifference, ...]
    correction: Correction
    overall: float
    low: float
    high: float
    n: int
    without_words: bool = False

    @property
    def found(self) -> tuple[SliceDifference, ...]:
        """The slices that differ significantly from the other items."""
        return tuple(row for row in self.rows if row.significant)


def fewest(items: int) -> int:
    """Return the default minimum number of items per slice."""
    return FEWEST if items >= SMALL else FEWEST_OF_SMALL


def needed(study: Study, metric: Metric) -> tuple[Metric, ...]:
    """Return the metrics whose results `values` reads: the metric and, where possible, the agreement of references."""
    several = any(len(item.references) > 1 for item in study.items)
    return (metric, AGREEMENT) if several else (metric,)


def values(study: Study, results: Results, metric: Metric, design: Design) -> Values | str:
    """Return the values of the items, or the reason why there are no values."""
    names = [design.first, *([design.second] if design.second is not None else [])]
    runs = [study.run(name) for name in names]
    if not metric.of_items:
        return "its one value belongs to the whole run, so parts of the run have no values to compare"
    if len(runs) == 2 and (why := why_not_paired(study, metric, runs[0], runs[1])):
        return why
    found = [results.get((name, metric.name)) for name in names]
    if any(result is None for result in found):
        return PENDING
    ready = [result for result in found if result is not None]
    if whys := [reason for result in ready if (reason := result.why())]:
        return whys[0]
    agreement = results.get((REFERENCES.name, AGREEMENT.name))
    prints = tuple(result.fingerprint for result in [*ready, *([agreement] if agreement else [])])
    sides = np.stack([result.items for result in ready])
    return Values(metric, design, sides, _agreement(agreement, len(study.items)), prints, study.unit)


def _agreement(result: Result | None, count: int) -> Floats:
    return result.items if result is not None and len(result.items) == count else np.full(count, np.nan)


def key(study: Study, of: Values) -> str:
    """Return the cache key; it depends on the values, the references and metadata of the items, and the design."""
    said = [digest(dict(item.metadata)) for item in study.items]
    chosen = [of.design.fewest, of.design.draws, of.design.seed, of.design.second is None]
    return entry_key(
        "slices",
        VERSION,
        of.metric.signature,
        of.fingerprints,
        study.references_digest,
        said,
        chosen,
        *study.clustering,
        *study.splitting,
    )


def measure(study: Study, of: Values, hooks: Hooks | None = None) -> Arrays:
    """Return the slices, with their permutation tests, as arrays. Raises Cancelled."""
    with_words = tokens.missing(study.tokenizer) is None
    agreement = np.full_like(of.agreement, np.nan) if of.agreement_decides else of.agreement
    some = slices(study, of.known.tolist(), of.design.fewest, agreement, with_words)
    members, cluster = _members(some, of.known), of_items(of.unit, of.known)
    tested = group_tests(members, of.items[of.known], of.design.draws, of.design.seed, hooks, cluster)
    return {
        "kind": np.array([KINDS.index(one.kind) for one in some], dtype=np.int64),
        "texts": text_array([text for one in some for text in (one.field, one.value)]),
        "ends": np.array([(one.low, one.high) for one in some], dtype=np.float64).reshape(len(some), 2),
        "sizes": np.array([len(one.places) for one in some], dtype=np.int64),
        "places": np.array([place for one in some for place in one.places], dtype=np.int64),
        "p_value": tested.p_value,
        "draws": tested.draws,
        "with_words": np.array(with_words),
    }


def _members(some: Sequence[Slice], known: Integers) -> csr_array:
    """(slices, known items) 1 where a slice contains an item."""
    row = {int(place): k for k, place in enumerate(known)}
    columns = [row[place] for one in some for place in one.places]
    starts = np.cumsum([0, *(len(one.places) for one in some)])
    return csr_array((np.ones(len(columns)), columns, starts), shape=(len(some), len(known)))


def fits(study: Study, of: Values, arrays: Arrays) -> bool:
    """Return whether arrays from a cache or a bundle can be the slices of these values."""
    count, known = len(arrays.get("kind", ())), of.known
    shapes: array_checks.Shapes = dict.fromkeys(("kind", "sizes", "p_value", "draws"), (count,))
    try:
        array_checks.expect(arrays, {**shapes, "ends": (count, 2), "places": (None,), "with_words": ()})
        array_checks.expect_positions(arrays["places"], len(study.items))
        array_checks.expect_positions(arrays["kind"], len(KINDS))
        array_checks.expect_sizes(arrays["sizes"], len(arrays["places"]), arrays["sizes"].tolist())
        texts = array_texts(arrays["texts"], 2 * count)
    except (array_checks.Unfit, KeyError, ValueError):
        return False
    p, sizes, least = arrays["p_value"], arrays["sizes"], of.design.fewest
    ends = arrays["ends"]
    in_order = bool(((ends[:, 0] <= ends[:, 1]) | np.isnan(ends).all(axis=1)).all())
    groups = np.split(arrays["places"], np.cumsum(sizes)[:-1]) if count else []
    ascending = all((np.diff(group) > 0).all() for group in groups)
    enough = bool(((sizes >= least) & (sizes <= len(known) - least)).all())
    proper = bool(((p > 0) & (p <= 1) & (arrays["draws"] >= of.design.draws)).all())
    named = {(kind, *texts[2 * k : 2 * k + 2]) for k, kind in enumerate(arrays["kind"].tolist())}
    inside = bool(np.isin(arrays["places"], known).all())
    return in_order and ascending and enough and proper and len(named) == count and inside


def differences(of: Values, arrays: Arrays, correction: Correction = "holm") -> SliceDifferences:
    """Return every slice with its mean, interval and p, from the arrays of `measure`.

    Intervals are by Student's t over the items of a slice, and by Welch's t for the gap; for clusters, the standard
    errors are those of cluster sums.
    """
    p = arrays["p_value"]
    adjusted = holm(p) if correction == "holm" else benjamini_hochberg(p)
    items, known = of.items, of.known
    rows = [_row(one, of, float(p[k]), float(adjusted[k])) for k, one in enumerate(_slices(arrays))]
    rows.sort(key=lambda row: (row.p_value, -abs(row.gap), row.slice.key))
    mean, low, high = _mean(items[known], of_items(of.unit, known))
    return SliceDifferences(tuple(rows), correction, mean, low, high, len(known), not bool(arrays["with_words"]))


def detectable(found: SliceDifferences) -> list[float]:
    """Return, for each slice, the gap that would be significant with a probability of POWER after correction.

    The correction is Bonferroni's. Gaps are in the unit of the values and follow from the width of each gap's interval.
    Slices without an interval are left out. With skewed values the probability is a little less (docs/proof.md).
    """
    normal = NormalDist()
    reach = normal.inv_cdf(1 - ALPHA / 2 / max(len(found.rows), 1)) + normal.inv_cdf(POWER)
    halves = [(row.gap_high - row.gap_low) / 2 for row in found.rows]
    return [reach / normal.inv_cdf(1 - ALPHA / 2) * half for half in halves if half > 0]


def unsteady(of: Values, found: SliceDifferences) -> tuple[SliceDifference, ...]:
    """Return the significant slices of fewer than STEADY items with more than SPREAD times the variation elsewhere.

    With skewed values and equal means, up to 11 % of such slices are significant instead of 5 % (docs/proof.md).
    """

    def spread(items: Integers) -> float:
        return float(of.items[items].std(ddof=1))

    few = (row for row in found.found if 1 < len(row.slice.places) < STEADY)
    insides = ((row, np.array(row.slice.places)) for row in few)
    return tuple(row for row, here in insides if spread(here) > SPREAD * spread(np.setdiff1d(of.known, here)))


def _slices(arrays: Arrays) -> list[Slice]:
    count = len(arrays["kind"])
    texts, starts = array_texts(arrays["texts"], 2 * count), np.cumsum([0, *arrays["sizes"]])
    return [
        Slice(
            KINDS[int(arrays["kind"][k])],
            texts[2 * k],
            texts[2 * k + 1],
            tuple(arrays["places"][starts[k] : starts[k + 1]].tolist()),
            *map(float, arrays["ends"][k]),
        )
        for k in range(count)
    ]


def _row(one: Slice, of: Values, p: float, adjusted: float) -> SliceDifference:
    here = np.array(one.places)
    elsewhere = np.setdiff1d(of.known, here, assume_unique=True)
    inside, others = of.items[here], of.items[elsewhere]
    mean, low, high = _mean(inside, of_items(of.unit, here))
    gap = mean - float(others.mean())
    half = (
        _welch(inside, others) if of.unit is None else _of_clusters(inside, others, of.unit[here], of.unit[elsewhere])
    )
    return SliceDifference(
        one, len(inside), mean, low, high, float(others.mean()), gap, gap - half, gap + half, p, adjusted
    )


def _mean(sample: Floats, unit: Units) -> tuple[float, float, float]:
    """The mean with its 95 % interval by Student's t; the ends are NaN with fewer than two values or clusters."""
    mean = float(sample.mean()) if len(sample) else np.nan
    off = by_unit(sample - mean, unit)
    k = len(off)
    if k < 2:
        return mean, np.nan, np.nan
    half = float(_student(k - 1) * np.sqrt((off**2).sum() * k / (k - 1)) / len(sample))
    return mean, mean - half, mean + half


def _of_clusters(one: Floats, other: Floats, of_one: Integers, of_other: Integers) -> float:
    """Half-width of the 95 % interval of a difference of two means whose clusters may overlap; NaN with one cluster."""
    off = np.concatenate([(one - one.mean()) / len(one), (other.mean() - other) / len(other)])
    sums = by_unit(off, np.concatenate([of_one, of_other]))
    freedom = min(len(np.unique(of_one)), len(np.unique(of_other))) - 1
    if freedom < 1:
        return float("nan")
    return float(_student(freedom) * np.sqrt((sums**2).sum() * (freedom + 1) / freedom))


def _welch(one: Floats, other: Floats) -> float:
    """Half-width of the 95 % interval of the difference between two means (Welch 1947)."""
    parts = np.array([one.var(ddof=1) / len(one), other.var(ddof=1) / len(other)])
    total = float(parts.sum())
    if total <= 0:
        return 0.0
    freedom = total**2 / float((parts**2 / (np.array([len(one), len(other)]) - 1)).sum())
    return float(_student(freedom) * np.sqrt(total))


def _student(freedom: float) -> float:
    from scipy.stats import t

    return float(t.ppf(1 - ALPHA / 2, freedom))
