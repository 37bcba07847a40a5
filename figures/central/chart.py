"""Figures of the central captions of one image, and of whether central captions are longer or shorter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from figures.style.drawing import Drawing
from figures.style.numbers import defined, interval, num, percent
from figures.style.palette import Mode, ModelStyle, alpha, frame, grey, note, plain, tone
from figures.style.text_width import fitting

Floats = npt.NDArray[np.floating[Any]]
MARK = ">>>"
"""The mark before every most central caption, as in Chan et al."""
SHOWN, PRINTED = 16, 10
"""Maximum number of captions drawn on screen and on paper, nearest first; the table has all of them."""
_NAME = 300
"""Maximum width in px of the name of a side above its row."""


@dataclass(frozen=True)
class _Rows:
    """Sizes in px: a line of text, a dot with the gap below it, the dot, the width of a letter, and the font size.

    A caption has at most `lines` lines of at most `letters` letters. On a screen, whose width is unknown, the limit is
    what fits on a phone.
    """

    line: int
    bar: int
    thick: int
    letter: float
    font: int
    letters: int
    lines: int


_ON_SCREEN, _ON_PAPER = _Rows(17, 22, 9, 7.4, 13, 45, 4), _Rows(15, 14, 7, 6.8, 12, 76, 2)


@dataclass(frozen=True)
class Bar:
    """A distinct caption: its expected distance, whether it is central, and its number of occurrences."""

    text: str
    expected: float
    central: bool
    count: int = 1


@dataclass(frozen=True)
class Spread:
    """One side of an item in the figure of distances to the centre, with (n,) distances of its n texts.

    `style` is None for references.
    """

    name: str
    values: Floats
    texts: Sequence[str]
    style: ModelStyle | None = None


def expected_dots(bars: Sequence[Bar], label: str, mode: Mode, width: float | None = None) -> go.Figure:
    """Return a chart with a dot for each of the first `bars`, in order, below its text; central captions have a mark
    and are drawn in ink.

    The scale follows the data, because captions of one image differ little in distance. `width` is the width of the
    paper in px, None on screen; texts are wrapped to fit it.
    """
    rows, shown = (_ON_SCREEN, bars[:SHOWN]) if width is None else (_ON_PAPER, bars[:PRINTED])
    letters = rows.letters if width is None else min(rows.letters, int(width / rows.letter))
    texts = [_cut(bar, letters, rows.lines) for bar in shown]
    # The vertical axis counts pixels, so that a caption of two lines takes the space of two.
    below = np.cumsum([rows.line * (text.count("<br>") + 1) + rows.bar for text in texts] or [0])
    low, high = span([bar.expected for bar in shown])
    pad = 0.06 * (high - low)
    figure = Drawing()
    figure.add_scatter(
        x=[bar.expected for bar in shown],
        y=rows.bar / 2 - below[: len(shown)],
        mode="markers",
        name="mean distance",
        customdata=[[plain(bar.text, 60)] for bar in shown],
        cliponaxis=False,
        marker={
            "size": rows.thick + 1,
            "color": [tone("ink", mode) if bar.central else tone("muted", mode) for bar in shown],
        },
        hovertemplate="%{customdata[0]}<br>mean distance %{x:.3f}<extra></extra>",
    )
    for bar, text, at in zip(shown, texts, figure.data[0].y):
        role, weight = ("ink", 600) if bar.central else ("muted", 400)
        font = {"size": rows.font, "color": tone(role, mode), "weight": weight}
        up = rows.thick // 2 - 1
        figure.add_annotation(note(0, at, text, xref="paper", yanchor="bottom", yshift=up, font=font))
        figure.add_annotation(note(bar.expected, at, num(bar.expected), xshift=8))
        track = {"color": grey(0.25), "width": 1}
        figure.add_shape(type="line", x0=low - pad, x1=bar.expected, y0=at, y1=at, line=track, layer="below")
    frame(figure, mode, int(below[-1]) + 48, margin={"l": 4, "r": 52, "t": 4, "b": 44})
    figure.update_xaxes(range=[low - pad, high], title_text=f"mean {plain(label)} distance to the others", nticks=6)
    figure.update_yaxes(visible=False, range=[-int(below[-1]), 0])
    return figure


def centre_spread(rows: Sequence[Spread], own: float, label: str, mode: Mode) -> go.Figure:
    """Return a chart with a row for each side, a tick for each caption and a mark at the mean.

    A dashed line marks `own`, the mean of the references.
    """
    figure = Drawing()
    for k, row in enumerate(rows):
        _spread(figure, row, -k, own, mode)
    low, high = span([float(v) for row in rows for v in row.values] + [own])
    pad = 0.04 * (high - low)
    frame(figure, mode, 44 * len(rows) + 62, margin={"l": 1, "r": 12, "t": 4, "b": 44})
    figure.update_xaxes(range=[low - pad, high + pad], title_text=f"{plain(label)} distance to the centre", nticks=6)
    figure.update_yaxes(visible=False, range=[0.62 - len(rows), 0.78])
    return figure


def difference_histogram(
    difference: Floats, mean: float, low: float, high: float, unit: str, noun: str, mode: Mode
) -> go.Figure:
    """Return a histogram of (n,) differences in length, central references minus the others, with mean and interval.

    `unit` is what lengths count, such as "words"; `noun` is the study's word for an item. Zero is a bin edge, which
    separates the two signs.
    """
    known = difference[np.isfinite(difference)]
    edges, counts = bins(known)
    figure = Drawing(_sign_bars(edges, counts, noun))
    top, ink = float(max(counts.max(initial=0), 1)), tone("ink", mode)
    figure.add_shape(type="line", x0=0, x1=0, y0=0, y1=1.3 * top, line={"color": tone("muted", mode), "width": 1})
    for x, side, word in ((-6, "right", "fewer"), (6, "left", "more")):
        figure.add_annotation(note(0, 1.3 * top, word, xanchor=side, xshift=x, yanchor="top"))
    figure.add_scatter(
        x=[mean],
        y=[1.1 * top],
        mode="markers",
        name="mean",
        marker={"size": 9, "color": ink},
        error_x={
            "type": "data",
            "array": [high - mean],
            "arrayminus": [mean - low],
            "color": ink,
            "thickness": 1.5,
            "width": 0,
        }
        if defined(low) and defined(high)
        else None,
        hovertemplate=f"mean {num(mean, 2)}, {interval(low, high, 2)}<extra></extra>",
    )
    frame(figure, mode, 230, margin={"l": 48, "r": 6, "t": 6, "b": 40}, bargap=0)
    figure.update_xaxes(range=[edges[0], edges[-1]], nticks=7, title_text=f"{unit}: central minus others")
    # Counts are whole: otherwise plotly would label 0.5 as "500m".
    figure.update_yaxes(
        title_text=f"{noun}s", range=[0, 1.34 * top], nticks=4, tickformat="~s", dtick=1 if top < 4 else None
    )
    return figure


def _sign_bars(edges: Floats, counts: npt.NDArray[np.int64], noun: str) -> go.Bar:
    below = edges[1:] <= 1e-9
    return go.Bar(
        x=(edges[:-1] + edges[1:]) / 2,
        y=counts,
        width=0.92 * np.diff(edges),
        name=f"{noun}s",
        marker={"color": [grey(0.75) if b else grey(0.4) for b in below], "line": {"width": 0}, "cornerradius": 2},
        customdata=np.c_[edges[:-1], edges[1:]],
        hovertemplate=f"%{{customdata[0]:.1f}} to %{{customdata[1]:.1f}}: %{{y:,}} {noun}s<extra></extra>",
    )


def bins(values: Floats, most: int = 24) -> tuple[Floats, npt.NDArray[np.int64]]:
    """Return (k + 1,) edges and (k,) counts of bins of round width; zero is an edge, and 0 counts in the upper bin."""
    if not len(values):
        return np.array([-1.0, 0.0, 1.0]), np.zeros(2, dtype=np.int64)
    spread = max(float(values.max()), 0.0) - min(float(values.min()), 0.0)
    step = next(s for s in (0.25, 0.5, *(float(10**p * d) for p in range(9) for d in (1, 2, 5))) if spread / s <= most)
    place = np.floor(values / step + 1e-9).astype(np.int64)
    first, last = min(int(place.min()), -1), max(int(place.max()), 0)
    counts = np.bincount(place - first, minlength=last - first + 1).astype(np.int64)
    return step * np.arange(first, last + 2), counts


def _cut(bar: Bar, letters: int, most: int) -> str:
    mark = f"{plain(MARK)} " if bar.central else ""
    times = f" ×{bar.count}" if bar.count > 1 else ""
    lines = (
        plain(bar.text, letters - (len(MARK) + 1) * bar.central - len(times)).split("<br>")
        if bar.text.strip()
        else ["(empty)"]
    )
    cut = "…" if len(lines) > most else ""
    return f"{mark}{'<br>'.join(lines[:most])}{cut}{times}"


def _spread(figure: go.Figure, row: Spread, y: float, own: float, mode: Mode) -> None:
    known = row.values[np.isfinite(row.values)]
    colour = row.style.mark(mode) if row.style else tone("ink", mode)
    text = row.style.text(mode) if row.style else tone("ink", mode)
    figure.add_annotation(
        note(0, y + 0.4, plain(fitting(row.name, _NAME)), xref="paper", font={"size": 12, "color": text, "weight": 600})
    )
    mean = float(known.mean()) if len(known) else float("nan")
    figure.add_annotation(note(1, y + 0.4, _spread_words(mean, own, row.style is None), xref="paper", xanchor="right"))
    if defined(own):
        # One dash per row: a line through all rows would cross the words.
        line = {"color": tone("muted", mode), "width": 1.25, "dash": "3px,2px"}
        figure.add_shape(type="line", x0=own, x1=own, y0=y - 0.3, y1=y + 0.24, layer="below", line=line)
    if not len(known):
        return
    figure.add_scatter(
        x=row.values,
        y=np.full(len(row.values), y),
        mode="markers",
        name=f"{plain(row.name)}, captions",
        customdata=[[plain(t, 60)] for t in row.texts],
        cliponaxis=False,
        hovertemplate="%{customdata[0]}<br>%{x:.3f} from the centre<extra></extra>",
        marker={"symbol": "line-ns", "size": 13, "line": {"width": 2, "color": alpha(colour, 0.55)}},
    )
    figure.add_scatter(
        x=[mean],
        y=[y],
        mode="markers",
        name=plain(row.name),
        cliponaxis=False,
        hovertemplate=f"{plain(row.name, 50)}<br>mean {num(mean)}<extra></extra>",
        marker={
            "symbol": row.style.symbol if row.style else "circle",
            "size": 11,
            "color": colour,
            "line": {"width": 2, "color": tone("paper", mode)},
        },
    )


def _spread_words(mean: float, own: float, people: bool) -> str:
    if not defined(mean):
        return "no distance"
    if people or not defined(own) or own <= 0:
        return f"mean <b>{num(mean)}</b>"
    return f"mean <b>{num(mean)}</b>, {percent(mean / own)} of people's own"


def span(values: Sequence[float]) -> tuple[float, float]:
    """Return the ends of an axis for the defined ones of some values; 0 and 1 without values."""
    known = [v for v in values if defined(v)]
    if not known:
        return 0.0, 1.0
    low, high = min(known), max(known)
    return (low, high) if high > low else (low - 0.5, high + 0.5)
