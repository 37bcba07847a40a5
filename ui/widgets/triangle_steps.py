"""A triangle in three steps, on every page that explains the triangle rank."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from data.study import Study
from figures.overview.triangle_steps import steps_html
from metrics.analysis.overview_image import Steps
from ui.frame import look

CSS = Path(__file__).with_name("steps.css")


def show_steps(study: Study, found: Steps) -> None:
    """Show two captions of one side and one of the other, drawn to scale."""
    st.html(CSS)
    look.block(steps_html(study, found, look.mode()))
