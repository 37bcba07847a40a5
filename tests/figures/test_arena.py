"""Test that every claim of Arena has a test, and that its tables, figures and command give the same numbers."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from cli.app import app
from data.convert import preferences_to_json, to_jsonl_bytes
from data.study import Preference, Study
from figures.arena import words
from figures.arena.chart import AGAINST, forest, matrix
from figures.arena.words import Found
from figures.dataset.words import comparable
from figures.style.palette import styles_of
from figures.views.arena import VIEW
from figures.views.view import Known, Refusal, defaults
from metrics.analysis.arena.cycles import cycles
from metrics.analysis.arena.strengths import standing
from metrics.analysis.arena.votes import Votes, by_run
from tests.analysis.arena.worlds import drawn, votes
from tests.studies import study as random_study

NAMES = ["a", "b", "c", "d"]


def found(of: Votes) -> Found:
    made = standing(of)
    return Found("overall", "", made, cycles(made), by_run(of))


def said(of: Votes) -> str:
    first, more = words.verdict(found(of), NAMES, "image")
    assert sum(len(part.split()) for part in first) <= 35
    return " ".join(["".join(first), *more])


def even(*pairs: tuple[int, int, int, int], items: int = 30) -> Votes:
    """Make votes on pairs, given as (first run, second run, votes won, votes lost).

    On every fifth item, won and lost votes are exchanged, and there is one tie.
    """
    rows = [
        (a, b, *((won, 0, lost) if (k + a) % 5 else (lost, 1, won)), 0, k)
        for k in range(items)
        for a, b, won, lost in pairs
    ]
    return votes(*rows)


def test_the_first_clause_stands_behind_the_pairs() -> None:
    rng = np.random.default_rng(1)
    assert said(drawn(rng, np.array([1.5, 0.0, -1.0]), 200, 5, 0.5)).startswith(
        "a is preferred to each of 2 other runs."
    )
    assert said(drawn(rng, np.array([-0.9, 0.9]), 100, 5)).startswith("b is preferred to a.")
    assert said(drawn(rng, np.array([1.0, 1.0, -2.0]), 80, 4)).startswith(
        ("a is strongest; no difference from b", "b is s")
    )
    assert "No difference is detected between" in said(drawn(rng, np.zeros(3), 40, 4))
    assert "intervals need votes on 6 images or more, and these are on 5 images" in said(drawn(rng, np.zeros(3), 5, 20))


def test_a_cycle_a_departing_pair_and_a_run_without_place_are_said() -> None:
    cyclic = even((0, 1, 9, 2), (1, 2, 9, 2), (2, 0, 9, 2), (3, 0, 2, 0))
    text = said(cyclic)
    assert "a beats b, b beats c, and c beats a." in text
    assert "3 of 6 pairs do not fit one scale." not in text  # the fourth run has one pair
    assert "do not fit one scale." in text
    plain = said(drawn(np.random.default_rng(2), np.array([0.5, 0.0, -0.5]), 80, 4))
    assert "beats" not in plain
    assert "scale" not in plain
    beaten = replace(cyclic, won=np.where(cyclic.first == 3, 3.0, cyclic.won), tied=np.zeros(len(cyclic.won)))
    beaten = replace(beaten, lost=np.where(beaten.first == 3, 0.0, beaten.lost))
    assert "1 run cannot be placed on the scale." in said(beaten)
    table = words.table(random_study(items=3, runs=4), found(beaten)).frame()
    assert table["note"].tolist() == ["", "", "", words.WHY["above"]]
    assert np.isnan(table["strength"].iloc[3])
    assert table[["won", "tied", "lost"]].iloc[3].tolist() == [90, 0, 0]


def test_an_effect_of_the_order_is_said_where_it_is_significant() -> None:
    strong = drawn(np.random.default_rng(3), np.array([0.5, 0.0, -0.5]), 80, 4, 0.0, -1.0)
    assert "the caption shown second wins 7" in said(strong)
    none = drawn(np.random.default_rng(4), np.array([0.5, 0.0, -0.5]), 80, 4, 0.0, 0.0)
    assert "shown" not in said(none)
    study = random_study(items=3, runs=3)
    assert any(fact.startswith("shown first: wins 2") for fact in words.facts(study, found(strong)))


def test_rows_and_cells_show_what_the_tables_say() -> None:
    study = random_study(items=3, runs=4)
    of = found(even((0, 1, 9, 2), (1, 2, 9, 2), (2, 0, 9, 2), (3, 0, 2, 1)))
    styles = [styles_of(study)[run.model] for run in study.runs]
    rows, table = words.rows(of, NAMES, styles), words.table(study, of).frame()
    assert [f"run {NAMES.index(row.name)}" for row in rows] == table["run"].tolist()
    assert [row.rate for row in rows] == pytest.approx(table["win_rate"].tolist())
    assert all(row.low < row.rate < row.high for row in rows)
    assert all(letter and letter in row.said for row, letter in zip(rows, table["letters"]))
    pairs, drawn_cells = words.pair_table(study, of).frame(), words.cells(of)
    assert [cell.share for cell in drawn_cells] == pairs["observed"].tolist()
    assert all(cell.row < cell.column for cell in drawn_cells)
    against = [cell for cell in drawn_cells if cell.surely_against]
    assert len(against) == 1
    assert words.matrix_alt(of, NAMES) == "Observed win rates of 4 pairs; 1 goes against the order: c over a"
    figure = matrix([NAMES[run] for run in of.standing.ranked], drawn_cells, "light")
    assert sum(str(text).startswith(AGAINST) for text in figure.data[0].text) == 1
    marks = [trace for trace in forest(rows, "dark").data if trace.mode == "markers"]
    assert [trace.x[0] for trace in marks] == [row.rate for row in rows]


def test_names_of_runs_are_text() -> None:
    of = found(drawn(np.random.default_rng(5), np.array([0.5, 0.0]), 40, 4))
    styles = list(styles_of(random_study(items=3, runs=2)).values())[:1] * 2
    hostile = ["<b>a</b>", "b"]
    drawn_figures = (forest(words.rows(of, hostile, styles), "light"), matrix(hostile, words.cells(of), "light"))
    for figure in drawn_figures:
        assert "<b>a" not in str(figure.to_dict())


STUDY = random_study(items=12, references=2, candidates=1, runs=3, seed=1)


def with_pairs() -> Study:
    rng, rows = np.random.default_rng(6), []
    for item in STUDY.items:
        for one, other in ((0, 1), (1, 2), (0, 2)):
            for criterion, kind in (("overall", "HC"), ("detail", "MM"), ("detail", "HC")):
                won = int(rng.integers(1, 4))
                sides = (f"run {one}", 0), (f"run {other}", 0)
                rows.append(Preference(item.id, *sides, won + 0.5, 5 - won + 0.5, criterion, kind, 1))
    return replace(STUDY, preferences=tuple(rows))


def test_criteria_and_categories_are_chosen() -> None:
    known = Known(with_pairs())
    choice = defaults(VIEW, known)
    assert choice == {"criterion": "overall", "category": "all"}
    cast = {}
    for criterion in ("overall", "detail"):
        for category in VIEW.control("category").options(known, {"criterion": criterion}):
            made = VIEW.result(known, {"criterion": criterion, "category": category}, {})
            assert isinstance(made, Found)
            cast[criterion, category] = made.votes[:, :3].sum() / 2
    assert cast == {
        ("overall", "all"): 216, ("overall", "HC"): 216,
        ("detail", "all"): 432, ("detail", "MM"): 216, ("detail", "HC"): 216,
    }  # fmt: skip


def test_categories_are_those_of_the_first_criterion_while_none_is_chosen() -> None:
    assert list(VIEW.control("category").options(Known(with_pairs()), {})) == ["all", "HC"]


def test_a_study_of_pairs_alone_says_what_it_holds() -> None:
    study = with_pairs()
    first, more = comparable(replace(study, runs=(), items=()), ())
    assert first == f"{len(study.preferences)} judged pairs without captions of every run."
    assert "Arena" in more


def test_votes_that_put_no_two_runs_on_one_scale_are_refused() -> None:
    one = tuple(Preference(item.id, ("run 0", 0), ("run 1", 0), 1, 0, "x", "") for item in STUDY.items)
    made = VIEW.result(Known(replace(STUDY, preferences=one)), {"criterion": "x", "category": "all"}, {})
    assert isinstance(made, Refusal)
    assert "no two runs have each beaten the other" in made.why


def test_the_command_takes_a_criterion_and_writes_every_table(tmp_path: Path) -> None:
    study = with_pairs()
    (tmp_path / "s.jsonl").write_bytes(to_jsonl_bytes(study))
    (tmp_path / "p.json").write_bytes(preferences_to_json(study.preferences))
    files, out = [str(tmp_path / "s.jsonl"), str(tmp_path / "p.json")], tmp_path / "pairs.csv"
    run = lambda *more: CliRunner().invoke(app, ["arena", *files, "--no-cache", *more])  # noqa: E731
    done = run("--criterion", "detail", "--category", "MM", "--panel", "arena_pairs", "--out", str(out))
    assert done.exit_code == 0, done.output
    table = pd.read_csv(io.BytesIO(out.read_bytes()))
    assert table[["won", "tied", "lost"]].sum(axis=1).tolist() == [72, 72, 72]
    assert set(table["category"]) == {"MM"}
    del files[0]  # the pairs need no captions
    assert "judged pairs of 3 runs: run 0, run 1, run 2" in CliRunner().invoke(app, ["check", *files]).output
    done = run("--criterion", "detail", "--category", "MM", "--panel", "arena_pairs", "--out", str(out))
    assert done.exit_code == 0, done.output
    pd.testing.assert_frame_equal(pd.read_csv(io.BytesIO(out.read_bytes())), table)
    wrong = run("--criterion", "no such")
    assert wrong.exit_code == 2
    assert "--criterion: 'no such' is not one of overall, detail" in wrong.output
