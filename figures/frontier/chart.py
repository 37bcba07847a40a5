"""The quality-diversity frontier: one path per model, the front as a step line, labels where there is room.

Up is better and right is more diverse, whichever direction the metrics have.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from figures.frontier.drawing import Drawing, Scale, crossed, human_shown, pale, scale, steps
from figures.frontier.labels import label_annotations
from figures.style.drawing import MARKS
from figures.style.label_placement import NARROW, WIDE, Boxes
from figures.style.line_styles import Mark
from figures.style.numbers import defined, interval, num
from figures.style.palette import Mode, alpha, frame, grey, plain, tone
from figures.style.text_width import text_width
from figures.style.wording import heading
from metrics.analysis.frontier import Axis, Frontier, fit

HEIGHT = 500
_LEAST, _FLAT = 300, 0.62
"""On paper: the minimum height in px, for a figure in one column, and the height as a share of the width."""
_KEY, _LINE, _MARK = 26, 19, 46
"""In px: the height of a key with one line above the plot, that of each further line, and the width of a mark in the
key.
"""
_MARGIN = {"l": 60, "r": 18, "t": 14, "b": 50}


def frontier_figure(
    view: Frontier,
    marks: Mapping[str, Mark],
    mode: Mode,
    *,
    intervals: bool = True,
    curves: bool = False,
    chosen: int | None = None,
    width: float | None = None,
    cramped: bool = False,
    scales: tuple[Scale, Scale] | None = None,
) -> go.Figure:
    """Return a chart of the runs by both metrics; dominated runs are hollow and pale.

    `marks` are those of the study's runs; the `customdata` of a mark is its run's name. `intervals` draws crosses (with
    many models, only for the coloured runs), and `curves` draws fitted parabolas; `chosen` is ringed. `width` is the
    width of the paper in px, None on screen; `cramped` means a screen no wider than a tablet. `scales` are the x and y
    axes if they must fit other runs, too.
    """
    spanned = crossed(view, chosen) if intervals else ()
    x, y = scales or (scale(axis, spanned, human_shown(axis)) for axis in (view.diversity, view.quality))
    drawing = Drawing(view, marks, mode, x, y, intervals, chosen)
    height = HEIGHT if width is None else round(min(HEIGHT, max(_LEAST, _FLAT * width)))
    corners = steps(view, drawing.x, drawing.y)
    # The paths of models are lines enough: the front's own line would cross and double them.
    stepped = all(len(path) < 2 for path in view.paths)
    _front(drawing, corners, stepped)
    _human(drawing)
    for path in view.paths:
        _path(drawing, path, curves)
    _ring(drawing)
    _seeds(drawing)
    _marks(drawing)
    _kept(drawing)
    on_screen = NARROW if cramped else WIDE
    widths = on_screen if width is None else (int(width) - _MARGIN["l"] - _MARGIN["r"],)
    boxes = Boxes(height - _MARGIN["t"] - _MARGIN["b"], widths)
    # A key on paper can name lines, but not single marks that look alike.
    every = width is not None and any(len(path) == 1 for path in view.paths)
    labels = label_annotations(drawing, corners if stepped else (), boxes, all_named=every)
    drawing.figure.update_layout(annotations=labels.annotations)
    frame(drawing.figure, mode, height, margin=_MARGIN, meta=MARKS)
    _key(drawing, labels.unnamed, min(widths))
    _axes(drawing)
    return drawing.figure


def _key(drawing: Drawing, unnamed: Sequence[Sequence[int]], width: int) -> None:
    """In a line above the plot, name the paths whose names have no room beside them, in the colours of their marks."""
    for path in unnamed:
        mark, colour = drawing.mark(path[0]), drawing.colour(path[0])
        drawing.figure.add_scatter(
            x=[None],
            y=[None],
            mode="lines+markers",
            name=plain(drawing.path_name(path)),
            line={"color": colour, "width": 2.25, "dash": mark.dash},
            marker={"size": 9.5, "symbol": mark.style.symbol, "color": colour},
            showlegend=True,
        )
    if unnamed:
        above = {"orientation": "h", "x": 0, "xanchor": "left", "y": 1, "yanchor": "bottom", "itemclick": False}
        across = _MARK + round(max(text_width(drawing.path_name(path), 12) for path in unnamed))
        above |= {"itemdoubleclick": False, "entrywidth": across - _MARK}
        drawing.figure.update_layout(showlegend=True, legend=above)
        room = _KEY + _LINE * (math.ceil(len(unnamed) / max(width // across, 1)) - 1)
        drawing.figure.layout.height += room
        for trace in drawing.figure.data[: -len(unnamed)]:
            trace.showlegend = False


def _axes(drawing: Drawing) -> None:
    view = drawing.view
    reversed_ = ", axis reversed" if view.diversity.sign < 0 else ""
    drawing.figure.update_xaxes(
        range=[drawing.x.start, drawing.x.end],
        showgrid=True,
        nticks=8,
        title_text=f"{plain(view.diversity.metric.label)}{reversed_}: {view.diversity.metric.more_means} →",
    )
    quality = f"{plain(heading(view.quality.metric))}: better →"
    drawing.figure.update_yaxes(range=[drawing.y.start, drawing.y.end], nticks=7, title_text=quality)


def _front(drawing: Drawing, corners: list[tuple[float, float]], stepped: bool) -> None:
    if not corners:
        return
    x, y = [c[0] for c in corners], [c[1] for c in corners]
    drawing.figure.add_scatter(
        x=[*x, drawing.x.start, drawing.x.start],
        y=[*y, drawing.y.start, y[0]],
        mode="lines",
        fill="toself",
        fillcolor=grey(0.07),
        line={"width": 0},
        hoverinfo="skip",
        name="dominated",
    )
    if stepped:
        drawing.figure.add_scatter(
            x=x, y=y, mode="lines", line={"color": grey(0.75), "width": 1.25}, hoverinfo="skip", name="front"
        )


def _path(drawing: Drawing, path: Sequence[int], curves: bool) -> None:
    view, at = drawing.view, list(path)
    if len(path) < 2:
        return
    mark = drawing.mark(path[0])
    colour = drawing.colour(path[0])
    x, y = view.diversity.value[at], view.quality.value[at]
    curve = fit(x, y) if curves else None
    drawing.figure.add_scatter(
        x=x,
        y=y,
        mode="lines",
        name=f"path of {plain(mark.name)}",
        hoverinfo="skip",
        line={"color": colour if curve is None else alpha(colour, 0.3), "width": 2.25, "dash": mark.dash},
    )
    if curve is not None:
        drawing.figure.add_scatter(
            x=curve[0],
            y=curve[1],
            mode="lines",
            name=f"fit of {plain(mark.name)}",
            hoverinfo="skip",
            line={"color": colour, "width": 2.25, "dash": "2px,4px"},
        )


def _marks(drawing: Drawing) -> None:
    view = drawing.view
    lit = np.array([k in drawing.lit for k in range(len(view.runs))])
    for model in dict.fromkeys(run.model for run in view.runs):
        own = np.array([run.model == model for run in view.runs])
        for on, bright in ((False, False), (False, True), (True, False), (True, True)):
            at = np.flatnonzero(own & (view.front == on) & (lit == bright))
            if len(at):
                _trace(drawing, at, on)


def _seeds(drawing: Drawing) -> None:
    for k, (x, y) in enumerate(drawing.view.seeds):
        if len(x):
            dots = {"size": 4, "color": alpha(drawing.colour(k), 0.55)}
            name = f"seeds of {plain(drawing.view.runs[k].name)}"
            drawing.figure.add_scatter(x=x, y=y, mode="markers", hoverinfo="skip", marker=dots, name=name)


def _trace(drawing: Drawing, at: Any, on: bool) -> None:
    view, mode, style = drawing.view, drawing.mode, drawing.style(int(at[0]))
    own = drawing.colour(int(at[0]))
    symbol = style.symbol if int(at[0]) in drawing.lit else "circle"
    colour = own if on else pale(own, mode)
    face = colour if on else tone("paper", mode)
    cross = alpha(own, 0.4 if on else 0.25)
    same = {"marker": {"opacity": 1}}
    drawing.figure.add_scatter(
        x=view.diversity.value[at],
        y=view.quality.value[at],
        mode="markers",
        cliponaxis=False,
        name=f"{plain(view.runs[int(at[0])].model)}, {'on the front' if on else 'matched or beaten on both'}",
        customdata=[[view.runs[int(k)].name] for k in at],
        error_x=_errors(drawing, view.diversity, at, cross),
        error_y=_errors(drawing, view.quality, at, cross),
        marker={"size": 9.5, "symbol": symbol, "color": face, "line": {"width": 1.75, "color": colour}},
        hovertext=[hover(view, int(k)) for k in at],
        hovertemplate="%{hovertext}<extra></extra>",
        selected=same,
        unselected=same,
    )


def _errors(drawing: Drawing, axis: Axis, at: Any, colour: str) -> dict[str, Any]:
    shown = np.array([drawing.crossed(int(k)) for k in at])
    if not shown.any():
        return {"visible": False}
    return {
        "type": "data",
        "symmetric": False,
        "array": shown * np.nan_to_num(axis.high[at] - axis.value[at]),
        "width": 0,
        "arrayminus": shown * np.nan_to_num(axis.value[at] - axis.low[at]),
        "thickness": 1.5,
        "color": colour,
    }


def hover(view: Frontier, run: int) -> str:
    """Return the hover text of a run, at most five lines."""
    lines = [f"<b>{plain(view.runs[run].name, 60)}</b>"]
    for axis in (view.quality, view.diversity):
        low, high = axis.low[run], axis.high[run]
        ends = f" ({interval(low, high)})" if defined(low) and defined(high) else ""
        lines.append(f"{plain(axis.metric.label)} {num(axis.value[run])}{ends}")
    if defined(view.share[run]):
        standing = {1: "on the front (95 %)", 0: "perhaps on the front", -1: "not on the front (95 %)"}
        lines.append(standing[int(view.sure[run])])
    above = view.dominators(run)
    if above:
        more = f" and {len(above) - 1} more" if len(above) > 1 else ""
        lines.append(f"matched or beaten on both by {plain(view.runs[above[0]].name, 60)}{more}")
    return "<br>".join(lines)


def _human(drawing: Drawing) -> None:
    view, ink = drawing.view, tone("ink", drawing.mode)
    shown = [human_shown(axis) for axis in (view.diversity, view.quality)]
    x, y = view.diversity.human, view.quality.human
    line = {"color": grey(0.9), "width": 1.4, "dash": "4px,3px"}
    if all(shown):
        drawing.figure.add_scatter(
            x=[x.value],
            y=[y.value],
            mode="markers",
            name="human",
            hoverinfo="text",
            cliponaxis=False,
            error_x=_ends(x.value, x.low, x.high),
            error_y=_ends(y.value, y.low, y.high),
            marker={"symbol": "star-diamond", "size": 13, "color": ink},
            hovertext=[
                f"<b>People</b><br>{plain(view.quality.metric.label)} {num(y.value)}"
                f"<br>{plain(view.diversity.metric.label)} {num(x.value)}"
            ],
        )
    elif shown[0]:
        drawing.figure.add_vline(x=x.value, line=line, layer="below")
    elif shown[1]:
        drawing.figure.add_hline(y=y.value, line=line, layer="below")


def _ends(value: float, low: float, high: float) -> dict[str, Any]:
    if not (defined(low) and defined(high)):
        return {"visible": False}
    return {
        "type": "data",
        "symmetric": False,
        "array": [high - value],
        "arrayminus": [value - low],
        "width": 0,
        "thickness": 1.5,
        "color": grey(0.8),
    }


def _ring(drawing: Drawing) -> None:
    view, run, ink = drawing.view, drawing.chosen, tone("ink", drawing.mode)
    if run is None:
        return
    drawing.figure.add_scatter(
        x=[view.diversity.value[run]],
        y=[view.quality.value[run]],
        mode="markers",
        hoverinfo="skip",
        name="chosen",
        cliponaxis=False,
        marker={"symbol": "circle-open", "size": 22, "color": ink, "line": {"width": 1.5, "color": ink}},
    )


def _kept(drawing: Drawing) -> None:
    """Draw a thick mark with an interval at people's diversity for each model that reaches it; none for a single
    model.
    """
    view, trades = drawing.view, drawing.view.trades
    if len(trades.models) < 2 or not human_shown(view.diversity):
        return
    for one in trades.reaching:
        colour, label = drawing.colour(one.runs[0]), plain(view.quality.metric.label)
        value, low, high = one.kept
        ends = f" ({interval(low, high)})" if defined(low) else ""
        drawing.figure.add_scatter(
            x=[trades.people],
            y=[value],
            mode="markers",
            cliponaxis=False,
            name=f"{plain(one.model)} at people's diversity",
            error_y=_upright(value, low, high, alpha(colour, 0.75), drawing.intervals),
            marker={"symbol": "line-ew-open", "size": 20, "color": colour, "line": {"width": 3.5, "color": colour}},
            hovertemplate="%{hovertext}<extra></extra>",
            hovertext=[
                f"<b>{drawing.mark(one.runs[0]).cut(40)}</b> at people's diversity<br>{label} {num(value)}{ends}"
            ],
        )


def _upright(value: float, low: float, high: float, colour: str, shown: bool) -> dict[str, Any]:
    if not shown or not (defined(low) and defined(high)):
        return {"visible": False}
    ends = {"array": [high - value], "arrayminus": [value - low], "width": 0, "thickness": 5, "color": colour}
    return {"type": "data", "symmetric": False, **ends}
