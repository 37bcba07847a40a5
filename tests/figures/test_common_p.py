"""Test the p of the leaderboard: its column, and a p that all runs share, which is stated once; and who is behind."""

from __future__ import annotations

import re
from dataclasses import replace

from figures.leaderboard.board import Cell, Row
from figures.leaderboard.html import board_html
from figures.leaderboard.words import facts
from figures.style.wording import may_be_as_good
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


def test_p_stands_before_the_metric_that_it_tests() -> None:
    for ranked, before in (("trm", 0), ("cider", 1)):
        table = board_html(replace(BOARD, ranked=ranked), "light")
        for row in re.findall(r"<tr.*?</tr>", table):
            kinds = re.findall(r'<t[dh](?: scope="col")? class="(pc|m)\b', row)
            assert kinds.index("pc") == before, row


def test_the_only_runs_behind_are_named() -> None:
    assert "".join(may_be_as_good(["b", "c", "d"], ["x"], 4)) == (
        ", significantly ahead only of x; the others may be as good."
    )
    assert "".join(may_be_as_good(["b", "c", "d"], ["x", "y"], 5)).startswith(", significantly ahead only of x and y;")
    assert "".join(may_be_as_good(["b"], ["x"], 2)) == ", but b may be as good."
    assert "".join(may_be_as_good(["b", "c"], ["x", "y", "z"], 5)) == ", but 2 of 5 others may be as good."
