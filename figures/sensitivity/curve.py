"""The p of a typical item by the number of captions, on a log axis, above the region that no test can reach."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from figures.judgments.ranking import ACCENT
from figures.style.drawing import Drawing
from figures.style.escaping import short
from figures.style.numbers import p_text
from figures.style.palette import Mode, alpha, dodge, frame, grey, note, plain, tone
from figures.style.wording import article
from metrics.permutation.pvalues import ALPHA

_PLOT, _TOP, _BOTTOM, _LEFT, _RIGHT, _KEY = 290, 26, 44, 52, 158, 19
_SYMBOLS = {"circle": "●", "square": "□", "diamond": "◇", "triangle-up": "△", "triangle-down": "▽", "cross": "✕"}
_DASHES = ("9px,3px,2px,3px", "2px,3px", "7px,3px", "4px,4px", "1px,3px")
_TICKS = (1.0, ALPHA, 0.001, 1e-5)
_HIGH_TICKS = (1.0, 0.5, 0.2, 0.1)
"""A few round ticks for the log axis of p; `_HIGH_TICKS` are used if no test can reach ALPHA."""
_APART = 17
"""Least distance in px between the names of two lines."""
UNIFORM = "if p were uniform"
LABEL = 22
"""Maximum length in characters of a metric's name beside its line."""


@dataclass(frozen=True)
class Line:
    """The line of one metric: an average of the items' p by the number of captions; `key` is the metric's name.

    `low` and `high` are the quartiles around a median; they are empty for other averages.
    """

    key: str
    label: str
    candidates: tuple[int, ...]
    low: tuple[float, ...]
    p: tuple[float, ...]
    high: tuple[float, ...]


@dataclass(frozen=True)
class Curves:
    """The lines of all metrics, people's line by the chosen metric, and the least possible p by the number of captions.

    `title` names the average, and `uniform` is the average by the chosen metric if every p is equally likely.
    """

    lines: tuple[Line, ...]
    people: Line | None
    floors: tuple[tuple[int, float], ...]
    noun: str = "image"
    title: str = "p, typical image"
    uniform: tuple[tuple[int, float], ...] = ()


