"""Workspace: What am I comparing?"""

import streamlit as st

from ui import shell
from ui.frame import look
from ui.session import state
from ui.views import document_frequencies, imported_scores, seeds, upload, workspace
from ui.widgets import run_picker


def body() -> None:
    """The page."""
    look.header("Workspace", "What am I comparing?")
    study, demo = state.study(), state.is_demo()
    run_picker.notice()
    workspace.show_summary(study, demo)
    upload.files()
    workspace.show_unusable()
    loaded = state.loaded()
    workspace.files(loaded)
    workspace.checks(loaded, editable=not demo)
    workspace.runs(study, demo)
    seeds.editor(study, demo)
    with st.container(horizontal=True, gap="small"):
        document_frequencies.control()
        imported_scores.control(study)
    workspace.show_computable(study)
    st.space("small")
    workspace.downloads(study, demo)


shell.page(body)
