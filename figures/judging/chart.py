"""One row for each kind of question, with a point and its interval on a separate axis for each number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from figures.style.drawing import Drawing
from figures.style.escaping import short
from figures.style.palette import Mode, alpha, frame, grey, note, plain, tone

NARROW = 640
_ROW, _NARROW_ROW, _TOP, _BOTTOM, _LEFT = 58, 34, 34, 30, 176
_GAP = 0.14
"""The gap between two axes, as a share of a column."""


@dataclass(frozen=True)
class Cell:
    """A number on an axis from `ends[0]` to `ends[1]`, on which `null` means no effect, with its `text`.

    The mark is filled if the number is `sure` to differ from `null`; its hover text is `said`.
    """

    value: float
    low: float
    high: float
    null: float
    ends: tuple[float, float]
    text: str
    sure: bool
    said: str


@dataclass(frozen=True)
class Column:
    """The heading of a column, and the meaning of its two ends and its null."""

    title: str
    ends: tuple[str, str]
    null: str


@dataclass(frozen=True)
class Row:
    """A kind of question and, for each column, its number or the reason why it has none."""

    label: str
    cells: Sequence[Cell | str]


def chart(rows: Sequence[Row], columns: Sequence[Column], mode: Mode, narrow: bool = False) -> go.Figure:
    """Return a chart of the rows in the given order; on a narrow screen, the numbers of a row are stacked."""
    figure = Drawing()
    if narrow:
        lines = sum(1 + sum(isinstance(cell, Cell) for cell in row.cells) for row in rows)
        frame(figure, mode, 8 + _NARROW_ROW * lines + 8, margin={"l": 6, "r": 6, "t": 8, "b": 8})
        _stacked(figure, rows, columns, mode)
        across, down = 1.0, lines
    else:
        margin = {"l": _LEFT, "r": 8, "t": _TOP, "b": _BOTTOM}
        frame(figure, mode, _TOP + _ROW * len(rows) + _BOTTOM, margin=margin)
        _side_by_side(figure, rows, columns, mode)
        across, down = float(len(columns)), len(rows)
    figure.update_xaxes(range=[0, across], visible=False, fixedrange=True)
    figure.update_yaxes(range=[0.5 - down, 0.5], visible=False, fixedrange=True)
    figure.update_layout(showlegend=False)
    return figure


def _side_by_side(figure: go.Figure, rows: Sequence[Row], columns: Sequence[Column], mode: Mode) -> None:
    muted = {"size": 11, "color": tone("muted", mode)}
    for k, column in enumerate(columns):
        left, right = k + _GAP / 2, k + 1 - _GAP / 2
        head = {"size": 12.5, "color": tone("ink", mode)}
        figure.add_annotation(note(left, 1, column.title, yref="paper", yanchor="bottom", yshift=10, font=head))
        below = {"yref": "paper", "yanchor": "top", "yshift": -6, "font": muted}
        figure.add_annotation(note(left, 0, column.ends[0], xanchor="left", **below))
        figure.add_annotation(note(right, 0, column.ends[1], xanchor="right", **below))
        if column.null:
            figure.add_annotation(note((left + right) / 2, 0, column.null, xanchor="center", **below))
    for k, row in enumerate(rows):
        font = {"size": 13, "color": tone("ink", mode)}
        figure.add_annotation(note(0, -k, plain(short(row.label, 25)), xref="paper", xshift=-_LEFT + 4, font=font))
        for j, cell in enumerate(row.cells):
            _cell(figure, cell, (j + _GAP / 2, j + 1 - _GAP / 2), -k, mode)


def _stacked(figure: go.Figure, rows: Sequence[Row], columns: Sequence[Column], mode: Mode) -> None:
    line = 0
    for row in rows:
        font = {"size": 13, "color": tone("ink", mode)}
        figure.add_annotation(note(0, -line, f"<b>{plain(short(row.label, 44))}</b>", font=font))
        line += 1
        for column, cell in zip(columns, row.cells, strict=True):
            if isinstance(cell, Cell):
                font = {"size": 12, "color": tone("muted", mode)}
                figure.add_annotation(note(0, -line, column.title, font=font))
                _cell(figure, cell, (0.42, 0.98), -line, mode)
                line += 1


def _cell(figure: go.Figure, cell: Cell | str, ends: tuple[float, float], y: float, mode: Mode) -> None:
    ink, muted = tone("ink", mode), tone("muted", mode)
    if isinstance(cell, str):
        figure.add_annotation(note(ends[0], y, plain(cell), font={"size": 11, "color": muted}))
        return

    def place(value: float) -> float:
        share = (value - cell.ends[0]) / (cell.ends[1] - cell.ends[0])
        return ends[0] + float(np.clip(share, 0, 1)) * (ends[1] - ends[0])

    figure.add_shape(type="line", x0=ends[0], x1=ends[1], y0=y, y1=y, line={"color": grey(0.35), "width": 1})
    null, at = place(cell.null), place(cell.value)
    dotted = {"color": muted, "width": 1.2, "dash": "dot"}
    figure.add_shape(type="line", x0=null, x1=null, y0=y - 0.26, y1=y + 0.1, line=dotted)
    if np.isfinite(cell.low) and np.isfinite(cell.high):
        figure.add_scatter(
            x=[place(cell.low), place(cell.high)],
            y=[y, y],
            mode="lines",
            hoverinfo="skip",
            line={"color": alpha(ink, 0.3), "width": 5},
        )
    figure.add_scatter(
        x=[at],
        y=[y],
        mode="markers",
        cliponaxis=False,
        marker={"size": 9, "color": ink if cell.sure else tone("paper", mode), "line": {"width": 1.6, "color": ink}},
        hovertemplate=f"{plain(cell.said)}<extra></extra>",
    )
    anchor = (
        "left"
        if at < ends[0] + 0.3 * (ends[1] - ends[0])
        else "right"
        if at > ends[1] - 0.3 * (ends[1] - ends[0])
        else "center"
    )
    shift = {"left": -5, "right": 5, "center": 0}[anchor]
    font = {"size": 12, "color": ink}
    figure.add_annotation(note(at, y, plain(cell.text), xanchor=anchor, xshift=shift, yshift=13, font=font))
