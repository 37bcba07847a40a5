"""Figures of central captions: distances between captions, and distances of runs from the centre."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from figures.style.drawing import MARKS, Drawing
from figures.style.numbers import defined, interval, num, percent
from figures.style.palette import Mode, ModelStyle, alpha, frame, grey, note, plain, tone
from figures.style.text_width import fitting, text_width

Floats = npt.NDArray[np.floating[Any]]
MARK = ">>>"
"""The mark before every most central caption, as in Chan et al."""
SHOWN, PRINTED = 16, 10
"""Maximum number of captions drawn on screen and on paper, nearest first; the table has all of them."""
NARROW = 560
_NAME, _ABOVE, _SHORT = 300, 190, 104
"""Maximum width in px of the name of a run: beside its row; in a narrow figure, above its row, and beside it."""
MANY, NEAREST, FARTHEST = 24, 6, 4
"""If there are more than MANY rows, the dot plot on screen has only so many of the nearest and of the farthest."""


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
    low, high = _span([bar.expected for bar in shown])
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
    low, high = _span([float(v) for row in rows for v in row.values] + [own])
    pad = 0.04 * (high - low)
    frame(figure, mode, 44 * len(rows) + 62, margin={"l": 1, "r": 12, "t": 4, "b": 44})
    figure.update_xaxes(range=[low - pad, high + pad], title_text=f"{plain(label)} distance to the centre", nticks=6)
    figure.update_yaxes(visible=False, range=[0.62 - len(rows), 0.78])
    return figure


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
    low, high = _span([1.0] + [v for row in rows for v in (row.ratio, row.low, row.high)])
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
    colour = row.style.mark(mode)
    if defined(row.low) and defined(row.high):
        line = {"color": alpha(colour, 0.4) if seed else colour, "width": 2}
        figure.add_shape(type="line", x0=row.low, x1=row.high, y0=y, y1=y, layer="between", line=line)
    if defined(row.ratio):
        figure.add_scatter(
            x=[row.ratio],
            y=[y],
            mode="markers",
            name=plain(row.name),
            customdata=[[row.run, plain(row.name, 50)]],
            marker={
                "symbol": row.style.symbol,
                "size": (11 if row.style.symbol in ("circle", "square") else 13)  # Pointed shapes look smaller.
                - 3 * seed,
                "color": colour,
                "opacity": 1,
                "line": {"width": 1.5, "color": tone("paper", mode)},
            },
            hovertemplate=f"%{{customdata[1]}}<br>{_ratio(row, True)}, n = {row.n:,}<extra></extra>",
        )


def _ratio(row: Standing, numbers: bool) -> str:
    if not defined(row.ratio):
        return "–"
    ends = f" ({interval(row.low, row.high, 2)})" if numbers and defined(row.low) and defined(row.high) else ""
    return f"<b>{num(row.ratio, 2)}</b>{ends}"


def _span(values: Sequence[float]) -> tuple[float, float]:
    known = [v for v in values if defined(v)]
    if not known:
        return 0.0, 1.0
    low, high = min(known), max(known)
    return (low, high) if high > low else (low - 0.5, high + 0.5)
