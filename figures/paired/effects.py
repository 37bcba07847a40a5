"""Two runs by metric: effect size as a bar from zero, its interval, the numbers, and how many images each run wins.

Run A has solid bars and round marks, and run B striped bars and square marks, so that the figure does not rely on
colour. Marks are filled if the difference is significant after correction, else hollow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from figures.paired.forest import ForestRow
from figures.style.drawing import MARKS, Drawing
from figures.style.numbers import DASH, defined
from figures.style.palette import Mode, ModelStyle, alpha, frame, grey, note, pair_colours, plain, tone
from figures.style.text_width import fitting, text_width
from figures.style.wording import common_lead

GROUPS = {
    "distribution": "Distance to people",
    "quality": "Quality",
    "diversity": "Variety: more is not better in itself",
    "longer": "Length: longer is neither better nor more varied",
}
ROW, HEAD, TOP, LINE, BOTTOM, HALF = 29, 25, 28, 16, 40, 7
NARROW_ROW = 51
_NEARER = 3
"""How much closer to a bar, in px, the numbers below it are than the name above it, so that they belong to that bar."""
NARROW = 560
"""Width of the paper in px below which a row takes three lines."""
WIDER = 0.25
"""Share of the axis by which metrics such as the length of captions, which are not better in one direction, may
widen it on each side.
"""
_SIDE = 0.22
"""Minimum share of the axis on either side of zero, for the words above it."""
_LEAST_PLOT, _BOLD = 400, 1.06
"""Usual width in px of the axis, and how much wider than plain text the words above it are."""
_PHONE = 320
"""Width in px of the axis on a phone."""
_CLEAR = 14
"""Width in px at the right end of the axis that the heading of the next column needs on a tablet."""
_FAINT = 0.45


@dataclass(frozen=True)
class Sides:
    """The two runs: their short names and the styles of their models, and the noun for the study's items."""

    names: tuple[str, str]
    styles: tuple[ModelStyle, ModelStyle]
    noun: str = "image"

    def texts(self, mode: Mode) -> tuple[str, str]:
        """Return the colours of both names."""
        (_, first), (_, second) = pair_colours(self.styles, mode)
        return first, second


@dataclass(frozen=True)
class _Place:
    """Positions of the parts of a row: shares of the plot, and px within a row."""

    narrow: bool
    margin: float

    @property
    def row(self) -> int:
        return NARROW_ROW if self.narrow else ROW

    @property
    def head(self) -> int:
        return HEAD + 6 * self.narrow

    @property
    def domain(self) -> tuple[float, float]:
        return (0.0, 1.0) if self.narrow else (0.0, 0.55)

    difference, p, first, bar, last = 0.64, 0.76, 0.83, (0.84, 0.955), 1.0

    @property
    def lift(self) -> int:
        """Distance in px between a bar, in the middle of its row, and the name above it."""
        return 18 if self.narrow else 0

    @property
    def room(self) -> float:
        """Width in px of a side's words above the axis: a whole line on a phone, or half a line on wider screens."""
        return _PHONE if self.narrow else 240


def narrow(width: float | None) -> bool:
    """Return whether a row takes three lines on paper of this width in px; False for the screen (None)."""
    return width is not None and width < NARROW


def effects(lines: Sequence[ForestRow], sides: Sides, mode: Mode, two_lines: bool = False) -> go.Figure:
    """Return a chart of the rows in `lines` by family; the customdata of a mark is the row's key.

    With `two_lines`, for narrow screens and paper, a row's name and difference are above its bar, p and wins below it.
    """
    widest = max((text_width(line.name, _SIZE) for line in lines), default=0.0)
    at, figure = _Place(two_lines, min(max(_MARGIN, widest + _INDENT + 6), _WIDEST)), Drawing()
    y = 0.0
    for k, (family, title) in enumerate(GROUPS.items()):
        rows = [line for line in lines if line.family == family]
        if not rows:
            continue
        if k and y:
            figure.add_shape(
                type="line", xref="paper", x0=0 if two_lines else -at.margin / 800, x1=1, y0=y + 1, y1=y + 1, line=_RULE
            )
        _left(figure, y + HEAD / 2 + 2, f"<b>{title}</b>", mode, at, 0, muted=True)
        y += at.head
        for line in rows:
            _row(figure, line, y + at.row / 2, sides, mode, at, span(lines))
            y += at.row
    _axes(figure, lines, y, sides.noun, mode, at)
    _heads(figure, lines, sides, mode, at)
    return figure


