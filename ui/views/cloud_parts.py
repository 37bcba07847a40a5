"""The parts below the figures of the Caption cloud: the chosen caption, the runs in numbers, and the captions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from data.study import Item, Study
from figures.cloud import chart as cloud_chart
from figures.cloud import spread_and_nearness_words
from figures.cloud import words as cloud_words
from figures.images import pictures
from figures.images.titles import WHOLE
from figures.style.numbers import P_VALUE, count
from figures.style.palette import styles_of
from figures.style.run_names import short_names
from figures.triangles import words
from metrics.analysis.cloud.captions import Projection
from metrics.analysis.cloud.spread_and_nearness import Standings
from metrics.analysis.cloud.view import PEOPLE, CloudView
from metrics.mathematics.arrays import Integers
from ui.frame import errors, look
from ui.session import address
from ui.session.pictures import picture_of
from ui.views import cloud_selection
from ui.views.cloud_controls import PANELS, CloudChoice
from ui.widgets import image_picker, parts, show, slice_notice

LISTED = 1_000
"""Maximum number of rows of a table on the page; its downloads have all."""
UNFOLDED = 13
"""The largest number of sets for which the table of runs is not folded: the figure shows the same values."""
PART = "part"
"""The address parameter of the open tab."""
_FOUND = "_cloud_found"


@dataclass(frozen=True)
class Shown:
    """The drawn content: the view in a plane, which may replace another (`instead`), and how runs compare."""

    study: Study
    choice: CloudChoice
    of: Projection
    view: CloudView
    found: Standings
    picked: int | None
    instead: bool = False


def show_chosen(study: Study, view: CloudView, picked: int | None, wide: bool = False) -> None:
    """Show the chosen caption, if any, with its author, links and picture.

    With `wide`, the picture is beside the caption.
    """
    if picked is None:
        return
    item = study.items[int(view.points.item[picked])]
    picture = picture_of(item)
    with st.grid(2 if wide and picture is not None else 1, min_column_width=295, gap=("medium", "small")) as both:
        if picture is not None:
            with both.cell():
                st.image(picture.shown, width=300 if wide else "stretch", alt=image_picker.title(study, item))
        with both.cell():
            _chosen_caption(study, view, picked, item, "" if picture or not item.image else pictures.why_missing(item))


def _chosen_caption(study: Study, view: CloudView, picked: int, item: Item, why: str) -> None:
    group, text, mode = int(view.points.group[picked]), view.points.texts[picked], look.mode()
    look.figure_title(image_picker.title(study, item, WHOLE), why)
    run = study.runs[group - 1] if group else None
    style = styles_of(study).get(run.model) if run else None
    said = run.candidates[item.id] if run else item.references
    marks = ("central",) if view.layout.central[picked] else ()
    look.captions(
        short_names(study.runs)[run.name] if run else PEOPLE,
        [look.Caption(text, said.count(text), marks)],
        *((style.mark(mode), style.text(mode)) if style else ()),
    )
    with image_picker.row("content"):
        image_picker.page_link("images", "Images", "image", image=item.id)
        if run and not words.too_few(item, run):
            image_picker.page_link("triangles", "Triangles", "change_history", image=item.id, run=run.name)
    if view.focus is None:
        st.button(
            "Highlight its captions",
            key="cloud_focus",
            icon=":material/flare:",
            on_click=errors.callback(_focus),
            args=(item,),
        )


def _focus(item: Item) -> None:
    address.store("image", item.id)
    address.store("focus", "yes")


def show_parts(shown: Shown, signatures: Sequence[str]) -> None:
    """Show the tabs: the runs in numbers, the chosen caption unless it is beside the plane, and all captions."""
    study, view, choice = shown.study, shown.view, shown.choice
    title, rows = _listed(study, view, choice)
    titles = {"sets": "Runs in numbers"} if study.runs else {}
    if choice.view == PANELS and shown.picked is not None:
        titles |= {"caption": "The chosen caption"}
    titles |= {"captions": f"{title}: {count(len(rows), 'caption')}"}
    _open_found(choice)
    part = parts.tabs(PART, titles, ("sets", "caption"))
    if part == "sets":
        _sets(shown, signatures)
    elif part == "caption":
        show_chosen(study, view, shown.picked, wide=True)
    else:
        _captions(study, view, choice, rows, signatures)


def _open_found(choice: CloudChoice) -> None:
    now = (choice.words, tuple(area.text for area in choice.areas))
    if st.session_state.setdefault(_FOUND, now) != now:
        st.session_state[_FOUND] = now
        if any(now):
            address.store(PART, "captions")
    elif any(now) and address.values(PART) is None:
        address.store(PART, "captions")


def _sets(shown: Shown, signatures: Sequence[str]) -> None:
    frame = cloud_words.runs_table(shown.study, shown.view.layout, shown.view.points, shown.found)
    brief, same = cloud_words.in_brief(frame)
    look.figure_title("", f"{cloud_words.sets_reading(shown.study, 'Distance within' in brief)}{same}")

    def table() -> None:
        show.table(
            brief,
            "cloud_sets",
            name="caption sets",
            formats={"Corrected p": P_VALUE},
            signatures=signatures[:1],
            whole=lambda: frame,
        )

    if len(brief) > UNFOLDED or spread_and_nearness_words.equally_varied(shown.found):
        show.folded(f"All {count(len(shown.study.runs), 'run')}, the nearest to people first", "cloud_sets_all", table)
    else:
        table()


def _captions(study: Study, view: CloudView, choice: CloudChoice, rows: Integers, signatures: Sequence[str]) -> None:
    table = cloud_words.captions_table(study, view, rows)
    if choice.areas:
        with image_picker.row():
            cloud_selection.clear()
            inside = sorted({int(place) for place in view.points.item[rows]})
            slice_notice.save_control("selected in the cloud", [study.items[k].id for k in inside], "cloud_slice")
    if len(table) > LISTED:
        look.figure_title("", f"The first {LISTED:,} of {len(table):,} different captions; the downloads have all.")
    own, rows_of = table.drop(columns="row"), table["row"].tolist()

    def pick(row: int) -> None:
        address.store("pick", str(rows_of[row]))
        if choice.view == PANELS:
            address.store(PART, "caption")

    show.listing(
        own.drop(columns="Id").head(LISTED),
        "cloud_captions",
        pick,
        columns={"Caption": st.column_config.TextColumn(width="large")},
        height=min(38 + 32 * len(own), 390),
    )
    show.downloads(own, "cloud_captions_all", name="captions of the cloud", signatures=signatures)


def _listed(study: Study, view: CloudView, choice: CloudChoice) -> tuple[str, Integers]:
    if choice.areas:
        return "Selected", cloud_chart.inside(view, choice.areas)
    if choice.words and view.found is not None:
        return f"With “{choice.words}”", view.found
    if view.focus is not None:
        return image_picker.title(study, study.items[view.focus]), view.shown[
            view.points.item[view.shown] == view.focus
        ]
    return "Shown", view.shown
