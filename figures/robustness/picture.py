"""The grid of curves as one figure, to be saved: a panel for each fault and metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from figures.robustness.grid import drawn_points, ink_of
from figures.style.escaping import short
from figures.style.numbers import num
from figures.style.palette import Mode, alpha, frame, note, plain, tone
from metrics.analysis.robustness.curves import Curve
from metrics.base import Metric
from metrics.transformations import Transformation

_ROW, _TOP, _BOTTOM, _NAME = 78, 26, 30, 128
_GAP = 10
_LETTER = 6.4
"""Pixels of a letter of a metric's name."""


def grid_picture(
    faults: Sequence[Transformation],
    metrics: Sequence[Metric],
    curves: Mapping[tuple[str, str], Curve],
    mode: Mode,
    width: float | None = None,
) -> go.Figure:
    """Return the panels: the share kept by strength, with ink by the area, which is the number in the corner."""
    across = (width or 1010) - _NAME - 8
    height = len(faults) * _ROW + _TOP + _BOTTOM
    figure = make_subplots(
        len(faults),
        len(metrics),
        shared_xaxes=True,
        shared_yaxes=True,
        horizontal_spacing=min(_GAP / across, 0.5 / len(metrics)),
        vertical_spacing=min(_GAP / (len(faults) * _ROW), 0.5 / len(faults)),
    )
    for row, one in enumerate(faults, 1):
        for column, metric in enumerate(metrics, 1):
            _panel(figure, curves.get((one.name, metric.name)), row, column, mode)
        axis = figure.get_subplot(row, 1).yaxis
        middle = sum(axis.domain) / 2
        label = f"<b>{plain(short(one.label, 18))}</b>"
        figure.add_annotation(note(0, middle, label, xref="paper", yref="paper", xshift=8 - _NAME, yanchor="middle"))
    letters = max(4, int(across / len(metrics) / _LETTER))
    for column, metric in enumerate(metrics, 1):
        start = figure.get_subplot(1, column).xaxis.domain[0]
        label = f"<b>{plain(short(metric.label, letters))}</b>"
        figure.add_annotation(note(start, 1, label, xref="paper", yref="paper", yshift=18))
    drawn = frame(figure, mode, height, margin={"l": _NAME, "r": 8, "t": _TOP, "b": _BOTTOM})
    drawn.update_xaxes(range=[0, 1], tickvals=[0, 1], showgrid=False, zeroline=False)
    drawn.update_yaxes(range=[0, 1.14], visible=False)
    return drawn


def _panel(figure: go.Figure, curve: Curve | None, row: int, column: int, mode: Mode) -> None:
    ink = tone("ink", mode)
    strengths, kept = drawn_points(curve) if curve is not None else ((0.0, 1.0), [np.nan, np.nan])
    known = curve is not None and bool(np.isfinite(kept).all())
    figure.add_trace(
        go.Scatter(
            x=list(strengths),
            y=kept if known else [None] * len(kept),
            mode="lines",
            line={"color": ink, "width": 1.6},
            fill="tozeroy" if known else "none",
            fillcolor=alpha(ink, ink_of(curve)) if known and curve is not None else None,
            showlegend=False,
            hoverinfo="skip",
        ),
        row=row,
        col=column,
    )
    said = num(curve.summary.value, 2) if curve is not None else ""
    figure.add_annotation(
        note(1, 1.12, f"<b>{said}</b>", xanchor="right", yanchor="top", font={"size": 11}), row=row, col=column
    )
