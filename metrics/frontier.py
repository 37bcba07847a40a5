"""Quality against diversity: which runs no other run beats on both, how sure that is, and what one number says of it.

Arrays named `quality` and `diversity` are turned so that more is better and more is more diverse. A run *dominates*
another if it is at least as good on both and better on one; the *front* are the runs that none dominates. Resamples
draw the same items for every run and metric. The picture is that of Montahaei et al. 2019, Jointly Measuring
Diversity and Quality in Text Generation Models, figure 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from data.study import Run, Study
from metrics import compare
from metrics.arrays import Floats
from metrics.base import Metric, with_value
from metrics.bootstrap import RESAMPLES, known_interval
from metrics.human import Human
from metrics.result import NOT_YET
from metrics.scored import Numbers
from metrics.sweep import settings_of, sweeps_of

Mask = NDArray[np.bool_]
_CELLS_AT_ONCE = 1 << 21
FIT_POINTS = 4
"""Fewest points of a second-degree fit: through three it would pass exactly."""


@dataclass(frozen=True)
class Axis:
    """One metric of the runs: `value`, the ends `low`, `high` of its own 95 % interval (runs,), and the human value."""

    metric: Metric
    value: Floats
    low: Floats
    high: Floats
    human: Human

    @property
    def sign(self) -> int:
        """1 if more of the number is better or more diverse, else -1."""
        return 1 if self.metric.higher_is_better else -1


@dataclass(frozen=True)
class Single:
    """What one number says of the same runs.

    `rank` (runs,) 1 the best, equals share the mean of their ranks, NaN without a value. Of the `pairs` in which one
    run dominates another, `agreed` are ordered alike by the number (ties count a half); `share` with its 95 % interval
    over resamples. `best` is the run it puts first, `best_share` the share of resamples in which it does.
    """

    metric: Metric
    value: Floats
    rank: Floats
    pairs: int
    agreed: float
    low: float
    high: float
    best: int | None
    best_share: float

    @property
    def share(self) -> float:
        """Share of the pairs that are ordered alike; NaN without pairs."""
        return self.agreed / self.pairs if self.pairs else np.nan


@dataclass(frozen=True)
class ModelTrade:
    """How far one model's runs are below the front on average (in units of quality), with its 95 % interval.

    `runs` are their positions: the longest path of temperatures, so that no model is charged for decoders that others
    have not tried; all runs of a model that has no path. `tied`: cannot be told from the model nearest the front.
    """

    model: str
    runs: tuple[int, ...]
    gap: float
    low: float
    high: float
    tied: bool


@dataclass(frozen=True)
class Frontier:
    """Runs that have both values, all arrays in their order.

    `front` (runs,) lies on the front; `share` (runs,) share of resamples in which it does, NaN where nothing can be
    resampled; `dominates` (runs, runs) row dominates column, `dominance` the share of resamples in which it does;
    `gap` (runs,) quality that the best run at least as diverse has more. `paths` as in `paths`. `waiting` are
    single numbers that some of the runs do not have yet; `missing` are runs without a value and why;
    `elsewhere` names runs whose values are of other items than those of most.
    """

    runs: tuple[Run, ...]
    quality: Axis
    diversity: Axis
    front: Mask
    share: Floats
    dominates: Mask
    dominance: Floats
    gap: Floats
    models: tuple[ModelTrade, ...]
    paths: tuple[tuple[int, ...], ...]
    singles: tuple[Single, ...]
    waiting: tuple[Metric, ...]
    missing: tuple[tuple[str, str], ...]
    elsewhere: tuple[str, ...]

    @property
    def pending(self) -> int:
        """How many runs have a value that is still to come."""
        return sum(why.endswith(NOT_YET) for _, why in self.missing)

    @property
    def resampled(self) -> bool:
        """True if there are resamples of any run."""
        return bool(np.isfinite(self.share).any())

    @property
    def order(self) -> list[int]:
        """Positions of the runs on the front, from the most quality to the most diverse."""
        found = np.flatnonzero(self.front)
        by = np.lexsort(
            (self.diversity.sign * self.diversity.value[found], -self.quality.sign * self.quality.value[found])
        )
        return [int(k) for k in found[by]]

    @property
    def firsts(self) -> dict[int, list[str]]:
        """Runs that a single number puts first, with the labels of the numbers that do."""
        found: dict[int, list[str]] = {}
        for single in self.singles:
            if single.best is not None:
                found.setdefault(single.best, []).append(single.metric.label)
        return found

    def dominators(self, run: int) -> list[int]:
        """Positions of the runs that dominate it, the surest first."""
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
    """The frontier of these runs by two metrics, and what the metrics of `singles` say of the same runs."""
    shown = [run for run in runs if _has(numbers, run, quality) and _has(numbers, run, diversity)]
    waiting = tuple(metric for metric in singles if any(numbers.get(run, metric) is None for run in shown))
    singles = [metric for metric in singles if metric not in waiting]
    values, boots = paired(study, numbers, (quality, diversity, *singles), shown)
    y, x = (_axis(study, numbers, metric, shown) for metric in (quality, diversity))
    up, right = y.sign * y.value, x.sign * x.value
    signs = [1 if metric.higher_is_better else -1 for metric in singles]
    drawn = resample(y.sign * boots[0], x.sign * boots[1], [s * b for s, b in zip(signs, boots[2:])])
    above = dominates(up, right)
    return Frontier(
        tuple(shown), y, x, front=on_front(above, up, right), share=drawn.share, dominates=above,
        dominance=drawn.dominance, gap=gaps(up, right), models=_models(shown, gaps(up, right), drawn.gaps),
        paths=paths(shown), waiting=waiting, missing=_missing(numbers, (quality, diversity), runs, shown),
        singles=tuple(
            _single(metric, sign, value, above, agreed, boot)
            for metric, sign, value, agreed, boot in zip(singles, signs, values[2:], drawn.agreed, boots[2:])
        ),
        elsewhere=_elsewhere(numbers, (quality, diversity), shown),
    )  # fmt: skip


def paired(
    study: Study, numbers: Numbers, metrics: Sequence[Metric], runs: Sequence[Run]
) -> tuple[list[Floats], list[Floats]]:
    """Values (runs,) and resamples (runs, resamples) of each metric, all from the same draws of items.

    `Numbers.corpus` draws from the items that have a value of its metric; where those differ between the metrics, all
    are drawn anew, together.
    """
    found = [numbers.corpus(study, metric, runs) for metric in metrics]
    drawn_from = {kept for metric in metrics if (kept := _items_with_value(numbers, metric, runs))}
    if len(drawn_from) > 1:
        results = [numbers.get(run, metric) for metric in metrics for run in runs]
        places = [k for k, result in enumerate(results) if result is not None]
        boot = np.full((len(results), RESAMPLES), np.nan)
        boot[places] = compare.resampled([result for result in results if result is not None])
        return [value for value, _ in found], list(boot.reshape(len(metrics), len(runs), -1))
    return [value for value, _ in found], [boot for _, boot in found]


def dominates(quality: Floats, diversity: Floats) -> Mask:
    """(runs, runs, ...) True where the first run dominates the second; `quality`, `diversity` are (runs, ...)."""
    q, d = quality[:, None], diversity[:, None]
    above: Mask = (q >= quality) & (d >= diversity) & ((q > quality) | (d > diversity))
    return above


def on_front(above: Mask, quality: Floats, diversity: Floats) -> Mask:
    """(runs, ...) True where no run dominates; never for a run without a value."""
    free: Mask = ~np.any(above, axis=0) & np.isfinite(quality) & np.isfinite(diversity)
    return free


def gaps(quality: Floats, diversity: Floats) -> Floats:
    """(runs, ...) quality of the best run that is at least as diverse, minus the run's own: 0 on the front.

    NaN for a run without both values.
    """
    able = np.isfinite(quality)[:, None] & (diversity[:, None] >= diversity)
    best = np.where(able, quality[:, None], -np.inf).max(axis=0, initial=-np.inf)
    return np.where(np.isfinite(quality) & np.isfinite(best), best, np.nan) - quality


@dataclass(frozen=True)
class Resampled:
    """Over resamples: `share` (runs,) on the front, `dominance` (runs, runs), `gaps` (runs, resamples), and of each

    single number `agreed` (resamples,), the share of the dominance pairs of that resample which it orders alike.
    """

    share: Floats
    dominance: Floats
    gaps: Floats
    agreed: list[Floats]


def resample(quality: Floats, diversity: Floats, singles: Sequence[Floats]) -> Resampled:
    """From (runs, resamples) arrays, in which more is better; runs whose resamples are NaN have a share of NaN."""
    n, draws = quality.shape
    known = _complete(quality) & _complete(diversity)
    share, dominance, gap = np.zeros(n), np.zeros((n, n)), np.full((n, draws), np.nan)
    agreed = [np.full(draws, np.nan) for _ in singles]
    for block in _blocks(n, draws):
        q, d = quality[:, block], diversity[:, block]
        above = dominates(q, d)
        share += on_front(above, q, d).sum(axis=1)
        dominance += above.sum(axis=2)
        gap[:, block] = gaps(q, d)
        for of, single in zip(agreed, singles):
            of[block] = agreement(above, single[:, block])
    both = known[:, None] & known
    return Resampled(
        np.where(known, share / max(draws, 1), np.nan), np.where(both, dominance / max(draws, 1), np.nan), gap, agreed
    )


def agreement(above: Mask, score: Floats) -> Floats:
    """(...) share of dominance pairs (runs, runs, ...) that `score` (runs, ...) orders alike; NaN without pairs.

    Pairs in which a score is missing are left out; ties count a half.
    """
    alike, pairs = _alike(above, score)
    with np.errstate(invalid="ignore", divide="ignore"):
        return alike / pairs


def fit(x: Floats, y: Floats, steps: int = 60) -> tuple[Floats, Floats] | None:
    """The second-degree polynomial through points, over the range of x; None for fewer than FIT_POINTS of them."""
    if len(np.unique(x)) < FIT_POINTS:
        return None
    curve = np.polynomial.Polynomial.fit(x, y, 2)
    at = np.linspace(x.min(), x.max(), steps)
    return at, curve(at)


def paths(runs: Sequence[Run]) -> tuple[tuple[int, ...], ...]:
    """Positions of the runs of each line of `metrics.sweep`, coldest first; runs without a temperature alone."""
    place = {run.name: k for k, run in enumerate(runs)}
    lines = [tuple(place[name] for stop in line.stops for name in stop.runs) for line in sweeps_of(settings_of(runs))]
    lines += [(k,) for k, run in enumerate(runs) if run.settings.temperature is None]
    return tuple(sorted(lines, key=min))


def _alike(above: Mask, score: Floats) -> tuple[Floats, Floats]:
    first, second = score[:, None], score[None]
    asked = above & np.isfinite(first) & np.isfinite(second)
    alike = (asked & (first > second)).sum(axis=(0, 1)) + 0.5 * (asked & (first == second)).sum(axis=(0, 1))
    return alike, asked.sum(axis=(0, 1)).astype(float)


def _single(metric: Metric, sign: int, value: Floats, above: Mask, drawn: Floats, boot: Floats) -> Single:
    from scipy.stats import rankdata

    score = sign * value
    alike, pairs = _alike(above, score)
    rank = rankdata(-score, nan_policy="omit") if len(score) else score
    low, high = known_interval(drawn)
    best = int(np.nanargmax(score)) if np.isfinite(score).any() else None
    known = _complete(boot)
    first = np.nan
    if best is not None and known[best]:
        first = float((sign * boot[best] >= (sign * boot[known]).max(axis=0)).mean())
    return Single(metric, value, rank, int(pairs), float(alike), low, high, best, first)


def _models(runs: Sequence[Run], gap: Floats, drawn: Floats) -> tuple[ModelTrade, ...]:
    """Every model of two runs or more by its mean gap, the least first: a lone run on the front would prove nothing."""
    found_runs = {model: _telling(runs, model) for model in dict.fromkeys(run.model for run in runs)}
    groups = {model: at for model, at in found_runs.items() if len(at) > 1}
    means = {model: float(gap[at].mean()) for model, at in groups.items()}
    order = sorted(groups, key=lambda model: means[model])
    found = []
    for model in order:
        own, best = drawn[groups[model]].mean(axis=0), drawn[groups[order[0]]].mean(axis=0)
        low, _ = known_interval(own - best)
        found.append(ModelTrade(model, tuple(groups[model]), means[model], *known_interval(own), tied=not low > 0))
    return tuple(found)


def _telling(runs: Sequence[Run], model: str) -> list[int]:
    longest = max((path for path in paths(runs) if runs[path[0]].model == model), key=len)
    return list(longest) if len(longest) > 1 else [k for k, run in enumerate(runs) if run.model == model]


def _complete(drawn: Floats) -> Mask:
    return np.asarray(np.isfinite(drawn).all(axis=1))


def _blocks(runs: int, draws: int) -> Iterator[slice]:
    step = max(_CELLS_AT_ONCE // max(runs, 1) ** 2, 1)
    return (slice(start, start + step) for start in range(0, draws, step))


def _has(numbers: Numbers, run: Run, metric: Metric) -> bool:
    result = numbers.get(run, metric)
    return result is not None and bool(np.isfinite(result.corpus))


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
        metric = next(metric for metric in metrics if not _has(numbers, run, metric))
        result = numbers.get(run, metric)
        found.append((run.name, f"{metric.label}: {result.why() if result is not None else NOT_YET}"))
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
    """The items that resamples of this metric draw from; empty if there are none."""
    totals = [r.totals for run in runs if (r := numbers.get(run, metric)) is not None and np.isfinite(r.corpus)]
    if not metric.additive or not totals or len({len(t) for t in totals}) > 1:
        return b""
    return np.any([with_value(t) for t in totals], axis=0).tobytes()
