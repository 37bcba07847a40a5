"""The grid of curves as one figure for saving: a panel for each fault and metric."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from figures.robustness.grid import drawn_points, ink_of, number
from figures.style.drawing import Drawing
from figures.style.escaping import short
from figures.style.palette import Mode, alpha, frame, note, plain, tone
from metrics.analysis.robustness.curves import Curve
from metrics.base import Metric
from metrics.transformations import Transformation

_ROW, _BOTTOM, _NAME, _GAP, _LINE = 78, 30, 132, 14, 15
_LETTER, _LONGEST = 7.2, 22
"""Maximum width in px of a bold letter of a metric's name, and maximum number of letters of a slanted name."""
_UPRIGHT, _SLOPE = 62, 38
"""Minimum width in px of a panel with an upright name of one line or two, and the angle of other names in degrees."""
_TALL = 1.4
"""Maximum share that a panel shows, with room for the number above a curve that keeps everything."""


def grid_picture(
    faults: Sequence[Transformation],
    metrics: Sequence[Metric],
    curves: Mapping[tuple[str, str], Curve],
    mode: Mode,
    width: float | None = None,
) -> go.Figure:
    """Return the panels: the share kept by strength as a line above ink that shows the area, and the number."""
    across, tall = (width or 1010) - _NAME - 8, len(faults) * _ROW
    panel = across / max(len(metrics), 1) - _GAP
    tight = panel < _UPRIGHT
    columns = _domains(len(metrics), _GAP / across)
    rows = _domains(len(faults), (_GAP + _LINE * tight) / tall)[::-1]
    layout: dict[str, Any] = {}
    traces: list[go.Scatter] = []
    notes, top = _heads(metrics, columns, panel)
    beside = {"yanchor": "bottom"} if tight else {"yanchor": "top", "bgcolor": tone("paper", mode)}
    for (low, high), one in zip(rows, faults):
        notes.append(_at(0, (low + high) / 2, f"<b>{plain(short(one.label, 18))}</b>", xshift=2 - _NAME))
        for (start, end), metric in zip(columns, metrics):
            axis = str(len(traces) + 1) if traces else ""
            ticks = low == rows[-1][0]
            layout[f"xaxis{axis}"] = {"domain": [start, end], "anchor": f"y{axis}", **_across(ticks)}
            layout[f"yaxis{axis}"] = {"domain": [low, high], "anchor": f"x{axis}", **_UP}
            curve = curves.get((one.name, metric.name))
            traces.append(_trace(curve, axis, mode))
            said = number(curve) if curve is not None else ""
            notes.append(_at(end, high, f"<b>{said}</b>", xanchor="right", font={"size": 11}, **beside))
    figure = Drawing(traces, {**layout, "annotations": notes})
    return frame(figure, mode, tall + top + _BOTTOM, margin={"l": _NAME, "r": 8, "t": top, "b": _BOTTOM})


def _heads(
    metrics: Sequence[Metric], columns: Sequence[tuple[float, float]], panel: float
) -> tuple[list[dict[str, Any]], int]:
    """The names above panels `panel` px wide, in up to two lines or slanted, and their height in px."""
    tight = panel < _UPRIGHT
    if tight:
        longest = max(len(short(metric.label, _LONGEST)) for metric in metrics)
        names = [plain(short(metric.label, _LONGEST)) for metric in metrics]
        place = {"xanchor": "right", "textangle": _SLOPE, "yshift": _LINE + 2}
        room = _LINE + 2 + longest * _LETTER * math.sin(math.radians(_SLOPE)) + _LINE
    else:
        wrapped = [_in_two(metric.label, int(panel / _LETTER)) for metric in metrics]
        names, place = ["<br>".join(map(plain, lines)) for lines in wrapped], {"align": "left", "yshift": 4}
        room = 8 + _LINE * max(len(lines) for lines in wrapped)
    at = [end if tight else start for start, end in columns]
    heads = [_at(x, 1, f"<b>{name}</b>", yanchor="bottom", **place) for x, name in zip(at, names)]
    return heads, math.ceil(room)


def _in_two(name: str, letters: int) -> list[str]:
    lines = textwrap.wrap(name, letters, break_long_words=False) or [name]
    return [short(line, letters) for line in (lines if len(lines) < 3 else [lines[0], " ".join(lines[1:])])]


def _domains(n: int, gap: float) -> list[tuple[float, float]]:
    """Start and end of n equal panels from 0 to 1."""
    size = (1 - gap * (n - 1)) / n
    return [(k * (size + gap), min(1.0, k * (size + gap) + size)) for k in range(n)]


def _across(ticks: bool) -> dict[str, Any]:
    return {"range": [0, 1], "tickvals": [0, 1], "showgrid": False, "zeroline": False, "showticklabels": ticks}


_UP = {"range": [0, _TALL], "visible": False}


def _at(x: float, y: float, text: str, **more: Any) -> dict[str, Any]:
    return note(x, y, text, xref="paper", yref="paper", **more)


def _trace(curve: Curve | None, number: str, mode: Mode) -> go.Scatter:
    ink = tone("ink", mode)
    strengths, kept = drawn_points(curve) if curve is not None else ([], [])
    known = curve is not None and curve.told
    return go.Scatter(
        x=strengths,
        y=kept,
        xaxis=f"x{number}",
        yaxis=f"y{number}",
        mode="lines",
        line={"color": ink, "width": 1.6},
        fill="tozeroy" if known else "none",
        fillcolor=alpha(ink, ink_of(curve)) if known and curve is not None else None,
        showlegend=False,
        hoverinfo="skip",
    )
