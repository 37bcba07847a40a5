"""The caption cloud: captions as filled points, references as hollow ones, and the dense regions of each set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from figures.cloud.labels import HEIGHT, ends, filling, labels
from figures.style.drawing import Drawing
from figures.style.numbers import percent
from figures.style.palette import Mode, ModelStyle, alpha, frame, grey, plain, tone
from metrics.analysis.cloud.captions import Points
from metrics.analysis.cloud.density import Density
from metrics.analysis.cloud.places import Place
from metrics.analysis.cloud.selection import Area, Plane
from metrics.analysis.cloud.view import TEMPERATURE, CloudView, Group
from metrics.mathematics.arrays import Integers

Texts = NDArray[np.object_]
LARGEST = 26.0
"""Maximum diameter in px of the mark of a repeated caption."""
VECTORS_UP_TO = 3_000
"""Maximum number of points drawn as vector shapes, which print sharply; more are drawn by the graphics card."""
_FILL: dict[Mode, tuple[float, float]] = {"light": (0.28, 0.12), "dark": (0.34, 0.16)}
"""Opacity of the regions that contain half and 80 % of the captions."""
_WRAP = 52
_SEQUENCE: dict[Mode, tuple[str, ...]] = {
    "light": ("#BF8800", "#C7653F", "#A8436B", "#6B2E78", "#2A1B5E"),
    "dark": ("#6A62C8", "#A35CC0", "#D9648F", "#F0965F", "#F5D26B"),
}


@dataclass(frozen=True)
class Look:
    """The style of a group of points."""

    colour: str
    symbol: str


def hover_texts(of: Points, names: Mapping[int, str]) -> Texts:
    """Return the (n,) hover texts of the points: each has the caption in lines, and the name of the item.

    This takes longer than the rest of a figure and depends on no choice, so compute it once.
    """
    lines = {place: plain(name, _WRAP) for place, name in names.items()}
    said = [f"{plain(text, _WRAP)}<br><i>{lines[item]}</i>" for text, item in zip(of.texts, of.item.tolist())]
    # plotly iterates over a list repeatedly, but takes an array as it is.
    return np.array([*said, None], dtype=object)[:-1]


_LEGEND = {
    "orientation": "h",
    "x": 0,
    "y": 1.0,
    "xanchor": "left",
    "yanchor": "bottom",
    "itemsizing": "constant",
    "font": {"size": 12},
    "title": {"text": ""},
}


def cloud(
    view: CloudView,
    texts: Texts,
    styles: Mapping[str, ModelStyle],
    mode: Mode,
    picked: int | None = None,
    around: Sequence[Area] = (),
    width: float | None = None,
    named: Sequence[Place] = (),
) -> go.Figure:
    """Return the view as a figure; the `customdata` of a point is its row and its item.

    `texts` are the points' `hover_texts`; `picked` is the row of a point to ring; points outside all areas `around` are
    faint. `width` is the width of the paper in px, on which the figure is no higher than wide; None on screen. The
    places `named` show their words where there is room. Equal captions of a group in one place share a mark that grows
    with their number, unless a metric colours the points. `styles` maps the names of models to their styles.
    """
    figure = Drawing()
    looks = [group_style(group, view.by, styles, mode) for group in view.groups]
    region(figure, view.people.density, tone("ink", mode), mode, hollow=True)
    for group, of in zip(view.groups, looks):
        region(figure, group.density, of.colour, mode)
    said = HoverTexts(view, texts, inside(view, around) if around else None)
    points(figure, said, view.people, Look(tone("ink", mode), "circle-open"), mode)
    if view.value is not None and view.metric is not None:
        _coloured(figure, said, styles, mode)
    else:
        for group, of in zip(view.groups, looks):
            points(figure, said, group, of, mode)
    marks(figure, view, dict(zip([g.name for g in view.groups], looks)), mode, picked)
    # A click selects a point only in pan mode; the lasso is switched on by a button over the chart.
    height, top, bottom = filling(view.layout.xy) if width is None else min(HEIGHT, int(width)), 34, 4
    frame(figure, mode, height, margin={"l": 4, "r": 4, "t": top, "b": bottom}, showlegend=True, dragmode="pan")
    figure.update_layout(legend=_LEGEND)
    axes(figure, view)
    outlines(figure, view, around, mode)
    labels(figure, view.layout.xy, named, height - top - bottom, mode, view.layout.xy[view.shown])
    return figure


def inside(view: CloudView, around: Sequence[Area]) -> Integers:
    """Return the (n,) rows of drawn points in any of the areas."""
    at = Plane.over(view.layout.xy).steps(view.layout.xy[view.shown])
    held = np.array([area.holds(at) for area in around], dtype=bool).reshape(-1, len(at)).any(axis=0)
    return view.shown[held]


def group_style(group: Group, by: str, styles: Mapping[str, ModelStyle], mode: Mode) -> Look:
    """Return the model's symbol and colour (lighter for its first runs), or a shade by temperature (muted if none)."""
    if by == TEMPERATURE:
        if not group.of:
            return Look(tone("muted", mode), "x")
        return Look(shade(group.place / max(group.of - 1, 1), mode), "circle")
    style = styles[group.model]
    towards = 0.5 * (1 - group.place / (group.of - 1)) if group.of > 1 else 0.0
    return Look(mix(style.mark(mode), tone("paper", mode), towards), style.symbol)


