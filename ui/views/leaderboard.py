"""The parts of the Leaderboard page: its figure with verdict, table and downloads."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from data.study import Study
from figures.export.column_metrics import better_ends
from figures.leaderboard import difference_tables, rows, settings_words, words
from figures.leaderboard import verdict as leaderboard_verdict
from figures.leaderboard.board import Board
from figures.leaderboard.html import Links, View, board_html
from figures.leaderboard.latex import board_latex
from figures.leaderboard.picture import board_picture
from figures.leaderboard.scale import alone
from figures.notes.hazards import sizes_differ
from figures.paired import words as paired_words
from figures.style.html import sentences
from figures.style.numbers import P_VALUE, count
from figures.style.run_names import short_names
from figures.style.wording import item_noun, names_in_a_row
from metrics.analysis import leaderboard
from metrics.analysis.leaderboard import LeaderboardChoice, Standings
from metrics.analysis.numbers import Numbers
from metrics.engine.scoring import Results
from ui.frame import look
from ui.frame.wording import plain
from ui.jobs import study_metrics
from ui.session import address
from ui.widgets import bundle_notice, figure, image_picker, show

if TYPE_CHECKING:
    from metrics.engine.scores_table import Level


ROWS = ("few", "all")
"""The values in the address that determine which rows of a long board are shown."""


def show_values(study: Study, numbers: Numbers, choice: LeaderboardChoice, verdict: bool = True) -> None:
    """Show the runs, or settings over their seeds, beside people; with a verdict first if `verdict`."""
    found, board = _found(study, numbers, choice)
    if verdict:
        shown, more = settings_words.verdict(found) if choice.settings else leaderboard_verdict.verdict(found)
        look.verdict(*shown, more=more)
    title = f"{count(len(board.rows), _row(choice))}{' against people' if board.people is not None else ''}"
    _figure(found, board, "values", title)


def show_differences(study: Study, numbers: Numbers, choice: LeaderboardChoice) -> None:
    """Show the runs, or settings, against the baseline, with tests corrected across the rows of a metric."""
    found, board = _found(study, numbers, choice)
    one = _row(choice)
    if len(board.rows) < 2:
        look.empty(f"One {one} alone", f"Differences need a second {one}: choose more runs under Options.")
        return
    if choice.settings:
        look.verdict(*settings_words.difference_verdict(found))
    else:
        families = difference_tables.families(found, board, str(board.baseline))
        tested = families[(choice.ranked or choice.metrics[0]).name]
        more = (f"{paired_words.holm_words(study, tested)}.",)
        look.verdict(*leaderboard_verdict.difference_verdict(found, families), more=more)
        board = difference_tables.with_tests(board, families)
    base = next(row.shown for row in board.rows if row.name == board.baseline)
    _figure(found, board, "difference", f"{count(len(board.rows) - 1, one)} against {base}")


def _found(study: Study, numbers: Numbers, choice: LeaderboardChoice) -> tuple[Standings[Any], Board]:
    if choice.settings:
        of_settings = leaderboard.of_settings(study, numbers, choice)
        return of_settings, rows.of_settings(of_settings)
    of_runs = leaderboard.of_runs(study, numbers, choice)
    return of_runs, rows.of_runs(of_runs)


def _row(choice: LeaderboardChoice) -> str:
    return "setting" if choice.settings else "run"


def _figure(found: Standings[Any], board: Board, view: View, title: str) -> None:
    choice = found.choice
    facts = settings_words.facts(found, board) if choice.settings else words.facts(found.study, board)
    footer = settings_words.footer(found, board) if choice.settings else words.footer(found, board)
    facts, board = [*facts, *words.left_out(board)], board.without_empty()
    links = _links(choice, board)
    first, *rules = sentences(footer)
    figure.figure(
        "leaderboard",
        title,
        _further_right(found, board),
        draw=partial(board_picture, board, view),
        body=lambda: look.block(board_html(board, look.mode(), view, links)),
        alt=title,
        twin=_twin(found, board),
        foot=figure.Foot(facts, (first, " ".join(rules)), tuple(metric.signature for metric in choice.metrics)),
        metrics=choice.metrics,
        downloads=partial(downloads, found, board, view),
    )


def _links(choice: LeaderboardChoice, board: Board) -> Links:
    """The links of a board: a row leads to its run beside the baseline or the leader, a heading ranks by its metric."""
    names, rows = [row.name for row in board.rows], dict[str, str]()
    if not choice.settings and len(names) > 1:
        main = {"main": choice.ranked.name} if choice.ranked is not None and choice.ranked.of_items else {}
        against = board.baseline or names[0]
        second = next(name for name in names if name != against)
        rows = {
            name: image_picker.href("paired", a=name, b=second if name == against else against, **main)
            for name in names
        }
    heads = {column.key: image_picker.here(rank=column.key) for column in board.columns if column.judged}
    whole = address.select_one("rows", ROWS, ROWS[0]) == ROWS[1]
    return Links(rows, heads, image_picker.here(rows=ROWS[not whole]), whole)


def _further_right(found: Standings[Any], board: Board) -> str:
    """A clause that says what sorts rows without a rank, and what further right means; "" if nothing is drawn."""
    if all(alone(board, column) for column in board.columns):
        return ""
    varied = [column.label for column in board.columns if not column.judged]
    if len(varied) == len(board.columns):
        by = f"in order of {found.described.metric.label}; " if board.ranked is None and found.described else ""
        return f"{by}in every column, further right is more varied"
    return f"in every column, further right is better{f'; for {names_in_a_row(varied)}, more varied' if varied else ''}"


def _twin(found: Standings[Any], shown: Board) -> figure.Twin:
    frame = shown.frame()
    return figure.Twin(
        frame,
        {
            "digits": _digits(shown),
            "formats": dict.fromkeys(("p", "Corrected p", "Uncalibrated p", "Smallest possible p"), P_VALUE),
            "best": better_ends(frame, study_metrics.metrics().values()),
            "columns": {
                "Setting" if shown.over_seeds else "Run": st.column_config.TextColumn(pinned=True, width="medium")
            },
            "waiting": shown.waiting(),
            "latex": partial(board_latex, found, shown, "tab:leaderboard"),
        },
    )


def _digits(shown: Board) -> dict[str, int]:
    parts = ("", " 95 % from", " 95 % to", " sd of seeds")
    return {f"{column.label}{part}": column.digits for column in shown.columns for part in parts}


def mend(study: Study, choice: LeaderboardChoice) -> None:
    """Show a link to the repair that equalises caption counts, if runs are left out because their counts differ."""
    if sizes_differ(study, choice.metrics, choice.runs):
        image_picker.page_link("dataset", "Draw equal numbers of captions: a check on Data", "equal")


LEVELS: tuple[tuple[str, tuple[Level, ...], str], ...] = (
    ("All numbers", ("corpus",), "One row per number, with signatures: what the command line writes"),
    ("All numbers, each {}", ("corpus", "item"), "The same, and one row for each {}"),
)


def downloads(found: Standings[Any], shown: Board, view: View) -> None:
    """Show additional files: the differences with their tests, and the long table of scores, as on the command line."""
    study, choice = found.study, found.choice
    if view == "difference" and not choice.settings:
        st.caption(f"Differences from {plain(short_names(study.runs)[str(shown.baseline)])}: intervals, p, corrected p")
        show.downloads(
            partial(difference_tables.table, found, shown),
            "differences",
            name=f"{study.name} differences",
            latex=partial(difference_tables.latex, found, shown),
        )
    chosen = study.only(runs=[run.name for run in choice.runs])
    results = found.numbers.results | found.numbers.agreement
    each = item_noun(study)
    for label, levels, about in LEVELS:
        made = partial(_scores, chosen, results, levels)
        name = bundle_notice.stem(show.file_name(" ".join([study.name, *levels])))
        st.download_button(
            label.format(each),
            made,
            f"{name}.csv",
            "text/csv",
            key=f"scores_{len(levels)}",
            on_click="ignore",
            type="tertiary",
            icon=":material/download:",
            help=about.format(each),
        )


def _scores(study: Study, results: Results, levels: tuple[Level, ...]) -> bytes:
    from metrics.engine.scores_table import scores

    return show.to_csv(scores(study, results, levels))
