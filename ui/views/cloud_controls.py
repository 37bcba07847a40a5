"""The controls of the Caption cloud page: three visible ones, the others under Options."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from data.study import Run, Study
from figures.style.run_names import short_names
from figures.style.wording import article, item_noun
from metrics.analysis.cloud.captions import METHODS, Method, Projection, has_centres
from metrics.analysis.cloud.selection import Area
from metrics.analysis.cloud.umap import LEAST
from metrics.analysis.cloud.view import MODEL, RUN, TEMPERATURE
from metrics.analysis.feasibility import first_runs, has_references, one_per_model
from metrics.base import Metric
from metrics.distances.embeddings import BertDistance
from metrics.engine import scoring
from metrics.text.encoder import missing
from ui.frame import look
from ui.jobs import study_metrics
from ui.jobs.jobs import OPTIONS, jobs
from ui.session import address, state
from ui.views.cloud_layout import sampled
from ui.views.images_order import computed
from ui.widgets import image_picker

NEIGHBOURS = ("5", "10", "15", "30", "50", "100")
APART = ("0", "0.05", "0.1", "0.25", "0.5", "0.8")
SEEDS = tuple(str(seed) for seed in range(10))
SPACES = {"references": "its own", "captions": "none"}
PANELS, ALL, DIFFERENCE, ONE = "panels", "all", "difference", "one"
MAPS = 6
"""Maximum number of maps beside the figure."""


@dataclass(frozen=True)
class CloudChoice:
    """The state of the controls: the view, the runs, what colours them, the emphasised item, the searched words.

    `stars` marks central captions; the table lists the captions inside `areas`.
    """

    view: str
    runs: tuple[Run, ...]
    by: str = MODEL
    focus: int | None = None
    words: str = ""
    stars: bool = False
    areas: tuple[Area, ...] = ()


def view_of(study: Study) -> str:
    """Return the chosen view; `choose_view` shows its control."""
    return address.select_one("view", _views(study), _first(study))


def choose_view(study: Study) -> None:
    """Show the buttons of the view at the beginning of the row of controls."""
    labels = {PANELS: "Maps", ALL: "One plane", DIFFERENCE: "Two runs", ONE: f"One {item_noun(study)}"}
    with image_picker.row("content"):
        views, first = _views(study), _first(study)
        address.segments("Show", "view", views, first, format_func=labels.__getitem__, label_visibility="collapsed")


def _first(study: Study) -> str:
    """The default view: maps, which compare runs with people, or one plane with all runs if people wrote nothing."""
    return PANELS if has_references(study) else ALL


def _views(study: Study) -> list[str]:
    return [PANELS, ALL, *([DIFFERENCE] if len(study.runs) > 1 else []), ONE]


def choose(study: Study, view: str) -> tuple[CloudChoice, Projection, DeltaGenerator]:
    """Show the controls in their row; return the choices, the projection, and a container.

    The choices have no areas of the plane yet. The runs on maps depend on the numbers, so `maps_of` shows their control
    later, in this container.
    """
    choose_view(study)
    encoder = _encoder()
    place = image_picker.row("content")
    runs: tuple[Run, ...] = ()
    words = ""
    if view == DIFFERENCE:
        runs = _pair(study)
    elif view == ALL:
        with place:
            runs = image_picker.choose_runs(study, "drawn", first_runs(study), "Runs drawn", shortcuts=True)
    if view != DIFFERENCE:
        words = image_picker.search_words()
    focusing = view != DIFFERENCE and address.select_one("focus", ("no", "yes"), "no") == "yes"
    focus, order = None, range(len(study.items))
    if focusing:
        focus = image_picker.position(study, order)
        image_picker.picker(study, order, focus)
    elif address.is_asked("image"):
        # The image is not shown here, but a link to a missing image has to be reported all the same.
        image_picker.position(study, order)
    with st.popover(":gray[Options]", key="options_panel", type="tertiary"):
        of = projection(study, encoder)
        if view == DIFFERENCE:
            return CloudChoice(view, runs), of, place
        by, stars = RUN, False
        if view == ALL:
            by = _colour(study, runs)
            stars = address.toggle("Star central captions", "stars")
        address.toggle(f"Highlight one {item_noun(study)}", "focus")
    return CloudChoice(view, runs, by, focus, words, stars), of, place


def maps_of(study: Study, place: DeltaGenerator, first: Sequence[Run]) -> tuple[Run, ...]:
    """Show the control for the runs on maps; return at most MAPS of them, by default `first`."""
    with place:
        return image_picker.choose_runs(study, "drawn", first, f"Runs on maps, {MAPS} at most")[:MAPS]


def _pair(study: Study) -> tuple[Run, ...]:
    """The two compared runs, by default one of the first model and one of the last."""
    short, names = short_names(study.runs), [run.name for run in study.runs]
    ends = one_per_model(study.runs)
    last = ends[-1].name if len(ends) > 1 else names[-1]
    address.follow("a", names)
    address.follow("b", names)
    with image_picker.row("content"):
        first = address.select("Captions of", "a", names, ends[0].name, format_func=short.__getitem__)
    rest = [name for name in names if name != first]
    if address.value("b") == first:
        address.forget("b")
    with image_picker.row("content"):
        other = last if last in rest else rest[0]
        second = address.select("less those of", "b", rest, other, format_func=short.__getitem__)
    return study.run(first), study.run(second)


def encoders() -> dict[str, str]:
    """Return the names of this machine's encoders by their headings, including plug-ins and imported embeddings."""
    spaces = (space for space in study_metrics.distances().values() if isinstance(space, BertDistance))
    return {space.label: space.encoder for space in spaces if missing(space.encoder) is None}