def shade(share: float, mode: Mode) -> str:
    """Return the colour of a value in 0..1; higher values contrast more with the background."""
    at = min(max(share, 0.0), 1.0) * (len(_SEQUENCE[mode]) - 1)
    low = min(int(at), len(_SEQUENCE[mode]) - 2)
    return mix(_SEQUENCE[mode][low], _SEQUENCE[mode][low + 1], at - low)


def mix(one: str, other: str, share: float) -> str:
    """Return the "#RRGGBB" colour that lies `share` (0 to 1) of the way from `one` to `other`."""
    parts = ((int(one[i : i + 2], 16), int(other[i : i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{round(a + share * (b - a)):02X}" for a, b in parts)


class HoverTexts:
    """Hover texts of the points, and their size and opacity, which depend on how crowded the figure is."""

    def __init__(self, view: CloudView, texts: Texts, chosen: Integers | None = None) -> None:
        self.view, self.texts, self.chosen = view, texts, chosen
        n = sum(len(group.rows) for group in (view.people, *view.groups))
        self.trace = go.Scatter if n <= VECTORS_UP_TO else go.Scattergl
        self.size = 7.0 if n <= 700 else 5.5 if n <= VECTORS_UP_TO else 4.0
        self.largest = LARGEST
        self.opacity = 0.75 if n <= VECTORS_UP_TO else 0.5

    def at(self, rows: Integers, times: Integers) -> dict[str, Any]:
        """Return trace data for the points in (n,) `rows`; `times` has the (n,) numbers of captions at these points."""
        xy, of = self.view.layout.xy[rows].astype(np.float32), self.view.points
        # As objects: rows of a numeric array would not arrive in the browser as arrays.
        numbers = np.column_stack([rows, of.item[rows]]).astype(object)
        chosen = {} if self.chosen is None else {"selectedpoints": np.flatnonzero(np.isin(rows, self.chosen))}
        return {
            "x": xy[:, 0],
            "y": xy[:, 1],
            "text": np.where(times > 1, self.texts[rows] + [f"<br>given {n:,} times" for n in times], self.texts[rows]),
            "customdata": numbers,
            "mode": "markers",
            **chosen,
        }

    def strength(self, rows: Integers) -> Any:
        """Return the opacity of all points or, if one item is emphasised, (n,) opacities: lower for other items."""
        if self.view.focus is None:
            return self.opacity
        return np.where(self.view.points.item[rows] == self.view.focus, 1.0, 0.16).astype(np.float32)

    def sizes(self, rows: Integers, times: Integers) -> Any:
        """Return one diameter in px for all points, or (n,) diameters.

        Areas grow with the number of captions, up to a limit; marks of the emphasised item are at least 9 px wide.
        """
        if self.view.focus is None and times.max(initial=1) == 1:
            return self.size
        size = np.minimum(self.size * np.sqrt(times), max(self.largest, self.size))
        stands_out = (self.view.points.item[rows] == self.view.focus) & (self.view.focus is not None)
        return np.where(stands_out, np.maximum(9.0, size), size).astype(np.float32)

    def merged(self, rows: Integers) -> tuple[Integers, Integers]:
        """Return a row per text and place, of the emphasised item if possible, and its count of captions: both (n,)."""
        of, xy = self.view.points, self.view.layout.xy
        first = rows[np.argsort(of.item[rows] != self.view.focus, kind="stable")].tolist()
        places: dict[tuple[str, float, float], list[int]] = {}
        for row in first:
            places.setdefault((of.texts[row], *xy[row]), []).append(row)
        found = np.array([(own[0], len(own)) for own in places.values()], dtype=np.int64).reshape(-1, 2)
        return found[:, 0], found[:, 1]


def points(figure: go.Figure, said: HoverTexts, group: Group, of: Look, mode: Mode) -> None:
    """Draw the points of a group in its style."""
    hollow = of.symbol.endswith("-open")
    line = {"width": 1.2 if hollow else 0.5, "color": of.colour if hollow else tone("paper", mode)}
    rows, times = said.merged(group.rows)
    marker = {
        "size": said.sizes(rows, times),
        "color": of.colour,
        "symbol": of.symbol,
        "line": line,
        "opacity": said.strength(rows),
    }
    figure.add_trace(
        said.trace(
            **said.at(rows, times),
            name=plain(group.name),
            marker=marker,
            hovertemplate="%{text}<extra>" + plain(group.name, 30) + "</extra>",
        )
    )


def _coloured(figure: go.Figure, said: HoverTexts, styles: Mapping[str, ModelStyle], mode: Mode) -> None:
    view, value = said.view, said.view.value
    assert value is not None
    assert view.metric is not None
    scale = [[i / (len(_SEQUENCE[mode]) - 1), colour] for i, colour in enumerate(_SEQUENCE[mode])]
    low, high = value_range(view)
    for group in view.groups:
        known = group.rows[np.isfinite(value[group.rows])]
        times = np.ones(len(known), dtype=np.int64)  # equal captions may have different values
        marker = {
            "size": said.sizes(known, times),
            "symbol": styles[group.model].symbol,
            "color": value[known],
            "coloraxis": "coloraxis",
            "opacity": said.strength(known),
            "line": {"width": 0},
        }
        figure.add_trace(
            said.trace(
                **said.at(known, times),
                name=plain(group.name),
                marker=marker,
                hovertemplate="%{text}<br>"
                + plain(view.metric.label)
                + " %{marker.color:.3f}<extra>"
                + plain(group.name, 30)
                + "</extra>",
            )
        )
    bar = {
        "title": {"text": plain(view.metric.label), "side": "right", "font": {"size": 11.5}},
        "thickness": 8,
        "len": 0.6,
        "outlinewidth": 0,
        "nticks": 5,
        "x": 1.005,
        "tickfont": {"size": 11},
    }
    figure.update_layout(coloraxis={"colorscale": scale, "cmin": low, "cmax": high, "colorbar": bar})


def value_range(view: CloudView) -> tuple[float, float]:
    """Return the 2nd and 98th percentiles of the values as ends of the colour scale, which outliers would stretch."""
    rows = [group.rows for group in view.groups]
    shown = (
        view.value[np.concatenate(rows)]
        if rows and view.value is not None and np.concatenate(rows).size
        else np.zeros(0)
    )
    shown = shown[np.isfinite(shown)]
    if not len(shown):
        return 0.0, 1.0
    low, high = (float(end) for end in np.quantile(shown, (0.02, 0.98)))
    return (low, high) if high > low else (low - 0.5, low + 0.5)


def region(
    figure: go.Figure, dense: Density | None, colour: str, mode: Mode, hollow: bool = False, dashed: bool = False
) -> None:
    """Draw the regions above both levels of a density, if known; `hollow` ones, such as people's, are only outlines."""
    if dense is None:
        return
    half, most = dense.levels
    fills = (0.0, 0.0) if hollow else _FILL[mode]
    # Bands below, between and above the two heights take the three colours in turn.
    scale = [[i / 2, alpha(colour, fill)] for i, fill in enumerate((0.0, fills[1], fills[0]))]
    line = {"color": alpha(colour, 0.6), "width": 1.1, "dash": "dot" if hollow else "dash" if dashed else "solid"}
    figure.add_trace(
        go.Contour(
            x=dense.grid.x,
            y=dense.grid.y,
            z=dense.height.astype(np.float32),
            hoverinfo="skip",
            showscale=False,
            showlegend=False,
            line=line,
            colorscale=scale,
            contours={"start": most, "end": half, "size": max(half - most, 1e-6), "coloring": "fill"},
        )
    )


def marks(figure: go.Figure, view: CloudView, looks: Mapping[str, Look], mode: Mode, picked: int | None) -> None:
    """Draw stars on central captions, rings around search results, and a larger ring around the selected caption."""
    stars = view.stars if view.stars is not None else np.empty(0, dtype=np.int64)
    for group in (view.people, *view.groups):
        rows = np.intersect1d(stars, group.rows)
        colour = tone("ink", mode) if group is view.people or view.value is not None else looks[group.name].colour
        of = view.people is group
        if len(rows):
            bare(
                figure,
                view,
                rows,
                {
                    "symbol": "star",
                    "size": 15,
                    "color": tone("paper", mode) if of else colour,
                    "line": {"width": 1.4, "color": colour if of else tone("paper", mode)},
                },
            )
    ink = tone("ink", mode)
    if view.found is not None and len(view.found):
        bare(
            figure,
            view,
            view.found,
            {"symbol": "circle-open", "size": 12, "color": ink, "line": {"width": 1.6, "color": ink}},
        )
    if picked is not None:
        bare(
            figure,
            view,
            np.array([picked]),
            {"symbol": "circle-open", "size": 19, "color": ink, "line": {"width": 2.4, "color": ink}},
        )


def bare(figure: go.Figure, view: CloudView, rows: Integers, marker: dict[str, Any]) -> None:
    """Draw marks without hover text at the points in (n,) `rows`."""
    xy = view.layout.xy[rows]
    figure.add_scatter(
        x=xy[:, 0],
        y=xy[:, 1],
        mode="markers",
        marker=marker,
        hoverinfo="skip",
        showlegend=False,
        unselected={"marker": {"opacity": 1}},
    )


BOX: dict[str, Any] = {
    "showline": True,
    "mirror": True,
    "linecolor": grey(0.3),
    "linewidth": 1,
    "showgrid": False,
    "ticks": "",
    "showticklabels": False,
}
"""Settings of an axis that is only a frame: the coordinates of a plane have no meaning."""
WHOLE: dict[str, Any] = {"constrain": "domain"}
"""Layout that keeps scales equal by shrinking the frame; plotly would otherwise widen the ranges at every new width."""


def axes(figure: go.Figure, view: CloudView) -> None:
    """Draw a frame without ticks, since coordinates have no meaning; label components with their shares of variance."""
    low, high = ends(view.layout.xy)
    # Keep the reader's zoom until another plane is drawn; see `ui/widgets/pointer.js`.
    plane = f"{low} {high}"
    names = ["", ""]
    if np.isfinite(view.layout.variance).all():
        first, second = (percent(float(share)) for share in view.layout.variance)
        names = [f"first component, {first} of variance", f"second component, {second}"]
    figure.update_xaxes(
        **BOX,
        **WHOLE,
        range=[low[0], high[0]],
        constraintoward="left",
        title_text=names[0],
        title_standoff=6,
        uirevision=plane,
    )
    figure.update_yaxes(
        **BOX,
        **WHOLE,
        range=[low[1], high[1]],
        constraintoward="top",
        scaleanchor="x",
        scaleratio=1,
        title_text=names[1],
        title_standoff=4,
        uirevision=plane,
    )
    if names[1]:
        figure.update_layout(margin_l=26, margin_b=26)


def outlines(figure: go.Figure, view: CloudView, around: Sequence[Area], mode: Mode) -> None:
    """Draw the outlines of the selected areas."""
    plane, line = Plane.over(view.layout.xy), {"width": 1.4, "dash": "dot", "color": tone("ink", mode)}
    for area in around:
        path = " L ".join(f"{x:.6g},{y:.6g}" for x, y in plane.places(area.outline).tolist())
        figure.add_shape(type="path", path=f"M {path} Z", line=line)
