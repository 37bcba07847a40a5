"""A chart of all runs by how varied their captions are (spread), and how near they come to people's (nearness)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import plotly.graph_objects as go

from data.study import Run, Study
from figures.cloud import spread_and_nearness_words as words
from figures.cloud.nearness import nearness_figure
from figures.style.drawing import Drawing
from figures.style.escaping import short
from figures.style.label_placement import Boxes, Label, Place, place
from figures.style.line_styles import labels_of_runs, line_of, marks_of
from figures.style.numbers import percent, temperature
from figures.style.palette import Mode, frame, grey, mixed, note, plain, styles_of, tone
from metrics.analysis.cloud.spread_and_nearness import BAND, Standings
from metrics.analysis.replicates.grouping import replicates
from metrics.mathematics.arrays import Floats

HEIGHT = 453
_MARGIN = {"l": 58, "r": 14, "t": 24, "b": 46}
_WIDTHS = (280, 490, 610)
_CUT = 26
_Wanted = tuple[tuple[float, float], Label, str]
Line = Sequence[Sequence[int]]
"""The points of a line; each is a setting, as the positions of its runs in the study."""
_NAMED, _LINES = 12, 6
"""Maximum numbers of runs that are on no line, and of lines, at which all of these are named and coloured by model.

If there are more, only some are: runs on the maps, the first, second and last by nearness, and the extremes of spread.
"""


@dataclass(frozen=True)
class _Plot:
    """The runs that can be drawn, and the ends of the axes.

    `unit` is the y of people: their level in % if it is the same for all runs, else 1.
    """

    study: Study
    found: Standings
    at: tuple[int, ...]
    unit: float
    mode: Mode
    across: tuple[float, float]
    along: tuple[float, float]
    ringed: Sequence[int]
    settings: Sequence[words.Setting]
    lines: Sequence[Line]

    @property
    def x(self) -> Floats:
        return self.found.spread

    @property
    def y(self) -> Floats:
        return self.found.reach / self.found.level * self.unit

    def run(self, k: int) -> Run:
        return self.study.runs[k]

    @cached_property
    def joined(self) -> set[int]:
        """The positions of runs that are on lines."""
        return {k for line in self.lines for seeds in line for k in seeds}

    @cached_property
    def alone(self) -> list[words.Setting]:
        """The settings that are on no line."""
        return [of for of in self.settings if of.runs[0] not in self.joined]

    @cached_property
    def with_line(self) -> set[str]:
        """The models with a line of temperatures."""
        return {self.run(line[0][0]).model for line in self.lines}

    def point(self, seeds: Sequence[int]) -> tuple[float, float]:
        return float(self.x[list(seeds)].mean()), float(self.y[list(seeds)].mean())

    @cached_property
    def told(self) -> set[int]:
        """The positions of runs that always have a name: those on the maps, and those of extreme nearness or spread."""
        every = [of.runs for of in self.settings]
        x, y = np.array([self.point(of) for of in every]).reshape(-1, 2).T
        near = np.argsort(-y, kind="stable").tolist()
        ends = {*near[:2], *near[-1:], *np.argsort(x, kind="stable")[[0, -1]].tolist()} if every else set()
        return {k for end in ends for k in every[end]} | {k for of in every if {*of} & {*self.ringed} for k in of}

    def lit(self, line: Line) -> bool:
        return len(self.lines) <= _LINES or any(k in self.told for seeds in line for k in seeds)

    @cached_property
    def coloured(self) -> set[int]:
        named = {k for of in self.alone if len(self.alone) <= _NAMED or of.runs[0] in self.told for k in of.runs}
        return named | {k for line in self.lines if self.lit(line) for seeds in line for k in seeds}

    def share(self, x: float, y: float) -> tuple[float, float]:
        """The position of a point in the plot, in 0..1 on both axes."""
        (left, right), (bottom, top) = self.across, self.along
        return (x - left) / (right - left), (y - bottom) / (top - bottom)


def paths(study: Study, at: Iterable[int]) -> list[Line]:
    """Return a line for each model and decoder with several temperatures; its settings are ordered by temperature."""
    place = {study.runs[k].name: k for k in at}
    lines: dict[Any, list[tuple[int, ...]]] = {}
    for of in replicates(study.runs):
        seeds = tuple(place[name] for name in of.runs if name in place)
        if seeds and study.runs[seeds[0]].settings.temperature is not None:
            lines.setdefault(line_of(study.runs[seeds[0]]), []).append(seeds)
    found = [sorted(own, key=lambda of: study.runs[of[0]].settings.temperature or 0.0) for own in lines.values()]
    return [own for own in found if len(own) > 1]


def reading(study: Study, found: Standings) -> str:
    """Return one line on how to read the chart."""
    lines = paths(study, words.drawn(found))
    joined = {k for line in lines for seeds in line for k in seeds}
    models = {study.runs[k].model for k in joined}
    hollow = any(study.runs[k].model in models for k in words.drawn(found) if k not in joined)
    return words.reading(study, found, bool(lines), hollow)


def standing_figure(
    study: Study, found: Standings, mode: Mode, ringed: Sequence[int] = (), width: float | None = None
) -> go.Figure:
    """Return a chart of all runs that have a spread and a nearness; the `customdata` of a mark is its run's name.

    The runs in `ringed` are those on the maps. `width` is the width of the paper in px, None on screen. If all runs are
    as varied as people, the chart has a row for each.
    """
    if words.equally_varied(found):
        return nearness_figure(study, found, mode)
    at = words.drawn(found)
    level = words.common_level(found)
    unit = 1.0 if level is None else 100 * level
    x, y = (values[list(at)] for values in (found.spread, found.reach / found.level * unit))
    ends = _ends(x, 1 + 1.5 * BAND, 1.06, 1 - 1.5 * BAND), _ends(y / unit, 1.0, 1.1, 0.7)
    along, settings = (ends[1][0] * unit, ends[1][1] * unit), words.settings_at(study, at)
    plot = _Plot(study, found, at, unit, mode, ends[0], along, ringed, settings, paths(study, at))
    figure = Drawing()
    height = HEIGHT if width is None else round(min(HEIGHT, max(300.0, 0.7 * width)))
    _people(figure, plot)
    for path in sorted(plot.lines, key=plot.lit):
        _line(figure, plot, path)
    _marks(figure, plot)
    _ring(figure, plot)
    widths = _WIDTHS if width is None else (int(width) - _MARGIN["l"] - _MARGIN["r"],)
    boxes = Boxes(height - _MARGIN["t"] - _MARGIN["b"], widths)
    for made in _labels(plot, boxes):
        figure.add_annotation(made)
    frame(figure, mode, height, margin=_MARGIN)
    _axes(figure, plot, level)
    return figure


def _ends(values: Floats, least: float, room: float, close: float) -> tuple[float, float]:
    """The ends of an axis on which people are at 1.

    The axis starts near the first of `close`, 0.7 and 0.5 that is at least 9 % below all values, else near 0.
    """
    start = next((start for start in (close, 0.7, 0.5) if values.min() > 1.1 * start), 0.0)
    end = start + room * (max(least, float(values.max())) - start)
    return start - 0.03 * (end - start), end


def _axes(figure: go.Figure, plot: _Plot, level: float | None) -> None:
    figure.update_xaxes(
        range=list(plot.across),
        nticks=6,
        ticksuffix=" ×",
        title_text=f"{words.spread_of(plot.study, plot.found)}, people = 1 →",
    )
    how: dict[str, Any] = {"ticksuffix": " %"} if level is not None else {"ticksuffix": " ×"}
    nearest = "people's captions whose nearest is the run's"
    figure.update_yaxes(
        range=list(plot.along),
        nticks=6,
        showgrid=True,
        title_text=f"{nearest} →" if level is not None else f"{nearest}, people = 1 →",
        **how,
    )


def _people(figure: go.Figure, plot: _Plot) -> None:
    """Draw the band around people's spread, people's level on both axes, and a mark where the levels meet."""
    line = {"color": grey(0.9), "width": 1.2, "dash": "5px,4px"}
    band = {"type": "rect", "yref": "paper", "y0": 0, "y1": 1, "x0": 1 - BAND, "x1": 1 + BAND, "layer": "below"}
    figure.add_shape({**band, "fillcolor": grey(0.1), "line": {"width": 0}})
    figure.add_shape(
        {"type": "line", "yref": "paper", "y0": 0, "y1": 1, "x0": 1, "x1": 1, "line": line, "layer": "below"}
    )
    across = {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": plot.unit, "y1": plot.unit}
    figure.add_shape({**across, "line": line, "layer": "below"})
    ink = tone("ink", plot.mode)
    figure.add_scatter(
        x=[1.0],
        y=[plot.unit],
        mode="markers",
        name="people",
        hoverinfo="skip",
        marker={"symbol": "star", "size": 13, "color": ink, "line": {"width": 1, "color": tone("paper", plot.mode)}},
    )


def _line(figure: go.Figure, plot: _Plot, path: Line) -> None:
    model, lit = plot.run(path[0][0]).model, plot.lit(path)
    style = styles_of(plot.study)[model]
    x, y = zip(*map(plot.point, path))
    colour = style.mark(plot.mode) if lit else _pale(plot)
    figure.add_scatter(
        x=x,
        y=y,
        mode="lines",
        hoverinfo="skip",
        name=f"line of {plain(model)}",
        line={"color": colour, "width": 2 if lit else 1.25},
    )


def _pale(plot: _Plot) -> str:
    return mixed(tone("muted", plot.mode), tone("paper", plot.mode), 0.4)


def _marks(figure: go.Figure, plot: _Plot) -> None:
    """Draw one trace per model, with a mark for each setting.

    A mark is hollow if its model has a line that leaves the setting out.
    """
    styles, same = styles_of(plot.study), {"marker": {"opacity": 1}}
    for model in dict.fromkeys(plot.run(k).model for k in plot.at):
        settings = [of for of in plot.settings if plot.run(of.runs[0]).model == model]
        own, style = styles[model].mark(plot.mode), styles[model]
        colour = [own if of.runs[0] in plot.coloured else _pale(plot) for of in settings]
        hollow = [model in plot.with_line and of.runs[0] not in plot.joined for of in settings]
        face = [tone("paper", plot.mode) if empty else full for empty, full in zip(hollow, colour)]
        x, y = zip(*(plot.point(of.runs) for of in settings))
        figure.add_scatter(
            x=x,
            y=y,
            mode="markers",
            cliponaxis=False,
            name=plain(model),
            customdata=[[plot.run(of.runs[0]).name] for of in settings],
            marker={
                "opacity": 1,
                "size": 9.5,
                "symbol": style.symbol,
                "color": face,
                "line": {"width": 1.5, "color": colour},
            },
            hovertext=[_hover(plot, of) for of in settings],
            hovertemplate="%{hovertext}<extra></extra>",
            selected=same,
            unselected=same,
        )


def _hover(plot: _Plot, of: words.Setting) -> str:
    first, *rest = (plain(line, 60) for line in words.hover(plot.found, of))
    return "<br>".join([f"<b>{first}</b>", *rest])


def _ring(figure: go.Figure, plot: _Plot) -> None:
    at = [plot.point(of.runs) for of in plot.settings if {*of.runs} & {*plot.ringed}]
    ink = tone("ink", plot.mode)
    figure.add_scatter(
        x=[x for x, _ in at],
        y=[y for _, y in at],
        mode="markers",
        hoverinfo="skip",
        name="on the maps",
        cliponaxis=False,
        marker={"symbol": "circle-open", "size": 16, "color": ink, "line": {"width": 1.3, "color": ink}},
    )


def _labels(plot: _Plot, boxes: Boxes) -> Iterable[dict[str, Any]]:
    ink, muted = tone("ink", plot.mode), tone("muted", plot.mode)
    band = f"within {percent(BAND)} of people's {'spread' if plot.found.within else 'share'}"
    top = note(1.0, 1.0, band, yref="paper", yshift=10, font={"size": 11.5, "color": ink, "weight": 600})
    yield {**top, "xanchor": "center", "yanchor": "middle"}
    level = "people" if words.common_level(plot.found) is None else f"people: {percent(plot.unit / 100)}"
    people = plot.share(1.0, plot.unit)
    side = ("left", plot.across[0], 0.1) if people[0] > 0.68 else ("right", plot.across[1], 0.9)
    yield note(side[1], plot.unit, level, xanchor=side[0], yshift=9, font={"size": 11.5, "color": muted})
    shares = np.array([plot.share(*plot.point(of.runs)) for of in plot.settings]).reshape(-1, 2)
    boxes.add(shares[:, 0], shares[:, 1], 12, 12)
    boxes.add(np.array([people[0]]), np.array([people[1]]), 22, 22)
    boxes.add_marks(np.append(shares[:, 0], people[0]), np.append(shares[:, 1], people[1]))
    boxes.add_line((people[0], people[0]), (0, 1), 2)
    boxes.add_line((0, 1), (people[1], people[1]), 2)
    boxes.add(np.array([side[2]]), np.array([people[1] + 0.025]), 80, 12)
    boxes.add_line((people[0], people[0]), (0, 1), 3)
    boxes.add_line((0, 1), (people[1], people[1]), 3)
    for path in plot.lines:
        boxes.add_line(*zip(*(plot.share(*plot.point(seeds)) for seeds in path)))  # type: ignore[arg-type]
    names, temperatures = _wanted(plot)
    places = place([label for _, label, _ in names], boxes)
    places += place([label for _, label, _ in temperatures], boxes, lines=False)
    for (at, label, colour), where in zip([*names, *temperatures], places):
        if where is not None:
            yield _annotation(at, label, colour, where)


def _wanted(plot: _Plot) -> tuple[list[_Wanted], list[_Wanted]]:
    """Return names and temperatures in the order of placement, each with its point and colour.

    Temperatures at the ends of lines come before the others. If there are many runs, a name without room appears only
    on hover and in the table, unless its run is on the maps.
    """
    names, styles = _names(plot), styles_of(plot.study)
    people = (1.0, plot.unit)
    made = [(people, Label(*plot.share(*people), "People", must=True, size=13, bold=True), tone("ink", plot.mode))]
    ends: list[_Wanted] = []
    inner: list[_Wanted] = []
    few = len(plot.lines) <= _LINES and len(plot.alone) <= _NAMED
    for line in filter(plot.lit, plot.lines):
        run, at = plot.run(line[0][0]), plot.point(line[-1])
        colour = styles[run.model].text(plot.mode)
        must = few or any(k in plot.ringed for seeds in line for k in seeds)
        made.append((at, Label(*plot.share(*at), names[run.name], must=must, size=13, bold=True), colour))
        for seeds in line:
            at, heat = plot.point(seeds), temperature(plot.run(seeds[0]).settings.temperature)
            some = ends if seeds in (line[0], line[-1]) else inner
            some.append((at, Label(*plot.share(*at), heat), colour))
    # Colours say whose setting a name such as "sampling" is only if every model has one.
    lines = {plot.run(line[0][0]).model for line in plot.lines} if few else set()
    labels = {run.name: label for run, label in zip(plot.study.runs, labels_of_runs(plot.study.runs, lines))}
    for of in (of for of in plot.alone if of.runs[0] in plot.coloured):
        at, run = plot.point(of.runs), plot.run(of.runs[0])
        name = short(of.name if len(of.runs) > 1 else labels[run.name], _CUT)
        must = few or not {*of.runs}.isdisjoint(plot.ringed)
        made.append((at, Label(*plot.share(*at), name, must=must), styles[run.model].text(plot.mode)))
    return made, [*ends, *inner]


def _names(plot: _Plot) -> dict[str, str]:
    """Return the name of each line, by its first run: its model or decoder."""
    marks = marks_of(plot.study.runs)
    first = [plot.run(line[0][0]) for line in plot.lines]
    return {run.name: marks[line_of(run)].cut(_CUT) for run in first}


def _annotation(at: tuple[float, float], label: Label, colour: str, where: Place) -> dict[str, Any]:
    font = {"size": label.size, "color": colour, "weight": 600 if label.bold else 400}
    if not where.apart(label):
        return note(*at, plain(label.text), xshift=where.dx, yshift=where.dy, xanchor="center", font=font)
    arrow: dict[str, Any] = {
        "showarrow": True,
        "arrowhead": 0,
        "arrowwidth": 0.75,
        "arrowcolor": grey(0.8),
        "standoff": 6,
    }
    return note(*at, plain(label.text), ax=where.dx, ay=-where.dy, xanchor="center", font=font, **arrow)