def no_encoder() -> bool:
    """Return True, and show a message with the remedy, if this machine has no embeddings."""
    if encoders() or (why := missing()) is None:
        return False
    look.empty("No sentence embeddings on this machine", why)
    return True


def projection(study: Study, encoder: str) -> Projection:
    """Show the controls for the projection and return it: by default UMAP, or PCA for few captions or without UMAP."""
    few = len(set(sampled(study, 0).texts)) < LEAST
    method = address.select(
        "Projection",
        "method",
        list(METHODS),
        "pca" if few or find_spec("umap") is None else "umap",
        format_func=lambda m: METHODS[_method(m)],
    )
    one = item_noun(study)
    centre = address.select(
        f"Centre of {article(one)}",
        "centre",
        list(SPACES),
        "references" if has_centres(study) else "captions",
        format_func=SPACES.__getitem__,
        help=f"Its own: how a caption differs from the mean of what people said about the same {one}. None: {one}s "
        "of one kind lie together.",
    )
    chosen = Projection(_method(method), centre == "references", encoder=encoder)
    if chosen.method == "pca":
        return chosen
    near = address.select("Neighbours", "neighbours", NEIGHBOURS, "15", help="Few: detail. Many: the whole.")
    apart = address.select("Minimum distance", "apart", APART, "0.1", help="Small: tight clumps.")
    seed = address.select("Seed", "seed", SEEDS, "0")
    return replace(chosen, neighbours=int(near), apart=float(apart), seed=int(seed))


def _encoder() -> str:
    known = encoders()
    first = next(iter(known))
    if len(known) == 1:
        return known[first]
    what = "What places a caption: the packaged encoder, a plug-in, or embeddings that came with the captions."
    with image_picker.row("content"):
        return known[address.select("Meaning by", "encoder", list(known), first, help=what)]


def _method(name: str) -> Method:
    return "umap" if name == "umap" else "pca"


def _colour(study: Study, runs: tuple[Run, ...]) -> str:
    if not runs:
        return MODEL
    heats = [TEMPERATURE] if any(run.settings.temperature is not None for run in runs) else []
    able = computed()
    scored = [name for name, metric in able.items() if all(_is_scored(study, metric, run) for run in runs)]
    own = {MODEL: "Model", RUN: "Run", TEMPERATURE: "Temperature"}
    return address.select(
        "Colour",
        "colour",
        [MODEL, RUN, *heats, *scored],
        MODEL,
        format_func=lambda n: own.get(n) or able[n].label,
        help="A metric is offered once it has values for these runs.",
    )


def _is_scored(study: Study, metric: Metric, run: Run) -> bool:
    return jobs().has(scoring.result_key(metric, run, study, OPTIONS), state.session())
