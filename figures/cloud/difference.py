"""Where two runs put their captions: the difference between their densities, in a figure, sentences and a table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from figures.cloud.chart import HoverTexts, Look, Texts, axes, points, region
from figures.cloud.labels import labels
from figures.style.drawing import Drawing
from figures.style.escaping import Strong
from figures.style.numbers import count, p_phrase, percent
from figures.style.palette import Mode, ModelStyle, frame, plain, tone
from metrics.analysis.cloud.density import Density
from metrics.analysis.cloud.difference import DRAWS, DensityDifference, Spot
from metrics.analysis.cloud.view import CloudView, Group
from metrics.mathematics.arrays import Floats
from metrics.permutation.pvalues import ALPHA

HEIGHT = 560
READING = "Dark: where one run puts significantly more of its captions. Light: at least half that difference."
HOW = (
    "In different places: the share of one run's captions that would have to move to match the other's; densities are "
    "smoothed with a kernel twice as wide as that of the regions. Chance, p and “significantly” come from "
    f"{DRAWS:,} random reassignments of the captions of each {{noun}} to the two runs; in 5 % of these, the difference "
    "reaches the dark line somewhere in the plane. Words: those that captions there use more often than captions "
    "elsewhere (log-odds with a prior, Monroe et al. 2008)."
)
Spots = tuple[tuple[Spot, ...], tuple[Spot, ...]]


def looks(first: ModelStyle, second: ModelStyle, mode: Mode) -> tuple[Look, Look]:
    """Return the styles of two runs; if both are of one model, the second has hollow marks in ink."""
    one = Look(first.mark(mode), first.symbol)
    if first == second:
        return one, Look(tone("ink", mode), f"{first.symbol}-open")
    return one, Look(second.mark(mode), second.symbol)


def difference(
    view: CloudView,
    found: DensityDifference,
    of_spots: Spots,
    texts: Texts,
    styles: tuple[ModelStyle, ModelStyle],
    mode: Mode,
    width: float | None = None,
) -> go.Figure:
    """Return the plane with regions where one of the view's two groups has more captions: dashed for the second group.

    `width` is the width of the paper in px; None on screen.
    """
    figure, both = Drawing(), looks(*styles, mode)
    for way, of in zip((1, -1), both):
        dense = Density(found.grid, np.maximum(way * found.height, 0.0), (found.sure, found.sure / 2))
        region(figure, dense, of.colour, mode, dashed=way < 0)
    said = HoverTexts(view, texts)
    said.size, said.opacity = 4.5, 0.45
    for group, of in zip(view.groups, both):
        points(figure, said, group, of, mode)
    height = HEIGHT if width is None else min(HEIGHT, int(width))
    frame(figure, mode, height, margin={"l": 4, "r": 4, "t": 4, "b": 34}, showlegend=True, dragmode="pan")
    figure.update_layout(
        legend={"orientation": "h", "x": 0, "y": -0.01, "xanchor": "left", "yanchor": "top", "itemsizing": "constant"}
    )
    axes(figure, view)
    named = [spot.place for side in of_spots for spot in side if spot.place.words]
    labels(figure, view.layout.xy, named, height - 62, mode)
    return figure


def verdict(found: DensityDifference, of_spots: Spots, names: tuple[str, str]) -> tuple[str, ...]:
    """Return whether the two runs put their captions in different places, and the words of those places."""
    first, second = map(Strong, names)
    p = p_phrase(found.p_value, found.floor)
    if found.p_value > ALPHA:
        apart = f" put {percent(found.apart)} of captions in different places, as two similar runs would "
        return ("No significant difference: ", first, " and ", second, f"{apart}({percent(found.by_chance)}, {p}).")
    apart = f" put {percent(found.apart)} of captions in different places "
    said = (first, " and ", second, f"{apart}({percent(found.by_chance)} by chance, {p}). ")
    one, other = (_said(side) for side in of_spots)
    if one and other:
        return (*said, f"The first uses {one} more, the second {other}.")
    if one or other:
        return (*said, f"The {'first' if one else 'second'} uses {one or other} more.")
    return said


def _said(side: Sequence[Spot]) -> str:
    return next((f"“{', '.join(spot.place.words)}”" for spot in side if spot.place.words), "")


def listed(spot: Spot, names: tuple[str, str]) -> str:
    """Return a line about a place: its words, if any, and each run's share of captions."""
    words = ", ".join(spot.place.words) or "no typical word"
    return f"{words}: {percent(spot.first)} of {names[0]}, {percent(spot.second)} of {names[1]}."


def table(of_spots: Spots, names: tuple[str, str], texts: Sequence[str], xy: Floats) -> pd.DataFrame:
    """Return a row for each place where one run has significantly more captions; `xy` are (texts, 2) positions."""
    rows = [(name, spot) for name, side in zip(names, of_spots) for spot in side]
    return pd.DataFrame(
        {
            "More of": [name for name, _ in rows],
            "Words": [", ".join(spot.place.words) for _, spot in rows],
            names[0]: [spot.first for _, spot in rows],
            names[1]: [spot.second for _, spot in rows],
            "A caption there": [texts[middle(spot, xy)] for _, spot in rows],
        }
    )


def middle(spot: Spot, xy: Floats) -> int:
    """Return the row in `xy` (texts, 2) of the caption nearest to the peak of a place."""
    rows = spot.place.rows
    return int(rows[np.linalg.norm(xy[rows] - (spot.place.x, spot.place.y), axis=1).argmin()])


def alt(found: DensityDifference, groups: Sequence[Group]) -> str:
    """Return the text alternative of the figure."""
    one, other = (plain(group.name) for group in groups)
    return (
        f"Density of captions of {one} minus that of {other}: {percent(found.apart)} of captions lie apart. The table "
        "lists the places."
    )


def footer(found: DensityDifference, groups: Sequence[Group], noun: str) -> list[str]:
    """Return the facts below the figure: the number of captions of each run, and how the difference was tested."""
    n = " and ".join(count(len(group.rows), "caption") for group in groups)
    return [f"n = {n}.", HOW.format(noun=noun)]
