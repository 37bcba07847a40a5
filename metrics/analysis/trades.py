"""Trade-offs of the models: the quality that each keeps at people's diversity, and the area under its settings.

Arrays named `quality` and `diversity` are oriented so that higher is better or more diverse. A model *attains* a
quality at a diversity if one of its settings, or a point on the straight line between two neighbours on its path of
temperatures, has at least that quality and at least that diversity. A model therefore gains nothing from closely spaced
settings on one line, and models are compared at the temperatures that all of them have.

The area is the hypervolume indicator of Zitzler and Thiele 1998 (Multiobjective Optimization Using Evolutionary
Algorithms) of the attained points, as a share of the rectangle between the worst and the best of the compared settings.
It is undefined if any model has only one setting: the least diverse setting would have no area whatever its quality.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from data.study import Run
from metrics.analysis import run_differences
from metrics.bootstrap import Interval, known_interval
from metrics.mathematics.arrays import Floats, Integers
from metrics.permutation.pvalues import ALPHA, holm

CELLS = 64
"""Number of strips of the area, across the range of diversity of the compared settings."""
LEAST_ATTAINED = 0.95
"""Minimum share of resamples in which a model must be as diverse as people for its kept quality to have an interval."""
_NONE = Interval(np.nan, np.nan)


class Estimate(NamedTuple):
    """A value with the ends of its 95 % interval; NaN where undefined."""

    value: float
    low: float
    high: float

    def times(self, sign: int) -> Estimate:
        """Return the estimate multiplied by 1 or -1."""
        return self if sign > 0 else Estimate(-self.value, -self.high, -self.low)


@dataclass(frozen=True)
class ModelTrade:
    """One model: the positions of its compared `runs`, coldest first if they form a path.

    `kept` is the highest quality that the model attains at people's diversity or beyond: NaN if all its settings are
    less diverse, and without an interval if they are less diverse in too many resamples. `area` is a share from 0 to 1,
    NaN if any model has only one setting. `behind` (by `kept`) and `smaller` (by `area`) state whether the model is
    significantly below the first model, by tests corrected across all pairs of models; None if untestable. `short`
    states whether it is significantly less diverse than people at all its settings, by tests corrected across models.
    """

    model: str
    runs: tuple[int, ...]
    kept: Estimate
    area: Estimate
    behind: bool | None
    smaller: bool | None
    short: bool = False


@dataclass(frozen=True)
class Trades:
    """All models, ordered by the quality that they keep at people's diversity, then by area.

    `people` is people's diversity in the metric's own units, NaN if unknown; `fixed` is true if it is not resampled.
    `temperatures` are the compared temperatures if all models have at least two in common, otherwise empty.
    """

    models: tuple[ModelTrade, ...]
    people: float
    fixed: bool
    temperatures: tuple[float, ...]

    @property
    def by_area(self) -> list[ModelTrade]:
        """The models by area, largest first."""
        return sorted(self.models, key=lambda one: -one.area.value)

    @property
    def reaching(self) -> list[ModelTrade]:
        """The models with a setting as diverse as people in at least LEAST_ATTAINED of the resamples."""
        return [one for one in self.models if np.isfinite(one.kept.low)]


@dataclass(frozen=True)
class Axes:
    """Oriented values (runs,) and resamples (runs, resamples) on both axes, with people's diversity and its resamples.

    `items` (runs,) counts the items behind each run. `people_drawn` (resamples,) is constant if `fixed`. `judged` is
    False if resamples cannot show how models differ, because their values cover different items or vary by seed.
    """

    quality: Floats
    diversity: Floats
    quality_drawn: Floats
    diversity_drawn: Floats
    items: Integers
    people: float
    people_drawn: Floats
    fixed: bool = False
    judged: bool = True


def trades(runs: Sequence[Run], paths: Sequence[tuple[int, ...]], axes: Axes, signs: tuple[int, int]) -> Trades:
    """Return each model's trade-off; `paths` are positions by temperature, `signs` those of quality and diversity."""
    groups, temperatures = compared(runs, paths)
    if not groups:
        return Trades((), signs[1] * axes.people, axes.fixed, ())
    at = [k for group in groups.values() for k in group]
    kept, areas = _both(axes, groups, paths, at)
    items = np.array([axes.items[list(group)].min() for group in groups.values()])
    behind, smaller = (_behind(value, drawn, items, axes.judged) for value, drawn in (kept, areas))
    short = _short(axes, list(groups.values()))
    found = [
        ModelTrade(
            model,
            group,
            _estimate(kept[0][k], kept[1][k], items[k], LEAST_ATTAINED).times(signs[0]),
            _estimate(areas[0][k], areas[1][k], items[k], 1.0),
            behind[k],
            smaller[k],
            short[k],
        )
        for k, (model, group) in enumerate(groups.items())
    ]
    found.sort(key=lambda one: (-np.nan_to_num(signs[0] * one.kept.value, nan=-np.inf), -one.area.value))
    return Trades(tuple(found), signs[1] * axes.people, axes.fixed, temperatures)


