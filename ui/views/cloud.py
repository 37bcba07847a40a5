"""The parts of the Caption cloud page: the chart or a panel per model, the chosen caption, and the tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from data.study import Item, Run, Study
from figures.cloud import chart as cloud_chart
from figures.cloud import panel as cloud_panel
from figures.cloud import words as cloud_words
from figures.export.paper import Draw, Ground
from figures.images import pictures
from figures.images.titles import WHOLE
from figures.style.numbers import count
from figures.style.palette import styles_of
from figures.style.run_names import short_names
from metrics.analysis.cloud.captions import METHODS, Projection, layout
from metrics.analysis.cloud.density import Grid
from metrics.analysis.cloud.lasso import Plane
from metrics.analysis.cloud.places import Place, places
from metrics.analysis.cloud.view import PEOPLE, CloudView, Group, cloud_view
from metrics.arrays import Integers
from metrics.base import Metric
from metrics.cache.entry import Arrays
from metrics.engine.result import Result
from ui.frame import errors, look
from ui.jobs.jobs import jobs
from ui.session import address, state
from ui.session.pictures import picture_of
from ui.views import cloud_selection
from ui.views.cloud_controls import ALL, PANELS, CloudChoice
from ui.views.cloud_layout import hover_texts, sampled
from ui.views.cloud_selection import CHART
from ui.views.images import offered
from ui.widgets import image_picker, parts, show, slice_notice, thumbnails

LISTED = 1_000
"""Most rows of a table on the page; its downloads have all."""
PART, MOST = "part", 8
"""The parameter of the open tab, and most panels of models."""
_FOUND = "_cloud_found"


@dataclass(frozen=True)
class _Shown:
    """The drawing: the view in a plane, which may replace another for now (`instead`), and the named places."""

    study: Study
    choice: CloudChoice
    of: Projection
    view: CloudView
    picked: int | None
    instead: bool
    named: tuple[Place, ...]


def show_cloud(study: Study, choice: CloudChoice, of: Projection, arrays: Arrays, instead: bool = False) -> None:
    """Show the verdict, panels or one plane, and tabs. No areas are drawn in a plane that replaces another."""
    choice = replace(choice, areas=()) if instead else choice
    metric = offered().get(choice.by)
    view = _view(study, choice, of, arrays, metric)
    look.verdict(*cloud_words.verdict(study, view.layout, choice.runs))
    shown = _Shown(study, choice, of, view, cloud_selection.picked(view), instead, _places(study, of, view))
    if choice.view == ALL:
        with st.container(horizontal=True, gap="medium"):
            with st.container(width=672):
                _figure(shown)
            with st.container(width=300):
                _chosen(study, view, shown.picked)
    else:
        _panels(shown)
    signatures = [of.signature] + ([metric.signature] if metric else [])
    look.footer(cloud_words.footer(study, view, of), *signatures)
    _parts(shown, signatures)


def _view(study: Study, choice: CloudChoice, of: Projection, arrays: Arrays, metric: Metric | None) -> CloudView:
    at = sampled(study, of.seed)
    view = cloud_view(
        study,
        at,
        layout(at, of, arrays),
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
    """The dense places of all drawn points, with their words."""
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


def _figure(shown: _Shown) -> None:
    styles = styles_of(shown.study)
    texts, areas = hover_texts(shown.study, shown.of.seed), shown.choice.areas

    def drawn(on: Ground) -> go.Figure:
        picked, around = on.on_screen(shown.picked), on.on_screen(areas) or ()
        return cloud_chart.cloud(shown.view, texts, styles, on.mode, picked, around, on.width, shown.named)

    with look.figure():
        look.figure_title(f"{METHODS[shown.of.method]} of captions", f"{cloud_words.reading(shown.view)}{_rest(shown)}")
        _plot(shown, shown.view, drawn, CHART, "Caption cloud")
        thumbnails.follow(shown.study, CHART)


def _rest(shown: _Shown) -> str:
    """A sentence on the meaning of rings and on runs that are not drawn."""
    away = cloud_words.others(len(shown.choice.runs), len(shown.study.runs))
    return f"{cloud_words.rings(shown.view, shown.picked is not None)}{away}"


def _panels(shown: _Shown) -> None:
    """Show a small plane of people, and one for each group beside it."""
    view = shown.view
    groups: list[Group | None] = [None] if len(view.people.rows) else []
    groups += view.groups[:MOST]
    beside = cloud_panel.columns(len(groups))
    read = f"{cloud_words.panels_reading(view, MOST)}{_rest(shown)}"
    look.figure_title(f"{METHODS[shown.of.method]} of captions", read)
    with st.grid(beside, min_column_width=230 if beside > 3 else 295, gap=("medium", "small")) as grid:
        for k, group in enumerate(groups):
            with grid.cell(), look.figure():
                look.figure_title(group.name if group else PEOPLE, cloud_words.panel_reading(view, group))
                _one_panel(shown, group, f"{CHART}_{k}", beside)
    with st.container(gap=None):
        for k in range(len(groups)):
            thumbnails.follow(shown.study, f"{CHART}_{k}")


def _one_panel(shown: _Shown, group: Group | None, key: str, beside: int) -> None:
    styles = styles_of(shown.study)
    alone, texts = cloud_panel.of_group(shown.view, group), hover_texts(shown.study, shown.of.seed)
    named = shown.named if group is None else ()

    def drawn(on: Ground) -> go.Figure:
        picked, around = on.on_screen(shown.picked), on.on_screen(shown.choice.areas) or ()
        return cloud_panel.panel(alone, texts, styles, on.mode, picked, around, on.width, named, beside)

    _plot(shown, alone, drawn, key, f"Caption cloud {group.name if group else PEOPLE}")


def _plot(shown: _Shown, view: CloudView, drawn: Draw, key: str, name: str) -> None:
    show.chart(
        drawn,
        key,
        cloud_words.alt(view, shown.of),
        name,
        footer=f"{cloud_words.print_footer(shown.study, view)}\n{shown.of.signature}",
        on_select=partial(cloud_selection.take, key, Plane.over(view.layout.xy)),
        selection_mode="points" if shown.instead or key != CHART else ("points", "lasso", "box"),
        grows=key != CHART,
    )


def _chosen(study: Study, view: CloudView, picked: int | None, wide: bool = False) -> None:
    """Show the chosen caption with its picture and author, and links to other pages."""
    if picked is None:
        return
    item = study.items[int(view.points.item[picked])]
    picture = picture_of(item)
    with st.grid(2 if wide and picture is not None else 1, min_column_width=295, gap=("medium", "small")) as both:
        if picture is not None:
            with both.cell():
                st.image(picture.shown, width=300 if wide else "stretch", alt=image_picker.title(item))
        with both.cell():
            _chosen_caption(study, view, picked, item, "" if picture or not item.image else pictures.why_missing(item))


def _chosen_caption(study: Study, view: CloudView, picked: int, item: Item, why: str) -> None:
    group, text, mode = int(view.points.group[picked]), view.points.texts[picked], look.mode()
    look.figure_title(image_picker.title(item, WHOLE), why)
    run = study.runs[group - 1] if group else None
    style = styles_of(study).get(run.model) if run else None
    said = run.candidates[item.id] if run else item.references
    marks = ("central",) if view.layout.central[picked] else ()
    look.captions(
        short_names(study.runs)[run.name] if run else PEOPLE,
        [look.Caption(text, said.count(text), marks)],
        *((style.mark(mode), style.text(mode)) if style else ()),
    )
    with image_picker.row("content"):
        image_picker.page_link("images", "Images", "image", image=item.id)
        if run:
            image_picker.page_link("triangles", "Triangles", "change_history", image=item.id, run=run.name)
    if view.focus is None:
        st.button(
            "Highlight its captions",
            key="cloud_focus",
            icon=":material/flare:",
            on_click=errors.callback(_focus),
            args=(item,),
        )


def _focus(item: Item) -> None:
    address.store("image", item.id)
    address.store("focus", "yes")


def _parts(shown: _Shown, signatures: Sequence[str]) -> None:
    """Show the tabs: the runs in numbers, the chosen caption unless it is beside the plane, and all captions."""
    study, view, choice = shown.study, shown.view, shown.choice
    title, rows = _listed(study, view, choice)
    titles = {"sets": "Runs in numbers"} if choice.runs else {}
    if choice.view == PANELS and shown.picked is not None:
        titles |= {"caption": "The chosen caption"}
    titles |= {"captions": f"{title}: {count(len(rows), 'caption')}"}
    _open_found(choice)
    part = parts.tabs(PART, titles, ("sets", "caption"))
    if part == "sets":
        _sets(study, view, choice, signatures)
    elif part == "caption":
        _chosen(study, view, shown.picked, wide=True)
    else:
        _captions(study, view, choice, rows, signatures)


def _open_found(choice: CloudChoice) -> None:
    """Open the list of captions when the searched words or the drawn areas change."""
    now = (choice.words, tuple(area.text for area in choice.areas))
    if st.session_state.setdefault(_FOUND, now) != now:
        st.session_state[_FOUND] = now
        if any(now):
            address.store(PART, "captions")
    elif any(now) and address.values(PART) is None:
        address.store(PART, "captions")


def _sets(study: Study, view: CloudView, choice: CloudChoice, signatures: Sequence[str]) -> None:
    look.figure_title("", cloud_words.sets_reading(study))
    show.table(
        cloud_words.runs_table(study, view.layout, choice.runs, view.points),
        "cloud_sets",
        name="caption sets",
        signatures=signatures[:1],
    )


def _captions(study: Study, view: CloudView, choice: CloudChoice, rows: Integers, signatures: Sequence[str]) -> None:
    table = cloud_words.captions_table(study, view, rows, image_picker.title)
    if choice.areas:
        with image_picker.row():
            cloud_selection.clear()
            inside = sorted({int(place) for place in view.points.item[rows]})
            slice_notice.save_control("selected in the cloud", [study.items[k].id for k in inside], "cloud_slice")
    if len(table) > LISTED:
        look.figure_title("", f"The first {LISTED:,} of {len(table):,} different captions; the downloads have all.")
    own, rows_of = table.drop(columns="row"), table["row"].tolist()

    def pick(row: int) -> None:
        address.store("pick", str(rows_of[row]))
        if choice.view == PANELS:
            address.store(PART, "caption")

    show.listing(
        own.drop(columns="Id").head(LISTED),
        "cloud_captions",
        pick,
        columns={"Caption": st.column_config.TextColumn(width="large")},
        height=min(38 + 32 * len(own), 390),
    )
    show.downloads(own, "cloud_captions_all", name="captions of the cloud", signatures=signatures)


def _listed(study: Study, view: CloudView, choice: CloudChoice) -> tuple[str, Integers]:
    """The captions that the table lists: those in the areas, else search results, else those of one item, else all."""
    if choice.areas:
        return "Selected", cloud_chart.inside(view, choice.areas)
    if choice.words and view.found is not None:
        return f"With “{choice.words}”", view.found
    if view.focus is not None:
        return image_picker.title(study.items[view.focus]), view.shown[view.points.item[view.shown] == view.focus]
    return "Shown", view.shown