_RULE = {"color": grey(0.2), "width": 1}
_MARGIN, _WIDEST, _INDENT, _SIZE = 128, 220, 8, 14.0
"""The least and the greatest width in px of the names beside the plot, their indent, and their font size."""
_WHOLE_LINE = 300
"""Width in px of a name on a line of its own."""


def _left(
    figure: go.Figure, y: float, text: str, mode: Mode, at: _Place, indent: int = _INDENT, muted: bool = False
) -> None:
    font = {"size": 12.5 if muted else _SIZE, "color": tone("muted" if muted else "ink", mode)}
    shift = 0 if at.narrow else indent - at.margin
    figure.add_annotation(note(0, y, text, xref="paper", xshift=shift, font=font, bgcolor=tone("paper", mode)))


def _row(
    figure: go.Figure, line: ForestRow, y: float, sides: Sides, mode: Mode, at: _Place, ends: tuple[float, float]
) -> None:
    room = (_WHOLE_LINE if at.narrow else at.margin - _INDENT) * 12.5 / _SIZE
    _left(figure, y - at.lift, plain(fitting(line.name, room)), mode, at)
    if at.narrow:
        _zero(figure, y - HALF - 3, y + HALF + 3, mode)
    if line.waiting:
        _pending(figure, y, mode, at)
        return
    if line.reason:
        words = f"{DASH} {plain(line.reason, 60)}"
        figure.add_annotation(note(0, y, words, xref="paper", font=_font("muted", mode), bgcolor=tone("paper", mode)))
        return
    won = 0 if line.value >= 0 else 1
    figure.add_bar(
        x=[_within(line.value, ends)],
        y=[y],
        orientation="h",
        width=2 * HALF,
        hoverinfo="skip",
        showlegend=False,
        marker=_paint(sides, won, mode),
        opacity=1.0 if line.has_better_side else _FAINT,
    )
    if defined(line.low) and defined(line.high):
        _interval(figure, (_within(line.low, ends), _within(line.high, ends)), y, mode)
    _point(figure, line, y, won, mode, ends)
    _numbers(figure, line, y, sides, mode, at)


def _within(value: float, ends: tuple[float, float]) -> float:
    return min(max(value, ends[0]), ends[1])


def _interval(figure: go.Figure, ends: tuple[float, float], y: float, mode: Mode) -> None:
    """Draw the interval as an ink line on a paper-coloured one, so that it stands out from the bar."""
    for colour, width in ((tone("paper", mode), 4.5), (tone("ink", mode), 2)):
        line = {"color": colour, "width": width}
        figure.add_scatter(x=list(ends), y=[y, y], mode="lines", hoverinfo="skip", line=line)


def _point(figure: go.Figure, line: ForestRow, y: float, won: int, mode: Mode, ends: tuple[float, float]) -> None:
    ink, paper = tone("ink", mode), tone("paper", mode)
    at = _within(line.value, ends)
    arrow = "" if at == line.value else "triangle-right" if line.value > at else "triangle-left"
    figure.add_scatter(
        x=[at],
        y=[y],
        mode="markers",
        name=plain(line.name),
        customdata=[line.key],
        cliponaxis=False,
        marker={
            "size": 10,
            "symbol": arrow or ("circle", "square")[won],
            "color": ink if line.significant else paper,
            "line": {"width": 1.5, "color": paper if line.significant else ink},
        },
        hovertemplate=f"{line.hover}<extra></extra>",
    )


def _paint(sides: Sides, side: int, mode: Mode) -> dict[str, Any]:
    hue = pair_colours(sides.styles, mode)[side][0]
    if side == 0:
        return {"color": hue, "line": {"width": 0}}
    pattern = {"shape": "/", "fgcolor": hue, "bgcolor": alpha(hue, 0.28), "size": 6, "solidity": 0.5}
    return {"color": hue, "pattern": pattern, "line": {"width": 0}}


