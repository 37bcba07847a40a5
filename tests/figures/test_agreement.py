"""The matrix of metrics: every number where there is room, else only a minus, so that no sign is said by hue alone."""

from __future__ import annotations

import math

import numpy as np
import pytest

from figures.agreement.matrix import Cells, matrix
from figures.style.palette import Mode
from figures.unique_correct.heatmaps import luminance


def cells(count: int, chosen: tuple[str, str] | None) -> Cells:
    keys = [f"m{k}" for k in range(count)]
    values = np.corrcoef(np.random.default_rng(0).normal(size=(count, 30)))
    return Cells(keys, keys, values, np.full((count, count), 30), chosen)


@pytest.mark.parametrize(
    ("count", "narrow", "every"), [(7, True, True), (8, True, False), (14, False, True), (40, False, False)]
)
def test_cells_without_room_have_no_number_though_one_is_chosen(count: int, narrow: bool, every: bool) -> None:
    shown = cells(count, ("m2", "m5"))
    (numbers,) = (trace for trace in matrix(shown, "light", narrow).data if trace.type == "scatter")
    told = {tuple(keys): text for keys, text in zip(numbers.customdata, numbers.text) if text}
    negative = {
        (a, b) for i, a in enumerate(shown.keys) for j, b in enumerate(shown.keys) if shown.values[i, j] < -0.005
    }
    assert negative == {pair for pair, text in told.items() if text.startswith("\u2212")} != set()
    if every:
        assert len(told) == count * (count - 1)
    else:
        assert set(told.values()) == {"\u2212"}, "the number of the chosen pair stands beside the points"


@pytest.mark.parametrize(("count", "narrow"), [(6, False), (6, True), (12, False)])
def test_names_above_the_cells_are_whole_and_end_within_the_figure(count: int, narrow: bool) -> None:
    labels = ["MiniLM similarity"] * count
    shown = cells(count, None)
    figure = matrix(Cells(shown.keys, labels, shown.values, shown.n), "light", narrow)
    assert list(figure.layout.xaxis.ticktext) == labels
    angle, long = math.radians(-figure.layout.xaxis.tickangle), 6.4 * len(labels[0])
    assert long * math.sin(angle) < figure.layout.margin.t
    assert long * math.cos(angle) < figure.layout.margin.r + 12, "from the middle of the last cell"


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_the_scale_has_more_ink_for_more_alike_and_its_end_below_zero_is_lighter_than_that_above(mode: Mode) -> None:
    figure = matrix(cells(5, None), mode)
    colours = [str(colour) for _, colour in figure.data[0].colorscale]
    light = [luminance([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) for colour in colours]
    apart = [abs(one - light[len(light) // 2]) for one in light]
    middle = len(light) // 2
    assert apart[middle:] == sorted(apart[middle:])
    assert apart[middle::-1] == sorted(apart[: middle + 1])
    # In grey, too, red is between paper and ink: strong is strong, whichever the sign.
    assert 0.25 * apart[-1] < apart[0] < apart[-1]
