"""The items behind a paired comparison: sorted differences, and the items on which two metrics disagree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from figures.style.drawing import Drawing
from figures.style.numbers import signed
from figures.style.palette import Mode, frame, grey, note, plain, tone
from metrics.analysis.paired import Comparison, opposed

Places = npt.NDArray[np.int64]
BARS = 300
"""Maximum number of bars; with more items, evenly spaced order statistics are drawn, including both extremes."""
GAPS = 100
"""Up to this number of bars, there are gaps between them."""
DOTS = 1_000
"""Maximum number of points in a scatter plot; with more items, a sample that includes the strongest disagreements."""
FEW = 300
"""Maximum number of points drawn as large marks."""
HEIGHT = 320


@dataclass(frozen=True)
class SideNames:
    """Names in a figure: the two sides, such as "A better" and "A more diverse", and the name of each item."""

    first: str
    second: str
    items: Sequence[str]


def in_order(comparison: Comparison) -> Places:
    """Return the (n,) positions of the items with a difference, best for the first run first, ties in file order."""
    ahead = comparison.sign * comparison.items
    known = np.flatnonzero(~np.isnan(ahead))
    return known[np.argsort(-ahead[known], kind="stable")]


def waterfall(comparison: Comparison, words: SideNames, mode: Mode, digits: int, here: int | None = None) -> go.Figure:
    """Return a chart with a bar for each item, or for some of many, sorted; up favours the first run.

    The item at position `here` is outlined. The customdata of a bar is the position of its item.
    """
    order = in_order(comparison)
    shown = order if len(order) <= BARS else order[np.linspace(0, len(order) - 1, BARS).round().astype(int)]
    values = comparison.items[shown]
    place = np.linspace(0, max(len(order) - 1, 0), len(shown)).round()
    step = len(order) / max(len(shown), 1)
    edge = [2.0 if k == here else 0.0 for k in shown]
    figure = Drawing(
        go.Bar(
            x=place + 1,
            y=values,
            width=step * (0.8 if len(order) <= GAPS else 1.0),
            customdata=shown,
            marker={"color": _colours(comparison, values, mode), "line": {"width": edge, "color": tone("ink", mode)}},
            text=[plain(words.items[k], 50) for k in shown],
            textposition="none",
            name="items",
            hovertemplate="%{text}<br>%{y:+.3f}<extra></extra>",
        )
    )
    figure.add_shape(type="line", x0=0.4, x1=len(order) + 0.6, y0=0, y1=0, line={"color": grey(0.8), "width": 1})
    bottom, top = _favour(comparison)
    wins, _, losses = comparison.counts
    for x, anchor, y, yanchor, text in (
        (1.0, "right", top, "top", f"{plain(words.first)} on {wins:,}"),
        (0.0, "left", bottom, "bottom", f"{plain(words.second)} on {losses:,}"),
    ):
        where = {"xref": "paper", "xanchor": anchor, "yanchor": yanchor, "bgcolor": tone("paper", mode)}
        figure.add_annotation(note(x, y, text, font=_muted(mode), **where))
    _mean_line(figure, comparison, len(order), digits, mode)
    frame(figure, mode, HEIGHT, margin={"l": 48, "r": 6, "t": 6, "b": 40}, bargap=0)
    figure.update_xaxes(range=[0.4, len(order) + 0.6], title_text="rank", nticks=6)
    figure.update_yaxes(range=[bottom, top], nticks=5)
    return figure


def _mean_line(figure: go.Figure, comparison: Comparison, n: int, digits: int, mode: Mode) -> None:
    mean = float(np.nanmean(comparison.items)) if n else 0.0
    figure.add_shape(
        type="line",
        x0=0.4,
        x1=n + 0.6,
        y0=mean,
        y1=mean,
        line={"color": tone("ink", mode), "width": 1.25, "dash": "dot"},
    )
    side = "left" if mean * comparison.sign < 0 else "right"
    up = comparison.sign > 0
    figure.add_annotation(
        note(
            0.0 if side == "left" else 1.0,
            mean,
            f"mean {signed(mean, digits)}",
            xref="paper",
            xanchor=side,
            yanchor="bottom" if up == (mean >= 0) or mean == 0 else "top",
            font=_muted(mode),
        )
    )


def scatter(
    one: Comparison, other: Comparison, words: SideNames, labels: tuple[str, str], mode: Mode, here: int | None = None
) -> go.Figure:
    """Plot each item's difference by two metrics; right and up favour the first run; disagreements are diamonds."""
    against = opposed(one, other)
    places = drawn_items(one, other)
    few = len(places) <= FEW
    figure = Drawing()
    for apart in (False, True):
        of = places[~np.isnan(against[places]) == apart]
        figure.add_scatter(
            x=one.items[of],
            y=other.items[of],
            mode="markers",
            customdata=of,
            cliponaxis=False,
            text=[plain(words.items[k], 50) for k in of],
            name="disagree" if apart else "agree",
            marker=_dot(apart, few, mode),
            hovertemplate="%{text}<br>%{x:+.3f}, %{y:+.3f}<extra></extra>",
        )
    if here is not None and here in places:
        figure.add_scatter(
            x=[one.items[here]],
            y=[other.items[here]],
            mode="markers",
            hoverinfo="skip",
            name="here",
            marker={"size": 16, "symbol": "circle-open", "color": tone("ink", mode), "line": {"width": 2}},
        )
    frame(figure, mode, HEIGHT, margin={"l": 52, "r": 8, "t": 22, "b": 44})
    zero = {"line": {"color": grey(0.8), "width": 1}}
    figure.add_shape(type="line", x0=0, x1=0, y0=0, y1=1, yref="paper", **zero)
    figure.add_shape(type="line", x0=0, x1=1, y0=0, y1=0, xref="paper", **zero)
    figure.update_xaxes(range=_favour(one), title_text=plain(labels[0]), nticks=5)
    figure.update_yaxes(range=_favour(other), title_text=plain(labels[1]), nticks=5, title_standoff=4)
    _corners(figure, one, against, mode)
    return figure


