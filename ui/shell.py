"""The frame around every page: configuration, logo, navigation, study card.

A page file ends with `shell.page(body)`. If the first request to a new server is a deep link, Streamlit runs that file
without app.py; the file then starts the shell itself, which runs it again as a page of the navigation.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache as once
from pathlib import Path

import streamlit as st
from streamlit.navigation.page import StreamlitPage
from streamlit.runtime.scriptrunner import StopException

from data.study import DataError
from figures.notes.seeds import names_shown
from figures.style.wording import text_noun
from metrics.extensions import plugins, word_vector_metrics
from metrics.extensions.plugin_checks import PluginError
from ui import rooms
from ui.frame import browser, early, errors, look
from ui.frame.wording import speak_of
from ui.jobs import study_metrics
from ui.jobs.jobs import jobs
from ui.session import address, state
from ui.views import close_study, judging_ask, overview_findings, upload
from ui.widgets import bundle_notice, hidden_notice, image_picker, slice_notice

ROOT = Path(__file__).resolve().parents[1]
STATIC = ROOT / "static"
_RUNS, _HERE = "_shell_runs", "_shell_page"


def start() -> None:
    """Configure the page, draw the frame and run the page that the address names."""
    st.set_page_config(page_title="Trilens", page_icon=str(STATIC / "mark.svg"), layout="wide")
    browser.keep_history()
    st.logo(str(STATIC / f"logo-{look.mode()}.svg"), size="large")
    look.style()
    early.end()
    current = _menu()
    with errors.reported(f"the page {current.url_path!r}"):
        _frame(current)
        # Cleared whatever the page does (st.stop and st.rerun raise exceptions): if the mark outlived its run, a later
        # run of the page file would lack the frame.
        st.session_state[_RUNS] = True
        look.begin_page()
        speak_of(text_noun(state.whole_study()))
        try:
            current.run()
        except StopException:
            address.leave()
            raise
        finally:
            st.session_state[_RUNS] = False
    overview_findings.keep(_file(current))
    address.leave()


def _menu() -> StreamlitPage:
    """Show the menu and return the page that the address names.

    Only the navigation knows which page that is. When the page changes, the menu is built again, with the new page as
    the entrance of its room.
    """
    lacking, here = rooms.lacking(state.named()), st.session_state.get(_HERE, "")
    current = _navigation(lacking, here)
    if current.url_path in rooms.ALSO_CALLED:
        name = rooms.ALSO_CALLED[current.url_path]
        browser.open_instead("" if name == rooms.ENTRIES[0].file else name)
        st.stop()
    if (now := _file(current)) != here:
        st.session_state[_HERE] = now
        jobs().leave_page(state.session())
        current = _navigation(lacking, now)
    return current


def _navigation(lacking: frozenset[str], here: str) -> StreamlitPage:
    """Show every room by its entrance and return the current page; addresses and tabs lead to a room's other pages."""
    pages: dict[str, list[StreamlitPage]] = {}
    for group, found in rooms.ROOMS.items():
        pages[group] = []
        for room in found:
            shown = rooms.entrance(room, lacking, here)
            alone = len(rooms.tabs(room, lacking, here)) == 1
            pages[group] += [_page(entry, room if entry.file == shown else None, alone) for entry in room.entries]
    pages[""] += [st.Page(_elsewhere, url_path=name, visibility="hidden") for name in rooms.ALSO_CALLED]
    return early.navigation(pages)


def _elsewhere() -> None:
    """Stand for a page under another address: `_menu` opens the page itself."""


def _file(page: StreamlitPage) -> str:
    """Return the name of a page's file, which is its address unless it is the first page."""
    return page.url_path or rooms.ENTRIES[0].file


def _room(here: str) -> look.Room | None:
    """Return the room of a page, with the tabs that this study can fill; None if the page is the only one."""
    room = rooms.room_of(here)
    entries = rooms.tabs(room, rooms.lacking(state.whole_study()), here)
    if len(entries) < 2:
        return None

    def show_tabs() -> None:
        with st.container(horizontal=True, key="tl-tabs"):
            for entry in entries:
                with st.container(key="tl-tab-here" if entry.file == here else None, width="content"):
                    image_picker.page_link(entry.file, rooms.title(entry, state.whole_study()))

    return look.Room(rooms.title(room, state.whole_study()), show_tabs)


@once
def _word_vectors() -> str:
    try:
        word_vector_metrics.load_named()
    except (DataError, OSError) as why:
        return str(why)
    return ""


@once
def _plugins() -> str:
    try:
        plugins.load_all()
    except PluginError as why:
        return str(why)
    return ""


def _frame(current: StreamlitPage) -> None:
    look.enter(None)
    if why := _plugins():
        look.empty("A plug-in cannot be used", f"{why}. Fix it or remove it from {plugins.VARIABLE}, and start again.")
        st.stop()
    if why := _word_vectors():
        look.empty("Word vectors cannot be used", f"{why} Correct {word_vector_metrics.VARIABLE}, and start again.")
        st.stop()
    browser.order_tab(current.url_path)
    address.enter(current.url_path)
    if (left := state.gone()) is not None:
        close_study.gone(left)
        st.stop()
    judging_ask.collect()
    study_metrics.keep_own()
    look.name_runs(names_shown(state.study()))
    with st.sidebar:
        look.study_card(state.study_card())
        browser.copy_link(state.link_words())
        jobs().attach_bundle(state.session(), state.loaded().numbers)
        browser.follow_theme()
        asked = browser.clicked_link()
    if asked is not None and (page := asked[0] or _file(current)) in {entry.file for entry in rooms.ENTRIES}:
        st.switch_page(address.page_file(page), query_params=asked[1])
    look.enter(_room(_file(current)))
    errors.callbacks()
    upload.received().sweep()
    close_study.notice()
    bundle_notice.notice(state.study(), state.loaded().numbers)
    hidden_notice.notice()
    slice_notice.notice()


def page(body: Callable[[], None]) -> None:
    """Show `body` inside the frame; call this on the last line of every page file."""
    if st.session_state.get(_RUNS):
        body()
    else:
        browser.load_charts()
        start()


def _page(entry: rooms.Entry, room: rooms.Room | None, alone: bool) -> StreamlitPage:
    """Return a page of the navigation, hidden if `room` is None.

    The menu shows it under the name of the `room` that it opens, or under its own if `alone`.
    """
    return st.Page(
        address.page_file(entry.file),
        title=rooms.title(room if room and not alone else entry, state.named()),
        icon=f":material/{room.icon if room else entry.icon}:",
        url_path=early.HOME if entry.default else entry.file,
        default=entry.default,
        visibility="visible" if room else "hidden",
    )
