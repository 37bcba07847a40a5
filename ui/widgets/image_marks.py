"""Stars and notes on images: buttons beside the list of images, the text of the note, and a filter by them."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from data.marks import LONGEST_NOTE, MOST_NOTES
from data.study import Item, Study, digest
from figures.images.notes import note_html
from figures.style.wording import item_noun
from ui.frame import errors, look
from ui.frame.wording import plain
from ui.session import address, state

EVERY, STARRED, NOTED = "all", "starred", "noted"
_FAILED = "_mark_failed"
_NO_ROOM = "Not saved: this server has no room for it now. Try again later."


def controls(study: Study, item: Item) -> None:
    """Show the buttons of an item's star and note; call this inside a row of controls."""
    marks, noun = state.loaded().marks, item_noun(study)
    on, note = item.id in marks.stars, marks.notes.get(item.id, "")
    st.button(
        "★ Starred" if on else "☆ Star",
        help=f"Remove the star from this {noun}" if on else f"Star this {noun}, for everybody who has the link",
        key="image_star_on" if on else "image_star",
        on_click=errors.callback(_star),
        args=(item.id, not on),
    )
    words = "Note" if note else "Add a note"
    with st.popover(words, help=f"A note on this {noun}, for everybody who has the link", key="image_note"):
        key = f"image_note_{digest(item.id)[:12]}"
        st.session_state[key] = note
        st.text_area(
            f"Note on this {noun}",
            key=key,
            max_chars=LONGEST_NOTE,
            width=420,
            placeholder="What is worth remembering here?",
            on_change=errors.callback(_note),
            args=(item.id, key),
        )
        st.caption("Shown to everybody who has the link, and kept in the bundle.")
    if why := st.session_state.pop(_FAILED, ""):
        st.error(plain(why))


def panel(study: Study, item: Item) -> None:
    """Show the controls for an item's star and note, and the text of the note below them."""
    with st.container(horizontal=True, gap="xsmall"):
        controls(study, item)
    show_note(item)


def show_note(item: Item) -> None:
    """Show the text of an item's note, if it has one."""
    if note := state.loaded().marks.notes.get(item.id):
        look.block(note_html(note))


def choose(study: Study) -> str:
    """Show the control that limits a list to images with a star or a note; return the choice, as `marked` takes it."""
    names = {EVERY: f"All {item_noun(study)}s", STARRED: "With a star", NOTED: "With a note"}
    return address.select("Show", "marked", list(names), EVERY, format_func=names.__getitem__)


def marked(study: Study, positions: Sequence[int], chosen: str) -> tuple[int, ...]:
    """Return the positions of images with the chosen mark, a star or a note; all positions for `EVERY`."""
    marks = state.loaded().marks
    wanted = {EVERY: None, STARRED: marks.stars, NOTED: marks.notes.keys()}[chosen]
    return tuple(k for k in positions if wanted is None or study.items[k].id in wanted)


def columns(study: Study, positions: Sequence[int]) -> dict[str, list[object]]:
    """Return columns of stars and notes for a table of images; no column for marks that the study lacks."""
    marks, ids = state.loaded().marks, [study.items[k].id for k in positions]
    found: dict[str, list[object]] = {}
    if marks.stars:
        found["Star"] = ["★" if id in marks.stars else "" for id in ids]
    if marks.notes:
        found["Note"] = [marks.notes.get(id, "") for id in ids]
    return found


def _star(item: str, on: bool) -> None:
    if not state.mark(lambda marks: marks.starred(item, on)):
        st.session_state[_FAILED] = _NO_ROOM


def _note(item: str, key: str) -> None:
    marks, text = state.loaded().marks, str(st.session_state.get(key) or "")
    if len(marks.notes) >= MOST_NOTES and item not in marks.notes:
        st.session_state[_FAILED] = f"Not saved: a study has at most {MOST_NOTES:,} notes. Empty one first."
    elif not state.mark(lambda now: now.noted(item, text)):
        st.session_state[_FAILED] = _NO_ROOM
