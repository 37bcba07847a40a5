"""Forest plots of the differences between two runs, or of all runs from one, with the items that each side wins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import plotly.graph_objects as go

from data.study import Study
from figures.style.drawing import Drawing
from figures.style.escaping import short
from figures.style.numbers import DASH, at_floor, decimals, defined, interval, num, p_text, signed
from figures.style.palette import Mode, ModelStyle, frame, grey, note, plain, tone
from figures.style.run_names import short_names
from metrics.analysis.paired import Comparison, Family
from metrics.engine.result import PENDING
from metrics.pvalues import ALPHA

Role = Literal["good", "bad", "none"]
_ROW, _HEAD, _GAP = 34, 30, 0.9
_LABEL = 26
_LOW_ROW, _NARROW = 24, 330
"""On paper rows are lower; below _NARROW px of the plot the parts of a row move together."""
_WORDS_WIDTH = 66


@dataclass(frozen=True)
class _Columns:
    """Positions of a row's parts as shares of the plot, its height in px, and the width of a digit in a bar."""

    forest: tuple[float, float] = (0.0, 0.34)
    difference: float = 0.525
    p: float = 0.735
    counts: tuple[float, float] = (0.77, 1.0)
    row: int = _ROW
    digit: float = 0.1

    @staticmethod
    def on(plot: float | None) -> _Columns:
        """Return those for a screen, which may be a phone's (None), or for paper with a plot this many px wide."""
        if plot is None:
            return _Columns()
        if plot > _NARROW:
            return _Columns((0.0, 0.39), 0.54, row=_LOW_ROW, digit=0.035)
        return _Columns((0.0, 0.3), 0.52, 0.745, (0.775, 1.0), _LOW_ROW, digit=0.13)


@dataclass(frozen=True)
class ForestRow:
    """One comparison as a row: `value`, `low`, `high` as drawn; `role` is the side favoured by the interval.

    `significant` is True if the corrected p agrees. `counts`: items won, tied, lost by the first run. `reason` replaces
    missing numbers, and `waiting` means that they are being computed. `favour` is the difference oriented so that
    positive values favour the first run; `family` is that of the metric.
    """

    key: str
    name: str
    value: float = np.nan
    low: float = np.nan
    high: float = np.nan
    role: Role = "none"
    significant: bool = False
    has_better_side: bool = True
    counts: tuple[int, int, int] = (0, 0, 0)
    difference: str = DASH
    p: str = DASH
    hover: str = ""
    reason: str = ""
    style: ModelStyle | None = None
    family: str = ""
    favour: str = DASH
    waiting: bool = False


def digits(comparison: Comparison) -> int:
    """Return decimals that suit the values compared."""
    return decimals(comparison.values)


def adjusted_text(comparison: Comparison, adjusted: float) -> str:
    """Return the corrected p; with "≤" if the test itself is at its floor."""
    test = comparison.test
    lowest = at_floor(test.p_value, test.floor) and adjusted < 1
    return p_text(adjusted, adjusted if lowest else None)


def ordered(family: Family) -> list[tuple[Comparison, float]]:
    """Return comparisons with their corrected p, those with a better side first, in order of favour for the first run.

    Comparisons by one metric are ordered by difference, those by several metrics by d_z, their common scale.
    """
    one = len({c.metric for c in family.comparisons}) == 1

    def favour(c: Comparison) -> float:
        value = c.sign * (c.difference if one else c.effect.value)
        return -value if defined(value) else np.inf

    pairs = zip(family.comparisons, map(float, family.adjusted))
    return sorted(pairs, key=lambda pair: (not pair[0].has_better_side, favour(pair[0])))


def metric_lines(family: Family) -> list[ForestRow]:
    """Return a row per metric, drawn as d_z in favour of the first run."""
    out = []
    for c, p in ordered(family):
        ends = sorted((c.sign * c.effect.low, c.sign * c.effect.high))
        effect = (c.sign * c.effect.value, ends[0], ends[1])
        out.append(_line(c, p, c.metric.name, c.metric.label, effect))
    return out


def run_lines(study: Study, family: Family, styles: Mapping[str, ModelStyle]) -> list[ForestRow]:
    """Return a row per run, drawn as its difference from the baseline, the best first. `styles` by run name."""
    short = short_names(study.runs)
    return [
        _line(c, p, c.first, short[c.first], (c.difference, c.low, c.high), styles.get(c.first))
        for c, p in ordered(family)
    ]


