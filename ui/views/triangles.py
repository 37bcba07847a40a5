"""The parts of the Triangles page: the result in words, the figures, and the captions."""

from __future__ import annotations

import numpy as np
import streamlit as st

from data.study import Item, Run, Study
from figures.style.numbers import count, num, p_bound, p_phrase, p_text, percent
from figures.style.palette import ModelStyle, styles_of, tone
from figures.style.run_names import short_names
from figures.style.wording import item_noun
from figures.triangles import chart, tables, words
from metrics.analysis.overview_image import Steps, Triangle, telling
from metrics.analysis.triangles import (
    CLOUD,
    TriangleView,
    strongest_departure,
    triangle_view,
    worst_triangles,
)
from metrics.analysis.triangles_defaults import typical
from metrics.base import Undefined
from metrics.permutation.pvalues import ALPHA
from metrics.suite.distribution import Trm
from ui.frame import look
from ui.jobs import progress, study_metrics
from ui.jobs.jobs import OPTIONS, jobs
from ui.session import address, state
from ui.session.pictures import picture_of
from ui.widgets import distance_picker, figure, image_marks, image_picker, parts
from ui.widgets.triangle_steps import show_steps

PARTS = {"ranks": "All its triangles", "chance": "Against chance", "captions": "Worst triangles"}
CAPTIONS = 4
"""The number of visible captions on each side; the others are folded, except those with a mark."""


def show_view(study: Study, run: Run, position: int, view: TriangleView) -> None:
    """Show everything about one image, run and distance for which TRM is defined."""
    style = styles_of(study)[run.model]
    drawn = telling(view.distances, view.shares)
    with st.grid(2, min_column_width=380, gap=("medium", "medium")) as two:
        with two.cell():
            look.verdict(*words.verdict(study, run, view))
        with two.cell():
            look.stats(*_stats(study, run, view))
    show_sides(study, run, position, view, drawn)
    if drawn is not None:
        look.figure_title(
            f"One of its {view.triangles:,} triangles",
            f"To scale: the longer an edge, the less in common by {view.metric.space.label}.",
        )
        show_steps(study, Steps(view.metric, study.runs.index(run), drawn, ()))
    said = f"{study.name}, {image_picker.title(study, study.items[position])}, {run.name}: {'. '.join(_facts(view))}."
    part = parts.tabs("part", PARTS, ("tables",))
    if part == "ranks":
        _ranks(view, style, said)
    elif part == "chance":
        _chance(view, style, said)
    else:
        _captions(view, style, said)
    image_marks.panel(study, study.items[position])


def show_sides(
    study: Study, run: Run, position: int, view: TriangleView | None = None, drawn: Triangle | None = None
) -> None:
    """Show the picture, if any, the captions by people, and those by the run, side by side."""
    item, style = study.items[position], styles_of(study)[run.model]
    distances = view.distances if view is not None else None
    pair = dict(zip(drawn.pair, "AB")) if drawn is not None else {}
    point = {drawn.point: "C"} if drawn is not None else {}
    people, own = (point, pair) if drawn is not None and drawn.of_run else (pair, point)
    seen = picture_of(item) is not None
    with st.container(key="tl-three-sides" if seen else "tl-two-sides"):
        if seen:
            with st.container():
                image_picker.show_picture(item)
        with st.container():
            image_picker.show_references(item, distances, most=CAPTIONS, letters=people)
        with st.container():
            image_picker.show_candidates(item, run, style, distances, most=CAPTIONS, letters=own)
    if not seen and (why := image_picker.missing_picture(item)):
        look.figure_title("", why)


def _captions(view: TriangleView, style: ModelStyle, said: str) -> None:
    with st.grid(2, min_column_width=380, gap=("medium", "medium")) as two:
        with two.cell():
            _worst(view, style, said)
        with two.cell():
            _heatmap(view, style, said)


@st.cache_resource(max_entries=64, show_spinner=False)
def _computed(_study: Study, digest: str, run: str, position: int, _metric: Trm, signature: str) -> TriangleView:
    return triangle_view(_study, run, position, _metric, jobs().cache, OPTIONS)


def compute(study: Study, run: Run, position: int, metric: Trm) -> TriangleView:
    """Return the view, computed once for all sessions. Raises Undefined with the reason if there is none."""
    with progress.during(f"Comparing the captions of this {item_noun(study)} with one another", height=400):
        return _computed(study, study.digest, run.name, position, metric, metric.signature)


