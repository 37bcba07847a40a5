"""Small multiples by temperature: a panel for each metric with a line for each model, thick where it may be best."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from figures.export.paper import KeyEntry, add_key
from figures.style.drawing import Drawing
from figures.style.line_styles import Line, Mark
from figures.style.numbers import defined
from figures.style.palette import BAND, Mode, alpha, dodge, frame, note, tone
from figures.style.palette import plain as inert
from figures.style.text_width import text_width
from figures.sweeps.axes import temperature_axis
from figures.sweeps.panel_parts import (
    FEW,
    add_chance,
    add_people,
    clickable,
    digits_of,
    hover,
    mark_chosen,
    may_be_drawn,
    people_key,
    several,
    stretches,
    value_range,
    whiskers,
    with_bands,
)
from metrics.analysis.sweeps import Curve, SweepView
from metrics.base import Metric

HEIGHT = 203
ROOM = 64
"""Maximum width in px of a name at the end of a line; with a longer one, or many lines, a key names them all."""
LEFT, BARE = 34, 12
"""Margins in px: on the left for the values, and on the right without names."""
_TOP, _BOTTOM, _GAP, _SHIFT, _SIZE = 10, 40, 14, 7, 11.5
_DIGIT, _PAD = 6.9, 3
_THICK, _LONE, _HALO = 9, 13, 0.35
"""Width in px of a stretch of points that may be best, the size of a single such point, and the opacity of both."""
_FULL = 3
"""Up to this many bands have their full opacity; more, which overlap, are paler."""


def temperature_panel(
    view: SweepView,
    marks: Mapping[Line, Mark],
    mode: Mode,
    log: bool = False,
    selected: str | None = None,
    width: float | None = None,
) -> go.Figure:
    """Return a metric's panel by temperature: lines with bands, thick where they may be best, rings at optima, and
    people.

    The temperature axis may be `log`. `selected` is the selected run; the `customdata` of a point is the name of its
    first run. `width` is the width of the paper in px, on which a key names lines without a name at their end; None on
    screen.
    """
    figure, digits = Drawing(), digits_of(view)
    lines = [(curve, marks[curve.sweep.model, curve.sweep.decoder]) for curve in view.curves]
    points = [point for curve, _ in lines for point in curve.points]
    low, high = value_range(view.human, points, view.chance)
    add_chance(figure, view.chance)
    if defined(view.human.value):
        add_people(figure, view.human, view.metric)
    for curve, mark in lines if with_bands(view.curves) else ():
        _band(figure, curve, mark, mode, BAND[mode] * min(1.0, _FULL / len(lines)))
    for curve, mark in lines:
        _line(figure, view.metric, curve, mark, mode, digits)
    for curve, mark in lines:
        _optimum(figure, curve, mark, mode)
    mark_chosen(figure, [(point.setting.temperature, point.value) for point in points], points, selected, mode)
    right = _end_labels(figure, lines, mode, _GAP * (high - low) / (HEIGHT - _TOP - _BOTTOM))
    frame(figure, mode, HEIGHT, margin={"l": _left(low, high), "r": right, "t": _TOP, "b": _BOTTOM})
    temperature_axis(figure, [t for curve, _ in lines for t in _temperatures(curve)], log)
    figure.update_layout(yaxis={"range": [low, high]})
    return (
        figure
        if width is None
        else add_key(figure, [*_key(lines, mode), *people_key(view.human, view.metric, mode)], width)
    )


def _left(low: float, high: float) -> int:
    """The width in px of the tick labels on the left: the round numbers of about five ticks."""
    step = math.floor(math.log10((high - low) / 4))
    longest = max(len(f"{end:.{max(0, -step)}f}") for end in (low, high))
    return max(LEFT, math.ceil(_DIGIT * longest) + 6)


def named_at_ends(curves: Sequence[Curve], marks: Mapping[Line, Mark]) -> bool:
    """Return whether the names of lines are at their ends: only if these names are few and short."""
    long = [marks[curve.sweep.model, curve.sweep.decoder] for curve in curves if len(curve.points) > 1]
    return len(long) <= FEW and all(_wide(mark) <= ROOM for mark in long)


def _key(lines: Sequence[tuple[Curve, Mark]], mode: Mode) -> list[KeyEntry]:
    named = _named(lines)
    return [
        KeyEntry(
            mark.name,
            mark.style.mark(mode),
            f"{mark.symbol}{'-open' if len(curve.points) == 1 else ''}",
            mark.dash if len(curve.points) > 1 else "",
        )
        for curve, mark in lines
        if (curve, mark) not in named
    ]


def _named(lines: Sequence[tuple[Curve, Mark]]) -> list[tuple[Curve, Mark]]:
    marks = {(curve.sweep.model, curve.sweep.decoder): mark for curve, mark in lines}
    if not named_at_ends([curve for curve, _ in lines], marks):
        return []
    return [(curve, mark) for curve, mark in lines if len(curve.points) > 1 and defined(_last(curve))]


def _line(figure: go.Figure, metric: Metric, curve: Curve, mark: Mark, mode: Mode, digits: int) -> None:
    colour = mark.style.mark(mode)
    alone = len(curve.points) == 1
    _singles(figure, curve, mark, colour)
    _may_be_best(figure, curve, mark, colour)
    marker = {
        "size": 8 if alone else 6,
        "symbol": f"{mark.symbol}{'-open' if alone else ''}",
        "color": colour,
        "line": {"width": 2 if alone else 0, "color": colour},
    }
    figure.add_scatter(
        x=_temperatures(curve),
        y=[point.value for point in curve.points],
        mode="lines+markers",
        name=inert(mark.name),
        line={"color": colour, "width": 2.25, "dash": mark.dash},
        **clickable(curve.points, marker),
        error_y=whiskers(curve.points, colour) if alone else None,
        cliponaxis=False,
        hovertext=[hover(metric, point, mark.name, digits) for point in curve.points],
    )


def _singles(figure: go.Figure, curve: Curve, mark: Mark, colour: str) -> None:
    singles = [(t, v) for t, point in zip(_temperatures(curve), curve.points) for v in several(point)]
    if singles:
        figure.add_scatter(
            x=[t for t, _ in singles],
            y=[v for _, v in singles],
            mode="markers",
            hoverinfo="skip",
            name=f"{inert(mark.name)}, single runs",
            marker={"size": 4, "color": alpha(colour, 0.45)},
        )


def _may_be_best(figure: go.Figure, curve: Curve, mark: Mark, colour: str) -> None:
    """Draw the points that may be a line's best: neighbours as a thick line, a single one as a large dot.

    Draw nothing if only one point or every point may be best, or if this is unknown. The line remains visible on top.
    """
    if not may_be_drawn(curve):
        return
    assert curve.optimum is not None
    at, halo = _temperatures(curve), alpha(colour, _HALO)
    shown: list[tuple[float | None, float | None, int]] = []
    for part in stretches(curve.optimum.may_be):
        size = _THICK if len(part) > 1 else _LONE
        shown += [(None, None, size)] * bool(shown) + [(at[k], curve.points[k].value, size) for k in part]
    x, y, sizes = zip(*shown)
    figure.add_scatter(
        x=x,
        y=y,
        mode="lines+markers",
        line={"color": halo, "width": _THICK},
        marker={"color": halo, "size": [size if size == _LONE else 0 for size in sizes], "line": {"width": 0}},
        hoverinfo="skip",
        name=f"{inert(mark.name)}, what may be best",
        cliponaxis=False,
    )


def _optimum(figure: go.Figure, curve: Curve, mark: Mark, mode: Mode) -> None:
    best = curve.best
    if best is None:
        return
    figure.add_scatter(
        x=[best.setting.temperature],
        y=[best.value],
        mode="markers",
        name=f"{inert(mark.name)}, optimum",
        marker={
            "size": 10,
            "symbol": "circle",
            "color": tone("paper", mode),
            "line": {"width": 2.5, "color": mark.style.mark(mode)},
        },
        cliponaxis=False,
        hoverinfo="skip",
    )


def _band(figure: go.Figure, curve: Curve, mark: Mark, mode: Mode, opacity: float) -> None:
    known = [(t, p) for t, p in zip(_temperatures(curve), curve.points) if defined(p.low) and defined(p.high)]
    if len(known) < 2:
        return
    figure.add_scatter(
        x=[t for t, _ in known] + [t for t, _ in reversed(known)],
        y=[p.high for _, p in known] + [p.low for _, p in reversed(known)],
        mode="lines",
        fill="toself",
        fillcolor=alpha(mark.style.mark(mode), opacity),
        line={"width": 0},
        hoverinfo="skip",
        name=f"{inert(mark.name)}, band",
    )


def _end_labels(figure: go.Figure, lines: Sequence[tuple[Curve, Mark]], mode: Mode, gap: float) -> int:
    """Add names at the ends of the lines, moved apart, if names belong there; return the right margin in px."""
    named = _named(lines)
    for (_, mark), y in zip(named, dodge([_last(curve) for curve, _ in named], gap)):
        font = {"size": _SIZE, "color": mark.style.text(mode), "weight": 600}
        figure.add_annotation(note(1.0, y, inert(mark.name), xref="paper", xshift=_SHIFT, font=font))
    return max((math.ceil(_SHIFT + _wide(mark)) + _PAD for _, mark in named), default=BARE)


def _wide(mark: Mark) -> float:
    """Width in px of a name at the end of its line; bold letters are wider than others."""
    return 1.06 * text_width(mark.name, _SIZE)


def _last(curve: Curve) -> float:
    return next((point.value for point in reversed(curve.points) if defined(point.value)), math.nan)


def _temperatures(curve: Curve) -> list[float]:
    return [float(stop.temperature or 0.0) for stop in curve.sweep.settings]
