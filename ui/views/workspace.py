"""The Workspace: the size of the open study, its files and findings, run settings, and computable metrics."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import pandas as pd
import streamlit as st

from data.check import REPAIRS, Finding, GivenFile, Loaded, repair
from data.convert import templates, to_jsonl_bytes
from data.settings import SETTING_NAMES, expected, valid
from data.study import Settings, Study
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
from ui.views import report as views_report
from ui.views import upload
from ui.widgets import image_picker, show

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
WIDE = {"Problem": 500, "Repair": 400}
"""Width in pixels at which what is wrong and what to do fit in full beside each other."""
SIGNS = {"error": "Error", "warning": "Warning", "note": "Note"}


def show_summary(study: Study, demo: bool) -> None:
    """Show what is open, in a sentence, and where to go next."""
    if demo:
        look.verdict(
            look.Strong("This is the demo: a small synthetic world whose truth is known. "),
            f"Three made-up models describe {count(len(study.items), 'drawn scene')} at several temperatures. "
            "Look around, or drop files of your own below.",
            kicker="Open study",
        )
    elif study.runs:
        look.verdict(look.Strong(study.name), f" is open: {_size(study)}.", kicker="Open study")
    else:
        look.verdict(
            look.Strong(study.name),
            f" has references for {count(len(study.items), item_noun(study))} but no runs yet: "
            "drop files of generated captions together with it.",
            kicker="Open study",
        )
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        if study.runs:
            image_picker.page_link("leaderboard", "See the leaderboard", "arrow_forward")
            image_picker.page_link("images", "Look at the captions", "image")
        if not demo:
            st.button(
                "Back to the demo",
                icon=":material/science:",
                on_click=errors.callback(state.open_demo),
                type="tertiary",
            )
            st.button(
                "Close this study",
                icon=":material/close:",
                on_click=errors.callback(upload.forget),
                type="tertiary",
                help="Forgets it on the server. Its link stops working.",
            )


def _size(study: Study) -> str:
    models = len({run.model for run in study.runs})
    return f"{count(len(study.items), item_noun(study))}, {count(len(study.runs), 'run')} of {count(models, 'model')}"


def show_unusable() -> None:
    """Show files without a usable study, with the problems of each; the open study is unchanged."""
    loaded = upload.failed()
    if loaded is None:
        return
    worst = sentence(loaded.errors[0]) if loaded.errors else "nothing in them could be compared."
    st.error(plain(f"No study could be made of these files: {worst} What was open before is still open."))
    files(loaded)
    checks(loaded, editable=False, key="failed")


def files(loaded: Loaded) -> None:
    """Show every file with its format."""
    if not loaded.files:
        return
    look.figure_title("Files", "What each one was read as.")
    rows = [(file.name, file.format, file.records, file.items, file.runs) for file in loaded.files]
    table = pd.DataFrame(rows, columns=["File", "Read as", "Records", "Items", "Runs"])
    st.dataframe(
        table, hide_index=True, row_height=32, column_config={"Read as": st.column_config.TextColumn(width="large")}
    )


def checks(loaded: Loaded, editable: bool, key: str = "checks") -> None:
    """Show everything found in the files, worst first, and the repairs that can be switched on or off."""
    if not loaded.files and not loaded.findings:
        return
    found = loaded.findings
    kinds = [
        count(sum(f.severity == severity for f in found), word)
        for severity, word in (("error", "error"), ("warning", "warning"), ("note", "note"))
    ]
    if not found:
        look.figure_title("Checks", "Nothing to mend.")
        return
    what = "Errors stop only what they concern. Choose a row to read it whole."
    look.figure_title("Checks", f"{', '.join(kinds)}. {what}")
    table = pd.DataFrame([_row(finding, loaded.applied) for finding in found])
    wide = {name: st.column_config.TextColumn(width=pixels) for name, pixels in WIDE.items()}
    event = st.dataframe(
        table,
        hide_index=True,
        row_height=32,
        key=key,
        column_config=wide,
        on_select="rerun",
        selection_mode="single-cell",
    )
    for row in show.chosen_rows(event):
        if row < len(table):
            look.facts((str(name), str(value)) for name, value in table.iloc[row].items() if value not in ("", "–"))
    if editable:
        _repairs(loaded)


def _row(finding: Finding, applied: Sequence[str]) -> dict[str, object]:
    done = "–" if finding.fix is None else "yes" if finding.fix in applied else "no"
    # What is wrong and what to do come before where it is: ids can be so long that they push the rest off the screen.
    return {
        "Severity": SIGNS[finding.severity],
        "Problem": finding.problem,
        "Repair": finding.repair,
        "File": finding.file,
        "Times": finding.count,
        "Mended": done,
        "Record": finding.record,
        "Id": finding.id,
    }


def _repairs(loaded: Loaded) -> None:
    """A switch for every repair that applies to these files; off undoes it."""
    offered = [name for name in REPAIRS if any(finding.fix == name for finding in loaded.findings)]
    if not offered or loaded.draft is None:
        return
    st.caption(repair_words(sum(name in loaded.applied for name in offered)))
    for name in offered:
        on, key = name in loaded.applied, f"fix_{name}_{'_'.join(loaded.applied)}"
        st.toggle(plain(REPAIRS[name]), value=on, key=key, on_change=_switch, args=(name, not on))


def repair_words(on: int) -> str:
    """Return what the switches of the repairs do; `on` of them are on."""
    undo = {0: "none is on", 1: "switch it off to undo it"}.get(on, "switch one off to undo it")
    return f"Repairs: {undo}. The files themselves are never changed."


@errors.callback
def _switch(name: str, on: bool) -> None:
    loaded = state.loaded()
    upload.change(repair(loaded, [name] if on else [], [] if on else [name]))


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
    if demo:
        look.figure_title("Runs", "The settings that each run was generated with.")
        st.dataframe(
            shown.drop(columns="decoder"), hide_index=True, row_height=32, column_config=columns, placeholder="–"
        )
        return
    look.figure_title(
        "Runs", "Settings come from the files, else from their names. Correct what is wrong: pages read them."
    )
    edited = st.data_editor(
        shown,
        hide_index=True,
        row_height=32,
        column_config=columns,
        key=f"settings_{study.digest[:16]}",
        placeholder="–",
    )
    labels, wrong = read_settings(edited)
    for message in wrong:
        st.error(plain(message))
    old = {run.name: (run.model, run.settings) for run in study.runs}
    if not wrong and labels != old:
        st.button(
            "Apply these settings", icon=":material/check:", on_click=errors.callback(upload.correct), args=(labels,)
        )


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
    able = f"{n} of {known} metrics" if reasons else f"All {n} metrics"
    look.figure_title("What can be computed", f"{able} have what they need.")
    lines = [f"{names_in_a_row(labels, 5)}: {why}." for why, labels in reasons.items()]
    lone, several = len(study.runs) - len(runs_with_sets(study)), len(runs_with_sets(study))
    if lone and several:
        lines.append(
            f"{lone} of {count(len(study.runs), 'run')} {'has' if lone == 1 else 'have'} one caption "
            f"an {item_noun(study)}: TRM, MMD², Fréchet and diversity need two, so they get a dash there."
        )
    for line in lines:
        st.caption(plain(line))


def downloads(study: Study, demo: bool) -> None:
    """Show templates, the study as one file, and the command that scores it."""
    look.figure_title("Take it along", "The command line gives the same numbers, to the last digit.")
    stem = file_stem(study.name)
    with st.container(horizontal=True, gap="small"):
        st.download_button(
            "Templates of all formats",
            _templates,
            "trilens-templates.zip",
            "application/zip",
            key="templates",
            on_click="ignore",
            icon=":material/download:",
            help="Small files to copy and fill in",
        )
        st.download_button(
            "This study as JSON Lines",
            partial(to_jsonl_bytes, study),
            f"{stem}.jsonl",
            "text/plain",
            key="jsonl",
            on_click="ignore",
            icon=":material/download:",
            help="With repairs and settings as they are now",
        )
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
    st.caption("Score from the command line" + (" what you downloaded" if not demo else ""))
    given = commands.saved(study, study is state.demo().study, registry.idf() is not None)
    st.code("\n".join([*given.setup_lines, commands.score(given, ["fast"])]), language="bash", wrap_lines=True)


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
