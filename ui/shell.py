"""The frame around every page: configuration, logo, navigation, study card.

A page file ends with `shell.page(body)`. If the first request of a fresh server is a deep link, Streamlit runs that
file without app.py; it then starts the shell itself, which runs the file a second time as a page of the navigation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache as once
from pathlib import Path

import streamlit as st
from streamlit.navigation.page import StreamlitPage
from streamlit.runtime.scriptrunner import StopException

from data.study import DataError
from figures.notes.seeds import names_shown
from figures.views.registry import VIEWS, with_views
from metrics import plugins, word_vectors
from metrics.plugin_checks import PluginError
from ui.frame import charts, errors, history, keyboard, link, look, theme
from ui.jobs import registry
from ui.jobs.jobs import jobs
from ui.session import address, state
from ui.views import closing, upload
from ui.widgets import bundle_notice, hidden_notice, slice_notice

ROOT = Path(__file__).resolve().parents[1]
STATIC = ROOT / "static"
_RUNS = "_shell_runs"


@dataclass(frozen=True)
class Entry:
    """A page of the navigation: `file` in pages/ gives its address, "/" if default; `icon` is a Material symbol."""

    file: str
    title: str
    icon: str
    default: bool = False


_PAGES: dict[str, tuple[Entry, ...]] = {
    "Study": (
        Entry("overview", "Overview", "insights", default=True),
        Entry("dataset", "Data", "folder_open"),
    ),
    "Compare": (
        Entry("leaderboard", "Leaderboard", "format_list_numbered"),
        Entry("sweeps", "Temperature sweeps", "thermostat"),
        Entry("paired", "Paired comparison", "compare_arrows"),
    ),
    "Inspect": (
        Entry("images", "Images", "image"),
        Entry("triangles", "Triangles", "change_history"),
        Entry("cloud", "Caption cloud", "scatter_plot"),
        Entry("central", "Central captions", "adjust"),
    ),
    "Lab": (
        Entry("unique_correct", "Unique vs correct", "grid_on"),
        Entry("judgments", "Judgments", "how_to_vote"),
        Entry("robustness", "Robustness", "shield"),
        Entry("references", "References", "reviews"),
        Entry("sensitivity", "Sensitivity", "troubleshoot"),
        Entry("critique", "Critique", "rate_review"),
        Entry("coherence", "Coherence", "category"),
    ),
    "About": (Entry("methods", "Methods", "functions"),),
}
_ENTRIES = {name: Entry(name, view.title, view.icon) for name, view in VIEWS.items()}
_ENTRIES |= {entry.file: entry for entries in _PAGES.values() for entry in entries}
NAVIGATION: dict[str, tuple[Entry, ...]] = {
    group: tuple(_ENTRIES[name] for name in with_views(entry.file for entry in entries))
    for group, entries in _PAGES.items()
}
"""The pages by group, with the views where they belong."""


def start() -> None:
    """Configure the page, draw the frame and run the page that the address names."""
    st.set_page_config(page_title="Trilens", page_icon=str(STATIC / "mark.svg"), layout="wide")
    history.ready()
    st.logo(str(STATIC / f"logo-{look.mode()}.svg"), size="large")
    look.style()
    current = st.navigation(
        {group: [_page(entry) for entry in entries] for group, entries in NAVIGATION.items()}, expanded=True
    )
    with errors.reported(f"the page {current.url_path!r}"):
        _frame(current)
        # Cleared whatever the page does (st.stop and st.rerun raise exceptions): if the mark outlived its run, a later
        # run of the page file would lack the frame.
        st.session_state[_RUNS] = True
        try:
            current.run()
        except StopException:
            address.leave()
            raise
        finally:
            st.session_state[_RUNS] = False
    address.leave()


@once
def _word_vectors() -> str:
    """Load, once per server, the word vectors named in TRILENS_VECTORS; return why they cannot be used."""
    try:
        word_vectors.load_named()
    except (DataError, OSError) as why:
        return str(why)
    return ""


@once
def _plugins() -> str:
    """Load, once per server, the plug-ins of TRILENS_PLUGINS and installed packages; return why one cannot be used."""
    try:
        plugins.load_all()
    except PluginError as why:
        return str(why)
    return ""


def _frame(current: StreamlitPage) -> None:
    """Show the frame beside and above every page."""
    if why := _plugins():
        look.empty("A plug-in cannot be used", f"{why}. Fix it or remove it from {plugins.VARIABLE}, and start again.")
        st.stop()
    if why := _word_vectors():
        look.empty("Word vectors cannot be used", f"{why} Mend {word_vectors.VARIABLE}, and start again.")
        st.stop()
    keyboard.begin(current.url_path)
    address.enter(current.url_path)
    if (left := state.gone()) is not None:
        closing.gone(left)
        st.stop()
    registry.keep_own()
    look.name_runs(names_shown(state.study()))
    with st.sidebar:
        look.study_card(state.study_card())
        link.button(state.link_words())
        jobs().attach_bundle(state.session(), state.loaded().numbers)
        theme.follow()
    errors.callbacks()
    upload.received().sweep()
    closing.notice()
    bundle_notice.notice(state.study(), state.loaded().numbers)
    hidden_notice.notice()
    slice_notice.notice()


def page(body: Callable[[], None]) -> None:
    """Show `body` inside the frame; call it on the last line of every page file."""
    if st.session_state.get(_RUNS):
        body()
    else:
        charts.ready()
        start()


def _page(entry: Entry) -> StreamlitPage:
    return st.Page(
        address.page_file(entry.file),
        title=entry.title,
        icon=f":material/{entry.icon}:",
        url_path=entry.file,
        default=entry.default,
    )
