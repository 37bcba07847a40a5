"""Metrics by the share of pairs in which they and people prefer the same caption: over all pairs and by category."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from figures.judgments.ranking import ACCENT, ROW, through
from figures.style.drawing import Drawing
from figures.style.escaping import short
from figures.style.numbers import DASH, defined, interval, p_text, percent, percent_ticks
from figures.style.palette import Mode, alpha, frame, grey, note, plain, tone
from metrics.analysis.judgments.correlation import Estimate

MOST = 4
"""Maximum number of categories drawn beside all pairs; the table has all of them."""
_LEFT, _TOP, _BOTTOM, _NARROW_ROW = 168, 40, 26, 46
_GAP = 0.035


@dataclass(frozen=True)
class PairRow:
    """A metric, a `trivial` baseline or people: estimates over all pairs and by category, and whether it may be
    best.
    """

    key: str
    label: str
    estimates: Sequence[Estimate]
    best: bool
    trivial: bool = False


def pair_ranking(
    rows: Sequence[PairRow], titles: Sequence[str], chosen: str | None, mode: Mode, narrow: bool = False
) -> go.Figure:
    """Return a chart of the rows in the given order, with a column of marks per title; customdata is the metric's name.

    A narrow figure draws the first column and writes the others as numbers.
    """
    figure = Drawing()
    titles = titles[: MOST + 1]
    n, drawn = len(rows), 1 if narrow else len(titles)
    height = (_NARROW_ROW if narrow else ROW) * n + _TOP + _BOTTOM
    frame(figure, mode, height, margin={"l": 8 if narrow else _LEFT, "r": 12, "t": _TOP, "b": _BOTTOM})
    span = _span([one for row in rows for one in row.estimates[:drawn]])
    for k in range(drawn):
        _column(figure, k, drawn, span, n, narrow)
    most = sum(row.best for row in rows)
    if most:
        figure.add_shape(**_band(figure, most))
    for place, row in enumerate(rows):
        _row(figure, row, -place, drawn, mode, row.key == chosen, narrow)
    figure.update_yaxes(range=[0.5 - n, 0.62], visible=False, fixedrange=True)
    _heads(figure, titles, drawn, mode, narrow)
    return figure


def _axis(k: int) -> str:
    return "x" if k == 0 else f"x{k + 1}"


def _domain(k: int, count: int) -> list[float]:
    width = (1 + _GAP) / count
    return [k * width, min((k + 1) * width - _GAP, 1.0)]


def _column(figure: go.Figure, k: int, count: int, span: tuple[float, float], n: int, narrow: bool) -> None:
    layout = {"domain": _domain(k, count), "range": list(span), **percent_ticks(*span, 4 if count > 2 else 6)}
    figure.update_layout({f"xaxis{k + 1 if k else ''}": {**layout, "anchor": "y", "zeroline": False}})
    line = {"color": grey(0.8), "width": 1, "dash": "dash"}
    through(figure, 0.5, (0.5, 0.5 - n), narrow, xref=_axis(k), line=line)


def _band(figure: go.Figure, most: int) -> dict[str, object]:
    end = figure.layout.xaxis.domain[1]
    place = {"xref": "paper", "x0": 0, "x1": end, "y0": 0.5, "y1": 0.5 - most}
    return {"type": "rect", "fillcolor": grey(0.09), "line_width": 0, "layer": "below", **place}


def _heads(figure: go.Figure, titles: Sequence[str], drawn: int, mode: Mode, narrow: bool) -> None:
    font = {"size": 12, "color": tone("ink", mode)}
    for k, title in enumerate(titles[:drawn]):
        text = plain(short(title, 34 if drawn < 3 else 20))
        x = _domain(k, drawn)[0]
        figure.add_annotation(note(x, 1, text, xref="paper", yref="paper", yshift=28, font=font))
    if narrow and len(titles) > 1:
        text = plain(short(" · ".join(titles[1:]), 34))
        place = {"xref": "paper", "yref": "paper", "xanchor": "right", "yshift": 28}
        figure.add_annotation(note(1, 1, text, font={"size": 12, "color": tone("muted", mode)}, **place))


def _row(figure: go.Figure, row: PairRow, y: float, drawn: int, mode: Mode, chosen: bool, narrow: bool) -> None:
    colour = ACCENT[mode] if chosen else tone("muted" if row.trivial else "ink", mode)
    text = plain(short(row.label, 26))
    name = note(0, y, f"<b>{text}</b>" if chosen else text, xref="paper", font={"size": 13, "color": colour})
    figure.add_annotation(name | ({"yshift": 14} if narrow else {"xshift": 6 - _LEFT}))
    if narrow:
        said = " · ".join(percent(one.value) if defined(one.value) else DASH for one in row.estimates[1 : MOST + 1])
        figure.add_annotation(note(1, y, said, xref="paper", xanchor="right", yshift=14))
    for k, one in enumerate(row.estimates[:drawn]):
        if defined(one.value):
            _mark(figure, row, one, y - (0.2 if narrow else 0), colour, mode, k)
        elif k == 0 and not narrow:
            figure.add_annotation(note(0, y, DASH, xref="paper", font={"color": tone("muted", mode)}))


def _mark(figure: go.Figure, row: PairRow, one: Estimate, y: float, colour: str, mode: Mode, k: int) -> None:
    if defined(one.low) and defined(one.high):
        line = {"color": alpha(colour, 0.26), "width": 5}
        figure.add_scatter(x=[one.low, one.high], y=[y, y], xaxis=_axis(k), mode="lines", hoverinfo="skip", line=line)
    said = f"{percent(one.value, 1)}, 95 % {interval(one.low, one.high)}<br>p {p_text(one.p_value)}, n = {one.n:,}"
    filled = (row.best and k == 0) or row.trivial
    symbol = "diamond" if row.trivial else "circle"
    marker = {"size": 8 if k or row.trivial else 10, "symbol": symbol, "line": {"width": 1.8, "color": colour}}
    figure.add_scatter(
        x=[one.value],
        y=[y],
        xaxis=_axis(k),
        mode="markers",
        customdata=[row.key],
        name=plain(row.label),
        cliponaxis=False,
        marker={**marker, "color": colour if filled else tone("paper", mode)},
        hovertemplate=f"{plain(row.label, 50)}<br>{said}<extra></extra>",
    )
    end = one.high if defined(one.high) else one.value
    font = {"size": 11.5, "color": tone("ink", mode)}
    figure.add_annotation(note(end, y, percent(one.value), xref=_axis(k), xshift=6, font=font))


def _span(estimates: Sequence[Estimate]) -> tuple[float, float]:
    ends = [0.5, *(v for one in estimates for v in (one.value, one.low, one.high) if defined(v))]
    room = (max(ends) - min(ends)) or 0.1
    return min(ends) - 0.06 * room, max(ends) + 0.3 * room
