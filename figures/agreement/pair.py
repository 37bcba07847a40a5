"""Two metrics against each other, with one point per item, caption, run or system for which both have a value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from figures.judgments.ranking import ACCENT
from figures.style.drawing import Drawing
from figures.style.escaping import short
from figures.style.palette import Mode, alpha, frame, note, plain, tone
from metrics.analysis.agreement.observations import Observations
from metrics.mathematics.arrays import Floats, Integers

HEIGHT = 290
DRAWN = 600
_EDGES = (1, 99)
_MANY = 60


def drawn_points(found: Observations, first: int, second: int) -> Integers:
    """Return the (n,) positions of the points to draw: all that have both values, or DRAWN evenly spaced ones."""
    known = np.flatnonzero(np.isfinite(found.values[first]) & np.isfinite(found.values[second]))
    return known if len(known) <= DRAWN else known[np.linspace(0, len(known) - 1, DRAWN).astype(np.int64)]


def scatter(
    found: Observations, first: int, second: int, labels: tuple[str, str], marked: Sequence[int], mode: Mode
) -> go.Figure:
    """Plot the second metric (vertical) against the first; ring the `marked` points and label those that have a name.

    Axes rise towards better, or more diverse: the sign of a metric for which less is better is changed. If points are
    items of several runs, values are relative to the mean of their run. With many points, those beyond the 1st or 99th
    percentile, and beyond all marked ones, are drawn at the edge.
    """
    shown = np.union1d(drawn_points(found, first, second), np.array(marked, dtype=np.int64))
    sides = [_limited(_centred(found, k), shown, list(marked)) for k in (first, second)]
    many, at = len(shown) > _MANY, list(marked)
    figure = Drawing()
    figure.add_scatter(
        x=sides[0][shown],
        y=sides[1][shown],
        mode="markers",
        marker={"size": 5 if many else 8, "color": alpha(tone("ink", mode), 0.36 if many else 0.75)},
        text=[plain(found.labels[k], 40) for k in shown] if found.labels else None,
        hovertemplate=("%{text}<br>" if found.labels else "") + "%{x:.4g}, %{y:.4g}<extra></extra>",
        cliponaxis=False,
    )
    ring = {"size": 12, "color": "rgba(0,0,0,0)", "line": {"width": 2.2, "color": ACCENT[mode]}}
    figure.add_scatter(x=sides[0][at], y=sides[1][at], mode="markers", marker=ring, hoverinfo="skip", cliponaxis=False)
    frame(figure, mode, HEIGHT, margin={"l": 46, "r": 14, "t": 28, "b": 44})
    for side, update in zip(sides, (figure.update_xaxes, figure.update_yaxes)):
        update(range=_span(side[shown]), nticks=5, zeroline=False)
    across, up = (f"{plain(short(label, 24))}{_oriented(found, k)}" for label, k in zip(labels, (first, second)))
    figure.update_xaxes(title_text=f"{across} →")
    figure.add_annotation(note(0, 1, f"{up} ↑", xref="paper", yref="paper", yshift=15, xshift=-40))
    if found.labels:
        middle = float(np.median(sides[0][shown]))
        for k in at:
            right = float(sides[0][k]) > middle
            figure.add_annotation(_name(found.labels[k], float(sides[0][k]), float(sides[1][k]), right, mode))
    return figure


def _name(text: str, x: float, y: float, right: bool, mode: Mode) -> dict[str, Any]:
    anchor, shift = ("right", -10) if right else ("left", 10)
    font = {"size": 11.5, "color": ACCENT[mode]}
    return note(x, y, plain(short(text, 22)), xref="x", yref="y", font=font, xanchor=anchor, xshift=shift)


def _several_runs(found: Observations) -> bool:
    return found.over == "items" and len(np.unique(found.group)) > 1


def _centred(found: Observations, metric: int) -> Floats:
    """(n,) oriented values of a metric, less the mean of each point's run if the points belong to several runs."""
    values = found.values[metric]
    if not _several_runs(found):
        return values
    known = np.isfinite(values)
    count = np.bincount(found.group[known], minlength=int(found.group.max()) + 1)
    total = np.bincount(found.group[known], values[known], len(count))
    return np.asarray(values - (total / np.maximum(count, 1))[found.group], dtype=np.float64)


def _limited(values: Floats, shown: Integers, marked: Sequence[int]) -> Floats:
    if len(shown) <= _MANY:
        return values
    ends = [*np.percentile(values[shown], _EDGES), *values[marked]]
    return np.clip(values, min(ends), max(ends))


def _oriented(found: Observations, metric: int) -> str:
    """The words after a metric's name in the title of an axis: how its values were changed; "" if they were not."""
    lower = found.names[metric] in found.lower
    if _several_runs(found):
        return f" {'below' if lower else 'above'} the run's mean"
    return ", sign changed" if lower else ""


def _span(values: Floats) -> list[float]:
    low, high = float(values.min()), float(values.max())
    room = 0.06 * ((high - low) or 1.0)
    return [low - room, high + room]
