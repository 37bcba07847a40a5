"""The runs of a frontier ordered by single numbers: their ranks, and how often the order agrees with dominance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from figures.export.paper import KeyEntry, add_key
from figures.frontier.drawing import pale
from figures.style.drawing import Drawing
from figures.style.line_styles import Mark, line_of, model_names
from figures.style.numbers import defined, interval, num, percent, percent_ticks, temperature
from figures.style.palette import Mode, frame, grey, note, plain, tone
from figures.style.run_names import short_names
from metrics.analysis.frontier import Frontier, Single

_ROW, _AROUND = 66, 66
_MARGIN = {"l": 14, "r": 14, "t": 24, "b": 42}
_LABEL = 0.37
"""Height of the words above a row's marks, as a share of the distance between rows."""
_NARROWEST = 300.0
"""Width in px of the strip on a phone: words below marks are shown only if they fit at this width."""
NAMED, _NAME = 6, 11
"""The maximum number of runs at which all are named, and of characters on a line of a name."""


def agreement_figure(view: Frontier, mode: Mode) -> go.Figure:
    """Return a chart of how often each number orders two runs as dominance does, if one dominates the other; with
    intervals.
    """
    figure, rows, ink = Drawing(), _rows(view), tone("ink", mode)
    figure.add_vline(x=0.5, line={"color": grey(0.8), "width": 1.25, "dash": "3px,3px"})
    figure.add_annotation(
        note(0.5, 1, "tossing a coin", yref="paper", yanchor="bottom", xanchor="center", font={"size": 11})
    )
    for y, single in zip(rows, view.singles):
        if defined(single.low):
            line = {"color": ink, "width": 2}
            figure.add_shape(type="line", x0=single.low, x1=single.high, y0=y, y1=y, line=line, opacity=0.55)
        figure.add_annotation(_row_words(single, y, mode))
    known = [(y, single) for y, single in zip(rows, view.singles) if defined(single.share)]
    figure.add_scatter(
        x=[single.share for _, single in known],
        y=[y for y, _ in known],
        mode="markers",
        cliponaxis=False,
        marker={"size": 10, "color": ink},
        name="agreement",
        hoverinfo="text",
        hovertext=[_said(single) for _, single in known],
    )
    _frame(figure, view, mode)
    figure.update_xaxes(
        range=[0, 1.02],
        **percent_ticks(0, 1),
        showgrid=True,
        title_text="Pairs in the same order as by both metrics",
    )
    return figure


def _row_words(single: Single, y: float, mode: Mode) -> dict[str, Any]:
    if not defined(single.share):
        why = "no pair to put in order" if single.best is not None else "no run has a value"
        return note(1, y + _LABEL, why, xref="paper", xanchor="right")
    words = f"<b>{percent(single.share)}</b>  {single.agreed:g} of {single.pairs}"
    return note(1, y + _LABEL, words, xref="paper", xanchor="right", font={"color": tone("ink", mode), "size": 12})


def order_figure(
    view: Frontier, marks: Mapping[str, Mark], mode: Mode, chosen: int | None = None, width: float | None = None
) -> go.Figure:
    """Return a chart of all runs by each number, best on the left; marks are filled on the front, hollow if dominated.

    `marks` are those of the study's runs, `chosen` is ringed; `width` is the width of the paper in px, None on screen.
    """
    figure = Drawing()
    for y, single in zip(_rows(view), view.singles):
        places = order_of(single)
        _strip(figure, view, marks, mode, y, places)
        if chosen in places:
            at = places.index(chosen) + 1
            line = {"width": 1.5, "color": tone("ink", mode)}
            figure.add_scatter(
                x=[at],
                y=[y],
                mode="markers",
                hoverinfo="skip",
                name="chosen",
                marker={"symbol": "circle-open", "size": 19, "line": line, "color": tone("ink", mode)},
            )
        _temperatures(figure, view, marks, mode, y, places)
    _frame(figure, view, mode)
    count = len(view.runs)
    figure.update_xaxes(range=[0.3, count + 0.7], nticks=min(count + 1, 8), title_text="Place, 1: best", dtick=None)
    models = {run.model: marks[run.name].style for run in view.runs}
    names = model_names(map(line_of, view.runs))
    entries = [KeyEntry(names[model], style.mark(mode), style.symbol) for model, style in models.items()]
    return figure if width is None else add_key(figure, entries, width)


