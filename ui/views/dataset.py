"""The Data page: the size of the open study, its files and findings, run settings, and computable metrics."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from data.check import GivenFile, Loaded
from data.convert import templates, to_jsonl_bytes
from data.settings import SETTING_NAMES, expected, valid
from data.study import Settings, Study
from figures.checks import html, words
from figures.report import commands
from figures.style.escaping import file_stem
from figures.style.lines import decoder_name
from figures.style.numbers import count
from figures.style.wording import item_noun, names_in_a_row
from metrics.analysis.feasibility import runs_with_sets, why_impossible
from metrics.analysis.human import run_sizes
from metrics.analysis.sweeps import decoder_of
from metrics.base import Metric
from metrics.text.cider import DocumentFrequencies
from ui.frame import errors, look
from ui.frame.wording import plain, sentence
from ui.jobs import registry
from ui.jobs.jobs import jobs
from ui.session import slices, state
from ui.views import checks, closing, kept, upload
from ui.views import report as views_report
from ui.widgets import image_picker

COLUMNS = {
    "model": st.column_config.TextColumn("Model", required=True, help="Runs of one model share a colour and a line."),
    "temperature": st.column_config.NumberColumn("Temperature", min_value=0.0, format="%.3g"),
    "top_p": st.column_config.NumberColumn("top-p", min_value=0.0, max_value=1.0, format="%.3g"),
    "top_k": st.column_config.NumberColumn("top-k", min_value=1, step=1, format="%d"),
    "decoder": st.column_config.TextColumn("Decoder stated"),
    "called": st.column_config.TextColumn(
        "Decoder", disabled=True, help="What pages call it: sampling from a cut distribution counts by what cuts it."
    ),
    "seed": st.column_config.NumberColumn("Seed", min_value=0, step=1, format="%d"),
}
CSS = Path(__file__).with_name("dataset.css")
CARDS, ROWS, ROW = 8, 40, 28
"""Most files in sight, most runs without a scroll bar of their own, and pixels of a row."""


def style() -> None:
    """Add the page's style sheet."""
    st.html(CSS)


def drop_zone(loaded: Loaded, demo: bool) -> None:
    """Show the place to drop files, with what the open study's files were read as."""
    limit = st.get_option("server.maxUploadSize")
    heading = "Drop your captions here" if demo else "Drop other files here"
    with st.container(key="tl-drop"):
        look.block(
            html.place(heading, f"Captions and references, all files at once; {upload.SHORT}, up to {limit:,} MB each.")
        )
        upload.files()
        if loaded.files and not demo:
            look.block(html.files(loaded.files[:CARDS], loaded.findings))
            if len(loaded.files) > CARDS:
                with st.expander(f"{len(loaded.files) - CARDS:,} more files"):
                    look.block(html.files(loaded.files[CARDS:], loaded.findings))
        with st.container(horizontal=True, gap="medium"):
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
            if not demo:
                st.button(
                    "Open the demo instead",
                    icon=":material/science:",
                    on_click=errors.callback(state.open_demo),
                    type="tertiary",
                )


def show_summary(study: Study, loaded: Loaded, demo: bool) -> None:
    """Show what can be compared, in two sentences."""
    if demo:
        look.verdict(
            look.Strong("This is the demo: a small synthetic world whose truth is known. "),
            f"Three made-up models describe {count(len(study.items), 'drawn scene')} at several temperatures.",
        )
        return
    first, second = words.comparable(study, loaded.findings)
    look.verdict(look.Strong(first), second)


def show_unusable() -> None:
    """Show files without a usable study, with the problems of each; the open study is unchanged."""
    loaded = upload.failed()
    if loaded is None:
        return
    worst = sentence(loaded.errors[0]) if loaded.errors else "nothing in them could be compared."
    st.error(plain(f"No study could be made of these files: {worst} What was open before is still open."))
    look.block(html.files(loaded.files[:CARDS], loaded.findings))
    checks.show(loaded, editable=False, key="failed")


def runs(study: Study, demo: bool) -> None:
    """Show the runs with their settings, to confirm or correct."""
    if not study.runs:
        return
    table, sizes = settings_table(study), run_sizes(study)
    spans = [f"{low:,}" if low == high else f"{low:,} to {high:,}" for low, high in sizes.values()]
    called = [decoder_name(decoder_of(run.settings)) for run in study.runs]
    shown = table.assign(captions=spans, called=called)[["run", *COLUMNS, "captions"]]
    columns = {
        "run": st.column_config.TextColumn("Run", disabled=True, pinned=True, width="medium"),
        **COLUMNS,
        "captions": st.column_config.TextColumn(f"Captions an {item_noun(study)}", disabled=True),
    }
    drawn: dict[str, Any] = {"hide_index": True, "row_height": ROW, "height": _height(len(shown)), "placeholder": "–"}
    if demo:
        look.figure_title("Runs", "The settings that each run was generated with.")
        st.dataframe(shown.drop(columns="decoder"), **drawn, column_config=columns)
        return
    look.figure_title("Runs", "Click a cell to correct it. Runs of one model share a colour and a line.")
    edited = st.data_editor(shown, **drawn, column_config=columns, key=f"settings_{study.digest[:16]}")
    labels, wrong = read_settings(edited)
    for message in wrong:
        st.error(plain(message))
    old = {run.name: (run.model, run.settings) for run in study.runs}
    if not wrong and labels != old:
        st.button(
            "Apply these settings", icon=":material/check:", on_click=errors.callback(upload.correct), args=(labels,)
        )


