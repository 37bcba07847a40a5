"""The matrix of correlations between metrics: ink for a similar order, red with a minus for an opposite one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from figures.style.drawing import Drawing
from figures.style.escaping import short
from figures.style.numbers import DASH, MINUS, defined, num
from figures.style.palette import Mode, frame, note, plain, ramp, tone
from figures.unique_correct.heatmaps import EDGE, framed, text_on
from metrics.mathematics.arrays import Floats, Integers

CELL, LEAST = 46, 17
"""Maximum and minimum height of a cell in px."""
MOST = 500
_NUMBERED = {False: 14, True: 10}
"""Maximum number of metrics at which cells have room for a number, by whether the figure is narrow."""
_WHOLE = 7
"""Maximum number of metrics at which cells of a narrow figure have room for the 0 before the point."""
_NAME = {False: 22, True: 17}
"""Maximum length of a name in characters, by whether the figure is narrow."""
_STOPS = 20


@dataclass(frozen=True, eq=False)
class Cells:
    """The (m, m) correlations of metrics in display order, the (m, m) numbers of points behind them, and the chosen
    pair.
    """

    keys: Sequence[str]
    labels: Sequence[str]
    values: Floats
    n: Integers
    chosen: tuple[str, str] | None = None


def matrix(cells: Cells, mode: Mode, narrow: bool = False) -> go.Figure:
    """Return a figure with each pair of metrics once, below a diagonal of their names.

    The `customdata` of a cell contains the keys of both metrics, the row's first.
    """
    count = len(cells.keys)
    places = list(range(count))
    below = np.where(np.tri(count, k=-1, dtype=bool), cells.values, np.nan)
    figure = Drawing(
        go.Heatmap(
            z=below,
            x=places,
            y=places,
            zmin=-1,
            zmax=1,
            colorscale=[[k / _STOPS, _hex(_colour(2 * k / _STOPS - 1, mode))] for k in range(_STOPS + 1)],
            showscale=False,
            xgap=2,
            ygap=2,
            hoverinfo="skip",
        )
    )
    height = cell_height(count)
    figure.add_scatter(**_numbers(cells, mode, height, narrow))
    if cells.chosen is not None and set(cells.chosen) <= set(cells.keys):
        across, up = sorted(list(cells.keys).index(key) for key in cells.chosen)
        framed(figure, across, up, mode)
    size = 12.5 if count <= 14 else 10.5
    font = {"size": size, "color": tone("ink", mode)}
    names = [short(label, _NAME[narrow]) for label in cells.labels]
    for place, name in zip(places, names):
        figure.add_annotation(note(place - 0.42, place, plain(name), xref="x", yref="y", font=font))
    right = max(8, round(0.54 * size * max((len(name) for name in names), default=0)))
    frame(figure, mode, height * count + 12, margin={"l": 4, "r": right, "t": 4, "b": 8})
    figure.update_xaxes(range=[-0.5 - EDGE, count - 0.5 + EDGE], visible=False)
    figure.update_yaxes(range=[count - 0.5 + EDGE, -0.5 - EDGE], visible=False)
    return figure


def cell_height(count: int) -> int:
    """Return the height in px of a cell in a matrix of `count` metrics."""
    return max(LEAST, min(CELL, MOST // max(count, 1)))


def _numbers(cells: Cells, mode: Mode, height: int, narrow: bool) -> dict[str, object]:
    """The numbers in the cells, as a scatter plot, so that a cell can be hovered over and clicked.

    A cell that is too small for its number shows only a minus sign if the number is negative, because many readers
    cannot see the red. The number of the selected pair is then beside the plot of that pair.
    """
    count = len(cells.keys)
    pairs = [(i, j) for i in range(count) for j in range(i)]
    values = [float(cells.values[i, j]) for i, j in pairs]
    shown = count <= _NUMBERED[narrow]
    colours = [_text_on(value, mode) for value in values]
    said = [num(value, 2) if defined(value) else DASH for value in values]
    if small := narrow and count > _WHOLE:
        said = [one.replace("0.", ".", 1) for one in said]
    text = said if shown else [MINUS if one.startswith(MINUS) else "" for one in said]
    hover = [
        f"{plain(cells.labels[i], 40)}<br>{plain(cells.labels[j], 40)}<br>"
        f"{num(value, 3) if defined(value) else DASH}, n = {int(cells.n[i, j]):,}"
        for (i, j), value in zip(pairs, values)
    ]
    return {
        "x": [j for _, j in pairs],
        "y": [i for i, _ in pairs],
        "mode": "markers+text",
        "customdata": [[cells.keys[i], cells.keys[j]] for i, j in pairs],
        "text": text,
        "textfont": {"size": 10 if small else 12, "color": colours},
        "marker": {"size": height - 3, "symbol": "square", "opacity": 0},
        "hovertext": hover,
        "hovertemplate": "%{hovertext}<extra></extra>",
        "selected": {"marker": {"opacity": 0}},
        "unselected": {"marker": {"opacity": 0}, "textfont": {}},
    }


def _colour(value: float, mode: Mode) -> list[float]:
    """The RGB colour of a correlation: paper at 0, ink at 1, red at -1."""
    steps = [_rgb(str(colour)) for _, colour in ramp(mode)]
    if value < 0:
        return _mixed(steps[-1], _rgb(tone("bad", mode)), min(1.0, -value))
    at = (1 - value) * (len(steps) - 1)
    below = min(int(at), len(steps) - 2)
    return _mixed(steps[below], steps[below + 1], at - below)


def _text_on(value: float, mode: Mode) -> str:
    if not defined(value):
        return tone("muted", mode)
    return text_on(_colour(value, mode))


def _mixed(one: Sequence[float], other: Sequence[float], share: float) -> list[float]:
    return [a + (b - a) * share for a, b in zip(one, other)]


def _rgb(colour: str) -> list[float]:
    return [float(int(colour[k : k + 2], 16)) for k in (1, 3, 5)]


def _hex(rgb: Sequence[float]) -> str:
    return "#" + "".join(f"{round(part):02X}" for part in rgb)
