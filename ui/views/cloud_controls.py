"""The controls of the Caption cloud page: three visible ones, the others under Options."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from data.study import Run, Study
from figures.style.run_names import short_names
from figures.style.wording import article, item_noun
from metrics.analysis.cloud.captions import METHODS, Method, Projection
from metrics.analysis.cloud.lasso import Area
from metrics.analysis.cloud.view import MODEL, RUN, TEMPERATURE
from metrics.analysis.feasibility import first_runs, one_a_model
from metrics.base import Metric
from metrics.distances.embeddings import BertDistance
from metrics.engine import scoring
from metrics.text.encoder import missing
from ui.frame import look
from ui.jobs import registry
from ui.jobs.jobs import OPTIONS, jobs
from ui.session import address, state
from ui.views.cloud_layout import layout_work
from ui.views.images import offered
from ui.widgets import image_picker

NEIGHBOURS = ("5", "10", "15", "30", "50", "100")
APART = ("0", "0.05", "0.1", "0.25", "0.5", "0.8")
SEEDS = tuple(str(seed) for seed in range(10))
SPACES = {"references": "its own", "captions": "none"}
PANELS, ALL, DIFFERENCE, ONE = "panels", "all", "difference", "one"


@dataclass(frozen=True)
class CloudChoice:
    """The state of the controls: the view, the runs, their colouring, the emphasised item, the searched words.

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
    """Show the control of the view; return the choice."""
    labels = {
        PANELS: "models side by side",
        ALL: "all in one plane",
        DIFFERENCE: "difference of two runs",
        ONE: f"one {item_noun(study)}",
    }
    able = [name for name in labels if name != DIFFERENCE or len(study.runs) > 1]
    return address.select("Show", "view", able, PANELS, format_func=labels.__getitem__)


def choose(study: Study, view: str) -> tuple[CloudChoice, Projection]:
    """Show the other controls in the row; return the choices without areas of the plane, and the projection."""
    runs, words = _pair(study) if view == DIFFERENCE else _runs(study), ""
    if view != DIFFERENCE:
        words = address.text(
            "Search captions",
            "find",
            width=190,
            placeholder="Search captions",
            icon=":material/search:",
            label_visibility="collapsed",
        )
    focusing = view != DIFFERENCE and address.select_one("focus", ("no", "yes"), "no") == "yes"
    focus, order = None, range(len(study.items))
    if focusing:
        focus = image_picker.position(study, order)
        image_picker.picker(study, order, focus)
    elif address.is_asked("image"):
        # The image is not shown here, but a link to a missing image has to be reported all the same.
        image_picker.position(study, order)
    with st.popover(":gray[Options]", key="options_panel", type="tertiary"):
        of = projection(study)
        if view == DIFFERENCE:
            return CloudChoice(view, runs), of
        by = _colour(study, runs)
        stars = address.toggle("Star central captions", "stars")
        address.toggle(f"Highlight one {item_noun(study)}", "focus")
    return CloudChoice(view, runs, by, focus, words, stars), of


def _runs(study: Study) -> tuple[Run, ...]:
    return image_picker.choose_runs(study, "drawn", first_runs(study), "Runs drawn", shortcuts=True)


def _pair(study: Study) -> tuple[Run, ...]:
    """The two compared runs, by default one of the first and one of the last model."""
    short, names = short_names(study.runs), [run.name for run in study.runs]
    ends = one_a_model(study.runs)
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
    """Return the names of encoders on this machine by their headings, including plug-ins and imported embeddings."""
    spaces = (space for space in registry.distances().values() if isinstance(space, BertDistance))
    return {space.label: space.encoder for space in spaces if missing(space.encoder) is None}


def no_encoder() -> bool:
    """Return whether this machine has no embeddings, after a message with the remedy."""
    if encoders() or (why := missing()) is None:
        return False
    look.empty("No sentence embeddings on this machine", why)
    return True


def projection(study: Study) -> Projection:
    """Return the chosen projection; by default UMAP if it exists already, else PCA, which takes no time."""
    encoder = _encoder()
    own = address.select_one("centre", list(SPACES), "references") == "references"
    first = Projection("umap", own, encoder=encoder)
    ready = jobs().artifact(layout_work(study, first), state.session(), start=False)
    method = address.select(
        "Projection",
        "method",
        list(METHODS),
        "pca" if ready.arrays is None else "umap",
        format_func=lambda m: METHODS[_method(m)],
    )
    one = item_noun(study)
    centre = address.select(
        f"Centre of {article(one)}",
        "centre",
        list(SPACES),
        "references",
        format_func=SPACES.__getitem__,
        help=f"Its own: how a caption differs from the mean of what people said of the same {one}. None: {one}s of one "
        "kind lie together.",
    )
    chosen = Projection(_method(method), centre == "references", encoder=encoder)
    if chosen.method == "pca":
        return chosen
    near = address.select("Neighbours", "neighbours", NEIGHBOURS, "15", help="Few: detail. Many: the whole.")
    apart = address.select("Minimum distance", "apart", APART, "0.1", help="Small: tight clumps.")
    seed = address.select("Seed", "seed", SEEDS, "0")
    return replace(chosen, neighbours=int(near), apart=float(apart), seed=int(seed))


def _encoder() -> str:
    """Return the chosen encoder; there is a control only if there are several."""
    known = encoders()
    first = next(iter(known))
    if len(known) == 1:
        return known[first]
    what = "What places a caption: the packaged encoder, a plug-in, or embeddings that came with the captions."
    return known[address.select("Embeddings", "encoder", list(known), first, help=what)]


def _method(name: str) -> Method:
    return "umap" if name == "umap" else "pca"


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
        help="A metric is offered once it has values for these runs.",
    )


def _is_scored(study: Study, metric: Metric, run: Run) -> bool:
    return jobs().has(scoring.result_key(metric, run, study, OPTIONS), state.session())
