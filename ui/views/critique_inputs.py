"""Inputs of critiques besides captions, set on the Critique page: word vectors and image features."""

from __future__ import annotations

from pathlib import Path

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from data.check import GivenFile
from data.study import DataError, Study
from figures.critique import inputs as words
from figures.images import pictures
from figures.style.escaping import short
from figures.style.wording import item_noun
from metrics.analysis.artifacts import Artifact
from metrics.analysis.critique import inputs
from metrics.analysis.critique.inputs import Kind
from metrics.cache.disk import GIVEN
from metrics.learned.critique_metric import NO_IMAGES
from ui.frame import errors, look
from ui.frame.wording import plain
from ui.jobs import progress
from ui.jobs.jobs import ArtifactView, jobs
from ui.session import address, state, study_values
from ui.session.pictures import picture_of
from ui.views import upload
from ui.widgets import image_picker

SOURCES = {"file": "from a file", "pictures": "from the study's pictures"}


def word_vectors() -> str:
    """Return the path of the word vectors in use; "" if they start at random."""
    return _path("words") or ""


def image_features(study: Study, start: bool = True) -> str:
    """Return the path of the image features in use, else NO_IMAGES; without `start`, no picture is read."""
    if address.value("features") != "pictures":
        return _path("images") or NO_IMAGES
    if not (paths := _pictures(study)) or not inputs.can_read_pictures():
        return NO_IMAGES
    if (found := _read(paths, start).arrays) is None:
        return NO_IMAGES
    try:
        return inputs.pictures_file(_features(paths).key, list(paths), found, _folder())
    except DataError as why:
        study_values.keep(_refused("images"), str(why))
        return NO_IMAGES


def controls(study: Study, lstm: bool, beside_images: bool) -> None:
    """Show, under Options, the word vectors of an `lstm` and the image features of critiques `beside_images`.

    Each comes with ways to replace it.
    """
    if lstm:
        _file("words", address_note=words.AT_RANDOM)
    if not beside_images:
        return
    first = "pictures" if state.loaded().images is None and _pictures(study) else "file"
    if address.segments("Image features", "features", list(SOURCES), first, format_func=SOURCES.__getitem__) == "file":
        _file("images", address_note="")
    elif not _pictures(study):
        st.caption(plain(f"No {item_noun(study)} has a picture here. {pictures.REMEDY}"))
    elif not inputs.can_read_pictures():
        st.caption(plain(words.INSTALL))
        st.code(inputs.INSTALL, language=None, wrap_lines=True)


def waiting(study: Study, beside_images: bool) -> bool:
    """Return True, and show a message, if critiques read images (`beside_images`) whose features do not exist yet."""
    if not beside_images or image_features(study) != NO_IMAGES:
        return False
    paths = _pictures(study) if address.value("features") == "pictures" else {}
    if paths and inputs.can_read_pictures() and (view := _read(paths)).arrays is None:
        progress.show(view, height=260)
        return True
    with look.empty("No image features", study_values.get(_refused("images")) or words.LACKING):
        if address.value("features") == "pictures" and not inputs.can_read_pictures():
            st.code(inputs.INSTALL, language=None, wrap_lines=True)
        image_picker.data_link()
    return True


def setup_lines(study: Study, files: str) -> list[str]:
    """Return the command that computes the features of the study's pictures; [] if these are not used."""
    if address.value("features") != "pictures":
        return []
    folder = "demo/pictures" if state.is_demo() else f'"${pictures.FOLDER}"'
    if state.loaded().pictures is not None:
        folder = "PICTURES.zip"
    return [f"trilens features {folder} --captions {files} --out {inputs.file_name('images', '')}"]


def _folder() -> Path:
    directory = jobs().cache.directory
    assert directory is not None
    return directory / GIVEN


def _in_force(kind: Kind) -> GivenFile | None:
    return state.loaded().images if kind == "images" else state.loaded().word_vectors


def _path(kind: Kind) -> str | None:
    """The path of the file in use, or None; a file that has been rewritten is checked again."""
    own = _in_force(kind)
    try:
        return None if own is None else inputs.stored(kind, own, _folder())
    except DataError as why:
        study_values.keep(_refused(kind), str(why))
        return None


def _file(kind: Kind, address_note: str) -> None:
    own = _in_force(kind)
    if own is None:
        st.file_uploader(words.LABELS[kind], key=_key(kind), on_change=_take, args=(kind,), help=words.HELP[kind])
        if address_note:
            st.caption(address_note)
    else:
        look.facts([(words.FACTS[kind], short(own.name, 40))])
        with st.container(horizontal=True, gap="small"):
            name = inputs.file_name(kind, own.name)
            st.download_button(
                f"Save as {name}",
                own.content,
                name,
                "application/octet-stream",
                key=f"{kind}_save",
                on_click="ignore",
                icon=":material/download:",
                help="For the command line",
            )
            st.button("Use none", key=f"{kind}_undo", icon=":material/undo:", on_click=_undo, args=(kind,))
    if (why := study_values.get(_refused(kind))) is not None:
        st.error(plain(why))


def _refused(kind: Kind) -> str:
    return f"_{kind}_refused"


def _key(kind: Kind) -> str:
    """The key of the uploader: a new one after its file has been read."""
    return f"{kind}_file_{st.session_state.get(f'_{kind}_times', 0)}"


@errors.callback
def _take(kind: Kind) -> None:
    dropped: UploadedFile | None = st.session_state[_key(kind)]
    study_values.drop(_refused(kind))
    if dropped is None:
        return
    st.session_state[f"_{kind}_times"] = st.session_state.get(f"_{kind}_times", 0) + 1
    try:
        if dropped.size > inputs.LARGEST[kind]:
            raise DataError(
                f"{short(dropped.name, 60)}: larger than {inputs.LARGEST[kind] >> 20} MB. {inputs.SMALLER[kind]}"
            )
        _give(kind, inputs.checked(kind, short(dropped.name, 60), dropped.getvalue(), _folder()))
    except DataError as why:
        study_values.keep(_refused(kind), str(why))
    finally:
        upload.give_up([dropped])


@errors.callback
def _undo(kind: Kind) -> None:
    study_values.drop(_refused(kind))
    _give(kind, None)


def _give(kind: Kind, new: GivenFile | None) -> None:
    done = state.give_images(new) if kind == "images" else state.give_word_vectors(new)
    if not done:
        study_values.keep(_refused(kind), "The server has no room for this file; try later.")


def _pictures(study: Study) -> dict[str, Path | bytes]:
    given = state.loaded().pictures
    return _found(study, study.digest, state.is_demo(), "" if given is None else given.digest)


@st.cache_resource(ttl=60, max_entries=16, show_spinner=False)
def _found(_study: Study, digest: str, demo: bool, given: str) -> dict[str, Path | bytes]:
    found = {item.id: picture_of(item) for item in _study.items}
    return {id: picture.source for id, picture in found.items() if picture is not None}


def _read(paths: dict[str, Path | bytes], start: bool = True) -> ArtifactView:
    return jobs().artifact(_features(paths), state.session(), start)


def _features(paths: dict[str, Path | bytes]) -> Artifact:
    return inputs.of_pictures(list(paths.values()), jobs().cache)
