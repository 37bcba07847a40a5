"""Test that a leaderboard of many metrics fits on the sheets of a report."""

from __future__ import annotations

from figures.leaderboard.board import Board, Cell, Column, Row
from figures.leaderboard.html import board_html
from figures.report.compare import BESIDE, boards
from figures.style.palette import ModelStyle


def board(metrics: int, ranked: str | None = "m3") -> Board:
    columns = tuple(Column(f"m{k}", f"Metric {k}", True, True, "↑") for k in range(metrics))
    rows = tuple(Row(name, {c.key: Cell(0.5, 0.4, 0.6) for c in columns}, ModelStyle(0)) for name in "ab")
    return Board(columns, rows, ranked=ranked, p_label="people", p_key="m0")


def test_a_board_of_many_metrics_becomes_several_that_need_no_scrolling() -> None:
    parts = boards(board(10))
    assert [part.columns[0].key for part in parts] == ["m3"] * len(parts)
    others = [column.key for part in parts for column in part.columns[1:]]
    assert others == [f"m{k}" for k in range(10) if k != 3], "every metric is there once"
    assert [len(part.columns) for part in parts] == [4, 4, 4]
    assert [part.p_label for part in parts] == ["people", "", ""]
    for part in parts:
        assert "tl-scroll wide" not in board_html(part, "light")


def test_a_board_of_few_metrics_stays_one() -> None:
    few = board(BESIDE + 1)
    assert [set(part.columns) for part in boards(few)] == [set(few.columns)]
    assert len(boards(board(1, ranked="m0"))) == 1
    assert len(boards(board(3, ranked=None))) == 1