def _numbers(figure: go.Figure, line: ForestRow, middle: float, sides: Sides, mode: Mode, at: _Place) -> None:
    wins, ties, losses = line.counts
    if at.narrow:
        p = line.p if line.p.startswith(("≤", "&lt;", "<")) else f"= {line.p}"
        won = _side_by_side(sides, (f"{wins:,}", f"{losses:,}"), mode)
        for y, words, role in (
            (middle - at.lift, line.favour, "ink"),
            (middle + at.lift - _NEARER, f"p {p} · {won} {sides.noun}s won", "muted"),
        ):
            said = note(1, y, words, xref="paper", xanchor="right", font=_font(role, mode))
            figure.add_annotation(said | {"bgcolor": tone("paper", mode)})
        return
    for x, text, role in (
        (at.difference, line.favour, "ink"),
        (at.p, line.p, "muted"),
        (at.first, _strong(wins, wins > losses), "ink" if wins > losses else "muted"),
        (at.last, _strong(losses, losses > wins), "ink" if losses > wins else "muted"),
    ):
        figure.add_annotation(note(x, middle, text, xref="paper", xanchor="right", font=_font(role, mode)))
    total, begin = max(wins + ties + losses, 1), 0.0
    for side, n in ((0, wins), (None, ties), (1, losses)):
        paint = {"color": "rgba(0,0,0,0)", "line": {"width": 1, "color": grey(0.45)}}
        figure.add_bar(
            x=[n / total],
            y=[middle],
            base=begin,
            orientation="h",
            width=12,
            xaxis="x2",
            marker=paint if side is None else _paint(sides, side, mode),
            opacity=1.0 if line.has_better_side else _FAINT,
            customdata=[n],
            name="ties" if side is None else f"{plain(sides.names[side])} ahead",
            hovertemplate="%{customdata:,} of " + f"{total:,}<extra>%{{fullData.name}}</extra>",
        )
        begin += n / total


def _side_by_side(sides: Sides, words: tuple[str, str], mode: Mode) -> str:
    return " : ".join(f'<span style="color:{colour}">{one}</span>' for colour, one in zip(sides.texts(mode), words))


def _zero(figure: go.Figure, top: float, bottom: float, mode: Mode) -> None:
    """Draw the line of no difference: on a phone beside each bar only, since words stand between the bars."""
    line = {"color": tone("ink", mode), "width": 1.2}
    figure.add_shape(type="line", x0=0, x1=0, y0=top, y1=bottom, line=line, layer="below")


def _strong(n: int, most: bool) -> str:
    return f"<b>{n:,}</b>" if most else f"{n:,}"


def _pending(figure: go.Figure, y: float, mode: Mode, at: _Place) -> None:
    spans = [(0.0, 0.14)] if at.narrow else [(at.difference - 0.05, at.difference), (at.p - 0.04, at.p), at.bar]
    for x0, x1 in spans:
        figure.add_shape(
            type="rect", xref="paper", x0=x0, x1=x1, y0=y - 4, y1=y + 4, fillcolor=grey(0.2), line={"width": 0}
        )
    words = "<i>computing</i>"
    figure.add_shape(
        type="rect", xref="paper", x0=0.2, x1=0.32, y0=y - 4, y1=y + 4, fillcolor=grey(0.2), line={"width": 0}
    )
    figure.add_annotation(note(0.335, y, words, xref="paper", font=_font("muted", mode)))


