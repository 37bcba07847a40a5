"""The Triangles page without a verdict: the reason and, if a side has too few captions, alternatives with enough."""

from __future__ import annotations

import streamlit as st

from data.study import Item, Run, Study
from figures.style.escaping import capital
from figures.style.numbers import count
from figures.style.run_names import short_names
from figures.style.wording import article, item_noun
from metrics.analysis.triangles import ENOUGH
from metrics.analysis.triangles_defaults import any_enough, has_enough
from ui.frame import errors, look
from ui.frame.wording import plain
from ui.session import address
from ui.views.triangles import show_sides
from ui.widgets import image_picker

OFFERED = 6
"""Maximum number of runs offered as buttons; the control above lists all runs."""


def nowhere(study: Study) -> bool:
    """Return True, and show what is needed, if no run has enough captions of any item."""
    if any_enough(study):
        return False
    noun = item_noun(study)
    runs = max(len(run.candidates.get(item.id, ())) for run in study.runs for item in study.items)
    people = max(len(item.references) for item in study.items)
    title = f"Triangles need {ENOUGH} captions by people and {ENOUGH} by a run of the same {noun}"
    with look.empty(title, f"In this study, a run has at most {runs} per {noun}, and people have at most {people}."):
        image_picker.page_link("images", f"The captions of each {noun}: Images →")
    return True


def show(study: Study, run: Run, position: int, why: str) -> None:
    """Show why there is no verdict, alternatives with enough captions if this one has too few, and the captions."""
    item = study.items[position]
    if has_enough(item, run):
        look.empty(f"{capital(why)}.", "Its captions are below.")
    else:
        _ways_on(study, run, item, why)
    show_sides(study, run, position)


def _ways_on(study: Study, run: Run, item: Item, why: str) -> None:
    able = [one for one in study.runs if has_enough(item, one)]
    places = [k for k, one in enumerate(study.items) if has_enough(one, run)]
    with look.empty(f"{capital(why)}.", _remedy(study, able, len(places))):
        if able:
            _runs(study, able)
        elif places:
            _button(f"Go to {article(item_noun(study))} that has enough", "other", study.items[places[0]].id, run)
        else:
            _elsewhere(study)


def _remedy(study: Study, able: list[Run], places: int) -> str:
    noun = item_noun(study)
    if able:
        more = f" {len(able) - OFFERED:,} more are in the list of runs above." if len(able) > OFFERED else ""
        return f"A verdict needs {ENOUGH} captions on each side. These runs have enough of this {noun}:{more}"
    if places:
        return f"{places:,} of {count(len(study.items), noun)} {'has' if places == 1 else 'have'} enough for this run."
    return f"A verdict needs {ENOUGH} captions by people and {ENOUGH} by a run."


def _runs(study: Study, able: list[Run]) -> None:
    short = short_names(study.runs)
    for k, run in enumerate(able[:OFFERED]):
        _button(plain(short[run.name]), f"run_{k}", None, run)


def _elsewhere(study: Study) -> None:
    run, item = next((run, item) for run in study.runs for item in study.items if has_enough(item, run))
    name = plain(short_names(study.runs)[run.name])
    _button(f"Go to {name}, which has enough of {article(item_noun(study))}", "any", item.id, run)


def _button(words: str, key: str, item: str | None, run: Run) -> None:
    def go() -> None:
        address.store("run", run.name)
        if item is not None:
            address.store("image", item)

    st.button(words, key=f"triangles_{key}", on_click=errors.callback(go))
