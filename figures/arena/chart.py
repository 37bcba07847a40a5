"""A forest plot of the runs' win rates, and half a matrix of the observed win rates of pairs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from figures.style.drawing import Drawing
from figures.style.escaping import short
from figures.style.numbers import defined, p_text, percent, percent_ticks
from figures.style.palette import Mode, ModelStyle, alpha, frame, mixed, note, plain, tone
from figures.style.text_width import fitting, text_width
from figures.unique_correct.heatmaps import text_on
from metrics.analysis.arena.votes import EVEN
from metrics.permutation.pvalues import ALPHA

ROW, _TOP, _BOTTOM = 38, 8, 44
_NAME = 22
CELL, LEAST, MOST = 44, 16, 460
"""Heights in px: of the largest and the smallest cell, and of the matrix, which the cells fill within these limits."""
NUMBERED = 9
"""Maximum number of runs at which cells have room for a number."""
_LEFT, _HEAD = 172, 24
"""Maximum room in px to the left of the matrix, as much as a phone can spare, and the room above the matrix."""
_ALL_HEADS, _STEP = 15, 5
"""Maximum number of columns at which every column is numbered, as so many numbers fit on a phone; if there are more,
every `_STEP`-th is numbered.
"""
AGAINST = "×"
"""Marks a pair whose votes go significantly against the order of strengths."""


@dataclass(frozen=True)
class Row:
    """A run: its win rate and interval against a run of mean strength, the text `said` beside it, and its colours.

    A run without a strength has a `reason` instead.
    """

    name: str
    rate: float
    low: float
    high: float
    said: str
    style: ModelStyle
    reason: str = ""


@dataclass(frozen=True)
class Cell:
    """A pair of runs: the row of the stronger, the column of the weaker, the votes on the pair, and p.

    `share` and `expected` are the observed and expected shares of votes for the stronger run; `p_even` is the p of an
    even split, `p_model` that of the model.
    """

    row: int
    column: int
    share: float
    votes: float
    expected: float
    p_even: float
    p_model: float

    @property
    def against(self) -> bool:
        """Whether the majority prefers the weaker run."""
        return self.share < EVEN

    @property
    def surely_against(self) -> bool:
        """Whether significantly more votes favour the weaker run."""
        return self.against and self.p_even <= ALPHA


def forest(rows: Sequence[Row], mode: Mode) -> go.Figure:
    """Return a forest plot of the runs in the given order; the line marks a run of mean strength."""
    figure, n = Drawing(), len(rows)
    frame(figure, mode, _TOP + ROW * n + _BOTTOM, margin={"l": 8, "r": 10, "t": _TOP, "b": _BOTTOM})
    muted, ink = ({"size": size, "color": tone(role, mode)} for size, role in ((12, "muted"), (13, "ink")))
    names = [row.name for row in rows]
    for k, row in enumerate(rows):
        label = plain(short(row.name, _NAME, names))
        figure.add_annotation(note(0, -k, label, xref="paper", yshift=9, font=ink))
        if row.reason:
            figure.add_annotation(note(0, -k, plain(row.reason), xref="paper", yshift=-8, font=muted))
            continue
        figure.add_annotation(note(1, -k, row.said, xref="paper", xanchor="right", yshift=9, font=muted))
        line = {"color": tone("ink", mode), "width": 1.2}
        figure.add_shape(type="line", x0=EVEN, x1=EVEN, y0=-k, y1=-k - 0.45, line=line, layer="below")
        _mark(figure, row, -k - 0.22, mode)
    ends = [v for row in rows for v in (row.low, row.high, row.rate) if defined(v)]
    low, high = min([*ends, 0.45]), max([*ends, 0.55])
    room = 0.05 * (high - low)
    figure.update_xaxes(range=[low - room, high + room], **percent_ticks(low - room, high + room), zeroline=False)
    figure.update_xaxes(title_text="wins against a run of mean strength", title_standoff=4)
    figure.update_yaxes(range=[0.5 - n, 0.5], visible=False, fixedrange=True)
    figure.update_layout(showlegend=False)
    return figure


def _mark(figure: go.Figure, row: Row, y: float, mode: Mode) -> None:
    hue, between = row.style.mark(mode), ""
    if defined(row.low):
        line = {"color": alpha(hue, 0.35), "width": 5}
        figure.add_scatter(x=[row.low, row.high], y=[y, y], mode="lines", hoverinfo="skip", line=line)
        between = f", 95 % {percent(row.low)} to {percent(row.high)}"
    figure.add_scatter(
        x=[row.rate],
        y=[y],
        mode="markers",
        name=plain(row.name),
        cliponaxis=False,
        marker={"size": 9, "color": hue, "symbol": row.style.symbol},
        hovertemplate=f"{plain(row.name, 50)}<br>{percent(row.rate)}{between}<extra></extra>",
    )


def matrix(names: Sequence[str], cells: Sequence[Cell], mode: Mode) -> go.Figure:
    """Return half a matrix of observed shares of votes for the row's run, which is the stronger one."""
    figure, n = Drawing(), len(names)
    height = max(LEAST, min(CELL, MOST // max(n, 1)))
    for cell in cells:
        box = {"x0": cell.column - 0.47, "x1": cell.column + 0.47, "y0": cell.row - 0.46, "y1": cell.row + 0.46}
        line = {"color": tone("bad", mode), "width": 2} if cell.surely_against else {"width": 0}
        figure.add_shape(type="rect", fillcolor=_fill(cell, mode), line=line, layer="below", **box)
    colours = [text_on([int(fill[k : k + 2], 16) for k in (1, 3, 5)]) for fill in (_fill(one, mode) for one in cells)]
    figure.add_scatter(
        x=[cell.column for cell in cells],
        y=[cell.row for cell in cells],
        mode="markers+text",
        text=[_number(cell, n) for cell in cells],
        textfont={"size": 11, "color": colours},
        marker={"size": height - 3, "symbol": "square", "opacity": 0},
        hovertext=[_hover(cell, names) for cell in cells],
        hovertemplate="%{hovertext}<extra></extra>",
        cliponaxis=False,
    )
    size = 12 if height >= 20 else 9
    labels = [f"{k} {name}" for k, name in enumerate(names, 1)]
    left = min(_LEFT, 12 + math.ceil(max((text_width(label, size) for label in labels), default=0.0)))
    frame(figure, mode, height * n + _HEAD + 8, margin={"l": left, "r": 8, "t": _HEAD, "b": 8})
    step = 1 if n <= _ALL_HEADS else _STEP
    font = {"size": size, "color": tone("ink", mode)}
    for k, label in enumerate(labels):
        fitted = plain(fitting(label, (left - 8) * 12.5 / size))
        figure.add_annotation(note(0, k, fitted, xref="paper", xshift=4 - left, font=font))
        if k and not (k + 1) % step:
            head = {"yref": "paper", "yanchor": "bottom", "xanchor": "center", "yshift": 3}
            figure.add_annotation(note(k, 1, f"{k + 1}", **head, font={**font, "color": tone("muted", mode)}))
    figure.update_xaxes(range=[0.5, n - 0.5], visible=False)
    figure.update_yaxes(range=[n - 0.5, -0.5], visible=False)
    figure.update_layout(showlegend=False)
    return figure


def _fill(cell: Cell, mode: Mode) -> str:
    share = 0.06 + 0.84 * abs(cell.share - EVEN) / EVEN
    return mixed(tone("paper", mode), tone("bad" if cell.against else "ink", mode), share)


def _number(cell: Cell, runs: int) -> str:
    mark = AGAINST if cell.surely_against else ""
    if runs > NUMBERED:
        return mark
    return f"{mark}{100 * cell.share:.0f}<br><span style='font-size:9px'>{cell.votes:,.0f}</span>"


def _hover(cell: Cell, names: Sequence[str]) -> str:
    return (
        f"{plain(names[cell.row], 40)} against {plain(names[cell.column], 40)}<br>{percent(cell.share)} of "
        f"{cell.votes:,.0f} votes, expected {percent(cell.expected)}<br>p of an even split {p_text(cell.p_even)}, "
        f"of the model {p_text(cell.p_model)}"
    )
