"""The leaderboard as an HTML table: every text escaped, styled by the `tl-board` classes of the app's style sheet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from figures.leaderboard.board import Board, Cell, Column, Row
from figures.style.escaping import esc
from figures.style.numbers import DASH, defined, interval, num, p_text, rank_text, signed
from figures.style.palette import Mode, tone

View = Literal["values", "difference"]
STRONGEST = 26
"""The strongest tint, in percent: text on it keeps its contrast."""
_TALL = 14


def board_html(board: Board, mode: Mode, view: View = "values") -> str:
    """The table; `view` "difference" shows deltas against the baseline, whiskers round a tick at zero.

    Raises ValueError where differences are asked for and no row is the baseline.
    """
    if view == "difference" and board.baseline not in [row.name for row in board.rows]:
        raise ValueError("differences need a baseline among the rows")
    rows = [_row(board, row, mode, view) for row in board.rows]
    rows += [_row(board, row, mode, view) for row in board.apart]
    tall = " tall" if len(rows) > _TALL else ""
    label = "Leaderboard: runs by metrics; scroll sideways for more columns"
    return (
        f'<div class="tl-scroll{tall}" tabindex="0" role="region" aria-label="{label}">'
        f'<table class="tl-board" style="--paper:{tone("paper", mode)}">'
        f"<thead><tr>{_head(board)}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def tint(board: Board, column: Column, row: Row) -> float:
    """Strength of a cell's shade in 0..1: nearness to the best run, for diversity nearness to people's value.

    The farthest run has 0. No shade without a scale: fewer than two different values, or diversity without people.
    """
    values = [v for r in board.rows if defined(v := r.cell(column.key).value)]
    value = row.cell(column.key).value
    people = board.people.cell(column.key).value if board.people else float("nan")
    target = board.best(column) if column.judged else people
    if row in board.apart or not defined(value) or not defined(target) or len(set(values)) < 2:
        return 0.0
    farthest = max(abs(v - target) for v in values)
    return 1 - abs(value - target) / farthest if farthest > 0 else 0.0


def _head(board: Board) -> str:
    rank = '<span class="tl-rank">Rank<br><small>95 %</small></span>' if board.ranked is not None else ""
    cells = [f'<th scope="col" class="l run">{rank}Run</th>']
    for column in board.columns:
        ranked = column.key == board.ranked
        mark = ' class="by" aria-sort="other"' if ranked else ""
        about = " ".join(filter(None, [column.note, column.signature]))
        signature = f' title="{esc(about)}"' if about else ""
        words = f"<b>{esc(column.label)}</b><small>{esc(column.direction)}</small>"
        cells.append(f'<th scope="col"{mark}{signature}>{words}</th>')
    if board.p_label:
        cells.append(f'<th scope="col"><b>p</b><small>{esc(board.p_label)}</small></th>')
    return "".join(cells)


def _row(board: Board, row: Row, mode: Mode, view: View) -> str:
    cells = "".join(_cell(board, column, row, mode, view) for column in board.columns)
    p = f"<td><small>{_p(row)}</small></td>" if board.p_label else ""
    return f"<tr{' class=human' if row in board.apart else ''}>{_name(board, row, mode)}{cells}{p}</tr>"


def _name(board: Board, row: Row, mode: Mode) -> str:
    rank = f'<span class="tl-rank">{rank_text(row.rank_low, row.rank_high)}</span>' if board.ranked is not None else ""
    shape, colour = (row.style.symbol, row.style.mark(mode)) if row.style else ("square", "currentColor")
    base = "<small>baseline</small>" if row.name == board.baseline and row not in board.apart else ""
    odd = f'<small class="odd" title="{esc(row.odd)}">check</small>' if row.odd else ""
    name = f'<span dir="auto" title="{esc(row.name)}">{esc(row.name)}{base}{odd}</span>'
    run = f'<span class="tl-run" style="--c:{colour}"><i class="{shape}"></i>{name}</span>'
    return f'<th scope="row" class="l run"><div class="tl-name">{rank}{run}</div></th>'


def _cell(board: Board, column: Column, row: Row, mode: Mode, view: View) -> str:
    cell = row.cell(column.key)
    if not defined(cell.value):
        return f'<td class="v" title="{esc(cell.reason or "undefined")}"><small>{DASH}</small>{_NO_WHISKER}</td>'
    said = f"{column.label} {num(cell.value, column.digits)}"
    if defined(cell.low) and defined(cell.high):
        said += f" (95 % {interval(cell.low, cell.high, column.digits)})"
    said += f"; {cell.note}" if cell.note else ""
    if view == "difference":
        return _difference(board, column, row, mode, said)
    said += _unsure(cell)
    text = num(cell.value, column.digits)
    if row not in board.apart and cell.value == board.best(column):
        text = f"<b>{text}</b>"
    # The power keeps the middle of a column pale, so that the best stand out.
    strength = STRONGEST * tint(board, column, row) ** 1.4
    shade = f' style="--tint:{tone("good", mode)};--t:{strength:.0f}%"' if strength >= 0.5 else ""
    return f'<td class="v"{shade} title="{esc(said)}">{text}{_value_whisker(board, column, cell)}</td>'


def _unsure(cell: Cell) -> str:
    return f"; no interval: {cell.no_interval}" if cell.no_interval else ""


def _difference(board: Board, column: Column, row: Row, mode: Mode, said: str) -> str:
    cell = row.cell(column.key)
    if row.name == board.baseline:
        return f'<td class="v" title="{esc(said)}"><small>{num(cell.value, column.digits)}</small>{_NO_WHISKER}</td>'
    if not defined(cell.delta):
        reason = cell.reason or "no difference against the baseline"
        return f'<td class="v" title="{esc(f"{said}; {reason}")}"><small>{DASH}</small>{_NO_WHISKER}</td>'
    colour = "inherit"
    if cell.sure and column.judged and row not in board.apart:
        colour = tone("good" if (cell.delta > 0) == column.higher_is_better else "bad", mode)
    said += f"; difference {signed(cell.delta, column.digits)}"
    if defined(cell.delta_low) and defined(cell.delta_high):
        said += f" (95 % {interval(cell.delta_low, cell.delta_high, column.digits)})"
    said += _unsure(cell)
    mark = _delta_whisker(board, column, cell)
    text = f'<span style="color:{colour}">{signed(cell.delta, column.digits)}</span>'
    return f'<td class="v" title="{esc(said)}">{text}{mark}</td>'


_NO_WHISKER = '<div class="tl-whisk none"></div>'


def _value_whisker(board: Board, column: Column, cell: Cell) -> str:
    ends = _known(board, column, ("value", "low", "high"))
    return _whisker(cell.value, cell.low, cell.high, min(ends), max(ends))


def _delta_whisker(board: Board, column: Column, cell: Cell) -> str:
    """On a scale that is symmetric round zero, whose tick is the baseline."""
    reach = max(abs(end) for end in _known(board, column, ("delta", "delta_low", "delta_high")))
    return _whisker(cell.delta, cell.delta_low, cell.delta_high, -reach, reach, '<i class="z"></i>')


def _known(board: Board, column: Column, names: Sequence[str]) -> list[float]:
    rows = (*board.rows, *board.apart)
    return [v for row in rows for name in names if defined(v := getattr(row.cell(column.key), name))]


def _whisker(value: float, low: float, high: float, left: float, right: float, inner: str = "") -> str:
    low, high = (low if defined(low) else value), (high if defined(high) else value)
    width = right - left

    def at(x: float) -> str:
        return f"{100 * (x - left) / width if width > 0 else 50:.1f}%"

    return f'<div class="tl-whisk" style="--a:{at(low)};--b:{at(high)};--m:{at(value)}">{inner}</div>'


def _p(row: Row) -> str:
    if not defined(row.p_value):
        return f'<span title="{esc(row.p_reason)}">{DASH}</span>'
    said = [f"n = {row.p_n:,}"] if row.p_n else []
    said += [f"its floor is {p_text(row.p_floor)}"] if defined(row.p_floor) else []
    raw = ""
    if defined(row.p_raw):
        said.append(f"calibrated for their number; the raw harmonic mean is {p_text(row.p_raw)}")
        raw = f"<br>raw {p_text(row.p_raw)}"
    return f'<span title="{esc(", ".join(said))}">{p_text(row.p_value, row.p_floor)}{raw}</span>'
