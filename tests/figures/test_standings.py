"""The leaderboard's words about p: how many runs differ, how many items p is of, why it is not of all."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from data.study import Study
from figures import standings
from figures.leaderboard import board_html
from metrics.registry import METRICS
from metrics.result import Result
from metrics.scored import Numbers
from tests.studies import study as random_study

TRM = METRICS["trm_bow"]
MANY = "303 texts: triangles are not relabelled at random above 256 texts"


def result(p: float, item_p: list[float], untested: dict[int, str] | None = None) -> Result:
    items = np.linspace(0.5, 0.7, len(item_p))
    totals = np.column_stack([items, np.ones(len(items))])
    return Result(
        TRM, len(items), float(items.mean()), items=items, totals=totals, item_p=np.array(item_p),
        item_floor=np.full(len(items), 0.01), p_value=p, p_hmp=p, p_floor=1e-4, untested=untested or {},
    )  # fmt: skip


def said(results: list[Result], harmonic: bool = False) -> tuple[str, str, Study, standings.Choice, Numbers]:
    study = random_study(items=6, runs=len(results))
    numbers = Numbers({(run.name, TRM.name): found for run, found in zip(study.runs, results)})
    choice = standings.Choice((TRM,), TRM, study.runs, None, harmonic)
    verdict = "".join(map(str, standings.verdict(study, numbers, choice)))
    return verdict, standings.footer(study, numbers, choice), study, choice, numbers


@pytest.mark.parametrize(("small", "words"), [(1, "1 of 3 runs differs from"), (2, "2 of 3 runs differ from")])
def test_one_run_differs_and_two_differ(small: int, words: str) -> None:
    verdict, *_ = said([result(0.01 if k < small else 0.5, [0.2] * 6) for k in range(3)])
    assert words in verdict


@pytest.mark.parametrize("harmonic", [False, True])
def test_p_says_its_n_and_why_it_is_not_of_all(harmonic: bool) -> None:
    whole, part = result(0.2, [0.2] * 6), result(0.3, [0.2] * 4 + [np.nan] * 2, {4: MANY, 5: MANY})
    _, footer, *_ = said([whole, whole], harmonic)
    assert ", n = 6." in footer
    assert MANY not in footer
    _, footer, study, choice, numbers = said([whole, part], harmonic)
    assert f", n = 4 to 6 (some items have a value and no p: {MANY})." in footer
    board = standings.board(study, numbers, choice)
    assert dict(zip(board.frame()["Run"], board.frame()["p n"].fillna(0))) == {"run 0": 6, "run 1": 4, "Human": 0}
    assert "n = 4" in board_html(board, "light", "values")


@pytest.mark.parametrize(
    ("floors", "words"),
    [
        ([1 / 70], "70 different relabellings at most, floor 0.01429"),
        ([1 / 70, np.nan], "70 different relabellings at most, floor 0.01429"),
        ([1 / 70, 1 / 70], "4,900 different relabellings at most, floor 0.0002041"),
        ([1 / 70, 1 / 70, 1 / 70], "9,999 draws, floor 0.0001"),
    ],
)
def test_the_footer_says_how_many_relabellings_p_is_of(floors: list[float], words: str) -> None:
    known = [floor for floor in floors if not np.isnan(floor)]
    found = replace(
        result(0.3, np.where(np.isnan(floors), np.nan, 0.3).tolist()), item_floor=np.array(floors),
        p_floor=max(1e-4, float(np.prod(known))),
    )  # fmt: skip
    _, footer, *_ = said([found])
    assert f"p: corpus permutation test of {TRM.label}, {words}, n = {len(known)}." in footer


def test_without_any_p_the_reason_stands_in_its_place() -> None:
    none = replace(result(np.nan, [np.nan] * 6, dict.fromkeys(range(6), MANY)), p_floor=np.nan)
    _, footer, study, choice, numbers = said([none, none])
    assert f"p: permutation tests, {MANY}." in footer
    assert {row.p_reason for row in standings.board(study, numbers, choice).rows} == {MANY}
    waiting = Numbers({})
    assert "p: permutation tests, not computed yet." in standings.footer(study, waiting, choice)
