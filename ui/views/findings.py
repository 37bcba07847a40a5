"""The findings of a study's pages, one line each: the index on the Overview."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from data.study import Study
from figures.leaderboard import verdict as leaderboard_verdict
from figures.leaderboard.standings import LeaderboardChoice
from figures.style import html as style_html
from figures.style.terms import with_cards
from figures.views import registry as views
from figures.views.view import Refusal, defaults
from metrics.analysis.artifacts import INTERACTIVE_ITEMS, Artifact
from metrics.analysis.defaults import first_to_rank
from metrics.engine.scoring import runs_of
from ui import render, rooms
from ui.frame import look
from ui.jobs import numbers as jobs_numbers
from ui.jobs.jobs import jobs
from ui.session import address, of_study, state
from ui.widgets import image_picker, metric_picker

_SEEN = "_findings"
_ASIDE = ("overview", "dataset", "images", "triangles", "methods")
"""Pages that answer no question about the study as a whole."""
Parts = tuple[str, ...]


def keep(page: str) -> None:
    """Keep a page's finding for the index, if the page shows its defaults."""
    if (said := look.page_verdict()) and page not in _ASIDE and not address.has_choices():
        of_study.keep(_SEEN, {**(of_study.get(_SEEN) or {}), page: said})


def show(study: Study) -> None:
    """Show the findings of the pages that this study can fill, each with a link, then the pages not yet opened.

    Nothing is started here: of a page that was not opened in this session, what is stored already is said, if its
    numbers are all there, else the page is only named.
    """
    lacking = rooms.lacking(study)
    pages = [entry for entry in rooms.ENTRIES if entry.file not in _ASIDE and entry.file not in lacking]
    kept = of_study.get(_SEEN) or {}
    stored = {name: said for name in views.VIEWS if name not in (*kept, *lacking) and (said := _stored(study, name))}
    if stored:
        of_study.keep(_SEEN, kept | stored)
    seen = {"leaderboard": _leaderboard(study), **kept, **stored}
    found = {entry.file: seen.get(entry.file, ()) for entry in pages}
    look.figure_title("Findings", "one line each; a name opens its page")
    with st.container(key="tl-answers", gap="xsmall"):
        for entry in (entry for entry in pages if found[entry.file]):
            with st.container(horizontal=True, gap="small", vertical_alignment="top"):
                with st.container(width=170):
                    image_picker.page_link(entry.file, entry.title)
                look.block(f'<div class="tl-answer">{with_cards(style_html.answer(found[entry.file]))}</div>')
    if rest := [entry for entry in pages if not found[entry.file]]:
        with st.container(horizontal=True, gap="xsmall", vertical_alignment="center", key="tl-still-open"):
            look.block('<span class="tl-soft">Not opened yet:</span>')
            for entry in rest:
                with st.container(width="content"):
                    image_picker.page_link(entry.file, entry.title)


def _stored(study: Study, name: str) -> Parts:
    """The verdict of a view by its default choices, from what is stored; () if that does not suffice."""
    view, owner = views.view(name), state.session()
    if view.refuses(study) is not None:
        return ()
    known = render.known_of(study)
    known = replace(known, numbers=jobs_numbers.finished(study, tuple(view.optional(known)), owner))
    early = defaults(view, known, early=True)
    if isinstance(early, Refusal):
        return ()
    needs = tuple(view.needs(known, early))
    known = known.with_numbers(jobs_numbers.finished(study, needs, owner))
    choice = defaults(view, known, early)
    if isinstance(choice, Refusal) or any(known.numbers.waiting(one, runs_of(study, one)) for one in needs):
        return ()
    work = view.work(known, choice)
    if not isinstance(work, Artifact) and len(study.items) > INTERACTIVE_ITEMS:
        return ()  # the result itself is not stored, and may take seconds
    arrays = jobs().artifact(work, owner, start=False).arrays if isinstance(work, Artifact) else work
    if arrays is None or isinstance(arrays, Refusal):
        return ()
    found = view.result(known, choice, arrays)
    if isinstance(found, Refusal):
        return ()
    choice |= {view.pick: view.picked(found, "")} if view.pick else {}
    return tuple(view.present(known, choice, found).verdict)


def _leaderboard(study: Study) -> Parts:
    metrics = metric_picker.on_board(study)
    numbers = jobs_numbers.finished(study, metrics, state.session())
    first = first_to_rank(study, metrics)
    if first is None or numbers.waiting(first, study.runs):
        return ()
    there = tuple(metric for metric in metrics if not numbers.waiting(metric, study.runs))
    shown, _ = leaderboard_verdict.verdict(study, numbers, LeaderboardChoice(there, first, study.runs, None))
    return tuple(shown)
