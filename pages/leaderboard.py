"""Leaderboard: Which model is better, and is it sure?"""

import streamlit as st

from figures import leaderboard_words, standings
from figures.leaderboard import board_html
from ui import address, controls, leaderboard, look, progress, scored, shell, state


def body() -> None:
    """The page."""
    look.header("Leaderboard", "Which model is better, and is it sure?")
    controls.notice()
    study = state.study()
    if not study.runs:
        controls.no_runs()
        return
    choice, view_kind = controls.leaderboard(study)
    address.unknown()
    if not choice.metrics or not choice.runs:
        look.empty("Nothing chosen", "Choose at least one metric and one run above.")
        return
    numbers, view = scored.fetch(study, choice.metrics)
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
