"""One image in the Caption cloud: its captions in the plane of a metric's own distances."""

from __future__ import annotations

import streamlit as st

from data.study import Run, Study
from figures import cloud_item as draw
from figures.palette import model_styles
from figures.texts import capital
from figures.words import noun
from metrics.base import Undefined
from metrics.cloud_view import ItemView, item_view
from metrics.distances import Distance
from metrics.distribution import Trm
from ui import address, distances, items, look, registry, show
from ui.jobs import jobs


def controls(study: Study) -> tuple[tuple[Run, ...], int, Trm]:
    """Image, runs and distance."""
    order = range(len(study.items))
    here = items.position(study, order)
    items.picker(study, order, here)
    asked = [run for run in study.runs if run.name == address.asked("run")]
    runs = items.choose_runs(study, "with", asked or study.runs[:1])
    trms = registry.trms()
    first = distances.metric(study) if study.runs else next(iter(trms.values()))
    label = address.select("Distance", "distance", list(trms), first.space.label, width=170)
    return runs, here, trms[label]


def show_item(study: Study, runs: tuple[Run, ...], position: int, metric: Trm) -> None:
    """Verdict, plane, picture and captions of one image."""
    item, label = study.items[position], metric.space.label
    said = tuple(run.name for run in runs)
    found = _computed(study, study.digest, said, position, metric.space, metric.space.signature)
    if isinstance(found, str):
        look.empty(f"No plane for this {noun(study)}", f"{capital(found)}. Choose other runs or another one.")
    else:
        look.verdict(*draw.verdict(found, label), kicker="Reading")
    styles = model_styles([run.model for run in study.runs])
    with st.container(horizontal=True, gap="medium"):
        if not isinstance(found, str):
            with st.container(width=672), look.figure():
                look.figure_title(
                    f"Captions by {label} distance", "Open: references. Near in the plane: near by the distance."
                )
                show.chart(
                    lambda on: draw.plane(found, styles, on.mode), "cloud_item", draw.alt(found, item, label),
                    f"Captions of {item.id}", footer=f"{draw.footer(found, label)}\n{metric.signature}",
                )  # fmt: skip
        with st.container(width=300):
            items.show_picture(item)
            items.show_references(item, found.distances if isinstance(found, ItemView) and len(runs) == 1 else None)
    with st.grid("auto", min_column_width=310, gap=("medium", "medium")) as grid:
        for run in runs:
            with grid.cell():
                items.show_candidates(item, run, styles[run.model])
                items.page_link("triangles", "Triangles", "change_history", image=item.id, run=run.name)
    if not isinstance(found, str):
        look.footer(draw.footer(found, label), metric.signature)
        show.table(draw.table(found), "cloud_item_table", name=f"captions of the {noun(study)}",
                   caption=f"{study.name}, {items.title(item)}: {draw.footer(found, label)}",
                   signatures=(metric.signature,))  # fmt: skip


@st.cache_resource(max_entries=64, show_spinner="Comparing captions with one another")
def _computed(
    _study: Study, digest: str, runs: tuple[str, ...], position: int, _space: Distance, signature: str
) -> ItemView | str:
    try:
        return item_view(_study, [_study.run(name) for name in runs], position, _space, jobs().cache)
    except Undefined as why:
        return str(why)
