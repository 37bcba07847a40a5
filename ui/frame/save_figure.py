"""Save a figure: a button beside its title that draws SVG and PNG for print in the browser, on request."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import plotly
import streamlit as st
from streamlit.components.v1 import declare_component

from figures.export.paper import COLUMN, PAGE, Draw, for_paper
from ui.frame import errors
from ui.frame.browser import component

_HELP = "SVG or PNG for paper"
_PLOTLY = Path(plotly.__file__).parent / "package_data"
_ROWS = "".join(
    f'<span id="w{inches}">{place}<small>{inches} in</small></span>'
    + "".join(
        f'<button type="button" data-kind="{kind}" data-inches="{inches}"'
        f' aria-label="Save as {kind.upper()}, {inches} inch wide">{kind.upper()}</button>'
        for kind in ("svg", "png")
    )
    for place, inches in (("Column", COLUMN), ("Page", PAGE))
)
_CHOICES = "".join(
    f'<label><input type="checkbox" name="{name}"{on}>{said}</label>'
    for name, on, said in (("title", " checked", "Title above"), ("notes", "", "What its marks mean, below"))
)
_HTML = f'<div class="save">{_ROWS}{_CHOICES}<p role="status"></p></div>'
_files = component(Path(__file__).with_name("export.js"), _HTML)


@errors.fragment()
def save(
    draw: Draw | None,
    key: str,
    *,
    name: str,
    title: str,
    alt: str,
    footer: str,
    tables: Callable[[], None] | None = None,
) -> None:
    """Show the Save button. The figure is drawn for paper only while the button's panel is open.

    Opening the panel does not rerun the page. `tables` draws downloads of the figure's numbers below; if `draw` is
    None, as for a table without a figure, only these are shown.
    """
    offered = ", ".join(filter(None, [_HELP if draw else "", "CSV, LaTeX" if tables else ""]))
    place = st.popover(
        "Save", key=f"{key}_save", type="tertiary", icon=":material/download:", on_change="rerun", help=offered
    )
    if not place.open:
        return
    with place:
        if draw is not None:
            figure_data = for_paper(draw, name=name, title=title, alt=alt, footer=footer)
            _files(key=f"{key}_files", data=figure_data | {"plotly": _plotly_path()})
        if tables is not None:
            tables()


def _plotly_path() -> str:
    served = declare_component("plotly", path=_PLOTLY)
    return f"component/{served.name}/plotly.min.js"
