"""Placement of labels next to points, clear of one another and of the drawing, at several widths at once.

All positions are in px from the lower left corner of the plot. A chart is as wide as its page, so a position must be
clear in both a narrow and a wide window.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metrics.mathematics.arrays import Floats

NARROW, WIDE = (280, 490, 610), (770, 930)
"""Widths of the plot in px from a phone to a tablet, and on wider screens, so close to each other that no label moves
onto a line at a width between two of them.
"""
WIDTHS = (*NARROW, *WIDE)
_HEIGHT = 15.0
_FURTHER = (26.0, 42.0)
_FURTHEST = (*_FURTHER, 60.0, 80.0)
"""Distances in px beyond the two rings around its point at which a label may be placed if it must be shown."""
_CROSSED = 4.0
"""How many px longer a line may be to cross one fewer obstacle."""
_STRUCK = 100.0
"""How many px longer a line may be to pass one fewer mark, to which it could seem to lead."""
_CLEAR = 8.0
"""Least distance in px between a line and a mark that it passes."""
_BESIDE = 14.0
"""Maximum distance in px between a point and a label without a line."""
_STRAYS = 1e6
"""The cost of a place that is nearer to another mark: no label without a line is put there."""
_RINGED = 3.0
"""How much further, in px, a label is from a point with a ring around it."""
_RING = 12
"""The number of positions in each ring around a point; labels in the first ring need no line."""
_FREE = 25.0
"""Negligible overlap, in square px."""


@dataclass(frozen=True)
class Label:
    """A text to be placed next to the point (x, y), in shares 0..1 of the plot.

    A `must` label may be farther away, with a line to its point, and may have a place that is not free (see `place`). A
    `bold` label is wider. `ringed` points have a ring around them, which labels keep clear of; `barred` ones have an
    upright and a level bar, which could be mistaken for a line to the label.
    """

    x: float
    y: float
    text: str
    must: bool = False
    size: float = 11.0
    bold: bool = False
    ringed: bool = False
    barred: bool = False

    @property
    def width(self) -> float:
        """Estimated width of the text in px."""
        return (0.6 if self.bold else 0.58) * self.size * len(self.text) + 4


@dataclass(frozen=True)
class Place:
    """Offset in px of a label's centre from its point; `far` if a thin line should connect the two."""

    dx: float
    dy: float
    far: bool

    def apart(self, label: Label) -> bool:
        """Return whether the label's box is so far from its point that it needs a line to show which point is meant."""
        gap = math.hypot(max(abs(self.dx) - label.width / 2, 0), max(abs(self.dy) - _HEIGHT / 2, 0))
        return self.far or gap > _BESIDE


