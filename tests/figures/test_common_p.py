"""Test that a p which all runs of the leaderboard share is stated once and has no column."""

from __future__ import annotations

from dataclasses import replace

from figures.leaderboard.board import Cell, Row
from figures.leaderboard.html import board_html
from figures.leaderboard.words import facts
from tests import studies
from tests.figures.test_leaderboard import BOARD, NAN


def test_a_p_that_every_run_has_is_said_once_below_instead_of_in_a_column() -> None:
    same = replace(BOARD, baseline=None, rows=tuple(replace(row, p_value=1e-4) for row in BOARD.rows))
    assert 'class="tl-board nop nost"' in board_html(same, "light")
    study, said = studies.study(), f"every run against people: {same.common_p}"
    assert same.common_p.replace("\u00a0", " ") == "p ≤ 0.0001"
    assert said in facts(study, same)
    assert f"{said} by TRM" in facts(study, replace(same, ranked="cider"))
    some = replace(same, rows=(*same.rows, Row("y", {"trm": Cell(NAN)}, p_reason="has 1 caption an image")))
    assert said.replace("every run", "every tested run") in facts(study, some)
    apart = replace(BOARD, baseline=None)
    for board in (apart, replace(same, rows=same.rows[:1])):
        assert 'class="tl-board nost"' in board_html(board, "light")
        assert not any("every run" in said for said in facts(study, board))
