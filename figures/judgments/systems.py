"""Whole systems: a metric against people's ratings, and the influence of one system on the correlation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from figures.judgments.footer import criterion_label
from figures.judgments.ranking import ACCENT
from figures.style.drawing import Drawing
from figures.style.escaping import short
from figures.style.label_placement import Boxes, Label, place
from figures.style.numbers import defined, num
from figures.style.palette import Mode, alpha, frame, grey, note, plain, tone
from metrics.analysis.judgments.system_groups import Group, Pull
from metrics.mathematics.arrays import Floats

HEIGHT = 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 16, 28, 46
_FEW = 8
"""Maximum number of systems at which every name may be placed farther from its point."""


def scatter(group: Group, criterion: str, metric: str, left_out: str, mode: Mode, label: str = "") -> go.Figure:
    """Plot the systems with both values and the line fitted to them.

    A dashed line is fitted without the system `left_out`, whose mark is emphasised.
    """
    keep = group.known(criterion, metric)
    x = group.metrics[metric][keep] * (-1 if metric in group.lower else 1)
    y = group.criteria[criterion][keep]
    names = [name for name, one in zip(group.systems, keep) if one]
    figure = Drawing()
    frame(figure, mode, HEIGHT, margin={"l": _LEFT, "r": _RIGHT, "t": _TOP, "b": _BOTTOM})
    span = [_padded(side) for side in (x, y)]
    rest = np.array([name != left_out for name in names])
    lines = [
        _fit(figure, x, y, {"color": tone("muted", mode), "width": 1.6}),
        _fit(figure, x[rest], y[rest], {"color": ACCENT[mode], "width": 1.6, "dash": "5px,4px"}),
    ]
    colours = [tone("ink", mode) if one else ACCENT[mode] for one in rest]
    figure.add_scatter(
        x=x,
        y=y,
        mode="markers",
        customdata=names,
        cliponaxis=False,
        marker={"color": colours, "size": [8 if one else 12 for one in rest], "opacity": 0.85},
        text=[plain(name, 40) for name in names],
        hovertemplate="%{text}<br>%{x:.4g}, %{y:.4g}<extra></extra>",
    )
    _labels(figure, x, y, names, left_out, span, lines, mode)
    figure.update_xaxes(range=span[0], title_text=plain(label or metric), nticks=5, zeroline=False)
    figure.update_yaxes(range=span[1], nticks=5, zeroline=False)
    figure.add_annotation(
        note(0, 1, f"People: {plain(criterion_label(criterion))}", xref="paper", yref="paper", yshift=15, xshift=-40)
    )
    return figure


def _fit(figure: go.Figure, x: Floats, y: Floats, line: Mapping[str, object]) -> tuple[Floats, Floats]:
    """Draw the least-squares line; return the x and the y of its ends, or two empty arrays if there is no line."""
    if len(x) < 3 or np.ptp(x) <= 0:
        return np.empty(0), np.empty(0)
    slope, start = np.polyfit(x, y, 1)
    ends = np.array([x.min(), x.max()])
    figure.add_scatter(x=ends, y=start + slope * ends, mode="lines", line=line, hoverinfo="skip")
    return ends, start + slope * ends


def _labels(
    figure: go.Figure,
    x: Floats,
    y: Floats,
    names: Sequence[str],
    left_out: str,
    span: Sequence[tuple[float, float]],
    lines: Sequence[tuple[Floats, Floats]],
    mode: Mode,
) -> None:
    shares, few = [(side - low) / (high - low) for side, (low, high) in zip((x, y), span)], len(names) <= _FEW
    labels = [
        Label(float(a), float(b), short(name, 20), must=few or name == left_out, size=11.5, bold=name == left_out)
        for a, b, name in zip(*shares, names)
    ]
    boxes = Boxes(HEIGHT - _TOP - _BOTTOM, (280, 420))
    boxes.add(shares[0], shares[1], 9, 9)
    for ends in lines:
        drawn = [((side - low) / (high - low)).tolist() for side, (low, high) in zip(ends, span)]
        boxes.add_line(drawn[0], drawn[1])
    for at, label, name, a, b in zip(place(labels, boxes, lines=False), labels, names, x, y):
        if at is None:
            continue
        strong = name == left_out
        font = {"size": 11.5, "color": ACCENT[mode] if strong else tone("muted", mode)}
        text = f"<b>{plain(label.text)}</b>" if strong else plain(label.text)
        figure.add_annotation(note(a, b, text, xanchor="center", xshift=at.dx, yshift=at.dy, font=font))


def pulls(rows: Mapping[str, tuple[str, Pull]], chosen: str, mode: Mode) -> go.Figure:
    """Plot Pearson's r by metric: over all systems (dot), without one (ring), and the leave-one-out range (bar)."""
    figure = Drawing()
    n = len(rows)
    for k, (key, (label, one)) in enumerate(rows.items()):
        _pull(figure, key, label, one, -k, key == chosen, mode)
    frame(figure, mode, 62 + 31 * n + 24, margin={"l": 116, "r": 44, "t": 46, "b": 24})
    ends = [v for _, one in rows.values() for v in (one.value, one.without, one.low, one.high) if defined(v)]
    low, high = (min(ends), max(ends)) if ends else (-1.0, 1.0)
    room = 0.06 * ((high - low) or 1)
    figure.update_xaxes(range=[min(low, 0) - room, max(high, 0) + room], nticks=6, zeroline=False)
    figure.update_yaxes(range=[0.5 - n, 0.5], visible=False, fixedrange=True)
    figure.add_shape(type="line", x0=0, x1=0, y0=0.5, y1=0.5 - n, line={"color": grey(0.7), "width": 1})
    sizes = sorted({one.n for _, one in rows.values()}) or [0]
    names = {one.left_out for _, one in rows.values()}
    alone = plain(short(next(iter(names)), 22)) if len(names) == 1 else "the one that moves it most"
    said = f"● all {sizes[-1]}   <span style='color:{ACCENT[mode]}'>○ without {alone}</span>   ▬ without any one"
    figure.add_annotation(note(0, 1, said, xref="paper", yref="paper", yshift=16, xshift=-108, font={"size": 12}))
    head = note(0, 1, "What one system does to Pearson r", xref="paper", yref="paper", yshift=35, xshift=-108)
    figure.add_annotation(head)
    return figure


