"""Data: What am I comparing?"""

import streamlit as st

from ui import shell
from ui.frame import look
from ui.session import state
from ui.views import checks, dataset, document_frequencies, given_pictures, imported_scores, runs, seeds


def body() -> None:
    """The page."""
    look.header("Data", "What am I comparing?")
    study, demo, loaded = state.study(), state.is_demo(), state.loaded()
    dataset.style()
    dataset.drop_zone(loaded, demo)
    dataset.show_unusable()
    dataset.show_summary(study, loaded, demo)
    checks.show(loaded, editable=not demo)
    runs.table(state.whole_study(), demo)
    seeds.editor(state.whole_study(), demo)
    dataset.show_computable(study)
    with st.container(horizontal=True, gap="small"):
        document_frequencies.control()
        imported_scores.control(study)
        given_pictures.control()
    dataset.take_along(study, demo)


shell.page(body)