def _favour(comparison: Comparison) -> list[float]:
    low, high = _room(comparison.items[~np.isnan(comparison.items)])
    return [low, high] if comparison.sign > 0 else [high, low]


def _dot(apart: bool, few: bool, mode: Mode) -> dict[str, Any]:
    size = (9 if apart else 7) * (1.0 if few else 0.6)
    colour = tone("ink", mode) if apart else grey(0.5)
    shape = "diamond" if apart else "circle"
    return {"size": size, "symbol": shape, "color": colour, "opacity": 1.0 if few else 0.6, "line": {"width": 0}}


def drawn_items(one: Comparison, other: Comparison) -> Places:
    """Return the (n,) positions of the items drawn in a scatter plot: all with both differences, or DOTS of them.

    A tenth of the DOTS are the items on which the metrics disagree most; the others are drawn at random.
    """
    both = np.flatnonzero(~np.isnan(one.items) & ~np.isnan(other.items))
    if len(both) <= DOTS:
        return both
    strength = np.nan_to_num(np.abs(opposed(one, other)[both]))
    rest = np.random.default_rng(0).random(len(both))
    first = np.argsort(-strength, kind="stable")[: DOTS // 10]
    rest[first] = -1.0
    return np.sort(both[np.argsort(rest, kind="stable")[:DOTS]])


def _corners(figure: go.Figure, one: Comparison, against: npt.NDArray[np.float64], mode: Mode) -> None:
    right, left = (int((~np.isnan(against) & (side * one.sides_won > 0)).sum()) for side in (1, -1))
    for x, anchor, y, yanchor, n in ((1.0, "right", 0.0, "bottom", right), (0.0, "left", 1.0, "top", left)):
        figure.add_annotation(
            note(
                x,
                y,
                f"<b>{n:,}</b> disagree",
                xref="paper",
                yref="paper",
                xanchor=anchor,
                yanchor=yanchor,
                xshift=-4 if anchor == "right" else 4,
                font=_muted(mode),
                bgcolor=tone("paper", mode),
            )
        )


def _colours(comparison: Comparison, values: npt.NDArray[np.float64], mode: Mode) -> list[str]:
    """The colours of values: dark if the first run is better, pale if the second is, else grey; hues are for models."""
    first, second = (tone("muted", mode), grey(0.4)) if comparison.has_better_side else (grey(0.6), grey(0.6))
    ahead, tie = comparison.sign * values, comparison.metric.tie
    return [first if v > tie else second if v < -tie else grey(0.6) for v in ahead]


def _room(values: npt.NDArray[np.float64]) -> tuple[float, float]:
    low, high = min(float(values.min(initial=0.0)), 0.0), max(float(values.max(initial=0.0)), 0.0)
    pad = 0.09 * (high - low) or 0.5
    return low - pad, high + pad


def _muted(mode: Mode) -> dict[str, Any]:
    return {"size": 12, "color": tone("muted", mode)}