def order_of(single: Single) -> list[int]:
    """Return the positions of the runs from best to worst, leaving out runs without a value."""
    known = np.flatnonzero(np.isfinite(single.rank))
    return [int(k) for k in known[np.argsort(single.rank[known], kind="stable")]]


def _strip(
    figure: go.Figure, view: Frontier, marks: Mapping[str, Mark], mode: Mode, y: float, places: Sequence[int]
) -> None:
    own = [marks[view.runs[k].name] for k in places]
    on = [bool(view.front[k]) for k in places]
    lines = [s.style.mark(mode) if front else pale(s.style.mark(mode), mode) for s, front in zip(own, on)]
    figure.add_scatter(
        x=np.arange(1, len(places) + 1),
        y=[y] * len(places),
        mode="markers",
        name="runs",
        customdata=list(places),
        marker={
            "size": 9.5 if len(places) <= 30 else 7,
            "symbol": [s.symbol for s in own],
            "color": [line if front else tone("paper", mode) for line, front in zip(lines, on)],
            "line": {"width": 1.75, "color": lines},
        },
        hovertext=[_run_said(view, k, y) for k in places],
        hovertemplate="%{hovertext}<extra></extra>",
        selected={"marker": {"opacity": 1}},
        unselected={"marker": {"opacity": 1}},
    )


def _temperatures(
    figure: go.Figure, view: Frontier, marks: Mapping[str, Mark], mode: Mode, y: float, places: Sequence[int]
) -> None:
    named = len(view.runs) <= NAMED
    called = short_names(view.runs)
    words = [_in_two_lines(called[view.runs[k].name]) if named else _temperature(view, k) for k in places]
    longest = max((len(word) for word in words), default=0)
    if not longest or (not named and _NARROWEST / len(places) < 4.8 * longest):
        return
    figure.add_scatter(
        x=np.arange(1, len(places) + 1),
        y=[y - (0.14 if named else 0.28)] * len(places),
        mode="text",
        text=words,
        textposition="bottom center" if named else "middle center",
        hoverinfo="skip",
        textfont={"size": 10.5 if named else 9.5, "color": [marks[view.runs[k].name].style.text(mode) for k in places]},
        name="temperatures",
    )


def _in_two_lines(name: str) -> str:
    """A name of up to _NAME characters per line, cut after the second, since a third would overlap the next row's
    words.
    """
    first, *rest = plain(name, _NAME).split("<br>")
    return "<br>".join([first, *rest[:1]]) + ("…" if rest[1:] else "")


def _temperature(view: Frontier, k: int) -> str:
    on_path = any(k in path for path in view.paths if len(path) > 1)
    heat = view.runs[k].settings.temperature
    return temperature(heat) if on_path and heat is not None else ""


def _run_said(view: Frontier, k: int, y: float) -> str:
    single = view.singles[len(view.singles) - 1 - round(y)]
    where = "on the front" if view.front[k] else "matched or beaten on both"
    label = plain(single.metric.label)
    name = plain(view.runs[k].name, 60)
    return f"<b>{name}</b>, {where}<br>{label} {num(single.value[k])}, rank {single.rank[k]:g}"


def _said(single: Single) -> str:
    ends = f"<br>95 % {interval(single.low, single.high)}" if defined(single.low) else ""
    return f"<b>{plain(single.metric.label)}</b>: {single.agreed:g} of {single.pairs} pairs, {num(single.share)}{ends}"


def _rows(view: Frontier) -> list[int]:
    return list(range(len(view.singles) - 1, -1, -1))


def _frame(figure: go.Figure, view: Frontier, mode: Mode) -> None:
    """Draw the axes. Names are above their rows, so that a narrow chart has its whole width for the marks."""
    for y, single in zip(_rows(view), view.singles):
        figure.add_annotation(
            note(0, y + _LABEL, plain(single.metric.label), xref="paper", font={"color": tone("ink", mode), "size": 12})
        )
    count = len(view.singles)
    frame(figure, mode, _AROUND + _ROW * count, margin=_MARGIN)
    figure.update_yaxes(visible=False, range=[-0.6, count - 0.4])
