"""Small multiples over temperature and over decoders: a panel per metric, with a line or a row of dots per model."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from figures.export.paper import KeyEntry, add_key
from figures.style.drawing import Drawing
from figures.style.lines import Line, Mark, decoder_name, model_names
from figures.style.numbers import decimals, defined, interval, num
from figures.style.palette import BAND, Mode, ModelStyle, alpha, dodge, frame, grey, note, tone
from figures.style.palette import plain as inert
from figures.sweeps.axes import temperature_axis
from metrics.analysis.human import Human
from metrics.analysis.sweeps import Curve, Point, Setting, SweepView
from metrics.base import Metric

HEIGHT, STRIP = 250, 9
LABELLED = 6
"""Most lines that are named at their ends; if there are more, a key above the panels names them."""
CUT = 17
_TOP, _BOTTOM, _LEFT, _RIGHT, _LABEL_GAP = 10, 40, 54, 106, 14
_RING: dict[str, Any] = {"size": 14, "symbol": "circle-open"}


def digits_of(view: SweepView) -> int:
    """Return the decimals for a metric's values."""
    return decimals(point.value for point in view.points)


def temperature_panel(
    view: SweepView,
    marks: Mapping[Line, Mark],
    mode: Mode,
    log: bool = False,
    selected: str | None = None,
    width: float | None = None,
) -> go.Figure:
    """Return one metric over temperature: lines with bands, rings at optima, their intervals below, the human line.

    `selected` is the run looked into; the `customdata` of a point is the name of its first run. `width` is that of the
    paper in px, None on screen, where lines without a name at their end have a key.
    """
    figure, digits = Drawing(), digits_of(view)
    lines = [(curve, marks[curve.sweep.model, curve.sweep.decoder]) for curve in view.curves]
    low, high = _range(view.human, [point for curve, _ in lines for point in curve.points])
    if defined(view.human.value):
        _people(figure, view.human)
    for curve, mark in lines:
        _band(figure, curve, mark, mode)
    for curve, mark in lines:
        _line(figure, view.metric, curve, mark, mode, digits)
    _mark_selected(figure, [point for curve, _ in lines for point in curve.points], selected, mode)
    height, share = _strip(figure, view, lines, mode)
    floor = share + 0.04 if share else 0.0
    room = (height - _TOP - _BOTTOM) * (1 - floor)
    right = _end_labels(figure, view, lines, mode, _LABEL_GAP * (high - low) / room)
    frame(figure, mode, height, margin={"l": _LEFT, "r": right, "t": _TOP, "b": _BOTTOM})
    temperature_axis(figure, [t for curve, _ in lines for t in _temperatures(curve)], log)
    figure.update_layout(yaxis={"range": [low, high], "domain": [floor, 1]})
    return figure if width is None else add_key(figure, _key(lines, mode), width)


def _key(lines: Sequence[tuple[Curve, Mark]], mode: Mode) -> list[KeyEntry]:
    """A key of the lines without a name at their end: those with one temperature, and all if there are many."""
    named = _named(lines)
    return [
        KeyEntry(
            mark.name,
            mark.style.mark(mode),
            f"{mark.symbol}{'-open' if len(curve.points) == 1 else ''}",
            mark.dash if len(curve.points) > 1 else "",
        )
        for curve, mark in lines
        if (curve, mark) not in named
    ]


def _named(lines: Sequence[tuple[Curve, Mark]]) -> list[tuple[Curve, Mark]]:
    found = [(curve, mark) for curve, mark in lines if len(curve.points) > 1 and defined(_last(curve))]
    return found if len(found) <= LABELLED else []