class Boxes:
    """Obstacles at each size of the plot: rows of (x, y, width, height) in px."""

    def __init__(self, height: float, widths: Sequence[int] = WIDTHS) -> None:
        self._start([(width, height) for width in widths])

    @classmethod
    def of_sizes(cls, sizes: Sequence[tuple[float, float]]) -> Boxes:
        """Return an object without obstacles for plots of these (width, height), in px."""
        boxes = cls(0.0, ())
        boxes._start(sizes)
        return boxes

    def _start(self, sizes: Sequence[tuple[float, float]]) -> None:
        self.sizes = tuple(sizes)
        self._taken: list[list[Floats]] = [[] for _ in self.sizes]
        self._marks: Floats = np.empty((0, 2))

    def add(self, x: Floats, y: Floats, wide: float, high: float) -> None:
        """Add boxes of `wide` by `high` px around points, given as (n,) shares 0..1 of the plot."""
        for (width, height), taken in zip(self.sizes, self._taken):
            taken.append(np.column_stack([x * width, y * height, np.full(len(x), wide), np.full(len(x), high)]))

    def add_line(self, x: Sequence[float], y: Sequence[float], thick: float = 4.0) -> None:
        """Add boxes along a line through points, so close together that no label fits between them."""
        for start in range(len(x) - 1):
            ends_x, ends_y = x[start : start + 2], y[start : start + 2]
            across, along = (max(sides) for sides in zip(*self.sizes))
            long = math.hypot((ends_x[1] - ends_x[0]) * across, (ends_y[1] - ends_y[0]) * along)
            at = np.linspace(0, 1, max(2, int(long / 5) + 1))
            self.add(
                ends_x[0] + at * (ends_x[1] - ends_x[0]),
                ends_y[0] + at * (ends_y[1] - ends_y[0]),
                max(thick, 4),
                max(thick, 4),
            )

    def put(self, label: Label, place: Place) -> None:
        """Add a placed label and its line as obstacles for later ones."""
        for (width, height), taken in zip(self.sizes, self._taken):
            x, y = label.x * width, label.y * height
            taken.append(np.array([[x + place.dx, y + place.dy, label.width, _HEIGHT]]))
            if place.apart(label):
                at = _line(np.array([[place.dx, place.dy]]))[0]
                taken.append(np.column_stack([x + at[:, 0], y + at[:, 1], np.full((len(at), 2), 2.0)]))

    def add_marks(self, x: Floats, y: Floats) -> None:
        """Register points, at (n,) shares 0..1 of the plot, that a label without a line must not seem to belong to."""
        self._marks = np.concatenate([self._marks, np.column_stack([x, y])])

    def strays(self, label: Label, places: Floats) -> NDArray[np.bool_]:
        """Return (n,) flags: at each of (n, 2) places, whether another mark is nearer to the label at any width than
        its own.
        """
        found = np.zeros(len(places), dtype=bool)
        own = _gap(places, label)
        for width, height in self.sizes:
            others = (self._marks - (label.x, label.y)) * (width, height)
            others = others[np.abs(others).max(axis=1) > 0.5] if len(others) else others
            found |= (_gap(places[:, None] - others, label) < own[:, None]).any(axis=1)
        return found

    def crossed(self, label: Label, places: Floats) -> Floats:
        """Return how many obstacles the line to each of (n, 2) places crosses, over all widths."""
        lines = _line(places)
        total = np.zeros(len(places))
        for (width, height), taken in zip(self.sizes, self._taken):
            boxes = np.concatenate(taken) if taken else np.empty((0, 4))
            x, y = label.x * width + lines[..., :1], label.y * height + lines[..., 1:]
            inside = (np.abs(x - boxes[:, 0]) < boxes[:, 2] / 2) & (np.abs(y - boxes[:, 1]) < boxes[:, 3] / 2)
            total += inside.any(axis=-1).sum(axis=-1)
        return total

    def struck(self, label: Label, places: Floats) -> Floats:
        """Return how many marks the line to each of (n, 2) places passes, over all widths."""
        total, long = np.zeros(len(places)), np.hypot(*places.T)
        for width, height in self.sizes:
            others = (self._marks - (label.x, label.y)) * (width, height)
            others = others[np.abs(others).max(axis=1) > 0.5] if len(others) else others
            along, across = (places @ turned.T / long[:, None] for turned in (others, others[:, ::-1] * (-1, 1)))
            total += ((along > 0) & (along < long[:, None]) & (np.abs(across) < _CLEAR)).sum(axis=1)
        return total

    def cost(self, label: Label, places: Floats) -> Floats:
        """Return the (n,) square px that each of (n, 2) places covers over all widths, with a penalty outside the
        plot.
        """
        total = np.zeros(len(places))
        for (width, height), taken in zip(self.sizes, self._taken):
            x, y = label.x * width + places[:, :1], label.y * height + places[:, 1:]
            total += 60 * (_outside(x, label.width, width) + _outside(y, _HEIGHT, height))[:, 0]
            if taken:
                boxes = np.concatenate(taken)
                across = (label.width + boxes[:, 2]) / 2 - np.abs(x - boxes[:, 0])
                along = (_HEIGHT + boxes[:, 3]) / 2 - np.abs(y - boxes[:, 1])
                total += (np.clip(across, 0, None) * np.clip(along, 0, None)).sum(axis=1)
        return total


