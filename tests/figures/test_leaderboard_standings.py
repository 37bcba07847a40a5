"""Test the leaderboard's short verdict and its notes on p: on how many items p is based, and why not on all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from data.study import Study
from figures.leaderboard import verdict as short_verdict
from figures.leaderboard import words as leaderboard_words
from figures.leaderboard.board import Board, Cell, Column, Row
from figures.leaderboard.html import board_html
from figures.leaderboard.latex import board_latex
from figures.leaderboard.rows import of_runs as board_of
from metrics.analysis.claims import PeopleComparison
from metrics.analysis.leaderboard import LeaderboardChoice, Standings, of_runs
from metrics.analysis.numbers import Numbers
from metrics.analysis.paired import Comparison, Family
from metrics.base import Metric
from metrics.cache.disk import Cache
from metrics.engine import scoring
from metrics.engine.result import Result
from metrics.engine.tasks import Options
from metrics.registry import METRICS
from tests.studies import study as random_study

TRM = METRICS["trm_bow"]
MANY = "303 texts: triangles are not relabelled at random above 256 texts"


def result(p: float, item_p: list[float], untested: dict[int, str] | None = None) -> Result:
    items = np.linspace(0.5, 0.7, len(item_p))
    totals = np.column_stack([items, np.ones(len(items))])
    return Result(
        TRM,
        len(items),
        float(items.mean()),
        items=items,
        totals=totals,
        item_p=np.array(item_p),
        item_floor=np.full(len(items), 0.01),
        p_value=p,
        p_two_sided=p,
        p_hmp=p,
        p_hmp_raw=p / 2,
        p_floor=1e-4,
        untested=untested or {},
    )


def said(results: list[Result], harmonic: bool = False) -> tuple[str, str, Study, LeaderboardChoice, Numbers]:
    study = random_study(items=6, runs=len(results))
    numbers = Numbers({(run.name, TRM.name): found for run, found in zip(study.runs, results)})
    choice = LeaderboardChoice((TRM,), TRM, study.runs, None, harmonic)
    verdict = "".join(map(str, leaderboard_words.verdict(of_runs(study, numbers, choice))))
    return verdict, foot(study, numbers, choice), study, choice, numbers


def foot(study: Study, numbers: Numbers, choice: LeaderboardChoice) -> str:
    return leaderboard_words.footer(of_runs(study, numbers, choice), board_of(of_runs(study, numbers, choice)))


@pytest.mark.parametrize(
    ("small", "words"),
    [
        (1, "run 0 differs from people by this metric; no difference from them is detected for run 1 and run 2"),
        (2, "2 of 3 runs differ from people by this metric; no difference from them is detected for run 2"),
    ],
)
def test_one_run_differs_and_two_differ(small: int, words: str) -> None:
    verdict, *_ = said([result(0.01 if k < small else 0.5, [0.2] * 6) for k in range(3)])
    assert f"{words} (permutation test, corrected for 3 runs; p ≤ 0.05 where a difference is detected)." in verdict


@pytest.mark.parametrize(
    ("runs", "small", "words"),
    [
        (3, 2, "2 of 3 runs differ from people by TRM bag of words; no difference is detected for run 2."),
        (3, 1, "run 0 differs from people by TRM bag of words; no difference is detected for run 1 and run 2."),
        (4, 1, "run 0 differs from people by TRM bag of words; no difference is detected for 3 others."),
        (3, 0, "By TRM bag of words, no difference from people is detected for any run."),
        (2, 0, "By TRM bag of words, no difference from people is detected for run 0 and run 1."),
        (3, 3, "All 3 runs differ from people by TRM bag of words."),
    ],
)
def test_the_short_verdict_claims_no_equality(runs: int, small: int, words: str) -> None:
    _, _, study, choice, numbers = said([result(0.001 if k < small else 0.5, [0.2] * 6) for k in range(runs)])
    short, _ = short_verdict.verdict(of_runs(study, numbers, choice))
    assert "".join(map(str, short)).replace("\u00a0", " ").startswith(words)


@pytest.mark.parametrize("harmonic", [False, True])
def test_p_says_its_n_and_why_it_is_not_of_all(harmonic: bool) -> None:
    whole, part = result(0.2, [0.2] * 6), result(0.3, [0.2] * 4 + [np.nan] * 2, {4: MANY, 5: MANY})
    _, footer, *_ = said([whole, whole], harmonic)
    assert (", n = 6; raw: not calibrated" if harmonic else ", n = 6.") in footer
    assert MANY not in footer
    _, footer, study, choice, numbers = said([whole, part], harmonic)
    assert f", n = 4 to 6 (some items have a value but no p: {MANY})" in footer
    board = board_of(of_runs(study, numbers, choice))
    assert dict(zip(board.frame()["Run"], board.frame()["n of p"].fillna(0))) == {"run 0": 6, "run 1": 4, "People": 0}
    assert "n = 4" in board_html(board, "light", "values")
    raw = [0.1, 0.15] if harmonic else []
    assert board.frame().get("Uncalibrated p", pd.Series(dtype=float)).dropna().tolist() == raw
    assert board_html(board, "light").count("<br>raw 0.1") == len(raw)
    assert ("Uncalibrated p" in board_latex(of_runs(study, numbers, choice), board)) == harmonic


@pytest.mark.parametrize(
    ("floors", "words"),
    [
        ([1 / 70], "all ways counted, p ≥ 0.01429"),
        ([1 / 70, np.nan], "all ways counted, p ≥ 0.01429"),
        ([1 / 70, 1 / 70], "all ways counted, p ≥ 0.0002041"),
        ([1 / 70, 1 / 70, 1 / 70], "9,999 draws, p ≥ 0.0001"),
    ],
)
def test_the_footer_says_how_many_relabellings_p_is_of(floors: list[float], words: str) -> None:
    known = [floor for floor in floors if not np.isnan(floor)]
    found = replace(
        result(0.3, np.where(np.isnan(floors), np.nan, 0.3).tolist()),
        item_floor=np.array(floors),
        p_floor=max(1e-4, float(np.prod(known))),
        drawn=9_999 if len(known) > 2 else 0,
    )
    _, footer, *_ = said([found])
    assert f"p: permutation test of {TRM.label} over all items, {words}, n = {len(known)}." in footer


def test_without_any_p_the_reason_stands_in_its_place() -> None:
    none = replace(result(np.nan, [np.nan] * 6, dict.fromkeys(range(6), MANY)), p_floor=np.nan)
    _, footer, study, choice, numbers = said([none, none])
    assert f"p: permutation tests, {MANY}." in footer
    assert {row.p_reason for row in board_of(of_runs(study, numbers, choice)).rows} == {MANY}
    waiting = Numbers({})
    assert "p: permutation tests, not computed yet." in foot(study, waiting, choice)


def of_items(metric: Metric, items: list[float]) -> Result:
    values = np.array(items)
    known = ~np.isnan(values)
    totals = np.column_stack([np.nan_to_num(values), known.astype(float)])
    low, high = metric.interval(totals, 200, 0)
    return Result(metric, len(items), float(np.nanmean(values)), low, high, items=values, totals=totals)


def speaking(metric: Metric, results: list[Result | None], baseline: str | None = None) -> tuple[str, str, str]:
    study = random_study(items=8, runs=len(results))
    found = {(run.name, metric.name): result for run, result in zip(study.runs, results) if result is not None}
    numbers, choice = Numbers(found), LeaderboardChoice((metric,), metric, study.runs, baseline)
    board = board_of(of_runs(study, numbers, choice))
    verdict = "".join(map(str, leaderboard_words.verdict(of_runs(study, numbers, choice))))
    html = board_html(board, "light", "difference" if baseline else "values")
    return verdict, leaderboard_words.footer(of_runs(study, numbers, choice), board), html


RISING = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]


def test_the_best_is_the_best_so_far_while_other_runs_are_computed() -> None:
    one, other = of_items(TRM, RISING), of_items(TRM, [value + 0.5 for value in RISING])
    assert "has the lowest TRM bag of words so far, 0.450 (" in speaking(TRM, [one, other, None])[0]
    assert "the only run with a value so far" in speaking(TRM, [one, None, None])[0]
    assert "so far" not in speaking(TRM, [one, other, other])[0]
    sure, unsure = (
        replace(one, item_p=np.full(8, p), p_value=p, p_two_sided=p, p_hmp=p, p_floor=1e-4) for p in (0.001, 0.5)
    )
    assert "Both runs so far differ from people" in speaking(TRM, [sure, sure, None])[0]
    assert (
        "run 0 differs from people by this metric; no difference from them is" in speaking(TRM, [sure, unsure, None])[0]
    )
    assert "is detected for any run so far" in speaking(TRM, [unsure, unsure, None])[0]


def test_runs_that_share_few_items_have_no_interval_of_their_difference_and_the_page_says_why() -> None:
    gap = float("nan")
    part = of_items(TRM, [gap, gap, gap, *RISING[3:]])
    verdict, footer, _ = speaking(TRM, [of_items(TRM, RISING), part])
    assert "has no interval (5 items with a value in both are too few), so their order is uncertain" in verdict
    assert "No interval: TRM bag of words of run 1 (5 items are too few)." in footer
    _, footer, table = speaking(TRM, [of_items(TRM, RISING), part], "run 0")
    why = "5 items with a value in both are too few"
    assert f"Differences without an interval: TRM bag of words of run 1 ({why})." in footer
    assert f"; no interval: {why}" in table
    whole = of_items(TRM, [value + 0.1 for value in RISING])
    for baseline in (None, "run 0"):
        assert "interval (" not in speaking(TRM, [of_items(TRM, RISING), whole], baseline)[1]


def test_the_rest_without_an_interval_says_why_beside_the_runs_that_have_one() -> None:
    most = of_items(TRM, [float("nan"), *[value + 2 for value in RISING[1:]]])
    verdict, *_ = speaking(TRM, [of_items(TRM, RISING), of_items(TRM, [value + 1 for value in RISING]), most])
    behind = (
        "1 of 2 other runs is significantly behind (8 items); the rest cannot be compared with it: the "
        "runs have values for different items."
    )
    assert behind in verdict


def test_a_value_of_a_whole_run_says_why_runs_cannot_be_resampled() -> None:
    mauve = METRICS["mauve_bert"]
    results: list[Result | None] = [
        Result(mauve, 8, value, value - 0.1, value + 0.1, totals=np.array([[value, value - 0.1, value + 0.1]]))
        for value in (0.5, 0.6)
    ]
    why = "one value of a whole run, not a sum over its parts, so runs cannot be resampled together"
    verdict, footer, _ = speaking(mauve, results)
    assert f"has no interval ({why}), so their order is uncertain" in verdict
    assert "No interval" not in footer
    assert f"Differences without an interval: MAUVE MiniLM of run 1 ({why})." in speaking(mauve, results, "run 0")[1]


def test_a_sum_over_few_items_counts_them_though_items_have_no_values() -> None:
    study = random_study(items=5, references=3, candidates=3, runs=2)
    metric = METRICS["corpus_self_bleu_2"]
    numbers = Numbers(scoring.score(study, [metric], Options(), Cache(None)))
    choice = LeaderboardChoice((metric,), None, study.runs, study.runs[0].name)
    cells = [row.cell(metric.name) for row in board_of(of_runs(study, numbers, choice)).rows]
    assert {cell.no_interval for cell in cells if cell.delta} >= {"5 items are too few"}
    assert not any("0 items" in cell.no_interval for cell in cells)


def test_a_cell_says_why_it_is_not_counted_as_like_people(monkeypatch: pytest.MonkeyPatch) -> None:
    """By decision 016, p is above 0.05, but either the score differs from people's or nothing can be compared."""
    *_, study, choice, numbers = said([result(0.5, [0.2] * 6) for _ in range(6)])
    p = np.array([0.01, 0.2, 0.2, 0.2, 0.2, 0.2])
    found = PeopleComparison((0,), (), (1,), (3, 4, 5), p, saturated=(4,), mixed=(3,), other_score=(2,))
    monkeypatch.setattr(Numbers, "against_people", lambda *_: found)
    board = board_of(of_runs(study, numbers, choice))
    whys = {row.name: row.cell(TRM.name).not_alike for row in board.rows}
    assert [whys[run.name] for run in study.runs] == [
        "",
        "",
        "differs from people's own score, paired t-test over items",
        "undecided, as swapping sets of captions shows too little and people have no score to compare with",
        "undecided, as too many distances are at their maximum",
        "undecided, as there is too little data",
    ]


