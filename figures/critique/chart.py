"""The probability that a person wrote a caption, as rows of marks, and training losses by epoch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from figures.style.drawing import ROWS, Drawing, band, whole_row
from figures.style.escaping import short
from figures.style.numbers import defined, num
from figures.style.palette import Mode, ModelStyle, alpha, frame, grey, note, plain, tone
from figures.style.text_width import text_width

ROW, DENSE, NARROW_ROW = 32, 24, 44
MANY = 14
"""If there are more rows, they are drawn closer together."""
_LEFT, _RIGHT, _TOP, _BOTTOM = 176, 56, 10, 42
_SHOWN = 26
"""Maximum length of a name beside its row."""
_SHORT, _SLIM = 104, 44
"""In px: the width up to which names are beside the rows even in a narrow figure, and the margin for numbers there."""


@dataclass(frozen=True)
class Mark:
    """One mean score or difference with its interval, in ink if it has no model's style, hollow if `open`."""

    name: str
    value: float
    low: float
    high: float
    symbol: str = "circle"
    style: ModelStyle | None = None
    open: bool = False


@dataclass(frozen=True)
class Row:
    """A row of marks, with the text `said` at its end."""

    key: str
    label: str
    marks: tuple[Mark, ...]
    said: str = ""


@dataclass(frozen=True)
class Losses:
    """The mean loss of a critique by epoch, on training examples and on any held-out ones."""

    label: str
    style: ModelStyle | None
    learned: tuple[float, ...]
    held: tuple[float, ...]


def scores(
    rows: Sequence[Row], chosen: str | None, mode: Mode, narrow: bool = False, differences: bool = False
) -> go.Figure:
    """Return a chart of the rows in the given order, on an axis that fits all marks; customdata is the key of a row.

    If the marks are `differences` from people, a line at 0 marks people.
    """
    figure, n, ends, at = Drawing(), len(rows), _range(rows, differences), _place(rows, narrow)
    top = _TOP + 14 * differences
    margin = {"l": at.left or 8, "r": at.right or 10, "t": top, "b": _BOTTOM}
    frame(figure, mode, top + at.height * max(n, 1) + _BOTTOM, margin=margin, meta=ROWS)
    for k, row in enumerate(rows):
        _row(figure, row, -k, ends, row.key == chosen, mode, at)
    figure.update_xaxes(
        range=list(ends),
        nticks=6,
        zeroline=False,
        showgrid=True,
        title_text=f"P(a person wrote it){', minus people’s' * differences}",
        title_standoff=4,
    )
    figure.update_yaxes(range=[0.5 - n, 0.5], visible=False, fixedrange=True)
    figure.update_layout(showlegend=False)
    if differences:
        line = {"color": tone("ink", mode), "width": 1.25, "dash": "4px,3px"}
        figure.add_shape(type="line", x0=0, x1=0, yref="paper", y0=0, y1=1, layer="below", line=line)
        figure.add_annotation(note(0, 1, "people", yref="paper", xanchor="center", yanchor="bottom"))
    return figure


@dataclass(frozen=True)
class _Place:
    """Sizes in px: a row's height, and the margins for names and numbers, 0 if these are above the marks."""

    height: int
    left: int
    right: int


def _place(rows: Sequence[Row], narrow: bool) -> _Place:
    if not narrow:
        return _Place(DENSE if len(rows) > MANY else ROW, _LEFT, _RIGHT)
    widest = max((text_width(row.label, 13) for row in rows), default=0.0)
    return _Place(NARROW_ROW, 0, 0) if widest > _SHORT else _Place(DENSE, round(widest) + 16, _SLIM)


def _range(rows: Sequence[Row], differences: bool) -> tuple[float, float]:
    ends = [end for row in rows for one in row.marks for end in (one.value, one.low, one.high) if defined(end)]
    ends += [0.0] * differences
    low, high = min(ends, default=0.0), max(ends, default=1.0)
    room = 0.04 * (high - low) or 0.1
    return max(low - room, -1.02 if differences else -0.02), min(high + room, 1.02)


