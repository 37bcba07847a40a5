"""The Overview of a study without captions by people: its runs side by side, and their captions of one item."""

from __future__ import annotations

from functools import partial

import streamlit as st

from data.ratings.human_ratings import ratings_of
from data.study import Study
from figures.leaderboard import verdict as leaderboard_verdict
from figures.notes.hazards import faulty
from figures.overview import html, without_references
from figures.style.escaping import short
from figures.style.numbers import count
from figures.style.terms import with_cards
from figures.style.wording import item_noun, names_in_a_row
from metrics.analysis import overview_image
from metrics.analysis.feasibility import has_references, possible
from metrics.analysis.leaderboard import LeaderboardChoice, of_runs
from metrics.suite.ratings import ranking_ratings
from ui import rooms
from ui.frame import look
from ui.frame.wording import own_words
from ui.jobs import numbers as jobs_numbers
from ui.jobs import progress
from ui.session.pictures import picture_of
from ui.views import overview_findings
from ui.widgets import image_picker
from ui.widgets.figure import Foot, Twin, figure


def shown(study: Study) -> bool:
    """Return whether a study has no references; if so, show what is known without them.

    This requests no numbers except the means of people's ratings.
    """
    if has_references(study):
        return False
    found = without_references.rows(study)
    ratings = ratings_of(study)
    rated = count(len({int(k) for one in ratings for k in one.item}), item_noun(study))
    told = f"; ratings of {rated} show which metrics agree with people" if ratings else ""
    given = [metric.label for metric in possible(study, "quality")]
    quality = f", and quality by {names_in_a_row(given)}" if given else ""
    more = f"Compare the runs by {given[0]}" if given else "Measure how varied the runs are"
    missing = "Distance to people needs" if given else "Quality and distance to people need"
    without = f"Diversity can be measured{quality}{told}. {missing} what people wrote."
    headline = _by_ratings(study) or _of_metrics(study) or without_references.headline(study, found)
    deck = html.deck(own_words("This study has no captions by people."), without)
    look.block(with_cards(html.headline(map(own_words, headline))) + deck)
    figure(
        "overview_runs",
        count(len(found), "run"),
        without_references.better(found),
        body=lambda: look.block(without_references.html(study, found, look.mode())),
        twin=Twin(partial(without_references.twin, study, found)),
        foot=Foot(without_references.facts(study, found), [without_references.HOW.format(noun=item_noun(study))]),
        name="runs",
        beside=lambda: image_picker.page_link("leaderboard", f"{more}: Leaderboard →"),
    )
    _said(study)
    return True


def _by_ratings(study: Study) -> tuple[str, ...]:
    """The verdict of the Leaderboard by people's ratings; () if these rank no runs, and until their means are known."""
    if (rated := ranking_ratings(study)) is None:
        return ()
    numbers, view = jobs_numbers.fetch(study, (rated,))
    progress.show(view)
    if numbers.waiting(rated, study.runs):
        return ()
    found = of_runs(study, numbers, LeaderboardChoice((rated,), rated, study.runs, None))
    return ("".join(leaderboard_verdict.verdict(found)[0]),)


def _of_metrics(study: Study) -> tuple[str, ...]:
    """Which metrics agree with people's ratings of a single run, which has no other to be compared with; else ()."""
    alone = len(study.runs) == 1 and ratings_of(study)
    said = "".join(overview_findings.of_page(study, "judgments")) if alone else ""
    return (said,) if said else ()


def _said(study: Study) -> None:
    odd = faulty(study)
    runs = sorted(range(len(study.runs)), key=lambda k: study.runs[k].name in odd)[:3]
    position = _typical(study, study.digest, tuple(runs))
    item = study.items[position]
    sets = overview_image.caption_sets(study, runs, position)[1:]
    picture = picture_of(item)
    look.figure_title(
        f"One {item_noun(study)} of {len(study.items):,}", arrow=short(image_picker.title(study, item), 90)
    )
    with st.container(key="tl-ov-flat" if picture is not None else "tl-ov-wide"):
        if picture is not None:
            st.image(picture.shown, width="stretch", alt=image_picker.title(study, item))
        look.block(html.columns(html.unranked_set(study, found, look.mode()) for found in sets))
    with st.container(key="tl-foot-images", horizontal=True):
        others = f"The other {len(study.items) - 1:,}: {rooms.title(rooms.IMAGES, study)} →"
        image_picker.page_link("images", others, image=item.id)


@st.cache_resource(max_entries=8, show_spinner=False)
def _typical(_study: Study, digest: str, runs: tuple[int, ...]) -> int:
    return overview_image.typical(_study, runs)
