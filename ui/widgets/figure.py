"""A figure as shown on every page: a title line with icons, the figure, and one footer line."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import streamlit as st

from figures.export.paper import Draw, Ground
from figures.style.escaping import capital
from figures.style.html import printed
from metrics.base import Metric
from metrics.guide.cards import card
from metrics.guide.documentation import direction
from ui.frame import errors, look
from ui.frame.wording import plain
from ui.jobs import study_metrics
from ui.widgets import image_picker, show

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Twin:
    """The numbers of a figure as a table, or a function that makes the table when it is opened.

    `said` has additional arguments for `show.table`, such as `best`.
    """

    frame: pd.DataFrame | Callable[[], pd.DataFrame]
    said: Mapping[str, Any] = field(default_factory=dict)

    def table(self) -> pd.DataFrame:
        """Return the table."""
        return self.frame() if callable(self.frame) else self.frame


@dataclass(frozen=True)
class Foot:
    """The lines below a figure: `facts` on one line (n, interval, marks); `how` and `signatures` are folded."""

    facts: Sequence[str]
    how: Sequence[str] = ()
    signatures: Sequence[str] = ()


def figure(
    key: str,
    title: str,
    better: str = "",
    *,
    sub: str = "",
    draw: Draw | None = None,
    body: Callable[[], None] | None = None,
    alt: str = "",
    twin: Twin | None = None,
    foot: Foot | None = None,
    metrics: Sequence[Metric] = (),
    name: str | None = None,
    on_select: Callable[[], None] | None = None,
    above: Callable[[], None] | None = None,
    beside: Callable[[], None] | None = None,
    downloads: Callable[[], None] | None = None,
) -> None:
    """Show a plotly figure (`draw`), or the output of `body` instead, with its title and the `better` direction.

    If both are given, Save offers the picture from `draw`.

    The icons save the figure, replace it by the `twin`, and describe its `metrics`. `above` draws the controls that
    serve as its axis titles, `beside` a link at the end of its footer, and `downloads` additional files that Save
    offers.
    """
    with look.figure():
        look.figure_title(title, sub, better)
        as_table = twin is not None and bool(st.session_state.get(_table(key)))
        with look.icons(key):
            _icons(key, draw, alt, twin, foot, metrics, name, downloads)
        if above is not None:
            above()
        if twin is not None and as_table:
            show.table(twin.table(), f"{key}_twin", **{"name": name or key, **twin.said})
        elif body is not None:
            body()
        elif draw is not None:
            show.plot(draw(Ground(look.mode())), key, alt, on_select)
        if foot is not None:
            _footer(key, foot, beside)


def _footer(key: str, foot: Foot, beside: Callable[[], None] | None) -> None:
    if beside is None:
        look.figure_footer(foot.facts, foot.how, foot.signatures)
        return
    with st.container(horizontal=True, vertical_alignment="top", gap="small", key=f"tl-foot-{key}"):
        look.figure_footer(foot.facts, foot.how, foot.signatures)
        beside()


def _icons(
    key: str,
    draw: Draw | None,
    alt: str,
    twin: Twin | None,
    foot: Foot | None,
    metrics: Sequence[Metric],
    name: str | None,
    downloads: Callable[[], None] | None,
) -> None:
    below = ". ".join([*filter(None, map(printed, foot.facts)), ""]) if foot else ""
    signed = " ".join(foot.signatures) if foot else ""

    def tables() -> None:
        if twin is not None:
            said = {k: v for k, v in twin.said.items() if k not in ("columns", "waiting")}
            show.downloads(twin.frame, f"{key}_numbers", **{"name": name or key, **said})
        if downloads is not None:
            downloads()

    if draw is not None or twin is not None or downloads is not None:
        offered = tables if twin is not None or downloads is not None else None
        show.saving(draw, key, alt, name, footer=f"{below}{signed}".strip(), tables=offered)
    if twin is not None:
        shown = bool(st.session_state.get(_table(key)))
        st.button(
            "Show the figure" if shown else "Show as a table",
            key=f"{key}_swap",
            type="tertiary",
            icon=":material/bar_chart:" if shown else ":material/table:",
            on_click=_swap,
            args=(key,),
            help="Show the figure" if shown else "Show as a table",
        )
    if metrics:
        with st.popover(
            "About its metrics", icon=":material/info:", type="tertiary", help="About its metrics", key=f"{key}_about"
        ):
            _cards(metrics)


def _cards(metrics: Sequence[Metric]) -> None:
    for metric in dict.fromkeys(metrics):
        st.markdown(f"**{plain(metric.label)}**: {plain(card(metric))} {plain(capital(direction(metric)))}.")
    one = {"metric": metrics[0].name} if len(metrics) == 1 and metrics[0].name in study_metrics.metrics() else {}
    image_picker.page_link("methods", "Formula and source" if one else "Formulas and sources", "functions", **one)


@errors.callback
def _swap(key: str) -> None:
    st.session_state[_table(key)] = not st.session_state.get(_table(key), False)


def _table(key: str) -> str:
    return f"_{key}_as_table"
