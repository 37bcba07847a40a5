"""Figures for paper: light from dark, without what only a pointer shows, with the fonts that their texts need."""

from __future__ import annotations

import base64
import json
import re
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from figures.fonts import font_css
from figures.palette import PALETTE, TONES, Mode, ModelStyle, alpha, frame, note, ramp, tone
from figures.paper import DPI, SCALE, for_paper, layout_width, light
from figures.triangles import distance_heatmap, null_histogram, rank_shares, ternary

RNG = np.random.default_rng(0)
SHARES = RNG.dirichlet(np.ones(3), 2)


def drawn(mode: Mode, index: int) -> list[go.Figure]:
    """Figures of every kind of mark, for one ground."""
    style = ModelStyle(index)
    null = np.random.default_rng(1).gamma(4, 0.15, 500)
    matrix = np.random.default_rng(2).random((6, 6))
    is_candidate = np.arange(6) >= 3
    return [
        rank_shares(SHARES, style, mode),
        ternary(SHARES, RNG.dirichlet(np.ones(3), (9, 2)), style, mode),
        null_histogram(null, 1.2, "p = 0.1", style, mode),
        distance_heatmap(matrix, is_candidate, [f"text {i}" for i in range(6)], style, mode),
        lines(style, mode),
    ]


def lines(style: ModelStyle, mode: Mode) -> go.Figure:
    """A line with a band and a label."""
    figure = go.Figure(go.Scatter(
        x=[0, 1], y=[1, 2], mode="lines+text", text=["a", "b"], line={"color": style.mark(mode)}, fill="tozeroy",
        fillcolor=alpha(style.mark(mode), 0.2), textfont={"color": style.text(mode)},
    ))  # fmt: skip
    words = f'<span style="color:{style.text(mode)}">c1</span> {TONES["dark"]["bad"]}'
    figure.add_annotation(note(0, 1, words, font={"color": tone("ink", mode)}))
    return frame(figure, mode, 250)


def colours(value: Any, key: str = "") -> list[str]:
    """Every colour of a figure's JSON, in order."""
    if isinstance(value, dict):
        return [c for k, v in value.items() for c in colours(v, k)]
    if isinstance(value, list):
        return [c for v in value for c in colours(v, key)]
    if isinstance(value, str):
        return [value] if "color" in key else re.findall(r"color:(#\w{6})", value)
    return []


def plain(figure: go.Figure) -> Any:
    return json.loads(figure.update_layout(template=None).to_json())


@pytest.mark.parametrize("index", range(3))
def test_a_dark_figure_is_printed_as_the_light_one(index: int) -> None:
    for dark, lit in zip(drawn("dark", index), drawn("light", index)):
        assert colours(light(plain(dark))) == colours(plain(lit))


@pytest.mark.parametrize("index", range(3, 6))
def test_hues_that_dark_shows_once_keep_the_right_shade(index: int) -> None:
    style = ModelStyle(index)
    printed = light(plain(lines(style, "dark")))
    assert printed["data"][0]["line"]["color"] == PALETTE["light"]["mark"][index]
    assert printed["data"][0]["textfont"]["color"] == PALETTE["light"]["text"][index]
    assert f'color:{PALETTE["light"]["text"][index]}"' in printed["layout"]["annotations"][0]["text"]


def test_no_colour_of_the_dark_ground_has_two_meanings() -> None:
    neutral = [c.upper() for c in (*TONES["dark"].values(), *(c for _, c in ramp("dark")))]
    hues = {c.upper() for role in ("mark", "text") for c in PALETTE["dark"][role]}
    assert len(set(neutral)) == len(neutral)
    assert not hues & set(neutral)


def test_captions_that_look_like_colours_stay() -> None:
    caption = f"{TONES['dark']['bad']} color:{PALETTE['dark']['mark'][0]}"
    figure = go.Figure(go.Scatter(x=[caption], y=[0], mode="text", text=[caption]))
    printed = for_paper(figure, "dark", name="x")["figure"]["data"][0]
    assert printed["x"] == [caption]
    assert printed["text"] == [caption]


