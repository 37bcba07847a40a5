"""Workspace: What am I comparing?"""

import streamlit as st

from ui import shell
from ui.frame import look
from ui.session import state
from ui.views import checks, document_frequencies, imported_scores, seeds, workspace
from ui.widgets import run_picker


def body() -> None:
    """The page."""
    look.header("Workspace", "What am I comparing?")
    study, demo, loaded = state.study(), state.is_demo(), state.loaded()
    workspace.style()
    run_picker.notice()
    workspace.drop_zone(loaded, demo)
    workspace.show_unusable()
    workspace.show_summary(study, loaded, demo)
    checks.show(loaded, editable=not demo)
    workspace.runs(study, demo)
    seeds.editor(study, demo)
    workspace.show_computable(study)
    with st.container(horizontal=True, gap="small"):
        document_frequencies.control()
        imported_scores.control(study)
    workspace.take_along(study, demo)


shell.page(body)
