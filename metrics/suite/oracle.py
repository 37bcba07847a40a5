"""Metrics of stated log-probabilities: those of the runs, and of the oracle, the known source of the references.

The words of captions are not used. Montahaei et al. 2019, sections 3.1 and 3.2.3 and table 4, have a single source;
here each item has its own source, and a run is judged by all items together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from data.study import Study
from metrics.base import Family, Grain, ItemMetric, Measures, Metric, Need, Stats, Undefined, by_item
from metrics.chunk import Chunk, Learns
from metrics.logprobs import NEEDS, Field, RunLogprobs, of_run
from metrics.mathematics.arrays import Floats
from metrics.mathematics.bhattacharyya import half_log_ratio, mean_weight
from metrics.suite.distribution import MONTAHAEI

NO_TEST = "the log-probabilities of a text belong to its source, so captions cannot be relabelled"
UNBOUNDED = (0.0, float("inf"))


class OnLogprobs(Metric):
    """A metric of log-probabilities that the files state."""

    no_test: ClassVar[str] = NO_TEST
    cites: ClassVar[tuple[str, ...]] = ("alihosseini2019jointly",)
    size_free: ClassVar[bool] = True
    scores_empty_captions: ClassVar[bool] = True
    reads: ClassVar[tuple[Field, ...]]

    @property
    def needs(self) -> frozenset[Need]:
        return frozenset(NEEDS[field] for field in self.reads)

    @property
    def learns(self) -> Learns:
        return "logprobs"

    @property
    def parameters(self) -> str:
        return "log:natural"

    def prepare(self, study: Study) -> RunLogprobs:
        """Return the log-probabilities of the study's only run."""
        return of_run(study)


@dataclass(frozen=True)
class MeanSurprisal(OnLogprobs):
    """The mean of -ln p of candidates, with one value per candidate."""

    grain: ClassVar[Grain] = "candidate"
    reads_references: ClassVar[bool] = False
    bounds: ClassVar[tuple[float, float]] = UNBOUNDED

    def surprisals(self, context: RunLogprobs, chunk: Chunk, index: int) -> Floats:
        """(n,) -ln p of the candidates of an item. Raises Undefined if they, or their probabilities, are missing."""
        if not chunk.sizes(index)[0]:
            raise Undefined("no captions of the run")
        (values,) = context.of(chunk.ids[index], *self.reads)
        return -values

    def stats(self, context: Any, chunk: Chunk) -> Stats:
        return by_item(chunk, self.grain, lambda index: self.surprisals(context, chunk, index))


@dataclass(frozen=True)
class Entropy(MeanSurprisal):
    """Entropy of a run: the mean of -ln p of its own candidates, by its own stated probabilities."""

    name: ClassVar[str] = "entropy"
    label: ClassVar[str] = "Entropy"
    family: ClassVar[Family] = "diversity"
    measures: ClassVar[Measures] = "improbability"
    higher_is_better: ClassVar[bool] = True
    reads: ClassVar[tuple[Field, ...]] = ("own",)
    source: ClassVar[str] = f"{MONTAHAEI}, section 3.1.2"
    formula: ClassVar[str] = r"-\frac1n\sum_{c\in C} \ln p(c)"
    summary: ClassVar[str] = (
        "In nats. An unbiased estimate where the candidates are a sample; undefined for a run decoded by search."
    )

    def surprisals(self, context: RunLogprobs, chunk: Chunk, index: int) -> Floats:
        context.need_sampled()
        return super().surprisals(context, chunk, index)


@dataclass(frozen=True)
class OracleNll(MeanSurprisal):
    """Oracle-NLL: the mean of -ln q of candidates under the known source of the references."""

    name: ClassVar[str] = "oracle_nll"
    label: ClassVar[str] = "Oracle-NLL"
    family: ClassVar[Family] = "quality"
    higher_is_better: ClassVar[bool] = False
    reads: ClassVar[tuple[Field, ...]] = ("oracle",)
    source: ClassVar[str] = f"{MONTAHAEI}, section 3.1.1; Yu et al. 2017 (SeqGAN)"
    formula: ClassVar[str] = r"-\frac1n\sum_{c\in C} \ln q(c)"
    summary: ClassVar[str] = (
        "In nats. Low where candidates are probable, so repeating the likeliest caption beats the oracle itself."
    )

    def surprisals(self, context: RunLogprobs, chunk: Chunk, index: int) -> Floats:
        values = super().surprisals(context, chunk, index)
        if lost := int(np.isposinf(values).sum()):
            raise Undefined(f"infinite: the oracle gives {lost} of {len(values)} captions of an item probability 0")
        return values