def forest(
    lines: Sequence[ForestRow],
    mode: Mode,
    title: str,
    heads: tuple[str, str],
    reverse: bool = False,
    width: float | None = None,
) -> go.Figure:
    """Return rows with an interval around zero, difference and p in words, and items won, tied and lost as a bar.

    `title` is the axis title; `heads` name the first run's and the second's bars; `reverse` reverses the axis, so that
    better is always to the right. The customdata of a point is the row's key. `width` is that of the paper in px, None
    on screen.
    """
    figure = Drawing()
    heights = _heights(lines)
    left = min(16 + 6.6 * max((len(short(line.name, _LABEL)) for line in lines), default=8), 190)
    at = _Columns.on(None if width is None else width - left)
    for line, y in zip(lines, heights):
        _row(figure, line, y, mode, at)
    _counts(figure, lines, heights, mode, at)
    bottom, top = min(heights, default=0) - 0.6, 1.0
    height = int(at.row * (top - bottom)) + _HEAD + 26
    frame(figure, mode, height, margin={"l": left, "r": 4, "t": 4, "b": 46}, barmode="stack")
    for x, text, anchor in ((at.difference, "difference", "right"), (at.p, "Holm p", "right")):
        figure.add_annotation(note(x, 0.72, text, xref="paper", xanchor=anchor, font=_font("muted", mode)))
    _heads(figure, heads, mode, at.counts)
    low, high = _span(lines)
    figure.add_shape(type="line", x0=0, x1=0, y0=bottom, y1=0.5, line={"color": grey(0.8), "width": 1.25})
    ends = [high, low] if reverse else [low, high]
    figure.update_xaxes(domain=list(at.forest), range=ends, title_text=plain(title), nticks=5, zeroline=False)
    figure.update_layout(xaxis2={"domain": list(at.counts), "range": [0, 1], "visible": False, "anchor": "y"})
    figure.update_yaxes(
        range=[bottom, top], tickvals=heights, ticktext=[_label(line, mode) for line in lines], showgrid=False
    )
    return figure


def _line(
    c: Comparison,
    adjusted: float,
    key: str,
    name: str,
    drawn: tuple[float, float, float],
    style: ModelStyle | None = None,
) -> ForestRow:
    if c.reason:
        return ForestRow(
            key,
            name,
            reason=c.reason,
            has_better_side=c.has_better_side,
            style=style,
            family=c.metric.family,
            waiting=c.reason == PENDING,
        )
    role: Role = "none" if not (c.sure and c.has_better_side) else "good" if c.winner > 0 else "bad"
    significant, p, places = adjusted <= ALPHA, adjusted_text(c, adjusted), digits(c)
    return ForestRow(
        key,
        name,
        *drawn,
        role,
        significant,
        c.has_better_side,
        c.counts,
        signed(c.difference, places),
        p,
        _hover(c, name, places, p),
        style=style,
        family=c.metric.family,
        favour=signed(c.sign * c.difference, places),
    )


def _hover(c: Comparison, name: str, places: int, p: str) -> str:
    return (
        f"{plain(name, 50)}<br>{plain(c.first, 50)} {num(c.values[0], places)}, "
        f"{plain(c.second, 50)} {num(c.values[1], places)}<br>difference {signed(c.difference, places)}, 95 % "
        f"{interval(c.low, c.high, places)}<br>d<sub>z</sub> {signed(c.effect.value, 2)}, 95 % "
        f"{interval(c.effect.low, c.effect.high, 2)}<br>p {p_text(c.test.p_value, c.test.floor)}, Holm {p}"
    )


def _heights(lines: Sequence[ForestRow]) -> list[float]:
    """Vertical positions of the rows, with a gap between metrics with a better side and those without."""
    split = any(line.has_better_side for line in lines)
    return [-i - (_GAP if split and not line.has_better_side else 0.0) for i, line in enumerate(lines)]


