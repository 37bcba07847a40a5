"""The view of the Caption cloud page with all chosen runs in one plane and the chosen caption beside it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from data.study import Run, Study
from figures.cloud import chart as cloud_chart
from figures.cloud import spread_and_nearness_words
from figures.cloud import words as cloud_words
from figures.export.paper import Draw, Ground
from figures.style.palette import styles_of
from metrics.analysis.cloud.captions import METHODS, Layout, Projection
from metrics.analysis.cloud.density import Grid
from metrics.analysis.cloud.places import Place, places
from metrics.analysis.cloud.selection import Plane
from metrics.analysis.cloud.view import CloudView, cloud_view
from metrics.base import Metric
from metrics.engine.result import Result
from ui.frame import look
from ui.jobs.jobs import jobs
from ui.session import state
from ui.views import cloud_layout, cloud_selection
from ui.views.cloud_controls import CloudChoice
from ui.views.cloud_layout import hover_texts, sampled
from ui.views.cloud_parts import Shown, show_chosen, show_parts
from ui.views.cloud_selection import CHART
from ui.views.images_order import computed
from ui.widgets import show, thumbnails


def show_cloud(study: Study, choice: CloudChoice, of: Projection, lay: Layout, instead: bool = False) -> None:
    """Show the verdict, one plane beside the chosen caption, and tabs.

    If the plane replaces another (`instead`), no areas are drawn.
    """
    choice = replace(choice, areas=()) if instead else choice
    metric = computed().get(choice.by)
    view, found = _view(study, choice, of, lay, metric), cloud_layout.standings_of(study, of, lay)
    look.verdict(*spread_and_nearness_words.verdict(study, found, lay.within))
    shown = Shown(study, choice, of, view, found, cloud_selection.picked(view), instead)
    with st.container(horizontal=True, gap="medium"):
        with st.container(width=672):
            _figure(shown, _places(study, of, view))
        with st.container(width=300):
            show_chosen(study, view, shown.picked)
    signatures = [of.signature] + ([metric.signature] if metric else [])
    look.footer(cloud_words.footer(study, view, of), *signatures)
    show_parts(shown, signatures)


def _view(study: Study, choice: CloudChoice, of: Projection, lay: Layout, metric: Metric | None) -> CloudView:
    at = sampled(study, of.seed)
    view = cloud_view(
        study,
        at,
        lay,
        choice.runs,
        choice.by,
        metric=metric,
        results=_results(study, metric, choice.runs),
        focus=choice.focus,
        words=choice.words,
        stars=choice.stars,
    )
    return cloud_words.with_short_names(study, view)


def _places(study: Study, of: Projection, view: CloudView) -> tuple[Place, ...]:
    drawn = tuple(np.unique(view.points.group[view.shown]).tolist())
    return _named(study, study.digest, of.signature, drawn, view)


@st.cache_resource(max_entries=32, show_spinner=False)
def _named(_study: Study, digest: str, plane: str, drawn: tuple[int, ...], _view: CloudView) -> tuple[Place, ...]:
    xy = _view.layout.xy
    return places(_view.points.texts, xy, _view.shown, Grid.over(xy))


def _results(study: Study, metric: Metric | None, runs: tuple[Run, ...]) -> dict[str, Result]:
    if metric is None:
        return {}
    found = jobs().view(study, (metric,), state.session(), start=False).results
    return {run.name: found[run.name, metric.name] for run in runs if (run.name, metric.name) in found}


def _figure(shown: Shown, named: tuple[Place, ...]) -> None:
    styles = styles_of(shown.study)
    texts, areas = hover_texts(shown.study, shown.of.seed), shown.choice.areas

    def drawn(on: Ground) -> go.Figure:
        picked, around = on.on_screen(shown.picked), on.on_screen(areas) or ()
        return cloud_chart.cloud(shown.view, texts, styles, on.mode, picked, around, on.width, named)

    with look.figure():
        look.figure_title(f"{METHODS[shown.of.method]} of captions", f"{cloud_words.reading(shown.view)}{_rest(shown)}")
        _plot(shown, drawn)
        thumbnails.follow(shown.study, CHART)


def _rest(shown: Shown) -> str:
    away = cloud_words.others(len(shown.choice.runs), len(shown.study.runs))
    lasso = "" if shown.instead else " Lasso: top right."
    return f"{cloud_words.rings(shown.view, shown.picked is not None)}{lasso}{away}"


def _plot(shown: Shown, drawn: Draw) -> None:
    view = shown.view
    show.chart(
        drawn,
        CHART,
        cloud_words.alt(view, shown.of),
        "Caption cloud",
        footer=f"{cloud_words.print_footer(shown.study, view)}\n{shown.of.signature}",
        on_select=partial(cloud_selection.take, CHART, Plane.over(view.layout.xy)),
        selection_mode="points" if shown.instead else ("points", "lasso", "box"),
    )
