"""Test the table of `trilens agreement`, the captions that it prints for a pair, and its errors."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from scipy import stats

from data.convert import to_jsonl_bytes
from metrics.analysis.agreement.tables import COLUMNS
from metrics.engine import scoring
from metrics.engine.scores_table import scores
from metrics.registry import resolve
from tests.command_line import trilens
from tests.studies import study as random_study

STUDY = random_study(items=10, candidates=2, runs=4)


@pytest.fixture
def file(tmp_path: Path) -> str:
    (tmp_path / "study.jsonl").write_bytes(to_jsonl_bytes(STUDY))
    return str(tmp_path / "study.jsonl")


def agreed(*arguments: str, expect: int = 0) -> str:
    return trilens("agreement", *arguments, expect=expect).output


def test_the_table_is_that_of_the_scores(file: str, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    agreed(file, "--metrics", "rouge_l,bleu_1,trm_rouge_l", "--out", str(out))
    table = pd.read_csv(out)
    assert tuple(table.columns) == COLUMNS
    assert set(table.over) == {"items", "captions", "runs", "settings"}
    long = scores(STUDY, scoring.score(STUDY, resolve(("rouge_l", "bleu_1"))), ["candidate"])
    wide = long.pivot_table(index=["run", "item", "candidate"], columns="metric", values="value")
    row = table[(table.over == "captions") & (table.statistic == "spearman")].iloc[0]
    assert row.value == pytest.approx(stats.spearmanr(wide.rouge_l, wide.bleu_1).statistic)
    assert (row.n, row.groups) == (80, 1)


def test_one_kind_of_points_of_one_run(file: str) -> None:
    said = agreed(file, "--metrics", "rouge_l,bleu_1", "--over", "items", "--run", "run 1")
    assert not [line for line in said.splitlines() if line.startswith("captions")]
    assert said.count("rouge_l") == 2


def test_a_pair_prints_the_captions_with_the_largest_difference_of_ranks(file: str, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    agreed(file, "--pair", "rouge_l", "bleu_1", "--top", "3", "--out", str(out))
    table = pd.read_csv(out)
    long = scores(STUDY, scoring.score(STUDY, resolve(("rouge_l", "bleu_1"))), ["candidate"])
    wide = long.pivot_table(index=["run", "item", "candidate"], columns="metric", values="value")
    ranks = (wide.rank() - 0.5) / len(wide)
    gap = (ranks.rouge_l - ranks.bleu_1).rename("gap")
    for name, sign in (("rouge_l", 1), ("bleu_1", -1)):
        some = table[table.higher_by == name]
        high = wide[name] > wide[name].mean()
        best = (sign * gap)[high].groupby("item").max().nlargest(3)
        assert (sign * some.gap).tolist() == pytest.approx(best.tolist())
        for row in some.itertuples():
            assert gap[row.run, row.item, row.candidate] == pytest.approx(row.gap)
            assert wide.rouge_l[row.run, row.item, row.candidate] == pytest.approx(row.rouge_l)
            assert STUDY.run(row.run).candidates[row.item][row.candidate] == row.caption


def test_a_pair_with_a_measure_of_sets_is_over_items(file: str) -> None:
    said = agreed(file, "--pair", "trm_rouge_l", "bleu_1", "--top", "1").partition("over\t")[2].splitlines()
    assert len(said) == 3
    assert all(line.startswith("items\t") for line in said[1:])
    assert "takes two different metrics" in agreed(file, "--pair", "bleu_1", "bleu_1", expect=2)


def test_what_cannot_be_compared_is_said(file: str) -> None:
    assert "takes items, captions, runs, settings, systems" in agreed(file, "--over", "x", expect=2)
    assert "no two metrics have values" in agreed(file, "--metrics", "rouge_l", expect=2)
    assert "there is no run 'x'" in agreed(file, "--run", "x", expect=2)


def test_metrics_of_systems_alone(tmp_path: Path) -> None:
    path = tmp_path / "systems.csv"
    path.write_text("system,human,CIDEr,SPICE\nA,1,.3,.1\nB,2,.5,.4\nC,3,.4,.5\nD,4,.9,.6\n")
    agreed(str(path), "--out", str(tmp_path / "out.csv"))
    table = pd.read_csv(tmp_path / "out.csv")
    (value,) = table[table.statistic == "pearson"].value
    assert value == pytest.approx(stats.pearsonr([0.3, 0.5, 0.4, 0.9], [0.1, 0.4, 0.5, 0.6]).statistic)
