"""Heatmaps of sets by their numbers of correct and unique captions, and bars of the variance that each explains."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from figures.judgments.ranking import ACCENT
from figures.style.drawing import Drawing
from figures.style.numbers import interval, num, percent
from figures.style.palette import Mode, frame, grey, note, plain, ramp, tone
from metrics.analysis.unique_correct.experiment import Draw
from metrics.analysis.unique_correct.variance_shares import Share, Surface, VarianceShares
from metrics.base import Metric
from metrics.mathematics.arrays import Integers

CELL = 34
EDGE = 0.05
"""Room beyond the outer cells for the frame of one, in cells."""
PARTS: dict[Draw, tuple[str, str, str]] = {
    "even": ("correct", "unique", "both together"),
    "paper": ("correct", "pool size", "both together"),
}
_FILLS = (0.9, 0.55, 0.25)
OVER = 1.001
"""A share above this is due to overlap, not rounding."""
_WIDE = 8
"""Number of columns from which a cell has room for only two decimals."""


def heatmap(
    found: VarianceShares, metric: Metric, surface: Surface, mode: Mode, chosen: tuple[int, ...] | None = None
) -> go.Figure:
    """Return a heatmap of means: rows are correct captions, upward, columns unique ones; a stronger cell is better.

    The `customdata` of a cell is (correct, unique). Any `chosen` cell is framed; a mark above the cells shows where
    people are. For the paper's draw, the axes are those of the paper: correct captions across, pool size upward.
    """
    cells, draw = found.experiment.cells, found.experiment.design.draw
    label, higher_is_better = metric.label, metric.higher_is_better
    size = int(cells[:, 0].max())
    grid = np.full((size + 1, size), np.nan)
    grid[cells[:, 0], cells[:, 1] - 1] = surface.mean
    correct, unique = np.arange(size + 1), np.arange(1, size + 1)
    across, up = (correct, unique) if draw == "paper" else (unique, correct)
    low, high = float(np.nanmin(grid)), float(np.nanmax(grid))
    scale = ramp(mode)
    if higher_is_better:
        scale = [[1 - at, colour] for at, colour in reversed(scale)]
    bounds = {"zmin": low, "zmax": high if high > low else low + 1, "colorscale": scale}
    looks = {"showscale": False, "xgap": 1.5, "ygap": 1.5, "hoverinfo": "skip"}
    figure = Drawing(go.Heatmap(z=grid.T if draw == "paper" else grid, x=across, y=up, **bounds, **looks))
    figure.add_scatter(**_numbers(surface, cells, label, [low, high], higher_is_better, mode, draw))
    if chosen is not None:
        x, y = _at(np.array([chosen]), draw)[:, 0].tolist()
        framed(figure, x, y, mode)
    frame(figure, mode, CELL * len(up) + 74, margin={"l": 44, "r": 4, "t": 22, "b": 44})
    figure.add_annotation(_people(found))
    titles = ("unique captions", "correct captions")
    if draw == "paper":
        titles = ("correct captions", "captions in each pool")
    for axis, title, ticks in ((figure.update_xaxes, titles[0], across), (figure.update_yaxes, titles[1], up)):
        ends = [ticks[0] - 0.5 - EDGE, size + 0.5 + EDGE]
        axis(title_text=title, tickvals=ticks, ticks="", showgrid=False, range=ends)
    return figure


def _at(cells: Integers, draw: Draw) -> Integers:
    """(2, cells) horizontal and vertical positions of cells (correct, unique)."""
    return cells.T if draw == "paper" else cells.T[::-1]


def _people(found: VarianceShares) -> dict[str, object]:
    design = found.experiment.design
    at, said = design.size if design.draw == "paper" else found.people, people_text(found)
    right = at > design.size / 2
    text = f"{said} ▼" if right else f"▼ {said}"
    side = {"xanchor": "right", "xshift": 6} if right else {"xanchor": "left", "xshift": -6}
    return note(at, 1, text, yref="paper", yanchor="bottom", **side)


def people_text(found: VarianceShares) -> str:
    """Return how many captions by people differ, as "people: 8.94 of 10 different"."""
    return f"people: {num(found.people, 2)} of {found.experiment.design.size} different"


def framed(figure: go.Figure, x: float, y: float, mode: Mode) -> None:
    """Frame a cell at its edges in the accent, on a ground that parts it from dark cells. Axes need room for it."""
    ends = {"x0": x - 0.5, "x1": x + 0.5, "y0": y - 0.5, "y1": y + 0.5}
    for colour, width in ((tone("paper", mode), 7), (ACCENT[mode], 3)):
        figure.add_shape(type="rect", **ends, line={"color": colour, "width": width})


def digits(surface: Surface, cells: Integers) -> int:
    """Return the number of decimals in each of the (k, 2) cells: three if there is room and need, else two."""
    return 2 if int(cells[:, 0].max()) >= _WIDE or float(surface.mean.max()) >= 1 else 3


def _numbers(
    surface: Surface,
    cells: Integers,
    label: str,
    ends: Sequence[float],
    higher_is_better: bool,
    mode: Mode,
    draw: Draw,
) -> dict[str, object]:
    decimals = digits(surface, cells)
    nearness = (surface.mean - ends[0]) / (ends[1] - ends[0] or 1.0)
    strength = nearness if higher_is_better else 1 - nearness
    colours = [text_on_ramp(float(s), mode) for s in strength]
    shown = {"marker": {"opacity": 0}, "textfont": {"color": colours}}
    x, y = _at(cells, draw)
    return {
        "x": x,
        "y": y,
        "mode": "markers+text",
        "customdata": cells.tolist(),
        "name": plain(label),
        "text": [num(float(mean), decimals) for mean in surface.mean],
        "cliponaxis": False,
        "textfont": {"size": 11 if len(cells) > 60 else 12, "weight": 500, "color": colours},
        "marker": {"size": CELL - 4, "symbol": "square", "opacity": 0},
        "hovertext": [hover(surface, cells, place, label, draw) for place in range(len(cells))],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "selected": {"marker": {"opacity": 0}},
        "unselected": shown | {"textfont": {}},
    }


def hover(surface: Surface, cells: Integers, place: int, label: str, draw: Draw) -> str:
    """Return the hover text of the cell at position `place` of the (k, 2) cells: the mean and any standard error."""
    error = float(surface.error[place])
    said = f"± {num(error)} standard error" if np.isfinite(error) else "one value: no standard error"
    correct, unique = cells[place].tolist()
    return f"{cell_name(correct, unique, draw)}<br>{plain(label)} {num(float(surface.mean[place]))}<br>{said}"


def cell_name(correct: int, unique: int, draw: Draw) -> str:
    """Return the name of a cell: "3 correct, 2 unique" or, for the paper's draw, "3 correct, pools of 2"."""
    return f"{correct} correct, pools of {unique}" if draw == "paper" else f"{correct} correct, {unique} unique"


