"""Power by resampling a study: how often a difference between two runs is detected, by numbers of items and captions.

The observed difference is taken as the true difference. Each draw takes items with replacement, and random references
and candidates of each item; the difference is detected if a paired t-test on the items' differences has p <= .05 and
the sign agrees with the whole study. If items are clustered, whole clusters are drawn and their sums tested. The number
of items needed is estimated with at least FEW items, and given as a single number only if the study's own difference is
significant, because two equal runs also differ by chance and would seem to need some number of items.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from data.study import Study
from metrics.analysis.references import subsets
from metrics.analysis.sensitivity.sets import common
from metrics.base import Metric
from metrics.bootstrap import FEW
from metrics.cache.disk import Cache, entry_key
from metrics.cache.entry import Arrays
from metrics.distances.document_frequencies import count_frequencies
from metrics.engine import scoring
from metrics.engine.result import Result
from metrics.engine.tasks import Options
from metrics.mathematics.arrays import Floats
from metrics.progress import Hooks
from metrics.registry import frequencies_of, given_to
from metrics.units import Units, by_unit, of_items

VERSION = 3
ALPHA, ENOUGH = 0.05, 0.8
"""Significance level, and share of draws that must detect the difference for the items to be enough."""
DRAWS, VARIANTS = 600, 40
LIKELY = 0.8
"""Confidence level of the interval of a number of items."""
NO_SPREAD = 1e-9
"""Standard deviation of differences, as a share of their mean, below which they count as equal."""
IMAGES = (50, 100, 150, 200, 300, 400, 500, 700, 1_000, 1_500, 2_000)


class Need(NamedTuple):
    """The number of items at which 80 % of draws detect the difference, with its 80 % interval.

    `high` is infinite if the difference may be 0. `items` is NaN if the study's difference is not significant; the
    interval then assumes that the difference is real. All numbers are NaN with fewer than FEW items or clusters.
    """

    items: float
    low: float
    high: float


@dataclass(frozen=True)
class Design:
    """Two runs, and the numbers of items, candidates and references that are drawn.

    `items` includes the study's own number of items, `has`; larger numbers repeat items and are extrapolations. `unit`
    gives the number of each item's cluster; () if items are independent.
    """

    first: str
    second: str
    items: tuple[int, ...]
    candidates: tuple[int, ...]
    references: subsets.Design
    has: int
    draws: int = DRAWS
    seed: int = 0
    unit: tuple[int, ...] = ()

    @property
    def shape(self) -> tuple[int, int, int]:
        """The lengths of the axes of `share`: numbers of references, of candidates and of items."""
        return len(self.references.sizes), len(self.candidates), len(self.items)


@dataclass(frozen=True, eq=False)
class Power:
    """The `share` (references, candidates, items) of draws that detect the difference of two runs, and the evidence.

    `need` (references, candidates, 3) has the numbers of `Need`. `gap` (references, candidates, 2) is the items' mean
    difference, second run minus first, and its standard deviation over items and draws of captions; `p` (references,
    candidates) comes from a paired t-test on the items' mean differences. NaN if fewer than FEW items, or clusters of
    items, have scores for both runs.
    """

    design: Design
    share: Floats = field(repr=False)
    need: Floats = field(repr=False)
    gap: Floats = field(repr=False)
    p: Floats = field(repr=False)

    @property
    def known(self) -> bool:
        """Whether anything could be estimated."""
        return bool(np.isfinite(self.share).any())

    @property
    def units(self) -> int:
        """The number of independent units of the study: clusters, or items outside clusters."""
        return len(set(self.design.unit)) or self.design.has

    @property
    def small(self) -> bool:
        """Whether the study has too few units for any estimate."""
        return self.units < FEW

    @property
    def significant(self) -> bool:
        """Whether the study's own difference, with all references and candidates, is significant."""
        return bool(self.p[-1, -1] <= ALPHA)

    def needed(self, references: int, candidates: int) -> Need:
        """Return how many items are needed with these numbers of references and candidates per item.

        The number is NaN if the observed difference is not significant; its interval remains.
        """
        at = self.design.references.sizes.index(references), self.design.candidates.index(candidates)
        need = Need(*(float(value) for value in self.need[at]))
        return need if self.significant else need._replace(items=np.nan)

    def beyond(self, items: float) -> bool:
        """Return whether `items` exceeds the number of items drawn from, in which case the power is extrapolated."""
        return items > self.design.has

    def arrays(self) -> Arrays:
        """Return the numbers as arrays for the cache; `rate` is 1 / need, 0 if no number of items is enough."""
        return {"share": self.share, "rate": 1 / self.need, "gap": self.gap, "p": self.p}


