"""The Data page: the size of the open study, its files and findings, computable metrics, and ways to save it."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

import streamlit as st

from data.check import GivenFile, Loaded
from data.convert import left_out, templates, to_jsonl_bytes
from data.findings import merged
from data.marks import Marks, of_study
from data.pictures.given_pictures import Pictures
from data.study import Study
from figures.dataset import html, words
from figures.notes.hazards import gravest
from figures.report import commands
from figures.style.escaping import file_stem
from figures.style.numbers import count
from figures.style.run_names import short_names
from figures.style.wording import item_noun, names_in_a_row
from metrics.analysis.feasibility import runs_with_sets
from metrics.base import Metric
from metrics.text.cider import DocumentFrequencies
from ui.frame import errors, look
from ui.frame.wording import plain, sentence
from ui.jobs import study_metrics
from ui.jobs.jobs import jobs
from ui.session import slices, state
from ui.views import (
    close_study,
    clusters,
    dataset_findings,
    document_frequencies,
    given_pictures,
    imported_scores,
    kept_studies,
    mapping,
    upload,
)
from ui.views import report as views_report
from ui.widgets import image_picker

CSS = Path(__file__).with_name("dataset.css")


def style() -> None:
    """Add the page's style sheet."""
    st.html(CSS)


def drop_zone(loaded: Loaded, demo: bool) -> None:
    """Show the drop area for files, with the formats in which the open study's files were read."""
    heading = "Drop your captions here" if demo else "Drop more files here"
    with st.container(key="tl-drop"):
        look.block(
            html.place(
                heading,
                f"Captions by models and by people, all files at once; {upload.SHORT}.",
            )
        )
        with st.container(horizontal=True, vertical_alignment="center", gap="medium", key="tl-drop-row"):
            upload.files()
            _templates_and_demo(demo)
        upload.offer()
        if loaded.files and not demo:
            noun = item_noun(state.whole_study())
            look.block(html.files(loaded.files, loaded.findings, noun))
            given_pictures.statement()
            if upload.failed() is None:  # otherwise the panel of these files is below
                mapping.panel(loaded)


def _templates_and_demo(demo: bool) -> None:
    st.download_button(
        "Templates for every format",
        _templates,
        "trilens-templates.zip",
        "application/zip",
        key="templates",
        on_click="ignore",
        icon=":material/download:",
        help=f"Small files to copy and fill in: {upload.ABOUT}",
        type="tertiary",
    )
    if demo:
        upload.classic_button()
    else:
        st.button(
            "Open the demo instead",
            icon=":material/science:",
            on_click=errors.callback(state.open_demo),
            type="tertiary",
        )


def show_summary(study: Study, loaded: Loaded, demo: bool) -> None:
    """Show in two sentences what can be compared or, for the demo, what it is."""
    if demo:
        look.verdict(
            look.Strong("This is the demo: a small synthetic world whose truth is known. "),
            f"Three made-up models describe {count(len(study.items), 'drawn scene')} at several temperatures.",
        )
        return
    read = max((file.runs for file in loaded.files), default=0)
    first, second = words.comparable(study, merged(loaded.findings), loaded.applied, read)
    wrong = gravest(study, short_names(study.runs))
    look.verdict(look.Strong(first), *((" ", *wrong) if wrong else (second,)))


def show_unusable() -> bool:
    """Show the problems and return True if no study could be made from the last files; the open study stays open."""
    loaded = upload.failed()
    if loaded is None:
        return False
    if mapping.ask(loaded):
        return True
    noun = item_noun(state.whole_study()) if upload.failed_change() else "item"
    worst = sentence(loaded.errors[0]) if loaded.errors else "nothing in them could be compared."
    worst = html.with_noun(worst, noun, html.named(None, loaded.findings))
    st.error(plain(f"No study could be made of these files: {worst} What was open before is still open."))
    look.block(html.files(loaded.files, loaded.findings, noun))
    mapping.panel(loaded)
    dataset_findings.show(loaded, editable=True, key="failed", noun=noun, change=upload.mend_failed)
    return True


