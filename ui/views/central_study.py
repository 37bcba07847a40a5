"""The medoids of the whole study on the Central captions page: distances, ranking, cards and tables."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from data.study import Study
from figures.central import chart as central_chart
from figures.central import words as central_words
from figures.export.paper import Ground
from figures.style.numbers import num, percent
from figures.style.palette import styles_of
from figures.style.run_names import short_names
from figures.style.wording import item_noun, item_title
from metrics.analysis import artifacts
from metrics.analysis.central import study as central_study
from metrics.analysis.feasibility import first_runs
from metrics.cache.entry import Arrays
from ui.frame import errors, look
from ui.frame.wording import plain
from ui.jobs.jobs import ArtifactView, jobs
from ui.session import address, state
from ui.session.pictures import picture_of
from ui.views.central import CARDS, PARTS, STUDY_PARTS, CentralChoice, signed
from ui.widgets import image_picker, parts, show

_STANDINGS = "central_standings"
ENDS = {"near": "nearest to the centre", "far": "farthest from it"}


def without_centres(study: Study) -> bool:
    """Return whether no image has two references, after a message with the remedy."""
    if any(len(item.references) > 1 for item in study.items):
        return False
    with look.empty(
        "No centres in this study",
        f"A centre needs two captions by people, and no {item_noun(study)} has two: add some.",
    ):
        image_picker.data_link()
    return True


def call(study: Study, choice: CentralChoice) -> ArtifactView:
    """Return the study's centres, or the job that computes them."""
    doing = f"Finding the centres of {len(study.items):,} {item_noun(study)}s by {choice.space.label}"
    work = artifacts.centres(study, choice.space, jobs().cache, choice.as_reference)
    return jobs().artifact(replace(work, title=doing, preemptible=True), state.session())


@st.cache_resource(max_entries=16, show_spinner=False)
def _across(_study: Study, key: str, names: tuple[str, ...], _arrays: Arrays) -> central_study.CentralitySummary:
    return central_study.across(_study, _arrays)


def show_study(study: Study, choice: CentralChoice, arrays: Arrays) -> None:
    """Show the whole study: the ranking of runs, then lengths, the nearest and farthest images, and tables."""
    names = tuple(run.name for run in study.runs)
    found = _across(study, central_study.key(study, choice.space, choice.as_reference), names, arrays)
    look.verdict(*central_words.study_verdict(study, found, choice.space.label))
    if found.runs:
        _standings(
            study,
            found,
            signed(central_words.study_print_footer(study, found, "Whiskers"), choice.space, choice.as_reference),
        )
    look.footer(central_words.study_footer(study, found, choice.as_reference), choice.signature)
    titles = {name: title for name, title in STUDY_PARTS.items() if found.runs or name != "cards"}
    part = parts.tabs("part", titles, ("cards", *PARTS))
    if part == "lengths":
        _lengths(
            study,
            found,
            signed(
                central_words.study_print_footer(study, found, "Mark: mean, line"), choice.space, choice.as_reference
            ),
        )
    elif part == "cards":
        _gallery(study, found)
    else:
        _study_tables(study, found, choice)


def _chosen(study: Study, found: central_study.CentralitySummary) -> tuple[central_study.RunDistance | None, str]:
    """The run, and the end of its images, that the address names; None for the run in a study without runs."""
    end = address.select_one("from", list(ENDS), "near")
    if not study.runs:
        return None, end
    name = address.select_one("run", [run.name for run in study.runs], first_runs(study, 1)[0].name)
    return next((run for run in found.runs if run.run == name), None), end


def _gallery(study: Study, found: central_study.CentralitySummary) -> None:
    """Show the controls of run and end, and the cards."""
    names, short = [run.name for run in study.runs], short_names(study.runs)
    with image_picker.row():
        name = address.select("Captions of", "run", names, first_runs(study, 1)[0].name, format_func=short.__getitem__)
        end = address.select(f"{item_title(study)}s", "from", list(ENDS), "near", format_func=ENDS.__getitem__)
    run = next((run for run in found.runs if run.run == name), None)
    if run is not None:
        _cards(study, found, run, end)


