"""Leaderboard: Which model is better, and is it sure?"""

import streamlit as st

from figures.leaderboard import standings
from figures.leaderboard import words as leaderboard_words
from figures.leaderboard.html import board_html
from ui import shell
from ui.frame import look
from ui.jobs import numbers as jobs_numbers
from ui.jobs import progress
from ui.session import address, state
from ui.views import leaderboard
from ui.widgets import run_picker


def body() -> None:
    """The page."""
    look.header("Leaderboard", "Which model is better, and is it sure?")
    run_picker.notice()
    study = state.study()
    if not study.runs:
        run_picker.no_runs()
        return
    choice, view_kind = run_picker.leaderboard(study)
    address.unknown()
    if not choice.metrics or not choice.runs:
        look.empty("Nothing chosen", "Choose at least one metric and one run above.")
        return
    numbers, view = jobs_numbers.fetch(study, choice.metrics)
    progress.show(view)
    look.verdict(*leaderboard_words.verdict(study, numbers, choice))
    board = standings.board(study, numbers, choice)
    look.block(board_html(board, look.mode(), view_kind))
    look.footer(
        leaderboard_words.footer(study, numbers, choice, board), *(metric.signature for metric in choice.metrics)
    )
    leaderboard.mend(study, choice)
    if view_kind == "difference":
        leaderboard.differences(study, numbers, choice, board)
    st.space("medium")
    leaderboard.twin(study, numbers, choice, board)
    leaderboard.downloads(study, numbers, choice)


shell.page(body)