def controls(study: Study) -> tuple[Run, int, Trm]:
    """Show controls for image, run and distance inside a row of controls; return the choice."""
    best = next(iter(study_metrics.trms()))
    # The defaults of a view depend on the existing numbers, so a link has to state them: another distance becomes the
    # default once it is scored.
    address.say("distance", but=best)
    for name in ("run", "image"):
        address.say(name)
    if address.values("distance") is None:
        begun = distance_picker.default_distance(study, study_metrics.trms())
        if begun != best:
            address.begin_with("distance", begun)
    by = distance_picker.metric(study)
    first = ("", 0)
    if address.values("image") is None or address.values("run") is None:
        asked = {name: (address.values(name) or (None,))[-1] for name in ("run", "image")}
        first = default_view(study, by, **asked)
        for name, begun in (("run", first[0]), ("image", study.items[first[1]].id)):
            if asked[name] is None:
                address.begin_with(name, begun)
    names = [run.name for run in study.runs]
    run = address.select_one("run", names, first[0] or names[0])
    order = range(len(study.items))
    here = image_picker.position(study, order, first[1])
    image_picker.picker(study, order, here)
    short = short_names(study.runs)
    run = address.select("Run", "run", names, run, width=190, format_func=short.__getitem__)
    trms = study_metrics.trms()
    label = distance_picker.select(by.space.label, "What a triangle's edges measure.", width=170)
    return study.run(run), here, trms[label]


def default_view(study: Study, metric: Trm, run: str | None = None, image: str | None = None) -> tuple[str, int]:
    """Return the default run and image, by the existing results; `run` and `image` (an id) restrict the choice."""
    results = jobs().view(study, (metric,), state.session(), start=False).results

    def p_of(one: Run, position: int) -> float:
        try:
            return _computed(study, study.digest, one.name, position, metric, metric.signature).test.p_value
        except Undefined:
            return 1.0

    with progress.during("Looking for captions that differ from people's"):
        return typical(study, metric, results, run, image, p_of)


def need_enough(item: Item, run: Run) -> None:
    """Raise Undefined with the sizes if a side has too few captions for a verdict."""
    if few := words.too_few(item, run):
        raise Undefined(few)


def _stats(study: Study, run: Run, view: TriangleView) -> list[look.Stat]:
    test = view.test
    found = [
        look.Stat("TRM", num(view.value), "lower is better"),
        look.Stat(
            "p",
            p_text(test.p_value, test.floor),
            "exact: all splits" if test.exact else "of random splits",
            f"With so few captions, p cannot be below {p_bound(test.floor)}.",
        ),
        look.Stat("Expected", num(float(test.null.mean())), "if they do not differ"),
    ]
    result = distance_picker.result_of(study, run, view.metric)
    if result is not None and result.item_p is not None and (tested := int(np.isfinite(result.item_p).sum())) > 1:
        differ, many = int((result.item_p <= ALPHA).sum()), f"of {count(tested, item_noun(study))}"
        found.append(
            look.Stat("Run differs on", f"{differ:,}", f"{many}; up to {num(ALPHA * tested, 0)} expected by chance")
        )
    return found


def _ranks(view: TriangleView, style: ModelStyle, said: str) -> None:
    test = view.test
    p = f"{'exact ' if test.exact else ''}{p_phrase(test.p_value, test.floor)}"
    n, m = view.sizes
    ways = f"All {view.partitions:,} ways" if test.exact else f"{len(test.null):,} random ways"
    shares = ["; ".join(f"{rank} {percent(u)}" for rank, u in zip(chart.RANKS, row)) for row in view.shares]
    with st.grid(2, min_column_width=295, gap=("medium", "medium")) as grid:
        with grid.cell():
            figure.figure(
                "triangle_shares",
                "Rank shares",
                sub="Dashes: one third each.",
                draw=lambda on: chart.rank_shares(view.shares, style, on.mode),
                alt=f"Rank shares. Pairs by people: {shares[0]}. Pairs by the run: {shares[1]}.",
                twin=_shares(view, said),
                foot=_foot(view, _facts(view)[:1]),
            )
        with grid.cell():
            label = f"TRM {view.metric.space.label}"
            figure.figure(
                "triangle_null",
                "TRM by chance",
                sub=f"{ways} to split {n + m} captions into {n} and {m}.",
                draw=lambda on: chart.null_histogram(test.null, view.value, p, style, on.mode, label),
                alt=f"TRM by chance; here {num(view.value)}, {p}.",
                foot=_foot(view, ["p: upper tail"]),
            )