def _row(
    figure: go.Figure, row: Row, y: float, ends: tuple[float, float], chosen: bool, mode: Mode, at: _Place
) -> None:
    stacked = not at.left
    if chosen:
        band(figure, y, grey(0.1), at.left, at.right)
    hover = "<br>".join(_said(mark) for mark in row.marks if defined(mark.value))
    whole_row(figure, y, ends, row.key, plain(row.label), f"{_named(row)}{hover}<extra></extra>")
    label = plain(short(row.label, 40 if stacked else _SHOWN))
    font = {"size": 13, "color": tone("ink", mode)}
    text = note(0, y, f"<b>{label}</b>" if chosen else label, xref="paper", font=font)
    figure.add_annotation(text | ({"yshift": 13} if stacked else {"xshift": 4 - at.left}))
    if row.said:
        place = {"yshift": 13, "xshift": 0} if stacked else {"xshift": at.right - 4}
        muted = {"size": 12, "color": tone("muted", mode)}
        figure.add_annotation(note(1, y, row.said, xref="paper", xanchor="right", font=muted, **place))
    for mark in row.marks:
        if defined(mark.value):
            _mark(figure, row, mark, y - 0.14 if stacked else y, mode)


def _mark(figure: go.Figure, row: Row, mark: Mark, y: float, mode: Mode) -> None:
    ink = tone("ink", mode) if mark.style is None else mark.style.mark(mode)
    if defined(mark.low):
        line = {"color": alpha(ink, 0.3), "width": 6}
        figure.add_scatter(x=[mark.low, mark.high], y=[y, y], mode="lines", hoverinfo="skip", line=line)
    figure.add_scatter(
        x=[mark.value],
        y=[y],
        mode="markers",
        customdata=[row.key],
        name=plain(mark.name),
        cliponaxis=False,
        marker={
            "size": 11,
            "symbol": mark.symbol,
            "color": tone("paper", mode) if mark.open else ink,
            "line": {"width": 1.4 if mark.open else 1, "color": ink if mark.open else tone("paper", mode)},
        },
        hovertemplate=f"{_named(row)}{_said(mark)}<extra></extra>",
    )


def _named(row: Row) -> str:
    """The full name of a row and a line break if the label beside the row is cut; otherwise ""."""
    return f"{plain(row.label, 50)}<br>" if len(row.label) > _SHOWN else ""


def _said(mark: Mark) -> str:
    return f"{plain(mark.name)} {num(mark.value, 2)}, 95 % {num(mark.low, 2)} to {num(mark.high, 2)}"


def learning(every: Sequence[Losses], chosen: str | None, mode: Mode) -> go.Figure:
    """Return a chart of losses by epoch: held-out losses as solid lines, training losses as dotted lines.

    If there are several critiques, those that are not chosen are grey, and their training losses are drawn only if they
    have no held-out losses.
    """
    figure = Drawing()
    frame(figure, mode, 250, margin={"l": 52, "r": 12, "t": 10, "b": 42})
    for one in sorted(every, key=lambda one: one.label == chosen):
        strong = one.label == chosen or len(every) == 1
        ink = one.style.mark(mode) if one.style is not None else tone("ink", mode)
        colour, width = (ink, 2.4) if strong else (grey(0.5), 1.2)
        for what, values, dash in (("held out", one.held, "solid"), ("training", one.learned, "2px,3px")):
            if values and (strong or what == "held out" or not one.held):
                figure.add_scatter(
                    x=list(range(1, len(values) + 1)),
                    y=list(values),
                    mode="lines",
                    name=plain(f"{one.label}, {what}"),
                    line={"color": colour, "width": width, "dash": dash},
                    hovertemplate="%{fullData.name}<br>epoch %{x}: %{y:.3f}<extra></extra>",
                )
    figure.update_xaxes(title_text="epoch", title_standoff=4)
    figure.update_yaxes(title_text="loss", rangemode="tozero")
    return figure