def text_on_ramp(strength: float, mode: Mode) -> str:
    """Return black or white, whichever reads better on the colour scale at that strength (1 is the strongest)."""
    steps = ramp(mode)
    at = (1 - strength) * (len(steps) - 1)
    below, above = steps[int(at)][1], steps[min(int(at) + 1, len(steps) - 1)][1]
    return text_on([a + (b - a) * (at - int(at)) for a, b in zip(_rgb(below), _rgb(above))])


def text_on(rgb: Sequence[float]) -> str:
    """Return black or white, whichever reads better on an RGB colour with components in 0..255."""
    light = luminance(rgb)
    return "#FFFFFF" if 1.05 / (light + 0.05) > (light + 0.05) / 0.05 else "#000000"


def luminance(rgb: Sequence[float]) -> float:
    """Return the relative luminance of an RGB colour with components in 0..255 (WCAG 2)."""
    parts = [c / 255 for c in rgb]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _rgb(colour: str) -> list[int]:
    return [int(colour[k : k + 2], 16) for k in (1, 3, 5)]


def share_bars(rows: Sequence[tuple[str, Surface]], mode: Mode, draw: Draw = "even") -> go.Figure:
    """Return stacked bars: how much of each metric's variance between cells correct and unique captions explain."""
    figure = Drawing()
    shares = [(label, (s.correct, s.unique, s.remainder)) for label, s in rows]
    heights = list(range(len(rows) - 1, -1, -1))
    for k, part in enumerate(PARTS[draw]):
        figure.add_bar(
            x=[max(of[k].value, 0.0) for _, of in shares],
            y=heights,
            orientation="h",
            width=0.36,
            name=part,
            marker={"color": grey(_FILLS[k]), "line": {"width": 1.5, "color": tone("paper", mode)}},
            hovertext=[f"{plain(label)}: {part} {share_text(of[k].value)}{_resampled(of[k])}" for label, of in shares],
            hovertemplate="%{hovertext}<extra></extra>",
        )
    for (label, of), y in zip(shares, heights):
        figure.add_annotation(note(0, y + 0.34, f"<b>{plain(label)}</b>"))
        for k, part in enumerate(PARTS[draw]):
            swatch = f'<span style="color:{grey(_FILLS[k])}">■</span>'
            words = f"{swatch} {part} <b>{share_text(of[k].value)}</b>"
            figure.add_annotation(note(k / 2, y - 0.23, words, yanchor="top", xanchor=("left", "center", "right")[k]))
    frame(figure, mode, 96 * len(rows) + 10, margin={"l": 1, "r": 1, "t": 0, "b": 0}, barmode="stack")
    widest = max((sum(max(one.value, 0.0) for one in of if np.isfinite(one.value)) for _, of in shares), default=1.0)
    figure.update_xaxes(visible=False, range=[0, max(1.0, widest)])
    figure.update_yaxes(visible=False, range=[-0.5, len(rows) - 0.5])
    return figure


def share_text(share: float) -> str:
    """Return a share as "47 %", with a decimal near the ends; never rounded to 0 or 100 %: "< 0.1 %".

    Shares overlap if some pairs have no cell: one can be above 100 %, and the joint share below 0.
    """
    if not np.isfinite(share):
        return percent(share)
    if share > OVER or share < 1 - OVER:
        return f"{num(100 * share, 1)} %"
    if share < 0.001:
        return "< 0.1 %"
    if share > 0.999:
        return "> 99.9 %"
    return percent(share, 0 if 0.1 <= share <= 0.9 else 1)


def _resampled(share: Share) -> str:
    """The range of 95 % of a share's resamples, shown below the share; "" with too few items."""
    return f"<br>95 % of resamples {interval(100 * share.low, 100 * share.high, 1)} %" if np.isfinite(share.low) else ""
