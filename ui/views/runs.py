"""The runs on the Data page: editing their names, models and settings, and hiding them, one by one or together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from data.marks import LONGEST_NAME
from data.ratings.human_ratings import ratings_of
from data.records import as_id
from data.run_settings import SETTING_NAMES, expected, valid
from data.study import Settings, Study
from figures.dataset.spread import Line, spread
from figures.style.numbers import DASH, count, temperature_format
from figures.style.run_names import decoder_name, short_names
from figures.style.wording import item_noun
from metrics.analysis.human_line import run_sizes, run_texts
from metrics.analysis.sweeps import decoder_of
from ui.frame import errors, look
from ui.frame.wording import plain
from ui.session import runs, state
from ui.session.runs import RunLabel
from ui.widgets import show, table_marks

COLUMNS = {
    "shown": st.column_config.CheckboxColumn(
        "Show", width=70, help="Hidden runs are on no page and in no rank or test."
    ),
    "model": st.column_config.TextColumn(
        "Model", required=True, pinned=True, help="Runs of one model share a colour and a line."
    ),
    "top_p": st.column_config.NumberColumn("top-p", min_value=0.0, max_value=1.0, format="%.3g", width=75),
    "top_k": st.column_config.NumberColumn("top-k", min_value=1, step=1, format="%d", width=75),
    "decoder": st.column_config.TextColumn(
        "Decoder",
        help="Its name on pages, such as greedy, sampling or beam 5. Sampling with a top-p or top-k is named after it.",
    ),
    "seed": st.column_config.NumberColumn("Seed", min_value=0, step=1, format="%d", width=70),
}
ROWS, ROW = 40, 28
"""Maximum number of rows of a table without a scroll bar, and px per row."""
ROOM, BESIDE = 21, 12
"""Maximum number of runs whose table is open at first, without and with findings above it."""
_SOME, _MODEL, _SAID, _ALL = "runs_several", "runs_several_model", "_runs_said", "runs_all_settings"


def table(study: Study, demo: bool, findings: bool = False) -> None:
    """Show a table for renaming, grouping, correcting and hiding all runs; runs of the demo can only be hidden.

    The table of very many runs, or of many below `findings`, is folded.
    """
    if not study.runs:
        return
    if len(study.runs) <= (BESIDE if findings else ROOM):
        _table(study, demo)
        return
    models, texts = len({run.model for run in study.runs}), run_texts(study)
    names = [short_names(study.runs)[name] for name in texts]
    words = Line("Words per caption", [of.words for of in texts.values()], "%.1f")
    repeated = Line("Captions repeated", [100 * of.repeated for of in texts.values()], "%.0f %%")
    rated = Line("Rating by people", mean_ratings(study), "%.2f")
    if drawn := spread(names, (words, repeated, rated)):
        look.figure_title("Runs", arrow="a mark for each run, between the least and the most")
        look.block(drawn)
    title = f"{count(len(study.runs), 'run')} of {count(models, 'model')}: names, models, settings"
    show.folded(title, "runs_folded", lambda: _table(study, demo))


def _table(study: Study, demo: bool) -> None:
    labels = runs.labels()
    shown = settings_table(labels).assign(
        captions=[f"{low:,}" if low == high else f"{low:,} to {high:,}" for low, high in run_sizes(study).values()]
    )
    settings = [name for name in SETTING_NAMES if name != "decoder"]
    texts = run_texts(study)
    shown = shown.assign(
        words=[of.words for of in texts.values()], repeated=[100 * of.repeated for of in texts.values()]
    )
    shown = shown.assign(rating=mean_ratings(study))
    # What tells runs apart comes first: a telephone shows only the first columns.
    shown = shown[["shown", "name", "model", "decoder", *settings, "captions", "words", "repeated", "rating"]]
    fixed: list[str] | bool = [name for name in shown.columns if name != "shown"] if demo else False
    with st.container(key="tl-runs-head", horizontal=True, vertical_alignment="center", gap="small"):
        look.figure_title("Runs", arrow=_about(demo))
        buttons = st.container(width="content", horizontal=True, gap="small", vertical_alignment="center")
    unstated = [name for name in SETTING_NAMES if shown[name].isna().all()] + ["shown"] * bool(shown["shown"].all())
    alike = bool((shown["model"] == shown["name"]).all())
    unstated += ["model"] * alike + ["name"] * (not alike and not shown.duplicated(["model", *SETTING_NAMES]).any())
    unstated += ["seed"] * (shown["seed"].nunique() == 1)
    if unstated and not demo:
        with buttons:
            every = st.toggle(
                "All columns",
                key=_ALL,
                help="Also settings that no run states, a seed that all share, names where model and setting say "
                "as much, and ticks that hide runs.",
            )
        unstated = [] if every else unstated
    columns = _columns(shown, item_noun(study), unstated)
    drawn: dict[str, Any] = {"hide_index": True, "row_height": ROW, "height": _height(len(shown)), "placeholder": "–"}
    drawn |= {"on_change": _edited, "args": (_key(study), shown, labels, demo)}
    with st.container(key="tl-wide-table-runs"):
        edited = st.data_editor(shown, **drawn, width="stretch", column_config=columns, disabled=fixed, key=_key(study))
    show.rows_on_phone(_in_words(shown, columns), "runs")
    _, wrong = _read(edited, labels, demo)
    for message in wrong:
        st.error(plain(message))
    if said := st.session_state.pop(_SAID, ""):
        st.error(plain(said))
    with buttons:
        if len(labels) > 1:
            _together(labels, demo)
        if runs.can_undo():
            _button("Undo the last change", "undo", "runs_undo", runs.undo)


@errors.callback
def _edited(key: str, shown: pd.DataFrame, labels: Mapping[str, RunLabel], demo: bool) -> None:
    table = shown.astype(object)
    for row, cells in st.session_state[key]["edited_rows"].items():
        for column, value in cells.items():
            table.at[int(row), column] = value
    wanted, wrong = _read(table, labels, demo)
    if not wrong:
        _change(runs.Change.between(labels, wanted))


def _read(table: pd.DataFrame, labels: Mapping[str, RunLabel], demo: bool) -> tuple[dict[str, RunLabel], list[str]]:
    return read_labels(_only_shown(table, labels) if demo else table, labels)


def _columns(shown: pd.DataFrame, noun: str, hidden: Sequence[str]) -> dict[str, Any]:
    """The columns of the table, without those that are `hidden` or tell nothing.

    Numbers of captions tell nothing if all are equal; nor do ratings if there are none.
    """
    columns: dict[str, Any] = {
        **COLUMNS,
        "name": st.column_config.TextColumn("Run", required=True, max_chars=LONGEST_NAME),
        "captions": st.column_config.TextColumn("Captions", disabled=True, help=f"Of each {noun}."),
        "words": st.column_config.NumberColumn("Words", help="Of a caption, on average.", format="%.1f", disabled=True),
        "repeated": st.column_config.ProgressColumn(
            "Repeated",
            help="Share of its captions that the run gives twice or more.",
            format="%.0f %%",
            max_value=100,
        ),
        "rating": st.column_config.NumberColumn("Rating", help="By people, on average.", format="%.2f", disabled=True),
    }
    if shown["rating"].isna().all():
        columns["rating"] = None
    if shown["captions"].nunique() == 1:
        columns["captions"] = None
    heats = temperature_format(shown["temperature"].dropna())
    columns["temperature"] = st.column_config.NumberColumn(
        "T", help="Temperature.", min_value=0.0, format=heats, width=55
    )
    return {**columns, **dict.fromkeys(hidden)}


def _in_words(shown: pd.DataFrame, columns: Mapping[str, Any]) -> list[tuple[str, list[tuple[str, str]]]]:
    """The rows of the table for a phone, where they cannot be edited: a name, and the columns that have values."""
    first = "model" if columns.get("name", "") is None else "name"
    kept = [name for name in shown.columns if name not in ("shown", first) and columns.get(name, "") is not None]
    titles = {name: str((columns[name] or {}).get("label") or name) for name in kept}
    seen = shown[[first, *kept]].rename(columns=titles)
    forms = {"words": "%.1f", "repeated": "%.0f %%", "rating": "%.2f", "temperature": "%g", "top_p": "%g"}
    rows = table_marks.rows(seen, {titles[name]: form for name, form in forms.items() if name in kept}, {})
    return [(name, [cell for cell in cells if cell[1] != DASH]) for name, cells in rows]


def mean_ratings(study: Study) -> list[float]:
    """Return the mean rating of each run by the first criterion, NaN for a run that nobody rated."""
    found = next(iter(ratings_of(study)), None)
    of = [found.value[found.run == k] if found is not None else np.empty(0) for k in range(len(study.runs))]
    return [float(values.mean()) if values.size else np.nan for values in of]


def _about(demo: bool) -> str:
    if demo:
        return "The settings that each run was generated with."
    return "On a wide screen, click a cell to change it. Runs of one model share a colour and a line."


def _key(study: Study) -> str:
    """The key of the table: a new one, which drops unfinished edits, whenever the runs have changed."""
    return f"settings_{study.digest[:16]}_{hash(state.loaded().marks.hidden)}"


def _height(rows: int) -> int:
    """Height in px of a table without a scroll bar, for at most ROWS rows."""
    return ROW * min(rows, ROWS) + 37


def settings_table(labels: Mapping[str, RunLabel]) -> pd.DataFrame:
    """Return one row per run: whether it is shown, its name, model and settings; unknown values are missing.

    The decoder has the name used on pages.
    """
    rows = [
        {"shown": label.shown, "name": label.name, "model": label.model}
        | {name: getattr(label.settings, name) for name in SETTING_NAMES}
        | {"decoder": _called(label)}
        for label in labels.values()
    ]
    kinds = {"temperature": "Float64", "top_p": "Float64", "top_k": "Int64", "seed": "Int64"}
    return pd.DataFrame(rows, columns=["shown", "name", "model", *SETTING_NAMES]).astype({**kinds, "decoder": "string"})


def _called(label: RunLabel) -> str | None:
    decoder = decoder_of(label.settings)
    return decoder_name(decoder, [label.name]) if decoder.kind else None


def _only_shown(edited: pd.DataFrame, labels: Mapping[str, RunLabel]) -> pd.DataFrame:
    return settings_table(labels).assign(shown=edited["shown"].to_numpy())


def read_labels(table: pd.DataFrame, old: Mapping[str, RunLabel]) -> tuple[dict[str, RunLabel], list[str]]:
    """Return each run's new label, and the faults of the table in words."""
    wanted, wrong = {}, []
    for run, row in zip(old, table.to_dict("records"), strict=True):
        known, bad = _settings(run, row, old[run])
        model, name = _text(row["model"]), _text(row["name"])
        wrong += bad
        if not model:
            wrong.append(f"{run}: a run needs the name of its model.")
        if not name or len(name) > max(LONGEST_NAME, len(run)):
            wrong.append(f"{run}: a run needs a name of 1 to {LONGEST_NAME} characters.")
        wanted[run] = RunLabel(name, model, known, bool(row["shown"]))
    names = [label.name for label in wanted.values() if label.name]
    wrong += [f"{name}: two runs cannot have this name." for name in dict.fromkeys(names) if names.count(name) > 1]
    if not any(label.shown for label in wanted.values()):
        wrong.append("At least one run must be shown.")
    return wanted, wrong


