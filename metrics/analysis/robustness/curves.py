"""The share of its score that a damaged caption or set retains, by strength, and the area under that curve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from metrics.analysis import run_differences
from metrics.analysis.robustness.measure import Measured
from metrics.base import Metric, with_value
from metrics.bootstrap import LEAST, RESAMPLES, bootstrap_totals, known_interval
from metrics.mathematics.arrays import Floats, Integers
from metrics.permutation.pvalues import ALPHA, holm
from metrics.transformations import Transformation
from metrics.units import count_units, of_items

GRID = np.arange(20) / 20
"""The strengths over which the published code averages: 0, 0.05 .. 0.95 (Cui et al. 2018, figure 6)."""
MOST_LOST = 0.05
"""Maximum share of undefined resamples for an interval to be given."""
WIDEST = 1.0
"""Width from which an interval is uninformative, because it admits both a lost and a kept score."""
MOST_GAIN = 100.0
"""The largest factor by which damage may raise a genuine score of the untouched captions."""


class Estimate(NamedTuple):
    """A value with its 95 % bootstrap interval over items."""

    value: float = np.nan
    low: float = np.nan
    high: float = np.nan


@dataclass(frozen=True)
class Curve:
    """The share of the untouched score that captions or sets keep under one transformation and metric.

    `strengths` and `kept` begin with 0 and 1. `area` is the integral over strengths from 0 to 1, `grid_area` the mean
    over the published grid, interpolated; both are undefined for a transformation without degrees, which is summarised
    by `last`, the share kept at strength 1. `n` counts the items; `reason` states why nothing is defined. If too many
    resamples are undefined (`scarce`), there is a value without an interval. `drawn` (resamples,) are resamples of
    `summary`, empty if there is no interval; curves with equal `items` share the draws; `units` counts the independent
    units of the items. The shares kept at the first `reached` strengths, if more than one, have intervals narrower than
    WIDEST.
    """

    transformation: Transformation
    metric: Metric
    strengths: tuple[float, ...]
    kept: Floats
    n: int = 0
    area: Estimate = field(default_factory=Estimate)
    grid_area: Estimate = field(default_factory=Estimate)
    last: Estimate = field(default_factory=Estimate)
    reason: str = ""
    sets: bool = False
    scarce: bool = False
    reached: int = 0
    units: int = 0
    drawn: Floats = field(default_factory=lambda: np.empty(0), repr=False, compare=False)
    items: bytes = field(default=b"", repr=False)

    @property
    def graded(self) -> bool:
        """Whether there are degrees, either of the transformation or of the damaged share of a set."""
        return self.transformation.graded or self.sets

    @property
    def told(self) -> bool:
        """Whether the share kept can be reported: it is defined, and its interval is narrower than WIDEST.

        Only a metric of whole runs needs no interval.
        """
        value, low, high = self.summary
        narrow = len(self.drawn) > 0 and not self.scarce and not high - low >= WIDEST
        return bool(value == value) and (narrow or not self.metric.additive)

    @property
    def drawn_to(self) -> int:
        """How many strengths a picture can show: all if the share kept can be reported, else those reached, or 0."""
        if self.told:
            return len(self.strengths)
        return self.reached if self.graded and self.reached > 1 else 0

    @property
    def summary(self) -> Estimate:
        """The area or, if there are no degrees, the share kept at strength 1."""
        return self.area if self.graded else self.last


def curve(found: Measured, one: Transformation, metric: Metric, resamples: int = RESAMPLES) -> Curve:
    """Return the curve of one transformation and metric, over the items that have a value at every strength.

    If there is no curve, its values are NaN and it states the reason.
    """
    strengths, sets = (0.0, *found.design.of(one)), found.design.sets
    none = np.full(len(strengths), np.nan)
    why = found.failures[found.design.transformations.index(one)] or found.errors.get(metric.name, "")
    totals = found.totals.get(metric.name, np.empty((0, 0, 0)))
    why = why or (_SMOOTHED if not sets and _by_smoothing(metric, totals) else "")
    if why:
        return Curve(one, metric, strengths, none, reason=why, sets=sets)
    totals = np.concatenate([totals[:, : found.design.bases], totals[:, found.design.columns(one)]], axis=1)
    known = np.all([with_value(totals[:, k]) for k in range(totals.shape[1])], axis=0)
    totals = totals[known]
    if not len(totals):
        return Curve(one, metric, strengths, none, reason="no item has a value at every strength", sets=sets)
    share = relative_of_sets if sets else relative
    kept = share(metric, totals.sum(axis=0))
    if np.isnan(kept).any():
        return Curve(one, metric, strengths, none, len(totals), reason=_why_none(metric, sets), sets=sets)
    n, items = len(totals) if metric.additive else len(found.places), totals.reshape(len(totals), -1)
    unit = of_items(found.unit, np.array(found.places)[known]) if metric.additive else None
    drawn = bootstrap_totals(items, resamples, found.design.seed, unit).reshape(resamples, *totals.shape[1:])
    two_sided, units = sets and not anchored(metric), count_units(unit, np.arange(n))
    again = _less_change(metric, totals.sum(axis=0), drawn) if two_sided else share(metric, drawn, resampled=True)
    estimate = partial(_estimate, n=units, most=1.0 if two_sided else np.inf)
    last, scarce = estimate(kept[-1], again[..., -1]), bool(np.isnan(again).any(axis=-1).mean() > MOST_LOST)
    summary = integral(strengths, again) if found.design.graded(one) else again[..., -1]
    judged = metric.additive and units >= LEAST and not scarce
    made = Curve(one, metric, strengths, kept, n, last=last, sets=sets, scarce=scarce, units=units)
    reached = _reached(again, units) if metric.additive else 0
    made = replace(made, items=known.tobytes(), drawn=summary if judged else made.drawn, reached=reached)
    if not found.design.graded(one):
        return made
    grid = estimate(grid_mean(strengths, kept), grid_mean(strengths, again))
    return replace(made, area=estimate(integral(strengths, kept), summary), grid_area=grid)


def _reached(again: Floats, units: int) -> int:
    """The number of strengths, from 0 up, before the first whose interval is too wide or undefined.

    `again` (resamples, strengths) are the resampled shares.
    """
    ends = (known_interval(column, units, least=1 - MOST_LOST) for column in again.T[1:])
    return next((k for k, (low, high) in enumerate(ends, 1) if not high - low < WIDEST), again.shape[1])


def _by_smoothing(metric: Metric, totals: Floats) -> bool:
    """Return whether only smoothing keeps the untouched score above 0, as for BLEU-4 without any 4-gram in common.

    This is so if higher is better and any damage in totals (items, variants, columns) multiplies the score by more
    than MOST_GAIN.
    """
    values = metric.finish(np.nansum(totals, axis=0)) if metric.higher_is_better and len(totals) else np.zeros(1)
    return bool(np.nanmax(values) > MOST_GAIN * values[0] > 0)


def _why_none(metric: Metric, sets: bool) -> str:
    if not (sets and anchored(metric)):
        return "the untouched captions score 0"
    return f"{_UNLIKE[metric.of_items]} are no worse"


_SMOOTHED = "the untouched captions score next to nothing: without smoothing, their score would be 0"
_UNLIKE = {True: "captions of something else", False: "random words"}


def relative(metric: Metric, totals: Floats, resampled: bool = False) -> Floats:
    """Return values (..., strengths) divided by the first, from totals (..., strengths, columns).

    NaN unless the first value is positive.
    """
    values = metric.resampled(totals) if resampled else metric.finish(totals)
    first = values[..., :1]
    return values / np.where(first > 0, first, np.nan)


def anchored(metric: Metric) -> bool:
    """Return whether 0 stands for captions unlike the references, as for metrics that compare captions with these.

    The unlike captions are another item's for a metric of sets, and random words for a metric of whole runs (see
    `damaged_runs`).
    """
    return metric.family != "diversity"


def relative_of_sets(metric: Metric, totals: Floats, resampled: bool = False) -> Floats:
    """Return shares kept (..., strengths), from totals (..., 1 + strengths, columns) with unlike captions in row 1.

    For a metric that compares with references, the share is (v - a) / (v_0 - a), where v_0 is the value of the
    untouched sets and a that of another item's captions, or of random words: 1 means untouched, 0 no better than such
    captions. For a metric of variety, which is best at people's value, it is 1 - |v - v_0| / |v_0|, so that both a loss
    and a gain of variety count. NaN if v_0 is no better than a, or is 0.
    """
    if not anchored(metric):
        return np.asarray(1 - np.abs(_changes(metric, totals, resampled)))
    values = metric.resampled(totals) if resampled else metric.finish(totals)
    first, unlike = values[..., :1], values[..., 1:2]
    values = np.concatenate([first, values[..., 2:]], axis=-1)
    span = first - unlike
    better = span > 0 if metric.higher_is_better else span < 0
    return np.asarray((values - unlike) / np.where(better, span, np.nan))


def _changes(metric: Metric, totals: Floats, resampled: bool = False) -> Floats:
    """(..., strengths) changes (v - v_0) / |v_0|, from totals (..., 1 + strengths, columns); NaN if v_0 is 0."""
    values = metric.resampled(totals) if resampled else metric.finish(totals)
    first, values = values[..., :1], np.concatenate([values[..., :1], values[..., 2:]], axis=-1)
    size = np.abs(first)
    return np.asarray((values - first) / np.where(size > 0, size, np.nan))


def _less_change(metric: Metric, observed: Floats, drawn: Floats) -> Floats:
    """(resamples, strengths) 1 minus the changes of a metric of variety, in the direction of the observed changes.

    If the change is near 0, nearly every resample has a larger absolute change, so an interval of absolute changes
    would miss it; signed changes have no such bias. A change in the other direction gives a value above 1, which
    `_estimate` clips.
    """
    way = np.where(_changes(metric, observed) < 0, -1.0, 1.0)
    return np.asarray(1 - way * _changes(metric, drawn, resampled=True))


def integral(strengths: tuple[float, ...], kept: Floats) -> Floats:
    """Return the integrals (...) over strengths from 0 to 1 of curves (..., strengths), by the trapezoidal rule."""
    return np.trapezoid(kept, np.array(strengths), axis=-1)


def grid_mean(strengths: tuple[float, ...], kept: Floats) -> Floats:
    """Return the means (...) over GRID of curves (..., strengths), linearly interpolated between strengths."""
    weights = np.array([np.interp(GRID, strengths, row) for row in np.eye(len(strengths))]).mean(axis=1)
    return kept @ weights


def _estimate(value: Floats | float, resampled: Floats, n: int, most: float) -> Estimate:
    """A value with its interval, whose upper end is clipped to `most`."""
    low, high = known_interval(resampled, n, least=1 - MOST_LOST)
    return Estimate(float(value), low, min(high, most))


def curves(found: Measured, metrics: tuple[Metric, ...], resamples: int = RESAMPLES) -> dict[tuple[str, str], Curve]:
    """Return every curve, keyed by the names of its transformation and metric."""
    return {
        (one.name, metric.name): curve(found, one, metric, resamples)
        for one in found.design.transformations
        for metric in metrics
    }


def sides(curves: Sequence[Curve], share: float) -> Integers:
    """Return (curves,) 1 if significantly more than this share is kept, -1 if significantly less, else 0.

    The tests are Student's t with bootstrap errors over items, two-sided, Holm-corrected across all curves that can be
    resampled.
    """
    from scipy.special import stdtr

    p, gaps = np.full(len(curves), np.nan), np.array([one.summary.value - share for one in curves])
    for k, one in enumerate(curves):
        if len(one.drawn):
            error = float(np.nanstd(one.drawn)) * np.sqrt(one.units / (one.units - 1))
            p[k] = 2 * stdtr(one.units - 1, -abs(gaps[k]) / error) if error > 0 else 2.0 ** (1 - one.units)
    return np.asarray(np.where(holm(p) <= ALPHA, np.sign(gaps), 0), dtype=np.int64)


def least_kept(curves: Sequence[Curve]) -> run_differences.Verdict | None:
    """Return which curve keeps least, and which others may keep as little, by tests corrected across all pairs.

    The curves are compared over the resamples in which all of them are defined. Return None without curves.
    """
    if not curves:
        return None
    drawn, items = np.array([one.drawn for one in curves]), [one.items for one in curves]
    sets = np.array([items.index(own) for own in items])
    both = drawn[:, np.isfinite(drawn).all(axis=0)]
    values, counts = np.array([one.summary.value for one in curves]), [one.units for one in curves]
    return run_differences.verdict(
        values, run_differences.all_pairs(values, both, counts, sets), higher_is_better=False
    )


def item_values(found: Measured, metric: Metric, row: int) -> Floats:
    """Return the values (variants,) of the captions of one item, each scored separately; NaN if undefined."""
    totals = found.totals[metric.name][row]
    if metric.name in found.errors:
        return np.full(len(totals), np.nan)
    return np.where(with_value(totals), metric.finish(totals), np.nan)


def item_kept(found: Measured, metric: Metric, row: int, column: int) -> float:
    """Return the share that the caption or set of one item keeps; NaN if undefined."""
    if metric.name in found.errors or np.isnan(item_values(found, metric, row)[[0, column]]).any():
        return np.nan
    share = relative_of_sets if found.design.sets else relative
    columns = [*range(found.design.bases), column]
    return float(share(metric, found.totals[metric.name][row][columns])[-1])


def run_values(found: Measured, metric: Metric, column: int) -> tuple[float, float, float]:
    """Return a whole run's values with untouched and with damaged sets, and the share kept; NaN if undefined."""
    if metric.name in found.errors:
        return np.nan, np.nan, np.nan
    totals = found.totals[metric.name].sum(axis=0)[[0, 1, column]]
    first, _, after = metric.finish(totals).tolist()
    return first, after, float(relative_of_sets(metric, totals)[-1])