def _chance(view: TriangleView, style: ModelStyle, said: str) -> None:
    figure.figure(
        "triangle_cloud",
        "Rank shares against chance",
        sub=f"Dots: {chart.shown_of(view.partitions)}, by chance. Cross: one third each.",
        draw=lambda on: chart.ternary(view.shares, view.cloud, style, on.mode),
        alt="The rank shares among those expected by chance, one triangle for each side's pairs.",
        twin=_shares(view, said),
        foot=_foot(view),
    )


def _worst(view: TriangleView, style: ModelStyle, said: str) -> None:
    direction, rank = strongest_departure(view.shares)
    side, way = chart.SIDES[direction], "closer together" if rank == 0 else "farther apart"
    sub = f"Pairs by {side} that are {way} than either is to the third caption: "
    figure.figure(
        "triangle_worst",
        "Worst triangles",
        sub=f"{sub}{percent(view.shares[direction, rank])} of triangles.",
        body=lambda: _drawn_worst(view, style, direction, rank),
        twin=figure.Twin(
            lambda: tables.captions(view),
            {"name": "captions", "caption": f"Captions. {said}", "signatures": (view.metric.signature,)},
        ),
    )


def _drawn_worst(view: TriangleView, style: ModelStyle, direction: int, rank: int) -> None:
    mode = look.mode()
    ink, colour = (tone("ink", mode), tone("ink", mode)), (style.mark(mode), style.text(mode))
    pair, point = (ink, colour) if direction == 0 else (colour, ink)
    found = worst_triangles(view.distances, direction, rank)
    names = chart.text_names(view.distances.is_candidate)
    for w in found:
        image = chart.triangle_image(w.inside, *w.edges, pair[0], point[0], mode)
        rows = [(w.pair[0], pair[1]), (w.pair[1], pair[1]), (w.point, point[1])]
        lines = [look.TextLine(names[k], view.distances.texts[k], shade) for k, shade in rows]
        lengths = f"pair {num(w.inside, 2)}, to the third {num(w.edges[0], 2)} and {num(w.edges[1], 2)}"
        look.drawn_texts(image, f"Triangle: {lengths}", lines, f"{lengths}, margin {num(w.margin, 2)}")
    if not found:
        look.figure_title("", "None: wherever the pair's edge could have that rank, it ties with another edge.")


def _heatmap(view: TriangleView, style: ModelStyle, said: str) -> None:
    d = view.distances
    figure.figure(
        "triangle_distances",
        "Distance matrix",
        sub="People first, then the run; the stronger, the nearer. A row is scored against each column.",
        draw=lambda on: chart.distance_heatmap(d.matrix, d.is_candidate, d.texts, style, on.mode),
        alt=f"Pairwise {view.metric.space.label} distances; its table lists them.",
        twin=figure.Twin(
            lambda: tables.distances(view),
            {"name": "distances", "caption": f"Distances. {said}", "signatures": (view.metric.signature,)},
        ),
        foot=_foot(view),
    )


def _shares(view: TriangleView, said: str) -> figure.Twin:
    about = {"name": "rank shares", "caption": f"Rank shares. {said}", "signatures": (view.metric.signature,)}
    return figure.Twin(lambda: tables.shares(view), about)


def _foot(view: TriangleView, facts: list[str] | None = None) -> figure.Foot:
    how = [f"{percent(view.at_maximum)} of distances are at their maximum."]
    if view.partitions > CLOUD:
        how.append(f"The ranges by chance are those of {CLOUD:,} random splits.")
    return figure.Foot(_facts(view) if facts is None else facts, how, [view.metric.signature])


def _facts(view: TriangleView) -> list[str]:
    n, m = view.sizes
    test = view.test
    way = f"all {view.partitions:,} ways to split the captions" if test.exact else f"{len(test.null):,} random splits"
    return [
        f"n = {count(n, 'caption')} by the run, {m:,} by people, {view.triangles:,} triangles",
        f"p: {way}, upper tail",
    ]
