"""The figures behind one TRM: rank shares, their null cloud, the null distribution, distances, and one triangle.

Runs have the colours of their `ModelStyle`; references are in ink. Arrays come from `metrics.mathematics.triangle` and
`metrics.permutation.item_test`: row 0 of the shares has its pair in the references, row 1 in the candidates.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from figures.style.drawing import Drawing
from figures.style.numbers import count, num
from figures.style.palette import Mode, ModelStyle, alpha, frame, grey, note, plain, ramp, tone

Floats = npt.NDArray[np.floating[Any]]
RANKS = ("shortest", "middle", "longest")
SIDES = ("people", "the run")
CLOUD = 2000
"""Maximum number of relabellings drawn in a ternary plot: more would slow the browser. The page states both numbers."""
_FILLS = (0.9, 0.55, 0.25)
_EDGE = 1e-9


def rank_shares(shares: Floats, style: ModelStyle, mode: Mode) -> go.Figure:
    """Plot (2, 3) rank shares as two stacked bars.

    The dashes at one and two thirds show where the bars would divide if all captions came from one source and were
    many.
    """
    figure = Drawing()
    for k, rank in enumerate(RANKS):
        fills = [grey(_FILLS[k]), alpha(style.mark(mode), _FILLS[k])]
        figure.add_bar(
            x=shares[:, k],
            y=[1, 0],
            name=rank,
            orientation="h",
            width=0.4,
            customdata=SIDES,
            marker={"color": fills, "line": {"width": 1.5, "color": tone("paper", mode)}},
            hovertemplate=f"Pairs by %{{customdata}}: {rank} %{{x:.1%}}<extra></extra>",
        )
    for row, y in enumerate((1, 0)):
        figure.add_annotation(note(0, y + 0.37, f"<b>Pairs by {SIDES[row]}</b>, third caption by {SIDES[1 - row]}"))
        for k, rank in enumerate(RANKS):
            words = f"{rank} <b>{100 * shares[row, k]:.0f} %</b>"
            figure.add_annotation(note(k / 2, y - 0.25, words, yanchor="top", xanchor=("left", "center", "right")[k]))
        for third in (1 / 3, 2 / 3):
            line = {"color": tone("ink", mode), "width": 1.25, "dash": "2px,2px"}
            figure.add_shape(type="line", x0=third, x1=third, y0=y - 0.26, y1=y + 0.26, line=line)
    frame(figure, mode, 250, margin={"l": 1, "r": 1, "t": 0, "b": 0}, barmode="stack")
    figure.update_xaxes(visible=False, range=[0, 1])
    figure.update_yaxes(visible=False, range=[-0.55, 1.5])
    return figure


def ternary(shares: Floats, null: Floats, style: ModelStyle, mode: Mode) -> go.Figure:
    """Plot observed (2, 3) rank shares amid the shares under relabelling; a cross marks three equal shares.

    `null` is (relabellings, 2, 3); at most CLOUD of them are drawn, sampled at random with a fixed seed.
    """
    pick = np.random.default_rng(0).permutation(len(null))[:CLOUD]
    figure = Drawing()
    for row, scene in enumerate(("ternary", "ternary2")):
        colour = style.mark(mode) if row else tone("ink", mode)
        _cloud(figure, scene, null[pick, row], mode)
        figure.add_scatterternary(
            **_abc(shares[row]),
            mode="markers",
            subplot=scene,
            cliponaxis=False,
            name=f"observed, {SIDES[row]}",
            marker={"size": 11, "color": colour, "line": {"width": 2, "color": tone("paper", mode)}},
            hovertemplate="shortest %{b:.3f}<br>middle %{a:.3f}<br>longest %{c:.3f}<extra></extra>",
        )
        left, right = (0.0, 0.46) if row == 0 else (0.54, 1.0)
        figure.update_layout({scene: _triangle_axes(left, right)})
        figure.add_annotation(
            note(
                (left + right) / 2, 1.02, f"Pairs of <b>{SIDES[row]}</b>", xref="paper", yref="paper", xanchor="center"
            )
        )
    return frame(figure, mode, 250, margin={"l": 4, "r": 4, "t": 18, "b": 4})


def null_histogram(
    null: Floats, observed: float, p_label: str, style: ModelStyle, mode: Mode, label: str = "TRM"
) -> go.Figure:
    """Plot the statistic under relabelling; the observed value is a bin edge, so the coloured tail is what p counts.

    `null` (relabellings,) contains the value of every relabelling tried, including the observed one if all were tried;
    `p_label` is shown verbatim.
    """
    edges, counts, extreme = null_bins(null, observed)
    colour = style.text(mode)
    fills = [alpha(colour, 0.85) if e else grey(0.5) for e in extreme]
    figure = Drawing(_null_bars(edges, counts, fills))
    top = max(int(counts.max()), 1)
    # The words are above the highest bar, wherever the observed value is.
    figure.add_shape(type="line", x0=observed, x1=observed, y0=0, y1=1.3 * top, line={"color": colour, "width": 2})
    side = "left" if observed < edges[0] + 0.6 * (edges[-1] - edges[0]) else "right"
    words = f"<b>Observed {num(observed)}</b><br>{plain(p_label)}"
    figure.add_annotation(
        note(
            observed,
            1.32 * top,
            words,
            xanchor=side,
            align=side,
            xshift=8 if side == "left" else -8,
            yanchor="top",
            font={"size": 12, "color": colour},
        )
    )
    frame(figure, mode, 250, margin={"l": 56, "r": 6, "t": 6, "b": 40}, bargap=0)
    figure.update_xaxes(title_text=f"{plain(label)} by chance", range=[edges[0], edges[-1]], nticks=7)
    figure.update_yaxes(range=[0, 1.34 * top], nticks=4, tickformat="~s", title_text="ways to split")
    return figure


def _null_bars(edges: Floats, counts: npt.NDArray[np.int64], fills: list[str]) -> go.Bar:
    return go.Bar(
        x=(edges[:-1] + edges[1:]) / 2,
        y=counts,
        width=0.92 * np.diff(edges),
        name="relabellings",
        marker={"color": fills, "line": {"width": 0}, "cornerradius": 2},
        customdata=np.c_[edges[:-1], edges[1:]],
        hovertemplate="%{customdata[0]:.3f} to %{customdata[1]:.3f}: %{y:,} splits<extra></extra>",
    )


def null_bins(
    null: Floats, observed: float, bins: int = 40
) -> tuple[Floats, npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Return (k + 1,) edges, (k,) counts, and whether each bin is at least as extreme as `observed`, one of the edges.

    Values within a relative 1e-9 of the observed one count as equal to it, as they do in p.
    """
    values = np.where(np.abs(null - observed) <= _EDGE * max(1.0, abs(observed)), observed, null)
    step = (max(values.max(), observed) - min(values.min(), observed)) / bins or 1.0 / bins
    # Bin 0 starts at the observed value and includes it.
    index = np.floor((values - observed) / step).astype(np.int64)
    first, last = min(int(index.min()), -1), max(int(index.max()), 0)
    counts = np.bincount(index - first, minlength=last - first + 1)
    edges = observed + step * np.arange(first, last + 2)
    return edges, counts, np.arange(first, last + 1) >= 0