def _settings(run: str, row: Mapping[Any, Any], old: RunLabel) -> tuple[Settings, list[str]]:
    known: dict[str, Any] = {}
    wrong: list[str] = []
    for name in SETTING_NAMES:
        value = row[name]
        if name == "decoder" and value == _called(old):
            known[name] = old.settings.decoder
            continue
        if pd.isna(value) or value == "":
            continue
        known[name] = valid(name, value)
        if known[name] is None:
            wrong.append(f"{run}: {name} takes {expected(name)}, not {value}.")
    return Settings(**known), wrong


def _text(value: Any) -> str:
    return "" if pd.isna(value) else as_id(str(value)) or ""


def _together(labels: Mapping[str, RunLabel], demo: bool) -> None:
    with st.popover("Hide or regroup runs", icon=":material/checklist:", type="tertiary", key="runs_together"):
        some = st.pills("Runs", list(labels), selection_mode="multi", key=_SOME, format_func=plain)
        with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
            for on, words, icon in ((True, "Show them", "visibility"), (False, "Hide them", "visibility_off")):
                wanted = {run: replace(labels[run], shown=on) for run in some}
                _button(
                    words, icon, f"runs_shown_{on}", _change, runs.Change.between(labels, wanted), disabled=not some
                )
        if not demo:
            st.text_input("Model of all of them", key=_MODEL, max_chars=LONGEST_NAME)
            _button("Set the model", "category", "runs_model", _set_model, some, disabled=not some)


def _button(words: str, icon: str, key: str, on_click: Any, *args: Any, disabled: bool = False) -> None:
    st.button(
        words,
        icon=f":material/{icon}:",
        key=key,
        on_click=errors.callback(on_click),
        args=args,
        disabled=disabled,
        type="tertiary",
    )


def _set_model(some: list[str]) -> None:
    if not (model := _text(st.session_state[_MODEL])):
        st.session_state[_SAID] = "Nothing was changed: write the name of the model first."
        return
    now = {run: label for run, label in runs.labels().items() if run in some}
    _change(runs.Change.between(now, {run: replace(label, model=model) for run, label in now.items()}))


def _change(wanted: runs.Change) -> None:
    if why := runs.refused(wanted):
        st.session_state[_SAID] = f"Nothing was changed: {why}"
    elif not runs.change(wanted):
        st.session_state[_SAID] = "Nothing was changed: this server has no room for it now. Try again later."
