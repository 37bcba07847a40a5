"""The leaderboard as a plotly figure for SVG and PNG: a strip for each metric, with the same scale as in the table."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from figures.export.paper import Ground
from figures.leaderboard.board import Board, Cell, Column, Row
from figures.leaderboard.html import View
from figures.leaderboard.scale import Scale, scale
from figures.style.drawing import Drawing
from figures.style.escaping import short, whole
from figures.style.numbers import MINUS, defined, num, p_text, signed
from figures.style.palette import Mode, frame, grey, note, plain, tone
from figures.style.text_width import text_width

_HEAD, _AXIS, _LINE, _BAND = 20, 24, 14, 10
"""Heights in px of the space above column headers, of an axis, a line of text, and the gap between bands of columns."""
_NAME, _P, _STRIP, _NUMBER, _GAP = 104, 52, 70, 40, 10
"""Widths in px: names, p, the narrowest strip on a page, a number, and the gap between two columns."""
_COLUMN_STRIP = 42
"""Minimum width in px of a strip in a column of a paper, where five metrics should fit side by side."""
_BAR, _DOT = 10, 5
"""Heights in px of an interval and of its mark, which hides only the middle of a short interval."""
_LETTER = 6.4
"""Width in px of a letter of a header."""
_LABEL, _LONGEST = 18, 26
"""Maximum length of a name in characters: in a column of a paper, and on a page."""


@dataclass(frozen=True)
class _Sheet:
    board: Board
    view: View
    mode: Mode
    width: float

    @property
    def rows(self) -> tuple[Row, ...]:
        return self.board.rows if self.difference else (*self.board.apart, *self.board.rows)

    @property
    def difference(self) -> bool:
        return self.view == "difference"

    @property
    def wide(self) -> bool:
        return self.width > 2 * (_NAME + _P + _STRIP)

    @property
    def row(self) -> int:
        """Height in px of a row."""
        return 17 if self.wide else 15

    @property
    def letters(self) -> int:
        """Maximum length in characters of a name that is shown whole."""
        return min(_LONGEST, max(_LABEL, *(len(row.shown) for row in self.rows))) if self.wide else _LABEL

    @property
    def tested(self) -> bool:
        return self.wide and bool(self.board.p_label)

    @property
    def left(self) -> float:
        """Width in px to the left of the first strip."""
        return _NAME * self.letters / _LABEL + (_P if self.tested else 0)

    def bands(self, columns: Sequence[Column]) -> list[Sequence[Column]]:
        """Return the columns in as few bands as fit the width, with nearly equal numbers of columns."""
        each = _GAP + (_STRIP + _NUMBER if self.wide else _COLUMN_STRIP)
        most = max(1, int((self.width - self.left) // each))
        count = -(-len(columns) // most)
        size = -(-len(columns) // count)
        return [columns[start : start + size] for start in range(0, len(columns), size)]

    def headers(self, columns: Sequence[Column]) -> list[str]:
        letters = max(7, int((self.width - self.left) / len(columns) / _LETTER))
        return ["<br>".join(map(plain, header_lines(whole(column.label), letters))) for column in columns]

    def head(self, columns: Sequence[Column]) -> int:
        """Return the height in px of these columns' headers."""
        return _HEAD + _LINE * max(1 + header.count("<br>") for header in self.headers(columns))


def board_picture(board: Board, view: View, on: Ground) -> go.Figure:
    """Return the table of `board_html` as a figure; hollow marks replace its outlines.

    A mark is hollow if no difference from people is detected, or if a difference is not significant. The solid line is
    people (or zero), the dashed one no difference. Columns that do not fit in the width go into another band below.
    """
    sheet = _Sheet(board, view, on.mode, on.width or 1010)
    columns = sorted(board.columns, key=lambda column: column.key != board.ranked)
    bands = sheet.bands(columns)
    rows, heads = sheet.row * len(sheet.rows), [sheet.head(band) for band in bands]
    height = sum(heads) + (rows + _AXIS) * len(bands) + _BAND * (len(bands) - 1) + 2 * _LINE
    figure = Drawing()
    for place, (band, head) in enumerate(zip(bands, heads, strict=True)):
        top = height - sum(heads[:place]) - place * (rows + _AXIS + _BAND) - head
        _band(figure, sheet, band, place, ((top - rows) / height, top / height))
    figure.add_annotation(
        note(0, 0, _key(sheet, on.width or 1010), xref="paper", yref="paper", yanchor="bottom", font={"size": 11})
    )
    return frame(figure, on.mode, round(height), margin={"l": 0, "r": 8, "t": 0, "b": 0})


