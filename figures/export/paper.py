"""Figures for print: redrawn at the width of a column and of a page, in the light theme, with embedded fonts.

A figure is laid out at `layout_width(inches)` px, the width it was designed for, and printed at `SCALE` of this size:
text of 12 px on screen is 7.65 pt on paper. The browser draws it (`ui/frame/export.js`), so no other program is needed.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import plotly.graph_objects as go

from figures.export.provenance import signing
from figures.style.escaping import whole
from figures.style.fonts import font_css
from figures.style.palette import TONES, Mode, plain, template

COLUMN, PAGE = 3.3, 6.9
"""Widths in inches of a two-column paper: one column, and the whole text block."""
SCALE = 0.85
DPI = 300
_CSS_PX = 96
_HEIGHT = 400
_HOVER = frozenset({"hovertemplate", "hovertext", "hoverlabel", "ids", "selectedpoints"})
_KEY_LINE, _KEY_MARK, _KEY_LETTER = 19, 46, 6.6
Chosen = TypeVar("Chosen")


@dataclass(frozen=True)
class Ground:
    """The medium for which a figure is drawn: the screen in its theme, or paper, `width` px wide.

    `cramped` means a screen without room for columns beside the figure.
    """

    mode: Mode = "light"
    width: float | None = None
    cramped: bool = False

    @property
    def printed(self) -> bool:
        """Whether this is paper, where nothing beside the figure explains it."""
        return self.width is not None

    def narrower(self, width: float) -> bool:
        """Return whether a figure is narrower than this width in px; on a `cramped` screen, any figure is."""
        return self.cramped or (self.width is not None and self.width < width)

    def on_screen(self, chosen: Chosen) -> Chosen | None:
        """Return the selection on screen; None in print, where no selection is marked."""
        return None if self.printed else chosen


Draw = Callable[[Ground], go.Figure]


@dataclass(frozen=True)
class KeyEntry:
    """A name in the legend of a printed figure, with its mark: a `symbol`, a line with a `dash`, or both."""

    name: str
    colour: str
    symbol: str
    dash: str = ""


def layout_width(inches: float) -> float:
    """Return the width in px at which to lay out a figure that is `inches` wide in print."""
    return inches * _CSS_PX / SCALE


def add_key(figure: go.Figure, entries: Sequence[KeyEntry], width: float) -> go.Figure:
    """Return the figure with a legend above its plot, for paper that is `width` px wide.

    On screen, the legend is beside the figure.
    """
    if not entries:
        return figure
    figure.update_traces(showlegend=False)
    for entry in entries:
        line = {"line": {"color": entry.colour, "width": 2.25, "dash": entry.dash}} if entry.dash else {}
        figure.add_scatter(
            x=[None],
            y=[None],
            mode="+".join(["lines"] * bool(entry.dash) + ["markers"] * bool(entry.symbol)),
            name=plain(entry.name),
            **line,
            marker={"size": 8, "symbol": entry.symbol or None, "color": entry.colour, "line": {"color": entry.colour}},
        )
    across = _KEY_MARK + _KEY_LETTER * max(len(entry.name) for entry in entries)
    margin = figure.layout.margin
    plot = width - (margin.l or 0) - (margin.r or 0)
    room = _KEY_LINE * math.ceil(len(entries) / max(1, int(plot / across)))
    top = (margin.t or 0) + room
    figure.update_layout(
        showlegend=True,
        margin={"t": top},
        height=figure.layout.height + room,
        legend={
            "orientation": "h",
            "x": 0,
            "xref": "container",
            "y": 1,
            "yref": "container",
            "yanchor": "top",
            "itemsizing": "constant",
            "entrywidth": across - _KEY_MARK,
            "font": {"size": 11.5},
        },
    )
    return figure


def for_paper(draw: Draw, *, name: str, title: str = "", alt: str = "", footer: str = "") -> dict[str, Any]:
    """Return everything the browser needs to draw and save the figure at both widths, as plain JSON values.

    `title` is printed above the figure and one short line from `footer` (facts, then signatures) below it; the whole
    footer is in the metadata of the file. `name` is the file name without its extension.
    """
    sheets = {str(inches): _sheet(draw(Ground(width=layout_width(inches))), inches) for inches in (COLUMN, PAGE)}
    words = json.dumps([sheet["figure"] for sheet in sheets.values()], ensure_ascii=False) + title + footer + "Trilens;"
    said = signing(whole(footer))
    fonts = font_css(words) + (font_css(words, italic=True) if "<i>" in words else "")
    return {
        "sheets": sheets,
        "fonts": fonts,
        "name": name,
        "title": whole(title),
        "alt": whole(alt),
        "footer": "\n".join(filter(None, [said.line, *said.notices])),
        "notes": said.notes,
        "signatures": list(said.signatures),
        "software": said.software,
        "scale": SCALE,
        "dpi": DPI,
    }


def _sheet(figure: go.Figure, inches: float) -> dict[str, Any]:
    """The figure at one width, and its height in px."""
    found = json.loads(figure.to_json())
    data = [_printed(trace) for trace in found["data"]]
    layout = found["layout"] | {
        "template": template("light").to_plotly_json(),
        "autosize": False,
        "paper_bgcolor": "rgba(0,0,0,0)",
        "height": found["layout"].get("height") or _HEIGHT,
    }
    gaps = [shape for trace in data for shape in _sharpened(trace)]
    over = [trace for trace in data if gaps and _is_line(trace)]
    data = [trace for trace in data if not any(trace is one for one in over)]
    layout["shapes"] = [*gaps, *map(_as_shape, over), *layout.get("shapes", [])]
    return {"figure": {"data": data, "layout": layout}, "height": _height(layout, inches)}


def _sharpened(trace: dict[str, Any]) -> list[dict[str, Any]]:
    """Return lines in paper colour to replace the gaps of a heatmap, which are measured in screen pixels.

    The gaps of the trace are set to 0; [] for other traces.
    """
    gap = trace.get("xgap", 0) if trace.get("type") == "heatmap" else 0
    if not gap or not isinstance(trace.get("z"), list | dict):
        return []
    rows, columns = _shape(trace["z"])
    trace.update(xgap=0, ygap=0)
    left, top = (_first(trace.get(side)) - 0.5 for side in "xy")
    line = {"color": TONES["light"]["paper"], "width": gap}
    base = {
        "type": "line",
        "line": line,
        "xref": trace.get("xaxis", "x"),
        "yref": trace.get("yaxis", "y"),
        "layer": "above",
    }
    upright = [{"x0": left + k, "x1": left + k, "y0": top, "y1": top + rows} for k in range(1, columns)]
    flat = [{"x0": left, "x1": left + columns, "y0": top + k, "y1": top + k} for k in range(1, rows)]
    return [base | ends for ends in upright + flat]


def _is_line(trace: dict[str, Any]) -> bool:
    ends = trace.get("x"), trace.get("y")
    numbers = all(isinstance(of, list) and of and all(isinstance(n, int | float) for n in of) for of in ends)
    return trace.get("type") == "scatter" and trace.get("mode") == "lines" and "fill" not in trace and numbers


def _as_shape(trace: dict[str, Any]) -> dict[str, Any]:
    """Return a line as a shape: a trace would be drawn below the lines between cells, which are shapes."""
    path = "M" + "L".join(f"{x},{y}" for x, y in zip(trace["x"], trace["y"]))
    axes = {"xref": trace.get("xaxis", "x"), "yref": trace.get("yaxis", "y")}
    return {"type": "path", "path": path, "line": trace.get("line", {}), **axes}


def _first(places: Any) -> float:
    """The coordinate of a heatmap's first cell; named cells count from 0. Cells are one unit apart."""
    if isinstance(places, dict):
        return float(np.frombuffer(base64.b64decode(places["bdata"]), dtype=places["dtype"])[0])
    return float(places[0]) if places and not isinstance(places[0], str) else 0.0


