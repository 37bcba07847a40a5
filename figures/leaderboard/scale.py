"""The scale of a column: the position of its values from left to right, in percent of its track.

Farther right is better in every column, or more diverse for diversity. Outliers do not squeeze the rest: the scale
breaks three interquartile ranges beyond the quartiles of the runs, and has a narrow separate part for runs beyond the
break. It always includes people, no difference and chance. Quartiles of a few runs say little, so with few runs the
scale breaks only if one value would squeeze the others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from figures.leaderboard.board import Board, Cell, Column, Row
from figures.style.numbers import defined

REACH = 3.0
"""A scale ends this many interquartile ranges beyond the quartiles."""
FEW = 8
"""With fewer runs, a value beyond REACH stays inside if the others keep SHARE of the scale."""
SHARE = 1 / 3
FAR, BREAK = 18.0, 12.0
"""Percentage of a track for the values beyond a break, and for the break itself."""
_ROOM = 0.035
_STEPS = tuple(float(f"{digit}e{power}") for power in range(-6, 4) for digit in (1, 2, 2.5, 5))


@dataclass(frozen=True)
class Scale:
    """A range from `low` to `high`, drawn from right to left if `reversed`.

    `below` and `above` each hold the smallest and the largest value beyond the break at that end; None without a break.
    """

    low: float
    high: float
    reversed: bool = False
    below: tuple[float, float] | None = None
    above: tuple[float, float] | None = None

    def at(self, value: float) -> float:
        """Return the position of a value in percent; values beyond an end have the position of that end."""
        values, places = zip(*self._knots())
        share = float(np.interp(value, values, places))
        return 100 - share if self.reversed else share

    def _knots(self) -> list[tuple[float, float]]:
        """Values with their positions from left to right; between two of them, positions are interpolated linearly."""
        start, end = (FAR + BREAK) * (self.below is not None), 100 - (FAR + BREAK) * (self.above is not None)
        knots = [(self.low, start), (self.high, end)]
        if self.below:
            knots = [*_part(self.below, 0.0), *knots]
        if self.above:
            knots = [*knots, *_part(self.above, end + BREAK)]
        return [(value, float(place)) for value, place in knots]

    def breaks(self) -> list[float]:
        """Return the positions at which the scale is broken, in percent from left to right."""
        found = [FAR + BREAK / 2] * (self.below is not None) + [100 - FAR - BREAK / 2] * (self.above is not None)
        return sorted(100 - place for place in found) if self.reversed else found

    def behind(self, value: float) -> float | None:
        """Return the position of the break between a value and the others; None if there is none."""
        if not (value < self.low or value > self.high):
            return None
        return min(self.breaks(), key=lambda place: abs(place - self.at(value)), default=None)

    def ticks(self) -> list[float]:
        """Return a few round values within the range, and the farthest value beyond each break."""
        width = self.high - self.low
        most = 4.2 - len(self.breaks())
        ends = [end for end in (self.below and self.below[0], self.above and self.above[1]) if end is not None]
        steps = [step for step in _STEPS if width / step <= most] or [width / 3]
        finer = [step for step in reversed(_STEPS) if step < steps[0]]
        for step in (steps[0], *finer[:2]):
            found = self._multiples(step)
            if len(found) + len(ends) >= 2:
                break
        return sorted([*found, *ends])

    def _multiples(self, step: float) -> list[float]:
        """Return the multiples of a step within the range that are not close to a break."""
        found = [float(k * step) for k in np.arange(np.ceil(self.low / step), np.floor(self.high / step) + 1)]
        return [one for one in found if all(abs(self.at(one) - place) > FAR for place in self.breaks())]


def _part(ends: tuple[float, float], start: float) -> list[tuple[float, float]]:
    """The knots of a part beyond a break; a single value is in its middle."""
    low, high = ends
    return [(low, start + FAR / 2)] if low == high else [(low, start + FAR / 8), (high, start + FAR * 7 / 8)]


def scale(board: Board, column: Column, difference: bool = False) -> Scale | None:
    """Return the scale of a column, or of its differences; None if there is no value."""
    ends = [_ends(row.cell(column.key), difference) for row in board.rows]
    ends = [end for end in ends if defined(end[0])]
    if not ends:
        return None
    values = [value for value, _, _ in ends]
    low, high = _limits(values)
    shown = [v for end in ends if low <= end[0] <= high for v in end if defined(v)]
    shown += [v for row in board.rows for v in row.cell(column.key).seeds if low <= row.cell(column.key).value <= high]
    shown += [0.0] if difference else [v for row in board.apart if defined(v := _value(row, column))]
    least, most = min(shown), max(shown)
    room = _ROOM * (most - least) or 0.5
    least, most = least - room, most + room
    below = _extent([end for end in ends if end[0] < low], lambda v: v < least)
    above = _extent([end for end in ends if end[0] > high], lambda v: v > most)
    return Scale(least, most, not column.higher_is_better, below, above)


def _extent(ends: Sequence[tuple[float, float, float]], outside: Callable[[float], bool]) -> tuple[float, float] | None:
    """The smallest and largest of the values and interval ends that lie outside the range; None if no value does."""
    found = [v for end in ends if outside(end[0]) for v in end if defined(v) and outside(v)]
    return (min(found), max(found)) if found else None


def alone(board: Board, column: Column) -> bool:
    """Return whether a column has only one value and awaits no other: it would fill the cell if drawn to its scale."""
    rows = (*board.rows, *board.apart)
    return sum(defined(_value(row, column)) or row.cell(column.key).waiting for row in rows) == 1


def _limits(values: Sequence[float]) -> tuple[float, float]:
    first, third = np.quantile(values, [0.25, 0.75])
    reach = REACH * (third - first)
    if reach <= 0:
        return min(values), max(values)
    low, high = float(first - reach), float(third + reach)
    near = [value for value in values if low <= value <= high]
    wide = max(near) - min(near) >= SHARE * (max(values) - min(values))
    return (min(values), max(values)) if len(values) < FEW and wide else (low, high)


def _ends(cell: Cell, difference: bool) -> tuple[float, float, float]:
    return (cell.delta, cell.delta_low, cell.delta_high) if difference else (cell.value, cell.low, cell.high)


def _value(row: Row, column: Column) -> float:
    return row.cell(column.key).value
