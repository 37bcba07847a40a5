"""Test how votes of people and judges on pairs of runs are collected, and which runs can be placed on one scale."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from data.judge_answers import Answer
from data.study import Preference, Study
from metrics.analysis.arena.votes import by_run, categories, criteria, places, voted_on, votes_of
from tests.analysis.arena.worlds import votes
from tests.studies import study as random_study

STUDY = random_study(items=4, references=2, candidates=2, runs=3, seed=1)
IDS = [item.id for item in STUDY.items]


def answer(item: str, runs: tuple[str, str], score: float, order: int = 0, fault: str = "") -> Answer:
    return Answer("j", "pairwise", "pairwise|v1", item, runs, (0, 0), ("x", "y"), order, 0, score, fault=fault)


def judged() -> Study:
    people = (
        Preference(IDS[0], ("run 0", 0), ("run 1", 1), 2.5, 1.5, "overall", "HC", 1),
        Preference(IDS[1], ("run 1", 0), ("run 2", 0), 0.5, 0.5, "overall", "", 1),
        Preference(IDS[1], ("run 0", 0), ("run 0", 1), 1, 0, "overall", ""),
        Preference("no such item", ("run 0", 0), ("run 1", 0), 1, 0, "overall", ""),
        Preference(IDS[2], ("run 0", 0), ("run 2", 0), 1, 0, "detail", ""),
        Preference(IDS[2], ("run 0", 0), ("run 1", 0), 1, 0, "judge:j", ""),
    )
    answers = (
        answer(IDS[3], ("run 0", "run 1"), 1),
        answer(IDS[3], ("run 1", "run 0"), 0.5, 1),
        answer(IDS[3], ("run 1", "run 2"), 0),
        answer(IDS[3], ("run 1", "run 2"), np.nan, fault="refused"),
        answer(IDS[3], ("", "run 2"), 1),
    )
    return replace(STUDY, preferences=people, answers=answers)


def test_votes_of_people_keep_ties_apart_and_have_no_order() -> None:
    study = judged()
    of = votes_of(study, "overall")
    assert (of.first.tolist(), of.second.tolist()) == ([0, 1], [1, 2])
    assert (of.won.tolist(), of.tied.tolist(), of.lost.tolist()) == ([2, 0], [1, 1], [1, 0])
    assert (of.shown.tolist(), of.unit.tolist(), of.units) == ([0, 0], [0, 1], 2)
    assert votes_of(study, "overall", "HC").total.tolist() == [4]
    assert criteria(study) == ["overall", "detail", "judge:j"]
    assert categories(study, "overall") == ["HC"]


def test_votes_are_the_same_without_captions() -> None:
    study = replace(judged(), answers=())
    alone = replace(study, runs=(), items=(), preferences=tuple(p for p in study.preferences if p.item in IDS))
    assert [run.name for run in voted_on(alone).runs] == [run.name for run in study.runs]
    for criterion in criteria(study):
        of, own = votes_of(study, criterion), votes_of(alone, criterion)
        for column in ("first", "second", "won", "tied", "lost", "shown", "unit"):
            assert np.array_equal(getattr(of, column), getattr(own, column))
    assert criteria(alone) == criteria(study)


def test_each_answer_of_a_judge_is_a_vote_with_its_order() -> None:
    of = votes_of(judged(), "judge:j")
    assert (of.first.tolist(), of.second.tolist()) == ([0, 1, 1], [1, 0, 2])
    assert (of.won.tolist(), of.tied.tolist(), of.lost.tolist()) == ([1, 0, 0], [0, 1, 0], [0, 0, 1])
    assert of.shown.tolist() == [1, 1, 1]
    cells = of.summed()
    assert list(zip(cells.first, cells.second, cells.shown)) == [(0, 1, -1), (0, 1, 1), (1, 2, 1)]
    assert cells.tied.tolist() == [1, 0, 0]


def test_votes_of_each_run() -> None:
    of = votes((0, 1, 3, 1, 2, 0, 0), (2, 0, 4, 0, 0, 0, 0), (1, 0, 1, 0, 0, 0, 1), runs=4)
    assert by_run(of).tolist() == [[3, 1, 7, 2], [3, 1, 3, 2], [4, 0, 0, 1], [0, 0, 0, 0]]


def test_a_run_that_won_or_lost_everything_or_stands_alone_has_no_place() -> None:
    rows = [
        (0, 1, 3, 0, 1, 0, 0), (1, 2, 1, 0, 1, 0, 0), (2, 0, 2, 0, 0, 0, 0),
        (3, 0, 5, 0, 0, 0, 0), (4, 3, 1, 0, 0, 0, 0),  # beat all, directly or through others
        (5, 1, 0, 0, 2, 0, 0), (6, 5, 0, 0, 2, 0, 0),  # lost to all
        (7, 8, 1, 0, 1, 0, 0),  # compared only with each other
        (9, 6, 1, 0, 0, 0, 0),  # beat one that is below and lost to none
    ]  # fmt: skip
    found = places(votes(*rows, runs=11))
    assert np.flatnonzero(found.ranked).tolist() == [0, 1, 2]
    assert found.others == {
        3: "above", 4: "above", 5: "below", 6: "below", 7: "apart", 8: "apart", 9: "apart", 10: "apart",
    }  # fmt: skip


def test_a_tie_joins_two_runs() -> None:
    assert not places(votes((0, 1, 3, 0, 0, 0, 0))).ranked.all()
    assert places(votes((0, 1, 3, 1, 0, 0, 0))).ranked.all()


def test_of_two_groups_of_one_size_the_one_with_more_votes_is_ranked() -> None:
    found = places(votes((0, 1, 1, 0, 1, 0, 0), (2, 3, 5, 0, 4, 0, 0)))
    assert np.flatnonzero(found.ranked).tolist() == [2, 3]


@pytest.mark.parametrize("keep", [[0, 2], [1, 2]])
def test_votes_among_some_runs(keep: list[int]) -> None:
    of = votes((0, 1, 1, 0, 0, 0, 4), (2, 0, 1, 2, 3, 1, 7), (2, 1, 4, 5, 6, 0, 9))
    inside = of.among(np.isin(np.arange(3), keep))
    assert (inside.first.tolist(), inside.second.tolist()) == ([1], [0])
    assert inside.tied.tolist() == ([2] if keep == [0, 2] else [5])
    assert (inside.unit.tolist(), inside.runs) == ([0], 2)