def _height(rows: int) -> int:
    """Pixels of a table without a scroll bar, of the first ones if there are many."""
    return ROW * min(rows, ROWS) + 37


def settings_table(study: Study) -> pd.DataFrame:
    """Return one row per run: its name, model and settings; unknown values are missing."""
    rows = [
        {"run": run.name, "model": run.model} | {name: getattr(run.settings, name) for name in SETTING_NAMES}
        for run in study.runs
    ]
    kinds = {"temperature": "Float64", "top_p": "Float64", "top_k": "Int64", "seed": "Int64"}
    return pd.DataFrame(rows, columns=["run", "model", *SETTING_NAMES]).astype({**kinds, "decoder": "string"})


def read_settings(table: pd.DataFrame) -> tuple[dict[str, tuple[str, Settings]], list[str]]:
    """Return model and settings by run name, and what is wrong with them in words."""
    labels, wrong = {}, []
    for row in table.to_dict("records"):
        known = {}
        for name in SETTING_NAMES:
            value = row[name]
            if pd.isna(value) or value == "":
                continue
            known[name] = valid(name, value)
            if known[name] is None:
                wrong.append(f"{row['run']}: {name} takes {expected(name)}, not {value}.")
        model = "" if pd.isna(row["model"]) else str(row["model"]).strip()
        if not model:
            wrong.append(f"{row['run']}: a run needs the name of its model.")
        labels[str(row["run"])] = (model, Settings(**known))
    return labels, wrong


def show_computable(study: Study) -> None:
    """Show which metrics can be computed, and what is missing for the others."""
    if not study.runs:
        return
    reasons: dict[str, list[str]] = {}
    for metric in registry.metrics().values():
        if (why := why_impossible(study, metric)) is not None:
            reasons.setdefault(why, []).append(metric.label)
    known = len(registry.metrics())
    n = known - sum(map(len, reasons.values()))
    lines = [html.needs(names_in_a_row(labels, 5), why) for why, labels in reasons.items()]
    lone, several = len(study.runs) - len(runs_with_sets(study)), len(runs_with_sets(study))
    if lone and several:
        who = f"{lone} of {count(len(study.runs), 'run')}"
        why = f"one caption an {item_noun(study)}: TRM, MMD², Fréchet and diversity need two and get a dash there"
        lines.append(html.needs(who, why))
    with st.container(border=True, horizontal=True, vertical_alignment="center", key="tl-can"):
        look.block(html.computable(f"{n} of {known} metrics" if reasons else f"All {n} metrics"))
        if lines:
            with st.popover("What the others need", key="needs_panel", type="tertiary"):
                look.block("".join(lines))
        image_picker.page_link("overview", "See what they say: Overview →")


def take_along(study: Study, demo: bool) -> None:
    """Show ways to save the study, its report, the command that scores it, and to close it."""
    look.figure_title("This study", "The command line gives the same numbers, to the last digit.")
    stem = file_stem(study.name)
    with st.container(horizontal=True, gap="small"):
        st.download_button(
            "Study bundle",
            whole_bundle(),
            f"{file_stem(state.whole_study().name)}.trilens.zip",
            "application/zip",
            key="bundle",
            on_click="ignore",
            icon=":material/inventory_2:",
            help="All captions, settings, tables, slices and every number that is finished: opens here again, offline",
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
            help="The study as one file, with repairs and settings as they are now",
        )
        with st.popover("Command line", icon=":material/terminal:", key="command_panel"):
            given = commands.saved(study, study is state.demo().study, registry.idf() is not None)
            lines = [*given.setup_lines, commands.score(given, ["fast"])]
            st.code("\n".join(lines), language="bash", wrap_lines=True)
        kept.control(demo, whole_bundle())
        if not demo:
            closing.control(whole_bundle())


def whole_bundle() -> Callable[[], bytes]:
    """Return what packs the study with all of its items and the saved slices, whatever slice is in force."""
    whole, loaded = state.whole_study(), state.loaded()
    given = (loaded.network, loaded.images)
    return partial(_bundle, whole, loaded.numbers, registry.idf(), registry.own(), slices.saved(whole), given)


def _bundle(
    study: Study,
    brought: Mapping[str, bytes],
    idf: DocumentFrequencies | None,
    own: tuple[Metric, ...],
    saved: Mapping[str, str],
    given: tuple[GivenFile | None, GivenFile | None],
) -> bytes:
    from metrics.analysis.bundle import study_bundle

    return study_bundle(study, jobs().cache.with_bundle(brought), idf, own, saved, given)


def _templates() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in templates().items():
            archive.writestr(name, content)
    return packed.getvalue()
