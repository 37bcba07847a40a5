"""A row for each coherence label: the mean score of a run with its interval, and the scores of the other runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from figures.style.drawing import Drawing
from figures.style.escaping import short
from figures.style.numbers import num, percent
from figures.style.palette import Mode, ModelStyle, alpha, frame, grey, note, plain, tone
from metrics.analysis.coherence.label_scores import LabelScore

ROW, NARROW_ROW = 46, 58
NARROW = 560
_LEFT, _WIDE, _TOP, _BOTTOM, _RIGHT = 128, 190, 34, 46, 176
_LETTERS = 17
"""Maximum number of letters of a label in the narrower of two margins."""


def chart(
    mine: Sequence[LabelScore],
    others: Sequence[LabelScore],
    axis: str,
    styles: Mapping[str, ModelStyle],
    mode: Mode,
    narrow: bool = False,
) -> go.Figure:
    """Return a chart of the rows `mine` in the given order, each in the style of its run; `others` are grey dots."""
    figure, height = Drawing(), NARROW_ROW if narrow else ROW
    left = _LEFT if all(len(one.label) <= _LETTERS for one in mine) else _WIDE
    margin = {"l": 8 if narrow else left, "r": 12 if narrow else _RIGHT, "t": 0 if narrow else _TOP, "b": _BOTTOM}
    frame(figure, mode, margin["t"] + height * len(mine) + _BOTTOM, margin=margin)
    for k, one in enumerate(mine):
        beside = [other.value for other in others if other.label == one.label and np.isfinite(other.value)]
        _row(figure, one, beside, -k, styles[one.run], mode, narrow)
    ends = [[one.low, one.value, one.high] for one in mine] + [[one.value] for one in others]
    known = [value for of in ends for value in of if np.isfinite(value)] or [0.0, 1.0]
    pad = 0.05 * (max(known) - min(known)) or 0.1
    figure.update_xaxes(range=[min(known) - pad, max(known) + pad])
    figure.update_xaxes(zeroline=False, title_text=plain(short(axis, 40 if narrow else 80)), nticks=6 if narrow else 9)
    figure.update_yaxes(range=[0.6 - len(mine), 0.6], visible=False, fixedrange=True)
    figure.update_layout(showlegend=False)
    if not narrow:
        font = {"size": 11.5, "color": tone("muted", mode)}
        for at, words in ((62, "share"), (118, "people"), (_RIGHT - 4, "captions")):
            place = {"xref": "paper", "yref": "paper", "xanchor": "right", "yanchor": "bottom", "xshift": at}
            figure.add_annotation(note(1, 1, words, yshift=1, font=font, **place))
    return figure


def _row(
    figure: go.Figure, one: LabelScore, others: Sequence[float], y: float, style: ModelStyle, mode: Mode, narrow: bool
) -> None:
    at, ink = y - 0.16 if narrow else y, style.mark(mode)
    figure.add_shape(type="line", xref="paper", x0=0, x1=1, y0=at, y1=at, line={"color": grey(0.15), "width": 1})
    dots = {"size": 7, "color": alpha(tone("muted", mode), 0.45)}
    figure.add_scatter(x=list(others), y=[at] * len(others), mode="markers", hoverinfo="skip", marker=dots)
    if np.isfinite(one.low):
        line = {"color": alpha(ink, 0.4), "width": 6}
        figure.add_scatter(x=[one.low, one.high], y=[at, at], mode="lines", hoverinfo="skip", line=line)
    _words(figure, one, y, mode, narrow)
    if not np.isfinite(one.value):
        return
    paper, known = tone("paper", mode), bool(np.isfinite(one.low))
    edge = {"width": 1, "color": paper} if known else {"width": 1.5, "color": alpha(ink, 0.55)}
    marker = {"size": 12, "color": ink if known else paper, "symbol": style.symbol, "line": edge}
    ends = f"95 % {num(one.low, 2)} to {num(one.high, 2)}" if known else "no interval"
    hover = f"{plain(one.label)}<br>{num(one.value, 2)}, {ends}<extra></extra>"
    figure.add_scatter(
        x=[one.value],
        y=[at],
        mode="markers",
        customdata=[one.label],
        marker=marker,
        hovertemplate=hover,
        cliponaxis=False,
    )


def _words(figure: go.Figure, one: LabelScore, y: float, mode: Mode, narrow: bool) -> None:
    font = {"size": 13, "color": tone("ink", mode)}
    left = -int(figure.layout.margin.l)
    text = note(0, y, plain(short(one.label, 24 if narrow or left == -_WIDE else _LETTERS)), xref="paper", font=font)
    figure.add_annotation(text | ({"yshift": 14} if narrow else {"xshift": 4 + left}))
    font = {"size": 12, "color": tone("muted", mode)}
    said = (percent(one.share), percent(one.people), f"{one.captions:,}")
    if narrow:
        words = f"{said[0]}, people {said[1]}"
        figure.add_annotation(note(1, y, words, xref="paper", xanchor="right", yshift=14, font=font))
        return
    for at, words in zip((62, 118, _RIGHT - 4), said):
        figure.add_annotation(note(1, y, words, xref="paper", xanchor="right", xshift=at, font=font))
