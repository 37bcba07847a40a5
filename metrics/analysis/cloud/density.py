"""Kernel density of points in a plane: a smoothed count on a grid, and heights that enclose shares of the points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from metrics.mathematics.arrays import Floats, Integers

GRID = 96
WIDTH = 0.022
"""Standard deviation of the kernel, as a share of the grid's side; equal for all sets, so that regions are comparable.
"""
MIN_POINTS = 8


@dataclass(frozen=True)
class Grid:
    """The cells of a plane, with centres `x` (GRID,) and `y` (GRID,)."""

    x: Floats
    y: Floats

    @classmethod
    def over(cls, xy: ArrayLike) -> Grid:
        """Return square cells that cover all points (n, 2) and a margin for the kernel."""
        points = np.asarray(xy, dtype=float)
        low, high = points.min(axis=0), points.max(axis=0)
        side = max(float((high - low).max()), 1e-9) * (1 + 8 * WIDTH)
        start = (low + high) / 2 - side / 2
        steps = (np.arange(GRID) + 0.5) * side / GRID
        return cls(start[0] + steps, start[1] + steps)

    def cells(self, xy: ArrayLike) -> tuple[Integers, Integers]:
        """Return the columns and rows of the cells that contain points (n, 2); points outside get the nearest cell."""
        step = float(self.x[1] - self.x[0])
        at = np.asarray(xy, dtype=float) - [self.x[0] - step / 2, self.y[0] - step / 2]
        column, row = np.floor(at / step).astype(np.int64).clip(0, GRID - 1).T
        return column, row


@dataclass(frozen=True)
class Density:
    """Density `height` (GRID, GRID), rows along y, with peak 1, and the minimum height of each requested region."""

    grid: Grid
    height: Floats
    levels: tuple[float, ...]


def density(xy: ArrayLike, grid: Grid, shares: Sequence[float] = (0.5, 0.8)) -> Density | None:
    """Return the Gaussian kernel density of points (n, 2), with the heights above which `shares` of the points lie.

    The region for a share is the smallest that contains this share of the points: a highest density region (Hyndman
    1996) rather than a hull. Return None for fewer than MIN_POINTS points.
    """
    points = np.asarray(xy, dtype=float)
    if len(points) < MIN_POINTS:
        return None
    column, row = grid.cells(points)
    height = smoothed(column, row)
    height /= height.max()
    own = height[row, column]
    return Density(grid, height, tuple(float(np.quantile(own, 1 - share)) for share in shares))


def smoothed(column: Integers, row: Integers, width: float = WIDTH) -> Floats:
    """Return (GRID, GRID) counts of points per cell, smoothed by a Gaussian kernel.

    `width` is the kernel's standard deviation as a share of the grid's side.
    """
    from scipy.ndimage import gaussian_filter

    counts = np.zeros((GRID, GRID))
    np.add.at(counts, (row, column), 1.0)
    return np.asarray(gaussian_filter(counts, width * GRID, mode="constant", truncate=4.0))
