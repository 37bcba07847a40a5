"""The captions of one image in the plane of a metric's own distances, with sentences about these distances."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from data.study import Item, Study
from figures.cloud.chart import BOX, WHOLE
from figures.style.drawing import Drawing
from figures.style.escaping import Strong, short
from figures.style.label_placement import Boxes, Label, place
from figures.style.numbers import count, num, percent
from figures.style.palette import Mode, ModelStyle, frame, note, plain, tone
from figures.style.run_names import short_names
from metrics.analysis.cloud.view import ItemView
from metrics.mathematics.arrays import Floats, Integers

HEIGHT = 600
SHOWS = {0.05: "well", 0.1: "fairly well", 0.2: "roughly"}
"""Upper bounds of stress-1 that Kruskal (1964) calls good, fair and poor, with words for how well a plane shows
distances.
"""
NAMED = 2
"""Maximum number of runs that the verdict names."""
_WIDTH, _NARROW = 640, 410
_CUT = 32


@dataclass(frozen=True)
class _Dot:
    """One distinct text of a set, with its number of occurrences; `row` is its first position among the texts."""

    run: int
    text: str
    times: int
    row: int
    central: bool


def plane(view: ItemView, styles: Mapping[str, ModelStyle], mode: Mode) -> go.Figure:
    """Return a chart of the image's distinct captions: points, larger for more occurrences, with labels that fit.

    The `customdata` of a point is the position of its text among the pooled texts.
    """
    figure = Drawing()
    dots = _dots(view)
    for run in range(-1, len(view.runs)):
        mine = [dot for dot in dots if dot.run == run]
        if mine:
            _points(figure, view, mine, styles, mode)
    low, high = _ends(view.scaling.xy)
    for made in _labels(view, dots, low, high, styles, mode):
        figure.add_annotation(made)
    frame(figure, mode, HEIGHT, margin={"l": 4, "r": 4, "t": 4, "b": 36}, showlegend=True)
    figure.update_xaxes(**BOX, **WHOLE, range=[low[0], high[0]], constraintoward="left")
    figure.update_yaxes(**BOX, **WHOLE, range=[low[1], high[1]], constraintoward="top", scaleanchor="x", scaleratio=1)
    figure.update_layout(
        legend={"orientation": "h", "x": 0, "y": -0.01, "xanchor": "left", "yanchor": "top", "itemsizing": "constant"}
    )
    return figure


def _dots(view: ItemView) -> list[_Dot]:
    first: dict[tuple[int, str], int] = {}
    times: dict[tuple[int, str], int] = {}
    for row, (run, text) in enumerate(zip(view.run.tolist(), view.distances.texts)):
        first.setdefault((run, text), row)
        times[run, text] = times.get((run, text), 0) + 1
    return [
        _Dot(run, text, n, first[run, text], bool(view.central[first[run, text]])) for (run, text), n in times.items()
    ]


def _points(figure: go.Figure, view: ItemView, dots: list[_Dot], styles: Mapping[str, ModelStyle], mode: Mode) -> None:
    run = view.runs[dots[0].run] if dots[0].run >= 0 else None
    ink, paper = tone("ink", mode), tone("paper", mode)
    rows = np.array([dot.row for dot in dots])
    own = styles[run.model] if run else None
    colour, symbol = (own.mark(mode), own.symbol) if own else (ink, "circle")
    name = run.name if run else "People"
    said = [f"{plain(dot.text, 52)}{f'<br>said {dot.times} times' if dot.times > 1 else ''}" for dot in dots]
    marker = {
        "size": [9 + 3 * np.sqrt(dot.times - 1) + (7 if dot.central else 0) for dot in dots],
        "symbol": ["star" if dot.central else symbol for dot in dots],
        "opacity": 0.92,
        "color": colour if run else paper,
        "line": {"width": 1 if run else 1.6, "color": paper if run else ink},
    }
    figure.add_scatter(
        x=view.scaling.xy[rows, 0],
        y=view.scaling.xy[rows, 1],
        mode="markers",
        marker=marker,
        name=plain(name, 60),
        text=said,
        customdata=rows,
        hovertemplate="%{text}<extra>" + plain(name, 30) + "</extra>",
    )


def _ends(xy: Floats) -> tuple[Floats, Floats]:
    low, high = xy.min(axis=0), xy.max(axis=0)
    middle, size = (low + high) / 2, np.maximum(high - low, 1e-6)
    # Leave room for labels, in the aspect ratio of the plot.
    half = 0.62 * max(float(size[0]) / _WIDTH, float(size[1]) / HEIGHT) * np.array([_WIDTH, HEIGHT])
    return middle - half, middle + half


def _labels(
    view: ItemView, dots: list[_Dot], low: Floats, high: Floats, styles: Mapping[str, ModelStyle], mode: Mode
) -> list[dict[str, object]]:
    at = (view.scaling.xy - low) / (high - low)
    # The plane keeps its aspect ratio: a narrower plot is proportionally lower.
    boxes = Boxes.of_sizes([(width, (HEIGHT - 40) * width / _WIDTH) for width in (_NARROW, _WIDTH)])
    rows = np.array([dot.row for dot in dots])
    boxes.add(at[rows, 0], at[rows, 1], 14, 14)
    order = sorted(dots, key=lambda dot: (not dot.central, -dot.times))
    wanted = [Label(float(at[d.row, 0]), float(at[d.row, 1]), short(" ".join(d.text.split()), _CUT)) for d in order]
    made = []
    for dot, label, where in zip(order, wanted, place(wanted, boxes, lines=False)):
        if where is None:
            continue
        colour = styles[view.runs[dot.run].model].text(mode) if dot.run >= 0 else tone("ink", mode)
        x, y = view.scaling.xy[dot.row]
        # The width of a label is an estimate: anchor it at the end next to its point.
        end = "center" if abs(where.dx) < 1 else "left" if where.dx > 0 else "right"
        shift = where.dx - {"center": 0, "left": 1, "right": -1}[end] * label.width / 2
        font = {"size": label.size, "color": colour}
        made.append(note(float(x), float(y), plain(label.text), xshift=shift, yshift=where.dy, xanchor=end, font=font))
    return made


def verdict(study: Study, view: ItemView, label: str) -> tuple[str, ...]:
    """Return how far apart two captions of each of the first runs are, and two captions by people, and how well the
    plane shows these distances.
    """
    called, said = short_names(study.runs), list[str]()
    for k, run in enumerate(view.runs[:NAMED]):
        begin, end = (", by ", "") if said else ("Two captions by ", " apart")
        said += [begin, Strong(called[run.name]), f"{' are' if end else ''} {num(_mean(view, k, k), 2)}{end}"]
    people = num(_mean(view, -1, -1), 2)
    rest = f", by people {people}" if said else f"Two captions by people are {people} apart"
    return (*said, f"{rest} (mean {label} distance). ", *_worth(view))


def more(study: Study, view: ItemView) -> str:
    """Return how far each run's captions are from people's, in a sentence; "" without a run."""
    called = short_names(study.runs)
    each = [f"{called[run.name]} {num(_mean(view, k, -1), 2)}" for k, run in enumerate(view.runs)]
    return f"Mean distance from a caption of a run to one by a person: {', '.join(each)}." if each else ""


def _worth(view: ItemView) -> tuple[str, ...]:
    if not np.isfinite(view.scaling.stress):
        return ("All captions fall on one point.",)
    how = next((said for most, said in SHOWS.items() if view.scaling.stress <= most), "poorly")
    return ("The picture shows these distances ", Strong(how), ": trust the numbers." if how == "poorly" else ".")


def _mean(view: ItemView, one: int, other: int) -> float:
    """The mean distance, over both orders, between a text of one set and a text of the other.

    Within one set, it is the mean distance between two of its texts. NaN without such a pair.
    """
    rows, columns = np.flatnonzero(view.run == one), np.flatnonzero(view.run == other)
    block = view.distances.matrix[np.ix_(rows, columns)]
    if one == other:
        block = block[~np.eye(len(rows), dtype=bool)]
    else:
        block = np.concatenate([block.ravel(), view.distances.matrix[np.ix_(columns, rows)].ravel()])
    return float(block.mean()) if block.size else float("nan")


def footer(view: ItemView, label: str) -> str:
    """Return a footer: the number of captions, the distance, and the projection method."""
    n = int((view.run >= 0).sum())
    return (
        f"n = {count(n, 'caption')} of runs, {len(view.run) - n:,} by people. Classical multidimensional scaling of "
        f"{label} distances (mean of both orders): two dimensions hold {percent(float(view.scaling.shares.sum()))} of "
        f"the positive eigenvalues, with stress-1 (Kruskal) {num(view.scaling.stress)}. Stars: central captions, by "
        "this distance. Larger: said more than once."
    )


def alt(view: ItemView, item: Item, label: str) -> str:
    """Return the text alternative of the figure."""
    return (
        f"Captions of {item.id} placed by {label} distance; stress-1 {num(view.scaling.stress)}. The table lists them."
    )


def table(view: ItemView) -> pd.DataFrame:
    """Return all distinct captions: set, count, whether they are central, mean distance to people's, and position."""
    dots = _dots(view)
    rows: Integers = np.array([dot.row for dot in dots], dtype=np.int64)
    both = (view.distances.matrix + view.distances.matrix.T) / 2
    return pd.DataFrame(
        {
            "Caption": [dot.text for dot in dots],
            "Set": ["People" if dot.run < 0 else view.runs[dot.run].name for dot in dots],
            "Times": [dot.times for dot in dots],
            "Central": [dot.central for dot in dots],
            "To people's": [_others(both, view.run == -1, row) for row in rows],
            "x": view.scaling.xy[rows, 0],
            "y": view.scaling.xy[rows, 1],
        }
    )


def _others(both: Floats, side: np.ndarray[tuple[int], np.dtype[np.bool_]], row: int) -> float:
    others = side.copy()
    others[row] = False
    return float(both[row, others].mean()) if others.any() else float("nan")
