"""The parts of the Caption cloud page: the controls, the chart with the selected caption, and the tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from data.study import Item, Run, Study
from figures.cloud import chart as cloud_chart
from figures.cloud import words as cloud_words
from figures.export.paper import Ground
from figures.images import pictures
from figures.style.numbers import count
from figures.style.palette import model_styles
from figures.style.wording import item_noun
from metrics.analysis import artifacts
from metrics.analysis.artifacts import Artifact
from metrics.analysis.cloud.captions import METHODS, Method, Points, Projection, layout, points
from metrics.analysis.cloud.lasso import Area, Plane
from metrics.analysis.cloud.view import MODEL, REGIONS, RUN, TEMPERATURE, CloudView, cloud_view
from metrics.analysis.feasibility import one_a_model
from metrics.base import Metric
from metrics.cache.entry import Arrays
from metrics.distances.embeddings import BertDistance
from metrics.engine import scoring
from metrics.engine.result import Result
from metrics.text.encoder import missing
from ui.frame import errors, look
from ui.jobs import registry
from ui.jobs.jobs import OPTIONS, ArtifactView, jobs
from ui.session import address, state
from ui.views import cloud_selection
from ui.views.cloud_selection import CHART
from ui.views.images import offered
from ui.widgets import image_picker, show, slice_notice, thumbnails

NEIGHBOURS = ("5", "10", "15", "30", "50", "100")
APART = ("0", "0.05", "0.1", "0.25", "0.5", "0.8")
SEEDS = tuple(str(seed) for seed in range(10))
SPACES = {"captions": "As embedded", "references": "Round its references"}
LISTED = 1_000
"""Most rows of a table on the page; its downloads have all."""


@dataclass(frozen=True)
class CloudChoice:
    """What is drawn: runs, their colouring, the emphasised item, searched words, whether central captions are marked.

    The table lists the captions inside `areas`.
    """

    runs: tuple[Run, ...]
    by: str
    focus: int | None
    words: str
    stars: bool
    areas: tuple[Area, ...] = ()


def one_image(study: Study) -> bool:
    """Return whether the view is that of one image by a metric's own distances."""
    labels = {"all": "All captions", "one": f"One {item_noun(study)}"}
    view = address.segments(
        "View", "view", list(labels), "all", format_func=labels.__getitem__, label_visibility="collapsed"
    )
    return view == "one"


def encoders() -> dict[str, str]:
    """Return the names of encoders on this machine by their headings, including plug-ins and imported embeddings."""
    spaces = (space for space in registry.distances().values() if isinstance(space, BertDistance))
    return {space.label: space.encoder for space in spaces if missing(space.encoder) is None}


def no_encoder() -> bool:
    """Return True if this machine has no embeddings, after a message with the remedy."""
    if encoders() or (why := missing()) is None:
        return False
    look.empty("No sentence embeddings on this machine", why)
    return True


def projection(study: Study) -> Projection:
    """Return the chosen projection; by default UMAP if it exists already, else PCA, which takes no time."""
    encoder = _encoder()
    ready = jobs().artifact(_artifact(study, Projection(encoder=encoder)), state.session(), start=False)
    method = address.select(
        "Projection",
        "method",
        list(METHODS),
        "pca" if ready.arrays is None else "umap",
        width=120,
        format_func=lambda m: METHODS[_method(m)],
    )
    centre = address.select(
        "Place",
        "centre",
        list(SPACES),
        "captions",
        format_func=SPACES.__getitem__,
        width=190,
        help="Round its references: how a caption differs from the mean of what people said of the same "
        f"{item_noun(study)}.",
    )
    chosen = Projection(_method(method), centre == "references", encoder=encoder)
    if chosen.method == "pca":
        return chosen
    with st.popover("UMAP", icon=":material/tune:", key="umap_panel"):
        near = address.select("Neighbours", "neighbours", NEIGHBOURS, "15", help="Few: detail. Many: the whole.")
        apart = address.select("Least distance", "apart", APART, "0.1", help="Small: tight clumps.")
        seed = address.select("Seed", "seed", SEEDS, "0")
    return replace(chosen, neighbours=int(near), apart=float(apart), seed=int(seed))


def _encoder() -> str:
    """Return the chosen encoder; there is a control only if there are several."""
    known = encoders()
    first = next(iter(known))
    if len(known) == 1:
        return known[first]
    what = "Of plug-ins, and those that came with the captions, too."
    return known[address.select("Embeddings", "encoder", list(known), first, width=150, help=what)]


