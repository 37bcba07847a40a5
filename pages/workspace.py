"""Workspace: What am I comparing?"""

import streamlit as st

from ui import controls, frequencies, look, shell, state, upload, workspace


def body() -> None:
    """The page."""
    look.header("Workspace", "What am I comparing?")
    study, demo = state.study(), state.is_demo()
    controls.notice()
    workspace.opening(study, demo)
    upload.files()
    workspace.failure()
    loaded = state.loaded()
    workspace.files(loaded)
    workspace.checks(loaded, editable=not demo)
    workspace.runs(study, demo)
    frequencies.control()
    workspace.computable(study)
    st.space("small")
    workspace.downloads(study, demo)


shell.page(body)
