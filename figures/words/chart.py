"""A row per word with the ratio of its frequencies, run to people, right of 1 if the run uses the word more often."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from figures.style.drawing import ROWS, Drawing, band, whole_row
from figures.style.escaping import short
from figures.style.numbers import p_text
from figures.style.palette import Mode, ModelStyle, alpha, frame, grey, note, plain, tone
from figures.style.text_width import fitting, text_width

ROW, NARROW_ROW, GAP = 22, 36, 0.6
_HEADS = 16
"""Height in px of the line that explains the numbers in a narrow figure."""
NARROW = 560
BEYOND = math.log(4)
"""How far intervals may extend the axis beyond all ratios (as a logarithm); longer ones run to its end."""
_LEFT, _TOP, _BOTTOM, _RIGHT = 190, 30, 40, 212
_MARKS = 6
"""Maximum number of marks on the axis beside 400 px of names and numbers; with more, their labels would be rotated."""
_SHOWN = 24
"""Maximum length of a word or phrase beside its row."""
_NAME, _NARROW_NAME = 300, 220
"""Maximum width in px of the run's name above the axis, on a screen and on a phone."""
_BESIDE, _NARROW_BESIDE = 180, 150
"""The width in px of the run's name beyond which it is a line above the other side's words, not beside them."""
_COLUMNS = (54, 102, 152, _RIGHT - 4)
"""Right ends of the numbers beside the figure, in px from its right edge."""


@dataclass(frozen=True)
class Row:
    """A word: the ratio of its rates with the interval, as logarithms, its rates per 1,000 words, and its corrected p.

    For a word that a side never uses, the ratio and one end of its interval are infinite.
    """

    term: str
    ratio: float
    low: float
    high: float
    run: float
    people: float
    p: float
    significant: bool


def times(log: float) -> str:
    """Return a ratio of frequencies from its logarithm: "3.2 ×", or "0.31 ×" for a word used less often."""
    ratio = math.exp(log)
    said = f"{ratio:.0f}" if ratio >= 9.95 else f"{ratio:.1f}" if ratio >= 0.995 else f"{ratio:.2f}"
    return f"{said if ratio >= 0.095 else f'{ratio:.1g}'} ×"


def how_often(one: Row) -> str:
    """Return the ratio of a word's frequencies: "∞ ×" if people never use it, "0 ×" if the run never does."""
    return times(one.ratio) if math.isfinite(one.ratio) else "∞ ×" if one.ratio > 0 else "0 ×"


def rate(value: float) -> str:
    """Return a rate per 1,000 words; "0" for a word that is never used."""
    return f"{value:.0f}" if value >= 9.95 or not value else f"{value:.1f}"


def chart(
    over: Sequence[Row],
    under: Sequence[Row],
    run: str,
    style: ModelStyle,
    chosen: str | None,
    mode: Mode,
    narrow: bool = False,
) -> go.Figure:
    """Return a chart of the words used more often, above those used less often; customdata is the word of a mark."""
    figure, row = Drawing(), NARROW_ROW if narrow else ROW
    gap = GAP if over and under else 0.0
    height = len(over) + len(under) + gap
    top = _TOP + _HEADS * (narrow + _stacked(run, narrow))
    margin = {"l": 8 if narrow else _LEFT, "r": 10 if narrow else _RIGHT, "t": top, "b": _BOTTOM}
    frame(figure, mode, top + round(row * height) + _BOTTOM, margin=margin, meta=ROWS)
    low, high = _ends([*over, *under])
    places = [-k - (gap if k >= len(over) else 0.0) for k in range(len(over) + len(under))]
    for one, y in zip([*over, *under], places):
        _row(figure, one, y, (low, high), style, mode, one.term == chosen, narrow)
    rows = [(y, y - 0.45) for y in places] if narrow else [(0.5, 0.5 - height)]
    for begin, end in rows:  # In a narrow figure, leave gaps at the words of a row.
        line = {"color": tone("ink", mode), "width": 1.2}
        figure.add_shape(type="line", x0=0, x1=0, y0=begin, y1=end, line=line, layer="below")
    _axes(figure, (low, high), height, run, style, mode, narrow)
    return figure


def _ends(rows: Sequence[Row]) -> tuple[float, float]:
    ratios = [0.0, *(row.ratio for row in rows if math.isfinite(row.ratio))]
    low = max(min([row.low for row in rows]), min(ratios) - BEYOND)
    high = min(max([row.high for row in rows]), max(ratios) + BEYOND)
    low, high = min(low, *ratios, -math.log(2)), max(high, *ratios, math.log(2))
    room = 0.04 * (high - low)
    return low - room, high + room