def distance_heatmap(
    distance: Floats, is_candidate: npt.NDArray[np.bool_], texts: Sequence[str], style: ModelStyle, mode: Mode
) -> go.Figure:
    """Plot pooled (N, N) distances, references first; a stronger cell means nearer texts; rows are hypotheses.

    The colour scale runs from the smallest distance above zero to the largest: equal texts have the strongest cell.
    """
    order = np.argsort(is_candidate, kind="stable")
    names = text_names(is_candidate)
    shown = distance[np.ix_(order, order)].astype(float)
    np.fill_diagonal(shown, np.nan)
    size, refs = len(order), int((~is_candidate).sum())
    near, far = _ends(shown)
    figure = Drawing(
        go.Heatmap(
            z=shown,
            x=np.arange(size),
            y=np.arange(size),
            zmin=near,
            zmax=far,
            colorscale=ramp(mode),
            colorbar=_distance_bar(near, far),
            xgap=1.5 if size <= 40 else 0,
            ygap=1.5 if size <= 40 else 0,
            hoverongaps=False,
            text=_pair_texts(order, names, texts),
            hovertemplate="%{text}<br>distance %{z:.3f}<extra></extra>",
        )
    )
    _between_sides(figure, refs - 0.5, size - 0.5, mode)
    frame(figure, mode, 384, margin={"l": 34, "r": 64, "t": 28, "b": 8})
    at, labels = _heat_ticks(order, names, is_candidate, style, mode)
    figure.update_xaxes(
        side="top", tickvals=at, ticktext=labels, ticks="", range=[-0.5, size - 0.5], tickangle=0, constrain="domain"
    )
    figure.update_yaxes(
        tickvals=at, ticktext=labels, range=[size - 0.5, -0.5], showgrid=False, scaleanchor="x", constrain="domain"
    )
    return figure


