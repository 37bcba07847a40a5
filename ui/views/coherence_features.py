"""Image features on the Coherence page: from a file, or computed from the study's pictures as a job."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from data.check import GivenFile
from figures.coherence import network as words
from metrics.analysis.critique import inputs as given_files
from ui.frame import errors, look
from ui.frame.wording import plain
from ui.jobs import progress, study_metrics
from ui.jobs.jobs import jobs
from ui.session import state, study_values
from ui.session.pictures import picture_of

_WORK, _TAKEN, NO_ROOM = "_features_work", "_features_taken", "The server has no room for these features; try later."
NAME = "features of this study's pictures"
TRIED = 200
"""Maximum number of items whose pictures are looked for before anybody requests their features."""


def control() -> None:
    """Show the features in use, or a way to compute them from pictures, and what the network lacks."""
    if (given := state.loaded().images) is not None:
        look.facts([("Image features", given.name), ("Hold", words.features(study_metrics.features_of(given)))])
        st.button("Use no features", key="features_undo", icon=":material/undo:", on_click=_undo)
    elif any(picture_of(item) is not None for item in state.whole_study().items[:TRIED]):
        if not given_files.can_read_pictures():
            st.caption(words.INSTALL)
            st.code(given_files.INSTALL, language=None, wrap_lines=True)
        else:
            st.button(
                "Read this study's pictures",
                key="features_make",
                icon=":material/image:",
                on_click=_start,
                help=words.PICTURES,
            )
    if (lacking := _lacking()) is not None:
        st.warning(plain(lacking))


def computing() -> None:
    """Show the job that reads pictures; when it is done, store its features with the study."""
    work = [(id, one) for id, one in study_values.get(_WORK) or () if not isinstance(one, Path) or one.is_file()]
    if not work:
        return  # Nobody requested this study's pictures, or they are gone.
    artifact = given_files.of_pictures([one for _, one in work], jobs().cache)
    view = jobs().artifact(artifact, state.session())
    if view.arrays is None:
        progress.show(view)
        return
    if study_values.get(_TAKEN) != artifact.key:
        study_values.keep(_TAKEN, artifact.key)
        if not state.give_images(GivenFile(NAME, given_files.packed([id for id, _ in work], view.arrays))):
            st.error(NO_ROOM)
            return
        forget()
        st.rerun()


def forget() -> None:
    """Stop waiting for features of pictures, because other features replace them."""
    study_values.drop(_WORK)


def _lacking() -> str | None:
    if (network := state.loaded().network) is None:
        return None
    given = state.loaded().images
    width = 0 if given is None else study_metrics.features_of(given).features.shape[1]
    return words.lacking(study_metrics.network_of(network).about, width)


@errors.callback
def _start() -> None:
    found = [(item.id, picture_of(item)) for item in state.whole_study().items]
    there = [(id, picture.source) for id, picture in found if picture is not None]
    study_values.keep(_WORK, there)
    study_values.drop(_TAKEN)


@errors.callback
def _undo() -> None:
    forget()
    state.give_images(None)
