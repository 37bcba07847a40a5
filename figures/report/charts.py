"""The charts of a report, each stored once as data, with its changes for a dark background.

The reader's browser draws them (`report.js`): light or dark, as the system is set, and light on paper.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import plotly.graph_objects as go

from figures.style import html as style_html
from figures.style.escaping import esc
from figures.style.palette import Mode, template

SCRIPT = Path(__file__).with_name("report.js")
# The parts of the HTML that may differ between the modes: colours, the strength of a band, and pictures.
_TONE = re.compile(r"(#[0-9A-Fa-f]{6}\b|rgba?\([^()]*\)|--band:[0-9.]+|<img[^>]*>)")
_SOURCE = re.compile(r'src="([^"]*)"')
Change = tuple[list[str | int], Any]


class Draw(Protocol):
    """A function that draws a figure in a mode, light or dark."""

    def __call__(self, *, mode: Mode) -> go.Figure: ...


class Write(Protocol):
    """A function that writes HTML in a mode, light or dark."""

    def __call__(self, *, mode: Mode) -> str: ...


@dataclass
class Charts:
    """The charts of one report, with ids counted within it, so that equal reports are identical files."""

    count: int = field(default=0)

    def block(
        self,
        draw: Draw,
        alt: str,
        title: str = "",
        sub: str = "",
        arrow: str = "",
        least: int = 0,
    ) -> str:
        """Return an interactive chart below its title.

        A chart with columns of text has a `least` width in px, and scrolls sideways on a narrower screen.
        """
        self.count += 1
        light, dark = (_spec(draw(mode=mode), mode) for mode in ("light", "dark"))
        changes = list(_changes(light, dark, []))
        # Escape `</script>`.
        spec = json.dumps({**light, "dark": changes}, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
        head = style_html.figure_title(title, sub, arrow) if title or sub else ""
        name, said = f"chart-{self.count}", esc(alt)
        style = f"height:{light['layout']['height']}px" + (f";min-width:{least}px" if least else "")
        place = f'<div id="{name}" role="img" aria-label="{said}" style="{style}"></div>'
        if least:
            place = f'<div class="tl-wide" tabindex="0" role="region" aria-label="{esc(title) or said}">{place}</div>'
        script = f'<script type="application/json" data-chart="{name}">{spec}</script>'
        return f'<div class="tl-drawn">{head}{place}{script}</div>'


def _spec(figure: go.Figure, mode: Mode) -> dict[str, Any]:
    """Data and layout of a figure, without the template that all charts of the file share."""
    found = json.loads(figure.to_json())
    layout = found["layout"]
    if layout.get("template") == json.loads(template(mode).to_json()):
        layout.pop("template")
    layout.setdefault("height", 400)
    return {"data": found["data"], "layout": layout}


def _changes(light: Any, dark: Any, path: list[str | int]) -> Iterator[Change]:
    if light == dark:
        return
    if isinstance(light, dict) and isinstance(dark, dict):
        for key in dict.fromkeys([*light, *dark]):
            yield from _changes(light.get(key), dark.get(key), [*path, key])
    elif isinstance(light, list) and isinstance(dark, list) and len(light) == len(dark) and _nested(light, dark):
        for k, (one, other) in enumerate(zip(light, dark)):
            yield from _changes(one, other, [*path, k])
    else:
        yield path, dark


def _nested(*lists: list[Any]) -> bool:
    return all(isinstance(value, dict | list) for of in lists for value in of)


def drawing(block: str) -> str:
    """Return the script that draws the charts in the HTML `block`; "" if it has no charts."""
    if "data-chart=" not in block:
        return ""
    templates = ",".join(f'"{mode}":{template(mode).to_json()}' for mode in ("light", "dark"))
    return f"<script>const TEMPLATES={{{templates}}};{SCRIPT.read_text(encoding='utf-8')}</script>"


def either(of: Callable[[Mode], str]) -> str:
    """Return a CSS colour that follows the reader's system setting."""
    light, dark = of("light"), of("dark")
    return light if light == dark else f"light-dark({light},{dark})"


def both(write: Write) -> str:
    """Return HTML for both modes: colours follow the reader's system; if more differs, the HTML is written twice."""
    light, dark = write(mode="light"), write(mode="dark")
    parts, others = _TONE.split(light), _TONE.split(dark)
    if parts[::2] != others[::2]:
        return f'<div class="tl-on-light">{light}</div><div class="tl-on-dark">{dark}</div>'
    return "".join(_merged(one, other) for one, other in zip(parts, others))


def _merged(light: str, dark: str) -> str:
    if light == dark:
        return light
    if light.startswith("<img"):
        source = _SOURCE.search(dark)
        media = "screen and (prefers-color-scheme: dark)"
        return f'<picture><source media="{media}" srcset="{source[1] if source else ""}">{light}</picture>'
    if light.startswith("--band"):
        return f"{light};--band-dark:{dark.partition(':')[2]}"
    return f"light-dark({light},{dark})"
