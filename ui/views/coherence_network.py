"""The network of COSMic on the Coherence page: from a file, or trained as a job on human ratings."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from data.check import GivenFile
from data.study import DataError
from figures.coherence import network as words
from figures.style.escaping import short
from metrics.analysis.coherence import cosmic_training
from metrics.analysis.coherence.cosmic_training import Training
from ui.frame import errors, look
from ui.frame.wording import plain
from ui.jobs import progress, study_metrics
from ui.jobs.jobs import jobs
from ui.session import address, state, study_values
from ui.views import coherence_features, upload

_TIMES, _REFUSED, _ASKED = "_network_times", "_network_refused", "_network_asked"
_TRAINING, _GIVEN = "_network_training", "_network_given"
LARGEST = {"network": 128 << 20, "features": 128 << 20, "ratings": 64 << 20}
"""Maximum bytes of a dropped file."""
KINDS = {".safetensors": "network", ".npz": "features"}
"""Kinds of files by extension; others are ratings."""


def control() -> None:
    """Show a panel, one line when folded, with the network that COSMic uses and ways to replace it."""
    given = state.loaded().network
    with st.popover(":gray[COSMic network]", key="network_panel", type="tertiary"):
        st.caption(words.ABOUT)
        if given is not None:
            _in_force(given)
        st.file_uploader(
            "A network (.safetensors), ratings, or image features (.npz)", key=_key(), on_change=_take, help=words.FILES
        )
        if (why := study_values.get(_REFUSED)) is not None:
            st.error(plain(why))
        if (work := _asked()) is not None:
            st.caption(plain(words.ratings(work)))
            st.toggle("Balance labels with captions of other images", key="network_augmented", help=words.AUGMENTED)
            st.button("Train", key="network_train", icon=":material/model_training:", on_click=_start)
        coherence_features.control()


def training() -> None:
    """Show the job that trains a network; when it is done, store the network with the study and show its agreement."""
    if (work := study_values.get(_TRAINING)) is None:
        return
    view = jobs().artifact(cosmic_training.trained(work, jobs().cache), state.session())
    if view.arrays is None:
        progress.show(view)
        return
    content, agreement = cosmic_training.of_arrays(view.arrays)
    if study_values.get(_GIVEN) != work.key:
        study_values.keep(_GIVEN, work.key)
        _give(GivenFile(f"network of {work.name}", content))
        st.rerun()
    if (now := state.loaded().network) is not None and now.content == content:
        look.note(words.agreement(work, agreement))


def _in_force(given: GivenFile) -> None:
    about = study_metrics.network_of(given).about
    look.facts([("In use", given.name), *words.about(about)])
    with st.container(horizontal=True, gap="small"):
        st.download_button(
            f"Save as {words.FILE}",
            given.content,
            words.FILE,
            "application/octet-stream",
            key="network_save",
            on_click="ignore",
            icon=":material/download:",
            help="For --cosmic on the command line",
        )
        st.button("Use none", key="network_undo", icon=":material/undo:", on_click=_undo)


def _key() -> str:
    """The key of the uploader: a new one after its file has been read."""
    return f"network_file_{st.session_state.get(_TIMES, 0)}"


def _asked() -> Training | None:
    found: Training | None = study_values.get(_ASKED)
    if found is None or (given := state.loaded().images) is None:
        return found
    return replace(found, features=study_metrics.features_of(given))


@errors.callback
def _take() -> None:
    given: UploadedFile | None = st.session_state[_key()]
    study_values.drop(_REFUSED)
    if given is None:
        return
    st.session_state[_TIMES] = st.session_state.get(_TIMES, 0) + 1
    try:
        _read(given)
    except DataError as why:
        study_values.keep(_REFUSED, str(why))
    finally:
        upload.give_up([given])


def _read(given: UploadedFile) -> None:
    """Store a file's network or features with the study, or offer to train on its ratings.

    Raises DataError if that is not possible.
    """
    kind = KINDS.get(Path(given.name.lower()).suffix, "ratings")
    if given.size > LARGEST[kind]:
        raise DataError(
            f"{short(given.name, 60)}: larger than {LARGEST[kind] >> 20} MB. Give a smaller file of {kind}."
        )
    if kind == "network":
        new = GivenFile(given.name, given.getvalue())
        study_metrics.network_path(new)
        study_values.drop(_TRAINING)
        _give(new)
    elif kind == "features":
        found = GivenFile(given.name, given.getvalue())
        study_metrics.features_path(found)
        coherence_features.forget()
        if not state.give_images(found):
            raise DataError(coherence_features.NO_ROOM)
    else:
        study_values.keep(_ASKED, cosmic_training.training(given.name, given.getvalue()))


def _give(new: GivenFile | None) -> None:
    if not state.give_network(new):
        study_values.keep(_REFUSED, "The server has no room for this network; try later.")
    elif new is not None:
        address.store("scored_by", "cosmic")


@errors.callback
def _start() -> None:
    work = _asked()
    assert work is not None
    augmented = bool(st.session_state.get("network_augmented"))
    study_values.keep(_TRAINING, replace(work, augmented=augmented))
    study_values.drop(_GIVEN)


@errors.callback
def _undo() -> None:
    study_values.drop(_TRAINING)
    _give(None)
