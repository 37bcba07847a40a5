"""The document frequencies of CIDEr-D on the Data page: those in use, others from a file, and a reset."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from data.check import GivenFile
from data.load import load_study
from data.study import DataError, Study, Tokenizer
from figures.report.commands import IDF
from figures.style.escaping import short
from metrics.distances import document_frequencies
from metrics.needs import unmet
from metrics.text.cider import DocumentFrequencies
from metrics.text.java import JavaDied
from ui.frame import errors, look
from ui.frame.wording import plain, sentence
from ui.jobs import study_metrics
from ui.session import state, study_values
from ui.views import upload

_TIMES, _REFUSED = "_idf_times", "_idf_refused"
Files = Sequence[tuple[str, bytes]]
ABOUT = (
    "CIDEr-D weighs a phrase by the number of images for which people say it. Published tables count in the "
    "captions of COCO val, not in the study at hand."
)


def control() -> None:
    """Show a panel, one line when folded, with the frequencies that every CIDEr-D uses and a way to change them."""
    given = state.loaded().idf
    named = "this study" if given is None else short(given.name, 40)
    with st.popover(f"CIDEr-D: {plain(named)}", icon=":material/functions:", key="idf_panel"):
        st.caption(ABOUT)
        if given is not None:
            _in_force(given)
        st.file_uploader(
            "A file of frequencies, or another study's captions",
            accept_multiple_files=True,
            key=_key(),
            on_change=_take,
            help="A file written by `trilens idf`, or files of captions as above; captions by people are counted.",
        )
        if (why := study_values.get(_REFUSED)) is not None:
            st.error(plain(why))


def _in_force(given: GivenFile) -> None:
    found = study_metrics.idf()
    assert found is not None
    size = f"{len(found.last):,} n-grams in captions of {found.documents:,} images"
    look.facts([("In use", given.name), ("Counted", size)], {"Signature": (f"idf:{found.digest[:12]}",)})
    with st.container(horizontal=True, gap="small"):
        st.download_button(
            f"Save as {IDF}",
            given.content,
            IDF,
            "application/octet-stream",
            key="idf_save",
            on_click="ignore",
            icon=":material/download:",
            help="For --idf on the command line",
        )
        st.button(
            "Use this study's captions",
            key="idf_undo",
            icon=":material/undo:",
            on_click=errors.callback(_give),
            args=(None,),
        )


def _key() -> str:
    """The key of the uploader: a new one after its files have been read, so that later files do not join them."""
    return f"idf_files_{st.session_state.get(_TIMES, 0)}"


@errors.callback
def _take() -> None:
    given = st.session_state[_key()]
    study_values.drop(_REFUSED)
    if not given:
        return
    st.session_state[_TIMES] = st.session_state.get(_TIMES, 0) + 1
    try:
        upload.refuse_large(given)
        with st.spinner("Counting n-grams", show_time=True):
            _give(read([(file.name, file.getvalue()) for file in given], state.study().tokenizer))
    except DataError as why:
        study_values.keep(_REFUSED, f"{why} {_unchanged()}")
    finally:
        upload.give_up(given)


def _unchanged() -> str:
    given = state.loaded().idf
    return f"CIDEr-D still uses the frequencies of {'this study' if given is None else given.name}."


def _give(new: GivenFile | None) -> None:
    study_values.drop(_REFUSED)
    if not state.give_frequencies(new):
        study_values.keep(_REFUSED, f"The server has no room for these frequencies; try later. {_unchanged()}")


def read(files: Files, tokenizer: Tokenizer = "ptb") -> GivenFile:
    """Return the document frequencies in a file, or those of the references in files of captions.

    Raises DataError if they cannot be used.
    """
    made = [document_frequencies.looks_like_frequencies(content, name) for name, content in files]
    if any(made) and len(files) > 1:
        raise DataError("Give one file of frequencies, or the files of one study without it.")
    (name, content), *_ = files
    if made[0]:
        return _file(name, document_frequencies.parse(content, name, tokenizer), tokenizer)
    study = _study(files)
    if tokenizer == "ptb" and (why := unmet("java")) is not None:
        raise DataError(f"The captions cannot be split into words here: {why}.")
    try:
        found = document_frequencies.count_frequencies(study, tokenizer)
        return _file(f"references of {study.name}", found, tokenizer)
    except JavaDied as died:
        raise DataError(f"The captions could not be split into words: {died}.") from None


def _study(files: Files) -> Study:
    loaded = load_study(files)
    if loaded.study is None or loaded.unread:
        why = sentence(loaded.errors[0]) if loaded.errors else "No captions by people could be read from these files."
        raise DataError(why)
    return loaded.study


def _file(name: str, found: DocumentFrequencies, tokenizer: Tokenizer) -> GivenFile:
    return GivenFile(name, document_frequencies.to_npz(document_frequencies.checked(found, name), tokenizer))
