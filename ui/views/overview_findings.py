"""The findings of a study's pages, one line each: the index on the Overview."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from data.study import Study
from figures.leaderboard import settings_words
from figures.leaderboard import verdict as leaderboard_verdict
from figures.style import html as style_html
from figures.style.escaping import esc
from figures.style.terms import with_cards
from metrics.analysis.defaults import first_to_rank
from metrics.analysis.leaderboard import LeaderboardChoice, of_runs, of_settings
from metrics.analysis.replicates.grouping import replicated, replicates
from ui import rooms
from ui.frame import look
from ui.jobs import numbers as jobs_numbers
from ui.session import address, state, study_values
from ui.widgets import image_picker, metric_picker

_SEEN = "_findings"
_ASIDE = ("overview", "dataset", "images", "triangles", "methods")
"""Pages that are no part of the index: they answer no question about the study, or show the index themselves."""
Parts = tuple[str, ...]


def keep(page: str) -> None:
    """Store a page's finding for the index, if the page shows its defaults."""
    if (said := look.page_verdict()) and page not in _ASIDE and not address.has_choices():
        study_values.keep(_SEEN, {**(study_values.get(_SEEN) or {}), page: said})


def show(study: Study) -> None:
    """Show the findings of the pages that this study can fill, each with a link, then links to pages not yet opened.

    Links have the names of the menu. Only the verdict of the Leaderboard is computed here, from existing numbers.
    """
    lacking = rooms.lacking(study)
    pages = [entry for entry in rooms.ENTRIES if entry.file not in _ASIDE and entry.file not in lacking]
    seen = {"leaderboard": _leaderboard(study), **(study_values.get(_SEEN) or {})}
    found = {entry.file: seen.get(entry.file, ()) for entry in pages}
    look.figure_title("Findings", "one line each; a name opens its page")
    with st.container(key="tl-answers", gap="xsmall"):
        for entry in (entry for entry in pages if found[entry.file]):
            with st.container(horizontal=True, gap="small", vertical_alignment="top"):
                with st.container(width=170):
                    room = rooms.in_menu(entry.file, lacking)
                    image_picker.page_link(entry.file, entry.title if room == entry.title else f"{room}: {entry.title}")
                look.block(f'<div class="tl-answer">{with_cards(style_html.answer(found[entry.file]))}</div>')
    rest: dict[str, list[rooms.Entry]] = {}
    for entry in (entry for entry in pages if not found[entry.file]):
        rest.setdefault(rooms.in_menu(entry.file, lacking), []).append(entry)
    if rest:
        with st.container(key="tl-still-open", gap="small"):
            look.block('<span class="tl-soft">Not opened yet</span>')
            for room, entries in rest.items():
                with st.container(horizontal=True, gap="small", vertical_alignment="top", wrap=False):
                    if [entry.title for entry in entries] == [room]:
                        _links(entries)
                        continue
                    with st.container(width=130):
                        look.block(f"<span>{esc(room)}&nbsp;</span>")
                    _links(entries)


def _links(pages: Sequence[rooms.Entry]) -> None:
    with st.container(horizontal=True, gap="small"):  # of their own, so that no link wraps into the column of rooms
        for entry in pages:
            with st.container(width="content"):
                image_picker.page_link(entry.file, entry.title)


def _leaderboard(study: Study) -> Parts:
    metrics = metric_picker.on_board(study)
    numbers = jobs_numbers.finished(study, metrics, state.session())
    first = first_to_rank(study, metrics)
    there = tuple(metric for metric in metrics if not numbers.waiting(metric, study.runs))
    if not there or (first is not None and first not in there):
        return ()
    settings = replicates(study.runs)
    choice = LeaderboardChoice(there, first, study.runs, None)
    if replicated(settings):
        return settings_words.verdict(of_settings(study, numbers, replace(choice, settings=settings)))[0]
    return leaderboard_verdict.verdict(of_runs(study, numbers, choice))[0]
