"""Where two runs place their captions in a plane, and whether they differ more than runs that write alike would."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from metrics.analysis.cloud.density import MIN_POINTS, Grid, smoothed
from metrics.analysis.cloud.places import Place, marking_words
from metrics.mathematics.arrays import Floats, Integers, Labels
from metrics.units import Units, first_alike

DRAWS = 499
LEVEL = 0.95
BROAD = 0.045
"""Standard deviation of the kernel, as a share of the grid's side: about twice that of regions (`density.WIDTH`).

A difference is estimated from fewer captions.
"""
SPOTS = 4
"""Maximum number of places listed per run."""


@dataclass(frozen=True)
class DensityDifference:
    """The density of one run minus that of another, with a permutation test.

    `height` (GRID, GRID), rows along y, is the difference between their shares of captions by cell. Only 5 % of
    relabellings exceed `sure`, in either direction, anywhere in the plane. `apart` (0..1) is half the sum of the
    absolute differences: the share of a run's captions that would have to move. `by_chance` is the mean of `apart`
    under relabelling, and `floor` the smallest possible p.
    """

    grid: Grid
    height: Floats
    sure: float
    apart: float
    by_chance: float
    p_value: float
    floor: float


@dataclass(frozen=True)
class Spot:
    """A place where one run has significantly more captions than the other.

    `first` and `second` are the shares (0..1) of the two runs' captions in that place.
    """

    place: Place
    first: float
    second: float


def density_difference(
    xy: ArrayLike,
    first: Integers,
    second: Integers,
    item: Integers,
    grid: Grid,
    draws: int = DRAWS,
    seed: int = 0,
    unit: Units = None,
) -> DensityDifference | None:
    """Return how the densities of two sets of points (n, 2) differ; None if either has fewer than MIN_POINTS.

    `first` and `second` are the rows of the two sets; `item` (n,) is the item of each point. Under the null hypothesis,
    an item's captions are exchangeable between the runs, so labels are permuted within items; items of one `unit`
    (items,) that have equally many points of each set are relabelled identically.
    """
    if min(len(first), len(second)) < MIN_POINTS:
        return None
    rows = np.concatenate([first, second])
    column, row = grid.cells(np.asarray(xy, dtype=float)[rows])
    is_first = np.arange(len(rows)) < len(first)
    height = _difference(column, row, is_first)
    rng, of = np.random.default_rng(seed), item[rows]
    alike = None if unit is None else _alike(of, unit, is_first)
    sizes, highest = np.empty(draws), np.empty(draws)
    for k in range(draws):
        drawn = _difference(column, row, _relabelled(is_first, of, rng, alike))
        sizes[k], highest[k] = np.abs(drawn).sum() / 2, np.abs(drawn).max()
    apart = float(np.abs(height).sum() / 2)
    p = (int((sizes >= apart - 1e-12).sum()) + 1) / (draws + 1)
    sure = float(np.quantile(highest, LEVEL, method="higher"))
    return DensityDifference(grid, height, sure, apart, float(sizes.mean()), p, 1 / (draws + 1))


def _difference(column: Integers, row: Integers, is_first: Labels) -> Floats:
    one, other = (smoothed(column[of], row[of], BROAD) / of.sum() for of in (is_first, ~is_first))
    return np.asarray(one - other)


def _alike(item: Integers, unit: Integers, is_first: Labels) -> Integers:
    """For each point (n,), the first of the points that are relabelled like it.

    These have the same place in items of one unit that have equally many points of each set.
    """
    order = np.argsort(item, kind="stable")
    _, starts, sizes = np.unique(item[order], return_index=True, return_counts=True)
    place = np.empty(len(item), dtype=np.int64)
    place[order] = np.arange(len(item)) - np.repeat(starts, sizes)
    size, of_first = np.bincount(item), np.bincount(item, is_first).astype(np.int64)
    return first_alike(unit[item], size[item], of_first[item], place)


def _relabelled(is_first: Labels, item: Integers, rng: np.random.Generator, alike: Integers | None = None) -> Labels:
    random = rng.random(len(item))
    random = random if alike is None else random[alike]
    drawn, own = np.lexsort((random, item)), np.argsort(item, kind="stable")
    out = np.empty(len(item), dtype=bool)
    out[drawn] = is_first[own]
    return out


def spots(
    found: DensityDifference, texts: Sequence[str], xy: ArrayLike, first: Integers, second: Integers
) -> tuple[tuple[Spot, ...], tuple[Spot, ...]]:
    """Return the places where the first run, and where the second run, has significantly more captions, largest first.

    `xy` (n, 2) are the positions of all `texts`; `first` and `second` are the rows of the two runs. The words of a
    place are those that its captions contain more often than the two runs' other captions.
    """
    from scipy.ndimage import label

    rows = np.concatenate([first, second])
    column, row = found.grid.cells(np.asarray(xy, dtype=float)[rows])
    both: list[tuple[Spot, ...]] = []
    for way in (1, -1):
        of_cell, n = label(way * found.height > found.sure, structure=np.ones((3, 3)))
        of_point = np.asarray(of_cell[row, column], dtype=np.int64) - 1
        said = marking_words([texts[k] for k in rows], of_point, n)
        made = []
        for k in range(n):
            inside = of_point == k
            if not inside.any():
                continue
            high = np.where(of_cell == k + 1, way * found.height, 0.0)
            y, x = np.unravel_index(int(high.argmax()), high.shape)
            place = Place(rows[inside], float(found.grid.x[x]), float(found.grid.y[y]), said[k])
            shares = (float(inside[: len(first)].mean()), float(inside[len(first) :].mean()))
            made.append(Spot(place, *shares))
        both.append(tuple(sorted(made, key=lambda spot: -way * (spot.first - spot.second))[:SPOTS]))
    return both[0], both[1]
