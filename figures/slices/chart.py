"""A row for each slice: its mean beside that of the other items; and scores by the length of captions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from figures.style.drawing import ROWS, Drawing, band, whole_row
from figures.style.escaping import short
from figures.style.numbers import num, p_text, signed
from figures.style.palette import Mode, ModelStyle, alpha, frame, grey, note, pair_colours, plain, tone
from figures.style.text_width import fitting, text_width
from metrics.analysis.slices.lengths import LengthCurve

ROW, NARROW_ROW = 25, 42
NARROW = 560
_SHOWN = 30
"""Maximum length in characters of a label beside its row."""
_LEFT, _TOP, _BOTTOM, _RIGHT = 210, 44, 44, 160
_COLUMNS = (66, 106, _RIGHT - 4)
"""Right ends of the numbers beside the figure, in px from its right edge."""
_LINE, _PHONE, _LEAST_PLOT = 17, 315, 400
"""The height in px of a second line of headings, and the widths of the plot on a phone and on a laptop."""


@dataclass(frozen=True)
class Row:
    """A slice: its label, `n` items, its value and that `elsewhere` (oriented by `advantage`), corrected p and
    significance.
    """

    key: str
    label: str
    n: int
    value: float
    elsewhere: float
    p: float
    significant: bool


@dataclass(frozen=True)
class Heads:
    """The words beside the axis and above the numbers: what is drawn and, if two runs are compared, their names."""

    axis: str
    value: str
    sides: tuple[str, ...] = ()
    styles: tuple[ModelStyle, ...] = ()
    gain: str = "better"


def chart(rows: Sequence[Row], heads: Heads, chosen: str | None, mode: Mode, narrow: bool = False) -> go.Figure:
    """Return a chart of the rows in the given order, each from the other items' mean to the slice's own.

    The customdata of a mark is the key of its slice. There are no intervals: 95 % intervals of single slices would
    exclude the mean of the others where p, corrected for all slices, does not.
    """
    figure, height, n = Drawing(), NARROW_ROW if narrow else ROW, len(rows)
    top = _TOP + _LINE * _stacked(heads, narrow)
    margin = {"l": 8 if narrow else _LEFT, "r": 10 if narrow else _RIGHT, "t": top, "b": _BOTTOM}
    frame(figure, mode, top + height * n + _BOTTOM, margin=margin, meta=ROWS)
    if heads.sides:
        _zero(figure, n, narrow)
    ends = [v for row in rows for v in (row.value, row.elsewhere)] + ([0.0] if heads.sides else [])
    low, high = min(ends), max(ends)
    room = 0.04 * (high - low) or 0.1
    axis = (low - room, high + room)
    for k, row in enumerate(rows):
        _row(figure, row, -k, axis, mode, row.key == chosen, narrow, bool(heads.sides))
    figure.update_xaxes(
        range=list(axis),
        nticks=5 if narrow else 8,
        zeroline=False,
        tickformat="+~r" if heads.sides else None,
        title_text=plain(short(heads.axis, 44 if narrow else 80)),
        title_standoff=4,
    )
    figure.update_layout(xaxis={"labelalias": {"+0": "0"}}, showlegend=False)
    figure.update_yaxes(range=[0.6 - n, 0.6], visible=False, fixedrange=True)
    _heads(figure, heads, mode, narrow)
    return figure


def _zero(figure: go.Figure, n: int, narrow: bool) -> None:
    parts = [(0.02 - k, -0.5 - k) for k in range(n)] if narrow else [(0.6, 0.6 - n)]
    for begin, end in parts:
        place = {"y0": begin, "y1": end, "layer": "below", "type": "line"}
        figure.add_shape(x0=0, x1=0, line={"color": grey(0.7), "width": 1, "dash": "dot"}, **place)


def _row(
    figure: go.Figure,
    row: Row,
    y: float,
    axis: tuple[float, float],
    mode: Mode,
    chosen: bool,
    narrow: bool,
    signed_axis: bool,
) -> None:
    if chosen:
        band(figure, y, grey(0.1), 0 if narrow else _LEFT, 0 if narrow else _RIGHT)
    label = plain(short(row.label, 40 if narrow else _SHOWN))
    font = {"size": 13, "color": tone("ink", mode)}
    text = note(0, y, f"<b>{label}</b>" if chosen else label, xref="paper", font=font)
    figure.add_annotation(text | ({"yshift": 12} if narrow else {"xshift": 4 - _LEFT}))
    value = signed(row.value, 2) if signed_axis else num(row.value, 2)
    hover = _hover(row, value, signed(row.elsewhere, 2) if signed_axis else num(row.elsewhere, 2))
    whole_row(figure, y, axis, row.key, plain(row.label), hover)
    _mark(figure, row, y - 0.16 if narrow else y, hover, mode)
    _numbers(figure, row, y, value, mode, narrow)


def _mark(figure: go.Figure, row: Row, y: float, hover: str, mode: Mode) -> None:
    ink, paper = tone("ink", mode), tone("paper", mode)
    line = {"color": alpha(ink, 0.4), "width": 1.5}
    figure.add_scatter(x=[row.elsewhere, row.value], y=[y, y], mode="lines", hoverinfo="skip", line=line)
    tick = {"type": "line", "yref": "y", "line": {"color": ink, "width": 1.6}}
    figure.add_shape(x0=row.elsewhere, x1=row.elsewhere, y0=y - 0.26, y1=y + 0.26, **tick)
    figure.add_scatter(
        x=[row.value],
        y=[y],
        mode="markers",
        customdata=[row.key],
        name=plain(row.label),
        cliponaxis=False,
        marker={"size": 9, "color": ink if row.significant else paper, "line": {"width": 1.6, "color": ink}},
        hovertemplate=hover,
    )


def _hover(row: Row, value: str, elsewhere: str) -> str:
    label = f"{plain(row.label, 50)}<br>" if len(row.label) > _SHOWN else ""
    return f"{label}{value}, elsewhere {elsewhere}<br>p {p_text(row.p)}, n = {row.n:,}<extra></extra>"


def _numbers(figure: go.Figure, row: Row, y: float, value: str, mode: Mode, narrow: bool) -> None:
    font = {"size": 12, "color": tone("muted", mode)}
    if narrow:
        words = f"{value}, n {row.n:,}, p {p_text(row.p)}"
        figure.add_annotation(note(1, y, words, xref="paper", xanchor="right", yshift=12, font=font))
        return
    for at, words in zip(_COLUMNS, (value, f"{row.n:,}", p_text(row.p))):
        figure.add_annotation(note(1, y, words, xref="paper", xanchor="right", xshift=at, font=font))


def _heads(figure: go.Figure, heads: Heads, mode: Mode, narrow: bool) -> None:
    font = {"size": 11.5, "color": tone("muted", mode)}
    above = {"yref": "paper", "yanchor": "bottom", "font": font}
    if not narrow:
        for at, words in zip(_COLUMNS, (heads.value, "n", "p")):
            figure.add_annotation(note(1, 1, words, xref="paper", xanchor="right", xshift=at, yshift=1, **above))
    if heads.sides:
        first, second = (plain(fitting(one, 230 if narrow else 320)) for one in heads.sides)
        (_, of_first), (_, of_second) = pair_colours((heads.styles[0], heads.styles[1]), mode)
        for x, anchor, words, colour, lift in (
            (0, "left", f"← {second} {heads.gain}", of_second, 0),
            (1, "right", f"{first} {heads.gain} →", of_first, _LINE * _stacked(heads, narrow)),
        ):
            font = {"size": 12.5, "color": colour}
            place = {"xref": "paper", "yref": "paper", "yanchor": "bottom", "yshift": 18 + lift, "xanchor": anchor}
            figure.add_annotation(note(x, 1, f"<b>{words}</b>", font=font, **place))


def _stacked(heads: Heads, narrow: bool) -> bool:
    """Whether the names of both runs are too long for one line."""
    wide = sum(text_width(f"← {one} {heads.gain}") for one in heads.sides)
    return wide > (_PHONE if narrow else _LEAST_PLOT)


def lengths(
    curves: Sequence[LengthCurve], names: Sequence[str], marks: Sequence[ModelStyle], axis: str, mode: Mode
) -> go.Figure:
    """Return a chart of the score of each run by the number of words of its captions, with intervals."""
    figure = Drawing()
    legend = {"orientation": "h", "y": 1.14, "x": 0}
    frame(figure, mode, 260, margin={"l": 56, "r": 12, "t": 28, "b": 44}, legend=legend)
    for k, (one, label, style) in enumerate(zip(curves, names, marks)):
        hue = style.mark(mode) if not k or style != marks[0] else tone("muted", mode)
        bars = {
            "type": "data",
            "symmetric": True,
            "array": (one.high - one.score).tolist(),
            "thickness": 1.2,
            "width": 0,
        }
        figure.add_scatter(
            x=one.length.tolist(),
            y=one.score.tolist(),
            error_y=bars,
            mode="lines+markers",
            name=plain(short(label, 30)),
            line={"color": hue, "width": 2, "dash": "dot" if k else "solid"},
            marker={"size": 8, "symbol": "square" if k else "circle", "color": hue},
            customdata=one.n.tolist(),
            hovertemplate="%{x:.1f} words: %{y:.3f}, n = %{customdata}<extra>%{fullData.name}</extra>",
        )
    figure.update_xaxes(title_text="words per caption", title_standoff=4, nticks=8)
    figure.update_yaxes(title_text=plain(axis), nticks=5)
    return figure