def decoder_panel(
    metric: Metric,
    groups: Sequence[Sequence[Point]],
    human: Human,
    styles: Mapping[str, ModelStyle],
    mode: Mode,
    digits: int = 3,
    selected: str | None = None,
    width: float | None = None,
) -> go.Figure:
    """Return one metric by decoder, with the points of each in `groups`: a dot with its interval per setting.

    A model has one colour, and its temperatures are side by side, in ascending order, joined by a line. `width` is that
    of the paper in px, None on screen, where models have a key.
    """
    figure = Drawing()
    everything = [point for group in groups for point in group]
    low, high = _range(human, everything)
    if defined(human.value):
        _people(figure, human)
        name = human_name(metric).replace(" ", "<br>")
        figure.add_annotation(_edge_note(human.value, name, tone("muted", mode)))
    middles, places, span = _slots(groups)
    for group in groups:
        for model in dict.fromkeys(point.setting.model for point in group):
            points = [point for point in group if point.setting.model == model]
            _dots(figure, metric, [places[p.setting] for p in points], points, styles[model], mode, digits)
    _mark_selected(figure, everything, selected, mode, places)
    right = 72 if defined(human.value) else 12
    frame(figure, mode, HEIGHT, margin={"l": _LEFT, "r": right, "t": _TOP, "b": _BOTTOM})
    names = [inert(decoder_name(group[0].setting.decoder)).replace(" ", "<br>") for group in groups]
    figure.update_xaxes(range=[0, span], tickvals=middles, ticktext=names, tickangle=0, tickfont={"size": 11})
    figure.update_yaxes(range=[low, high])
    called = model_names((point.setting.model, point.setting.decoder) for point in everything)
    entries = [KeyEntry(name, styles[model].mark(mode), styles[model].symbol) for model, name in called.items()]
    return figure if width is None or len(called) < 2 else add_key(figure, entries, width)


def _slots(groups: Sequence[Sequence[Point]]) -> tuple[list[float], dict[Setting, float], float]:
    """The middle of every group, the position of every setting, and the total width: crowded groups are wider."""
    middles, places, start = [], {}, 0.0
    for group in groups:
        width = min(max(1.0, 0.25 * len(group)), 2.5)
        middles.append(start + width / 2)
        step = min(0.25, 0.8 * width / len(group))
        for k, point in enumerate(group):
            places[point.setting] = middles[-1] + step * (k - (len(group) - 1) / 2)
        start += width
    return middles, places, max(start, 1.0)


def _dots(
    figure: go.Figure,
    metric: Metric,
    x: Sequence[float],
    points: Sequence[Point],
    style: ModelStyle,
    mode: Mode,
    digits: int,
) -> None:
    colour = style.mark(mode)
    figure.add_scatter(
        x=x,
        y=[point.value for point in points],
        mode="lines+markers",
        name=inert(points[0].setting.model),
        line={"color": alpha(colour, 0.45), "width": 1.5},
        error_y=_whiskers(points, colour),
        **_clickable(points, {"size": 8, "symbol": style.symbol, "color": colour}),
        hovertext=[_hover(metric, point, point.setting.model, digits) for point in points],
    )


def _line(figure: go.Figure, metric: Metric, curve: Curve, mark: Mark, mode: Mode, digits: int) -> None:
    colour = mark.style.mark(mode)
    alone = len(curve.points) == 1
    singles = [(t, v) for t, point in zip(_temperatures(curve), curve.points) for v in _several(point)]
    if singles:
        figure.add_scatter(
            x=[t for t, _ in singles],
            y=[v for _, v in singles],
            mode="markers",
            hoverinfo="skip",
            name=f"{inert(mark.name)}, single runs",
            marker={"size": 4, "color": alpha(colour, 0.45)},
        )
    marker = {
        "size": 8 if alone else 6,
        "symbol": f"{mark.symbol}{'-open' if alone else ''}",
        "color": colour,
        "line": {"width": 2 if alone else 0, "color": colour},
    }
    figure.add_scatter(
        x=_temperatures(curve),
        y=[point.value for point in curve.points],
        mode="lines+markers",
        name=inert(mark.name),
        line={"color": colour, "width": 2.25, "dash": mark.dash},
        **_clickable(curve.points, marker),
        error_y=_whiskers(curve.points, colour) if alone else None,
        cliponaxis=False,
        hovertext=[_hover(metric, point, mark.name, digits) for point in curve.points],
    )
    if curve.optimum is not None:
        _optimum(figure, curve.points[curve.optimum.at], mark, colour)


