"""Closing a study: the warning, the undo, and the page for a link to a closed study."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from figures.style.escaping import file_stem, short
from figures.style.numbers import count
from ui.frame import errors, look
from ui.frame.wording import plain
from ui.session import state
from ui.session.library import MAX_AGE_SECONDS, UNDO_SECONDS, Gone
from ui.views import upload
from ui.widgets import image_picker

_LONGEST = 80
_LEFT = {
    "closed": "was closed by someone who had it open",
    "unused": f"was removed, as nobody had opened it for {MAX_AGE_SECONDS / 3600:.0f} hours",
    "room": "was removed to make room for studies that were opened later",
}
_AGAIN = (
    "Drop its files or its bundle on the Data page to open it again, under a new link. Numbers that this server "
    "has computed for the same captions are shown at once."
)
_UNKNOWN = (
    "This server does not know the study of this link. Either it was removed long ago, or the server has been "
    "restarted since, which cleared its memory."
)


def control(bundle: Callable[[], bytes]) -> None:
    """Show the button that closes the open study once confirmed; `bundle` packs it, so that it can be saved first."""
    if st.button(
        "Close this study",
        icon=":material/close:",
        type="tertiary",
        help="Asks first. Then the study leaves the server, and its link stops working.",
        key="close_study",
    ):
        _ask(bundle)


@st.dialog("Close this study?")
def _ask(bundle: Callable[[], bytes]) -> None:
    with errors.reported("closing a study"):
        _asked(bundle)


def _asked(bundle: Callable[[], bytes]) -> None:
    name = state.whole_study().name
    look.note(
        look.Strong(short(name, _LONGEST)),
        " leaves this server, with the settings you corrected, its slices and the repairs you chose. Its link stops "
        "working for everybody. A bundle keeps all of it, with every number that is finished, in one file.",
    )
    st.caption(f"Numbers stay in the cache. For {UNDO_SECONDS / 60:.0f} minutes you can open it again here.")
    with st.container(horizontal=True, gap="small"):
        st.download_button(
            "Save a bundle first",
            bundle,
            f"{file_stem(name)}.trilens.zip",
            "application/zip",
            key="close_bundle",
            on_click="ignore",
            icon=":material/inventory_2:",
        )
        if st.button("Close it", key="close_yes", type="primary", on_click=errors.callback(upload.forget)):
            if (left := state.closed()) is not None:
                st.toast(plain(f"Closed: {short(left[1], _LONGEST)}. The top of the page has a way back."))
            st.rerun()
        if st.button("Keep it open", key="close_no", type="tertiary"):
            st.rerun()


def notice() -> None:
    """Show, for a while after this session closed a study, a notice with a button that reopens it."""
    found = state.closed()
    if found is None or state.token() != state.DEMO:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="tl-closed"):
        look.note("You closed ", look.Strong(short(found[1], _LONGEST)), ". This is the demo.")
        _again()


def _again() -> None:
    st.button("Open it again", key="reopen", icon=":material/undo:", on_click=errors.callback(_reopen))


def _reopen() -> None:
    if (mine := state.closed()) is not None:
        state.reopen()
        st.toast(plain(f"Open again: {short(mine[1], _LONGEST)}. Files that you drop now can be added to it."))


def gone(token: str) -> None:
    """Show, instead of a page, what the link of a missing study showed, and how to open it again."""
    found, mine = state.library().gone(token), state.closed()
    look.header("This study is not here any more", "What did this link show?")
    with look.empty(*_words(found)):
        if mine is not None and mine[0] == token:
            _again()
        image_picker.page_link("dataset", "Drop its files", "upload", study=state.DEMO)
        image_picker.page_link("overview", "Open the demo", "science", study=state.DEMO)


def _words(found: Gone | None) -> tuple[str, str]:
    if found is None:
        return "Unknown study", f"{_UNKNOWN} {_AGAIN}"
    size = f"{count(found.items, found.noun)}, {count(found.runs, 'run')}"
    return short(found.name, _LONGEST), f"The study ({size}) {_LEFT[found.why]}. {_AGAIN}"