def _shape(z: Any) -> tuple[int, int]:
    """The size of a heatmap in rows and columns; plotly stores its values as lists, or as bytes with their shape."""
    if isinstance(z, dict):
        rows, columns = (int(part) for part in z["shape"].split(","))
        return rows, columns
    return len(z), max((len(row) for row in z), default=0)


def _height(layout: dict[str, Any], inches: float) -> float:
    """The height in px of a figure `inches` wide, without the empty space that equal scales would leave in it."""
    axis, margin = layout.get("yaxis", {}), layout.get("margin", {})
    if not axis.get("scaleanchor"):
        return float(layout["height"])
    across, down = (sum(margin.get(side, 0) for side in sides) for sides in ("lr", "tb"))
    return float(min(layout["height"], layout_width(inches) - across + down))


def _printed(trace: dict[str, Any]) -> dict[str, Any]:
    """Return the trace without its hover data, such as every caption of a cloud."""
    drawn = "text" in trace.get("mode", "markers" if trace.get("type", "").startswith("scatter") else "text")
    if trace.get("type") == "heatmap":
        drawn = "texttemplate" in trace
    hidden = _HOVER | (set() if drawn else {"text"}) | (set() if "texttemplate" in trace else {"customdata"})
    return {key: value for key, value in trace.items() if key not in hidden}
