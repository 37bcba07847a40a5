"""Overview: What does this study say?"""

import streamlit as st

from metrics.analysis.overview import standing_image
from ui import shell
from ui.session import address, state
from ui.views import overview
from ui.widgets import run_picker


def body() -> None:
    """The page."""
    study = state.study()
    overview.top(bool(study.runs))
    run_picker.notice()
    if not study.runs or not study.items:
        overview.nothing(study)
        return
    choice = overview.choose(study)
    address.unknown()
    seen, numbers, view = overview.look_at(study, choice)
    overview.headline(seen, view)
    position = standing_image(numbers, seen)
    steps = overview.steps_of(study, seen, position)
    with st.container(key="tl-ov-top"):
        if len(study.runs) > 1:
            overview.orders(seen, choice)
        overview.image(study, seen, position, steps)
    overview.explained(study, seen, position, steps)


shell.page(body)
