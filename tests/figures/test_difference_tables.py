"""Test the tables of differences: they have the numbers of the board and the tests of the paired comparison."""

from __future__ import annotations

from dataclasses import replace

import pytest

from data.study import Study
from figures.export.latex import DAGGER, escape
from figures.leaderboard import difference_tables
from figures.leaderboard.rows import of_runs as board_of
from figures.style.numbers import p_text
from metrics.analysis.leaderboard import LeaderboardChoice, of_runs
from metrics.analysis.numbers import Numbers
from metrics.engine import scoring
from metrics.permutation.pvalues import holm
from metrics.registry import METRICS
from tests.figures.test_latex import structure
from tests.studies import study as random_study

CHOSEN = tuple(METRICS[name] for name in ("rouge_l", "bleu_4", "distinct_2"))


@pytest.fixture(scope="module")
def study() -> Study:
    return random_study(items=9, references=4, candidates=4, runs=4)


@pytest.fixture(scope="module")
def numbers(study: Study) -> Numbers:
    return Numbers(scoring.score(study, list(CHOSEN)))


def choice(study: Study, baseline: str | None = "run 1") -> LeaderboardChoice:
    return LeaderboardChoice(CHOSEN, CHOSEN[0], study.runs, baseline)


def test_the_table_has_what_the_board_shows_and_its_tests(study: Study, numbers: Numbers) -> None:
    board = board_of(of_runs(study, numbers, choice(study)))
    found = difference_tables.table(of_runs(study, numbers, choice(study)), board).set_index(["Metric", "Run"])
    assert len(found) == 3 * 3, "the baseline is not set against itself"
    for column in board.columns:
        rows = [row for row in board.rows if row.name != "run 1"]
        for row in rows:
            cell, line = row.cell(column.key), found.loc[(column.label, row.name)]
            assert (line["Difference"], line["95 % from"], line["95 % to"]) == (
                cell.delta,
                cell.delta_low,
                cell.delta_high,
            )
            assert line["n"] == 9
            assert line["Signature"] == METRICS[column.key].signature
        own = found.loc[column.label]
        assert own["Corrected p"].tolist() == holm(own["p"].tolist()).tolist()
        assert ((own["p"] >= own["Smallest possible p"]) & (own["Corrected p"] >= own["p"])).all()
    assert set(found["Baseline"]) == {"run 1"}


def test_items_without_a_value_are_not_counted() -> None:
    study = random_study(items=9, references=4, candidates=4, runs=3)
    first = study.runs[0]
    some = {item: texts for k, (item, texts) in enumerate(first.candidates.items()) if k >= 2}
    study = replace(study, runs=(replace(first, candidates=some), *study.runs[1:]))
    less = Numbers(scoring.score(study, list(CHOSEN)))
    shown = board_of(of_runs(study, less, choice(study)))
    found = difference_tables.table(of_runs(study, less, choice(study)), shown).set_index(["Metric", "Run"])
    assert found.loc[("ROUGE-L", "run 0"), "n"] == 7
    assert found.loc[("ROUGE-L", "run 2"), "n"] == 9


def test_latex_is_a_table_a_metric_with_all_of_it(study: Study, numbers: Numbers) -> None:
    name = "\\\\[2pt] 100 % & _x"
    runs = (replace(study.runs[0], name=name), *study.runs[1:])
    renamed = replace(study, runs=runs)
    results = {
        (name if run == study.runs[0].name else run, of): result for (run, of), result in numbers.results.items()
    }
    own = LeaderboardChoice(CHOSEN, CHOSEN[0], runs, name)
    shown = board_of(of_runs(renamed, Numbers(results), own))
    text = difference_tables.latex(of_runs(renamed, Numbers(results), own), shown)
    parts = text.split("% Needs")[1:]
    table = difference_tables.table(of_runs(renamed, Numbers(results), own), shown)
    assert len(parts) == 3
    for part, column in zip(parts, shown.columns):
        columns, cells = structure("% Needs" + part)
        assert (columns, set(cells)) == (5, {5})
        assert f"%   {METRICS[column.key].signature}" in part
        assert "\\label{tab:differences-" in part
        assert all(said in part for said in ("9 items", "Corrected p", "Brackets: 95", "3 comparisons", "0.05"))
        rows = table[table["Metric"] == column.label]
        assert part.count(DAGGER) - part.count("phantom") == 1 + (rows["Corrected p"] <= 0.05).sum(), (
            "and one in the caption"
        )
    assert text.count("100 \\% \\& \\_x") == 3
    assert difference_tables.table(of_runs(renamed, Numbers(results), own), shown)["Baseline"].tolist() == [name] * 9


