"""A chart with a row for each run, by how near it comes to people's captions, for runs that are all equally varied."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from data.study import Study
from figures.cloud import spread_and_nearness_words as words
from figures.style.drawing import Drawing
from figures.style.escaping import short
from figures.style.numbers import num, percent
from figures.style.palette import Mode, frame, grey, note, plain, styles_of, tone
from figures.style.run_names import short_names
from figures.style.text_width import text_width
from metrics.analysis.cloud.spread_and_nearness import Standings

_ROW, _TOP, _BOTTOM, _RIGHT = 30, 30, 46, 54
_MANY, _LOW = 12, 20
"""The number of runs from which rows are lower, and the height of these rows in px."""
_FIRST, _LAST = 11, 4
"""The numbers of nearest and of farthest runs that have a row each if there are at least three other runs."""
_CUT, _LEFT = 26, 196


def nearness_figure(study: Study, found: Standings, mode: Mode) -> go.Figure:
    """Return a chart of the runs that have a value, the nearest first; the `customdata` of a mark is its run's name.

    If there are many runs, one row counts those in the middle; the table of the runs lists all.
    """
    level, names, styles = words.common_level(found), short_names(study.runs), styles_of(study)
    unit = 1.0 if level is None else 100 * level
    value = {k: float(found.reach[k] / found.level[k] * unit) for k in words.drawn(found)}
    order, figure = sorted(value, key=lambda k: -value[k]), Drawing()
    between = len(order) - _FIRST - _LAST
    if some := between > 2:
        order = [*order[:_FIRST], *order[-_LAST:]]
    called = {k: short(names[study.runs[k].name], _CUT, names.values()) for k in order}
    muted = {"size": 12, "color": tone("muted", mode)}
    rows = [row + (some and row >= _FIRST) for row in range(len(order))]
    for row, k in zip(rows, order):
        style, said = styles[study.runs[k].model], percent(value[k] / 100) if level is not None else num(value[k], 2)
        figure.add_shape(
            type="line", xref="paper", x0=0, x1=1, y0=-row, y1=-row, line={"color": grey(0.15), "width": 1}
        )
        name = {"xref": "paper", "xanchor": "right", "xshift": -10, "font": {"size": 12.5, "color": style.text(mode)}}
        figure.add_annotation(note(0, -row, plain(called[k]), **name))
        figure.add_annotation(note(1, -row, said, xref="paper", xanchor="right", xshift=_RIGHT - 6, font=muted))
        hover = "<br>".join(plain(line, 60) for line in words.hover(study.runs[k], found, k, names[study.runs[k].name]))
        figure.add_scatter(
            x=[value[k]],
            y=[-row],
            mode="markers",
            customdata=[[study.runs[k].name]],
            cliponaxis=False,
            marker={"size": 11, "symbol": style.symbol, "color": style.mark(mode)},
            hovertemplate=f"{hover}<extra></extra>",
        )
    if some:
        more = note(0, -_FIRST, f"⋮ {between} more", xref="paper", xanchor="right", xshift=-10, font=muted)
        figure.add_annotation(more)
    line = {"color": grey(0.9), "width": 1.2, "dash": "5px,4px"}
    figure.add_shape(type="line", yref="paper", y0=0, y1=1, x0=unit, x1=unit, line=line, layer="below")
    people = "people" if level is None else f"people: {percent(level)}"
    figure.add_annotation(note(unit, 1, people, yref="paper", xanchor="center", yshift=12, font=muted))
    left = min(_LEFT, 20 + max(text_width(called[k], 12.5) for k in order))
    height = _TOP + (_ROW if len(order) < _MANY else _LOW) * (rows[-1] + 1) + _BOTTOM
    frame(figure, mode, height, margin={"l": left, "r": _RIGHT, "t": _TOP, "b": _BOTTOM})
    ends = np.array([unit, *value.values()])
    pad = 0.08 * max(float(np.ptp(ends)), 0.2 * unit)
    title = "people's captions whose nearest is the run's" + ("" if level is not None else ", people = 1")
    how = {"ticksuffix": " %"} if level is not None else {"ticksuffix": " ×"}
    figure.update_xaxes(range=[ends.min() - pad, ends.max() + pad], nticks=6, title_text=f"{title} →", **how)
    figure.update_yaxes(range=[-0.4 - rows[-1], 0.6], visible=False, fixedrange=True)
    return figure