def _method(name: str) -> Method:
    return "umap" if name == "umap" else "pca"


def choose(study: Study, of: Projection) -> CloudChoice:
    """Show controls of runs, colour, search and emphasised item; return the choice with the selection in the plane."""
    runs = image_picker.choose_runs(study, "drawn", one_a_model(study.runs)[:REGIONS], "Runs drawn", shortcuts=True)
    by = _colour(study, runs)
    find = address.text("Search captions", "find", width=190, placeholder="part of a caption", icon=":material/search:")
    stars = address.toggle("Star central captions", "stars")
    focus, order = None, range(len(study.items))
    if address.toggle(f"Highlight one {item_noun(study)}", "focus"):
        focus = image_picker.position(study, order)
        image_picker.picker(study, order, focus)
    elif address.is_asked("image"):
        # Nothing of it is shown here, but a link that names an image that is not there is wrong all the same.
        image_picker.position(study, order)
    cloud_selection.check_pick(sampled(study, of.seed))
    return CloudChoice(runs, by, focus, find, stars, cloud_selection.areas(study, of))


def _colour(study: Study, runs: tuple[Run, ...]) -> str:
    if not runs:
        return MODEL
    heats = [TEMPERATURE] if any(run.settings.temperature is not None for run in runs) else []
    able = offered()
    scored = [name for name, metric in able.items() if all(_is_scored(study, metric, run) for run in runs)]
    own = {MODEL: "Model", RUN: "Run", TEMPERATURE: "Temperature"}
    return address.select(
        "Colour",
        "colour",
        [MODEL, RUN, *heats, *scored],
        MODEL,
        format_func=lambda n: own.get(n) or able[n].label,
        width=150,
        help="Metrics that are scored for these runs are offered here.",
    )


def _is_scored(study: Study, metric: Metric, run: Run) -> bool:
    return jobs().has(scoring.result_key(metric, run, study, OPTIONS), state.session())


def fetch(study: Study, of: Projection) -> tuple[Projection, Arrays | None, ArtifactView]:
    """Return the chosen layout with the view of its job; while UMAP is being computed, PCA in its place.

    PCA is computed first if it does not exist: it needs the same embeddings, and little else that takes time.
    """
    session = state.session()
    if of.method == "pca" or jobs().artifact(_artifact(study, of), session, start=False).arrays is not None:
        view = jobs().artifact(_artifact(study, of), session)
        return of, view.arrays, view
    instead = Projection("pca", of.centred, encoder=of.encoder)
    first = jobs().artifact(_artifact(study, instead), session)
    view = first if first.arrays is None else jobs().artifact(_artifact(study, of), session)
    return instead, first.arrays, view


def _artifact(study: Study, of: Projection) -> Artifact:
    n = len(sampled(study, of.seed))
    work = artifacts.layout(study, of, jobs().cache)
    return replace(work, title=f"Laying out {count(n, 'caption')} by {METHODS[of.method]}")


def sampled(study: Study, seed: int) -> Points:
    """Return the captions of the cloud, sampled once."""
    return _sampled(study, study.digest, seed)


@st.cache_resource(max_entries=4, show_spinner=False)
def _sampled(_study: Study, digest: str, seed: int) -> Points:
    return points(_study, seed=seed)


@st.cache_resource(max_entries=4, show_spinner=False)
def _hover_texts(_study: Study, digest: str, seed: int) -> cloud_chart.Texts:
    of = _sampled(_study, digest, seed)
    return cloud_chart.hover_texts(of, {int(k): image_picker.title(_study.items[int(k)]) for k in np.unique(of.item)})


def show_cloud(study: Study, choice: CloudChoice, of: Projection, arrays: Arrays, instead: bool = False) -> None:
    """Show verdict, picture, selected caption and tables. No areas are drawn in a plane that replaces another."""
    choice = replace(choice, areas=()) if instead else choice
    at = sampled(study, of.seed)
    lay = layout(at, of, arrays)
    metric = offered().get(choice.by)
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
    view = cloud_words.with_model_names(study, view)
    look.verdict(*cloud_words.verdict(study, lay, choice.runs))
    picked = cloud_selection.picked(view)
    with st.container(horizontal=True, gap="medium"):
        with st.container(width=672):
            _figure(study, view, of, picked, choice.areas, instead)
        with st.container(width=300):
            _panel(study, view, picked)
    signatures = [of.signature] + ([metric.signature] if metric else [])
    look.footer(cloud_words.footer(study, view, of), *signatures)
    _tables(study, view, choice, signatures)