def _optimum(figure: go.Figure, best: Point, mark: Mark, colour: str) -> None:
    """A ring round the best point of a line."""
    figure.add_scatter(
        x=[best.setting.temperature],
        y=[best.value],
        mode="markers",
        name=f"{inert(mark.name)}, optimum",
        marker={**_RING, "color": colour, "line": {"width": 1.75, "color": colour}},
        cliponaxis=False,
        hoverinfo="skip",
    )


def _several(point: Point) -> tuple[float, ...]:
    return point.singles if len(point.singles) > 1 else ()


def _clickable(points: Sequence[Point], marker: dict[str, Any]) -> dict[str, Any]:
    """Set what a click selects: a point, by the name of its first run; no other point is dimmed."""
    same = {"marker": {"opacity": 1}}
    return {
        "customdata": [[point.setting.runs[0]] for point in points],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "marker": marker,
        "selected": same,
        "unselected": same,
    }


def _hover(metric: Metric, point: Point, name: str, digits: int) -> str:
    setting = point.setting
    at = f", T {setting.temperature:g}" if setting.temperature is not None else ""
    said = [f"<b>{inert(name)}</b>{at}", f"{inert(metric.label)} {num(point.value, digits)}"]
    if defined(point.low):
        said[1] += f" ({interval(point.low, point.high, digits)})"
    runs = "" if len(setting.runs) == 1 else f", mean of {len(setting.runs)} runs, sd {num(point.sd, digits + 1)}"
    return "<br>".join([*said, f"n = {point.n:,}{runs}"])


def _whiskers(points: Sequence[Point], colour: str) -> dict[str, Any]:
    up = [point.high - point.value if defined(point.high) else 0.0 for point in points]
    down = [point.value - point.low if defined(point.low) else 0.0 for point in points]
    return {
        "type": "data",
        "symmetric": False,
        "array": up,
        "arrayminus": down,
        "color": alpha(colour, 0.55),
        "thickness": 1.5,
        "width": 0,
    }


def _band(figure: go.Figure, curve: Curve, mark: Mark, mode: Mode) -> None:
    known = [(t, p) for t, p in zip(_temperatures(curve), curve.points) if defined(p.low) and defined(p.high)]
    if len(known) < 2:
        return
    figure.add_scatter(
        x=[t for t, _ in known] + [t for t, _ in reversed(known)],
        y=[p.high for _, p in known] + [p.low for _, p in reversed(known)],
        mode="lines",
        fill="toself",
        fillcolor=alpha(mark.style.mark(mode), BAND[mode]),
        line={"width": 0},
        hoverinfo="skip",
        name=f"{inert(mark.name)}, band",
    )


def _strip(figure: go.Figure, view: SweepView, lines: Sequence[tuple[Curve, Mark]], mode: Mode) -> tuple[int, float]:
    """Add a row for each optimum below the lines: the optimum, and the temperatures that may be the line's best.

    Return the height of the panel and the share of it that the rows take.
    """
    found = [(curve, mark) for curve, mark in lines if curve.optimum is not None and curve.optimum.low is not None]
    if not found:
        return HEIGHT, 0.0
    for row, (curve, mark) in enumerate(found):
        _interval_row(figure, curve, mark, len(found) - row, mode)
    rows = STRIP * len(found) + 6
    height = HEIGHT + max(0, rows - 3 * STRIP - 6) + 12
    share = rows / (height - _TOP - _BOTTOM)
    figure.update_layout(
        yaxis2={
            "domain": [0, share],
            "range": [0.3, len(found) + 0.7],
            "showgrid": False,
            "tickvals": [(len(found) + 1) / 2],
            "ticktext": [_optimum_name(view)],
            "ticks": "",
        }
    )
    return height, share