def place(labels: Sequence[Label], boxes: Boxes, lines: bool = True, forced: bool = True) -> list[Place | None]:
    """Return a place for each label, in order; None for an optional one without a free place.

    Without `lines`, labels are only placed in the rings around their points, optional ones only in the first. If no
    place is free for a `must` label, it gets the least bad one, or none without `lines` or unless `forced`.
    """
    found: list[Place | None] = []
    for label in labels:
        places, far = _around(label)
        unlined = _RING if lines or not label.must else 2 * _RING
        if not lines:
            places, far = places[:unlined], far[:unlined]
        cost = boxes.cost(label, places)
        cost[:unlined] += np.where(boxes.strays(label, places[:unlined]), _STRAYS, 0.0)
        # Nearer places come first: among those that cost nothing, or about the same, the nearest wins.
        best = int(np.argmin(np.where(cost < _FREE, 0.0, cost).round()))
        if far[best] and cost[best] < _FREE:
            free = np.flatnonzero(cost < _FREE)
            crossed = _CROSSED * boxes.crossed(label, places[free]) + _STRUCK * boxes.struck(label, places[free])
            price = np.hypot(*places[free].T) + crossed
            best = int(free[np.argmin(price)])
        if cost[best] >= _FREE and not (label.must and lines and forced):
            found.append(None)
            continue
        found.append(Place(float(places[best, 0]), float(places[best, 1]), bool(far[best])))
        boxes.put(label, found[-1])  # type: ignore[arg-type]
    return found


def cheapest(labels: Sequence[Label], boxes: Boxes) -> int:
    """Return the index of the best placed of several labels with the same meaning; the first if some are equal.

    A place beside its point is better than one with a line.
    """
    for label in labels:
        beside = _around(label)[0][:_RING]
        if (boxes.cost(label, beside)[~boxes.strays(label, beside)] < _FREE).any():
            return labels.index(label)
    costs = [float(boxes.cost(label, _around(label)[0]).min()) for label in labels]
    return int(np.argmin([0.0 if cost < _FREE else round(cost) for cost in costs]))


def _around(label: Label) -> tuple[Floats, NDArray[np.bool_]]:
    """(places, 2) offsets in px around a point, near ones first, and (places,) whether each is beyond the two rings."""
    near = 9.0 + label.size / 3 + _RINGED * label.ringed
    half, rise = label.width / 2, _HEIGHT / 2
    places: list[tuple[float, float]] = []
    for reach in (near, near + 12, *(near + further for further in (_FURTHEST if label.must else _FURTHER))):
        side, up = half + reach - 2, rise + reach - 6
        aslant, level = (reach / 2, 0.75 * up) if label.barred and len(places) >= 2 * _RING else (0.0, 0.0)
        places += [
            (side, level),
            (half + reach - 8, up),
            (aslant, up),
            (half + reach - 8, -up),
            (-aslant, -up),
            (-side, -level),
            (-half - reach + 8, up),
            (-half - reach + 8, -up),
            (side, up / 2),
            (side, -up / 2),
            (-side, up / 2),
            (-side, -up / 2),
        ]
    array = np.array(places)
    return array, np.arange(len(array)) >= 2 * _RING


def _line(places: Floats) -> Floats:
    """(places, points, 2) points on the lines from a mark to the places around it, without the mark itself."""
    return places[:, None] * np.linspace(0.25, 0.85, 9)[:, None]


def _gap(centres: Floats, label: Label) -> Floats:
    """The (...,) px between a point at the origin and the box of a label centred at each of the `centres` (..., 2)."""
    over = np.clip(np.abs(centres) - (label.width / 2, _HEIGHT / 2), 0, None)
    return np.asarray(np.hypot(over[..., 0], over[..., 1]))


def _outside(centre: Floats, size: float, room: float) -> Floats:
    over: Floats = np.clip(centre + size / 2 - room, 0, None) + np.clip(size / 2 - centre, 0, None)
    return over
