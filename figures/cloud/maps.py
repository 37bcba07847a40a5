"""Several runs on small maps of one plane, each in front of people's captions in grey."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import plotly.graph_objects as go

from figures.cloud.chart import BOX, WHOLE, HoverTexts, Look, Texts, bare, points
from figures.cloud.labels import ends, limited
from figures.style.drawing import Drawing
from figures.style.palette import Mode, ModelStyle, frame, mixed, note, plain, tone
from figures.style.text_width import in_two
from metrics.analysis.cloud.view import CloudView, Group
from metrics.mathematics.arrays import Integers

SIDE, TITLE, LINE, GAP = 172.0, 34, 15, 10
"""Height in px of a map, of its title, and of a second line of its name, and the gap between two maps."""
_NARROWEST = {2: 165, 4: 140}
"""Width in px of the title of a map on screen, by the number of maps side by side: two on a phone, four on a tablet."""


def maps(
    view: CloudView,
    texts: Texts,
    styles: Mapping[str, ModelStyle],
    mode: Mode,
    doing: Sequence[str],
    picked: int | None = None,
    width: float | None = None,
    beside: int = 2,
    side: float = SIDE,
) -> go.Figure:
    """Return a map for each group of the view, titled with its name and its entry in `doing`.

    Equal captions of a group share one mark, which grows with their number; the `customdata` of a mark is its row and
    its item. `picked` is the row of a point to ring; `width` is the width of the paper in px, None on screen. On
    screen, at most `beside` maps are side by side, each `side` px high. Points that are far from most others are drawn
    at the edge.
    """
    view = replace(view, layout=replace(view.layout, xy=limited(view.layout.xy)))
    wide = beside if width is None else 2 if width < 500 else 4
    figure, beside = Drawing(), max(1, min(wide, len(view.groups)))
    rows = max(1, -(-len(view.groups) // beside))
    side = side if width is None else (width - 8) / beside
    room = _NARROWEST[wide] if width is None else 0.9 * side
    names = [in_two(group.name, room) for group in view.groups]
    title = TITLE + LINE * (max(map(len, names), default=1) - 1)
    height = rows * (side + title) + (rows - 1) * GAP
    low, high = (np.array(end) for end in ends(view.layout.xy))
    middle, half = (low + high) / 2, float((high - low).max()) / 2
    for k, group in enumerate(view.groups):
        row, column = divmod(k, beside)
        top = 1 - (row * (side + title + GAP) + title) / height
        across = [(column + 0.02) / beside, (column + 0.98) / beside]
        number = str(k + 1) if k else ""
        x, y = f"x{number}", f"y{number}"
        box = {"visible": True, "showticklabels": False, **BOX, **WHOLE}
        span = [[float(c - half), float(c + half)] for c in middle]
        figure.update_layout(
            {
                f"xaxis{number}": {**box, "domain": across, "range": span[0], "anchor": y, "constraintoward": "left"},
                f"yaxis{number}": {**box, "domain": [max(0.0, top - side / height), top], "range": span[1], "anchor": x}
                | {"scaleanchor": x, "scaleratio": 1, "constraintoward": "top"},
            }
        )
        _one(figure, view, group, texts, styles, mode, picked, (x, y))
        for made in _title(names[k], doing[k], across[0], top, styles[group.model].text(mode), mode):
            figure.add_annotation(made)
    frame(figure, mode, round(height), margin={"l": 2, "r": 2, "t": 2, "b": 2}, dragmode=False)
    return figure


def _one(
    figure: go.Figure,
    view: CloudView,
    group: Group,
    texts: Texts,
    styles: Mapping[str, ModelStyle],
    mode: Mode,
    picked: int | None,
    axes: tuple[str, str],
) -> None:
    start = len(figure.data)
    said = HoverTexts(view, texts)
    said.size, said.largest, said.opacity = _dot(max(len(view.people.rows), len(group.rows))), 15.0, 0.8
    pale = Look(mixed(tone("muted", mode), tone("paper", mode), 0.6), "circle")
    points(figure, said, replace(view.people, name="People"), pale, mode)
    points(figure, said, group, Look(styles[group.model].mark(mode), "circle"), mode)
    ink = tone("ink", mode)
    shown = np.concatenate([view.people.rows, group.rows])
    found = np.intersect1d(view.found if view.found is not None else np.empty(0, dtype=np.int64), shown)
    bare(figure, view, found, {"symbol": "circle-open", "size": 9, "color": ink, "line": {"width": 1.4, "color": ink}})
    own: Integers = np.array([picked] if picked is not None and picked in shown else [], dtype=np.int64)
    bare(figure, view, own, {"symbol": "circle-open", "size": 15, "color": ink, "line": {"width": 2, "color": ink}})
    for trace in figure.data[start:]:
        trace.update(xaxis=axes[0], yaxis=axes[1], showlegend=False)


def _dot(points: int) -> float:
    """The size in px of a dot on a map, larger for fewer captions."""
    return float(np.clip(45 / np.sqrt(max(points, 1)), 3.2, 8.0))


def _title(name: Sequence[str], does: str, x: float, y: float, colour: str, mode: Mode) -> list[dict[str, Any]]:
    place = {"xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "bottom", "align": "left"}
    text = "<br>".join(map(plain, name))
    return [
        note(x, y, text, **place, yshift=15, font={"size": 12.5, "color": colour, "weight": 600}),
        note(x, y, plain(does), **place, yshift=1, font={"size": 11.5, "color": tone("muted", mode)}),
    ]
