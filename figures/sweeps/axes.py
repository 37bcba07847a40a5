"""The axis of temperatures."""

from __future__ import annotations

import math
from collections.abc import Sequence

import plotly.graph_objects as go

from figures.style.numbers import temperature


def temperature_axis(figure: go.Figure, temperatures: Sequence[float], log: bool) -> None:
    """Set ticks at the temperatures of the study, labelled where there is room, with priority for both ends and 1."""
    at = sorted(set(temperatures))
    scaled = [math.log10(t) if log else t for t in at]
    span = (scaled[-1] - scaled[0]) or 1.0
    wanted = sorted(range(len(at)), key=lambda k: (k not in (0, len(at) - 1), at[k] != 1.0, k))
    labels = [temperature(t) for t in at]
    kept: list[int] = []
    for k in wanted:
        if all(abs(scaled[k] - scaled[other]) / span > _room(labels[k], labels[other]) for other in kept):
            kept.append(k)
    names = [label if k in kept else "" for k, label in enumerate(labels)]
    pad = 0.05 * span if len(at) > 1 else 0.5
    figure.update_xaxes(
        type="log" if log else "linear",
        range=[scaled[0] - pad, scaled[-1] + pad],
        tickvals=at,
        ticktext=names,
        title_text="Temperature, logarithmic" if log else "Temperature",
        minor={"ticks": ""},
        tickangle=0,
    )


def _room(one: str, other: str) -> float:
    return 0.1 + 0.0195 * max(0, len(one) + len(other) - 6)