def _lengths(study: Study, found: central_study.CentralitySummary, footer: str) -> None:
    with st.grid(2, min_column_width=380, gap=("medium", "medium")) as two:
        for name, unit, of in (("words", "words", found.words), ("content words", "content words", found.content)):
            with two.cell(), look.figure():
                title = (
                    f"Are central captions longer or shorter, in {unit}?"
                    if unit == "words"
                    else "And in content words?"
                )
                if unit != "words" and not central_words.reads_as_english(found):
                    look.figure_title(title, central_words.content_words_note(found))
                    continue
                words = central_words.difference_words(study, of)
                look.figure_title(title, words)
                if of.n:
                    drawn = partial(_histogram, of, unit, item_noun(study))
                    alt = f"Central less others, {unit}: mean {num(of.mean, 2)}. {words}"
                    said = footer if unit == "words" else f"{central_words.content_words_note(found)} {footer}"
                    show.chart(drawn, f"central_{name.replace(' ', '_')}", alt, f"central {name}", footer=said)


def _histogram(of: central_study.PairedDifference, unit: str, noun: str, on: Ground) -> go.Figure:
    return central_chart.difference_histogram(of.difference, of.mean, *of.interval, unit, noun, on.mode)


def _standings(study: Study, found: central_study.CentralitySummary, footer: str) -> None:
    styles = styles_of(study)
    rows = central_words.standings(study, found, styles)
    with look.figure():
        look.figure_title(
            "How far do models sit from the centre?",
            "The centre: the caption by people nearest to all of theirs. Left: nearer than people.",
        )
        alt = "; ".join(f"{row.name} {num(row.ratio, 2)}" for row in rows)
        show.chart(
            lambda on: central_chart.standings(rows, on.mode, on.width),
            _STANDINGS,
            f"Distance to the centre over people's own: {alt}.",
            "distance to the centre",
            footer=footer,
            on_select=lambda: _choose(study),
        )


def _choose(study: Study) -> None:
    for place, *_ in show.picked(_STANDINGS)[:1]:
        address.store("run", study.runs[int(place)].name)
        address.store("part", "cards")


def _cards(study: Study, found: central_study.CentralitySummary, run: central_study.RunDistance, end: str) -> None:
    order = [k for k in central_words.gallery(run, len(study.items), end == "far") if np.isfinite(run.items[k])][:CARDS]
    if not order:
        one = item_noun(study)
        look.empty(f"No {one} has a distance", f"The run has no captions, or people's are alike on each {one}.")
        return
    with st.grid("auto", min_column_width=205, gap=("medium", "medium")) as grid:
        for k in order:
            with grid.cell():
                _card(study, found, run, k)


def _card(study: Study, found: central_study.CentralitySummary, run: central_study.RunDistance, position: int) -> None:
    item, mode = study.items[position], look.mode()
    picture = picture_of(item)
    if picture is not None:
        st.image(picture.shown, width="stretch", alt=image_picker.title(item))
    style = styles_of(study)[study.run(run.run).model]
    said = study.run(run.run).candidates.get(item.id, ())
    look.figure_title(f"{percent(float(run.items[position]))} of people's own", image_picker.title(item))
    middle = central_words.centres(study, found, position)
    look.captions(
        "People, most central" if middle else "People, all tied",
        [look.Caption(text, lead=central_chart.MARK) for text in middle[:2]]
        or image_picker.distinct_captions(item.references[:2], ()),
    )
    look.captions(
        short_names(study.runs)[run.run],
        image_picker.distinct_captions(said, ())[:3],
        style.mark(mode),
        style.text(mode),
    )
    st.button(
        "Open",
        key=f"central_open_{position}",
        icon=":material/open_in_full:",
        on_click=errors.callback(_open),
        args=(item.id, run.run),
        type="tertiary",
        help=f"Open {plain(image_picker.title(item))}",
    )


def _open(item: str, run: str) -> None:
    address.store("scope", "image")
    address.store("image", item)
    beside = address.values("beside") or ()
    address.store("beside", *dict.fromkeys([run, *beside]))


def _study_tables(study: Study, found: central_study.CentralitySummary, choice: CentralChoice) -> None:
    run, end = _chosen(study, found)
    signed = (choice.signature,)
    look.figure_title("People's central captions against their others", f"Means over {item_noun(study)}s, paired.")
    show.table(central_words.lengths_table(found), "central_lengths", name="central lengths", signatures=signed)
    if found.runs:
        look.figure_title("Distance to the centre", "Of people's own: the run's distance divided by people's.")
        show.table(
            central_words.runs_table(study, found), "central_runs", name="distance to the centre", signatures=signed
        )
    look.figure_title(f"{item_title(study)}s", "Nearest to the centre first." if end == "near" else "Farthest first.")
    order = central_words.gallery(run, len(study.items), end == "far")
    table = central_words.images_table(study, found, run, order)
    table.insert(0, item_title(study), [image_picker.title(study.items[k]) for k in order])
    show.table(table, "central_images", name="central images", signatures=signed)
