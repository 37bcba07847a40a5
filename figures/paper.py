"""A figure made ready for paper: light whatever the screen shows, at a column's or a page's width, its fonts along.

The figure is laid out at `layout_width(inches)` px, where it was designed to work, and printed at `SCALE` of that:
text of 12 px on screen is 7.65 pt on paper. The browser draws it (`ui/export.js`), so that no other program is needed.
"""

from __future__ import annotations

import base64
import json
import re
from typing import Any

import numpy as np
import plotly.graph_objects as go

from figures.fonts import font_css
from figures.palette import PALETTE, TONES, Mode, ramp, template
from figures.texts import whole

COLUMN, PAGE = 3.3, 6.9
"""Widths in inches: a column of a two-column paper, and its whole text block."""
SCALE = 0.85
DPI = 300
_CSS_PX = 96
_HEIGHT = 400
_HEX = re.compile(r"#[0-9A-Fa-f]{6}")
_RGBA = re.compile(r"rgba?\((\d+),\s*(\d+),\s*(\d+)")
# Captions inside a figure are escaped, so a tag is always the figure's own.
_SPAN = re.compile(r"""(<span style=["']color:\s*)(#[0-9A-Fa-f]{6})""")
_FONTS = frozenset({"font", "textfont", "tickfont", "insidetextfont", "outsidetextfont"})
_HOVER = frozenset({"hovertemplate", "hovertext", "hoverlabel", "ids", "selectedpoints"})


def layout_width(inches: float) -> float:
    """The px that the figure is laid out at for a width on paper."""
    return inches * _CSS_PX / SCALE


def for_paper(
    figure: go.Figure, mode: Mode, *, name: str, title: str = "", alt: str = "", footer: str = ""
) -> dict[str, Any]:
    """What the browser needs to draw and save the figure, as plain JSON values.

    `mode` is the ground that the figure was made for. `title` stands above it, `footer` (how many of what, and the
    signatures of the numbers) below; a line break in the footer is kept. NAME is the file's, without its ending.
    """
    plain = json.loads(figure.to_json())
    plain["data"] = [_printed(trace) for trace in plain["data"]]
    if mode == "dark":
        plain = light(plain)
    layout = plain["layout"] | {
        "template": template("light").to_plotly_json(),
        "autosize": False, "paper_bgcolor": "rgba(0,0,0,0)", "height": plain["layout"].get("height") or _HEIGHT,
    }  # fmt: skip
    layout["shapes"] = [shape for trace in plain["data"] for shape in _sharpened(trace)] + layout.get("shapes", [])
    words = json.dumps([plain["data"], layout], ensure_ascii=False) + title + footer
    fonts = font_css(words) + (font_css(words, italic=True) if "<i>" in words else "")
    return {
        "figure": {"data": plain["data"], "layout": layout}, "fonts": fonts, "name": name, "title": whole(title),
        "alt": whole(alt), "footer": whole(footer), "scale": SCALE, "dpi": DPI,
        "heights": {str(inches): _height(layout, inches) for inches in (COLUMN, PAGE)},
    }  # fmt: skip


def _sharpened(trace: dict[str, Any]) -> list[dict[str, Any]]:
    """Lines of paper between the cells of a heatmap in place of its gaps, with which it is drawn in screen pixels."""
    gap = trace.get("xgap", 0) if trace.get("type") == "heatmap" else 0
    if not gap or not isinstance(trace.get("z"), list | dict):
        return []
    rows, columns = _shape(trace["z"])
    trace.update(xgap=0, ygap=0)
    left, top = (_first(trace.get(side)) - 0.5 for side in "xy")
    line = {"color": TONES["light"]["paper"], "width": gap}
    base = {"type": "line", "line": line, "xref": trace.get("xaxis", "x"), "yref": trace.get("yaxis", "y"),
            "layer": "above"}  # fmt: skip
    upright = [{"x0": left + k, "x1": left + k, "y0": top, "y1": top + rows} for k in range(1, columns)]
    flat = [{"x0": left, "x1": left + columns, "y0": top + k, "y1": top + k} for k in range(1, rows)]
    return [base | ends for ends in upright + flat]


def _first(places: Any) -> float:
    """Where the first cell of a heatmap lies; named cells are counted from 0. Cells lie one apart."""
    if isinstance(places, dict):
        return float(np.frombuffer(base64.b64decode(places["bdata"]), dtype=places["dtype"])[0])
    return float(places[0]) if places and not isinstance(places[0], str) else 0.0


def _shape(z: Any) -> tuple[int, int]:
    """Rows and columns of a heatmap's values, which plotly writes as lists or as bytes with their shape."""
    if isinstance(z, dict):
        rows, columns = (int(part) for part in z["shape"].split(","))
        return rows, columns
    return len(z), max((len(row) for row in z), default=0)


def _height(layout: dict[str, Any], inches: float) -> float:
    """The px of height at a width: a figure with equal scales that is narrower than tall would stand in a void."""
    axis, margin = layout.get("yaxis", {}), layout.get("margin", {})
    if not axis.get("scaleanchor"):
        return float(layout["height"])
    across, down = (sum(margin.get(side, 0) for side in sides) for sides in ("lr", "tb"))
    return float(min(layout["height"], layout_width(inches) - across + down))


def _printed(trace: dict[str, Any]) -> dict[str, Any]:
    """The trace without what only a pointer shows, such as every caption of a cloud."""
    drawn = "text" in trace.get("mode", "markers" if trace.get("type", "").startswith("scatter") else "text")
    if trace.get("type") == "heatmap":
        drawn = "texttemplate" in trace
    hidden = _HOVER | (set() if drawn else {"text"}) | (set() if "texttemplate" in trace else {"customdata"})
    return {key: value for key, value in trace.items() if key not in hidden}


def light(value: Any, key: str = "", font: bool = False) -> Any:
    """A figure's JSON drawn for the dark ground, in the colours of the light one. Texts and data stay as they are."""
    if isinstance(value, dict):
        return {k: light(v, k, font or k in _FONTS) for k, v in value.items()}
    if isinstance(value, list):
        return [light(v, key, font) for v in value]
    if not isinstance(value, str):
        return value
    if "color" in key:
        return _lit(value, font)
    return _SPAN.sub(lambda found: f"{found[1]}{_TEXTS.get(found[2].upper(), found[2])}", value)


def _lit(colour: str, font: bool) -> str:
    known = _TEXTS if font else _MARKS
    if _HEX.fullmatch(colour):
        return known.get(colour.upper(), colour)
    if found := _RGBA.match(colour):
        lit = known.get("#" + "".join(f"{int(part):02X}" for part in found.groups()))
        if lit:
            return f"rgba({','.join(str(int(lit[i : i + 2], 16)) for i in (1, 3, 5))}{colour[found.end() :]}"
    return colour


def _pairs(role: str) -> dict[str, str]:
    return {dark.upper(): lit for dark, lit in zip(PALETTE["dark"][role], PALETTE["light"][role])}


_NEUTRAL = {dark.upper(): TONES["light"][role] for role, dark in TONES["dark"].items()} | {
    dark.upper(): lit for (_, dark), (_, lit) in zip(ramp("dark"), ramp("light"))
}
# Three hues have one colour for marks and labels on the dark ground, and two on the light one: fonts take the label's.
_MARKS = _NEUTRAL | _pairs("text") | _pairs("mark")
_TEXTS = _NEUTRAL | _pairs("mark") | _pairs("text")
