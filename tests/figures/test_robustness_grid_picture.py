"""Test that the saved grid of robustness curves has room for its names and numbers at every width."""

from __future__ import annotations

import itertools
import math

import numpy as np
import plotly.graph_objects as go
import pytest

from figures.export.paper import COLUMN, PAGE, layout_width
from figures.robustness.grid_picture import _LETTER, grid_picture
from metrics.analysis.robustness.defaults import FAULTS
from metrics.registry import METRICS
from metrics.transformations import TRANSFORMATIONS

NAMES = ("bleu_4", "cider_d", "meteor", "bleu_1", "rouge_l", "bert")


def picture(width: float | None, names: tuple[str, ...] = NAMES) -> go.Figure:
    faults = [TRANSFORMATIONS[name] for name in FAULTS]
    return grid_picture(faults, [METRICS[name] for name in names], {}, "light", width)


def heads(figure: go.Figure) -> list[go.layout.Annotation]:
    return [
        note
        for note in figure.layout.annotations
        if note.y == 1 and note.yanchor == "bottom" and note.text != "<b></b>"
    ]


@pytest.mark.parametrize("width", [None, layout_width(PAGE), layout_width(COLUMN), 340.0])
def test_names_are_whole_and_do_not_meet(width: float | None) -> None:
    figure = picture(width)
    margin, plot = figure.layout.margin, 0.0
    plot = (width or 1010) - margin.l - margin.r
    names = [note.text.replace("<b>", "").replace("</b>", "") for note in heads(figure)]
    assert [name.replace("<br>", " ") for name in names] == [METRICS[name].label for name in NAMES]
    places = [note.x * plot for note in heads(figure)]
    sloped = {note.textangle for note in heads(figure)} != {None}
    if sloped:
        # Names on a slope are as far apart, across it, as a line of text is high; none begins left of the figure.
        apart = min(b - a for a, b in itertools.pairwise(places)) * math.sin(math.radians(38))
        assert apart > 12
        assert all(at + margin.l > len(name) * 6 * math.cos(math.radians(38)) for at, name in zip(places, names))
    else:
        wide = [_LETTER * max(map(len, name.split("<br>"))) for name in names]
        assert all(at + w <= after for at, w, after in zip(places, wide, [*places[1:], plot + margin.r]))
    assert margin.t > (60 if sloped else 20)


def test_on_a_column_numbers_stand_above_their_curves_and_on_a_page_in_the_corner() -> None:
    places = {}
    for width in (layout_width(COLUMN), layout_width(PAGE)):
        figure = picture(width)
        corners = [note for note in figure.layout.annotations if note.xanchor == "right" and note.textangle is None]
        assert len(corners) == len(FAULTS) * len(NAMES)
        (places[width],) = {note.yanchor for note in corners}
        rows = sorted({figure.layout[axis].domain for axis in figure.layout if axis.startswith("yaxis")})
        gaps = np.diff([end for pair in rows for end in pair])[1::2] * (
            figure.layout.height - figure.layout.margin.t - 30
        )
        assert gaps.min() >= (26 if places[width] == "bottom" else 13), "a number above a panel has its own line"
    assert list(places.values()) == ["bottom", "top"]
