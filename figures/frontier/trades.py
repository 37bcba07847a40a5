"""A chart of the models of a frontier by one number: a dot and an interval in the colour of each model."""

from __future__ import annotations

from collections.abc import Mapping

import plotly.graph_objects as go

from figures.frontier.trades_words import How, names, value, without
from figures.style.drawing import Drawing
from figures.style.escaping import short
from figures.style.line_styles import Mark
from figures.style.numbers import defined, interval, percent_ticks
from figures.style.palette import Mode, alpha, frame, note, plain, tone
from figures.style.text_width import text_width
from metrics.analysis.frontier import Frontier

_ROW, _AROUND = 34, 44
_RIGHT, _GAP, _NAME = 64, 14, 150
"""Widths in px: of the values on the right of the plot, of the gap beside names, and of the longest name."""


def trade_figure(view: Frontier, marks: Mapping[str, Mark], how: How, mode: Mode) -> go.Figure:
    """Return a chart with a row for each model, in the order of the trade-offs; `how` is "kept" or "area".

    A model without a value has no mark; its row states why.
    """
    figure, models, named = Drawing(), view.trades.models, names(view)
    written = {one.model: _within(named[one.model], list(named.values())) for one in models}
    left = round(max(map(text_width, written.values()), default=0.0)) + 2 * _GAP
    for row, one in enumerate(models):
        mark, of = marks[view.runs[one.runs[0]].name], getattr(one, how)
        colour, y = mark.style.mark(mode), len(models) - 1 - row
        name = {"size": 12, "color": mark.style.text(mode), "weight": 600}
        figure.add_annotation(note(0, y, plain(written[one.model]), xref="paper", xshift=_GAP - left, font=name))
        if not defined(of.value):
            figure.add_annotation(note(1, y, without(one), xref="paper", xanchor="right", xshift=_RIGHT - _GAP))
            continue
        if defined(of.low):
            line = {"color": alpha(colour, 0.55), "width": 3}
            figure.add_shape(type="line", x0=of.low, x1=of.high, y0=y, y1=y, line=line)
        ends = f" (95 %: {interval(of.low, of.high)})" if defined(of.low) else ""
        figure.add_scatter(
            x=[of.value],
            y=[y],
            mode="markers",
            name=plain(one.model),
            cliponaxis=False,
            marker={"size": 10, "symbol": mark.symbol, "color": colour},
            hovertemplate="%{hovertext}<extra></extra>",
            hovertext=[f"<b>{plain(named[one.model], 60)}</b> {value(of, how)}{ends}"],
        )
        words = note(1, y, value(of, how), xref="paper", xanchor="right", xshift=_RIGHT - _GAP)
        figure.add_annotation(words | {"font": {"size": 12, "color": tone("ink", mode)}})
    _axes(figure, view, how, mode, left)
    return figure


def _within(name: str, among: list[str]) -> str:
    """The name of a model, cut to the room beside the plot."""
    cuts = (short(name, most, among) for most in range(len(name), 1, -1))
    return next((cut for cut in cuts if text_width(cut) <= _NAME), short(name, 2))


def _axes(figure: Drawing, view: Frontier, how: How, mode: Mode, left: int) -> None:
    found = [getattr(one, how) for one in view.trades.models]
    known = [end for of in found for end in of if defined(end)]
    low, high = min(known), max(known)
    pad = 0.06 * (high - low) or 0.05 * abs(high) or 1.0
    frame(figure, mode, _AROUND + _ROW * len(found), margin={"l": left, "r": _RIGHT, "t": 6, "b": 34})
    figure.update_xaxes(
        range=[low - pad, high + pad],
        showgrid=True,
        **(percent_ticks(low - pad, high + pad) if how == "area" else {"nticks": 5}),
    )
    figure.update_yaxes(range=[-0.6, len(found) - 0.4], visible=False)