def test_what_only_a_pointer_shows_stays_behind() -> None:
    captions = [f"caption {i}" for i in range(3)]
    figure = go.Figure(go.Scatter(x=[1, 2, 3], y=[1, 2, 3], mode="markers", text=captions, customdata=captions,
                                  hovertext=captions, hovertemplate="%{text}"))  # fmt: skip
    figure.add_scatter(x=[1, 2, 3], y=[1, 2, 3], mode="lines+text", text=captions)
    figure.add_heatmap(z=[[1, 2], [3, 4]], text=[captions[:2]] * 2)
    figure.add_bar(x=[1], y=[2], text=["bar"], texttemplate="%{customdata}", customdata=["said"])
    points, labels, heat, bars = for_paper(figure, "light", name="x")["figure"]["data"]
    assert set(points) == {"type", "mode", "x", "y"}
    assert labels["text"] == captions
    assert "text" not in heat
    assert (bars["text"], bars["customdata"]) == (["bar"], ["said"])


def test_it_is_laid_out_for_the_width_and_says_what_it_is() -> None:
    assert layout_width(3.3) * SCALE / 96 == pytest.approx(3.3)
    found = for_paper(lines(ModelStyle(0), "dark"), "dark", name="trilens-x", title="T \ud800", alt="A", footer="n = 3")
    assert json.loads(json.dumps(found)) == found
    assert {k: found[k] for k in ("name", "title", "alt", "footer", "scale", "dpi")} == {
        "name": "trilens-x", "title": "T \ufffd", "alt": "A", "footer": "n = 3", "scale": SCALE, "dpi": DPI,
    }  # fmt: skip
    assert found["figure"]["layout"]["height"] == 250
    assert found["figure"]["layout"]["template"]["layout"]["font"]["color"] == TONES["light"]["muted"]
    assert found["heights"] == {"3.3": 250, "6.9": 250}
    assert for_paper(go.Figure(), "light", name="x")["heights"] == {"3.3": 400, "6.9": 400}


def test_gaps_of_a_heatmap_are_lines_of_paper() -> None:
    heat = drawn("dark", 0)[3]
    figure = for_paper(heat, "dark", name="x")["figure"]
    assert (figure["data"][0]["xgap"], figure["data"][0]["ygap"]) == (0, 0)
    lines = figure["layout"]["shapes"][:10]
    assert {(s["x0"], s["x1"]) for s in lines[:5]} == {(k + 0.5, k + 0.5) for k in range(5)}
    assert {(s["y0"], s["y1"]) for s in lines[5:]} == {(k + 0.5, k + 0.5) for k in range(5)}
    assert {s["line"]["color"] for s in lines} == {TONES["light"]["paper"]}
    moved = go.Figure(go.Heatmap(x=[3, 4, 5], y=np.array([1, 2]), z=[[1, 2, 3], [4, 5, 6]], xgap=1))
    ends = [
        (s["x0"], s["y0"], s["x1"], s["y1"]) for s in for_paper(moved, "light", name="x")["figure"]["layout"]["shapes"]
    ]
    assert ends == [(3.5, 0.5, 3.5, 2.5), (4.5, 0.5, 4.5, 2.5), (2.5, 1.5, 5.5, 1.5)]
    assert len(figure["layout"]["shapes"]) == 10 + len(heat.layout.shapes), "the figure's own lines lie above"


def test_a_square_figure_is_no_taller_than_its_column() -> None:
    heat = drawn("light", 0)[3]
    margin = heat.layout.margin
    inner = layout_width(3.3) - margin.l - margin.r
    assert inner + margin.t + margin.b < heat.layout.height
    assert for_paper(heat, "light", name="x")["heights"] == {"3.3": inner + margin.t + margin.b, "6.9": 400}


def test_fonts_are_those_that_the_text_needs() -> None:
    assert font_css("") == ""
    latin, more, symbols = font_css("abc"), font_css("abc č"), font_css("abc → 10⁻⁵")
    assert (latin.count("@font-face"), more.count("@font-face"), symbols.count("@font-face")) == (1, 2, 2)
    assert font_css("رجل") == ""
    assert "font-style:italic" in font_css("abc", italic=True)
    data = base64.b64decode(re.findall(r"base64,([^)]+)\)", latin)[0])
    assert data.startswith(b"wOF2")
    assert "http" not in latin + more + symbols
    assert "unicode-range:U+0000-00FF" in latin
