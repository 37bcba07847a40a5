"""Test the figures of triangles by their data."""

from __future__ import annotations

import base64
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from figures.overview import triangle_steps as steps
from figures.style.palette import ModelStyle
from figures.triangles.chart import (
    CLOUD,
    distance_heatmap,
    null_bins,
    null_histogram,
    rank_shares,
    shown_of,
    ternary,
    text_names,
    triangle_image,
)
from metrics.analysis.overview_image import Triangle

STYLE = ModelStyle(1)
SHARES = np.array([[0.8, 0.2, 0.0], [0.45, 0.2, 0.35]])


def test_bars_are_the_shares() -> None:
    figure = rank_shares(SHARES, STYLE, "light")
    assert np.allclose([bar.x for bar in figure.data], SHARES.T)
    said = " ".join(a.text for a in figure.layout.annotations)
    assert re.findall(r"<b>(\d+) %</b>", said) == ["80", "20", "0", "45", "20", "35"]


def test_the_ternary_puts_each_share_at_its_corner() -> None:
    null = np.random.default_rng(0).dirichlet([1, 1, 1], size=(5000, 2))
    figure = ternary(SHARES, null, STYLE, "dark")
    seen = [t for t in figure.data if (t.name or "").startswith("observed")]
    assert [(t.b[0], t.a[0], t.c[0]) for t in seen] == [tuple(row) for row in SHARES]
    clouds = [t for t in figure.data if t.name == "relabellings"]
    assert [len(t.a) for t in clouds] == [CLOUD, CLOUD]
    drawn = {tuple(p) for p in np.c_[clouds[1].b, clouds[1].a, clouds[1].c]}
    assert drawn <= {tuple(p) for p in null[:, 1]}
    assert len(drawn) == CLOUD
    assert (shown_of(1001), shown_of(184756)) == ("all 1,001 splits", "2,000 of 184,756 splits")


@given(st.lists(st.integers(0, 30), min_size=1, max_size=200), st.integers(0, 30))
def test_the_coloured_tail_is_exactly_p(ticks: list[int], observed: int) -> None:
    """Many values are tied; as they are inexact floats, they differ by less than the tolerance for ties."""
    null = np.array([*ticks, observed]) / 7 * (1 + 1e-12)
    value = observed / 7
    edges, counts, extreme = null_bins(null, value)
    assert counts[extreme].sum() == (null >= value - 1e-9).sum()
    assert counts.sum() == len(null)
    assert np.isclose(edges, value).any()
    assert (np.diff(edges) > 0).all()
    inside = (null >= edges[0] - 1e-9) & (null <= edges[-1] + 1e-9)
    assert inside.all()


def test_the_histogram_colours_its_tail_and_says_p() -> None:
    null = np.random.default_rng(1).gamma(4, 0.15, 1001)
    figure = null_histogram(null, float(null[0]), "exact p = 0.006", STYLE, "light")
    bars = figure.data[0]
    coloured = [c.startswith("rgba(179") for c in bars.marker.color]
    assert sum(y for y, hit in zip(bars.y, coloured) if hit) == (null >= null[0]).sum()
    assert "exact p = 0.006" in figure.layout.annotations[0].text
    assert figure.layout.yaxis.title.text == "ways to split"
    line = figure.layout.shapes[0]
    assert line.x0 == line.x1 == null[0]


def test_a_null_of_one_value_still_has_a_bin() -> None:
    edges, counts, extreme = null_bins(np.full(5, 2.0), 2.0)
    assert counts[extreme].sum() == 5
    assert np.isfinite(edges).all()


def test_the_heatmap_has_references_first_and_a_blank_diagonal() -> None:
    is_candidate = np.array([True, False, True, False])
    distance = np.arange(16.0).reshape(4, 4) / 16
    figure = distance_heatmap(distance, is_candidate, ["c one", "r <b>one</b>", "c two", "r two"], STYLE, "light")
    order = [1, 3, 0, 2]
    shown = np.array(figure.data[0].z, float)
    assert np.isnan(np.diag(shown)).all()
    off = ~np.eye(4, dtype=bool)
    assert np.array_equal(shown[off], distance[np.ix_(order, order)][off])
    assert [re.sub("<.*?>", "", t) for t in figure.layout.xaxis.ticktext] == ["r1", "r2", "c1", "c2"]
    assert figure.data[0].text[0][2] == "r1 r &lt;b&gt;one&lt;/b&gt;<br>c1 c one"


