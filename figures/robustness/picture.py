"""The grid of curves as one figure, to be saved: a panel for each fault and metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from figures.robustness.grid import drawn_points, ink_of
from figures.style.drawing import Drawing
from figures.style.escaping import short
from figures.style.numbers import num
from figures.style.palette import Mode, alpha, frame, note, plain, tone
from metrics.analysis.robustness.curves import Curve
from metrics.base import Metric
from metrics.transformations import Transformation

_ROW, _TOP, _BOTTOM, _NAME, _GAP = 78, 26, 30, 132, 14
_LETTER = 6.4
"""Pixels of a letter of a metric's name."""
_TALL = 1.14
"""The largest share of a panel."""


def grid_picture(
    faults: Sequence[Transformation],
    metrics: Sequence[Metric],
    curves: Mapping[tuple[str, str], Curve],
    mode: Mode,
    width: float | None = None,
) -> go.Figure:
    """Return the panels: the share kept by strength, with ink by the area, which is the number in the corner."""
    across, tall = (width or 1010) - _NAME - 8, len(faults) * _ROW
    columns, rows = _domains(len(metrics), _GAP / across), _domains(len(faults), _GAP / tall)[::-1]
    layout: dict[str, Any] = {}
    traces: list[go.Scatter] = []
    notes = []
    letters = max(4, int(across / len(metrics) / _LETTER))
    for (start, _), metric in zip(columns, metrics):
        notes.append(_at(start, 1, f"<b>{plain(short(metric.label, letters))}</b>", yshift=14))
    for (low, high), one in zip(rows, faults):
        notes.append(_at(0, (low + high) / 2, f"<b>{plain(short(one.label, 18))}</b>", xshift=2 - _NAME))
        for (start, end), metric in zip(columns, metrics):
            number = str(len(traces) + 1) if traces else ""
            ticks = low == rows[-1][0]
            layout[f"xaxis{number}"] = {"domain": [start, end], "anchor": f"y{number}", **_across(ticks)}
            layout[f"yaxis{number}"] = {"domain": [low, high], "anchor": f"x{number}", **_UP}
            curve = curves.get((one.name, metric.name))
            traces.append(_trace(curve, number, mode))
            said = num(curve.summary.value, 2) if curve is not None else ""
            paper = {"font": {"size": 11}, "bgcolor": tone("paper", mode)}
            notes.append(_at(end, high, f"<b>{said}</b>", xanchor="right", yanchor="top", **paper))
    figure = Drawing(traces, {**layout, "annotations": notes})
    return frame(figure, mode, tall + _TOP + _BOTTOM, margin={"l": _NAME, "r": 8, "t": _TOP, "b": _BOTTOM})


def _domains(n: int, gap: float) -> list[tuple[float, float]]:
    """Begin and end of n equal panels from 0 to 1."""
    size = (1 - gap * (n - 1)) / n
    return [(k * (size + gap), min(1.0, k * (size + gap) + size)) for k in range(n)]


def _across(ticks: bool) -> dict[str, Any]:
    return {"range": [0, 1], "tickvals": [0, 1], "showgrid": False, "zeroline": False, "showticklabels": ticks}


_UP = {"range": [0, _TALL], "visible": False}


def _at(x: float, y: float, text: str, **more: Any) -> dict[str, Any]:
    return note(x, y, text, xref="paper", yref="paper", **more)


def _trace(curve: Curve | None, number: str, mode: Mode) -> go.Scatter:
    ink = tone("ink", mode)
    strengths, kept = drawn_points(curve) if curve is not None else ((0.0, 1.0), [np.nan, np.nan])
    known = curve is not None and bool(np.isfinite(kept).all())
    return go.Scatter(
        x=list(strengths),
        y=kept if known else [None] * len(kept),
        xaxis=f"x{number}",
        yaxis=f"y{number}",
        mode="lines",
        line={"color": ink, "width": 1.6},
        fill="tozeroy" if known else "none",
        fillcolor=alpha(ink, ink_of(curve)) if known and curve is not None else None,
        showlegend=False,
        hoverinfo="skip",
    )
