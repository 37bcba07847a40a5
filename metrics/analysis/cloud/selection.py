"""Areas selected in a plane of points: boxes and lassos, short enough for a URL, and the points inside them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metrics.mathematics.arrays import Floats

Kind = Literal["box", "lasso"]
CORNERS = 30
"""Maximum number of corners of a lasso; the corners that matter most to its shape are kept."""
STEPS = 1_000
"""Number of steps from end to end of a Plane in each direction; corners lie on whole steps."""
_FARTHEST = 9_999
_WRITTEN = re.compile(r"(box|lasso)((?:_-?\d{1,4}\.-?\d{1,4})+)", re.ASCII)


@dataclass(frozen=True)
class Plane:
    """The bounding rectangle of all points of a plane, with ends `low` (2,) and `high` (2,)."""

    low: Floats
    high: Floats

    @classmethod
    def over(cls, xy: ArrayLike) -> Plane:
        """Return the smallest rectangle that contains all points (n, 2), with no side of length zero."""
        points = np.asarray(xy, dtype=float)
        low = points.min(axis=0)
        return cls(low, np.maximum(points.max(axis=0), low + 1e-9))

    def steps(self, xy: ArrayLike) -> Floats:
        """Return the positions (n, 2) as numbers of steps from the low ends."""
        return np.asarray((np.asarray(xy, dtype=float) - self.low) / (self.high - self.low) * STEPS)

    def places(self, steps: ArrayLike) -> Floats:
        """Return the positions (n, 2) that are these numbers of steps from the low ends."""
        return self.low + np.asarray(steps, dtype=float) / STEPS * (self.high - self.low)


@dataclass(frozen=True)
class Area:
    """A box given by two opposite corners, or a lasso given by its consecutive corners, in steps of a Plane."""

    kind: Kind
    corners: tuple[tuple[int, int], ...]

    @property
    def text(self) -> str:
        """Text such as "lasso_120.340_560.340_300.900", which `read` parses and a URL can contain unescaped."""
        return "_".join([self.kind, *(f"{x}.{y}" for x, y in self.corners)])

    @property
    def outline(self) -> NDArray[np.int64]:
        """(k, 2) consecutive corners."""
        if self.kind == "lasso":
            return np.array(self.corners)
        (left, low), (right, high) = self.corners
        return np.array([(left, low), (right, low), (right, high), (left, high)])

    def holds(self, steps: ArrayLike) -> NDArray[np.bool_]:
        """Return a mask (n,) of the points (n, 2), in steps, that lie inside, by the even-odd rule."""
        x, y = np.asarray(steps, dtype=float).T
        inside = np.zeros(len(x), dtype=bool)
        corners = self.outline
        for (x1, y1), (x2, y2) in zip(corners, np.roll(corners, -1, axis=0)):
            if y1 != y2:
                inside ^= ((y1 > y) != (y2 > y)) & (x < x1 + (y - y1) * (x2 - x1) / (y2 - y1))
        return inside


def drawn(kind: Kind, xy: ArrayLike, plane: Plane) -> Area | None:
    """Return the area with these drawn corners (k, 2), k = 2 for a box; None if it is empty."""
    steps = plane.steps(xy).round().clip(-_FARTHEST, _FARTHEST).astype(int)
    if kind == "lasso":
        steps = _simplified(steps)
    corners = tuple((x, y) for x, y in steps.tolist())
    return Area(kind, corners) if _is_area(kind, corners) else None


def read(text: str) -> Area | None:
    """Return the area described by a text from `Area.text`; None for any other text."""
    found = _WRITTEN.fullmatch(text)
    if found is None:
        return None
    kind: Kind = "box" if found[1] == "box" else "lasso"
    pairs = (pair.split(".") for pair in found[2].strip("_").split("_"))
    corners = tuple((int(x), int(y)) for x, y in pairs)
    return Area(kind, corners) if _is_area(kind, corners) else None


def _is_area(kind: Kind, corners: Sequence[tuple[int, int]]) -> bool:
    if kind == "box":
        return len(corners) == 2 and all(one != other for one, other in zip(*corners))
    # Collinear corners enclose no area.
    return 3 <= len(corners) <= CORNERS and int(np.linalg.matrix_rank(np.subtract(corners, corners[0]))) == 2


def _simplified(corners: NDArray[np.int64]) -> NDArray[np.int64]:
    """A closed line reduced to at most CORNERS corners by repeatedly removing the corner with the smallest triangle.

    Corners whose triangle is empty are removed even if there are no more than CORNERS, until three are left.
    Visvalingam and Whyatt 1993.
    """
    while len(corners) > 3:
        before, after = corners - np.roll(corners, 1, axis=0), np.roll(corners, -1, axis=0) - corners
        spanned = np.abs(before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0])
        least = int(spanned.argmin())
        if spanned[least] and len(corners) <= CORNERS:
            break
        corners = np.delete(corners, least, axis=0)
    return corners