def _row(figure: go.Figure, line: ForestRow, y: float, mode: Mode, at: _Columns) -> None:
    if line.reason:
        words = f"{DASH} {plain(line.reason, _WORDS_WIDTH)}"
        figure.add_annotation(note(0, y, words, xref="paper", font=_font("muted", mode)))
        return
    colour = tone("ink" if line.role == "none" else line.role, mode)
    if defined(line.low) and defined(line.high):
        figure.add_scatter(
            x=[line.low, line.high],
            y=[y, y],
            mode="lines",
            hoverinfo="skip",
            line={"color": colour, "width": 2},
        )
    fill = colour if line.significant else tone("paper", mode)
    figure.add_scatter(
        x=[line.value],
        y=[y],
        mode="markers",
        name=plain(line.name),
        customdata=[line.key],
        cliponaxis=False,
        marker={
            "size": 11,
            "color": fill,
            "symbol": line.style.symbol if line.style else "circle",
            "line": {"width": 2, "color": colour},
        },
        hovertemplate=f"{line.hover}<extra></extra>",
    )
    shade = {"color": colour, "size": 12.5} if line.role != "none" else _font("ink", mode)
    figure.add_annotation(note(at.difference, y, line.difference, xref="paper", xanchor="right", font=shade))
    figure.add_annotation(note(at.p, y, line.p, xref="paper", xanchor="right", font=_font("muted", mode)))


def _counts(figure: go.Figure, lines: Sequence[ForestRow], heights: Sequence[float], mode: Mode, at: _Columns) -> None:
    """Items won, tied and lost as one bar per row; colours say better or worse only for metrics with a better side."""
    for k, (role, word) in enumerate((("good", "won"), ("none", "tied"), ("bad", "lost"))):
        rows = [(line, y) for line, y in zip(lines, heights) if sum(line.counts)]
        shares = [line.counts[k] / sum(line.counts) for line, _ in rows]
        numbers = _inside(shares, [line.counts[k] for line, _ in rows], at.digit)
        fills = [_fill(role, line.has_better_side, mode) for line, _ in rows]
        figure.add_bar(
            x=shares,
            y=[y for _, y in rows],
            orientation="h",
            width=0.5,
            xaxis="x2",
            marker={"color": fills},
            customdata=[line.counts[k] for line, _ in rows],
            text=numbers,
            textposition="inside",
            insidetextanchor=("start", "middle", "end")[k],
            textangle=0,
            textfont={"size": 11, "color": [_on_fill(k, line.has_better_side, mode) for line, _ in rows]},
            constraintext="none",
            hovertemplate=f"%{{customdata:,}} {word} (%{{x:.0%}})<extra></extra>",
            name=word,
        )


def _inside(shares: Sequence[float], counts: Sequence[int], digit: float) -> list[str]:
    """Numbers inside a bar that has room for them; each `digit` takes a share of the plot."""
    return [f"{n:,}" if share > 0.05 + digit * len(f"{n:,}") else "" for share, n in zip(shares, counts)]


def _fill(role: str, has_better_side: bool, mode: Mode) -> str:
    if role == "none":
        return grey(0.28)
    if has_better_side:
        return tone(role, mode)
    return tone("muted", mode) if role == "good" else grey(0.55 if mode == "light" else 0.8)


def _on_fill(k: int, has_better_side: bool, mode: Mode) -> str:
    return tone("paper" if k == 0 or (k == 2 and has_better_side) else "ink", mode)


def _heads(figure: go.Figure, heads: tuple[str, str], mode: Mode, ends: tuple[float, float]) -> None:
    left, right = ends
    figure.add_annotation(note(left, 0.72, plain(heads[0]), xref="paper", font=_font("muted", mode)))
    figure.add_annotation(note(right, 0.72, plain(heads[1]), xref="paper", xanchor="right", font=_font("muted", mode)))


def _span(lines: Sequence[ForestRow]) -> tuple[float, float]:
    """The range of all interval ends and zero, with a margin."""
    ends = [v for line in lines for v in (line.value, line.low, line.high) if defined(v)] + [0.0]
    low, high = min(ends), max(ends)
    room = 0.06 * (high - low) or 0.5
    return low - room, high + room


def _label(line: ForestRow, mode: Mode) -> str:
    if line.style is None:
        return plain(short(line.name, _LABEL))
    return f'<span style="color:{line.style.text(mode)}">{plain(short(line.name, _LABEL))}</span>'


def _font(role: str, mode: Mode) -> dict[str, Any]:
    return {"size": 12, "color": tone(role, mode)}
