"""Test columns that state which run people prefer, beside the captions of each run."""

from __future__ import annotations

import pytest

from data.load import load_study
from data.study import Preference

SAID = {
    "1": ("A dog runs.", "A dog on grass.", "A brown dog.", "The dog plays."),
    "2": ("Two red cups.", "Cups on a table.", "A table with cups.", "Cups and a spoon."),
    "3": ("A cat sleeps.", "A cat on a sofa.", "The cat is grey.", "A sleepy cat."),
}
PEOPLE = {"1": "A brown dog runs over grass.", "2": "Two cups stand on a table.", "3": "A grey cat naps on a sofa."}


def read(runs: list[str], beside: dict[str, list[str]]) -> tuple[tuple[Preference, ...], set[str]]:
    head = ["id", *runs, *beside, "reference"]
    rows = [[id, *SAID[id][: len(runs)], *(of[k] for of in beside.values()), PEOPLE[id]] for k, id in enumerate(SAID)]
    loaded = load_study([("x.csv", "\n".join(";".join(row) for row in [head, *rows]).encode())])
    assert loaded.study is not None
    assert [run.name for run in loaded.study.runs] == runs
    assert not any(item.metadata for item in loaded.study.items)
    return loaded.study.preferences, {one.code for one in loaded.findings}


def votes(found: tuple[Preference, ...]) -> dict[tuple[str, str, str], tuple[float, float]]:
    return {(one.item, one.first[0], one.second[0]): (one.first_votes, one.second_votes) for one in found}


@pytest.mark.parametrize("names", [["P1", "P2", "P3"], ["Anna", "Ben", "Cem"]])
def test_people_may_have_a_column_each(names: list[str]) -> None:
    said = [["A", "A", "B"], ["A", "B", "B"], ["B", "tie", "B"]]
    found, codes = read(["A: blip", "B: git"], dict(zip(names, said)))
    assert "preferences_read" in codes
    assert {one.criterion for one in found} == {"rating"}
    assert [of for _, of in sorted(votes(found).items())] == [(2.0, 1.0), (1.5, 1.5), (0.0, 3.0)]


def test_criteria_may_have_a_column_each() -> None:
    found, _ = read(["blip", "git"], {"more fluent": ["blip", "git", "git"], "more correct": ["git", "git", "blip"]})
    assert {one.criterion for one in found} == {"more fluent", "more correct"}
    assert len(found) == 6


def test_a_column_of_the_side_shown_first_is_no_preference() -> None:
    rows = [[id, *of[:2], "blip", choice, PEOPLE[id]] for (id, of), choice in zip(SAID.items(), ["blip", "git", "git"])]
    head = ["id", "blip", "git", "shown first", "preferred", "reference"]
    loaded = load_study([("x.csv", "\n".join(";".join(row) for row in [head, *rows]).encode())])
    assert loaded.study is not None
    assert [(one.criterion, one.first_votes) for one in loaded.study.preferences] == [
        ("rating", 1.0),
        ("rating", 0.0),
        ("rating", 0.0),
    ]


@pytest.mark.parametrize("by_letter", [True, False])
def test_the_best_and_the_worst_of_several_runs_are_named(by_letter: bool) -> None:
    runs = ["A", "B", "C", "D"] if by_letter else ["blip", "git", "ofa", "vlp"]
    ends = {"best": [runs[0], runs[1], runs[2]], "worst": [runs[1], runs[0], runs[3]]}
    found, codes = read(runs, ends)
    assert "ranks_read" in codes
    assert "preferences_beside" not in codes
    told = {(one.item, *((one.first, one.second) if one.first_votes else (one.second, one.first))) for one in found}
    assert {(item, best[0], worst[0]) for item, best, worst in told} == {
        (item, best, worst) for item, best, worst in zip("123", *ends.values())
    }


def test_runs_are_listed_in_order() -> None:
    lists = ["git > blip > ofa", "blip > ofa > git", "ofa > git > blip"]
    found, codes = read(["blip", "git", "ofa"], {"ranking": lists})
    assert "ranks_read" in codes
    assert len(found) == 9
    won = {frozenset([one.first[0], one.second[0]]): one for one in found if one.item == "1"}
    pair = won[frozenset(["git", "ofa"])]
    assert (pair.first[0] == "git") == (pair.first_votes == 1.0)


def test_a_cell_that_ranks_nothing_is_reported() -> None:
    ends = ["pred_m > pred_n" if k < 2_999 else "unsure" for k in range(3_000)]
    rows = [f"{k};A dog {k} runs.;Dog {k} on grass.;{end};A brown dog {k}." for k, end in enumerate(ends)]
    loaded = load_study([("x.csv", "\n".join(["id;pred_m;pred_n;ranking;reference", *rows]).encode())])
    assert loaded.study is not None
    assert len(loaded.study.preferences) == 2_999
    assert "pair_unclear" in {one.code for one in loaded.findings}
