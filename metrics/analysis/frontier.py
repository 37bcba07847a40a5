"""The quality-diversity frontier: runs that no run beats on both, how certain this is, and single-number rankings.

Arrays named `quality` and `diversity` are oriented so that higher is better or more diverse. A run *dominates* another
if it is at least as good on both axes and better on one; the *front* is the set of runs that no run dominates.
Resamples draw the same items for every run and metric. The figure follows Montahaei et al. 2019, Jointly Measuring
Diversity and Quality in Text Generation Models, figure 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from data.study import Run, Study
from metrics.analysis import run_differences, trades
from metrics.analysis.comparable_runs import unequal
from metrics.analysis.dominance import Mask, alike_pairs, dominates, gaps, on_front, on_front_for_sure, resample
from metrics.analysis.human_line import HUMAN, Human
from metrics.analysis.numbers import Numbers
from metrics.analysis.overview import distance_metric
from metrics.analysis.replicates.settings_as_runs import SettingNumbers
from metrics.analysis.sweeps import settings_of, sweeps_of
from metrics.analysis.trades import Trades
from metrics.base import Metric, with_value
from metrics.bootstrap import RESAMPLES, known_interval
from metrics.engine.result import PENDING
from metrics.mathematics.arrays import Floats, Integers

FIT_POINTS = 4
"""Minimum number of points for a quadratic fit, which would pass through three points exactly."""


@dataclass(frozen=True)
class Axis:
    """One metric of the runs: `value` with its own 95 % interval `low` to `high`, all (runs,), and the human value."""

    metric: Metric
    value: Floats
    low: Floats
    high: Floats
    human: Human

    @property
    def sign(self) -> int:
        """1 if higher values are better or more diverse, else -1."""
        return 1 if self.metric.higher_is_better else -1


@dataclass(frozen=True)
class Single:
    """Agreement of one number with dominance among the same runs.

    `rank` (runs,) starts at 1, the best; ties share their mean rank, and runs without a value have NaN. Of the `pairs`
    in which one run dominates another, the number orders `agreed` in the same way (ties count half); `low` and `high`
    are the 95 % interval of their `share` over resamples. `best` is the run ranked first; `sure` is whether it is
    significantly ahead of every other run after correction across all pairs of runs.
    """

    metric: Metric
    value: Floats
    rank: Floats
    pairs: int
    agreed: float
    low: float
    high: float
    best: int | None
    sure: bool

    @property
    def firsts(self) -> tuple[int, ...]:
        """All runs with the best value; () if none has a value."""
        return () if self.best is None else tuple(run_differences.equal_to(self.value, self.best))

    @property
    def share(self) -> float:
        """Share of the pairs that are ordered in the same way; NaN without pairs."""
        return self.agreed / self.pairs if self.pairs else np.nan


class Apart(NamedTuple):
    """Names of the `runs` that differ from people by the joint test of `metric`, with p corrected across all runs."""

    metric: Metric
    runs: frozenset[str]


@dataclass(frozen=True)
class Frontier:
    """Runs that have both values; all arrays are in their order.

    `front` (runs,) marks the runs on the front; `sure` (runs,) is 1 if a run is certainly on it, -1 if it certainly is
    not, 0 otherwise; `share` (runs,) is the share of resamples in which it is on the front, NaN if nothing can be
    resampled. In `dominates` (runs, runs) the row dominates the column; `dominance` is the share of resamples in which
    it does. `gap` (runs,) is the best quality among runs that are at least as diverse, minus the run's own. `trades`
    compares the models; for `paths`, see the function `paths`. `waiting` are single numbers that some runs do not have
    yet; `missing` names runs without a comparable value and why; `other_items` names runs whose values cover other
    items than most runs'. If the runs are settings, `seeds` are the diversity and quality of each setting's runs, and
    `sure` covers items and seeds. `apart` is None without a joint test.
    """

    runs: tuple[Run, ...]
    quality: Axis
    diversity: Axis
    front: Mask
    sure: Integers
    share: Floats
    dominates: Mask
    dominance: Floats
    gap: Floats
    trades: Trades
    paths: tuple[tuple[int, ...], ...]
    singles: tuple[Single, ...]
    waiting: tuple[Metric, ...]
    missing: tuple[tuple[str, str], ...]
    other_items: tuple[str, ...]
    seeds: tuple[tuple[Floats, Floats], ...] = ()
    apart: Apart | None = None

    @property
    def pending(self) -> int:
        """Number of runs whose values have not been computed yet."""
        return sum(why.endswith(PENDING) for _, why in self.missing)

    @property
    def resampled(self) -> bool:
        """Whether any run has resamples."""
        return bool(np.isfinite(self.share).any())

    @property
    def order(self) -> list[int]:
        """Positions of the runs on the front, from highest quality to most diverse."""
        found = np.flatnonzero(self.front)
        by = np.lexsort(
            (self.diversity.sign * self.diversity.value[found], -self.quality.sign * self.quality.value[found])
        )
        return [int(k) for k in found[by]]

    def dominators(self, run: int) -> list[int]:
        """Return the positions of the runs that dominate the run at this position, the most certain first."""
        found = np.flatnonzero(self.dominates[:, run])
        return [int(k) for k in found[np.argsort(-np.nan_to_num(self.dominance[found, run]), kind="stable")]]


def frontier(
    study: Study,
    numbers: Numbers,
    quality: Metric,
    diversity: Metric,
    runs: Sequence[Run],
    singles: Sequence[Metric] = (),
) -> Frontier:
    """Return the frontier of these runs by two metrics, and how far the metrics in `singles` agree with it."""
    barred = {name: (m, why) for m in (quality, diversity) for name, why in unequal(study, m, runs).items()}
    able = [run for run in runs if run.name not in barred]
    shown = [run for run in able if numbers.has_value(run, quality) and numbers.has_value(run, diversity)]
    waiting = tuple(metric for metric in singles if any(numbers.get(run, metric) is None for run in shown))
    singles = [metric for metric in singles if metric not in waiting]
    values, boots = paired(study, numbers, (quality, diversity, *singles), shown)
    y, x = (_axis(study, numbers, metric, shown) for metric in (quality, diversity))
    up, right = y.sign * y.value, x.sign * x.value
    signs = [1 if metric.higher_is_better else -1 for metric in singles]
    counts = _items(numbers, (quality, diversity), shown)
    drawn = resample(y.sign * boots[0], x.sign * boots[1], [s * b for s, b in zip(signs, boots[2:])])
    above, fewest = dominates(up, right), min(counts.tolist(), default=0)
    unlike = ((name, f"{metric.label}: {why.why()}") for name, (metric, why) in barred.items())
    of_singles = zip(singles, signs, values[2:], drawn.agreed, _firsts(study, numbers, singles, shown, values[2:]))
    return Frontier(
        *(tuple(shown), y, x),
        front=on_front(above, up, right),
        sure=_sure(numbers, (y, x), boots[:2], shown, counts),
        share=drawn.share,
        dominates=above,
        dominance=drawn.dominance,
        gap=gaps(up, right),
        trades=_trades(numbers, (y, x), boots[:2], shown, counts),
        paths=paths(shown),
        waiting=waiting,
        missing=(*_missing(numbers, (quality, diversity), able, shown), *unlike),
        singles=tuple(_single(m, s, value, above, at, fewest, sure) for m, s, value, at, sure in of_singles),
        other_items=_elsewhere(numbers, (quality, diversity), shown),
        seeds=_seeds(numbers, (diversity, quality), shown),
        apart=_apart(study, numbers),
    )


def paired(
    study: Study, numbers: Numbers, metrics: Sequence[Metric], runs: Sequence[Run]
) -> tuple[list[Floats], list[Floats]]:
    """Return values (runs,) and resamples (runs, resamples) of each metric, all from the same draws of items.

    `Numbers.corpus` draws from the items that have a value of its metric; if these items differ between metrics, all
    metrics are resampled again jointly. A run without a result has NaN.
    """
    found = [numbers.corpus(study, metric, runs) for metric in metrics]
    drawn_from = {kept for metric in metrics if (kept := _items_with_value(numbers, metric, runs))}
    if len(drawn_from) > 1:
        results = [numbers.get(run, metric) for metric in metrics for run in runs]
        places = [k for k, result in enumerate(results) if result is not None]
        boot = np.full((len(results), RESAMPLES), np.nan)
        boot[places] = run_differences.resampled([result for result in results if result is not None])
        return [value for value, _ in found], list(boot.reshape(len(metrics), len(runs), -1))
    return [value for value, _ in found], [boot for _, boot in found]


def fit(x: Floats, y: Floats, steps: int = 60) -> tuple[Floats, Floats] | None:
    """Return x and y (steps,) of the quadratic fitted to x and y (n,); None with fewer than FIT_POINTS distinct x."""
    if len(np.unique(x)) < FIT_POINTS:
        return None
    curve = np.polynomial.Polynomial.fit(x, y, 2)
    at = np.linspace(x.min(), x.max(), steps)
    return at, curve(at)


def paths(runs: Sequence[Run]) -> tuple[tuple[int, ...], ...]:
    """Return the positions of the runs on each line of `sweeps`, coldest first; other runs form lines of their own."""
    place = {run.name: k for k, run in enumerate(runs)}
    lines = [
        tuple(place[name] for setting in line.settings for name in setting.runs)
        for line in sweeps_of(settings_of(runs))
    ]
    lines += [(k,) for k, run in enumerate(runs) if run.settings.temperature is None]
    return tuple(sorted(lines, key=min))


def _sure(
    numbers: Numbers, axes: Sequence[Axis], boots: Sequence[Floats], runs: Sequence[Run], counts: Integers
) -> Integers:
    """1 for runs that are certainly on the front, -1 for those certainly off it, else 0.

    This allows for the choice of items and, where runs have seeds, of seeds.
    """
    sets = [numbers.item_sets(axis.metric, runs) for axis in axes]
    sides = [(axis.sign * axis.value, axis.sign * boot, of) for axis, boot, of in zip(axes, boots, sets)]
    return on_front_for_sure(sides[0], sides[1], counts, [numbers.seed_variance(axis.metric, runs) for axis in axes])


def _apart(study: Study, numbers: Numbers) -> Apart | None:
    tested = {result.metric.name: result.metric for result in numbers.results.values() if result.joint is not None}
    whole = {name: metric for name, metric in tested.items() if not numbers.waiting(metric, study.runs)}
    if not whole:
        return None
    metric = whole[distance_metric(study, whole, lambda _: True)]
    found = numbers.against_people(study, metric, study.runs)
    return Apart(metric, frozenset(study.runs[k].name for k in found.differ))


def _seeds(numbers: Numbers, axes: Sequence[Metric], runs: Sequence[Run]) -> tuple[tuple[Floats, Floats], ...]:
    if not isinstance(numbers, SettingNumbers):
        return ()
    found = [tuple(numbers.seeds(metric, run) for metric in axes) for run in runs]
    return tuple((x, y) if len(x) == len(y) else (x[:0], y[:0]) for x, y in found)


def _firsts(
    study: Study, numbers: Numbers, metrics: Sequence[Metric], runs: Sequence[Run], values: Sequence[Floats]
) -> list[bool]:
    """Whether, by each metric, one run is significantly ahead of every other after correction across all pairs."""
    found = [
        run_differences.verdict(value, numbers.pairs(study, metric, runs), metric.higher_is_better)
        for metric, value in zip(metrics, values)
    ]
    return [one is not None and not (one.tied or one.unknown) for one in found]


def _single(metric: Metric, sign: int, value: Floats, above: Mask, drawn: Floats, items: int, sure: bool) -> Single:
    from scipy.stats import rankdata

    score = sign * value
    alike, pairs = alike_pairs(above, score)
    rank = rankdata(-score, nan_policy="omit") if len(score) else score
    low, high = known_interval(drawn, items)
    best = int(np.nanargmax(score)) if np.isfinite(score).any() else None
    return Single(metric, value, rank, int(pairs), float(alike), low, high, best, sure)


def _trades(
    numbers: Numbers, axes: Sequence[Axis], boots: Sequence[Floats], runs: Sequence[Run], counts: Integers
) -> Trades:
    y, x = axes
    people = _people_drawn(numbers, x.metric, runs)
    fixed, human = people is None, x.sign * x.human.value
    sets = [numbers.item_sets(axis.metric, runs) for axis in axes]
    alike = all(len(set(of.tolist())) == 1 for of in sets)
    alone = all(numbers.seed_variance(axis.metric, runs) is None for axis in axes)
    drawn = np.full(RESAMPLES, human) if people is None else x.sign * people
    found = trades.Axes(
        quality=y.sign * y.value,
        diversity=x.sign * x.value,
        quality_drawn=y.sign * boots[0],
        diversity_drawn=x.sign * boots[1],
        items=counts,
        people=human,
        people_drawn=drawn,
        fixed=fixed,
        judged=alike and alone,
    )
    return trades.trades(runs, paths(runs), found, (y.sign, x.sign))


def _people_drawn(numbers: Numbers, metric: Metric, runs: Sequence[Run]) -> Floats | None:
    """Resamples of people's diversity, from the same draws of items as the runs'.

    None if people have no value that can be resampled, or values for a different set of items.
    """
    people = numbers.people.get((HUMAN, metric.name))
    if people is None or not metric.additive or not np.isfinite(people.corpus):
        return None
    theirs = with_value(people.totals).tobytes()
    return run_differences.resampled([people])[0] if theirs == _items_with_value(numbers, metric, runs) else None


def _items(numbers: Numbers, metrics: Sequence[Metric], runs: Sequence[Run]) -> Integers:
    """(runs,) minimum number of independent units, mostly items, behind the values of these metrics."""
    found = [[numbers.results[run.name, metric.name].n_units for metric in metrics] for run in runs]
    return np.array([min(counts) for counts in found], dtype=np.int64)


def _axis(study: Study, numbers: Numbers, metric: Metric, runs: Sequence[Run]) -> Axis:
    results = [numbers.results[run.name, metric.name] for run in runs]
    value, low, high = (np.array([getattr(r, end) for r in results], dtype=float) for end in ("corpus", "low", "high"))
    return Axis(metric, value, low, high, numbers.human(study, metric))


def _missing(
    numbers: Numbers, metrics: Sequence[Metric], runs: Sequence[Run], shown: Sequence[Run]
) -> tuple[tuple[str, str], ...]:
    there = {run.name for run in shown}
    found = []
    for run in runs:
        if run.name in there:
            continue
        metric = next(metric for metric in metrics if not numbers.has_value(run, metric))
        result = numbers.get(run, metric)
        found.append((run.name, f"{metric.label}: {result.why() if result is not None else PENDING}"))
    return tuple(found)


def _elsewhere(numbers: Numbers, metrics: Sequence[Metric], runs: Sequence[Run]) -> tuple[str, ...]:
    names: set[str] = set()
    for metric in metrics:
        sets = numbers.item_sets(metric, runs)
        if len(sets):
            most = np.bincount(sets[sets >= 0]).argmax()
            names |= {run.name for run, of in zip(runs, sets) if of != most}
    return tuple(run.name for run in runs if run.name in names)


def _items_with_value(numbers: Numbers, metric: Metric, runs: Sequence[Run]) -> bytes:
    """The items from which resamples of this metric are drawn; empty without such items."""
    totals = [r.totals for run in runs if (r := numbers.get(run, metric)) is not None and np.isfinite(r.corpus)]
    if not metric.additive or not totals or len({len(t) for t in totals}) > 1:
        return b""
    return np.any([with_value(t) for t in totals], axis=0).tobytes()