def test_a_line_is_of_one_run_and_its_dagger_of_the_corrected_p() -> None:
    study = random_study(items=9, references=4, candidates=4, runs=4, seed=9)
    worse = {
        item.id: tuple(f"{'zebra ' * (k + 3)}{text}" for k, text in enumerate(item.references)) for item in study.items
    }
    study = replace(study, runs=(*study.runs, replace(study.runs[0], name="worse", candidates=worse)))
    numbers = Numbers(scoring.score(study, [CHOSEN[0]]))
    own = LeaderboardChoice(CHOSEN[:1], CHOSEN[0], study.runs, "run 1")
    shown = board_of(of_runs(study, numbers, own))
    rows = difference_tables.table(of_runs(study, numbers, own), shown).set_index("Run")
    lines = difference_tables.latex(of_runs(study, numbers, own), shown).splitlines()
    assert rows.index[rows["Corrected p"] <= 0.05].tolist() == ["worse"]
    assert ((rows["95 % from"] > 0) | (rows["95 % to"] < 0)).sum() == 2, "intervals alone would give more daggers"
    for name, row in rows.iterrows():
        line = next(line for line in lines if line.startswith(f"{name} &"))
        _, difference, p, corrected, n = (cell.strip() for cell in line.split(r"\\")[0].split("&"))
        assert (DAGGER in difference.replace(rf"\phantom{{{DAGGER}}}", "")) == (name == "worse")
        assert p == escape(p_text(row["p"], row["Smallest possible p"]))
        at_floor = row["p"] == row["Smallest possible p"] and row["Corrected p"] < 1
        assert corrected == escape(("≤ " if at_floor else "") + p_text(row["Corrected p"]))
        assert n == "9"
    assert rows.loc["worse", "p"] == rows.loc["worse", "Smallest possible p"] < rows.loc["worse", "Corrected p"]


def test_what_there_is_none_of_is_said() -> None:
    study = random_study(items=4, references=4, candidates=4, runs=2)
    metrics = (METRICS["rouge_l"], METRICS["vocabulary"])
    few = Numbers(scoring.score(study, list(metrics)))
    own = LeaderboardChoice(metrics, metrics[0], study.runs, "run 1")
    shown = board_of(of_runs(study, few, own))
    whole_run = "one value belongs to the whole run: there is nothing to pair"
    too_few = "4 items are too few for a bootstrap interval"
    assert difference_tables.table(of_runs(study, few, own), shown)["Note"].tolist() == [too_few, whole_run]
    first, second = difference_tables.latex(of_runs(study, few, own), shown).split("% Needs")[1:]
    for part, note in ((first, too_few), (second, whole_run)):
        assert structure("% Needs" + part) == (5, [5, 5])
        assert f"Dashes, or no brackets: {note}." in part
        assert "Brackets:" not in part
    assert "1 comparison of" in first
    assert "Corrected p:" not in second


def test_a_run_alone_has_a_table_without_rows(study: Study, numbers: Numbers) -> None:
    own = LeaderboardChoice(CHOSEN, CHOSEN[0], study.runs[1:2], "run 1")
    found = difference_tables.table(of_runs(study, numbers, own), board_of(of_runs(study, numbers, own)))
    assert (len(found), tuple(found.columns)) == (0, difference_tables.COLUMNS)


def test_without_a_baseline_there_are_no_differences(study: Study, numbers: Numbers) -> None:
    shown = board_of(of_runs(study, numbers, choice(study, None)))
    for made in (difference_tables.table, difference_tables.latex):
        with pytest.raises(ValueError, match="need a baseline"):
            made(of_runs(study, numbers, choice(study, None)), shown)
