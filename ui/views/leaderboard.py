"""The leaderboard's table twin and its downloads."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from data.study import Study
from figures.export.column_metrics import better_ends
from figures.leaderboard.board import Board
from figures.leaderboard.differences import latex, table
from figures.leaderboard.latex import board_latex
from figures.leaderboard.standings import Choice
from figures.notes.hazards import sizes_differ
from figures.style.escaping import file_stem
from figures.style.wording import item_noun
from metrics.analysis.numbers import Numbers
from metrics.engine.scoring import Results
from ui.frame import look
from ui.jobs import registry
from ui.widgets import bundle_notice, image_picker, show

if TYPE_CHECKING:
    from metrics.engine.table import Level


def twin(study: Study, numbers: Numbers, choice: Choice, shown: Board) -> None:
    """The same numbers as a sortable table with its downloads."""
    look.figure_title("The same numbers as a table", "Sort by any column.")
    run = {"Run": st.column_config.TextColumn(pinned=True, width="medium")}
    frame = shown.frame()
    show.table(
        frame,
        "leaderboard",
        digits=_digits(shown),
        formats={"p": "%.4g", "p raw": "%.4g", "p floor": "%.4g"},
        best=better_ends(frame, registry.metrics().values()),
        columns=run,
        latex=partial(board_latex, study, numbers, choice, shown, "tab:leaderboard"),
    )


def differences(study: Study, numbers: Numbers, choice: Choice, shown: Board) -> None:
    """The downloads of the differences, if there is a run besides the baseline; tests are made when asked for."""
    if len(shown.rows) < 2:
        return
    look.figure_title(
        f"Differences from {shown.baseline} to take along",
        "With intervals, p of the paired randomisation test, Holm's correction over the runs of a metric, and n.",
    )
    show.downloads(
        partial(table, study, numbers, choice, shown), "differences", name=f"{study.name} differences",
        latex=partial(latex, study, numbers, choice, shown),
    )  # fmt: skip


def _digits(shown: Board) -> dict[str, int]:
    parts = ("", " 95 % from", " 95 % to")
    return {f"{column.label}{part}": column.digits for column in shown.columns for part in parts} | {
        "p": 4,
        "p raw": 4,
        "p floor": 4,
    }


def mend(study: Study, choice: Choice) -> None:
    """The way to equal numbers of captions, where runs are left out for theirs."""
    if sizes_differ(study, choice.metrics, choice.runs):
        image_picker.page_link("workspace", "Draw equally many captions: the checks on the Workspace offer it", "equal")


LEVELS: tuple[tuple[str, tuple[Level, ...], str], ...] = (
    ("All numbers", ("corpus",), "One row a number, with signatures: what the command line writes"),
    ("All numbers, each {}", ("corpus", "item"), "The same, and one row for each {}"),
)


def downloads(study: Study, numbers: Numbers, choice: Choice) -> None:
    """SCORES, the long table that the command line writes too; made when asked for."""
    chosen = study.only(runs=[run.name for run in choice.runs])
    results = numbers.results | numbers.agreement
    stem, each = file_stem(study.name), item_noun(study)
    with st.container(horizontal=True, gap="small"):
        for label, levels, about in LEVELS:
            made, name = partial(_scores, chosen, results, levels), bundle_notice.stem("-".join([stem, *levels]))
            st.download_button(
                label.format(each), made, f"{name}.csv", "text/csv", key=f"scores_{len(levels)}", on_click="ignore",
                type="tertiary", icon=":material/download:", help=about.format(each),
            )  # fmt: skip


def _scores(study: Study, results: Results, levels: tuple[Level, ...]) -> bytes:
    from metrics.engine.table import scores

    return show.to_csv(scores(study, results, levels))
