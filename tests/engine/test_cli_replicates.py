"""Test the tables of `trilens replicates` (settings and their differences) and its errors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from data.convert import to_jsonl_bytes
from metrics.analysis.replicates.tables import COLUMNS, DIFFERENCES
from metrics.engine.scoring import score
from metrics.registry import resolve
from tests.analysis.replicates.studies import split
from tests.command_line import trilens
from tests.studies import study as random_study

STUDY = split(random_study(items=12, candidates=4, runs=2), 2)


@pytest.fixture
def file(tmp_path: Path) -> str:
    (tmp_path / "study.jsonl").write_bytes(to_jsonl_bytes(STUDY))
    return str(tmp_path / "study.jsonl")


def asked(*arguments: str, expect: int = 0) -> str:
    return trilens("replicates", *arguments, "--no-cache", expect=expect).output


def test_the_means_are_those_of_the_scores(file: str, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    asked(file, "--metrics", "rouge_l,bleu_1,consensus_rouge_l", "--out", str(out))
    table = pd.read_csv(out)
    assert tuple(table.columns) == COLUMNS
    assert table.metric.unique().tolist() == ["bleu_1", "rouge_l"]
    results = score(STUDY, resolve(("rouge_l",)))
    values = [results[f"run 1 seed {k}", "rouge_l"].corpus for k in range(2)]
    row = table[(table.setting == "run 1") & (table.metric == "rouge_l")].iloc[0]
    assert row["mean"] == pytest.approx(np.mean(values))
    assert row.sd_between == pytest.approx(np.std(values, ddof=1))
    assert row.ci_low < row["mean"] < row.ci_high
    assert 0 <= row.share_low <= row.share_seed <= row.share_high <= 1
    assert (row.runs, row.n) == (2, 12)


def test_two_settings_are_compared(file: str, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    asked(file, "--metrics", "rouge_l", "--compare", "run 1", "run 0", "--out", str(out))
    table = pd.read_csv(out)
    assert tuple(table.columns) == DIFFERENCES
    row = table.iloc[0]
    assert (row.setting, row.baseline, row.over) == ("run 1", "run 0", "items and seeds")
    assert row.ci_low < row.difference < row.ci_high
    assert 0 < row.p_value <= 1


def test_what_cannot_be_grouped_is_said(file: str, tmp_path: Path) -> None:
    assert "there is no setting 'x'; there are run 0, run 1" in asked(file, "--compare", "x", "run 0", expect=2)
    assert "a setting does not differ from itself" in asked(file, "--compare", "run 0", "run 0", expect=2)
    (tmp_path / "plain.jsonl").write_bytes(to_jsonl_bytes(random_study()))
    assert "no two runs differ only in their seed" in asked(str(tmp_path / "plain.jsonl"), "--metrics", "rouge_l")
