"""The scale of a column: the position of its values from left to right, in percent of its track.

Further right is better in every column, or more diverse for diversity. An outlier does not determine the scale, which
ends three interquartile ranges beyond the quartiles of the runs and includes people's value; values beyond it are
arrows. Quartiles of a few runs say little: with few runs, all values are inside unless that would squeeze the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from figures.leaderboard.board import Board, Cell, Column, Row
from figures.style.numbers import defined

REACH = 3.0
"""Number of interquartile ranges beyond the quartiles at which a scale ends."""
FEW = 8
"""Number of runs below which a value beyond REACH stays inside if the others keep SHARE of the scale."""
SHARE = 1 / 3
_ROOM = 0.035
_STEPS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


@dataclass(frozen=True)
class Scale:
    """A range from `low` to `high`, drawn from right to left if `reversed`."""

    low: float
    high: float
    reversed: bool = False

    def at(self, value: float) -> float:
        """Return the position of a value in percent; beyond the track it is below 0 or above 100."""
        share = 100 * (value - self.low) / (self.high - self.low)
        return 100 - share if self.reversed else share

    def inside(self, value: float) -> float:
        """Return the position of a value, at the end of the track if the value lies beyond."""
        return min(max(self.at(value), 0.0), 100.0)

    def beyond(self, value: float) -> int:
        """Return -1 if a value lies left of the track, 1 if it lies right of it, else 0."""
        return -1 if self.at(value) < 0 else 1 if self.at(value) > 100 else 0

    def ticks(self) -> list[float]:
        """Return at most five round values within the scale."""
        width = self.high - self.low
        step = next((step for step in _STEPS if width / step <= 4.2), width / 4)
        first = np.ceil(self.low / step)
        return [float(k * step) for k in np.arange(first, np.floor(self.high / step) + 1)]


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
    return Scale(least - room, most + room, not column.higher_is_better)


def alone(board: Board, column: Column) -> bool:
    """Return whether a column has one value: drawn on a scale of its own, it would only fill the cell."""
    return sum(defined(_value(row, column)) for row in (*board.rows, *board.apart)) == 1


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
