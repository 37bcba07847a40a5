"""Test that runs with sets of different sizes are not compared by metrics that measurably depend on set size."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from data.study import Run, Study
from figures.leaderboard import words as leaderboard_words
from figures.leaderboard.html import board_html
from figures.leaderboard.latex import board_latex
from figures.leaderboard.rows import of_runs as board_of
from metrics.analysis.comparable_runs import unequal
from metrics.analysis.frontier import frontier
from metrics.analysis.leaderboard import LeaderboardChoice, of_runs
from metrics.analysis.numbers import Numbers
from metrics.analysis.paired import family
from metrics.analysis.sweeps import points_of, settings_of
from metrics.cache.disk import Cache
from metrics.engine import scoring
from metrics.engine.tasks import Options
from metrics.registry import METRICS
from tests.set_sizes import Move, moves
from tests.studies import study as random_study

DISTINCT, BLEU, LENGTH = METRICS["distinct_2"], METRICS["bleu_4"], METRICS["caption_length"]
JACCARD = METRICS["ms_jaccard_2"]


@pytest.fixture(scope="module")
def moved() -> list[dict[str, Move]]:
    return [moves(("words",), model) for model in ("Oracle", "Peaked")]


@pytest.mark.parametrize("name", [m.name for m in METRICS.values() if m.work == "words" and m.family != "references"])
def test_a_metric_says_whether_sizes_move_it(moved: list[dict[str, Move]], name: str) -> None:
    found = [by_model[name] for by_model in moved]
    assert (max(move.times for move in found) < 4) == METRICS[name].size_free, found


def test_consensus_is_of_the_references_alone() -> None:
    assert all(metric.size_free for metric in METRICS.values() if metric.family == "references")


def cut(study: Study, name: str, sizes: int, items: int | None = None) -> Study:
    def fewer(run: Run) -> Run:
        kept = [item.id for item in study.items][:items]
        return replace(run, candidates={id: c[:sizes] if id in kept else c for id, c in run.candidates.items()})

    return replace(study, runs=tuple(fewer(run) if run.name == name else run for run in study.runs))


@pytest.fixture(scope="module")
def uneven() -> Study:
    return cut(random_study(items=8, runs=4, candidates=5), "run 1", 3)


@pytest.fixture(scope="module")
def numbers(uneven: Study) -> Numbers:
    metrics = [METRICS[name] for name in ("distinct_2", "bleu_4", "caption_length", "ms_jaccard_2")]
    return Numbers(scoring.score(uneven, metrics, Options(resamples=50), Cache(None)))


def test_runs_of_other_sizes_than_most_are_left_out(uneven: Study) -> None:
    (name, found), *rest = unequal(uneven, DISTINCT, uneven.runs).items()
    assert (name, rest, found.own, found.ranked) == ("run 1", [], (3, 3), (5, 5))
    assert found.why("image") == "3 captions for each image, the others 5"
    assert unequal(uneven, BLEU, uneven.runs) == unequal(uneven, LENGTH, uneven.runs) == {}
    assert unequal(uneven, DISTINCT, uneven.runs[:1]) == {}


def test_sizes_are_compared_item_by_item(uneven: Study) -> None:
    other = cut(cut(cut(uneven, "run 1", 2), "run 0", 2, items=1), "run 2", 2, items=1)
    assert {*unequal(other, DISTINCT, other.runs)} == {"run 1", "run 3"}
    assert unequal(other, DISTINCT, other.runs)["run 3"].why() == "5 captions at a time, the others 2 to 5"


def test_runs_that_cannot_have_a_value_have_no_say(uneven: Study) -> None:
    singles = cut(cut(uneven, "run 0", 1), "run 2", 1)
    assert {*unequal(singles, METRICS["self_bleu_4"], singles.runs)} == {"run 1"}
    assert {*unequal(singles, METRICS["vocabulary"], singles.runs)} == {"run 1", "run 3"}
    assert {*unequal(singles, DISTINCT, singles.runs)} == {"run 1", "run 3"}, "one caption has n-grams too"


def test_the_leaderboard_leaves_them_unranked_and_says_why(uneven: Study, numbers: Numbers) -> None:
    choice = LeaderboardChoice((JACCARD, BLEU), JACCARD, uneven.runs, None)
    board = board_of(of_runs(uneven, numbers, choice))
    row = next(row for row in board.rows if row.name == "run 1")
    assert (row.rank_low, row.rank_high) == (None, None)
    assert np.isnan(row.cell(JACCARD.name).value)
    assert "3 captions for each item, the others 5" in row.cell(JACCARD.name).reason
    assert np.isfinite(row.cell(BLEU.name).value)
    said = (
        "run 1 has 3 captions for each item, the others 5: not compared by MS-Jaccard-2, which depends on that number."
    )
    assert said in "".join(map(str, leaderboard_words.verdict(of_runs(uneven, numbers, choice))))
    assert said in leaderboard_words.footer(of_runs(uneven, numbers, choice), board)
    assert said in board_latex(of_runs(uneven, numbers, choice), board)
    assert "not compared: 3 captions" in board_html(board, "light")
    two = leaderboard_words.footer(of_runs(uneven, numbers, replace(choice, metrics=(JACCARD, DISTINCT))), board)
    assert "not compared by MS-Jaccard-2 and distinct-2, which depend on that number." in two


def test_with_two_runs_there_is_no_verdict(uneven: Study, numbers: Numbers) -> None:
    choice = LeaderboardChoice((JACCARD,), JACCARD, uneven.runs[:2], None)
    said = "".join(map(str, leaderboard_words.verdict(of_runs(uneven, numbers, choice))))
    assert "nothing to compare it with" in said
    assert "run 1 has 3 captions for each item" in said


def test_no_other_page_compares_them(uneven: Study, numbers: Numbers) -> None:
    found = frontier(uneven, numbers, BLEU, DISTINCT, uneven.runs)
    assert [run.name for run in found.runs] == ["run 0", "run 2", "run 3"]
    assert found.missing == (("run 1", "distinct-2: 3 captions at a time, the others 5"),)
    one, other = uneven.runs[:2]
    pairs = family(uneven, numbers, [(one, other, DISTINCT), (one, other, BLEU)]).comparisons
    assert pairs[0].reason == "it depends on the number of captions: run 1 has 3 captions at a time, the others 5"
    assert not pairs[1].reason
    by_run = {point.setting.runs[0]: point for point in points_of(uneven, numbers, DISTINCT, settings_of(uneven.runs))}
    assert np.isnan(by_run["run 1"].value)
    assert "3 captions at a time" in by_run["run 1"].reason
    assert np.isfinite(by_run["run 0"].value)