def _axes(figure: go.Figure, lines: Sequence[ForestRow], height: float, noun: str, mode: Mode, at: _Place) -> None:
    low, high = span(lines)
    left, top = 8 if at.narrow else at.margin, TOP + LINE
    margin = {"l": left, "r": 4, "t": top, "b": BOTTOM}
    frame(figure, mode, int(height) + top + BOTTOM, margin=margin, barmode="overlay", meta=MARKS)
    if not at.narrow:
        _zero(figure, -6, height, mode)
    figure.update_xaxes(
        domain=list(at.domain),
        range=[low, high],
        showgrid=True,
        zeroline=False,
        ticks="",
        nticks=8,
        tickformat="+~r",
        title_text=f"difference in standard deviations between {noun}s",
        title_standoff=4,
    )
    figure.update_layout(xaxis={"labelalias": {"+0": "0"}})
    figure.update_layout(xaxis2={"domain": list(at.bar), "range": [0, 1], "visible": False, "anchor": "y"})
    figure.update_yaxes(range=[max(height, 1), 0], visible=False)


def span(lines: Sequence[ForestRow]) -> tuple[float, float]:
    """Return the ends of the axis, on which all rows fit.

    Rows of metrics that are not better in one direction are an exception: they widen it by at most WIDER on each side,
    or by what the other side leaves of that.
    """
    (low, high), (least, most) = (_extent(of) for of in ([r for r in lines if r.has_better_side], lines))
    if low < high:
        room = WIDER * (high - low)
        spare = [max(0.0, room - beyond) for beyond in (low - least, most - high)]
        least, most = max(least, low - room - spare[1]), min(most, high + room + spare[0])
    room = 0.05 * (most - least) or 0.5
    low, high = least - room, most + room
    width = high - low
    return min(low, -_SIDE * width), max(high, _SIDE * width)


def _extent(lines: Sequence[ForestRow]) -> tuple[float, float]:
    ends = [v for line in lines for v in (line.value, line.low, line.high) if defined(v)] + [0.0]
    return min(ends), max(ends)


def beyond(lines: Sequence[ForestRow]) -> bool:
    """Return whether the value of some row is beyond the axis."""
    low, high = span(lines)
    return any(defined(line.value) and not low <= line.value <= high for line in lines)


def _heads(figure: go.Figure, lines: Sequence[ForestRow], sides: Sides, mode: Mode, at: _Place) -> None:
    lead = common_lead(line.means for line in lines)
    rest = text_width(f" {lead} →")
    first, second = (plain(fitting(name, at.room / _BOLD - rest)) for name in sides.names)
    texts = sides.texts(mode)
    above = {"yref": "paper", "yanchor": "bottom", "yshift": 4}
    said = (f"{first} {lead} →", f"← {second} {lead}")
    low, high = figure.layout.xaxis.range
    zero = -low / (high - low) * _LEAST_PLOT
    room = (_LEAST_PLOT - zero - _CLEAR, zero + at.margin)
    at_ends = at.narrow or any(_BOLD * text_width(words) + 10 > wide for words, wide in zip(said, room))
    stacked = at.narrow and sum(_BOLD * text_width(words) for words in said) > _PHONE
    for side, words in enumerate(said):
        font = {"size": 12.5, "color": texts[side]}
        beside: dict[str, Any] = {"x": 0, "xanchor": ("left", "right")[side], "xshift": (10, -10)[side]}
        if at_ends:  # zero is so near an edge that a name has no room
            shift = 0 if at.narrow else (-_CLEAR, _INDENT - at.margin)[side]
            beside = {"x": at.domain[1 - side], "xref": "paper", "xanchor": ("right", "left")[side], "xshift": shift}
            beside["yshift"] = 4 + LINE * (stacked and side == 0)
        figure.add_annotation(note(0, 1, f"<b>{words}</b>", font=font, **above) | beside)
    if at.narrow:
        return
    for at_x, words in (
        (at.difference, "by how much"),
        (at.p, "corrected p"),
    ):
        figure.add_annotation(note(at_x, 1, words, xref="paper", xanchor="right", font=_font("muted", mode), **above))
    first, second = (plain(fitting(name, at.room)) for name in sides.names)
    won = _side_by_side(sides, (first, second), mode)
    over = note(
        at.last, 1, f"{sides.noun}s won, {won}", xref="paper", xanchor="right", font=_font("muted", mode), **above
    )
    figure.add_annotation(over | {"yshift": 4 + LINE})


def _font(role: str, mode: Mode) -> dict[str, Any]:
    return {"size": 12.5, "color": tone(role, mode)}
