"""Parts shared by the panels of temperatures and of decoders: the range of values, the human line, clickable points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from figures.export.paper import KeyEntry
from figures.style.numbers import decimals, defined, interval, num, temperature
from figures.style.palette import Mode, alpha, grey, tone
from figures.style.palette import plain as inert
from metrics.analysis import run_differences
from metrics.analysis.human_line import Human
from metrics.analysis.sweeps import Curve, Point, SweepView
from metrics.base import Estimate, Metric

FEW = 6
"""Maximum number of lines that have bands, and names at their ends."""
_DASHES = {"People": "5px,4px", "No difference": "1.5px,3px"}
_CHOSEN: dict[str, Any] = {"size": 18, "symbol": "square-open", "line": {"width": 1.5}}


def digits_of(view: SweepView) -> int:
    """Return the number of decimals for a metric's values."""
    return decimals(point.value for point in view.points)


def human_name(metric: Metric) -> str:
    """Return the name of the human line: "People", which is dashed, or "No difference", which is dotted."""
    return "No difference" if metric.tested and metric.family == "distribution" else "People"


def with_bands(curves: Sequence[Curve]) -> bool:
    """Return whether lines have bands for their intervals; bands of more than FEW lines could not be distinguished."""
    return sum(len(curve.points) > 1 for curve in curves) <= FEW


def several(point: Point) -> tuple[float, ...]:
    """Return the values of a point's runs; () if it has only one run."""
    return point.singles if len(point.singles) > 1 else ()


def with_value_of(best: Point, points: Sequence[Point]) -> list[Point]:
    """Return the points with the same value as `best`, which is one of them."""
    values = np.array([point.value for point in points])
    return [points[k] for k in run_differences.equal_to(values, points.index(best))]


def stretches(positions: Sequence[int]) -> list[list[int]]:
    """Return ascending positions split into runs of consecutive ones: [0, 1, 3] gives [[0, 1], [3]]."""
    parts: list[list[int]] = []
    for k in positions:
        if parts and parts[-1][-1] == k - 1:
            parts[-1].append(k)
        else:
            parts.append([k])
    return parts


def may_be_drawn(curve: Curve) -> bool:
    """Return whether a line is thick where it may be best: somewhere, but not everywhere, which says nothing."""
    known = sum(defined(point.value) for point in curve.points)
    return curve.optimum is not None and 1 < len(curve.optimum.may_be) < known


def value_range(human: Human, points: Sequence[Point], chance: Estimate | None = None) -> tuple[float, float]:
    """Return the ends of the value axis, which spans all known values with a margin; 0 and 1 if there are none."""
    ends = [end for p in points for end in (p.value, p.low, p.high, *several(p)) if defined(end)]
    ends += [end for end in (human.value, human.low, human.high, *(chance or ())) if defined(end)]
    if not ends:
        return 0.0, 1.0
    span = (max(ends) - min(ends)) or max(abs(ends[0]), 1e-6)
    return min(ends) - 0.07 * span, max(ends) + 0.07 * span


def add_people(figure: go.Figure, human: Human, metric: Metric, upright: bool = False) -> None:
    """Add the human line with its interval: dashed for people, dotted for no difference.

    The line is `upright` if values are on x.
    """
    line = {"color": grey(0.95), "width": 1.5, "dash": _DASHES[human_name(metric)]}
    _add_level(figure, human, line, grey(0.16), upright)


def people_key(human: Human, metric: Metric, mode: Mode) -> list[KeyEntry]:
    """Return the key of the human line, for paper; [] without such a line."""
    name = human_name(metric)
    return [KeyEntry(name, tone("ink", mode), "", _DASHES[name])] if defined(human.value) else []


def add_chance(figure: go.Figure, chance: Estimate | None, upright: bool = False) -> None:
    """Add the level of chance by other items' references, if known: a dotted line over its shaded interval."""
    if chance is not None:
        _add_level(figure, chance, {"color": grey(0.6), "width": 1, "dash": "1px,2px"}, grey(0.1), upright)


def _add_level(figure: go.Figure, level: Human | Estimate, line: dict[str, Any], shade: str, upright: bool) -> None:
    band: dict[str, Any] = {"fillcolor": shade, "line_width": 0, "layer": "below"}
    known = defined(level.low) and defined(level.high)
    if upright:
        if known:
            figure.add_vrect(x0=level.low, x1=level.high, **band)
        figure.add_vline(x=level.value, line=line)
        return
    if known:
        figure.add_hrect(y0=level.low, y1=level.high, **band)
    figure.add_hline(y=level.value, line=line)


def mark_chosen(
    figure: go.Figure,
    places: Sequence[tuple[float | None, float]],
    points: Sequence[Point],
    run: str | None,
    mode: Mode,
) -> None:
    """Add a square around the point with this run, if it has a value; `places` are the positions of the points."""
    found = next((k for k, p in enumerate(points) if run in p.setting.runs and defined(p.value)), None)
    if found is not None:
        x, y = places[found]
        figure.add_scatter(
            x=[x],
            y=[y],
            mode="markers",
            hoverinfo="skip",
            name="looked into",
            cliponaxis=False,
            marker={**_CHOSEN, "color": tone("ink", mode)},
        )


def clickable(points: Sequence[Point], marker: dict[str, Any]) -> dict[str, Any]:
    """Return the properties of clickable points: a click selects one by its first run's name and dims no other."""
    same = {"marker": {"opacity": 1}}
    return {
        "customdata": [[point.setting.runs[0]] for point in points],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "marker": marker,
        "selected": same,
        "unselected": same,
    }


def hover(metric: Metric, point: Point, name: str, digits: int) -> str:
    """Return the hover text of a point."""
    setting = point.setting
    at = f", T {temperature(setting.temperature)}" if setting.temperature is not None else ""
    said = [f"<b>{inert(name)}</b>{at}", f"{inert(metric.label)} {num(point.value, digits)}"]
    if defined(point.low):
        said[1] += f" ({interval(point.low, point.high, digits)})"
    runs = "" if len(setting.runs) == 1 else f", mean of {len(setting.runs)} runs, sd {num(point.sd, digits + 1)}"
    return "<br>".join([*said, f"n = {point.n:,}{runs}"])


def whiskers(points: Sequence[Point], colour: str) -> dict[str, Any]:
    """Return the 95 % intervals of points as error bars."""
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
