"""Scores of sets by their number of correct captions, one line for each number of unique ones; for small sets."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from figures.style.drawing import Drawing
from figures.style.numbers import decimals, num
from figures.style.palette import Mode, dodge, frame, note, plain, tone
from figures.unique_correct.heatmaps import hover
from metrics.analysis.unique_correct.variance_shares import Surface, VarianceShares
from metrics.base import Metric
from metrics.mathematics.arrays import Integers

FEW = 2
"""Sets of up to this many captions have few cells, in only two columns."""
_NORMAL = 1.96
HEIGHT, BOTTOM, TOP = 236, 44, 14
_ROOM, _GAP, _LABEL = 0.18, 15, 17
"""Room above and below the lines, as a share of their range; px between names; and px from a point to its number."""


def lines(
    found: VarianceShares, metric: Metric, surface: Surface, mode: Mode, chosen: tuple[int, ...] | None = None
) -> go.Figure:
    """Return a chart of means by correct captions with 95 % intervals; a line per number of unique ones or pool size.

    The `customdata` of a point is (correct, unique). Any `chosen` point has a ring.
    """
    cells, draw = found.experiment.cells, found.experiment.design.draw
    size, digits = int(cells[:, 0].max()), decimals(surface.mean.tolist())
    spread = _NORMAL * np.nan_to_num(surface.error)
    low, high = float((surface.mean - spread).min()), float((surface.mean + spread).max())
    room = _ROOM * ((high - low) or 1.0)
    figure = Drawing()
    for k in range(1, size + 1):
        own, last = np.flatnonzero(cells[:, 1] == k), k == size
        colour = tone("ink" if last else "muted", mode)
        figure.add_scatter(
            x=cells[own, 0],
            y=surface.mean[own],
            mode="lines+markers",
            name=plain(_name(k, size, draw)),
            customdata=cells[own].tolist(),
            error_y={"array": spread[own], "color": colour, "thickness": 1.4, "width": 5},
            line={"color": colour, "width": 2.4 if last else 1.6, "dash": "solid" if last else "dash"},
            marker={"size": 9, "color": colour if last else tone("paper", mode), "line": {"color": colour, "width": 2}},
            cliponaxis=False,
            hovertext=[hover(surface, cells, int(place), metric.label, draw) for place in own],
            hovertemplate="%{hovertext}<extra></extra>",
            unselected={"marker": {"opacity": 1}},
        )
        for place in own[cells[own, 0] < size]:  # the last number stands beside the line's name
            shift = _LABEL if _above(surface, cells, int(place)) else -_LABEL
            said = num(float(surface.mean[place]), digits)
            text = note(int(cells[place, 0]), surface.mean[place], said, xanchor="center", yshift=shift)
            figure.add_annotation(text | {"font": {"size": 12, "color": colour}})
    if chosen is not None:
        place = cells.tolist().index(list(chosen))
        ring = {"symbol": "circle-open", "size": 19, "color": tone("ink", mode), "line": {"width": 2}}
        figure.add_scatter(
            x=[chosen[0]], y=[surface.mean[place]], mode="markers", marker=ring, hoverinfo="skip", cliponaxis=False
        )
    frame(figure, mode, HEIGHT, margin={"l": 44, "r": 176, "t": TOP, "b": BOTTOM})
    _names(figure, found, surface, (low - room, high + room), digits, mode)
    figure.update_xaxes(title_text="correct captions", tickvals=list(range(size + 1)), ticks="", showgrid=False)
    figure.update_xaxes(range=[-0.2, size + 0.2])
    figure.update_yaxes(range=[low - room, high + room], nticks=4)
    return figure


def _above(surface: Surface, cells: Integers, place: int) -> bool:
    (correct, unique), value = cells[place], surface.mean[place]
    others = surface.mean[(cells[:, 0] == correct) & (cells[:, 1] != unique)]
    beside = surface.mean[(np.abs(cells[:, 0] - correct) == 1) & (cells[:, 1] == unique)]
    return bool((value >= (others if len(others) else beside)).all())


def _names(
    figure: go.Figure,
    found: VarianceShares,
    surface: Surface,
    ends: tuple[float, float],
    digits: int,
    mode: Mode,
) -> None:
    size, draw = found.experiment.design.size, found.experiment.design.draw
    lasts = [float(surface.mean[found.cell(size, k)]) for k in range(1, size + 1)]
    px = (HEIGHT - BOTTOM - TOP) / (ends[1] - ends[0])
    for k, (value, at) in enumerate(zip(lasts, dodge([value * px for value in lasts], _GAP)), 1):
        font = {"size": 12, "color": tone("ink" if k == size else "muted", mode)}
        said = note(
            size, value, f"<b>{num(value, digits)}</b> {plain(_name(k, size, draw))}", xshift=16, yshift=at - value * px
        )
        figure.add_annotation(said | {"font": font})


def _name(unique: int, size: int, draw: str) -> str:
    if draw == "paper":
        return f"pools of {unique}"
    return f"one said {'twice' if size == 2 else f'{size} times'}" if unique == 1 else f"{unique} different"
