"""Metrics by their agreement with people: over all captions, and on which of two captions of an item is better."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from figures.style.drawing import Drawing
from figures.style.escaping import short
from figures.style.numbers import DASH, defined, interval, num, p_text, percent, percent_ticks
from figures.style.palette import Mode, alpha, frame, grey, note, plain, tone
from metrics.analysis.chance import Range
from metrics.analysis.judgments.correlation import Estimate

ACCENT: dict[Mode, str] = {"light": "#453F8C", "dark": "#A7A2EE"}
ROW = 29
_LEFT, _TOP, _BOTTOM = 168, 40, 26
_ACROSS, _WITHIN = (0.0, 0.56), (0.64, 1.0)
_EDGE = 0.23
"""Share of a row, at its upper and at its lower edge, that no number reaches."""
_BELOW = {False: 0.27, True: 0.17}
"""How far the mark of chance is below the metric's, in rows, by whether the figure is narrow."""


@dataclass(frozen=True)
class Row:
    """One metric or `trivial` baseline: its agreement over all captions and within an item, and whether it may be best.

    The floors are its agreement by chance.
    """

    key: str
    label: str
    across: Estimate
    within: Estimate
    best: bool
    best_within: bool
    reason: str = ""
    trivial: bool = False
    floor: Range | None = None
    floor_within: Range | None = None


def ranking(
    rows: Sequence[Row],
    statistic: str,
    people: Estimate | None,
    chosen: str | None,
    mode: Mode,
    narrow: bool = False,
    unit: str = "caption",
    trivial: Sequence[Row] = (),
) -> go.Figure:
    """Return a chart of the rows in the given order; customdata is the metric's name.

    The dotted line is the agreement of people with each other. Rows of `trivial` baselines follow. The `unit` that
    people rated is a caption, or a set of them.
    """
    figure = Drawing()
    height = ROW if not narrow else 42
    every = (*rows, *trivial)
    alone = narrow or not any(defined(row.within.value) for row in rows)
    for k, row in enumerate(every):
        _row(figure, row, -k, mode, row.key == chosen, narrow)
    n, most = len(every), sum(row.best for row in rows)
    frame(
        figure,
        mode,
        _TOP + height * n + _BOTTOM,
        margin={"l": 8 if narrow else _LEFT, "r": 12, "t": _TOP, "b": _BOTTOM},
    )
    if most:
        band = {"x0": 0, "x1": 1 if alone else _ACROSS[1], "y0": 0.5, "y1": 0.5 - most}
        figure.add_shape(type="rect", xref="paper", fillcolor=grey(0.09), line_width=0, layer="below", **band)
    ends = _ends(row.floor for row in every)
    low, high = _span([row.across for row in every], [*ends, people.value] if people else ends)
    figure.update_xaxes(domain=[0, 1] if alone else list(_ACROSS), range=[low, high], nticks=6, zeroline=False)
    if not alone:
        _second_axis(figure, every, n)
    if people is not None and defined(people.value):
        _people(figure, people, n, mode, narrow, "left" if narrow and people.value < (low + high) / 2 else "right")
    figure.update_yaxes(range=[0.5 - n, 0.62], visible=False, fixedrange=True)
    both = " · better of two" if narrow and any(defined(row.within.value) for row in rows) else ""
    heads = [(0.0, f"Over all {unit}s, {statistic}{both}"), (_WITHIN[0], f"Better of two {unit}s of an image")]
    _titles(figure, heads[: 1 if alone else 2], mode)
    return figure


def _titles(figure: go.Figure, heads: Sequence[tuple[float, str]], mode: Mode) -> None:
    font = {"size": 12, "color": tone("ink", mode)}
    for x, text in heads:
        figure.add_annotation(note(x, 1, plain(text), xref="paper", yref="paper", yshift=28, font=font))


def _second_axis(figure: go.Figure, rows: Sequence[Row], n: int) -> None:
    low, high = _span([row.within for row in rows], [0.5, *_ends(row.floor_within for row in rows)])
    figure.update_layout(
        xaxis2={
            "domain": list(_WITHIN),
            "range": [low, high],
            **percent_ticks(low, high),
            "anchor": "y",
            "zeroline": False,
            "gridcolor": grey(0.14),
        }
    )
    even = {"color": grey(0.8), "width": 1, "dash": "dash"}
    through(figure, 0.5, (0.5, 0.5 - n), narrow=False, xref="x2", line=even)


def through(figure: go.Figure, x: float, ends: tuple[float, float], narrow: bool, **style: object) -> None:
    """Draw an upright line that skips names and numbers.

    The line is drawn only at the edges of each row or, if `narrow`, in the lower half of each row.
    """
    above, below = ends
    for k in range(round(0.5 - below) + 1):
        y0, y1 = (0.04 - k, -0.5 - k) if narrow else (0.5 + _EDGE - k, 0.5 - _EDGE - k)
        y0, y1 = min(y0, above), max(y1, below)
        if y0 > y1:
            figure.add_shape(type="line", x0=x, x1=x, y0=y0, y1=y1, **style)


