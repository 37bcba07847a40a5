"""The base class of metrics: parameters as fields, facts as class variables, statistics of chunks of items."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from data.study import Study
from metrics.bootstrap import RESAMPLES, bootstrap_totals, group_jackknife, interval
from metrics.chunk import Chunk, Learns
from metrics.mathematics.arrays import Alternative, Floats, Labels
from metrics.permutation.item_test import PermutationResult

Grain = Literal["candidate", "item", "run"]
Family = Literal["quality", "distribution", "diversity", "references"]
Need = Literal[
    "java",
    "meteor",
    "encoder",
    "pooled layer",
    "causal model",
    "error classifier",
    "training captions",
    "image vectors",
    "scene parser",
    "corenlp",
    "two candidates",
    "two references",
    "logprobs",
    "reference_logprobs",
    "oracle_logprobs of candidates",
    "oracle_logprobs of references",
    "coherence labels",
    "trained network",
    "image features",
    "pictures",
    "encoder of the network",
    "features beside captions",
    "stated objects",
]
Work = Literal["words", "encoder", "meteor"]
Measures = Literal["variety", "length", "evenness", "improbability"]
CountsBy = Literal["words", "repetition", "cluster"]


class Range(NamedTuple):
    """The smallest and the largest allowed value of a parameter: `n: Annotated[int, Range(1, 4)] = 4`."""

    low: float
    high: float


@dataclass(frozen=True)
class Stats:
    """Sufficient statistics: one row per unit (candidate or item), with the item that each row belongs to.

    `values` is (n_units, k), `item` (n_units,) indexes the items of the chunk or run, and `n_items` is their number. An
    undefined unit is a row of NaN; `reasons[item]` explains why.
    """

    values: Floats
    item: NDArray[np.int64]
    n_items: int
    reasons: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Metric(ABC):
    """A metric with its parameters. Subclasses are frozen dataclasses; equal signatures mean equal numbers."""

    version: ClassVar[int] = 1
    family: ClassVar[Family]
    grain: ClassVar[Grain]
    higher_is_better: ClassVar[bool]
    tested: ClassVar[bool] = False
    joint: ClassVar[bool] = False
    """Whether the test of a run also yields a joint p, computed with `signed_statistics`."""
    uses_order: ClassVar[bool] = False
    additive: ClassVar[bool] = True
    """Whether the corpus value is computed from sums over items, which allows runs to be resampled together."""
    no_interval: ClassVar[str] = ""
    """Why no corpus value of the metric has an interval; empty if it can have one."""
    no_test: ClassVar[str] = ""
    """Why there is no permutation test; empty if there is one, or if the reason is obvious."""
    no_human: ClassVar[str] = ""
    """Why people's own captions have no value comparable with the runs'; empty if they can have one."""
    pooled: ClassVar[bool] = False
    """Whether the value of a run is computed from sums of statistics, and is not the mean of its items."""
    extra_fields: ClassVar[tuple[str, ...]] = ()
    """Names of the fields of a result that contain the means of the statistics' columns after the first."""
    source: ClassVar[str]
    cites: ClassVar[tuple[str, ...]] = ()
    formula: ClassVar[str]
    summary: ClassVar[str]
    tie: ClassVar[float] = 1e-9
    """Two values of an item tie if they differ by no more than this."""
    more_means: ClassVar[str] = "more diverse"
    """The meaning of a higher value of a diversity metric for a run."""
    measures: ClassVar[Measures] = "variety"
    """What a diversity metric rewards: captions that differ, are long or improbable, or use words equally often."""
    reads_candidates: ClassVar[bool] = True
    reads_references: ClassVar[bool] = True
    """Whether an item's references affect its value other than through what is learned from all references."""
    scores_empty_captions: ClassVar[bool] = False
    """Whether a caption without words is scored: it has length 0 and shares nothing with other captions."""
    counts_by: ClassVar[CountsBy] = "words"
    """How a single caption affects the value: by its words, by repeating another caption, or by its cluster."""
    explicit_parameters: ClassVar[frozenset[str]] = frozenset()
    """Parameters that were set explicitly for this instance; options for all metrics do not change them."""
    plugin: ClassVar[str] = ""
    """Digest of the plug-in file that defines the class, which ends every signature; empty for built-in metrics."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The name in the registry."""

    @property
    @abstractmethod
    def label(self) -> str:
        """The heading of the metric's column in tables."""

    @property
    def parameters(self) -> str:
        """Everything besides name and version that determines the number, as `key:value` joined by `|`."""
        return "|".join(_parameter(part.name, getattr(self, part.name)) for part in fields(self))

    @property
    @abstractmethod
    def bounds(self) -> tuple[float, float]:
        """The smallest and the largest possible value."""

    @property
    def has_better_side(self) -> bool:
        """Whether one direction is better. For diversity neither is: a word salad is very diverse."""
        return self.family != "diversity"

    @property
    def size_free(self) -> bool:
        """Whether the number of captions changes the value only by chance; if not, compared runs need equal numbers."""
        return False

    @property
    def best_of(self) -> bool:
        """Whether only the best reference counts, in which case more references raise the value."""
        return False

    @property
    def of_items(self) -> bool:
        """Whether the metric has a value for each item; if not, only a whole run has a value."""
        return self.grain != "run"

    @property
    def work(self) -> Work:
        """The slowest kind of work that the metric requires."""
        return "words"

    @property
    def signature(self) -> str:
        """The identity of the number: `name|v1|parameters`. Nothing outside the signature may change the value."""
        return signed(self.signed_name, self, self.parameters)

    @property
    def signed_name(self) -> str:
        """The name in the signature, derived from the class and its fields, regardless of the name that tables use."""
        return self.name

    @property
    def needs(self) -> frozenset[Need]:
        """The requirements of the metric on the machine and the study."""
        return frozenset()

    def lacks(self, study: Study) -> str:
        """Return what the study or a file of the metric lacks, with the remedy; "" if nothing is missing."""
        return ""

    @property
    def learns(self) -> Learns:
        """The part of a study that `prepare` reads; it is part of every cache key."""
        return "nothing"

    @property
    def of_stated_captions(self) -> bool:
        """Whether the values come from files and exist only for the captions of one study."""
        return self.learns in ("names", "logprobs", "coherence")

    @property
    def judges_others(self) -> bool:
        """Whether the metric is a network that is trained on a study and can also score other captions of its items."""
        return False

    @property
    def tested_as(self) -> Metric:
        """The metric whose values are tested, usually this metric; it learns from candidates and references alike.

        A test relabels texts, and facts learned only from the references would reveal the labels.
        """
        return self

    def prepare(self, study: Study) -> Any:
        """Return the facts learned from a study, often None; if `learns` is "texts", the study has at most one run."""
        return None

    @abstractmethod
    def stats(self, context: Any, chunk: Chunk) -> Stats:
        """Return the sufficient statistics of a chunk of items of one run."""

    def units(self, values: Floats) -> Floats:
        """(n_units,) value of each row of the statistics (n_units, k): by default, its first column."""
        return values[:, 0]

    def items(self, stats: Stats) -> Floats:
        """(n_items,) value of each item: the mean over its units (S_agg for candidates). NaN where undefined."""
        return item_means(self.units(stats.values), stats)

    def totals(self, stats: Stats) -> Floats:
        """(n_items, k) additive summaries that `finish` turns into the corpus value; zeros where undefined."""
        values = self.items(stats)
        defined = ~np.isnan(values)
        return np.column_stack([np.where(defined, values, 0.0), defined.astype(float)])

    def finish(self, totals: Floats) -> Floats:
        """(...) corpus values from summed totals (..., k): by default, means; NaN where the totals count no item."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(totals[..., 1] > 0, totals[..., 0] / totals[..., 1], np.nan)

    def resampled(self, totals: Floats) -> Floats:
        """(...) corpus values of resampled totals (..., k); NaN where a resample leaves the value undefined."""
        return self.finish(totals)

    def interval(self, totals: Floats, resamples: int, seed: int) -> tuple[float, float]:
        """Return the 95 % bootstrap interval from totals (n_items, k); NaN if too few items have a value."""
        redrawn = self.redrawn(totals, resamples, seed)
        return interval(redrawn, int(with_value(totals).sum()))

    def redrawn(self, totals: Floats, resamples: int = RESAMPLES, seed: int = 0) -> Floats:
        """(resamples,) corpus values of items redrawn from totals (n_items, k); empty if no item has a value."""
        totals = totals[with_value(totals)]
        return self.resampled(bootstrap_totals(totals, resamples, seed)) if len(totals) else np.empty(0)

    @property
    def alternative(self) -> Alternative:
        """The tail of the permutation test: large divergences and small scores count as evidence."""
        return "less" if self.higher_is_better else "greater"

    @property
    def two_sided(self) -> bool:
        """Whether both tails are meaningful: a score can be too high, but a divergence cannot be too small."""
        return self.higher_is_better

    def test(self, context: Any, chunk: Chunk, index: int, budget: int, seed: int) -> PermutationResult:
        """Test whether both sides of an item have one distribution. Raises NotImplementedError if there is no test."""
        raise NotImplementedError(f"{self.name} has no permutation test")

    def signed_statistics(self, context: Any, chunk: Chunk, index: int, labels: Labels) -> Floats:
        """(B, 5) statistics of an item under labels (B, N). Raises NotImplementedError if there is no joint test."""
        raise NotImplementedError(f"{self.name} has no joint test")


def signed(name: str, instance: object, parameters: str) -> str:
    """Return `name|v1|parameters`: the signature of a metric, distance or encoder, under which numbers are cached.

    If the distance (`space`) or metric (`of`) that it uses has a version above 1, this version is appended: `v1.2`. The
    signature of anything from a plug-in file ends in the digest of that file.
    """
    files = "".join(f"|plugin:{digest}" for digest in dict.fromkeys(_plugins(instance)))
    return f"{name}|v{'.'.join(map(str, _versions(instance)))}|{parameters}".rstrip("|") + files


def _parameter(name: str, value: Any) -> str:
    """Return a field as it appears in a signature; a distance or metric appears as its own signature."""
    return f"{name}:{value.signature}" if isinstance(getattr(value, "signature", None), str) else f"{name}:{value}"


def _plugins(instance: Any) -> Iterator[str]:
    if instance.plugin:
        yield instance.plugin
    for part in ("space", "of"):
        if (inner := getattr(instance, part, None)) is not None:
            yield from _plugins(inner)


def _versions(instance: Any) -> Iterator[int]:
    yield instance.version
    for part in ("space", "of"):
        if (inner := getattr(instance, part, None)) is not None:
            yield from (version for version in _versions(inner) if version > 1)


def with_value(totals: Floats) -> Labels:
    """(n_items,) whether each item has a value; the totals (n_items, k) of an item without a value are zero."""
    return np.any(totals != 0, axis=1)


def item_means(values: Floats, stats: Stats) -> Floats:
    """(n_items,) mean over the units of each item; NaN if the item has no units or one of them is NaN."""
    counts = np.bincount(stats.item, minlength=stats.n_items)
    sums = np.bincount(stats.item, weights=values, minlength=stats.n_items)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(counts > 0, sums / counts, np.nan)


def item_sums(stats: Stats) -> Floats:
    """(n_items, k) sums of the statistics over the units of each item; an undefined unit adds nothing."""
    columns = np.nan_to_num(stats.values).T
    return np.column_stack([np.bincount(stats.item, weights=c, minlength=stats.n_items) for c in columns])


class Undefined(ValueError):
    """Raised if an item has no value; the message is the reason, shown in its place."""


def by_item(chunk: Chunk, grain: Grain, rows: Callable[[int], ArrayLike], columns: int = 1) -> Stats:
    """Return the statistics from `rows(index)` of each item; if that raises Undefined, NaN and the reason."""
    sizes = [chunk.sizes(index)[0] if grain == "candidate" else 1 for index in range(len(chunk))]
    parts, reasons = [np.empty((0, columns))], {}
    for index, size in enumerate(sizes):
        chunk.hooks.check()
        parts.append(np.full((size, columns), np.nan))
        try:
            parts[-1][:] = np.reshape(rows(index), (size, columns))
        except Undefined as why:
            reasons[index] = str(why)
    return Stats(np.concatenate(parts), np.repeat(np.arange(len(chunk)), sizes), len(chunk), reasons)


def need_sets(chunk: Chunk, index: int, at_least: int = 2) -> None:
    """Raise Undefined if a side of the item has fewer than `at_least` texts."""
    for count, side in zip(chunk.sizes(index), ("captions of the run", "captions by people")):
        if count < at_least:
            raise Undefined(f"needs {at_least} {side}, has {count}")


@dataclass(frozen=True)
class ItemMetric(Metric):
    """A metric with one number per item."""

    grain: ClassVar[Grain] = "item"

    @abstractmethod
    def value(self, context: Any, chunk: Chunk, index: int) -> float:
        """Return the value of one item. Raises Undefined with the reason if it has no value."""

    def stats(self, context: Any, chunk: Chunk) -> Stats:
        return by_item(chunk, self.grain, lambda index: self.value(context, chunk, index))


GROUPS = 20


class Estimate(NamedTuple):
    """A corpus value with its 95 % interval."""

    value: float
    low: float = np.nan
    high: float = np.nan


@dataclass(frozen=True)
class RunMetric(Metric):
    """A metric of a whole run, whose single row of statistics contains the value and its interval."""

    grain: ClassVar[Grain] = "run"
    additive: ClassVar[bool] = False

    @abstractmethod
    def estimate(self, context: Any, chunk: Chunk) -> Estimate:
        """Return the value of the run with its interval. Raises Undefined with the reason if it has no value."""

    def stats(self, context: Any, chunk: Chunk) -> Stats:
        one = np.zeros(1, dtype=np.int64)
        try:
            return Stats(np.array([self.estimate(context, chunk)]), one, 1)
        except Undefined as why:
            return Stats(np.full((1, 3), np.nan), one, 1, {0: str(why)})

    def totals(self, stats: Stats) -> Floats:
        return stats.values

    def finish(self, totals: Floats) -> Floats:
        return totals[..., 0]

    def interval(self, totals: Floats, resamples: int, seed: int) -> tuple[float, float]:
        low, high = np.clip(totals[0, 1:3], *self.bounds)  # the symmetric jackknife may overshoot
        return float(low), float(high)


def jackknifed(value: Callable[[NDArray[np.bool_]], float], chunk: Chunk) -> Estimate:
    """Return a value with its delete-a-group jackknife interval; `value` takes a mask of the items to keep."""

    def of_items(items: NDArray[np.int64]) -> float:
        return value(np.isin(np.arange(len(chunk)), items))

    return Estimate(of_items(np.arange(len(chunk))), *group_jackknife(of_items, len(chunk), GROUPS, unit=chunk.unit))