def show_metrics(study: Study, loaded: Loaded) -> None:
    """Show how many metrics can be computed, what the others need, and panels for data that can be added."""
    said, needed = _computable(study) if study.runs else ("", "")
    look.figure_title("Metrics", arrow=said)
    with st.container(horizontal=True, key="tl-grid-metrics"):
        if needed:
            with st.popover("What the others need", icon=":material/help:", key="needs_panel"):
                look.block(needed)
        if any(item.references for item in study.items):
            document_frequencies.control()
        imported_scores.control(study)
        given_pictures.control()
        clusters.control(loaded)
        image_picker.page_link("overview", "What they say: Overview", "insights")


def _computable(study: Study) -> tuple[str, str]:
    """Return how many metrics can be computed, and what is missing for the others, as HTML."""
    known = study_metrics.metrics()
    whys = study_metrics.not_offered(study, known)
    every = [name for name, metric in known.items() if metric.family == "references"]
    of_people = sum(name not in whys for name in every)
    needed = html.all_needs((why, known[name].label) for name, why in whys.items())
    lone, several = len(study.runs) - len(runs_with_sets(study)), len(runs_with_sets(study))
    if lone and several:
        who = f"{lone} of {count(len(study.runs), 'run')}"
        why = f"one caption per {item_noun(study)}: TRM, MMD², Fréchet and diversity need two and get a dash there"
        needed += html.needs(who, why)
    return html.computable(len(known) - len(whys) - of_people, len(known) - len(every), of_people), needed


def take_along(study: Study, demo: bool) -> None:
    """Show ways to save the study and its report, the command that scores it, and the button that closes it."""
    look.figure_title("This study", "The command line gives the same numbers, to the last digit.")
    stem = file_stem(study.name)
    with st.container(horizontal=True, key="tl-grid-study"):
        st.download_button(
            "Study bundle",
            whole_bundle(),
            f"{file_stem(state.whole_study().name)}.trilens.zip",
            "application/zip",
            key="bundle",
            on_click="ignore",
            icon=":material/inventory_2:",
            help="All captions, settings, slices, notes and every number that is finished: opens here again, offline"
            + given_pictures.bundled(),
        )
        views_report.control(study)
        st.download_button(
            "JSON Lines",
            partial(to_jsonl_bytes, study),
            f"{stem}.jsonl",
            "text/plain",
            key="jsonl",
            on_click="ignore",
            icon=":material/download:",
            help=f"The study as one file, with repairs and settings as they are now{_lacking(study)}",
        )
        with st.popover("Command line", icon=":material/terminal:", key="command_panel"):
            _command(study)
        kept_studies.control(demo, whole_bundle())
        if not demo:
            close_study.control(whole_bundle())


def _lacking(study: Study) -> str:
    """Return the end of a sentence on what JSON Lines of the study lack; "" if they lack nothing."""
    return f", without {plain(names_in_a_row(said, 5))}: the bundle keeps them" if (said := left_out(study)) else ""


def _command(study: Study) -> None:
    """Show the command that scores the uploaded files or, if the study differs from them, the study as saved here."""
    given = commands.saved(study, study is state.demo().study, study_metrics.idf() is not None)
    if files := commands.uploaded(state.loaded(), study):
        given = replace(given, files=files)
    st.code("\n".join([*given.setup_lines, commands.score(given, ["fast"])]), language=None, wrap_lines=True)
    if not files and not given.setup_lines:
        st.caption(plain(f"JSON Lines, beside this button, saves {given.files[0]}: the study as it is now."))


def whole_bundle() -> Callable[[], bytes]:
    """Return a function that packs the study with all items, runs, saved slices and marks, whatever pages show now."""
    whole, loaded = state.whole_study(), state.loaded()
    given = (loaded.network, loaded.images)
    saved, shown = slices.saved(whole), given_pictures.taken_along()
    made = partial(_bundle, whole, loaded.numbers, study_metrics.idf(), study_metrics.own(), saved, given)
    return partial(made, of_study(loaded.marks, whole), shown)


def _bundle(
    study: Study,
    brought: Mapping[str, bytes],
    idf: DocumentFrequencies | None,
    own: tuple[Metric, ...],
    saved: Mapping[str, str],
    given: tuple[GivenFile | None, GivenFile | None],
    marks: Marks,
    pictures: Pictures | None,
) -> bytes:
    from metrics.analysis.bundle import study_bundle

    return study_bundle(study, jobs().cache.with_bundle(brought), idf, own, saved, given, marks, pictures)


def _templates() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in templates().items():
            archive.writestr(name, content)
    return packed.getvalue()
