"""Test the picture of the leaderboard that Save offers: it has the numbers of the table at both print widths."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise

import plotly.graph_objects as go
import pytest

from figures.export.paper import COLUMN, PAGE, Ground, layout_width
from figures.leaderboard import difference_tables
from figures.leaderboard.board import Board
from figures.leaderboard.picture import board_picture, header_lines
from figures.leaderboard.rows import of_runs as board_of
from figures.leaderboard.scale import Scale, scale
from figures.style.numbers import num, signed
from figures.style.text_width import text_width
from metrics.analysis.leaderboard import LeaderboardChoice, of_runs
from metrics.analysis.numbers import Numbers
from metrics.engine import scoring
from metrics.registry import METRICS
from tests.studies import study as random_study

NAMES = ("trm_rouge_l", "rouge_l", "cider_d", "distinct_2", "bleu_4", "distinct_1", "self_bleu_4")
CHOSEN = tuple(METRICS[name] for name in NAMES)
STUDY = random_study(items=6, references=4, candidates=4, runs=3)
NUMBERS = Numbers(scoring.score(STUDY, list(CHOSEN)))


def board(baseline: str | None = None) -> Board:
    return board_of(of_runs(STUDY, NUMBERS, LeaderboardChoice(CHOSEN, CHOSEN[0], STUDY.runs, baseline)))


def texts(figure: go.Figure) -> list[str]:
    return [note.text for note in figure.layout.annotations]


def places(figure: go.Figure) -> list[float]:
    return sorted(round(float(trace.x[0]), 6) for trace in figure.data if trace.mode == "markers")


def bands(figure: go.Figure) -> set[tuple[float, float]]:
    return {axis.domain for axis in figure.select_yaxes()}


@pytest.mark.parametrize("inches", [COLUMN, PAGE])
def test_every_run_and_metric_is_drawn_at_its_place_at_both_widths(inches: float) -> None:
    shown = board()
    figure = board_picture(shown, "values", Ground(width=layout_width(inches)))
    said = " ".join(texts(figure)).replace("-<br>", "-").replace("<br>", " ")
    for column in shown.columns:
        assert f"<b>{column.label}</b>" in said
    expected = []
    for column in shown.columns:
        found = scale(shown, column)
        assert found is not None
        for row in (*shown.rows, *shown.apart):
            value = row.cell(column.key).value
            if value == value:
                expected.append(round(found.at(value), 6))
                assert inches == COLUMN or num(value, column.digits) in texts(figure)
    assert places(figure) == sorted(expected)
    for axis in figure.select_xaxes():
        assert len(axis.tickvals) >= 2, "a single number gives no scale"
        room = (axis.domain[1] - axis.domain[0]) * layout_width(inches)
        ends = [(at / 100 * room, text_width(said, 10) / 2) for at, said in sorted(zip(axis.tickvals, axis.ticktext))]
        assert all(a + half + other <= b for (a, half), (b, other) in pairwise(ends)), "numbers of an axis touch"


def test_a_scale_has_two_to_five_ticks_in_any_range() -> None:
    source = random.Random(6)
    for _ in range(2_000):
        low = source.uniform(-2, 2)
        width = 10 ** source.uniform(-4, 3)
        ticks = Scale(low, low + width).ticks()
        assert 2 <= len(ticks) <= 5
        assert all(low <= tick <= low + width for tick in ticks)
        assert all(float(f"{b - a:.6g}") == pytest.approx(ticks[1] - ticks[0]) for a, b in pairwise(ticks))


def test_what_cannot_be_told_from_people_is_open() -> None:
    shown = board()
    first = shown.rows[0]
    cells = {key: replace(cell, alike=key == "cider_d") for key, cell in first.cells.items()}
    changed = replace(shown, rows=(replace(first, cells=cells), *shown.rows[1:]), people=None, no_difference=None)
    figure = board_picture(changed, "values", Ground())
    fills = [trace.marker.color for trace in figure.data if trace.mode == "markers"]
    assert fills.count("#FFFFFF") == 1


def test_differences_stand_round_zero_with_their_signs() -> None:
    shown = board(STUDY.runs[0].name)
    choice = LeaderboardChoice(CHOSEN, CHOSEN[0], STUDY.runs, STUDY.runs[0].name)
    found = difference_tables.families(of_runs(STUDY, NUMBERS, choice), shown, str(shown.baseline))
    tested = difference_tables.with_tests(shown, found)
    figure = board_picture(tested, "difference", Ground(width=layout_width(PAGE)))
    cell = tested.rows[-1].cell("rouge_l") if tested.rows[-1].name != shown.baseline else tested.rows[0].cell("rouge_l")
    assert signed(cell.delta, 3) in texts(figure)
    assert "People" not in " ".join(texts(figure))


def test_columns_that_do_not_fit_stand_in_another_band() -> None:
    assert len(bands(board_picture(board(), "values", Ground(width=layout_width(COLUMN))))) == 2


def test_five_metrics_stand_side_by_side_in_a_column_and_rows_alone_make_it_taller() -> None:
    """Everything except the rows takes less than 1.5 inches, and each row takes a seventh of an inch."""
    few = board_of(of_runs(STUDY, NUMBERS, LeaderboardChoice(CHOSEN[:5], CHOSEN[0], STUDY.runs, None)))
    figure = board_picture(few, "values", Ground(width=layout_width(COLUMN)))
    (band,) = bands(figure)
    rows = len(few.rows) + len(few.apart)
    inch = layout_width(1)
    assert figure.layout.height / inch < 1.5 + rows / 7
    assert figure.layout.height * (band[1] - band[0]) / rows == pytest.approx(15)


def test_a_mark_hides_no_interval() -> None:
    """The line of an interval is at least twice as wide as its mark, so that even a short interval is visible."""
    figure = board_picture(board(), "values", Ground(width=layout_width(COLUMN)))
    bars = {trace.line.width for trace in figure.data if trace.mode == "lines"}
    dots = {trace.marker.size for trace in figure.data if trace.mode == "markers" and trace.marker.symbol[:4] != "line"}
    assert min(bars) >= 2 * max(dots)


def test_a_long_word_of_a_header_breaks_after_its_hyphen() -> None:
    assert header_lines("Corpus MS-Jaccard-4", 7) == ["Corpus", "MS-", "Jaccard-", "4"], "not over the next header"
    assert header_lines("Corpus Self-BLEU-4", 7) == ["Corpus", "Self-", "BLEU-4"]