def _results(study: Study, metric: Metric | None, runs: tuple[Run, ...]) -> dict[str, Result]:
    if metric is None:
        return {}
    found = jobs().view(study, (metric,), state.session(), start=False).results
    return {run.name: found[run.name, metric.name] for run in runs if (run.name, metric.name) in found}


def _figure(
    study: Study, view: CloudView, of: Projection, picked: int | None, areas: tuple[Area, ...], instead: bool
) -> None:
    styles = model_styles([run.model for run in study.runs])
    texts = _hover_texts(study, study.digest, of.seed)

    def drawn(on: Ground) -> go.Figure:
        return cloud_chart.cloud(
            view, texts, styles, on.mode, on.on_screen(picked), on.on_screen(areas) or (), on.width
        )

    with look.figure():
        look.figure_title(f"{METHODS[of.method]} of captions", cloud_words.reading(view))
        show.chart(
            drawn,
            CHART,
            cloud_words.alt(view, of),
            "Caption cloud",
            footer=f"{cloud_words.print_footer(study, view)}\n{of.signature}",
            on_select=partial(cloud_selection.take, Plane.over(view.layout.xy)),
            selection_mode="points" if instead else ("points", "lasso", "box"),
        )
        thumbnails.follow(study, CHART)


def _panel(study: Study, view: CloudView, picked: int | None) -> None:
    """The picture of the selected caption, the caption, its author, and links to the other pages."""
    if picked is None:
        return
    of = view.points
    item, group = study.items[int(of.item[picked])], int(of.group[picked])
    path = pictures.picture(item, state.is_demo())
    if path is not None:
        st.image(str(path), width="stretch", alt=image_picker.title(item))
    look.figure_title(image_picker.title(item), "" if path or not item.image else pictures.why_missing(item))
    run = study.runs[group - 1] if group else None
    style = model_styles([r.model for r in study.runs]).get(run.model) if run else None
    text, mode = of.texts[picked], look.mode()
    said = run.candidates[item.id] if run else item.references
    marks = ("central",) if view.layout.central[picked] else ()
    look.captions(
        run.name if run else "References",
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


def _tables(study: Study, view: CloudView, choice: CloudChoice, signatures: Sequence[str]) -> None:
    if choice.runs:
        look.section("Sets of captions")
        look.figure_title(
            "",
            f"Reach: references whose nearest other caption of the same {item_noun(study)} is the run's. Even odds: as "
            "many as if the run wrote as people do. Distance within: mean cosine distance of two captions of one "
            f"{item_noun(study)}.",
        )
        show.table(
            cloud_words.runs_table(study, view.layout, choice.runs, view.points),
            "cloud_sets",
            name="caption sets",
            signatures=signatures[:1],
        )
    title, rows = _listed(study, view, choice)
    table = cloud_words.captions_table(study, view, rows, image_picker.title)
    look.section(f"{title}: {count(len(rows), 'caption')}")
    if choice.areas:
        with image_picker.row():
            cloud_selection.clear()
            inside = sorted({int(place) for place in view.points.item[rows]})
            slice_notice.save_control("selected in the cloud", [study.items[k].id for k in inside], "cloud_slice")
    if len(table) > LISTED:
        look.figure_title("", f"The first {LISTED:,} of {len(table):,} different ones; the downloads have all.")
    own, rows_of = table.drop(columns="row"), table["row"].tolist()
    show.listing(
        own.drop(columns="Id").head(LISTED),
        "cloud_captions",
        lambda row: address.store("pick", str(rows_of[row])),
        columns={"Caption": st.column_config.TextColumn(width="large")},
        height=min(38 + 32 * len(own), 390),
    )
    show.downloads(own, "cloud_captions_all", name="captions of the cloud", signatures=signatures)


def _listed(
    study: Study, view: CloudView, choice: CloudChoice
) -> tuple[str, np.ndarray[tuple[int], np.dtype[np.int64]]]:
    """The captions that the table lists: those in the areas, else search results, else those of one item, else all."""
    if choice.areas:
        return "Selected", cloud_chart.inside(view, choice.areas)
    if choice.words and view.found is not None:
        return f"With “{choice.words}”", view.found
    if view.focus is not None:
        return image_picker.title(study.items[view.focus]), view.shown[view.points.item[view.shown] == view.focus]
    return "Shown", view.shown