def _key(sheet: _Sheet, width: float) -> str:
    if sheet.difference:
        said = "Bars: 95 % interval of the difference. Open: not significant (corrected p > 0.05)."
    else:
        bars = "Bars: 95 % interval. Open: no difference from people detected."
        if sheet.board.over_seeds:
            bars = "Bars: 95 % interval of the mean. Ticks: single seeds."
        elif sheet.board.people is None:
            bars = "Bars: 95 % interval."
        said = bars if sheet.board.people is None else f"{bars} Lines: people; dashed, no difference."
    return "<br>".join(textwrap.wrap(said, int(width / 6)))


def _band(figure: go.Figure, sheet: _Sheet, columns: Sequence[Column], place: int, domain: tuple[float, float]) -> None:
    y = f"y{place + 1}" if place else "y"
    figure.layout[f"yaxis{place + 1}" if place else "yaxis"] = {
        "domain": domain,
        "range": [len(sheet.rows) - 0.5, -0.5],
        "visible": False,
        "fixedrange": True,
    }
    for at, row in enumerate(sheet.rows):
        _names(figure, sheet, row, at, y, tested=not place)
    if sheet.tested and not place:
        x = sheet.left / (sheet.width - 8)
        own = next((plain(of.label) for of in columns if of.key == sheet.board.p_key != sheet.board.ranked), "")
        head = f"<b>p</b>{f' of {own}' if own else ''}"
        figure.add_annotation(note(x, domain[1] + 0.002, head, xanchor="right", **_head(sheet)))
    number = _NUMBER if sheet.wide else 0
    across = (sheet.width - 8 - sheet.left) / len(columns)
    for k, (column, header) in enumerate(zip(columns, sheet.headers(columns), strict=True)):
        start = sheet.left + k * across + number + _GAP
        ends = (start / (sheet.width - 8), (sheet.left + (k + 1) * across) / (sheet.width - 8))
        index = len([name for name in figure.layout if name.startswith("xaxis") and figure.layout[name].domain]) + 1
        x0 = ends[0] - number / sheet.width
        figure.add_annotation(note(x0, domain[1] + 0.002, f"<b>{header}</b>", **_head(sheet)))
        _strip(figure, sheet, column, f"{index}" if index > 1 else "", ends, (y, x0))


def header_lines(label: str, letters: int) -> list[str]:
    """Return a label in lines of at most this many letters, if words allow that; longer words break after their
    hyphens.
    """
    lines = textwrap.wrap(label, letters, break_long_words=False)
    if all(len(line) <= letters for line in lines):
        return lines
    parts = textwrap.wrap(label.replace("-", "- "), letters, break_long_words=False)
    return [part.replace("- ", "-") for part in parts]


def _head(sheet: _Sheet) -> dict[str, Any]:
    ink = {"size": 11.5, "color": tone("ink", sheet.mode)}
    return {"xref": "paper", "yref": "paper", "yanchor": "bottom", "font": ink}


def _names(figure: go.Figure, sheet: _Sheet, row: Row, at: int, y: str, *, tested: bool) -> None:
    ink = tone("ink" if row.style else "muted", sheet.mode)
    text = plain(short(row.shown, sheet.letters, [one.shown for one in sheet.rows]))
    words = text if row.style else f"<i>{text}</i>"
    figure.add_annotation(note(0, at, words, xref="paper", yref=y, font={"size": 11.5, "color": ink}))
    value, floor = _p(sheet, row)
    if tested and sheet.tested and defined(value):
        x = sheet.left / (sheet.width - 8)
        said = p_text(value, floor).replace("&lt;", "<")
        figure.add_annotation(note(x, at, said, xref="paper", yref=y, xanchor="right", font={"size": 11}))


def _p(sheet: _Sheet, row: Row) -> tuple[float, float]:
    if not sheet.difference:
        return sheet.board.p_shown(row)
    cell = row.cell(sheet.board.p_key)
    return cell.delta_p, cell.delta_floor