def _pull(figure: go.Figure, key: str, label: str, one: Pull, y: float, chosen: bool, mode: Mode) -> None:
    if chosen:
        figure.add_shape(
            type="rect",
            xref="paper",
            x0=-1,
            x1=2,
            y0=y - 0.45,
            y1=y + 0.45,
            line_width=0,
            layer="below",
            fillcolor=alpha(ACCENT[mode], 0.1),
        )
    colour = ACCENT[mode] if chosen else tone("ink", mode)
    text = plain(short(label, 18))
    font = {"size": 12.5, "color": colour}
    figure.add_annotation(note(0, y, f"<b>{text}</b>" if chosen else text, xref="paper", xshift=-108, font=font))
    if defined(one.low):
        figure.add_scatter(
            x=[one.low, one.high], y=[y, y], mode="lines", hoverinfo="skip", line={"color": grey(0.3), "width": 5}
        )
    ring = {"size": 10, "color": tone("paper", mode), "line": {"width": 2, "color": ACCENT[mode]}}
    dot = {"size": 9, "color": tone("ink", mode)}
    said = f"{plain(label)}<br>r {num(one.value, 2)}, without {plain(one.left_out)} {num(one.without, 2)}"
    for value, marker in ((one.without, ring), (one.value, dot)):
        if defined(value):
            figure.add_scatter(
                x=[value],
                y=[y],
                mode="markers",
                marker=marker,
                customdata=[key],
                cliponaxis=False,
                hovertemplate=f"{said}<extra></extra>",
            )
    figure.add_annotation(note(1, y, num(one.value, 2), xref="paper", xanchor="right", xshift=40))


def _padded(values: Floats) -> tuple[float, float]:
    room = 0.1 * (float(np.ptp(values)) or 1.0)
    return float(values.min()) - room, float(values.max()) + room
