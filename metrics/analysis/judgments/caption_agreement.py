"""Agreement of metrics with people's ratings of captions, as arrays stored in the cache."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from data.study import Study, digest
from metrics.analysis.judgments import best_metric
from metrics.analysis.judgments.correlation import RESAMPLES, STATISTICS, Estimate, correlations, estimate
from metrics.analysis.judgments.pair_accuracy import CHANCE, pairs_within, within
from metrics.analysis.judgments.points import ByRater, Points, Values, metric_values, others, points
from metrics.analysis.judgments.trivial_baselines import TRIVIAL, Lead, leads, predictors
from metrics.base import Metric
from metrics.cache import array_checks
from metrics.cache.disk import entry_key
from metrics.cache.entry import Arrays
from metrics.mathematics.arrays import Floats, Integers
from metrics.progress import Hooks

VERSION = 3
"""Version of the computation; part of the cache key."""
WITHIN = ("pair_accuracy", "kendall_tau_b", "pearson")
_NULL = (CHANCE, 0.0, 0.0)


@dataclass(frozen=True)
class Design:
    """Settings of a comparison: criterion and runs of the ratings, single ratings or their means, and the bootstrap."""

    criterion: str
    by: ByRater = "each"
    runs: tuple[str, ...] = ()
    resamples: int = RESAMPLES
    seed: int = 0


@dataclass(frozen=True, eq=False)
class CaptionAgreement:
    """The agreement with people of metrics (m,), of the baselines of `TRIVIAL`, and of people with each other.

    `across` (m + 5, 4) and `within` (m + 5, 3) are the correlations over all captions and within items, with resampled
    values; `points` and `pairs` (m + 5,) count the points and pairs behind them; `sets` (m + 5,) are equal for rows
    with values for the same captions. `clusters` (m + 5,) count the independent units, `pearson_error` (m + 5,) is the
    jackknife standard error of Pearson's r over all captions. `longer` (1,) is 1 if longer captions are rated higher.
    The last row compares people with each other: each rating with the mean of the caption's other ratings (leave one
    rater out).
    """

    across: Floats = field(repr=False)
    across_boot: Floats = field(repr=False)
    within: Floats = field(repr=False)
    within_boot: Floats = field(repr=False)
    points: Integers = field(repr=False)
    pairs: Integers = field(repr=False)
    sets: Integers = field(repr=False)
    clusters: Integers = field(repr=False)
    pearson_error: Floats = field(repr=False)
    longer: Integers = field(repr=False)

    @property
    def metrics(self) -> int:
        """The number m of metrics."""
        return len(self.points) - len(TRIVIAL) - 1

    def of(self, metric: int, statistic: str) -> Estimate:
        """Return one of the correlations over all captions; metric -1 stands for people compared with each other."""
        k, n, clusters = STATISTICS.index(statistic), int(self.points[metric]), int(self.clusters[metric])
        error = self.pearson_error[metric].item() if statistic == "pearson" else None
        return estimate(self.across[metric, k].item(), self.across_boot[metric, k], clusters, n, error=error)

    def inside(self, metric: int, statistic: str) -> Estimate:
        """Return one of the `WITHIN` statistics within items; metric -1 stands for people compared with each other."""
        k, n = WITHIN.index(statistic), int(self.pairs[metric])
        boot = self.within_boot[metric, k]
        return estimate(self.within[metric, k].item(), boot, int(self.clusters[metric]), n, _NULL[k])

    def ranking(self, statistic: str) -> best_metric.Ranking:
        """Return the ranking of the metrics by a correlation over all captions."""
        return self._ranking(self.across, self.across_boot, STATISTICS.index(statistic))

    def ranking_within(self, statistic: str) -> best_metric.Ranking:
        """Return the ranking of the metrics by a statistic within items."""
        return self._ranking(self.within, self.within_boot, WITHIN.index(statistic))

    def _ranking(self, values: Floats, boot: Floats, k: int) -> best_metric.Ranking:
        m = self.metrics
        return best_metric.ranking(values[:m, k], boot[:m, k], int(self.clusters[:m].max(initial=0)), self.sets[:m])

    def leads(self, statistic: str) -> list[Lead]:
        """Return the lead of every metric over the baselines by a correlation over all captions."""
        k = STATISTICS.index(statistic)
        return leads(self.across[:, k], self.across_boot[:, k], self.sets, self.clusters, self.points, self.metrics)

    def leads_within(self, statistic: str) -> list[Lead]:
        """Return the lead of every metric over the baselines by a statistic within items."""
        k = WITHIN.index(statistic)
        return leads(self.within[:, k], self.within_boot[:, k], self.sets, self.clusters, self.pairs, self.metrics)

    def arrays(self) -> Arrays:
        """Return all fields as arrays for the cache."""
        return dict(vars(self))


def agreement_key(study: Study, results: Values, metrics: Sequence[Metric], design: Design) -> str:
    """Return the cache key of an agreement; it depends on texts, ratings, values and design.

    Raises KeyError as `points` does.
    """
    at = points(study, design.criterion, design.by, design.runs or None)
    rated = [digest([column.tolist() for column in (at.run, at.item, at.place, at.value)])]
    named = [run.name for run in study.runs]
    found = [
        [metric.signature, *(results[run, metric.name].fingerprint for run in named if (run, metric.name) in results)]
        for metric in metrics
    ]
    of = [VERSION, design.by, design.resamples, design.seed, rated, study.references_digest]
    labels = digest([dict(run.coherence or {}) for run in study.runs])
    said = [study.contents[name] for name in named]
    return entry_key("judgments", *of, said, found, labels, *study.clustering, *study.splitting)


def measure(
    study: Study, results: Values, metrics: Sequence[Metric], design: Design, hooks: Hooks | None = None
) -> CaptionAgreement:
    """Return the agreement of these metrics with people. Raises Cancelled, and KeyError as `points` does."""
    at = points(study, design.criterion, design.by, design.runs or None)
    rows = []
    masks: dict[bytes, int] = {}
    sets = []
    trivial = predictors(study, at)
    every = [*(metric_values(study, results, metric, at) for metric in metrics), *trivial.values]
    for done, x in enumerate(every):
        if hooks is not None:
            hooks.check()
            hooks.share(done / (len(every) + 1))
        sets.append(masks.setdefault(np.isnan(x).tobytes(), len(masks)))
        rows.append(_row(x, at, design))
    rated, mean = others(study, design.criterion, design.runs or None)
    rows.append(_row(mean, rated, design))
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    across, across_boot, inside, inside_boot, counts, pairs, clusters, errors = columns
    numbered = np.array([*sets, -1], dtype=np.int64)
    way = np.array([trivial.longer], dtype=np.int64)
    return CaptionAgreement(across, across_boot, inside, inside_boot, counts, pairs, numbered, clusters, errors, way)


def _row(x: Floats, at: Points, design: Design) -> tuple[Floats, Floats, Floats, Floats, int, int, int, float]:
    known = ~np.isnan(x)
    if known.sum() < 2:
        empty = [np.full(shape, np.nan) for shape in ((4,), (4, design.resamples), (3,), (3, design.resamples))]
        return empty[0], empty[1], empty[2], empty[3], int(known.sum()), 0, 0, np.nan
    x, y, of = x[known], at.value[known], at.cluster[known]
    units = int(at.drawn.max()) + 1
    across = correlations(x, y, at.drawn[of], units, design.resamples, design.seed)
    pairs = pairs_within(of, at.unit[known])
    inside = within(x, y, pairs, at.clusters, design.resamples, design.seed, at.drawn)
    value = np.array([one.value for one in inside[:3]])
    clusters = len(np.unique(at.drawn[of]))
    return across.value, across.boot, value, inside.boot, len(x), inside.accuracy.n, clusters, across.pearson_error


def from_arrays(arrays: Arrays) -> CaptionAgreement:
    """Return the agreement from its arrays, the inverse of `CaptionAgreement.arrays`."""
    return CaptionAgreement(**{name: arrays[name] for name in CaptionAgreement.__dataclass_fields__})


def fits(arrays: Arrays, metrics: int, design: Design) -> bool:
    """Return whether arrays from a cache or a bundle can be the agreement of this number of metrics."""
    rows = metrics + len(TRIVIAL) + 1
    numbers: array_checks.Shapes = {
        "across": (rows, 4),
        "across_boot": (rows, 4, design.resamples),
        "within": (rows, 3),
        "within_boot": (rows, 3, design.resamples),
    }
    counts: array_checks.Shapes = dict.fromkeys(("points", "pairs", "sets", "clusters"), (rows,))
    if not array_checks.has_shapes(arrays, {**numbers, **counts, "pearson_error": (rows,), "longer": (1,)}):
        return False
    small = all(np.nanmax(np.abs(arrays[name]), initial=0) <= 1 + 1e-9 for name in numbers)
    return small and np.nanmin(arrays["pearson_error"], initial=0) >= 0
