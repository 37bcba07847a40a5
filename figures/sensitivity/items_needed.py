"""How many items it takes to distinguish two runs, by the number of references, with intervals."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import plotly.graph_objects as go

from figures.judgments.ranking import ACCENT
from figures.sensitivity.too_few_items import DIFFERENCES, won
from figures.sensitivity.words import needed_text, open_ended, sizes_shown
from figures.style.drawing import Drawing
from figures.style.numbers import defined
from figures.style.palette import Mode, frame, grey, note, tone
from figures.style.text_width import text_width
from metrics.analysis.sensitivity.power import Need, Power, items_for

ROW = 42
"""Height of a row in px."""
_LEFT, _TOP, _BOTTOM = 96, 30, 48
_RIGHT = {False: 190, True: 10}
"""Room in px to the right of the rows for the numbers, which a narrow figure puts above their bars."""
_NEAR_END = 0.7
"""Share of the axis beyond which words centred at a point would reach past the end of the axis."""
_NARROW = 250
"""Approximate width of the axis in px on a phone."""
_OPEN = 3.0
"""An open-ended interval is drawn up to this multiple of the study's number of items, or of the greatest lower end."""


def images_needed(found: Power, candidates: int, mode: Mode, narrow: bool = False, noun: str = "image") -> go.Figure:
    """Return a chart with a row for each number of references shown: the items needed, on a log scale.

    The last row is in the accent colour. A mark is filled if the study has that many items. If the study's difference
    is not significant, there is no mark, only the interval for a real difference of this size.
    """
    sizes = sizes_shown(found)
    rows = {f"{size} by people": found.needed(size, candidates) for size in sizes}
    return _needed(rows, found.design.has, list(rows)[-1], mode, narrow, noun)


def images_by_difference(found: Power, mode: Mode, narrow: bool = False, noun: str = "image") -> go.Figure:
    """Return a chart with a row for each size of a difference, as the share of items won: how many items detect it.

    This needs no scores, so it is shown for a study with too few items to estimate its own difference.
    """
    rows = {f"wins {won(size)}": Need(*[items_for(size)] * 3) for size in DIFFERENCES}
    return _needed(rows, found.units, "", mode, narrow, noun)


def _needed(rows: Mapping[str, Need], has: int, accented: str, mode: Mode, narrow: bool, noun: str) -> go.Figure:
    low, high = _ends(list(rows.values()), has)
    figure = Drawing()
    at = float(np.log(has / low) / np.log(high / low))
    words = (re.sub("<.*?>", "", needed_text(need, noun)) for need in rows.values())
    crossed = narrow and 1 - max(text_width(said, 11) + 8 for said in words) / _NARROW < at <= _NEAR_END
    _study(figure, has, low, at, noun, mode, len(rows) if crossed else 0)
    for row, (label, need) in enumerate(rows.items()):
        colour = ACCENT[mode] if label == accented else tone("ink", mode)
        _row(figure, has, need, row, high, colour, mode)
        for made in _texts(label, need, row, noun, colour, narrow, label == accented, min(at, 1.0)):
            figure.add_annotation(made)
    margin = {"l": _LEFT, "r": _RIGHT[narrow], "t": _TOP, "b": _BOTTOM}
    frame(figure, mode, ROW * len(rows) + _TOP + _BOTTOM, margin=margin)
    figure.update_xaxes(
        type="log",
        range=[np.log10(low), np.log10(high)],
        showgrid=True,
        tickvals=_ticks(low, high),
        ticktext=[f"{n:,}" for n in _ticks(low, high)],
        ticks="",
        title_text=f"{noun}s needed{'' if narrow else ' to detect a difference four times in five'} (log scale)",
    )
    figure.update_yaxes(range=[len(rows) - 0.5, -0.5], showgrid=False, showticklabels=False, zeroline=False)
    return figure


def _ends(needs: list[Need], has: int) -> tuple[float, float]:
    ends = (value for need in needs for value in (need.items, need.low, np.nan if open_ended(need) else need.high))
    numbers = [float(has), *filter(defined, ends)]
    if any(defined(need.low) and open_ended(need) for need in needs):
        numbers.append(_OPEN * max(float(has), *(need.low for need in needs if defined(need.low))))
    return min(numbers) / 1.4, max(numbers) * 1.4


def _ticks(low: float, high: float) -> list[int]:
    """The round numbers on the axis: 1, 2 and 5 times each power of ten, or only the powers if there are many."""
    steps = (1, 2, 5) if high / low < 300 else (1,)
    powers = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))) + 1)
    return [
        int(step * 10**power) for power in powers if power >= 0 for step in steps if low <= step * 10**power <= high
    ]


def _study(figure: go.Figure, has: int, low: float, at: float, noun: str, mode: Mode, broken: int) -> None:
    """Draw a line at the study's own size, at the share `at` of the axis, with words that stay within the figure.

    The line leaves out the numbers above the bars of the first `broken` rows.
    """
    across: dict[str, Any] = {"yref": "paper", "y0": 0, "y1": 1, "layer": "below"}
    figure.add_shape(type="rect", x0=low, x1=has, fillcolor=grey(0.12), line={"width": 0}, **across)
    line = {"x0": has, "x1": has, "line": {"color": ACCENT[mode], "width": 2}, "layer": "below"}
    for ends in [{"y0": row - 0.14, "y1": row + 0.5} for row in range(broken)] or [across]:
        figure.add_shape(type="line", **{**line, **ends})
    font = {"size": 12.5, "color": ACCENT[mode], "weight": 600}
    said = f"this study: {has:,} {noun}{'' if has == 1 else 's'}"
    anchor = "right" if at > _NEAR_END else "left" if at < 1 - _NEAR_END else "center"
    figure.add_annotation(note(np.log10(has), 1, said, yref="paper", yshift=12, xanchor=anchor, font=font))


def _row(figure: go.Figure, has: int, need: Need, row: int, end: float, colour: str, mode: Mode) -> None:
    if not defined(need.low):
        return
    last = end / 1.05 if open_ended(need) else need.high
    line = {"color": colour, "width": 7}
    figure.add_scatter(x=[need.low, last], y=[row, row], mode="lines", line=line, opacity=0.35, hoverinfo="skip")
    if open_ended(need):
        arrow = {"symbol": "triangle-right", "size": 12, "color": colour, "opacity": 0.5}
        figure.add_scatter(x=[last], y=[row], mode="markers", marker=arrow, hoverinfo="skip", cliponaxis=False)
    if defined(need.items):
        face = tone("paper", mode) if need.items > has else colour
        marker = {"size": 12, "color": face, "line": {"color": colour, "width": 2}, "opacity": 1}
        figure.add_scatter(x=[need.items], y=[row], mode="markers", marker=marker, hoverinfo="skip", name="estimate")


def _texts(
    label: str, need: Need, row: int, noun: str, colour: str, narrow: bool, last: bool, at: float
) -> list[dict[str, object]]:
    """The words of a row.

    On a phone, the numbers stand above the bar, and end before the line of the study's size if that is far right.
    """
    font = {"size": 13, "color": colour, "weight": 600 if last else 400}
    named = note(0, row, label, xref="paper", xshift=-10, xanchor="right", font=font)
    place = {"xref": "paper", "xanchor": "right" if narrow else "left"}
    end = at if narrow and at > _NEAR_END else 1.0
    said = note(end, row, needed_text(need, noun), **place, xshift=-4 if narrow else 14, yshift=14 if narrow else 0)
    return [named, {**said, "font": {"size": 11 if narrow else 13, "color": colour}}]