def _strip(
    figure: go.Figure,
    sheet: _Sheet,
    column: Column,
    index: str,
    ends: tuple[float, float],
    band: tuple[str, float],
) -> None:
    y, x0 = band
    found = scale(sheet.board, column, sheet.difference)
    if found is None:
        return
    room = (ends[1] - ends[0]) * sheet.width
    ticks = _apart(found, found.ticks(), room)
    figure.layout[f"xaxis{index}"] = {
        "domain": ends,
        "anchor": y,
        "range": [0, 100],
        "tickvals": [found.at(tick) for tick in ticks],
        "ticktext": [_said(tick) for tick in ticks],
        "tickfont": {"size": 10},
        "tickangle": 0,
        "fixedrange": True,
    }
    _lines(figure, sheet, column, found, f"x{index}", y)
    for at, row in enumerate(sheet.rows):
        _mark(figure, sheet, column, found, (row, at), (f"x{index}", y, x0))


def _said(tick: float) -> str:
    return f"{float(f'{tick:.3g}') or 0.0:g}".replace("-", MINUS)


def _apart(found: Scale, ticks: Sequence[float], room: float) -> list[float]:
    """Return the ticks of a strip `room` px wide whose numbers do not touch; ticks beyond a break take precedence."""
    kept: dict[float, tuple[float, float]] = {}
    for tick in sorted(ticks, key=lambda value: (found.low <= value <= found.high, found.at(value))):
        at, half = found.at(tick) / 100 * room, text_width(_said(tick), 10) / 2 + 2
        if all(at + half <= start or at - half >= end for start, end in kept.values()):
            kept[tick] = (at - half, at + half)
    return sorted(kept)


def _lines(figure: go.Figure, sheet: _Sheet, column: Column, found: Scale, x: str, y: str) -> None:
    ends = {"xref": x, "yref": f"{y} domain", "y0": 0, "y1": 1, "type": "line", "layer": "below"}
    pair = ((sheet.board.people, "solid"), (sheet.board.no_difference, "dash"))
    drawn = [(0.0, "solid")] if sheet.difference else [(r.cell(column.key).value, dash) for r, dash in pair if r]
    for value, dash in drawn:
        if defined(value):
            at = found.at(value)
            figure.add_shape(x0=at, x1=at, line={"color": grey(0.8), "width": 1, "dash": dash}, **ends)


def _mark(
    figure: go.Figure,
    sheet: _Sheet,
    column: Column,
    found: Scale,
    placed: tuple[Row, int],
    axes: tuple[str, str, float],
) -> None:
    (row, at), (x, y, x0) = placed, axes
    cell = row.cell(column.key)
    value, low, high = _shown(sheet, cell)
    if not defined(value):
        return
    if sheet.wide:
        said = signed(value, column.digits) if sheet.difference else num(value, column.digits)
        at_right = note(x0 + (_NUMBER - 4) / sheet.width, at, said, xref="paper", yref=y, xanchor="right")
        figure.add_annotation(at_right, font={"size": 11})
    colour = row.style.mark(sheet.mode) if row.style else tone("ink", sheet.mode)
    if (behind := found.behind(value)) is not None:
        figure.add_annotation(note(behind, at, "//", xref=x, yref=y, xanchor="center"), font={"size": 10})
    if defined(low) and defined(high):
        bar = {"color": colour, "width": _BAR}
        ends = [found.at(low), found.at(high)]
        figure.add_scatter(x=ends, y=[at, at], mode="lines", line=bar, opacity=0.4, xaxis=x, yaxis=y, hoverinfo="skip")
    if cell.seeds:
        ticks = {"symbol": "line-ns-open", "size": 6, "color": colour, "line": {"width": 1}}
        x_of, y_of = [found.at(seed) for seed in cell.seeds], [at + 0.3] * len(cell.seeds)
        figure.add_scatter(x=x_of, y=y_of, mode="markers", marker=ticks, xaxis=x, yaxis=y, hoverinfo="skip")
    figure.add_scatter(
        x=[found.at(value)],
        y=[at],
        mode="markers",
        xaxis=x,
        yaxis=y,
        cliponaxis=False,
        hoverinfo="skip",
        marker=_point(sheet, row, cell, colour),
    )


def _shown(sheet: _Sheet, cell: Cell) -> tuple[float, float, float]:
    return (cell.delta, cell.delta_low, cell.delta_high) if sheet.difference else (cell.value, cell.low, cell.high)


def _point(sheet: _Sheet, row: Row, cell: Cell, colour: str) -> dict[str, Any]:
    symbol = row.style.symbol if row.style else "square"
    hollow = not cell.sure if sheet.difference else cell.alike or row is sheet.board.no_difference
    line = {"color": colour, "width": 1.5}
    return {"size": _DOT, "symbol": symbol, "color": tone("paper", sheet.mode) if hollow else colour, "line": line}
