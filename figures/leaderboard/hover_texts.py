"""The hover texts of the leaderboard: of a cell, and of the column of p; and the place of that column."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from figures.leaderboard.board import Cell, Column, Row
from figures.style.numbers import defined, interval, num, p_phrase, signed


class Placed(Protocol):
    """A board with its columns as drawn, and the key of the one that p belongs to."""

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns from left to right."""

    @property
    def p_key(self) -> str:
        """The key of the column that p belongs to; "" if there is none."""


def with_p(board: Placed, p: str, cells: Iterable[str]) -> str:
    """Return the cells of a row with that of p before the column that it belongs to; else first."""
    made = list(cells)
    at = next((k for k, column in enumerate(board.columns) if column.key == board.p_key), 0)
    return "".join([*made[:at], p, *made[at:]])


def cell_words(column: Column, row: Row, cell: Cell, baseline: str | None = None) -> str:
    """Return the full description of a cell: value, interval, rank, p, difference from the baseline, note, chance."""
    said = f"{row.name}, {column.label}: {num(cell.value, column.digits)}"
    if defined(cell.low) and defined(cell.high):
        said += f" (95 % {interval(cell.low, cell.high, column.digits)})"
    said += f"; rank {cell.rank}" if cell.rank else ""
    if defined(cell.p):
        alike = "no difference from people detected, " if cell.alike else ""
        said += f"; {alike}{p_phrase(cell.p, cell.p_floor)} uncorrected"
        said += f"; {cell.departs}" if cell.departs else ""
        said += f"; {no_outline(cell)}" if cell.not_alike else ""
    if baseline is not None and row.name != baseline and defined(cell.delta):
        said += f"; difference {signed(cell.delta, column.digits)}"
        if defined(cell.delta_low) and defined(cell.delta_high):
            said += f" (95 % {interval(cell.delta_low, cell.delta_high, column.digits)})"
        said += f", {p_phrase(cell.delta_p, cell.delta_floor)} corrected for all runs" if defined(cell.delta_p) else ""
    said += f"; {cell.note}" if cell.note else ""
    said += f"; {_against_chance(column, cell)}" if defined(cell.chance[0]) else ""
    return said + (f"; no interval: {cell.no_interval}" if cell.no_interval else "")


def _against_chance(column: Column, cell: Cell) -> str:
    value, low, high = cell.chance
    said = f"by chance {num(value, column.digits)}"
    if not (defined(low) and defined(high)):
        return said
    better = cell.value > high if column.higher_is_better else cell.value < low
    return f"{said} (95 % {interval(low, high, column.digits)}){'' if better else ', not above the range of chance'}"


def no_outline(cell: Cell) -> str:
    """Return why a value has no outline although its p is above .05."""
    return f"not outlined: {cell.not_alike}"


def p_words(of: str, corrected: bool) -> str:
    """Return a definition of p; `of` names its metric and what the runs are compared with."""
    many = (
        "; corrected for all runs (Holm's method), as one of many differences is easily large by chance"
        if corrected
        else ""
    )
    return f"Chance of a difference this large if there were none{': ' if of else ''}{of}{many}"
