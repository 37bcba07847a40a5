"""A strip for each run with a tick for each image; the chosen image has the run's colour."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from figures.style.drawing import Drawing
from figures.style.numbers import decimals, defined, percent
from figures.style.palette import Mode, ModelStyle, frame, grey, note, plain, tone

TICKS = 250
"""Maximum number of ticks in a strip.

With more images, evenly spaced order statistics are drawn, both extremes included.
"""
_ROW = 38


@dataclass(frozen=True)
class Strip:
    """A run's (n,) values of one metric by image (NaN if undefined), and the value of the chosen image.

    `below` is the share (0..1) of images with a lower value, if known, shown as "above 44 %".
    """

    name: str
    style: ModelStyle
    values: npt.NDArray[np.floating[Any]]
    here: float
    below: float | None = None


def legend(noun: str) -> str:
    """Return the legend of the strips."""
    return f'Ticks: all {noun}s. Bar: the middle half. Mark: this {noun}; "above 44 %": 44 % of all have a lower value.'


def thinned(rows: Sequence[Strip], noun: str) -> str:
    """Return that not all ticks are drawn, for the footer of the saved figure; "" if all are."""
    most = max((int(np.isfinite(row.values).sum()) for row in rows), default=0)
    return f"{TICKS} of {most:,} {noun}s are drawn, evenly spaced by rank. " if most > TICKS else ""


def strips(rows: Sequence[Strip], label: str, mode: Mode) -> go.Figure:
    """Return one strip per run on a common axis: images as ticks, their middle half as a bar, this image as a mark."""
    figure = Drawing()
    for i, row in enumerate(rows):
        _strip(figure, row, -i, mode)
    low, high = _span(rows)
    pad = 0.04 * (high - low)
    frame(figure, mode, _ROW * len(rows) + 64, margin={"l": 1, "r": 12, "t": 6, "b": 44})
    figure.update_xaxes(range=[low - pad, high + pad], title_text=plain(label), nticks=6)
    figure.update_yaxes(visible=False, range=[0.62 - len(rows), 0.78])
    return figure


def digits_of(rows: Sequence[Strip]) -> int:
    """Return the number of decimals that suits all values of these strips."""
    return decimals(float(value) for row in rows for value in (*row.values, row.here))


def _strip(figure: go.Figure, row: Strip, y: float, mode: Mode) -> None:
    known = np.sort(row.values[np.isfinite(row.values)])
    name = plain(row.name, 40).split("<br>")
    figure.add_annotation(
        note(
            0,
            y + 0.42,
            f"{name[0]}{'…' if len(name) > 1 else ''}",
            xref="paper",
            font={"size": 12, "color": row.style.text(mode), "weight": 600},
        )
    )
    if len(known):
        _ticks(figure, known, y, mode)
    words = _here_words(row)
    figure.add_annotation(note(1, y + 0.42, words, xref="paper", xanchor="right"))
    if defined(row.here):
        _here(figure, row, y, words, mode)


def _ticks(figure: go.Figure, known: npt.NDArray[np.float64], y: float, mode: Mode) -> None:
    low, high = np.quantile(known, [0.25, 0.75])
    figure.add_shape(
        type="rect",
        x0=low,
        x1=high,
        y0=y - 0.31,
        y1=y - 0.25,
        line={"width": 0},
        layer="below",
        fillcolor=tone("muted", mode),
    )
    shown = known if len(known) <= TICKS else known[np.linspace(0, len(known) - 1, TICKS).round().astype(int)]
    figure.add_scatter(
        x=shown,
        y=np.full(len(shown), y),
        mode="markers",
        name="images",
        hoverinfo="skip",
        marker={"symbol": "line-ns", "size": 11, "line": {"width": 1, "color": grey(_opacity(len(shown)))}},
    )


def _here(figure: go.Figure, row: Strip, y: float, words: str, mode: Mode) -> None:
    figure.add_scatter(
        x=[row.here],
        y=[y],
        mode="markers",
        name=plain(row.name),
        cliponaxis=False,
        customdata=[[plain(row.name, 50)]],
        hovertemplate=f"%{{customdata[0]}}<br>%{{x}}<br>{words}<extra></extra>",
        marker={
            "symbol": row.style.symbol,
            "size": 12,
            "color": row.style.mark(mode),
            "line": {"width": 2, "color": tone("paper", mode)},
        },
    )


def _here_words(row: Strip) -> str:
    if not defined(row.here):
        return "undefined here"
    return "" if row.below is None else f"above {percent(row.below)}"


def _opacity(n: int) -> float:
    """The opacity of the ticks: opaque for few images, translucent for many, so that density shows."""
    return 0.8 if n <= 60 else max(0.18, 0.8 * (60 / n) ** 0.5)


def _span(rows: Sequence[Strip]) -> tuple[float, float]:
    known = [v for row in rows for v in (*row.values[np.isfinite(row.values)], row.here) if np.isfinite(v)]
    if not known:
        return 0.0, 1.0
    low, high = float(min(known)), float(max(known))
    return (low, high) if high > low else (low - 0.5, high + 0.5)
