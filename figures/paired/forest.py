"""Forest plots of the differences between two runs, or between all runs and one, with the items each side wins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from data.study import Study
from figures.style.drawing import Drawing
from figures.style.escaping import short
from figures.style.numbers import DASH, at_floor, decimals, defined, interval, num, p_text, signed
from figures.style.palette import Mode, ModelStyle, frame, grey, note, plain, tone
from figures.style.run_names import short_names
from figures.style.wording import BETTER, heading, lead_means
from metrics.analysis.paired import Comparison, Family
from metrics.base import Metric
from metrics.engine.result import PENDING
from metrics.permutation.pvalues import ALPHA

_ROW, _HEAD, _GAP = 34, 30, 0.9
_LABEL = 26
_WORDS_WIDTH = 66
# Right ends of the columns of numbers, and the bar between the last two, as shares of the plot.
_FOREST, _DIFFERENCE, _P, _WON, _BAR, _LOST = (0.0, 0.34), 0.5, 0.7, 0.79, (0.805, 0.905), 1.0


@dataclass(frozen=True)
class ForestRow:
    """One comparison as a row: `value`, `low`, `high` as drawn; `means` states what a lead means.

    `significant` refers to the corrected p; `counts` are the items won, tied and lost by the first run. `reason`
    replaces missing numbers, and `waiting` means that they are being computed. `favour` is the difference oriented so
    that positive values favour the first run; `family` is the metric's family, or "longer" for length.
    """

    key: str
    name: str
    value: float = np.nan
    low: float = np.nan
    high: float = np.nan
    significant: bool = False
    means: str = BETTER
    counts: tuple[int, int, int] = (0, 0, 0)
    difference: str = DASH
    p: str = DASH
    hover: str = ""
    reason: str = ""
    style: ModelStyle | None = None
    family: str = ""
    favour: str = DASH
    waiting: bool = False

    @property
    def has_better_side(self) -> bool:
        """Whether a lead is a better value, and not only a more varied or longer text."""
        return self.means == BETTER


def digits(comparison: Comparison) -> int:
    """Return the number of decimals that suits the compared values."""
    return decimals(comparison.values)


def adjusted_text(comparison: Comparison, adjusted: float, over_all_pairs: bool = False) -> str:
    """Return the corrected p, with "≤" if it comes from a test at its floor; Student's t, for all pairs, has none."""
    test = comparison.test
    lowest = not over_all_pairs and at_floor(test.p_value, test.floor) and adjusted < 1
    return p_text(adjusted, adjusted if lowest else None)


def ordered(family: Family) -> list[tuple[Comparison, float]]:
    """Return comparisons with their corrected p, the best for the first run first.

    Metrics by which one direction is better come before the others.

    Comparisons by one metric are ordered by difference, those by several metrics by d_z, their common scale.
    """
    one = len({c.metric for c in family.comparisons}) == 1

    def favour(c: Comparison) -> float:
        value = c.sign * (c.difference if one else c.effect.value)
        return -value if defined(value) else np.inf

    pairs = zip(family.comparisons, map(float, family.adjusted))
    return sorted(pairs, key=lambda pair: (not pair[0].has_better_side, favour(pair[0])))


def metric_lines(family: Family) -> list[ForestRow]:
    """Return a row for each metric, drawn as d_z in favour of the first run."""
    out = []
    for c, p in ordered(family):
        ends = sorted((c.sign * c.effect.low, c.sign * c.effect.high))
        effect = (c.sign * c.effect.value, ends[0], ends[1])
        out.append(_line(family, c, p, c.metric.name, heading(c.metric), effect))
    return out


def run_lines(study: Study, family: Family, styles: Mapping[str, ModelStyle]) -> list[ForestRow]:
    """Return a row for each run, drawn as its advantage over the baseline, best first.

    `styles` maps the names of runs to their styles.
    """
    short = short_names(study.runs)
    out = []
    for c, p in ordered(family):
        low, high = sorted((c.sign * c.low, c.sign * c.high))
        drawn, sides = (c.sign * c.difference, low, high), ("run", "baseline")
        out.append(_line(family, c, p, c.first, short[c.first], drawn, styles.get(c.first), sides))
    return out


def forest(lines: Sequence[ForestRow], mode: Mode, title: str, heads: Sequence[str]) -> go.Figure:
    """Return rows with an interval around zero, the advantage and p in words, and items won, tied and lost as a bar.

    `title` is the axis title; better is to the right. `heads` are the column headings: advantage, p, items won, items
    lost. The customdata of a point is the row's key. Colours are the runs' own; position shows which side is ahead.
    """
    figure = Drawing()
    heights = _heights(lines)
    labels = [_label(line, lines, mode) for line in lines]
    left = min(16 + 6.6 * max((min(len(line.name), _LABEL) for line in lines), default=8), 190)
    for line, y in zip(lines, heights):
        _row(figure, line, y, mode)
    _bars(figure, lines, heights, mode)
    bottom, top = min(heights, default=0) - 0.6, 1.0
    frame(
        figure,
        mode,
        int(_ROW * (top - bottom)) + _HEAD + 26,
        margin={"l": left, "r": 4, "t": 4, "b": 46},
        barmode="stack",
    )
    for x, text in zip((_DIFFERENCE, _P, _WON, _LOST), heads, strict=True):
        figure.add_annotation(note(x, 0.72, plain(text), xref="paper", xanchor="right", font=_font("muted", mode)))
    low, high = _span(lines)
    figure.add_shape(type="line", x0=0, x1=0, y0=bottom, y1=0.5, line={"color": grey(0.8), "width": 1.25})
    figure.update_xaxes(domain=list(_FOREST), range=[low, high], title_text=plain(title), nticks=5, zeroline=False)
    figure.update_layout(xaxis2={"domain": list(_BAR), "range": [0, 1], "visible": False, "anchor": "y"})
    figure.update_yaxes(range=[bottom, top], tickvals=heights, ticktext=labels, showgrid=False)
    return figure