def _people(figure: go.Figure, people: Estimate, n: int, mode: Mode, narrow: bool, anchor: str) -> None:
    if defined(people.low) and defined(people.high):
        figure.add_shape(
            type="rect",
            x0=people.low,
            x1=people.high,
            y0=0.5,
            y1=0.5 - n,
            fillcolor=grey(0.12),
            line_width=0,
            layer="below",
        )
    line = {"color": tone("ink", mode), "width": 1.3, "dash": "dot"}
    through(figure, people.value, (0.62, 0.5 - n), narrow, line=line)
    text = note(
        people.value,
        1,
        "<i>people with each other</i>",
        xref="x",
        yref="paper",
        yshift=8,
        xanchor=anchor,
        font={"size": 11.5, "color": tone("muted", mode)},
    )
    figure.add_annotation(text)


def _row(figure: go.Figure, row: Row, y: float, mode: Mode, chosen: bool, narrow: bool) -> None:
    colour = ACCENT[mode] if chosen else tone("muted" if row.trivial else "ink", mode)
    label = plain(short(row.label, 30))
    name = note(0, y, f"<b>{label}</b>" if chosen else label, xref="paper", font={"size": 13, "color": colour})
    name |= {"yshift": 13} if narrow else {"xshift": 6 - _LEFT}
    figure.add_annotation(name)
    if not defined(row.across.value):
        why = note(0, y, f"{DASH} {plain(row.reason, 66)}", xref="paper", font={"color": tone("muted", mode)})
        figure.add_annotation(why | ({"yshift": -6} if narrow else {}))
        return
    shift = -0.18 if narrow else 0.0
    for floor, axis in ((row.floor, "x"), (row.floor_within, "x2"))[: 1 if narrow else 2]:
        _floor(figure, floor, y + shift - _BELOW[narrow], mode, axis)
    _mark(figure, row, row.across, row.best, y + shift, colour, mode, "x", "" if narrow else num(row.across.value))
    if narrow:
        within = f" · {percent(row.within.value)}" if defined(row.within.value) else ""
        figure.add_annotation(note(1, y, num(row.across.value) + within, xref="paper", xanchor="right", yshift=13))
    elif defined(row.within.value):
        _mark(figure, row, row.within, row.best_within, y, colour, mode, "x2", percent(row.within.value))


def _floor(figure: go.Figure, floor: Range | None, y: float, mode: Mode, axis: str) -> None:
    if floor is None or not defined(floor.value):
        return
    grey_ink = tone("muted", mode)
    at = {"xaxis": axis, "cliponaxis": False, "hoverinfo": "skip"}
    if defined(floor.low) and defined(floor.high):
        figure.add_scatter(
            x=[floor.low, floor.high], y=[y, y], mode="lines", line={"color": grey_ink, "width": 1.4}, **at
        )
    marker = {"symbol": "line-ns", "size": 5, "line": {"width": 1.8, "color": grey_ink}}
    said = f"by chance {num(floor.value)}, {interval(floor.low, floor.high)}<extra></extra>"
    figure.add_scatter(
        x=[floor.value], y=[y], mode="markers", marker=marker, **(at | {"hoverinfo": None}), hovertemplate=said
    )


def _ends(floors: Iterable[Range | None]) -> list[float]:
    return [value for floor in floors if floor is not None for value in floor]


def _mark(
    figure: go.Figure, row: Row, of: Estimate, best: bool, y: float, colour: str, mode: Mode, axis: str, text: str
) -> None:
    if defined(of.low) and defined(of.high):
        figure.add_scatter(
            x=[of.low, of.high],
            y=[y, y],
            xaxis=axis,
            mode="lines",
            hoverinfo="skip",
            line={"color": alpha(colour, 0.26), "width": 5},
        )
    numbers = f"{num(of.value)}, 95 % {interval(of.low, of.high)}<br>p {p_text(of.p_value)}, n = {of.n:,}"
    said = f"{plain(row.label, 50)}<br>{numbers}"
    figure.add_scatter(
        x=[of.value],
        y=[y],
        xaxis=axis,
        mode="markers",
        customdata=[row.key],
        name=plain(row.label),
        cliponaxis=False,
        marker={
            "size": 8 if row.trivial else 10,
            "symbol": "diamond" if row.trivial else "circle",
            "color": colour if best or row.trivial else tone("paper", mode),
            "line": {"width": 1.8, "color": colour},
        },
        hovertemplate=f"{said}<extra></extra>",
    )
    end = of.high if defined(of.high) else of.value
    if text:
        figure.add_annotation(note(end, y, text, xref=axis, xshift=6, font={"size": 11.5, "color": tone("ink", mode)}))


def _span(estimates: Sequence[Estimate], more: Sequence[float]) -> tuple[float, float]:
    ends = [v for one in estimates for v in (one.value, one.low, one.high) if defined(v)]
    ends += [value for value in more if defined(value)]
    if not ends:
        return 0.0, 1.0
    low, high = min(ends), max(ends)
    room = (high - low) or 0.1
    return low - 0.06 * room, high + 0.17 * room