def ranked(values: dict[Metric, tuple[float, ...]], spread: float, p: float = 0.5) -> str:
    """Return the short verdict on runs with these values by two metrics, the first of which ranks them.

    Items vary by `spread`; all runs have the same `p`.
    """
    rng, study = np.random.default_rng(1), random_study(items=12, runs=len(next(iter(values.values()))))

    def of(metric: Metric, value: float) -> Result:
        noise = rng.normal(size=12)
        items = value + spread * (noise - noise.mean())
        made = replace(result(p, [0.2] * 12), metric=metric, items=items, corpus=value)
        return replace(made, totals=np.column_stack([items, np.ones(12)]))

    found = {(run.name, m.name): of(m, row[k]) for m, row in values.items() for k, run in enumerate(study.runs)}
    first, other = values
    choice = LeaderboardChoice((first, other), first, study.runs, None)
    return "".join(map(str, short_verdict.verdict(of_runs(study, Numbers(found), choice))[0]))


@pytest.mark.parametrize(
    ("spread", "words"),
    [
        (0.01, "significantly ahead of both others. By TRM bag of words, run 0 is 2nd of 3, run 1 first, run 2 last."),
        (0.4, "but run 1 may be as good. By TRM bag of words, run 0 is 1st or 2nd of 3, run 2 last."),
        (9, "run 0 has the highest CIDEr-D, but both others may be as good."),
    ],
)
def test_the_ranks_by_another_metric_are_those_that_the_run_may_have(spread: float, words: str) -> None:
    """The text "Zhou has the highest CIDEr-D. By TRM it is 2nd" was unclear about "it", and the rank is not certain."""
    assert ranked({METRICS["cider_d"]: (2.0, 1.8, 0.2), TRM: (0.5, 0.3, 2.9)}, spread).endswith(words)


