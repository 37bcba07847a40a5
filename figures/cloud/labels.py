"""The words of dense places, written beside them on the plane where there is room."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from figures.style.escaping import short
from figures.style.label_placement import Boxes, Label, place
from figures.style.label_placement import Place as Where
from figures.style.palette import Mode, alpha, note, plain, tone
from metrics.analysis.cloud.places import Place
from metrics.mathematics.arrays import Floats

HEIGHT, LEAST, _ACROSS, _AROUND = 640, 400, 664, 38
"""In px: the maximum and minimum height of a plane on screen, the width of its frame if a caption is beside it, and the
sum of its upper and lower margins.
"""
_CUT, _SIZE = 24, 11.5
_PHONE = 0.58
"""Side of the plane on a phone, where all words must fit, too, as a share of its height on a wide screen."""
_CELL = 4.0
"""Side in px of the squares occupied by points, which words avoid."""
_FEW, _EDGES, _ROOM = 60, (2, 98), 0.1
"""If there are more than `_FEW` points, those that lie farther beyond these percentiles than this share of the range
are drawn at the edge of a map.
"""


def ends(xy: Floats) -> tuple[Sequence[float], Sequence[float]]:
    """Return the lower and upper ends of x and y for all (n, 2) points, with a margin.

    The ends are the same for every choice of runs, so that views are comparable.
    """
    low, high = xy.min(axis=0), xy.max(axis=0)
    room = 0.04 * max(float((high - low).max()), 1e-9)
    return (low - room).tolist(), (high + room).tolist()


def limited(xy: Floats) -> Floats:
    """Return the (n, 2) points; if they are many, the farthest are moved to the edge, so that the others fill a small
    map.

    The edge is the same for every choice of runs.
    """
    if len(xy) <= _FEW:
        return xy
    low, high = np.percentile(xy, _EDGES, axis=0)
    room = _ROOM * float((high - low).max())
    return np.asarray(np.clip(xy, low - room, high + room), dtype=np.float64)


def labels(
    figure: go.Figure, xy: Floats, named: Sequence[Place], height: float, mode: Mode, shown: Floats | None = None
) -> None:
    """Draw the words of places, in order, wherever they hide neither other words nor the (k, 2) points `shown`.

    `xy` (n, 2) contains all points of the plane, whose height is `height` px; if `shown` is given, words may be farther
    away, with a thin line to their place.
    """
    if not named:
        return
    low, high = (np.array(end) for end in ends(xy))
    # The plane keeps its aspect ratio: it is as large as the shorter side of the plot allows.
    side, middle = float((high - low).max()), (low + high) / 2
    at = np.array([((one.x, one.y) - middle) / side + 0.5 for one in named])
    boxes = Boxes.of_sizes([(size, size) for size in (_PHONE * height, float(height))])
    if shown is not None and len(shown):
        cells = np.unique(np.round(((shown - middle) / side + 0.5) * height / _CELL), axis=0) * _CELL / height
        boxes.add(cells[:, 0], cells[:, 1], _CELL, _CELL)
    wanted = [Label(x, y, short(", ".join(one.words), _CUT), size=_SIZE) for (x, y), one in zip(at.tolist(), named)]
    font = {"size": _SIZE, "color": tone("ink", mode)}
    ground = {"bgcolor": alpha(tone("paper", mode), 0.78), "borderpad": 1}
    for one, label, where in zip(named, wanted, place(wanted, boxes, lines=shown is not None)):
        if where is not None:
            text = plain(label.text)
            shift = _line(where, mode) if where.far else {"xshift": where.dx, "yshift": where.dy}
            figure.add_annotation(note(one.x, one.y, text, font=font, **ground, **{**shift, "xanchor": "center"}))


def _line(where: Where, mode: Mode) -> dict[str, Any]:
    ends = {"showarrow": True, "arrowhead": 0, "arrowwidth": 0.9, "arrowcolor": tone("ink", mode)}
    return {**ends, "ax": where.dx, "ay": -where.dy}


def filling(xy: Floats) -> int:
    """Return the height in px, within limits, at which a plane with equal scales on both axes fills its figure."""
    (left, bottom), (right, top) = ends(xy)
    return int(min(max(_ACROSS * (top - bottom) / (right - left) + _AROUND, LEAST), HEIGHT))
