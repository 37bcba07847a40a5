"""The findings of a study's pages, one line each: the index on the Overview."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from typing import cast

import streamlit as st

from data.study import Study
from figures.leaderboard import settings_words
from figures.leaderboard import verdict as leaderboard_verdict
from figures.style import html as style_html
from figures.style.terms import with_cards
from figures.views.registry import VIEWS
from figures.views.view import Presentation
from metrics.analysis.artifacts import INTERACTIVE_ITEMS
from metrics.analysis.defaults import first_to_rank
from metrics.analysis.leaderboard import LeaderboardChoice, of_runs, of_settings
from metrics.analysis.numbers import Numbers
from metrics.analysis.replicates.grouping import replicated, replicates
from metrics.base import Metric
from ui import render, rooms
from ui.frame import errors, look
from ui.jobs import numbers as jobs_numbers
from ui.jobs import progress
from ui.jobs.jobs import ArtifactView, ScoreView
from ui.session import address, state, study_values, visit
from ui.widgets import image_picker, metric_picker

_SEEN, _DRAWN = "_findings", "_findings_drawn"
SOON = 1.0
"""Seconds between a server's first screen and the search for other pages' findings."""
HEAVY = "pandas"
"""A module that views load, but not the first screen: once it is loaded, the findings need not wait for this screen."""
_ASIDE = ("overview", "dataset", "images", "triangles", "methods")
"""Pages that are not in the index: they answer no question about the study, or show the index themselves."""
FINDERS = ("judgments",)
"""Pages that are no views, but whose module in ui/views/ has a function `finding`."""
Parts = tuple[str, ...]
Metrics = tuple[Metric, ...]


def keep(page: str) -> None:
    """Store a page's finding for the index, if the page shows its defaults."""
    if (said := look.page_verdict()) and page not in _ASIDE and not address.has_choices():
        _add(state.study(), {page: said})


def of_page(study: Study, page: str) -> Parts:
    """Return a page's finding; () if it is not known without work, or before the server's first screen is drawn."""
    if study_values.get(_DRAWN) or HEAVY in sys.modules:
        _find(study, [page], start=False)
    return _seen(study).get(page, ())


def show(study: Study) -> None:
    """Show the findings of the pages that this study can fill, each with a link, then links to the other pages.

    The links have the names that the menu shows. While the page waits for no other job, views that take seconds are
    computed, one after the other, unless the study is large.
    """
    lacking = rooms.lacking(study)
    pages = [entry for entry in rooms.ENTRIES if entry.file not in _ASIDE and entry.file not in lacking]
    metrics = metric_picker.on_board(study)
    numbers = jobs_numbers.finished(study, metrics, state.session())
    known = tuple(metric for metric in metrics if not numbers.waiting(metric, study.runs))
    work, drawn = None, study_values.get(_DRAWN) or HEAVY in sys.modules
    if drawn:
        soon = not visit.waits() and len(study.items) <= INTERACTIVE_ITEMS
        there = {entry.file for entry in pages}
        work = _find(study, [page for page in (*VIEWS, *FINDERS) if page in there], soon)
    seen = {"leaderboard": _leaderboard(study, metrics, known, numbers), **_seen(study)}
    found = {entry.file: seen.get(entry.file, ()) for entry in pages}
    if any(found.values()):
        look.figure_title("Findings", "one line each; a name opens its page")
    with st.container(key="tl-answers", gap="xsmall"):
        for entry in (entry for entry in pages if found[entry.file]):
            with st.container(horizontal=True, gap="small", vertical_alignment="top"):
                with st.container(width=170):
                    room = rooms.in_menu(entry.file, lacking)
                    name = rooms.title(entry, study)
                    image_picker.page_link(entry.file, name if room == entry.title else f"{room}: {name}")
                look.block(f'<div class="tl-answer">{with_cards(style_html.answer(found[entry.file]))}</div>')
    if work is not None:
        progress.show(work)
    if rest := [entry for entry in pages if not found[entry.file]]:
        with st.container(key="tl-still-open", horizontal=True, gap="small", vertical_alignment="center"):
            with st.container(width="content"):
                look.block('<span class="tl-soft">More pages</span>')
            for entry in rest:
                with st.container(width="content"):
                    image_picker.page_link(entry.file, rooms.title(entry, study))
    if not drawn:
        study_values.keep(_DRAWN, True)
        _find_later(time.monotonic())


@errors.fragment(run_every=SOON)
def _find_later(drawn: float) -> None:
    """Run the page again once it is drawn: a server's first screen does not wait for the findings of other pages."""
    if time.monotonic() - drawn >= SOON / 2:
        progress.redraw()


def _find(study: Study, pages: Sequence[str], start: bool) -> ScoreView | ArtifactView | None:
    """Add the findings of these views that can be stated; return the view of the first work that is missing, if any.

    `start` begins this work if it takes seconds.
    """
    seen = _seen(study)
    for page in (page for page in pages if page not in seen):
        made = _finding(page, study, start) if page in FINDERS else render.immediate(page, study, start)
        if isinstance(made, ScoreView | ArtifactView):
            if made.job is None or made.job.stopped_for(state.session()):
                continue
            return made
        if said := made.verdict if isinstance(made, Presentation) else made:
            _add(study, {page: tuple(said)})
    return None


def _finding(page: str, study: Study, start: bool) -> Parts | ScoreView | ArtifactView:
    """The page's verdict on its defaults, or the work that is missing for it; its module is loaded only now."""
    return cast(Parts, import_module(f"{__package__}.{page}").finding(study, start))


def _kept() -> dict[str, dict[str, Parts]]:
    """Return the findings of the open study, by the digest of the runs and items shown, then by page.

    They are {} if the study has changed since they were stored: scores, votes and answers that are added make another
    study, although not another digest.
    """
    of, said = study_values.get(_SEEN) or (None, {})
    return said if of is state.whole_study() else {}


def _seen(study: Study) -> dict[str, Parts]:
    """Return the findings of these runs and items, by page."""
    return _kept().get(study.digest, {})


def _add(study: Study, said: dict[str, Parts]) -> None:
    found = {**_kept(), study.digest: {**_seen(study), **said}}
    study_values.keep(_SEEN, (state.whole_study(), found))


def _leaderboard(study: Study, metrics: Metrics, there: Metrics, numbers: Numbers) -> Parts:
    first = first_to_rank(study, metrics)
    if not there or (first is not None and first not in there):
        return ()
    settings = replicates(study.runs)
    choice = LeaderboardChoice(there, first, study.runs, None)
    if replicated(settings):
        return settings_words.verdict(of_settings(study, numbers, replace(choice, settings=settings)))[0]
    return leaderboard_verdict.verdict(of_runs(study, numbers, choice))[0]