def design(
    study: Study, runs: tuple[str, str], metric: Metric, items: Sequence[int] = (), draws: int = DRAWS, seed: int = 0
) -> Design | None:
    """Return the design for two runs of a study; None without references.

    For a metric of single captions, fewer candidates are drawn too; for a metric of sets, all candidates are always
    drawn.
    """
    made = subsets.design(study, seed=seed) or _single(study, seed)
    if made is None:
        return None
    has = len(made.items)
    counts = [len(study.run(run).candidates.get(item.id, ())) for run in runs for item in study.items]
    most = max(1, common(counts))
    sizes = tuple(n for n in subsets.SIZES if n < most) if metric.grain == "candidate" else ()
    at = tuple(sorted({*(items or IMAGES), has}))
    unit = () if study.unit is None else tuple(study.unit[list(made.items)].tolist())
    return Design(*runs, at, (*sizes, most), made, has, draws, seed, unit)


def small(study: Study) -> bool:
    """Return whether a study has too few independent units for any estimate, whichever runs and metric are chosen."""
    items = [k for k, item in enumerate(study.items) if item.references]
    return (len(items) if study.unit is None else len(set(study.unit[items].tolist()))) < FEW


def _single(study: Study, seed: int) -> subsets.Design | None:
    items = tuple(k for k, item in enumerate(study.items) if item.references)
    return subsets.Design(1, items, (1,), seed=seed) if items else None


def key(study: Study, made: Design, metric: Metric) -> str:
    """Return the cache key; it depends on captions, references, design and signature."""
    of = made.references
    said = [made.items, made.candidates, of.count, of.sizes, of.most, made.draws, made.seed, VERSION]
    contents = [study.contents[name] for name in (made.first, made.second)]
    return entry_key(
        "sensitivity", "power", study.references_digest, contents, said, metric.signature, *study.clustering
    )


def from_arrays(made: Design, arrays: Arrays) -> Power:
    """Return the power from its arrays, the inverse of `Power.arrays`."""
    with np.errstate(divide="ignore"):
        return Power(made, arrays["share"], 1 / arrays["rate"], arrays["gap"], arrays["p"])


def fits(arrays: Arrays, made: Design) -> bool:
    """Return whether arrays from a cache or a bundle can belong to this design."""
    cells = made.shape[:2]
    shapes = {"share": made.shape, "rate": (*cells, 3), "gap": (*cells, 2), "p": cells}
    for name, shape in shapes.items():
        found = arrays.get(name)
        if found is None or found.dtype.kind != "f" or found.shape != shape:
            return False
    share, rate, gap = arrays["share"], arrays["rate"], arrays["gap"]
    bounded = all((np.isnan(part) | ((part >= 0) & (part <= 1))).all() for part in (share, rate, arrays["p"]))
    return bounded and not (np.isinf(gap).any() or (gap[..., 1] < 0).any())


