"""The parts of the Leaderboard page: its figure with verdict, table and downloads."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from data.study import Study
from figures.export.column_metrics import better_ends
from figures.leaderboard import differences, settings_words, standings, words
from figures.leaderboard import settings as setting_rows
from figures.leaderboard import verdict as leaderboard_verdict
from figures.leaderboard.board import Board
from figures.leaderboard.html import Links, View, board_html
from figures.leaderboard.latex import board_latex
from figures.leaderboard.picture import board_picture
from figures.leaderboard.scale import alone
from figures.leaderboard.standings import LeaderboardChoice
from figures.notes.hazards import sizes_differ
from figures.notes.seeds import short_settings
from figures.paired import words as paired_words
from figures.style.html import sentences
from figures.style.numbers import count
from figures.style.run_names import short_names
from figures.style.wording import item_noun, names_in_a_row
from metrics.analysis.numbers import Numbers
from metrics.engine.scoring import Results
from ui.frame import look
from ui.frame.wording import plain
from ui.jobs import registry
from ui.session import address
from ui.widgets import bundle_notice, figure, image_picker, show

if TYPE_CHECKING:
    from metrics.engine.table import Level


ROWS = ("few", "all")
"""Which rows of a long board are shown, in the address."""


def show_values(study: Study, numbers: Numbers, choice: LeaderboardChoice, verdict: bool = True) -> None:
    """Show the runs against people, below a verdict unless the page has one of its own."""
    if choice.settings:
        _settings(study, numbers, choice, "values", verdict)
        return
    board = standings.board(study, numbers, choice)
    if verdict:
        shown, more = leaderboard_verdict.verdict(study, numbers, choice)
        look.verdict(*shown, more=more)
    against = " against people" if board.people is not None else ""
    title, facts = f"{count(len(board.rows), 'run')}{against}", words.facts(study, choice, board)
    _figure(study, numbers, choice, board, "values", title, facts, words.footer(study, numbers, choice, board))


def show_differences(study: Study, numbers: Numbers, choice: LeaderboardChoice) -> None:
    """Show the runs against the baseline, with tests corrected over the runs of a metric."""
    if choice.settings:
        _settings(study, numbers, choice, "difference")
        return
    board = standings.board(study, numbers, choice)
    if len(board.rows) < 2:
        look.empty("One run alone", "Differences need a second run: choose one under Options.")
        return
    found = differences.families(study, numbers, choice, board, str(board.baseline))
    ranked = choice.ranked or choice.metrics[0]
    look.verdict(
        *leaderboard_verdict.difference_verdict(study, choice, board, found),
        more=(f"{paired_words.holm_words(study, found[ranked.name])}.",),
    )
    name = short_names(study.runs)[str(board.baseline)]
    title = f"{count(len(board.rows) - 1, 'run')} against {name}"
    board = differences.with_tests(board, found)
    facts, footer = words.facts(study, choice, board), words.footer(study, numbers, choice, board)
    _figure(study, numbers, choice, board, "difference", title, facts, footer)


def _settings(study: Study, numbers: Numbers, choice: LeaderboardChoice, view: View, verdict: bool = True) -> None:
    """Show one row per setting: means over seeds, with the seeds as ticks."""
    found = setting_rows.standings_of(study, numbers, choice)
    board = setting_rows.settings_board(study, numbers, choice, found)
    if view == "difference" and len(board.rows) < 2:
        look.empty("One setting alone", "Differences need a second setting: choose more runs under Options.")
        return
    if view == "difference":
        look.verdict(*settings_words.difference_verdict(study, choice, found))
    elif verdict:
        shown, more = settings_words.verdict(study, choice, found)
        look.verdict(*shown, more=more)
    short = short_settings(study, choice.settings)
    against = f" against {short[str(board.baseline)] if view == 'difference' else 'people'}"
    if view == "values" and board.people is None:
        against = ""
    title = f"{count(len(board.rows) - (view == 'difference'), 'setting')}{against}"
    facts, footer = (
        settings_words.facts(study, choice, words.break_words(board)),
        settings_words.footer(study, choice, found),
    )
    _figure(study, numbers, choice, board, view, title, facts, footer)


def _figure(
    study: Study,
    numbers: Numbers,
    choice: LeaderboardChoice,
    board: Board,
    view: View,
    title: str,
    facts: Sequence[str],
    footer: str,
) -> None:
    """Show the board with its marks and the first sentence of its footer below, and its downloads."""
    facts, board = (*facts, *words.left_out(board)), board.without_empty()
    links = _links(choice, board)
    first, *rules = sentences(footer)
    figure.figure(
        "leaderboard",
        title,
        _further_right(board),
        draw=partial(board_picture, board, view),
        body=lambda: look.block(board_html(board, look.mode(), view, links)),
        alt=title,
        twin=_twin(study, numbers, choice, board),
        foot=figure.Foot(facts, (first, " ".join(rules)), tuple(metric.signature for metric in choice.metrics)),
        metrics=choice.metrics,
        downloads=partial(downloads, study, numbers, choice, board, view),
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


def _further_right(board: Board) -> str:
    """A clause on what further right means in the columns; "" if nothing is drawn."""
    if all(alone(board, column) for column in board.columns):
        return ""
    varied = [column.label for column in board.columns if not column.judged]
    if len(varied) == len(board.columns):
        return "in every column, further right is more varied"
    return f"in every column, further right is better{f'; for {names_in_a_row(varied)}, more varied' if varied else ''}"


def _twin(study: Study, numbers: Numbers, choice: LeaderboardChoice, shown: Board) -> figure.Twin:
    """The same numbers as a sortable table with its downloads."""
    frame = shown.frame()
    return figure.Twin(
        frame,
        {
            "digits": _digits(shown),
            "formats": {"p": "%.4g", "Uncalibrated p": "%.4g", "Smallest possible p": "%.4g"},
            "best": better_ends(frame, registry.metrics().values()),
            "columns": {
                "Setting" if shown.over_seeds else "Run": st.column_config.TextColumn(pinned=True, width="medium")
            },
            "waiting": shown.waiting(),
            "latex": partial(board_latex, study, numbers, choice, shown, "tab:leaderboard"),
        },
    )


def _digits(shown: Board) -> dict[str, int]:
    parts = ("", " 95 % from", " 95 % to", " sd of seeds")
    return {f"{column.label}{part}": column.digits for column in shown.columns for part in parts} | {
        "p": 4,
        "Uncalibrated p": 4,
        "Smallest possible p": 4,
    }


def mend(study: Study, choice: LeaderboardChoice) -> None:
    """Show a link to the repair that equalises numbers of captions, if these leave runs out."""
    if sizes_differ(study, choice.metrics, choice.runs):
        image_picker.page_link("dataset", "Draw equal numbers of captions: a check on Data", "equal")


LEVELS: tuple[tuple[str, tuple[Level, ...], str], ...] = (
    ("All numbers", ("corpus",), "One row per number, with signatures: what the command line writes"),
    ("All numbers, each {}", ("corpus", "item"), "The same, and one row for each {}"),
)


def downloads(study: Study, numbers: Numbers, choice: LeaderboardChoice, shown: Board, view: View) -> None:
    """Show further files: the differences with their tests, and SCORES, the long table of the command line."""
    if view == "difference" and not choice.settings:
        st.caption(f"Differences from {plain(short_names(study.runs)[str(shown.baseline)])}: intervals, p, corrected p")
        show.downloads(
            partial(differences.table, study, numbers, choice, shown),
            "differences",
            name=f"{study.name} differences",
            latex=partial(differences.latex, study, numbers, choice, shown),
        )
    chosen = study.only(runs=[run.name for run in choice.runs])
    results = numbers.results | numbers.agreement
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
    from metrics.engine.table import scores

    return show.to_csv(scores(study, results, levels))
