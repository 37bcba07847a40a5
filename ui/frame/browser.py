"""The app's own browser scripts: for charts, links, history, the theme, and the order in which Tab reaches controls."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

_CODE = Path(st.__file__).parent / "static" / "static" / "js"
_HERE = Path(__file__).parent


@cache
def component(script: Path, html: str | None = None) -> ComponentRenderer:
    """Return the component `trilens_NAME` of a script NAME.js, with its markup `html` and any NAME.css beside it."""
    style = script.with_suffix(".css")
    css = style.read_text("utf-8") if style.is_file() else None
    return st.components.v2.component(f"trilens_{script.stem}", html=html, css=css, js=script.read_text("utf-8"))


@cache
def charts_library() -> str:
    """Return the name of the file in Streamlit's front end that draws charts; it contains plotly."""
    return next(_CODE.glob("PlotlyChart.*.js")).name


def load_charts() -> None:
    """Load the charts library once the page is idle, and listen on the whole page for clicks on points."""
    with st.sidebar:
        component(_HERE / "charts.js")(key="_charts", data={"library": charts_library()}, height=1)


def open_instead(page: str) -> None:
    """Replace the current page by the page with this address; the query stays, and Back skips the replaced page."""
    component(_HERE / "redirect.js")(key="_redirect", data={"page": page}, height=1)


def keep_history() -> None:
    """Patch the browser's history: only another page or image becomes a new entry, whatever controls write to the
    address.

    Call this before a page writes its first address, at the end of its run.
    """
    with st.sidebar:
        component(_HERE / "history.js")(key="_history", height=1)


def order_tab(page: str) -> None:
    """Let Tab reach the button "Go to the menu" first, and then the controls of the page with the address `page`.

    Call this before anything else that Tab can reach.
    """
    shown = component(_HERE / "keyboard.js", '<button type="button">Go to the menu</button>')
    shown(key="_keyboard", data={"page": page}, height=1)


def copy_link(about: str) -> None:
    """Show the button that copies the address of a view; `about` states what the link opens, and how long it works."""
    html = '<div><button type="button">Copy link</button><span role="status"></span></div>'
    component(_HERE / "link.js", html)(key="_link", data={"about": about})


def clicked_link() -> tuple[str, dict[str, list[str]]] | None:
    """Return the page and query of the app's own link (`a.tl-go`) that was clicked since the last run, if any.

    A click follows the link within the session, like the links in the menu. The page is "" for the current one. Call
    this on every page. The link comes from the browser: its page may not exist.
    """
    shown = component(_HERE / "follow.js")(key="_follow", height=1, on_go_change=lambda: None)
    href = getattr(shown, "go", None)
    if not isinstance(href, str):
        return None
    parts = urlsplit(href)
    return parts.path, parse_qs(parts.query)


def follow_theme() -> None:
    """Rerun the page after a switch between light and dark, so that figures and the logo are drawn for the new theme.

    Streamlit updates its own parts immediately, but does not rerun the page. The browser requests one run per change,
    so a run cannot cause another.
    """
    component(_HERE / "theme.js")(key="_theme", height=1, on_switched_change=lambda: None)
