"""How often a run and people use each word, on logarithmic axes."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from figures.style.drawing import Drawing
from figures.style.escaping import short
from figures.style.palette import Mode, ModelStyle, frame, grey, note, plain, tone
from metrics.analysis.critique.words import WordUse

HEIGHT, LABELLED, MOST = 300, 12, 400
"""Height in px, and the maximum numbers of words with a label and of words drawn."""


def word_use(use: WordUse, run: str, style: ModelStyle, mode: Mode, narrow: bool = False) -> go.Figure:
    """Return a chart with a mark for each of the words whose frequencies differ most, and labels for some of them.

    A word that one side never uses is at the edge.
    """
    people, own = use.per_thousand()
    gap = use.surprise()
    shown = np.argsort(-np.abs(gap), kind="stable")[:MOST]
    least = 0.5 * min([1.0, *(side[side > 0].min() for side in (people, own) if (side > 0).any())])
    x, y = (np.log10(np.maximum(side, least)) for side in (people, own))
    figure = Drawing()
    frame(figure, mode, HEIGHT, margin={"l": 56, "r": 16, "t": 10, "b": 44})
    ends = [float(np.log10(least)) - 0.1, float(max([0.0, *x, *y])) + 0.25]
    line = {"color": grey(0.6), "width": 1}
    figure.add_shape(type="line", x0=ends[0], y0=ends[0], x1=ends[1], y1=ends[1], line=line, layer="below")
    figure.add_scatter(
        x=x[shown],
        y=y[shown],
        mode="markers",
        marker={"size": 5, "color": style.mark(mode), "opacity": 0.55},
        customdata=[[plain(use.words[k]), float(people[k]), float(own[k])] for k in shown],
        hovertemplate="%{customdata[0]}<br>people %{customdata[1]:.2f}, run %{customdata[2]:.2f} per 1,000 words"
        "<extra></extra>",
    )
    taken: list[tuple[float, float]] = []
    for k in shown[: 6 * LABELLED]:
        if len(taken) < (LABELLED // 2 if narrow else LABELLED) and _free(taken, x[k], y[k], ends[1] - ends[0]):
            taken.append((x[k], y[k]))
            font = {"size": 12, "color": tone("ink", mode)}
            right = x[k] > ends[0] + 0.8 * (ends[1] - ends[0])
            side = {"xanchor": "right" if right else "left", "xshift": -6 if right else 6}
            figure.add_annotation(note(x[k], y[k], plain(short(use.words[k], 16)), font=font, **side))
    powers = list(range(int(np.floor(ends[0])) + 1, int(np.ceil(ends[1]))))
    ticks = {"tickvals": powers, "ticktext": [f"{10.0**power:g}" for power in powers], "range": ends, "zeroline": False}
    figure.update_xaxes(title_text="people, per 1,000 words", title_standoff=4, **ticks)
    figure.update_yaxes(title_text=f"{plain(short(run, 24))}, per 1,000 words", **ticks)
    return figure


def _free(taken: list[tuple[float, float]], x: float, y: float, span: float) -> bool:
    return all(abs(x - a) > 0.14 * span or abs(y - b) > 0.055 * span for a, b in taken)
