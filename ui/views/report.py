"""The report panel of the Data page: pages and images to include, with or without names, as one file."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import date
from functools import partial

import streamlit as st

from data.load import Loaded
from data.study import Study
from figures.report import commands
from figures.style.escaping import file_stem
from figures.style.wording import item_noun
from metrics.analysis.artifacts import Artifact
from metrics.analysis.critique.stored import Design as CritiqueDesign
from metrics.analysis.defaults import first_to_rank
from metrics.analysis.overview import stand_ins
from metrics.base import Metric
from metrics.cache.entry import Arrays
from metrics.progress import Hooks
from metrics.suite.ratings import RatedByPeople
from metrics.text.cider import DocumentFrequencies
from ui.frame.wording import duration, plain
from ui.jobs import numbers as jobs_numbers
from ui.jobs import study_metrics
from ui.jobs.jobs import jobs
from ui.session import state, study_values, visit
from ui.views import critique
from ui.widgets import metric_picker

_MADE, _SOON = "_report_made", 2.0
Begin = Callable[[str, float, float], None]
MOST = 12
"""Maximum number of images in one report; each adds captions and a picture."""


def control(study: Study) -> None:
    """Show a panel with the contents of the report, and the button that creates it."""
    from figures.report.pages import PAGES

    known = {name: title for name, (title, _) in PAGES.items()}
    with st.popover("Report", icon=":material/article:", help="Figures, tables and captions as one HTML file"):
        pages = st.pills(
            "Pages",
            list(known),
            selection_mode="multi",
            default=list(known),
            format_func=known.__getitem__,
            key="report_pages",
        )
        images = st.text_input(
            f"Ids of {item_noun(study)}s, separated by commas",
            key="report_images",
            placeholder="a few telling ones",
            help=f"At most {MOST}.",
        )
        anonymous = st.toggle("Leave out the names of study and files", key="report_anonymous")
        unknown = [name for name in _named(images) if name not in {item.id for item in study.items}]
        if unknown:
            st.caption(plain(f"There is no {item_noun(study)} {unknown[0]}."))
        loaded, (metrics, ratings, first) = state.loaded(), _metrics(study)
        who = state.session(), state.is_demo(), study_metrics.idf()
        beside = stand_ins(study, metrics, study_metrics.metrics()) if "overview" in pages else ()
        critics = critique.design(study, start=False)
        work = partial(
            make, study, loaded, metrics, tuple(pages), images, anonymous, *who, critics, beside, ratings, first
        )
        choice = (metrics, ratings, first, tuple(pages), images, anonymous, loaded.marks, loaded.idf)
        if st.button("Make", key="report_make", icon=":material/article:", disabled=not pages or bool(unknown)):
            study_values.keep(_MADE, (choice, _made(work)))
        _save(choice, f"{'trilens' if anonymous else file_stem(study.name)}-report.html")
        st.caption("Holds the numbers that are finished, for the metrics on the Leaderboard.")


def _made(work: Callable[..., bytes]) -> bytes:
    bar, started = st.progress(0.0, "Starting"), time.monotonic()

    def begin(doing: str, start: float, end: float) -> None:
        spent = time.monotonic() - started
        left = f", {duration(spent * (1 - start) / start)} left" if start > 0 and spent > _SOON else ""
        bar.progress(start, plain(f"{doing}{left}"))

    try:
        return work(begin=begin)
    finally:
        bar.empty()


def _save(choice: object, name: str) -> None:
    known, content = study_values.get(_MADE) or (None, b"")
    if known == choice:
        st.download_button(
            f"Save it ({len(content) / 1e6:.1f} MB)",
            content,
            name,
            "text/html",
            key="report",
            on_click="ignore",
            icon=":material/download:",
        )


def make(
    study: Study,
    loaded: Loaded,
    metrics: tuple[Metric, ...],
    pages: tuple[str, ...],
    images: str,
    anonymous: bool,
    owner: str,
    demo: bool,
    idf: DocumentFrequencies | None = None,
    critics: CritiqueDesign | None = None,
    beside: tuple[Metric, ...] = (),
    ratings: tuple[Metric, ...] = (),
    ratings_first: bool = True,
    begin: Begin = lambda doing, start, end: None,
) -> bytes:
    """Return the report as the bytes of an HTML file.

    `beside` are metrics that only its Overview shows, and `begin` is called for each page. `ratings` by people are on
    its Leaderboard, before the metrics if `ratings_first`.
    """
    from figures.report import pages as report_pages
    from figures.report.images import first_images
    from figures.report.marked_images import with_marks
    from figures.report.request import Request

    numbers = jobs_numbers.finished(study, metrics + beside + ratings, owner)
    metrics, ratings = (tuple(m for m in of if numbers.of(m, study.runs)) for of in (metrics, ratings))
    places = {item.id: place for place, item in enumerate(study.items)}
    chosen = tuple(places[name] for name in _named(images) if name in places)[:MOST]
    cache = jobs().cache.with_bundle(loaded.numbers)
    request = Request(
        study,
        numbers,
        metrics,
        *(pages, date.today().isoformat(), chosen or first_images(study, numbers, metrics), loaded.sources),
        commands.saved(study, demo and study is state.demo().study, idf is not None),
        tuple(study.items[place].id for place in chosen),
        cache=cache,
        anonymous=anonymous,
        make=_quick,
        idf=idf,
        critique=critics,
        beside=beside,
        ratings=ratings,
        ratings_first=ratings_first,
    )
    return report_pages.build_report(with_marks(request, loaded, demo), begin).html.encode("utf-8", "replace")


def _quick(work: Artifact, doing: str) -> Arrays | None:
    """Compute an artifact for this report only; None if it is slow.

    The artifact is not stored, because it may use a bundle's numbers.
    """
    return None if work.slow else work.run(Hooks())


def _metrics(study: Study) -> tuple[tuple[Metric, ...], tuple[Metric, ...], bool]:
    """The metrics of the Leaderboard, its ratings, and whether a rating ranks it; the metric that ranks comes first."""
    board, by = metric_picker.on_board(study), visit.read("rank") or ()
    first = next((metric for metric in board if metric.name in by), first_to_rank(study, board))
    ordered = sorted(board, key=lambda metric: metric is not first)
    ratings = tuple(metric for metric in ordered if isinstance(metric, RatedByPeople))
    return tuple(metric for metric in ordered if metric not in ratings), ratings, first in ratings


def _named(images: str) -> list[str]:
    return [name.strip() for name in images.split(",") if name.strip()]