def _line(
    of: Family,
    c: Comparison,
    adjusted: float,
    key: str,
    name: str,
    drawn: tuple[float, float, float],
    style: ModelStyle | None = None,
    sides: tuple[str, str] = ("A", "B"),
) -> ForestRow:
    if c.reason:
        return ForestRow(
            key,
            name,
            reason=c.reason,
            means=lead_means(c.metric),
            style=style,
            family=_group(c.metric),
            waiting=c.reason == PENDING,
        )
    significant, p, places = adjusted <= ALPHA, adjusted_text(c, adjusted, of.over_all_pairs), digits(c)
    return ForestRow(
        key,
        name,
        *drawn,
        significant,
        lead_means(c.metric),
        c.counts,
        signed(c.difference, places),
        p,
        _hover(c, places, sides),
        style=style,
        family=_group(c.metric),
        favour=signed(c.sign * c.difference, places),
    )


def _group(metric: Metric) -> str:
    """The group of a metric's row: its family, or "longer", because length is neither quality nor variety."""
    return "longer" if metric.more_means == "longer" else metric.family


def _hover(c: Comparison, places: int, sides: tuple[str, str]) -> str:
    """The numbers that the row does not show, in two short lines that do not cover neighbouring rows."""
    values = ", ".join(f"{side} {num(value, places)}" for side, value in zip(sides, c.values))
    return (
        f"{values}, difference 95 % {interval(c.low, c.high, places)}<br>d<sub>z</sub> "
        f"{signed(c.effect.value, 2)} ({interval(c.effect.low, c.effect.high, 2)}), uncorrected p "
        f"{p_text(c.test.p_value, c.test.floor)}"
    )


def _heights(lines: Sequence[ForestRow]) -> list[float]:
    split = any(line.has_better_side for line in lines)
    return [-i - (_GAP if split and not line.has_better_side else 0.0) for i, line in enumerate(lines)]


def _row(figure: go.Figure, line: ForestRow, y: float, mode: Mode) -> None:
    if line.reason:
        words = f"{DASH} {plain(line.reason, _WORDS_WIDTH)}"
        figure.add_annotation(note(0, y, words, xref="paper", font=_font("muted", mode)))
        return
    colour = _hue(line, mode)
    if defined(line.low) and defined(line.high):
        ends, ink = [line.low, line.high], {"color": colour, "width": 2}
        figure.add_scatter(x=ends, y=[y, y], mode="lines", hoverinfo="skip", line=ink)
    figure.add_scatter(
        x=[line.value],
        y=[y],
        mode="markers",
        name=plain(line.name),
        customdata=[line.key],
        cliponaxis=False,
        marker={
            "size": 11,
            "color": colour if line.significant else tone("paper", mode),
            "symbol": line.style.symbol if line.style else "circle",
            "line": {"width": 2, "color": colour},
        },
        hovertemplate=f"{line.hover}<extra></extra>",
    )
    won, _, lost = line.counts
    for x, text, strong in (
        (_DIFFERENCE, line.favour, line.significant),
        (_P, line.p, False),
        (_WON, f"{won:,}", won > lost),
        (_LOST, f"{lost:,}", lost > won),
    ):
        said, font = f"<b>{text}</b>" if strong else text, _font("ink" if strong else "muted", mode)
        figure.add_annotation(note(x, y, said, xref="paper", xanchor="right", font=font))


def _hue(line: ForestRow, mode: Mode) -> str:
    return line.style.mark(mode) if line.style else tone("ink", mode)


def _bars(figure: go.Figure, lines: Sequence[ForestRow], heights: Sequence[float], mode: Mode) -> None:
    """Draw items won, tied and lost as one bar per row: solid in the run's colour, empty, and pale."""
    rows = [(line, y) for line, y in zip(lines, heights) if sum(line.counts)]
    paints = (
        ("won", [_hue(line, mode) for line, _ in rows]),
        ("tied", [tone("paper", mode)] * len(rows)),
        ("lost", [grey(0.28)] * len(rows)),
    )
    for k, (word, fills) in enumerate(paints):
        figure.add_bar(
            x=[line.counts[k] / sum(line.counts) for line, _ in rows],
            y=[y for _, y in rows],
            orientation="h",
            width=0.4,
            xaxis="x2",
            marker={"color": fills, "line": {"width": 1, "color": grey(0.45)}},
            customdata=[line.counts[k] for line, _ in rows],
            hovertemplate=f"%{{customdata:,}} {word} (%{{x:.0%}})<extra></extra>",
            name=word,
        )


def _span(lines: Sequence[ForestRow]) -> tuple[float, float]:
    ends = [v for line in lines for v in (line.value, line.low, line.high) if defined(v)] + [0.0]
    low, high = min(ends), max(ends)
    room = 0.06 * (high - low) or 0.5
    return low - room, high + room


def _label(line: ForestRow, lines: Sequence[ForestRow], mode: Mode) -> str:
    name = plain(short(line.name, _LABEL, [one.name for one in lines]))
    return name if line.style is None else f'<span style="color:{line.style.text(mode)}">{name}</span>'


def _font(role: str, mode: Mode) -> dict[str, Any]:
    return {"size": 12, "color": tone(role, mode)}
