"""A chart with a row for each setting, by how near it comes to people's captions, if all runs are equally varied."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from data.study import Study
from figures.cloud import spread_and_nearness_words as words
from figures.style.drawing import Drawing
from figures.style.escaping import short
from figures.style.numbers import num, percent
from figures.style.palette import Mode, ModelStyle, frame, grey, note, plain, styles_of, tone
from figures.style.run_names import short_names
from figures.style.text_width import text_width
from metrics.analysis.cloud.spread_and_nearness import Standings

_ROW, _TOP, _BOTTOM, _RIGHT = 30, 30, 46, 54
_MANY, _LOW = 12, 20
"""The number of runs from which rows are lower, and the height of these rows in px."""
_FIRST, _LAST = 11, 4
"""The numbers of nearest and of farthest runs that have a row each if there are at least three other runs."""
_CUT, _LEFT = 32, 214


def nearness_figure(study: Study, found: Standings, mode: Mode) -> go.Figure:
    """Return a chart with a row for each setting, the nearest first; the `customdata` of a mark is its run's name.

    A mark is at the mean of its setting's seeds, which have smaller ones, and filled if each differs from people.
    If there are many settings, one row counts those in the middle; the table of the runs lists all runs.
    """
    level, names, styles = words.common_level(found), short_names(study.runs), styles_of(study)
    unit = 1.0 if level is None else 100 * level
    value, figure = found.reach / found.level * unit, Drawing()
    settings = [(float(value[list(of.runs)].mean()), of) for of in words.settings_at(study, words.drawn(found))]
    order = sorted(settings, key=lambda one: -one[0])
    between = len(order) - _FIRST - _LAST
    if some := between > 2:
        order = [*order[:_FIRST], *order[-_LAST:]]
    called = [short(of.name, _CUT, [other.name for _, other in settings]) for _, of in order]
    muted = {"size": 12, "color": tone("muted", mode)}
    rows = [row + (some and row >= _FIRST) for row in range(len(order))]
    for row, name, (near, of) in zip(rows, called, order):
        style = styles[study.runs[of.runs[0]].model]
        said = percent(near / 100) if level is not None else num(near, 2)
        figure.add_shape(
            type="line", xref="paper", x0=0, x1=1, y0=-row, y1=-row, line={"color": grey(0.15), "width": 1}
        )
        beside = {"xref": "paper", "xanchor": "right", "xshift": -10, "font": {"size": 12.5, "color": style.text(mode)}}
        figure.add_annotation(note(0, -row, plain(name), **beside))
        figure.add_annotation(note(1, -row, said, xref="paper", xanchor="right", xshift=_RIGHT - 6, font=muted))
        if len(of.runs) > 1:
            each = [words.Setting(names[study.runs[k].name], (k,)) for k in of.runs]
            _marks(figure, study, found, each, value[list(of.runs)].tolist(), -row, style, mode, 6)
        _marks(figure, study, found, [of], [near], -row, style, mode, 11)
    if some:
        more = note(0, -_FIRST, f"⋮ {between} more", xref="paper", xanchor="right", xshift=-10, font=muted)
        figure.add_annotation(more)
    line = {"color": grey(0.9), "width": 1.2, "dash": "5px,4px"}
    figure.add_shape(type="line", yref="paper", y0=0, y1=1, x0=unit, x1=unit, line=line, layer="below")
    people = "people" if level is None else f"people: {percent(level)}"
    figure.add_annotation(note(unit, 1, people, yref="paper", xanchor="center", yshift=12, font=muted))
    left = min(_LEFT, 20 + max(text_width(name, 12.5) for name in called))
    height = _TOP + (_ROW if len(order) < _MANY else _LOW) * (rows[-1] + 1) + _BOTTOM
    frame(figure, mode, height, margin={"l": left, "r": _RIGHT, "t": _TOP, "b": _BOTTOM})
    ends = np.array([unit, *value[list(words.drawn(found))]])
    pad = 0.08 * max(float(np.ptp(ends)), 0.2 * unit)
    title = "people's captions whose nearest is the run's" + ("" if level is not None else ", people = 1")
    how = {"ticksuffix": " %"} if level is not None else {"ticksuffix": " ×"}
    figure.update_xaxes(
        range=[ends.min() - pad, ends.max() + pad], nticks=4, tickangle=0, title_text=f"{title} →", **how
    )
    figure.update_yaxes(range=[-0.4 - rows[-1], 0.6], visible=False, fixedrange=True)
    return figure


def _marks(
    figure: go.Figure,
    study: Study,
    found: Standings,
    settings: Sequence[words.Setting],
    x: Sequence[float],
    y: float,
    style: ModelStyle,
    mode: Mode,
    size: float,
) -> None:
    hue, paper = style.mark(mode), tone("paper", mode)
    figure.add_scatter(
        x=x,
        y=[y] * len(x),
        mode="markers",
        customdata=[[study.runs[of.runs[0]].name] for of in settings],
        cliponaxis=False,
        marker={
            "size": size,
            "symbol": style.symbol,
            "color": [hue if all(words.differs(found, k) for k in of.runs) else paper for of in settings],
            "line": {"width": 1.5, "color": hue},
            "opacity": 1,
        },
        hovertext=["<br>".join(plain(line, 60) for line in words.hover(found, of)) for of in settings],
        hovertemplate="%{hovertext}<extra></extra>",
    )