def _row(
    figure: go.Figure,
    one: Row,
    y: float,
    ends: tuple[float, float],
    style: ModelStyle,
    mode: Mode,
    chosen: bool,
    narrow: bool,
) -> None:
    ink, hue, paper = tone("ink", mode), style.mark(mode), tone("paper", mode)
    if chosen:
        band(figure, y, grey(0.1), 0 if narrow else _LEFT, 0 if narrow else _RIGHT)
    whole_row(figure, y, ends, one.term, plain(one.term), _hover(one))
    label = plain(short(one.term, 34 if narrow else _SHOWN))
    text = note(0, y, f"<b>{label}</b>" if chosen else label, xref="paper", font={"size": 13, "color": ink})
    figure.add_annotation(text | ({"yshift": 9} if narrow else {"xshift": 4 - _LEFT}))
    at = y - 0.2 if narrow else y
    x = [max(one.low, ends[0]), min(one.high, ends[1])]
    inside = 0.01 * (ends[1] - ends[0])  # a mark on the edge could not be hovered over
    line = {"color": alpha(hue, 0.4 if one.significant else 0.16), "width": 5}
    figure.add_scatter(x=x, y=[at, at], mode="lines", hoverinfo="skip", line=line)
    figure.add_scatter(
        x=[min(max(one.ratio, ends[0] + inside), ends[1] - inside)],
        y=[at],
        mode="markers",
        customdata=[one.term],
        name=plain(one.term),
        cliponaxis=False,
        marker={
            "size": 9,
            "symbol": "circle" if math.isfinite(one.ratio) else "triangle-left" if one.ratio < 0 else "triangle-right",
            "color": hue if one.significant else paper,
            "line": {"width": 1.6, "color": hue},
        },
        hovertemplate=_hover(one),
    )
    _numbers(figure, one, y, mode, narrow)


def _hover(one: Row) -> str:
    # The row shows the other numbers; a hover text of one line covers no neighbouring row.
    label = f"{plain(one.term, 50)}<br>" if len(one.term) > _SHOWN else ""
    low = times(one.low) if math.isfinite(one.low) else "0"
    to = f"{low} to {times(one.high)}" if math.isfinite(one.high) else f"{low} or more"
    return f"{label}{how_often(one)}, 95 % {to}, p {p_text(one.p)}<extra></extra>"


def _numbers(figure: go.Figure, one: Row, y: float, mode: Mode, narrow: bool) -> None:
    font = {"size": 12, "color": tone("muted", mode)}
    if narrow:
        words = f"{how_often(one)}, {rate(one.run)} v {rate(one.people)}"
        figure.add_annotation(note(1, y, words, xref="paper", xanchor="right", yshift=9, font=font))
        return
    said = (how_often(one), rate(one.run), rate(one.people), p_text(one.p))
    for at, words in zip(_COLUMNS, said):
        figure.add_annotation(note(1, y, words, xref="paper", xanchor="right", xshift=at, font=font))


def _axes(
    figure: go.Figure,
    ends: tuple[float, float],
    height: float,
    run: str,
    style: ModelStyle,
    mode: Mode,
    narrow: bool,
) -> None:
    powers = range(math.ceil(ends[0] / math.log(2)), math.floor(ends[1] / math.log(2)) + 1)
    marks = [power for power in powers if power % math.ceil(len(powers) / _MARKS) == 0]
    figure.update_xaxes(
        range=list(ends),
        zeroline=False,
        tickvals=[power * math.log(2) for power in marks],
        ticktext=[f"{2**power} ×" if power >= 0 else times(power * math.log(2)) for power in marks],
        title_text="times as often as people",
        title_standoff=4,
    )
    figure.update_yaxes(range=[0.5 - height, 0.5], visible=False, fixedrange=True)
    figure.update_layout(showlegend=False)
    _heads(figure, run, style, mode, narrow)


def _heads(figure: go.Figure, run: str, style: ModelStyle, mode: Mode, narrow: bool) -> None:
    muted = {"size": 11.5, "color": tone("muted", mode)}
    above = {"yref": "paper", "yanchor": "bottom"}
    heads = ((0, "times, run v people"),) if narrow else zip(_COLUMNS, ("times", "run", "people", "p"))
    for at, words in heads:
        figure.add_annotation(
            note(1, 1, words, xref="paper", xanchor="right", xshift=at, yshift=2, font=muted, **above)
        )
    side, lift = {"xref": "paper", **above}, 2 + _HEADS * narrow
    font = {"size": 12.5, "color": style.text(mode)}
    right = f"<b>{plain(fitting(run, _NARROW_NAME if narrow else _NAME))} more →</b>"
    higher = lift + _HEADS * _stacked(run, narrow)
    figure.add_annotation(note(1, 1, right, xanchor="right", font=font, yshift=higher, **side))
    less = {"size": 12.5, "color": tone("ink", mode)}
    figure.add_annotation(note(0, 1, "<b>← people more</b>", font=less, yshift=lift, **side))


def _stacked(run: str, narrow: bool) -> bool:
    """Whether the name of the run is too long to fit beside the other side's words."""
    return text_width(run) > (_NARROW_BESIDE if narrow else _BESIDE)
