"""Test the tables of `trilens slices` (slices on which two runs differ, and scores by length) and its errors."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from scipy import stats

from data.convert import to_jsonl_bytes
from figures.slices.words import COLUMNS
from metrics.analysis.defaults import first_to_rank
from metrics.analysis.numbers import Numbers
from metrics.analysis.paired_defaults import rival
from metrics.engine import scoring
from metrics.engine.scores_table import scores
from metrics.registry import METRICS, resolve
from tests.command_line import trilens
from tests.studies import study as random_study

STUDY = random_study(items=60, references=3, candidates=2, runs=3, seed=5)


@pytest.fixture
def file(tmp_path: Path) -> str:
    (tmp_path / "study.jsonl").write_bytes(to_jsonl_bytes(STUDY))
    return str(tmp_path / "study.jsonl")


def run(*arguments: str, expect: int = 0) -> str:
    return trilens("slices", *arguments, expect=expect).output


def test_the_table_is_that_of_the_item_scores(file: str, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    said = run(file, "--runs", "run 2", "run 0", "--metric", "rouge_l", "--out", str(out))
    table = pd.read_csv(out)
    assert tuple(table.columns) == COLUMNS
    assert f"of {len(table)} slices" in said
    assert table.n.between(5, 55).all()
    assert ((table.ci_low < table.value) & (table.value < table.ci_high)).all()
    long = scores(STUDY, scoring.score(STUDY, resolve(("rouge_l",))), ["item"])
    wide = long.pivot_table(index="item", columns="run", values="value")
    gap = wide["run 2"] - wide["run 0"]
    dogs = {item.id for item in STUDY.items if any(" dog " in text for text in item.references)}
    row = table[(table.kind == "word") & (table.slice == "dog")].iloc[0]
    inside = gap[gap.index.isin(dogs)]
    assert (row.n, row.value) == (len(dogs), pytest.approx(inside.mean()))
    t = stats.ttest_ind(inside, gap[~gap.index.isin(dogs)], equal_var=False).confidence_interval()
    assert (row.gap_low, row.gap_high) == (pytest.approx(t.low), pytest.approx(t.high))


def test_the_leader_against_its_rival_as_on_the_page_of_two_runs_unless_named(file: str, tmp_path: Path) -> None:
    out = tmp_path / "slices.csv"
    said = run(file, "--metric", "rouge_l", "--out", str(out))
    ranking = first_to_rank(STUDY, tuple(METRICS.values()))
    assert ranking is not None
    results = scoring.score(STUDY, [ranking])
    first = (max if ranking.higher_is_better else min)(results, key=lambda of: results[of].corpus)[0]
    second = rival(STUDY, Numbers(results), ranking, STUDY.run(first))
    assert f"{first} against {second}; --runs names others" in said
    assert {(row.run, row.baseline) for row in pd.read_csv(out).itertuples()} == {(first, second)}


def test_one_run_and_the_other_correction(file: str, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    run(file, "--run", "run 1", "--metric", "rouge_l", "--correction", "bh", "--fewest", "20", "--out", str(out))
    table = pd.read_csv(out)
    assert table.baseline.isna().all()
    assert (table.n >= 20).all()
    assert table.p_adjusted.to_numpy() == pytest.approx(stats.false_discovery_control(table.p_value))


def test_what_cannot_be_compared_is_said(file: str) -> None:
    assert "there is no run 'x'" in run(file, "--runs", "x", "run 1", expect=2)
    assert "does not differ from itself" in run(file, "--runs", "run 1", "run 1", expect=2)
    assert "not both" in run(file, "--runs", "run 1", "run 0", "--run", "run 1", expect=2)
    assert "one metric, not 2" in run(file, "--metric", "rouge_l,bleu_1", expect=2)
    assert "whole run" in run(file, "--metric", "vocabulary", expect=2)
    none = run(file, "--metric", "rouge_l", "--fewest", "40", expect=2)
    assert "no slice has 40 items inside it and as many outside; another --fewest may help" in none
    unknown = run(file, "--metric", "rouge_l", "--panel", "x", expect=2)
    assert "there is no table 'x'; there are slices, slices_lengths" in unknown


def test_scores_by_length_are_another_table(file: str, tmp_path: Path) -> None:
    out = tmp_path / "lengths.csv"
    run(file, "--runs", "run 1", "run 0", "--metric", "rouge_l", "--panel", "slices_lengths", "--out", str(out))
    table = pd.read_csv(out)
    assert set(table.run) == {"run 0", "run 1"}
    assert table.groupby("run").n.sum().tolist() == [60, 60]