def test_a_large_heatmap_keeps_its_labels_apart_and_its_texts_short() -> None:
    is_candidate = np.arange(60) >= 20
    figure = distance_heatmap(np.full((60, 60), 7.0), is_candidate, ["a long caption"] * 60, STYLE, "dark")
    at = figure.layout.xaxis.tickvals
    assert min(np.diff(at)) >= 3
    assert 20 in at
    assert figure.data[0].zmax == 7.0
    assert "caption" not in figure.data[0].text[0][1]


def test_the_ramp_follows_the_distances_above_zero() -> None:
    distance = np.array([[0, 0.7, 0, 0.9], [0.7, 0, 0.6, 0.8], [0, 0.6, 0, 0.9], [0.9, 0.8, 0.9, 0]])
    bar = distance_heatmap(distance, np.arange(4) < 2, list("abca"), STYLE, "light").data[0]
    assert (bar.zmin, bar.zmax) == (0.6, 0.9), "equal captions do not squeeze the others"
    assert list(bar.colorbar.tickvals) == [0.6, 0.75, 0.9]
    assert list(bar.colorbar.ticktext) == ["0.6", "0.75", "0.9"]
    for same, ends in ((1.0, (0.0, 1.0)), (0.0, (0.0, 1.0))):
        flat = np.full((4, 4), same) * (1 - np.eye(4))
        bar = distance_heatmap(flat, np.arange(4) < 2, list("abcd"), STYLE, "light").data[0]
        assert (bar.zmin, bar.zmax) == ends
        assert list(bar.colorbar.ticktext) == ["0", "0.5", "1"]


def test_a_small_distance_is_short_at_the_colour_bar() -> None:
    distance = np.array([[0, 0.000483, 0.9], [0.000483, 0, 0.8], [0.9, 0.8, 0]])
    bar = distance_heatmap(distance, np.arange(3) < 1, list("abc"), STYLE, "light").data[0].colorbar
    assert list(bar.ticktext) == ["<0.01", "0.45", "0.9"]
    assert bar.tickvals[0] == 0.000483, "where it lies stays exact"


def test_texts_are_numbered_within_their_side() -> None:
    assert text_names(np.array([True, False, False, True])) == ["c1", "r1", "r2", "c2"]


@pytest.mark.parametrize("edges", [(0.5, 0.9, 0.9), (0.9, 0.2, 0.3), (0.0, 0.5, 0.5), (0.0, 0.0, 0.0)])
def test_the_drawn_triangle_stays_in_its_frame(edges: tuple[float, float, float]) -> None:
    uri = triangle_image(*edges, "#000000", "#CC5200", "light")
    svg = base64.b64decode(uri.removeprefix("data:image/svg+xml;base64,")).decode()
    dots = np.array([[float(x), float(y)] for x, y in re.findall(r'cx="([-\d.]+)" cy="([-\d.]+)"', svg)])
    assert dots.shape == (3, 2)
    assert (dots >= 5).all()
    assert (dots <= [163, 115]).all()
    if edges == (0.5, 0.9, 0.9):
        pair, side = np.linalg.norm(dots[0] - dots[1]), np.linalg.norm(dots[0] - dots[2])
        assert pair / side == pytest.approx(5 / 9, abs=0.01)


def test_letters_of_a_short_edge_stand_apart_from_its_length() -> None:
    short = Triangle(("a", "b"), "c", 0.2, (0.61, 0.61), 2)
    last = steps._drawing(short, steps.places(short), 3, ModelStyle(0), "light")
    at = {text: float(left) for left, text in re.findall(r'left:([0-9.]+)%;top:[0-9.]+%">([^<]+)<', last)}
    assert min(at["0.20"] - at["A"], at["B"] - at["0.20"]) > 12