def _between_sides(figure: go.Figure, at: float, end: float, mode: Mode) -> None:
    for side in ({"x0": at, "x1": at, "y0": -0.5, "y1": end}, {"y0": at, "y1": at, "x0": -0.5, "x1": end}):
        figure.add_shape(type="line", line={"color": tone("ink", mode), "width": 2}, **side)


def _ends(distance: Floats) -> tuple[float, float]:
    """The smallest distance above zero and the largest; (0, largest) if all are equal, and (0, 1) if there are none."""
    known = distance[np.isfinite(distance) & (distance > 0)]
    if not len(known):
        return 0.0, 1.0
    near, far = float(known.min()), float(known.max())
    return (near, far) if far - near > _EDGE * far else (0.0, far)


def _tick(distance: float) -> str:
    """Format a distance with at most two decimals and no trailing zeros: "0.75", "0"; "<0.01" if small but not zero."""
    return "<0.01" if 0 < distance < 0.01 else f"{distance:.2f}".rstrip("0").rstrip(".")


def _distance_bar(near: float, far: float) -> dict[str, Any]:
    return {
        "thickness": 8,
        "len": 0.5,
        "outlinewidth": 0,
        "x": 1.01,
        "tickvals": [near, (near + far) / 2, far],
        "ticklen": 0,
        "ticktext": [_tick(value) for value in (near, (near + far) / 2, far)],
        "tickfont": {"size": 11},
        "title": {"text": "distance", "side": "right", "font": {"size": 11}},
    }


def text_names(is_candidate: npt.NDArray[np.bool_]) -> list[str]:
    """Name the (N,) pooled texts: references "r1", "r2", candidates "c1", "c2"; the whole page uses these names."""
    within = np.where(is_candidate, np.cumsum(is_candidate), np.cumsum(~is_candidate))
    return [f"{'c' if c else 'r'}{i}" for c, i in zip(is_candidate, within)]


def triangle_image(
    inside: float, left: float, right: float, pair_colour: str, point_colour: str, mode: Mode, digits: int = 2
) -> str:
    """Return a triangle as an SVG data URI, to scale; if no triangle has these sides, the nearest flat one.

    `inside` is the side that joins the pair; `left` and `right` lead to the third point.
    """
    ink, muted = tone("ink", mode), tone("muted", mode)
    (x1, y1), (x2, y2), (x3, y3) = corners = _corners(inside, left, right)
    # Labels go beside steep sides and above flat ones.
    aside, up = (17, 0) if abs(y3 - y1) > 26 else (6, -9)
    words = "".join(
        f'<text x="{(p[0] + q[0]) / 2 + dx:.1f}" y="{(p[1] + q[1]) / 2 + dy:.1f}" font-family="Arial, sans-serif"'
        f' font-size="11" fill="{ink}" text-anchor="middle">{num(length, digits)}</text>'
        for p, q, length, dx, dy in (
            (corners[0], corners[1], inside, 0, 16),
            (corners[0], corners[2], left, -aside, up),
            (corners[1], corners[2], right, aside, up),
        )
    )
    dots = "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{colour}"/>'
        for x, y, colour in ((x1, y1, pair_colour), (x2, y2, pair_colour), (x3, y3, point_colour))
    )
    sides = f"M{x1:.1f} {y1:.1f}L{x3:.1f} {y3:.1f}L{x2:.1f} {y2:.1f}"
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 168 120" width="168" height="120">'
        f'<path d="{sides}" fill="none" stroke="{muted}" stroke-width="1.5"/>'
        f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" stroke="{pair_colour}" stroke-width="3.5"/>{dots}{words}</svg>'
    )
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode()


def shown_of(relabellings: int) -> str:
    """Return how many splits of the captions a ternary plot shows: "all 1,001 splits", "2,000 of 184,756 splits"."""
    if relabellings <= CLOUD:
        return f"all {count(relabellings, 'split')}"
    return f"{CLOUD:,} of {count(relabellings, 'split')}"