@dataclass(frozen=True)
class Nll(OnLogprobs, ItemMetric):
    """Negative log-likelihood: the mean of -ln p of the references under a run."""

    name: ClassVar[str] = "nll"
    label: ClassVar[str] = "NLL"
    family: ClassVar[Family] = "distribution"
    reads_candidates: ClassVar[bool] = False
    higher_is_better: ClassVar[bool] = False
    bounds: ClassVar[tuple[float, float]] = UNBOUNDED
    reads: ClassVar[tuple[Field, ...]] = ("references",)
    source: ClassVar[str] = f"{MONTAHAEI}, section 3.1.3"
    formula: ClassVar[str] = r"-\frac1m\sum_{r\in R} \ln p(r)"
    summary: ClassVar[str] = (
        "In nats, of the model and not of its candidates. Infinite, so undefined, for a run that gives any reference "
        "probability 0, as nucleus sampling does."
    )

    def value(self, context: RunLogprobs, chunk: Chunk, index: int) -> float:
        if not chunk.sizes(index)[1]:
            raise Undefined("no captions by people")
        lost, of = context.impossible
        if lost:
            raise Undefined(f"infinite: the run gives {lost:,} of {of:,} captions by people probability 0")
        (values,) = context.of(chunk.ids[index], *self.reads)
        return -float(values.mean())


@dataclass(frozen=True)
class Bhattacharyya(OnLogprobs):
    """Bhattacharyya distance of a run from the oracle, computed from candidates, references and their probabilities."""

    name: ClassVar[str] = "bhattacharyya"
    label: ClassVar[str] = "Bhattacharyya"
    family: ClassVar[Family] = "distribution"
    grain: ClassVar[Grain] = "item"
    pooled: ClassVar[bool] = True
    higher_is_better: ClassVar[bool] = False
    bounds: ClassVar[tuple[float, float]] = (-float("inf"), float("inf"))
    reads: ClassVar[tuple[Field, ...]] = ("own", "oracle", "references", "references_oracle")
    source: ClassVar[str] = f"{MONTAHAEI}, section 3.2.3"
    formula: ClassVar[str] = (
        r"-\tfrac12\Big(\ln \overline{\sqrt{q(c)/p(c)}}_{c\in C} + \ln \overline{\sqrt{p(r)/q(r)}}_{r\in R}\Big)"
    )
    summary: ClassVar[str] = (
        "0 where run and oracle are the same (an estimate may fall below by chance), 700 where they share nothing. The "
        "means are over all items, each weighing the same: the few captions of one item give too high a value."
    )

    def stats(self, context: Any, chunk: Chunk) -> Stats:
        return by_item(chunk, self.grain, lambda index: self._weights(context, chunk, index), 2)

    def _weights(self, context: RunLogprobs, chunk: Chunk, index: int) -> tuple[float, float]:
        """Return the mean weights of an item's candidates and references. Raises Undefined if a side has none."""
        for count, side in zip(chunk.sizes(index), ("captions of the run", "captions by people")):
            if not count:
                raise Undefined(f"no {side}")
        context.need_sampled()
        own, oracle, people, people_oracle = context.of(chunk.ids[index], *self.reads)
        try:
            return mean_weight(half_log_ratio(oracle, own)), mean_weight(half_log_ratio(people, people_oracle))
        except (ValueError, OverflowError) as error:
            raise Undefined(str(error)) from error

    def units(self, values: Floats) -> Floats:
        return 0.0 - np.log(values).mean(axis=1)

    def totals(self, stats: Stats) -> Floats:
        """(n_items, 3) mean weight of the candidates, of the references, and 1; zeros where undefined."""
        rows = np.column_stack([stats.values, np.ones(len(stats.values))])
        return np.where(np.isnan(stats.values[:, :1]), 0.0, rows)

    def finish(self, totals: Floats) -> Floats:
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(0.0 - np.log(totals[..., :2] / totals[..., 2:]).mean(axis=-1))
