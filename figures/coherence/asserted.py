"""A matrix of runs and labels: the mean COSMic if all captions of a run, or all references, had that label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from figures.coherence.words import AS_LABELLED_SHORT
from figures.style.drawing import Drawing
from figures.style.escaping import short
from figures.style.numbers import DASH, num
from figures.style.palette import Mode, frame, plain, ramp, tone
from figures.unique_correct.heatmaps import text_on_ramp
from metrics.analysis.coherence.asserted_labels import AS_LABELLED, Asserted

ROW, LEAST, MOST = 24, 16, 400
"""Heights in px: of the largest and the smallest row, and of all rows together, which they fill within these limits."""
_NUMBERED = {False: 12, True: 6}
"""Maximum number of columns at which cells have room for a number, by whether the figure is narrow."""


def matrix(found: Sequence[Asserted], names: Mapping[str, str], mode: Mode, narrow: bool = False) -> go.Figure:
    """Return a matrix with a row for each run, named as in `names`, and a column for each label.

    The `customdata` of a cell is its run and its label.
    """
    runs, labels = (list(dict.fromkeys(getattr(one, of) for one in found)) for of in ("run", "label"))
    values = np.array([one.value for one in found]).reshape(len(runs), len(labels))
    low, high = (
        float(end(values[np.isfinite(values)], initial=at)) for end, at in ((np.min, np.inf), (np.max, -np.inf))
    )
    low, high = (low, high) if high > low else (0.0, 1.0)
    scale = [[1 - at, colour] for at, colour in reversed(ramp(mode))]
    height = max(LEAST, min(ROW, MOST // max(len(runs), 1)))
    looks = {"showscale": False, "xgap": 2, "ygap": 2, "hoverinfo": "skip", "zmin": low, "zmax": high}
    figure = Drawing(go.Heatmap(z=values, colorscale=scale, **looks))
    figure.add_scatter(**_numbers(found, len(labels), (low, high), mode, height, narrow))
    frame(figure, mode, height * len(runs) + 40, margin={"l": 110 if narrow else 190, "r": 8, "t": 34, "b": 6})
    said = [AS_LABELLED_SHORT if narrow and label == AS_LABELLED else label for label in labels]
    heads = [plain(short(label, 7 if narrow else 22)) for label in said]
    ink = tone("ink", mode)
    axis = {"ticks": "", "showgrid": False, "tickfont": {"size": 11 if narrow else 12.5, "color": ink}}
    figure.update_xaxes(
        side="top",
        tickvals=list(range(len(labels))),
        ticktext=heads,
        range=[-0.5, len(labels) - 0.5],
        tickangle=0,
        **axis,
    )
    rows = [plain(short(names[run], 15 if narrow else 26, [names[one] for one in runs])) for run in runs]
    figure.update_yaxes(tickvals=list(range(len(runs))), ticktext=rows, range=[len(runs) - 0.5, -0.5], **axis)
    return figure


def _numbers(
    found: Sequence[Asserted], columns: int, ends: tuple[float, float], mode: Mode, height: int, narrow: bool
) -> dict[str, object]:
    known = [np.isfinite(one.value) for one in found]
    strength = [(one.value - ends[0]) / (ends[1] - ends[0]) if has else 0.0 for one, has in zip(found, known)]
    shown = columns <= _NUMBERED[narrow] and height >= ROW // 2
    said = [
        f"{plain(one.run, 40)}<br>{plain(one.label, 40)}<br>"
        + (f"{num(one.value, 3)}, 95 % {num(one.low, 3)} to {num(one.high, 3)}, n = {one.n:,}" if has else "no value")
        for one, has in zip(found, known)
    ]
    return {
        "x": [k % columns for k in range(len(found))],
        "y": [k // columns for k in range(len(found))],
        "mode": "markers+text",
        "customdata": [[one.run, one.label] for one in found],
        "text": [(num(one.value, 2) if has else DASH) if shown else "" for one, has in zip(found, known)],
        "textfont": {
            "size": 11.5 if narrow or height < ROW else 12.5,
            "color": [text_on_ramp(of, mode) if has else tone("muted", mode) for of, has in zip(strength, known)],
        },
        "marker": {"size": height - 3, "symbol": "square", "opacity": 0},
        "hovertext": said,
        "hovertemplate": "%{hovertext}<extra></extra>",
        "selected": {"marker": {"opacity": 0}},
        "unselected": {"marker": {"opacity": 0}, "textfont": {}},
    }
