"""The layout of the caption cloud: its captions, the job that places them, and the labels of their points."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import streamlit as st

from data.study import Study
from figures.cloud import chart as cloud_chart
from figures.style.numbers import count
from metrics.analysis import artifacts
from metrics.analysis.artifacts import Artifact
from metrics.analysis.cloud.captions import METHODS, Layout, Points, Projection, layout, points
from metrics.analysis.cloud.early import some_items
from metrics.analysis.cloud.spread_and_nearness import Standings, standings
from metrics.cache.entry import Arrays
from ui.jobs.jobs import ArtifactView, jobs
from ui.session import state
from ui.widgets import image_picker


class Fetched(NamedTuple):
    """The layout to show: its projection, its arrays (None until they exist), and the view of the job.

    While the captions of the whole study are embedded, `study` has only some of its items.
    """

    study: Study
    of: Projection
    arrays: Arrays | None
    job: ArtifactView


def fetch(study: Study, of: Projection) -> Fetched:
    """Return the layout to show.

    While UMAP is being computed, PCA replaces it. PCA is computed first, because it needs the same embeddings, and
    little extra time. For a large study, a PCA of a few items comes even earlier, since embedding all captions takes
    long.
    """
    session = state.session()
    if of.method == "pca" or jobs().artifact(layout_work(study, of), session, start=False).arrays is not None:
        instead = of
    else:
        instead = Projection("pca", of.centred, encoder=of.encoder)
    few = some_items(study)
    if few is not None and jobs().artifact(layout_work(study, instead), session, start=False).arrays is None:
        early = jobs().artifact(layout_work(few, instead), session)
        job = early if early.arrays is None else jobs().artifact(layout_work(study, instead), session)
        return Fetched(few, instead, early.arrays, job)
    first = jobs().artifact(layout_work(study, instead), session)
    view = first if first.arrays is None or instead == of else jobs().artifact(layout_work(study, of), session)
    return Fetched(study, instead, first.arrays, view)


def layout_work(study: Study, of: Projection) -> Artifact:
    """Return the work that lays out a study."""
    n = len(sampled(study, of.seed))
    work = artifacts.layout(study, of, jobs().cache)
    return replace(work, title=f"Laying out {count(n, 'caption')} by {METHODS[of.method]}")


def sampled(study: Study, seed: int) -> Points:
    """Return the captions of the cloud, a sample that is drawn once and cached."""
    return _sampled(study, study.digest, seed)


@st.cache_resource(max_entries=4, show_spinner=False)
def _sampled(_study: Study, digest: str, seed: int) -> Points:
    return points(_study, seed=seed)


def placed(study: Study, of: Projection, arrays: Arrays) -> Layout:
    """Return the positions of the captions, and the numbers of each set, from the arrays of a layout."""
    return layout(sampled(study, of.seed), of, arrays)


def standings_of(study: Study, of: Projection, lay: Layout) -> Standings:
    """Return how each run compares with people, computed once."""
    return _standings(study, study.digest, of.signature, of.seed, lay)


@st.cache_resource(max_entries=16, show_spinner=False)
def _standings(_study: Study, digest: str, plane: str, seed: int, _lay: Layout) -> Standings:
    return standings(sampled(_study, seed), _lay)


def hover_texts(study: Study, seed: int) -> cloud_chart.Texts:
    """Return the hover text of each point, computed once."""
    return _hover_texts(study, study.digest, seed)


@st.cache_resource(max_entries=4, show_spinner=False)
def _hover_texts(_study: Study, digest: str, seed: int) -> cloud_chart.Texts:
    of = _sampled(_study, digest, seed)
    return cloud_chart.hover_texts(
        of, {int(k): image_picker.title(_study, _study.items[int(k)]) for k in np.unique(of.item)}
    )