def p_curve(shown: Curves, chosen: str | None, mode: Mode, narrow: bool = False) -> go.Figure:
    """Plot every metric's average p, the chosen metric's with quartiles, if any; customdata is the metric's name."""
    figure = Drawing()
    low = min([p for _, p in shown.floors] + [p for line in shown.lines for p in line.p]) / 1.9
    first, last = shown.floors[0][0], shown.floors[-1][0]
    below = _KEY * ((len(shown.lines) + 2 + bool(shown.uniform)) // 2) if narrow else 0
    margin = {"l": _LEFT, "r": 10 if narrow else _RIGHT, "t": _TOP, "b": _BOTTOM + below}
    frame(figure, mode, _PLOT + _TOP + _BOTTOM + below, margin=margin)
    _floor(figure, shown, low, mode)
    if shown.people is not None:
        _people(figure, shown.people, mode)
    if shown.uniform:
        _uniform(figure, shown.uniform, mode)
    order = sorted(shown.lines, key=lambda line: line.key == chosen)
    for line in order:
        place = shown.lines.index(line)
        _line(figure, line, place, line.key == chosen, mode)
    _alpha(figure, low, mode)
    ticks = [p for p in (_TICKS if low < ALPHA else _HIGH_TICKS) if p >= low]
    said = [np.format_float_positional(p, trim="-") for p in ticks]
    figure.update_yaxes(type="log", range=[np.log10(low), np.log10(1.25)], tickvals=ticks, ticktext=said)
    figure.update_xaxes(
        range=[first - 0.3, last + 0.3],
        tickvals=[n for n, _ in shown.floors],
        title_text=f"captions of {article(shown.noun)}",
        zeroline=False,
    )
    figure.add_annotation(
        note(0, 1, plain(f"{shown.title} (log scale)"), xref="paper", yref="paper", yshift=14, xshift=2 - _LEFT)
    )
    (_keys if narrow else _labels)(figure, shown, chosen, low, mode)
    return figure


def _floor(figure: go.Figure, shown: Curves, low: float, mode: Mode) -> None:
    (first, least), (last, most) = shown.floors[0], shown.floors[-1]
    x = [first - 0.3, *(n for n, _ in shown.floors), last + 0.3]
    y = [least, *(p for _, p in shown.floors), most]
    skip = {"hoverinfo": "skip", "mode": "lines", "showlegend": False}
    figure.add_scatter(x=x, y=[low] * len(x), line={"width": 0}, **skip)
    line = {"color": tone("ink", mode), "width": 1.2}
    figure.add_scatter(x=x, y=y, line=line, fill="tonexty", fillcolor=grey(0.17), **skip)
    height = np.log10(y[0] / low)
    text = "<i>out of reach: below the smallest possible p</i>"
    if len(shown.floors) > 3:
        at = {"xanchor": "left", "font": {"size": 12, "color": tone("muted", mode)}}
        figure.add_annotation(note(x[0] + 0.1, np.log10(low) + 0.16 * height, text, **at))


def _people(figure: go.Figure, people: Line, mode: Mode) -> None:
    line = {"color": tone("muted", mode), "width": 1.6, "dash": "5px,4px"}
    figure.add_scatter(
        x=people.candidates,
        y=people.p,
        mode="lines+markers" if len(people.candidates) < 2 else "lines",
        line=line,
        marker={"size": 7, "color": tone("muted", mode), "symbol": "x-thin-open"},
        name="people against people",
        hovertemplate="people against people, %{x} captions<br>p %{y:.2g}<extra></extra>",
    )


def _uniform(figure: go.Figure, uniform: tuple[tuple[int, float], ...], mode: Mode) -> None:
    figure.add_scatter(
        x=[n for n, _ in uniform],
        y=[p for _, p in uniform],
        mode="lines+markers" if len(uniform) < 2 else "lines",
        line={"color": tone("muted", mode), "width": 1.2, "dash": "1px,3px"},
        marker={"size": 7, "color": tone("muted", mode), "symbol": "line-ew-open"},
        name=UNIFORM,
        hovertemplate=f"{UNIFORM}, %{{x}} captions<br>p %{{y:.3g}}<extra></extra>",
    )


def _line(figure: go.Figure, line: Line, place: int, chosen: bool, mode: Mode) -> None:
    colour = ACCENT[mode] if chosen else tone("muted", mode)
    if chosen and line.low:
        skip = {"hoverinfo": "skip", "mode": "lines", "line": {"width": 0}}
        figure.add_scatter(x=line.candidates, y=line.low, **skip)
        figure.add_scatter(x=line.candidates, y=line.high, fill="tonexty", fillcolor=alpha(ACCENT[mode], 0.13), **skip)
    figure.add_scatter(
        x=line.candidates,
        y=line.p,
        mode="lines+markers",
        customdata=[line.key] * len(line.candidates),
        name=plain(line.label),
        line={"color": colour, "width": 2.6 if chosen else 1.5, "dash": _dash(place, chosen)},
        marker={
            "symbol": _symbol(place),
            "size": 9 if chosen else 7.5,
            "color": colour if chosen else tone("paper", mode),
            "line": {"width": 1.5, "color": colour},
        },
        text=[p_text(p) for p in line.p],
        hovertemplate=f"{plain(line.label, 40)}, %{{x}} captions<br>p %{{text}}<extra></extra>",
    )


def _symbol(place: int) -> str:
    return list(_SYMBOLS)[place % len(_SYMBOLS)]


def _dash(place: int, chosen: bool) -> str:
    return "solid" if chosen else _DASHES[place % len(_DASHES)]


def _alpha(figure: go.Figure, low: float, mode: Mode) -> None:
    if low >= ALPHA:
        return
    line = {"color": tone("muted", mode), "width": 1, "dash": "4px,3px"}
    figure.add_shape(type="line", xref="paper", x0=0, x1=1, y0=ALPHA, y1=ALPHA, line=line)


def _labels(figure: go.Figure, shown: Curves, chosen: str | None, low: float, mode: Mode) -> None:
    named = [(line.key, line.label, line.p[-1]) for line in shown.lines if line.p]
    if shown.people is not None:
        named.append(("", "people against people", shown.people.p[-1]))
    if shown.uniform:
        named.append(("", UNIFORM, shown.uniform[-1][1]))
    unit = _PLOT / np.log10(1.25 / low)
    placed = _above(dodge([float(np.log10(p)) * unit for _, _, p in named], _APART), np.log10(low) * unit + 7)
    for (key, label, _), at in zip(named, placed):
        colour = ACCENT[mode] if key == chosen else tone("ink" if key else "muted", mode)
        text = plain(short(label, LABEL))
        font = {"size": 12.5, "color": colour}
        figure.add_annotation(
            note(1, at / unit, f"<b>{text}</b>" if key == chosen else text, xref="paper", xshift=8, font=font)
        )


def _above(places: list[float], least: float) -> list[float]:
    placed = list(places)
    for k in sorted(range(len(places)), key=places.__getitem__):
        placed[k] = max(places[k], least)
        least = placed[k] + _APART
    return placed


def _keys(figure: go.Figure, shown: Curves, chosen: str | None, low: float, mode: Mode) -> None:
    marks = [_SYMBOLS[_symbol(k)] for k in range(len(shown.lines))]
    filled = [mark if line.key == chosen else mark.replace("●", "○") for line, mark in zip(shown.lines, marks)]
    names = [(line.key, f"{mark} {short(line.label, LABEL)}") for line, mark in zip(shown.lines, filled)]
    if shown.people is not None:
        names.append(("", "┄ people against people"))
    if shown.uniform:
        names.append(("", f"┈ {UNIFORM}"))
    for k, (key, label) in enumerate(names):
        colour = ACCENT[mode] if key == chosen else tone("ink", mode)
        shift = -_BOTTOM - 8 - _KEY * (k // 2)
        at = {"xref": "paper", "yref": "paper", "yshift": shift, "font": {"size": 12, "color": colour}}
        figure.add_annotation(note(0.5 * (k % 2), 0, plain(label), **at) | {"xshift": -30 if k % 2 == 0 else 0})