@pytest.mark.parametrize(
    ("spread", "other", "words"),
    [
        (0.01, (0.2, 0.3, 2.0), " By CIDEr-D, the order is reversed: run 0 is last, run 2 first."),
        (0.4, (1.0, 2.0, 0.0), " run 0 is 1st or 2nd of 3 by TRM bag of words and 2nd of 3 by CIDEr-D."),
        (0.01, (2.0, 1.9, 0.2), " run 0 is first by both TRM bag of words and CIDEr-D, run 2 last by CIDEr-D."),
        (9, (0.2, 0.3, 2.0), "no difference from people is detected for any run."),
    ],
)
def test_a_leader_of_equal_runs_has_no_place(spread: float, other: tuple[float, ...], words: str) -> None:
    said = ranked({TRM: (0.3, 0.5, 2.9), METRICS["cider_d"]: other}, spread)
    assert said.endswith(words)


def test_an_order_without_a_significant_difference_is_not_reversed() -> None:
    said = ranked({METRICS["cider_d"]: (2.0, 1.9999, 1.9998), TRM: (2.9, 1.0, 0.3)}, 0.01)
    assert said.endswith(" By TRM bag of words, run 0 is last, run 2 first.")


def against_first(gaps: dict[Metric, Sequence[int]]) -> str:
    """Return the short verdict on runs whose differences from the first run are given; all but 0 are significant.

    The first metric ranks the runs.
    """
    study, metrics = random_study(items=4, runs=5), tuple(gaps)
    found = {}
    for metric, of in gaps.items():
        pairs = [Comparison(metric, f"run {k}", "run 0", (gap, 0.0), gap) for k, gap in enumerate(of, 1)]
        found[metric.name] = Family(tuple(pairs), np.array([0.001 if gap else 0.5 for gap in of]))
    choice = LeaderboardChoice(metrics, metrics[0], study.runs, "run 0")
    return "".join(short_verdict.difference_verdict(Standings(study, Numbers({}), choice, ()), found))


