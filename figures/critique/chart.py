"""The probability that a person wrote a caption, as rows of marks, and training losses by epoch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from figures.critique.names import TIER, placed
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
_GLYPH = {"circle": "●", "square": "■", "diamond": "◆", "triangle-up": "▲", "cross": "✚"}


@dataclass(frozen=True)
class Mark:
    """One mean score with its interval, drawn in ink if it has no model's style, hollow if `open`, small if `minor`."""

    name: str
    value: float
    low: float
    high: float
    symbol: str = "circle"
    style: ModelStyle | None = None
    open: bool = False
    minor: bool = False


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


def scores(rows: Sequence[Row], chosen: str | None, mode: Mode, narrow: bool = False) -> go.Figure:
    """Return a chart of the rows in the given order, on an axis that fits all marks; customdata is the key of a row.

    The marks of the first row have their names above them; the marks of other rows have the same shapes.
    """
    figure, n, ends, at = Drawing(), len(rows), _range(rows), _place(rows, narrow)
    above = _names(figure, rows[0], ends, at, mode) if rows else 0
    top = _TOP + above
    margin = {"l": at.left or 8, "r": at.right or 10, "t": top, "b": _BOTTOM}
    frame(figure, mode, top + at.height * max(n, 1) + _BOTTOM, margin=margin, meta=ROWS)
    for k, row in enumerate(rows):
        _row(figure, row, -k, ends, row.key == chosen, mode, at)
    figure.update_xaxes(
        range=list(ends),
        nticks=6,
        zeroline=False,
        showgrid=True,
        title_text="P(a person wrote it)",
        title_standoff=4,
    )
    figure.update_yaxes(range=[0.5 - n, 0.5], visible=False, fixedrange=True)
    figure.update_layout(showlegend=False)
    return figure


@dataclass(frozen=True)
class _Place:
    """Sizes in px: a row's height, the margins for names and numbers (0 if above the marks), the plot's least width."""

    height: int
    left: int
    right: int
    least: int


def _place(rows: Sequence[Row], narrow: bool) -> _Place:
    if not narrow:
        return _Place(DENSE if len(rows) > MANY else ROW, _LEFT, _RIGHT, 380)
    widest = max((text_width(row.label, 13) for row in rows), default=0.0)
    return _Place(NARROW_ROW, 0, 0, 330) if widest > _SHORT else _Place(DENSE, round(widest) + 16, _SLIM, 200)


def _names(figure: go.Figure, row: Row, ends: tuple[float, float], room: _Place, mode: Mode) -> int:
    """Write the names of a row's marks above the plot, each with a line to its mark; return their height in px."""
    marks = [mark for mark in row.marks if defined(mark.value)]
    if len(marks) < 2:
        return 0
    # A name may stand above the margins, too.
    width, stacked = room.left + room.least + room.right, not room.left
    at = [room.left + room.least * (mark.value - ends[0]) / (ends[1] - ends[0]) for mark in marks]
    texts = [f"{_GLYPH.get(mark.symbol, '')} {mark.name}".strip() for mark in marks]
    lowest = 18 if stacked else 4
    for mark, text, place in zip(marks, texts, placed(at, texts, width)):
        colour = mark.style.text(mode) if mark.style is not None else tone("muted" if mark.minor else "ink", mode)
        up, side = lowest + TIER * place.tier, "right" if place.leftward else "left"
        words = {"xanchor": side, "yanchor": "bottom", "yshift": up, "font": {"size": 11.5, "color": colour}}
        figure.add_annotation(
            note(mark.value, 1, plain(text), yref="paper", xshift=-3 if place.leftward else 3, **words)
        )
        line = {"color": grey(0.5), "width": 1}
        figure.add_shape(
            type="line",
            x0=mark.value,
            x1=mark.value,
            yref="paper",
            ysizemode="pixel",
            yanchor=1,
            line=line,
            y0=-room.height * (0.64 if stacked else 0.5) + 6,
            y1=up + TIER - 2,
            layer="below",
        )
    return lowest + TIER * (1 + max(place.tier for place in placed(at, texts, width)))


def _range(rows: Sequence[Row]) -> tuple[float, float]:
    ends = [end for row in rows for one in row.marks for end in (one.value, one.low, one.high) if defined(end)]
    low, high = min(ends, default=0.0), max(ends, default=1.0)
    room = 0.04 * (high - low) or 0.1
    return max(low - room, -0.02), min(high + room, 1.02)


def _row(
    figure: go.Figure, row: Row, y: float, ends: tuple[float, float], chosen: bool, mode: Mode, at: _Place
) -> None:
    stacked = not at.left
    if chosen:
        band(figure, y, grey(0.1), at.left, at.right)
    # The small marks have hover boxes of their own: a single box for all would cover neighbouring rows.
    hover = "<br>".join(_said(mark) for mark in row.marks if defined(mark.value) and not mark.minor)
    whole_row(figure, y, ends, row.key, plain(row.label), f"{_named(row)}{hover}<extra></extra>")
    label = plain(short(row.label, 40 if stacked else _SHOWN))
    font = {"size": 13, "color": tone("ink", mode)}
    text = note(0, y, f"<b>{label}</b>" if chosen else label, xref="paper", font=font)
    figure.add_annotation(text | ({"yshift": 13} if stacked else {"xshift": 4 - at.left}))
    if row.said:
        place = {"yshift": 13, "xshift": 0} if stacked else {"xshift": at.right - 4}
        muted = {"size": 12, "color": tone("muted", mode)}
        figure.add_annotation(note(1, y, row.said, xref="paper", xanchor="right", font=muted, **place))
    for mark in sorted(row.marks, key=lambda one: not one.minor):
        if defined(mark.value):
            _mark(figure, row, mark, y - 0.14 if stacked else y, mode)


def _mark(figure: go.Figure, row: Row, mark: Mark, y: float, mode: Mode) -> None:
    ink = tone("muted" if mark.minor else "ink", mode) if mark.style is None else mark.style.mark(mode)
    if not mark.minor and defined(mark.low):
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
            "size": 8 if mark.minor else 11,
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
