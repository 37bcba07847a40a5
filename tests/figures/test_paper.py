"""Test figures for paper: theme, width, key, footer, gaps of heatmaps and fonts; nothing in them needs a pointer."""

from __future__ import annotations

import base64
import json
import re
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from data.version import VERSION
from figures.export.paper import COLUMN, DPI, SCALE, Draw, Ground, KeyEntry, add_key, for_paper, layout_width
from figures.export.provenance import signing
from figures.style.fonts import font_css
from figures.style.palette import PALETTE, TONES, Mode, ModelStyle, alpha, frame, note, tone
from figures.triangles.chart import distance_heatmap
from metrics.registry import METRICS


def heatmap() -> go.Figure:
    matrix = np.random.default_rng(2).random((6, 6))
    texts = [f"text {i}" for i in range(6)]
    return distance_heatmap(matrix, np.arange(6) >= 3, texts, ModelStyle(0), "light")


def lines(style: ModelStyle, mode: Mode) -> go.Figure:
    figure = go.Figure(
        go.Scatter(
            x=[0, 1],
            y=[1, 2],
            mode="lines+text",
            text=["a", "b"],
            line={"color": style.mark(mode)},
            fill="tozeroy",
            fillcolor=alpha(style.mark(mode), 0.2),
            textfont={"color": style.text(mode)},
        )
    )
    words = f'<span style="color:{style.text(mode)}">c1</span> {TONES["dark"]["bad"]}'
    figure.add_annotation(note(0, 1, words, font={"color": tone("ink", mode)}))
    return frame(figure, mode, 250)


def on(figure: go.Figure) -> Draw:
    return lambda ground: figure


def sheet(figure: go.Figure, inches: str = "3.3") -> Any:
    return for_paper(on(figure), name="x")["sheets"][inches]["figure"]


def test_a_figure_is_drawn_for_paper_at_both_widths_whatever_the_screen_shows() -> None:
    asked: list[Ground] = []

    def draw(ground: Ground) -> go.Figure:
        asked.append(ground)
        return lines(ModelStyle(len(asked)), ground.mode)

    sheets = for_paper(draw, name="x")["sheets"]
    assert asked == [Ground("light", layout_width(3.3)), Ground("light", layout_width(6.9))]
    for index, drawn_for in enumerate(("3.3", "6.9"), start=1):
        colour = sheets[drawn_for]["figure"]["data"][0]["line"]["color"]
        assert colour == PALETTE["light"]["mark"][index]


def test_what_is_chosen_is_for_the_screen() -> None:
    assert Ground("dark").on_screen(7) == 7
    assert Ground(width=300).on_screen(7) is None
    assert not Ground("dark").printed


def test_a_key_on_paper_names_its_entries_and_makes_room() -> None:
    figure = lines(ModelStyle(0), "light")
    entries = [KeyEntry(f"<b>{k}</b>", "#123456", "circle", "dash" if k else "") for k in range(9)]
    margin = figure.layout.margin.t or 0
    keyed = add_key(figure, entries, layout_width(COLUMN))
    named = [trace for trace in keyed.data if trace.showlegend is not False]
    assert [trace.name for trace in named] == [f"&lt;b&gt;{k}&lt;/b&gt;" for k in range(9)]
    assert [trace.line.dash for trace in named] == [None, *["dash"] * 8]
    assert keyed.layout.height - 250 == keyed.layout.margin.t - margin == 19 * 3
    assert add_key(lines(ModelStyle(0), "light"), [], 300).layout.height == 250


def test_what_only_a_pointer_shows_stays_behind() -> None:
    captions = [f"caption {i}" for i in range(3)]
    figure = go.Figure(
        go.Scatter(
            x=[1, 2, 3],
            y=[1, 2, 3],
            mode="markers",
            text=captions,
            customdata=captions,
            hovertext=captions,
            hovertemplate="%{text}",
        )
    )
    figure.add_scatter(x=[1, 2, 3], y=[1, 2, 3], mode="lines+text", text=captions)
    figure.add_heatmap(z=[[1, 2], [3, 4]], text=[captions[:2]] * 2)
    figure.add_bar(x=[1], y=[2], text=["bar"], texttemplate="%{customdata}", customdata=["said"])
    points, labels, heat, bars = sheet(figure)["data"]
    assert set(points) == {"type", "mode", "x", "y"}
    assert labels["text"] == captions
    assert "text" not in heat
    assert (bars["text"], bars["customdata"]) == (["bar"], ["said"])


FOOTER = f"n = 3 images, 2 runs. Bands: 95 %. {METRICS['cider_d'].signature}"
CLOUD = "cloud_umap|v2|n:15|centre:references of the item|sample:15,000"