def _interval_row(figure: go.Figure, curve: Curve, mark: Mark, y: int, mode: Mode) -> None:
    best, colour, temperatures = curve.optimum, mark.style.mark(mode), _temperatures(curve)
    assert best is not None
    ends = [temperatures[best.low or 0], temperatures[best.high or 0]]
    figure.add_scatter(
        x=ends,
        y=[y, y],
        mode="lines",
        line={"color": alpha(colour, 0.6), "width": 3},
        yaxis="y2",
        hoverinfo="skip",
        name=f"{inert(mark.name)}, what may be best",
        cliponaxis=False,
    )
    figure.add_scatter(
        x=[temperatures[best.at]],
        y=[y],
        mode="markers",
        yaxis="y2",
        name=f"{inert(mark.name)}, best temperature",
        marker={"size": 6, "symbol": mark.symbol, "color": colour},
        cliponaxis=False,
        hovertemplate=f"{inert(mark.name)}: T {temperatures[best.at]:g}; T {ends[0]:g} to {ends[1]:g} may be best"
        "<extra></extra>",
    )


def _optimum_name(view: SweepView) -> str:
    if view.goal == "nearest":
        return "nearest"
    return "best" if view.metric.has_better_side else "most"


def _end_labels(figure: go.Figure, view: SweepView, lines: Sequence[tuple[Curve, Mark]], mode: Mode, gap: float) -> int:
    """Add names at the ends of the lines, moved apart; return the space in px that they need."""
    ends = [(_last(curve), inert(mark.cut(CUT)), mark.style.text(mode), 600) for curve, mark in _named(lines)]
    if defined(view.human.value):
        ends.append((view.human.value, human_name(view.metric), tone("muted", mode), 400))
    for (_, name, colour, weight), y in zip(ends, dodge([end[0] for end in ends], gap)):
        figure.add_annotation(_edge_note(y, name, colour, weight))
    return max(18 + max((math.ceil(6.9 * len(name)) for _, name, *_ in ends), default=0), _RIGHT)


def _edge_note(y: float, text: str, colour: str, weight: int = 400) -> dict[str, Any]:
    return note(1.0, y, text, xref="paper", xshift=9, font={"size": 12, "color": colour, "weight": weight})


def human_name(metric: Metric) -> str:
    """Return the name of the dashed line."""
    return "No difference" if metric.tested and metric.family == "distribution" else "People"


def _last(curve: Curve) -> float:
    return next((point.value for point in reversed(curve.points) if defined(point.value)), math.nan)


def _mark_selected(
    figure: go.Figure,
    points: Sequence[Point],
    selected: str | None,
    mode: Mode,
    places: Mapping[Setting, float] | None = None,
) -> None:
    found = next((p for p in points if selected in p.setting.runs and defined(p.value)), None)
    if found is not None:
        x = places[found.setting] if places is not None else found.setting.temperature
        figure.add_scatter(
            x=[x],
            y=[found.value],
            mode="markers",
            hoverinfo="skip",
            name="looked into",
            cliponaxis=False,
            marker={"size": 20, "symbol": "square-open", "color": tone("ink", mode), "line": {"width": 1.5}},
        )


def _people(figure: go.Figure, human: Human) -> None:
    if defined(human.low) and defined(human.high):
        figure.add_hrect(y0=human.low, y1=human.high, fillcolor=grey(0.16), line_width=0, layer="below")
    figure.add_hline(y=human.value, line={"color": grey(0.9), "width": 1.4, "dash": "4px,3px"})


def _range(human: Human, points: Sequence[Point]) -> tuple[float, float]:
    ends = [end for p in points for end in (p.value, p.low, p.high, *_several(p)) if defined(end)]
    ends += [end for end in (human.value, human.low, human.high) if defined(end)]
    if not ends:
        return 0.0, 1.0
    span = (max(ends) - min(ends)) or max(abs(ends[0]), 1e-6)
    return min(ends) - 0.07 * span, max(ends) + 0.10 * span


def _temperatures(curve: Curve) -> list[float]:
    return [float(stop.temperature or 0.0) for stop in curve.sweep.settings]