def _abc(shares: Floats) -> dict[str, Any]:
    """The shares as coordinates of the ternary plot: middle rank on top, shortest left, longest right."""
    rows = np.atleast_2d(shares)
    return {"a": rows[:, 1], "b": rows[:, 0], "c": rows[:, 2]}


def _cloud(figure: go.Figure, scene: str, null: Floats, mode: Mode) -> None:
    ink = tone("ink", mode)
    figure.add_scatterternary(
        **_abc(null),
        mode="markers",
        subplot=scene,
        hoverinfo="skip",
        name="relabellings",
        marker={"size": 3.5, "color": grey(0.5), "line": {"width": 0}},
    )
    figure.add_scatterternary(
        a=[1 / 3],
        b=[1 / 3],
        c=[1 / 3],
        mode="markers",
        subplot=scene,
        hoverinfo="skip",
        marker={"size": 9, "symbol": "cross-thin", "line": {"width": 1.5, "color": ink}},
    )
    # Corner words are points on the corners: they follow the triangle at any width (axis titles are clipped). The wide
    # spaces leave the corner free for a mark.
    figure.add_scatterternary(
        a=[1, 0, 0],
        b=[0, 1, 0],
        c=[0, 0, 1],
        mode="text",
        subplot=scene,
        cliponaxis=False,
        hoverinfo="skip",
        text=["middle", "\u2003shortest", "longest\u2003"],
        textposition=["top center", "bottom right", "bottom left"],
        textfont={"size": 11},
    )


def _triangle_axes(left: float, right: float) -> dict[str, Any]:
    axis = {
        "tickvals": [1 / 3, 2 / 3],
        "showticklabels": False,
        "ticks": "",
        "gridcolor": grey(0.28),
        "linecolor": grey(0.55),
        "linewidth": 1,
        "title": {"text": ""},
    }
    domain = {"x": [left, right], "y": [0.08, 0.86]}
    return {"domain": domain, "sum": 1, "bgcolor": "rgba(0,0,0,0)", "aaxis": axis, "baxis": axis, "caxis": axis}


def _pair_texts(order: npt.NDArray[np.int_], names: Sequence[str], texts: Sequence[str]) -> list[list[str]]:
    """(N, N) hover texts of the heatmap, in this order: the names and captions of both texts.

    With more than 40 texts, only the names, because N x N captions would take megabytes.
    """
    said = [f"{names[i]} {plain(texts[i], 60)}" if len(order) <= 40 else names[i] for i in order]
    return [[f"{a}<br>{b}" for b in said] for a in said]


def _heat_ticks(
    order: npt.NDArray[np.int_],
    names: Sequence[str],
    is_candidate: npt.NDArray[np.bool_],
    style: ModelStyle,
    mode: Mode,
) -> tuple[list[int], list[str]]:
    every = 1 if len(order) <= 16 else math.ceil(len(order) / 8)
    colours = {True: style.text(mode), False: tone("ink", mode)}
    refs = int((~is_candidate).sum())
    # "c1" is always shown; a reference label so near that the two would overlap is not.
    at = [
        p for p, i in enumerate(order) if (int(names[i][1:]) - 1) % every == 0 and not 0 < p < refs <= p + every * 0.7
    ]
    return at, [f'<span style="color:{colours[bool(is_candidate[order[p]])]}">{names[order[p]]}</span>' for p in at]


def _corners(inside: float, left: float, right: float) -> list[tuple[float, float]]:
    """The corners of the triangle in the 168 x 120 drawing: the pair, then the third point."""
    longest = max(inside, left, right, 1e-6)
    a, b, c = inside / longest, left / longest, right / longest
    x = (b * b - c * c + a * a) / (2 * a) if a > 0.04 else 0.0
    y = math.sqrt(max(b * b - x * x, 0.0025))
    points = np.array([[0.0, 0.0], [a, 0.0], [x, y]])
    points -= (points.min(0) + points.max(0)) / 2
    scale = min(104 / max(float(np.ptp(points[:, 0])), 0.05), 66 / max(float(np.ptp(points[:, 1])), 0.05))
    placed = points * scale * [1, -1] + [84, 60]
    return [(float(px), float(py)) for px, py in placed]
