"""One metric by decoder: a row for each, with a mark for every setting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from figures.export.paper import KeyEntry, add_key
from figures.style.drawing import Drawing
from figures.style.line_styles import model_names
from figures.style.numbers import defined
from figures.style.palette import Mode, ModelStyle, alpha, frame, note
from figures.style.palette import plain as inert
from figures.style.run_names import decoder_name
from figures.style.text_width import fitting, text_width
from figures.sweeps.panel_parts import (
    add_chance,
    add_people,
    clickable,
    hover,
    mark_chosen,
    people_key,
    value_range,
    whiskers,
)
from metrics.analysis.human_line import Human
from metrics.analysis.sweeps import Point, Setting
from metrics.base import Estimate, Metric

ROOM, PITCH = 66, 30
"""Maximum width in px of a name on the left, and least height of a row; a longer name puts all above their rows."""
_TOP, _BOTTOM, _RIGHT, _GAP = 6, 24, 12, 8
_SIZE, _DENSE = 11.5, 0.42
Groups = Sequence[Sequence[Point]]


def decoder_panel(
    metric: Metric,
    groups: Groups,
    human: Human,
    styles: Mapping[str, ModelStyle],
    mode: Mode,
    digits: int = 3,
    selected: str | None = None,
    width: float | None = None,
    chance: Estimate | None = None,
) -> go.Figure:
    """Return a panel of one metric by decoder: for each setting in `groups`, which are by decoder, a mark with its
    interval.

    A model has one colour; its settings in a row are stacked in order and joined by a line. `width` is the width of the
    paper in px, None on screen, where the key of the models is not part of the figure.
    """
    figure = Drawing()
    rows = named_rows(groups)
    names, of = [name for name, _ in rows], [points for _, points in rows]
    everything = [point for group in of for point in group]
    low, high = value_range(human, everything, chance)
    add_chance(figure, chance, upright=True)
    if defined(human.value):
        add_people(figure, human, metric, upright=True)
    middles, places, span = _slots(of)
    for group in of:
        for model in dict.fromkeys(point.setting.model for point in group):
            points = [point for point in group if point.setting.model == model]
            _marks(figure, metric, [places[p.setting] for p in points], points, styles[model], mode, digits)
    mark_chosen(figure, [(p.value, places[p.setting]) for p in everything], everything, selected, mode)
    _layout(figure, mode, names, of, (middles, span), (low, high))
    entries = [KeyEntry(name, styles[model].mark(mode), styles[model].symbol) for model, name in in_key(groups).items()]
    return figure if width is None else add_key(figure, [*entries, *people_key(human, metric, mode)], width)


def _layout(
    figure: go.Figure,
    mode: Mode,
    names: Sequence[str],
    groups: Groups,
    rows: tuple[Sequence[float], float],
    ends: tuple[float, float],
) -> None:
    middles, span = rows
    beside = all(text_width(name, _SIZE) <= ROOM for name in names)
    pitch = PITCH if beside else PITCH + 8
    top = _TOP if beside else _TOP + 10  # for the name above the first row
    margin = {"l": (ROOM if beside else 0) + _GAP, "r": _RIGHT, "t": top, "b": _BOTTOM}
    frame(figure, mode, max(round(pitch * span), 3 * PITCH) + top + _BOTTOM, margin=margin)
    figure.update_xaxes(range=list(ends), showgrid=True)
    shown = [inert(name) for name in names] if beside else [""] * len(names)
    figure.update_yaxes(range=[span, 0], tickvals=middles, ticktext=shown, showgrid=False, tickfont={"size": _SIZE})
    if not beside:
        _names_above(figure, middles, groups, names)


def in_key(groups: Groups) -> dict[str, str]:
    """Return the names of the models that a key has to explain; {} for one model, or if rows are named after models."""
    found = model_names((p.setting.model, p.setting.decoder) for group in groups for p in group)
    return {} if len(found) < 2 or _a_row_each(groups) else found


def named_rows(groups: Groups) -> list[tuple[str, list[Point]]]:
    """Return the rows with their names: one per decoder or, if `_a_row_each`, one per model."""
    if not _a_row_each(groups):
        return [(decoder_name(group[0].setting.decoder, _runs(group)), list(group)) for group in groups]
    points = [point for group in groups for point in group]
    names = model_names((p.setting.model, p.setting.decoder) for p in points)
    return [(names[point.setting.model], [point]) for point in points]


def _runs(group: Sequence[Point]) -> list[str]:
    return [name for point in group for name in point.setting.runs]


def _a_row_each(groups: Groups) -> bool:
    """Whether every model has one setting, and decoders do not distinguish the models."""
    models = [point.setting.model for group in groups for point in group]
    return len(set(models)) == len(models) > len(groups)


def _slots(groups: Groups) -> tuple[list[float], dict[Setting, float], float]:
    middles, places, start = [], {}, 0.0
    for group in groups:
        height = max(1.0, _DENSE * len(group))
        middles.append(start + height / 2)
        step = min(_DENSE, 0.8 * height / len(group))
        for k, point in enumerate(group):
            places[point.setting] = middles[-1] + step * (k - (len(group) - 1) / 2)
        start += height
    return middles, places, max(start, 1.0)


def _names_above(figure: go.Figure, middles: Sequence[float], groups: Groups, names: Sequence[str]) -> None:
    for middle, group, name in zip(middles, groups, names):
        top = middle - max(0.34, _DENSE * (len(group) - 1) / 2 + 0.3)
        said = inert(fitting(name, 260))
        figure.add_annotation(note(0, top, said, xref="paper", font={"size": _SIZE}))


def _marks(
    figure: go.Figure,
    metric: Metric,
    y: Sequence[float],
    points: Sequence[Point],
    style: ModelStyle,
    mode: Mode,
    digits: int,
) -> None:
    colour = style.mark(mode)
    figure.add_scatter(
        x=[point.value for point in points],
        y=y,
        mode="lines+markers",
        name=inert(points[0].setting.model),
        line={"color": alpha(colour, 0.45), "width": 1.5},
        error_x=whiskers(points, colour),
        **clickable(points, {"size": 8, "symbol": style.symbol, "color": colour}),
        cliponaxis=False,
        hovertext=[hover(metric, point, point.setting.model, digits) for point in points],
    )