def measure(study: Study, made: Design, metric: Metric, hooks: Hooks | None = None) -> Power:
    """Return the power, from scores with subsets of the references and resampled studies; NaN with few items.

    Raises Cancelled.
    """
    hooks = hooks or Hooks()
    share, need = np.full(made.shape, np.nan), np.full((*made.shape[:2], 3), np.nan)
    gap, p = np.full((*made.shape[:2], 2), np.nan), np.full(made.shape[:2], np.nan)
    sizes = made.references.sizes
    for r, size in enumerate(sizes):
        part = hooks.part(r / len(sizes), (r + 1) / len(sizes))
        part.progress(f"{size} of {made.references.count} references")
        scores = _scores(study, made, metric, size, part.part(0, 0.7))
        for c, candidates in enumerate(made.candidates):
            rng = np.random.default_rng([made.seed, size, candidates])
            differences = variants(*scores, candidates, rng)
            known = np.asarray(~np.isnan(differences).any(axis=1))
            whole, each = in_clusters(differences[known], of_items(np.array(made.unit) if made.unit else None, known))
            if len(whole) < FEW:
                continue
            gap[r, c] = whole.mean(), differences[known].std(ddof=1)
            need[r, c], p[r, c] = Need(*(each * n for n in needed(whole))), paired_p(whole.mean(axis=1))
            for k, items in enumerate(made.items):
                hooks.check()
                share[r, c, k] = power(whole, max(round(items / each), 2), made.draws, rng)
    return Power(made, share, need, gap, p)


def _scores(study: Study, made: Design, metric: Metric, size: int, hooks: Hooks) -> tuple[Floats, Floats]:
    """(items, subsets, candidates) scores of both runs; for a metric of sets, (items, subsets, 1)."""
    own = study.only(runs=(made.first, made.second))
    used = metric if frequencies_of(metric) else given_to(metric, count_frequencies(study))
    calls = scoring.Callbacks(lambda done: hooks.share(done.fraction), should_stop=hooks.should_stop)
    results = scoring.score(subsets.expanded(own, made.references, size), [used], Options(), Cache(None), calls)
    shape = (len(made.references.items), made.references.subsets(size))
    first, second = (_by_item(results[run, used.name], shape) for run in (made.first, made.second))
    return first, second


def _by_item(result: Result, shape: tuple[int, int]) -> Floats:
    if result.error:
        raise ValueError(f"{result.metric.label}: {result.error}")
    if result.metric.grain == "item":
        return result.items.reshape(*shape, 1)
    counts = np.bincount(result.unit_item, minlength=shape[0] * shape[1])
    table = np.full((len(counts), int(counts.max(initial=1))), np.nan)
    place = np.arange(len(result.unit_item)) - np.repeat(np.cumsum(counts) - counts, counts)
    table[result.unit_item, place] = result.values
    return table.reshape(*shape, -1)


def in_clusters(differences: Floats, unit: Units) -> tuple[Floats, float]:
    """Turn the differences of items into those of clusters (units, variants); return these and the mean cluster size.

    The difference of a cluster is the sum over its items, divided by the mean cluster size; the mean over clusters then
    equals the mean over items.
    """
    whole = by_unit(differences, unit)
    size = len(differences) / max(len(whole), 1)
    return whole / max(size, 1.0), size


def variants(first: Floats, second: Floats, candidates: int, rng: np.random.Generator) -> Floats:
    """Return differences (items, variants), second minus first: a variant is a choice of references and candidates.

    The scores are (items, subsets, candidates), NaN for missing candidates. The result is NaN if a run has fewer than
    `candidates`, unless there is only one score of the whole set.
    """
    of_subset = np.arange(max(VARIANTS, first.shape[1])) % first.shape[1]
    return np.stack([_mean(second[:, k], candidates, rng) - _mean(first[:, k], candidates, rng) for k in of_subset], 1)


def _mean(scores: Floats, candidates: int, rng: np.random.Generator) -> Floats:
    """(items,) mean over `candidates` random candidates of each item."""
    if scores.shape[1] == 1:
        return scores[:, 0]
    keys = np.where(np.isnan(scores), np.inf, rng.random(scores.shape))
    chosen = np.take_along_axis(scores, np.argsort(keys, axis=1)[:, :candidates], axis=1)
    # Sort first: otherwise sums of equal scores differ in the last digit, and equal runs would test as different.
    return np.asarray(np.sort(chosen, axis=1).mean(axis=1))