@pytest.mark.parametrize(
    ("footer", "line", "notes", "notices", "signed"),
    [
        ("", "", "", (), 0),
        ("n = all 10,560 captions; 480 shown. Shaded: half.", "n = all 10,560 captions; Trilens", ..., (), 0),
        ("Over n = 9 to 12 images in 2 runs, alike: 0.7", "n = 9 to 12 images in 2 runs; Trilens", ..., (), 0),
        (f"n = 4 captions.\n{CLOUD}", "n = 4 captions; cloud umap v2; Trilens", "n = 4 captions.", (), 1),
        ("trm_bow|v1|a:b, cider_d|v2", "TRM bag of words v1; CIDEr-D v2; Trilens", "", (), 2),
        ("n = 4. a|v1 b|v1 c|v2", "n = 4; 3 metrics; Trilens", "n = 4.", (), 3),
        ("n = 4. a|v1\nNot computed here.", "n = 4; a v1; Trilens", "n = 4.", ("Not computed here.",), 1),
    ],
)
def test_a_footer_becomes_one_short_line_and_loses_nothing(footer, line, notes, notices, signed) -> None:
    found = signing(footer)
    assert found.line == line
    assert found.notes == (footer if notes is ... else notes)
    assert found.notices == notices
    assert len(found.signatures) == signed
    kept = " ".join([found.notes, *found.signatures, *found.notices])
    assert re.sub(r"[\s,]", "", kept) == re.sub(r"[\s,]", "", footer)


def test_it_is_laid_out_for_the_width_and_says_what_it_is() -> None:
    assert layout_width(3.3) * SCALE / 96 == pytest.approx(3.3)
    found = for_paper(on(lines(ModelStyle(0), "light")), name="trilens-x", title="T \ud800", alt="A", footer=FOOTER)
    assert json.loads(json.dumps(found)) == found
    said = ("name", "title", "alt", "footer", "notes", "signatures", "software", "scale", "dpi")
    assert {k: found[k] for k in said} == {
        "name": "trilens-x",
        "title": "T \ufffd",
        "alt": "A",
        "footer": "n = 3 images; CIDEr-D v1; Trilens",
        "notes": "n = 3 images, 2 runs. Bands: 95 %.",
        "signatures": [METRICS["cider_d"].signature],
        "software": f"Trilens {VERSION}",
        "scale": SCALE,
        "dpi": DPI,
    }
    layout = found["sheets"]["3.3"]["figure"]["layout"]
    assert layout["height"] == 250
    assert layout["template"]["layout"]["font"]["color"] == TONES["light"]["muted"]
    assert heights(found) == {"3.3": 250, "6.9": 250}
    assert heights(for_paper(on(go.Figure()), name="x")) == {"3.3": 400, "6.9": 400}


def heights(found: dict[str, Any]) -> dict[str, float]:
    return {inches: one["height"] for inches, one in found["sheets"].items()}


def test_gaps_of_a_heatmap_are_lines_of_paper() -> None:
    heat = heatmap()
    figure = sheet(heat)
    assert (figure["data"][0]["xgap"], figure["data"][0]["ygap"]) == (0, 0)
    lines = figure["layout"]["shapes"][:10]
    assert {(s["x0"], s["x1"]) for s in lines[:5]} == {(k + 0.5, k + 0.5) for k in range(5)}
    assert {(s["y0"], s["y1"]) for s in lines[5:]} == {(k + 0.5, k + 0.5) for k in range(5)}
    assert {s["line"]["color"] for s in lines} == {TONES["light"]["paper"]}
    moved = go.Figure(go.Heatmap(x=[3, 4, 5], y=np.array([1, 2]), z=[[1, 2, 3], [4, 5, 6]], xgap=1))
    ends = [(s["x0"], s["y0"], s["x1"], s["y1"]) for s in sheet(moved)["layout"]["shapes"]]
    assert ends == [(3.5, 0.5, 3.5, 2.5), (4.5, 0.5, 4.5, 2.5), (2.5, 1.5, 5.5, 1.5)]
    assert len(figure["layout"]["shapes"]) == 10 + len(heat.layout.shapes), "the figure's own lines lie above"


def test_a_line_over_a_heatmap_stays_above_the_lines_between_its_cells() -> None:
    figure = go.Figure(go.Heatmap(x=[0, 1], y=[0, 1], z=[[1, 2], [3, 4]], xgap=2))
    stairs = {"color": "#123456", "width": 2.4, "dash": "5px,3px"}
    figure.add_scatter(x=[0.5, 0.5, -0.5], y=[-0.5, 0.5, 0.5], mode="lines", line=stairs)
    figure.add_scatter(x=[0], y=[0], mode="markers+text", text=["1"])
    figure.add_shape(type="rect", x0=0, x1=1, y0=0, y1=1)
    found = sheet(figure)
    assert [trace["type"] for trace in found["data"]] == ["heatmap", "scatter"]
    kinds = [shape["type"] for shape in found["layout"]["shapes"]]
    assert kinds == ["line", "line", "path", "rect"]
    path = found["layout"]["shapes"][2]
    assert (path["path"], path["line"]) == ("M0.5,-0.5L0.5,0.5L-0.5,0.5", stairs)
    # Without cells there is nothing that would hide a line: it stays one.
    assert len(sheet(go.Figure(go.Scatter(x=[0, 1], y=[1, 2], mode="lines")))["data"]) == 1


def test_a_square_figure_is_no_taller_than_its_column() -> None:
    heat = heatmap()
    margin = heat.layout.margin
    inner = layout_width(3.3) - margin.l - margin.r
    assert inner + margin.t + margin.b < heat.layout.height
    assert heights(for_paper(on(heat), name="x")) == {"3.3": inner + margin.t + margin.b, "6.9": heat.layout.height}


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