def compared(
    runs: Sequence[Run], paths: Sequence[tuple[int, ...]]
) -> tuple[dict[str, tuple[int, ...]], tuple[float, ...]]:
    """Return the runs by which each model is compared, and the temperatures that all of them share.

    Fewer than two shared temperatures count as none. A model with temperatures is compared by its longest path, so that
    no model gains by decoders that other models have not tried.
    """
    groups: dict[str, tuple[int, ...]] = {}
    for model in dict.fromkeys(run.model for run in runs):
        longest = max((path for path in paths if runs[path[0]].model == model), key=len)
        alone = tuple(k for k, run in enumerate(runs) if run.model == model)
        groups[model] = longest if len(longest) > 1 else alone
    of = [{runs[k].settings.temperature for k in group} for group in groups.values()]
    shared = set.intersection(*of) - {None} if of else set()
    if len(shared) < 2:
        return groups, ()
    cut = {m: tuple(k for k in group if runs[k].settings.temperature in shared) for m, group in groups.items()}
    return cut, tuple(sorted(t for t in shared if t is not None))


def attained(quality: Floats, diversity: Floats, at: Floats, joined: bool) -> Floats:
    """Return the highest quality (...) at diversity `at` or beyond; -inf if no setting is as diverse.

    `quality` and `diversity` are (settings, ...), coldest first if `joined` by straight lines; `at` broadcasts with the
    shape of one setting. Settings with NaN are left out.
    """
    best = np.full(np.broadcast_shapes(quality[0].shape, at.shape), -np.inf)
    with np.errstate(invalid="ignore", divide="ignore"):
        for q, d in zip(quality, diversity):
            best = np.maximum(best, np.where((d >= at) & np.isfinite(q), q, -np.inf))
        if joined:
            for (q0, d0), (q1, d1) in zip(zip(quality, diversity), zip(quality[1:], diversity[1:])):
                crosses = (d0 - at) * (d1 - at) < 0
                there = q0 + (q1 - q0) * (at - d0) / (d1 - d0)
                best = np.maximum(best, np.where(crosses & np.isfinite(there), there, -np.inf))
    return best


def area(quality: Floats, diversity: Floats, corners: Floats, joined: bool) -> Floats:
    """Return the area (...) under the attained points, as a share of the rectangle between two corners.

    `corners` (2, 2, ...) are the minimum and maximum of quality and of diversity. NaN if the rectangle has no width or
    height, or if a setting is undefined.
    """
    (q0, q1), (d0, d1) = corners
    with np.errstate(invalid="ignore", divide="ignore"):
        found = np.zeros(quality.shape[1:])
        for cell in range(CELLS):
            middle = d0 + (cell + 0.5) / CELLS * (d1 - d0)
            found += np.clip((attained(quality, diversity, middle, joined) - q0) / (q1 - q0), 0, None) / CELLS
    known = np.isfinite(quality).all(axis=0) & np.isfinite(diversity).all(axis=0) & (q1 > q0) & (d1 > d0)
    return np.where(known, found, np.nan)


def _both(
    axes: Axes, groups: dict[str, tuple[int, ...]], paths: Sequence[tuple[int, ...]], at: list[int]
) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
    """The quality kept at people's diversity, and the area: each as values (models,) and (models, resamples)."""
    sides = (
        (axes.quality, axes.diversity, np.asarray(axes.people)),
        (
            axes.quality_drawn,
            axes.diversity_drawn,
            axes.people_drawn,
        ),
    )
    ends = [_corners(q[at], d[at]) for q, d, _ in sides]
    several = all(len(group) > 1 for group in groups.values())
    kept, areas = [], []
    for group in groups.values():
        own, joined = list(group), any(set(group) <= set(path) for path in paths if len(path) > 1)
        for (q, d, people), corners in zip(sides, ends):
            best = attained(q[own], d[own], people, joined)
            kept.append(np.where(np.isfinite(best), best, np.nan))
            areas.append(area(q[own], d[own], corners, joined) if several else np.full(best.shape, np.nan))
    return (np.array(kept[::2]), np.array(kept[1::2])), (np.array(areas[::2]), np.array(areas[1::2]))


def _corners(quality: Floats, diversity: Floats) -> Floats:
    """(2, 2, ...) minimum and maximum of both axes."""
    return np.array([[side.min(axis=0), side.max(axis=0)] for side in (quality, diversity)])


def _behind(values: Floats, drawn: Floats, items: Integers, judged: bool) -> list[bool | None]:
    """Whether each model is significantly below the first by these values; None for the first, and if untestable."""
    if not judged or not np.isfinite(values).any():
        return [None] * len(values)
    first, pairs = int(np.nanargmax(values)), run_differences.all_pairs(values, drawn, items)
    known = pairs.known & pairs.known[first] & (np.arange(len(values)) != first)
    return [bool(pairs.sure[k, first]) if known[k] else None for k in range(len(values))]


def _short(axes: Axes, groups: Sequence[tuple[int, ...]]) -> list[bool]:
    """Whether each model is significantly less diverse than people at each of its settings.

    The tests are Student's t with paired bootstrap errors, two-sided, Holm-corrected across the models. Since this must
    hold for all settings of a model, the largest of their p is the model's (intersection-union test, Berger 1982).
    """
    from scipy.special import stdtr

    if axes.fixed or not axes.judged:
        return [False] * len(groups)
    n = np.maximum(axes.items, 2)
    gaps, errors = axes.people - axes.diversity, (axes.people_drawn - axes.diversity_drawn).std(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = np.minimum(2 * stdtr(n - 1, -gaps / (errors * np.sqrt(n / (n - 1)))), 1.0)
    return [bool(one <= ALPHA) for one in holm(np.array([p[list(group)].max() for group in groups]))]


def _estimate(value: float, drawn: Floats, items: int, least: float) -> Estimate:
    low, high = known_interval(drawn, int(items), least) if np.isfinite(value) else _NONE
    return Estimate(float(value), low, high)
