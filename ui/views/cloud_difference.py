"""The difference between two runs in the caption cloud: the places in the plane where one has more of its captions."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from data.study import Study
from figures.cloud import difference as drawing
from figures.cloud import words as cloud_words
from figures.export.paper import Ground
from figures.style.palette import styles_of
from figures.style.run_names import short_names
from figures.style.wording import item_noun
from metrics.analysis.cloud.captions import METHODS, Layout, Points, Projection
from metrics.analysis.cloud.density import MIN_POINTS, Grid
from metrics.analysis.cloud.difference import DensityDifference, density_difference, spots
from metrics.analysis.cloud.view import RUN, CloudView, cloud_view
from ui.frame import look
from ui.jobs import progress
from ui.views.cloud_controls import CloudChoice
from ui.views.cloud_layout import hover_texts, sampled
from ui.widgets import image_picker, show, thumbnails

_CHART = "cloud_difference"


def show_difference(study: Study, choice: CloudChoice, of: Projection, lay: Layout) -> None:
    """Show the verdict, the plane with the places that differ, their captions, and the table."""
    at = sampled(study, of.seed)
    view = cloud_words.with_short_names(study, cloud_view(study, at, lay, choice.runs, RUN))
    with progress.during("Comparing the two runs", height=440, shape="points"):
        found = _measured(study, study.digest, of.signature, tuple(run.name for run in choice.runs), at, lay)
    short = short_names(study.runs)
    first, second = (short[run.name] for run in choice.runs)
    if found is None:
        look.empty("Too few captions", f"A density needs {MIN_POINTS} captions of each run: choose other runs.")
        return
    density, where = found
    look.verdict(*drawing.verdict(density, where, (first, second)))
    with st.container(horizontal=True, gap="medium"):
        with st.container(width=672):
            _figure(study, view, of, density, where)
        with st.container(width=300):
            _captions(study, choice, view, where)
    facts, how = drawing.footer(density, view.groups, item_noun(study))
    look.figure_footer([facts], [how, cloud_words.footer(study, view, of)], [of.signature])
    with st.expander("Table", icon=":material/table:"):
        frame = drawing.table(where, (first, second), at.texts, lay.xy)
        show.table(frame, "cloud_difference_table", name="places that differ", signatures=[of.signature])


@st.cache_resource(max_entries=32, show_spinner=False)
def _measured(
    _study: Study, digest: str, plane: str, runs: tuple[str, ...], _at: Points, _lay: Layout
) -> tuple[DensityDifference, drawing.Spots] | None:
    names = [run.name for run in _study.runs]
    first, second = (np.flatnonzero(_at.group == 1 + names.index(name)) for name in runs)
    found = density_difference(_lay.xy, first, second, _at.item, Grid.over(_lay.xy), unit=_study.unit)
    return None if found is None else (found, spots(found, _at.texts, _lay.xy, first, second))


def _figure(study: Study, view: CloudView, of: Projection, density: DensityDifference, where: drawing.Spots) -> None:
    by_model = styles_of(study)
    first, second = (by_model[group.model] for group in view.groups)
    texts = hover_texts(study, of.seed)

    def drawn(on: Ground) -> go.Figure:
        return drawing.difference(view, density, where, texts, (first, second), on.mode, on.width)

    facts, _ = drawing.footer(density, view.groups, item_noun(study))
    with look.figure():
        look.figure_title(f"{METHODS[of.method]} of captions", drawing.READING)
        said = f"{facts} {drawing.READING}\n{of.signature}"
        show.chart(drawn, _CHART, drawing.alt(density, view.groups), "difference of captions", footer=said)
        thumbnails.follow(study, _CHART)


def _captions(study: Study, choice: CloudChoice, view: CloudView, where: drawing.Spots) -> None:
    by_model, mode, short = styles_of(study), look.mode(), short_names(study.runs)
    names = (short[choice.runs[0].name], short[choice.runs[1].name])
    for run, side, name in zip(choice.runs, where, names):
        style = by_model[run.model]
        told = [
            look.Caption(view.points.texts[drawing.middle(spot, view.layout.xy)], lead=drawing.listed(spot, names))
            for spot in side
        ]
        if told:
            look.captions(f"Where {name} says more", told, style.mark(mode), style.text(mode))
        else:
            look.figure_title("", f"No place was found where {name} says significantly more.")
    with image_picker.row("content"):
        query = {"a": choice.runs[0].name, "b": choice.runs[1].name}
        image_picker.page_link("paired", "Paired comparison", "compare_arrows", **query)
