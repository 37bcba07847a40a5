"""The pictures of the open study on the Data page: how many items have one, and ways to name, add or remove them."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from data.bundle.writing import LARGEST_PICTURES
from data.check import Loaded
from data.files.picture_bytes import ENDINGS, NAMED
from data.finding_kinds.picture_kinds import PICTURES
from data.load import load_study
from data.pictures.given_pictures import MOST_FILES, MOST_KEPT, Pictures
from data.pictures.picture_names import valid_pattern
from data.study import DataError
from figures.dataset import html
from figures.images import given_pictures as words
from figures.style.wording import item_noun
from ui.frame import errors, look
from ui.frame.wording import plain
from ui.session import pictures, state, study_values
from ui.views import upload

_PATTERN, _REFUSED, _TIMES, ALONG = "pictures_pattern", "_pictures_refused", "_pictures_times", "pictures_along"
_WITHOUT = "_pictures_stay"
NO_ROOM = "Not kept: the server has no room for these pictures. Give fewer, or try later."
LIMITS = (
    f"{NAMED}, also a zip of them; up to {MOST_FILES:,} pictures, {MOST_KEPT >> 20:,} MB in all once made smaller. "
    "They stay in memory with the study, and no number depends on them."
)


def control() -> None:
    """Show a panel, one line when folded, with ways to name, add, pack or remove pictures.

    Show nothing for the demo, or for a study without items.
    """
    loaded = state.loaded()
    if state.is_demo() or loaded.study is None or not loaded.study.items:
        return
    given, study = loaded.pictures or Pictures(), loaded.study
    match, noun = given.match(study), item_noun(study)
    label = words.had(match, len(study.items), noun) if given.files else "No pictures"
    with st.popover(plain(label), icon=":material/image:", key="pictures_panel"):
        st.caption(LIMITS)
        _along()
        st.text_input(
            "Pattern of their names",
            given.pattern,
            key=f"{_PATTERN} {study_values.get(_TIMES) or 0}",
            placeholder="COCO_val2014_{id:012d}.jpg",
            on_change=errors.callback(_set_pattern),
            help="Where a picture is named by the id alone: {id}.jpg, or {id:012d} for an id of 12 digits with zeros.",
        )
        st.file_uploader(
            "A folder of pictures",
            type=[ending[1:] for ending in ENDINGS],
            accept_multiple_files="directory",
            key=_key(),
            on_change=_take,
        )
        if given.files:
            st.button(
                "Remove all pictures",
                key="pictures_remove",
                icon=":material/delete:",
                on_click=errors.callback(_remove),
            )
        if (why := study_values.get(_REFUSED)) is not None:
            st.error(plain(why))


def statement() -> None:
    """Show how many items have a picture and which names match no item, if the study has pictures."""
    loaded = state.loaded()
    if loaded.study is None or loaded.pictures is None or not loaded.pictures.files:
        return
    match, noun = loaded.pictures.match(loaded.study), item_noun(loaded.study)
    look.block(html.pictures(words.had(match, len(loaded.study.items), noun), words.details(match, noun)))


def _along() -> None:
    size = _size(state.loaded())
    if size > LARGEST_PICTURES:
        most = words.megabytes(LARGEST_PICTURES)
        look.note(
            f"The pictures, {words.megabytes(size)}, do not fit into a bundle, which holds at most {most} of them."
        )
    elif size:
        label = f"Pack them into the study bundle ({words.megabytes(size)})"
        st.toggle(label, study_values.get(_WITHOUT) is not True, key=ALONG, on_change=errors.callback(_choose))


def _choose() -> None:
    study_values.keep(_WITHOUT, not st.session_state[ALONG])


def taken_along() -> Pictures | None:
    """Return the pictures to pack into bundles.

    None if there are none, if they are too large for a bundle, or if the reader chose to leave them out.
    """
    fit = 0 < _size(state.loaded()) <= LARGEST_PICTURES
    return state.loaded().pictures if fit and study_values.get(_WITHOUT) is not True else None


def bundled() -> str:
    """Return the end of a sentence that mentions the pictures in a bundle; "" if it takes none."""
    taken = taken_along()
    return "" if taken is None else f", with the pictures ({words.megabytes(_size(state.loaded()))})"


def _size(loaded: Loaded) -> int:
    if loaded.study is None or loaded.pictures is None:
        return 0
    return loaded.pictures.used(loaded.study).size


def _change(change: Callable[[Loaded], Loaded]) -> None:
    if not state.update(change):
        study_values.keep(_REFUSED, NO_ROOM)


def _key() -> str:
    """The key of the uploader of a folder: a new one after a folder has been read."""
    return f"pictures_folder_{study_values.get(_TIMES) or 0}"


@errors.callback
def _take() -> None:
    dropped: list[UploadedFile] = st.session_state[_key()]
    study_values.drop(_REFUSED)
    if not dropped:
        return
    study_values.keep(_TIMES, (study_values.get(_TIMES) or 0) + 1)
    old = state.loaded().pictures
    try:
        upload.refuse_large(dropped)
        known = old.files if old is not None else ()
        if not pictures.add(load_study([(file.name, file.getvalue()) for file in dropped], known=known)):
            raise DataError(NO_ROOM)
    except DataError as why:
        study_values.keep(_REFUSED, str(why))
    finally:
        upload.give_up(dropped)


def _set_pattern() -> None:
    given = str(st.session_state[f"{_PATTERN} {study_values.get(_TIMES) or 0}"])
    study_values.drop(_REFUSED)
    try:
        pattern = valid_pattern(given) if given.strip() else ""
    except DataError as why:
        study_values.keep(_REFUSED, str(why))
        return

    def with_pattern(old: Loaded) -> Loaded:
        files = old.pictures.files if old.pictures is not None else ()
        return pictures.changed(old, Pictures(files, pattern) if files or pattern else None, old.findings)

    _change(with_pattern)


def _remove() -> None:
    study_values.drop(_REFUSED)
    _change(lambda old: pictures.changed(old, None, [one for one in old.findings if one.code not in PICTURES]))