def power(differences: Floats, items: int, draws: int, rng: np.random.Generator) -> float:
    """Return the share of draws in which a paired t-test detects the mean difference; NaN for one item.

    Each draw has `items` values of `differences` (n, variants), drawn with replacement.
    """
    if items < 2:
        return np.nan
    from scipy.stats import t

    sign, critical = np.sign(differences.mean()), t.ppf(1 - ALPHA / 2, items - 1)
    found, block = 0, max(1, 2_000_000 // items)
    for start in range(0, draws, block):
        shape = (min(block, draws - start), items)
        of, variant = (rng.integers(0, most, shape) for most in differences.shape)
        drawn = differences[of, variant]
        error = drawn.std(axis=1, ddof=1) / np.sqrt(items)
        found += int(np.count_nonzero(sign * drawn.mean(axis=1) > critical * error))
    return found / draws


def paired_p(differences: Floats) -> float:
    """Return the two-sided p of a t-test of differences (items,) against mean 0.

    If all are equal, the standard error is zero, and p is that of a sign test.
    """
    from scipy.special import stdtr

    n, mean = len(differences), abs(differences.mean())
    error = differences.std(ddof=1) / np.sqrt(n)
    if error > NO_SPREAD * mean:
        return float(2 * stdtr(n - 1, -mean / error))
    return float(2.0 ** (1 - n)) if mean > 0 else 1.0


def needed(differences: Floats) -> Need:
    """Return the number of items for 80 % power, with its 80 % interval, from differences (items, variants).

    For a difference of d standard deviations, N = ((z_.975 + z_.8) / d) ** 2 + z_.975 ** 2 / 2 (Cohen 1988; Guenther
    1981). The interval is that of d by Student's t, with the larger of two standard errors of d: one from its influence
    function, which allows for skewed items, and one for normal items (Hedges and Olkin 1985), which allows for the
    uncertain spread of few items. If it contains 0, the number of items needed may be arbitrarily large.

    Without spread, the number and both limits are 2, or infinite if the mean is 0.
    """
    from scipy.special import stdtrit

    n, mean = len(differences), abs(differences.mean())
    of_items, sd = differences.mean(axis=1).std(ddof=1), differences.std() * np.sqrt(n / (n - 1))
    if sd <= NO_SPREAD * mean:
        return Need(*(3 * [float(items_for(np.inf if mean > 0 else 0.0))]))
    z, d = (differences - differences.mean()) / sd, mean / sd
    influence = (z - d / 2 * (z**2 - 1)).mean(axis=1)
    normal = (of_items / sd) ** 2 / n + d**2 / (2 * (n - 1))
    reach = stdtrit(n - 1, (1 + LIKELY) / 2) * np.sqrt(max(influence.var(ddof=1) / n, normal))
    unbiased = d * (1 - 3 / (4 * n - 5))
    return Need(items_for(unbiased), items_for(unbiased + reach), items_for(unbiased - reach))


def smallest(items: int) -> float:
    """Return the difference, in standard deviations between items, that `items` items detect with 80 % power.

    It is exact for a paired t-test of normal differences, whose t is noncentral: the formula in `items_for` would
    promise 80 % for three items, whose power is 67 %. It is infinite for one item.
    """
    from scipy.optimize import brentq
    from scipy.stats import nct, t

    if items < 2:
        return float("inf")
    least = t.ppf(1 - ALPHA / 2, items - 1)
    return float(brentq(lambda effect: nct.sf(least, items - 1, effect * np.sqrt(items)) - ENOUGH, 0, 40))


def items_for(effect: float) -> float:
    """Return how many items give 80 % power for a difference of `effect` standard deviations.

    The number is infinite for an effect of 0 or less.
    """
    from scipy.stats import norm

    if effect <= 0:
        return float("inf")
    tail = norm.ppf(1 - ALPHA / 2)
    return float(max(np.ceil(((tail + norm.ppf(ENOUGH)) / effect) ** 2 + tail**2 / 2), 2))
