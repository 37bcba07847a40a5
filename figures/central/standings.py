"""A dot plot of the runs by their distance from the centre, with a row for each setting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import plotly.graph_objects as go

from figures.central.chart import span
from figures.style.drawing import MARKS, Drawing
from figures.style.numbers import defined, interval, num
from figures.style.palette import Mode, ModelStyle, frame, note, plain, tone
from figures.style.text_width import fitting, text_width

NARROW = 560
_NAME, _ABOVE, _SHORT = 300, 190, 104
"""Maximum width in px of the name of a run beside its row, above it in a narrow figure, and beside it there."""
MANY, NEAREST, FARTHEST = 24, 6, 4
"""The number of rows above which the dot plot on screen has only these numbers of nearest and farthest ones."""


@dataclass(frozen=True)
class Standing:
    """A run in the dot plot: its distance to the centre as a ratio to people's own, with the ends of the interval.

    A click selects the `run`; `name` is the label of the run. Runs of one `setting` share a row.
    """

    run: str
    name: str
    style: ModelStyle
    ratio: float
    low: float
    high: float
    n: int
    setting: str = ""
    differs: bool = True


def standings(rows: Sequence[Standing], mode: Mode, width: float | None = None, narrow: bool = False) -> go.Figure:
    """Return a dot plot of the runs with intervals, in units of people's own distance; the line at 1 marks people.

    `width` is the width of the paper in px, None on screen. If there are more than MANY rows on screen, those without a
    value are left out; if there are still more than MANY, only the nearest and the farthest are drawn. In a narrow
    figure, long names are above their marks, with the numbers.
    """
    figure, lines = Drawing(), _lines(rows, width is None)
    if folded := width is None and len(lines) > MANY:
        near, far = [*lines][:NEAREST], [*lines][-FARTHEST:]
        gap = f"⋮ {len(lines) - NEAREST - FARTHEST:,} more"
        lines = {name: lines.get(name, []) for name in (*near, gap, *far)}
    rows = [row for seeds in lines.values() for row in seeds]
    # Short names have room beside even a narrow plot.
    narrow = narrow and max(map(text_width, lines), default=0.0) > _SHORT
    # In a narrow figure, leave gaps at the words of a row.
    breaks = [(-k - 0.45, -k) for k in range(len(lines))] if narrow else [(0.5 - len(lines), 0.6)]
    people = {"color": tone("ink", mode), "width": 1.25, "dash": "4px,3px"}
    for low, high in breaks:
        figure.add_shape(type="line", x0=1, x1=1, y0=low, y1=high, layer="below", line=people)
    # On screen an interval is drawn and its numbers are in the hover text: a phone has no room for both.
    tall = 15 if folded else 21
    size, tall, right = (12, tall, 44) if width is None else (11, 16, 134 if width > NARROW else 116)
    names = {name: fitting(name, _ABOVE if narrow else _NAME) for name in lines}
    left = 18 + max((text_width(name, size) for name in names.values()), default=0.0)
    tall, left, right = (33, 8, 14) if narrow else (tall, round(left), right)
    for k, (name, seeds) in enumerate(lines.items()):
        _beside(figure, names[name], seeds, -k, mode, size, width is not None, narrow)
        for row in seeds:
            _standing(figure, row, -k - 0.22 * narrow, mode, len(seeds) > 1)
        if len(seeds) > 1:
            _mean(figure, seeds, -k - 0.22 * narrow, mode)
    low, high = span([1.0] + [v for row in rows for v in (row.ratio, row.low, row.high)])
    pad = 0.05 * (high - low)
    # In a narrow figure, the words above a line at the left edge would be cut.
    over = {"xanchor": "left", "xshift": -20} if narrow and 1 - low < 0.15 * (high - low) else {"xanchor": "center"}
    figure.add_annotation(note(1, 0.68, "people's own", yanchor="bottom", **over))
    frame(figure, mode, tall * len(lines) + 78, margin={"l": left, "r": right, "t": 22, "b": 44}, meta=MARKS)
    ticks = 7 if width is None else max(4, min(7, int((width - left - right) / 36)))
    figure.update_xaxes(
        range=[low - pad, high + pad],
        nticks=ticks,
        showgrid=not narrow,
        tickangle=0,
        title_text="distance to the centre / people's own",
    )
    figure.update_yaxes(visible=False, range=[0.3 - len(lines), 0.75])
    return figure


def _lines(rows: Sequence[Standing], on_screen: bool) -> dict[str, list[Standing]]:
    lines: dict[str, list[Standing]] = {}
    for row in rows:
        lines.setdefault(row.setting or row.name, []).append(row)
    many = on_screen and len(lines) > MANY
    return {name: of for name, of in lines.items() if not many or any(defined(row.ratio) for row in of)} or lines


def left_out(rows: Sequence[Standing]) -> str:
    """Return a note on the rows of the dot plot that are drawn on screen, if some are left out; else ""."""
    n = len(_lines(rows, True))
    return f"The {NEAREST} nearest and {FARTHEST} farthest of {n:,}; the table has all." if n > MANY else ""


def _beside(
    figure: go.Figure,
    name: str,
    seeds: Sequence[Standing],
    y: int,
    mode: Mode,
    size: int,
    numbers: bool,
    narrow: bool,
) -> None:
    # Without runs, the name stands for the rows left out.
    font = {"size": size, "color": seeds[0].style.text(mode) if seeds else tone("muted", mode)}
    said = _ratio(seeds[0], numbers) if seeds else ""
    if len(seeds) > 1:
        mean = float(np.mean([row.ratio for row in seeds]))
        said = f"<b>{num(mean, 2)}</b>{f' ({len(seeds)} seeds)' if numbers else ''}" if defined(mean) else "–"
    up: dict[str, Any] = {"xref": "paper", "yshift": 8 * narrow}
    named: dict[str, Any] = {} if narrow else {"xanchor": "right", "xshift": -8}
    told: dict[str, Any] = {"xanchor": "right"} if narrow else {"xshift": 10}
    figure.add_annotation(note(0, y, plain(name), font=font, **up, **named))
    if said:
        figure.add_annotation(note(1, y, said, font={"size": size}, **up, **told))


def _standing(figure: go.Figure, row: Standing, y: float, mode: Mode, seed: bool) -> None:
    if defined(row.low) and defined(row.high) and not seed:
        line = {"color": row.style.mark(mode), "width": 2}
        figure.add_shape(type="line", x0=row.low, x1=row.high, y0=y, y1=y, layer="between", line=line)
    _mark(figure, row, y, mode, f"{_ratio(row, True)}, n = {row.n:,}", smaller=6 * seed)


def _mean(figure: go.Figure, seeds: Sequence[Standing], y: float, mode: Mode) -> None:
    """Draw a mark at the mean of several seeds, filled if each differs from people."""
    mean, differs = float(np.mean([row.ratio for row in seeds])), all(row.differs for row in seeds)
    whole = replace(seeds[0], name=seeds[0].setting, ratio=mean, differs=differs)
    _mark(figure, whole, y, mode, f"<b>{num(mean, 2)}</b>, mean of {len(seeds)} seeds")


def _mark(figure: go.Figure, row: Standing, y: float, mode: Mode, hover: str, smaller: int = 0) -> None:
    if not defined(row.ratio):
        return
    colour = row.style.mark(mode)
    size = 11 if row.style.symbol in ("circle", "square") else 13  # Pointed shapes look smaller.
    figure.add_scatter(
        x=[row.ratio],
        y=[y],
        mode="markers",
        name=plain(row.name),
        customdata=[[row.run, plain(row.name, 50)]],
        marker={
            "symbol": row.style.symbol,
            "size": size - smaller,
            "color": colour if row.differs else tone("paper", mode),
            "opacity": 1,
            "line": {"width": 1.5, "color": colour},
        },
        hovertemplate=f"%{{customdata[1]}}<br>{hover}<extra></extra>",
    )


def _ratio(row: Standing, numbers: bool) -> str:
    if not defined(row.ratio):
        return "–"
    ends = f" ({interval(row.low, row.high, 2)})" if numbers and defined(row.low) and defined(row.high) else ""
    return f"<b>{num(row.ratio, 2)}</b>{ends}"
