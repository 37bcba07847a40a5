"""One image in the Caption cloud: its captions in the plane of a metric's own distances."""

from __future__ import annotations

import streamlit as st

from data.study import Item, Run, Study
from figures.cloud import item as cloud_item
from figures.style.escaping import capital
from figures.style.palette import styles_of
from figures.style.wording import item_noun
from figures.triangles import words
from metrics.analysis.cloud.view import ItemView, item_view
from metrics.analysis.feasibility import first_runs
from metrics.base import Undefined
from metrics.distances.base import Distance
from metrics.suite.distribution import Trm
from ui.frame import look
from ui.jobs import progress, study_metrics
from ui.jobs.jobs import jobs
from ui.session import address
from ui.views import cloud_controls
from ui.widgets import distance_picker, image_picker, show


def controls(study: Study) -> tuple[tuple[Run, ...], int, Trm]:
    """Show the controls for image, runs and distance; return the choice."""
    cloud_controls.choose_view(study)
    order = range(len(study.items))
    here = image_picker.position(study, order)
    image_picker.picker(study, order, here)
    asked = [run for run in study.runs if run.name == address.value("run")]
    runs = image_picker.choose_runs(study, "with", asked or first_runs(study, 1))
    trms = study_metrics.trms()
    first = distance_picker.metric(study) if study.runs else next(iter(trms.values()))
    with st.popover(":gray[Options]", key="options_panel", type="tertiary"):
        label = distance_picker.select(first.space.label)
    return runs, here, trms[label]


def show_item(study: Study, runs: tuple[Run, ...], position: int, metric: Trm) -> None:
    """Show the verdict, plane, picture and captions of one image."""
    item, label = study.items[position], metric.space.label
    said = tuple(run.name for run in runs)
    with progress.during("Comparing captions with one another", height=440, shape="points"):
        found = _computed(study, study.digest, said, position, metric.space, metric.space.signature)
    if isinstance(found, str):
        look.empty(f"No picture for this {item_noun(study)}", f"{capital(found)}. Choose other runs or another one.")
    else:
        look.verdict(
            *cloud_item.verdict(study, found, label),
            kicker=f"This {item_noun(study)}",
            more=[cloud_item.more(study, found)],
        )
    styles = styles_of(study)
    with st.container(horizontal=True, gap="medium"):
        if not isinstance(found, str):
            with st.container(width=672), look.figure():
                look.figure_title(
                    f"Captions by {label} distance",
                    "Open marks: people. Captions close in the picture are close by the distance.",
                )
                show.chart(
                    lambda on: cloud_item.plane(found, styles, on.mode),
                    "cloud_item",
                    cloud_item.alt(found, item, label),
                    f"Captions of {item.id}",
                    footer=f"{cloud_item.footer(found, label)}\n{metric.signature}",
                )
        with st.container(width=300):
            image_picker.show_picture(item)
            image_picker.show_references(
                item, found.distances if isinstance(found, ItemView) and len(runs) == 1 else None
            )
    with st.grid("auto", min_column_width=310, gap=("medium", "medium")) as grid:
        for run in runs:
            with grid.cell():
                image_picker.show_candidates(item, run, styles[run.model])
                if not words.too_few(item, run):
                    image_picker.page_link("triangles", "Triangles", "change_history", image=item.id, run=run.name)
    if not isinstance(found, str):
        _table(study, found, item, metric)


def _table(study: Study, found: ItemView, item: Item, metric: Trm) -> None:
    said = cloud_item.footer(found, metric.space.label)
    look.footer(said, metric.signature)
    show.table(
        cloud_item.table(found),
        "cloud_item_table",
        name=f"captions of the {item_noun(study)}",
        caption=f"{study.name}, {image_picker.title(study, item)}: {said}",
        signatures=(metric.signature,),
    )


@st.cache_resource(max_entries=64, show_spinner=False)
def _computed(
    _study: Study, digest: str, runs: tuple[str, ...], position: int, _space: Distance, signature: str
) -> ItemView | str:
    try:
        return item_view(_study, [_study.run(name) for name in runs], position, _space, jobs().cache)
    except Undefined as why:
        return str(why)
