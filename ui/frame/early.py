"""The menu and a message, which a new server shows while it imports the rest of the app."""

from __future__ import annotations

import sys
from pathlib import Path
from urllib.parse import urlsplit

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from ui.menu import MENU

ROOT = Path(__file__).resolve().parents[2]
HOME = "home"
"""The name that Streamlit reserves for the first page, whose address is "/"; the name of its file leads there, too."""
_FIRST = MENU[""][0].pages[0]
_WAITING = "_early_waiting"


def show() -> None:
    """Show the menu and a message that the server is starting.

    Nothing is shown if the app has been imported, or if the address is not that of a page. Without this, Streamlit
    would list the names of the files in pages/ beside an empty page until the app shows its menu.
    """
    if f"{__package__.removesuffix('frame')}shell" in sys.modules:
        return
    files = {path.stem: path for path in (ROOT / "pages").glob("*.py")}
    if urlsplit(st.context.url or "").path.strip("/") not in {"", *files}:
        return
    st.set_page_config(page_title="Trilens", page_icon=str(ROOT / "static" / "mark.svg"), layout="wide")
    theme = "dark" if st.context.theme.type == "dark" else "light"
    st.logo(str(ROOT / "static" / f"logo-{theme}.svg"), size="large")
    pages = {
        group: [_page(files.pop(place.pages[0]), place.title, place.icon) for place in places]
        for group, places in MENU.items()
    }
    pages[""] += [st.Page(file, url_path=name, visibility="hidden") for name, file in sorted(files.items())]
    navigation(pages)
    waiting = st.empty()
    waiting.caption("Starting: this server is loading the metrics, which takes a few seconds once.")
    st.session_state[_WAITING] = waiting


def navigation(pages: dict[str, list[StreamlitPage]]) -> StreamlitPage:
    """Show pages by group in the sidebar and return the current one; until the first call, the configuration hides the
    list of files that Streamlit would show there.
    """
    st.set_option("client.showSidebarNavigation", True)
    return st.navigation(pages, expanded=True)


def end() -> None:
    """Remove the message that the server is starting, if it is shown."""
    if (waiting := st.session_state.pop(_WAITING, None)) is not None:
        waiting.empty()


def _page(file: Path, title: str, icon: str) -> StreamlitPage:
    first = file.stem == _FIRST
    address = HOME if first else file.stem
    return st.Page(file, title=title, icon=f":material/{icon}:", url_path=address, default=first)