@pytest.mark.parametrize(
    ("ranks", "gaps", "words"),
    [
        ("cider_d", (1, 1, -1, 0), "2 of 4 runs beat run 0 by CIDEr-D: 1 is worse, and for 1, no difference is "),
        ("cider_d", (-1, -1, 0, 0), "No run beats run 0 by CIDEr-D: 2 are worse, and for 2, no difference is "),
        (
            "trm_bow",
            (-1, 1, 1, 0),
            "1 of 4 runs beats run 0 by TRM bag of words: 2 are farther from people, and for 1, no ",
        ),
    ],
)
def test_who_beats_the_baseline_is_counted_by_the_side_of_the_metric(ranks: str, gaps: list[int], words: str) -> None:
    assert against_first({METRICS[ranks]: gaps}).startswith(words)


def test_the_other_kind_of_metric_counts_who_is_better_by_it() -> None:
    said = against_first({METRICS["cider_d"]: (1, 1, 1, 0), TRM: (-1, 1, 1, 0)})
    assert said.endswith(" By TRM bag of words, 1 of 4 is significantly better.")


def test_a_run_that_can_have_no_p_is_not_waited_for() -> None:
    """With three tested runs and one of single captions, the text once said "for any run so far" though no job was
    running.
    """
    one = of_items(TRM, RISING)
    unsure = replace(one, item_p=np.full(8, 0.5), p_value=0.5, p_two_sided=0.5, p_hmp=0.5, p_floor=1e-4)
    study = random_study(items=8, runs=4)
    gaps = np.full(8, np.nan)
    none = Result(TRM, 8, np.nan, np.nan, np.nan, items=gaps, totals=np.zeros((8, 2)))
    found = {(run.name, TRM.name): of for run, of in zip(study.runs, [unsure, unsure, unsure, none])}
    choice = LeaderboardChoice((TRM,), TRM, study.runs, None)
    shown, _ = short_verdict.verdict(of_runs(study, Numbers(found), choice))
    assert "no difference from people is detected for any tested run." in "".join(shown)
    waiting = {key: result for key, result in found.items() if result is not none}
    shown, _ = short_verdict.verdict(of_runs(study, Numbers(waiting), choice))
    assert "for any run so far" in "".join(shown)


def test_a_column_without_any_value_is_left_out_and_said() -> None:
    kept = Column("a", "A", True, True, "higher")
    lost, waits = Column("b", "B", True, True, "higher"), Column("c", "C", True, True, "higher")
    none, later = Cell(np.nan, reason="needs captions by people"), Cell(np.nan, waiting=True)
    rows = tuple(Row(name, {"a": Cell(1.0), "b": none, "c": later}) for name in "xy")
    board = Board((kept, lost, waits), rows)
    assert [column.key for column in board.without_empty().columns] == ["a", "c"]
    assert leaderboard_words.left_out(board) == ["no column for B: needs captions by people"]
    assert Board((kept, lost), rows, ranked="b").empty == {}, "that of the ranking stays"
    assert Board((lost,), rows).empty == {}, "an empty board says why cell by cell"
