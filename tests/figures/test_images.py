"""Test the strips of the Images page by their data."""

from __future__ import annotations

import numpy as np

from figures.images.strips import TICKS, Strip, digits_of, strips, thinned
from figures.style.palette import ModelStyle


def traces(figure, name: str) -> list:
    return [t for t in figure.data if t.name == name]


def test_every_image_is_a_tick_and_this_one_is_marked() -> None:
    values = np.array([0.3, np.nan, 0.1, 0.9])
    figure = strips([Strip("Oracle", ModelStyle(0), values, 0.9, 2 / 3)], "CIDEr-D", "light")
    assert list(traces(figure, "images")[0].x) == [0.1, 0.3, 0.9]
    mark = traces(figure, "Oracle")[0]
    assert (list(mark.x), mark.marker.symbol) == ([0.9], "circle")
    assert "above 67 %" in [a.text for a in figure.layout.annotations]
    low, high = figure.layout.xaxis.range
    assert low < 0.1
    assert high > 0.9


def test_many_images_are_thinned_and_keep_their_extremes() -> None:
    values = np.random.default_rng(0).normal(size=5000)
    ticks = traces(strips([Strip("A", ModelStyle(1), values, 0.0)], "x", "dark"), "images")[0]
    assert len(ticks.x) == TICKS
    assert (ticks.x[0], ticks.x[-1]) == (values.min(), values.max())
    assert set(ticks.x) <= set(values)


def test_the_legend_says_how_many_are_drawn() -> None:
    few, many = (Strip("A", ModelStyle(0), np.r_[np.arange(n, dtype=float), np.nan], 0.0) for n in (TICKS, 5000))
    assert thinned([few], "image") == ""
    assert thinned([few, many], "item") == f"{TICKS} of 5,000 items are drawn, evenly spaced by rank. "


def test_numbers_have_the_decimals_of_all_strips() -> None:
    whole, part = (Strip("A", ModelStyle(0), np.array([v, 150.0, np.nan]), 120.0) for v in (100.0, 100.5))
    assert [digits_of([row]) for row in (whole, part)] == [0, 1]


def test_an_undefined_image_is_said() -> None:
    figure = strips([Strip("<b>A</b>", ModelStyle(1), np.array([1.0, 1.0]), np.nan)], "x", "light")
    words = [a.text for a in figure.layout.annotations]
    assert words == ["&lt;b&gt;A&lt;/b&gt;", "undefined here"]
    nothing = strips([Strip("A", ModelStyle(1), np.array([np.nan]), np.nan)], "x", "light")
    assert len(nothing.data) == 0


def test_runs_lie_below_each_other() -> None:
    rows = [Strip(f"r{i}", ModelStyle(i), np.arange(5.0), float(i)) for i in range(4)]
    figure = strips(rows, "x", "light")
    assert [traces(figure, f"r{i}")[0].y[0] for i in range(4)] == [0, -1, -2, -3]
    assert figure.layout.yaxis.range[0] < -3
