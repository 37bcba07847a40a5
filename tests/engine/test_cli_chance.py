"""Test the columns that `score --chance` adds to the table."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from data.convert import write_jsonl
from metrics.engine.scores_table import COLUMNS
from tests.engine.test_cli import read, run
from tests.studies import study

ADDED = ["chance", "chance_low", "chance_high"]


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRILENS_CACHE", str(tmp_path / "cache"))
    write_jsonl(study(items=9, runs=1), path := tmp_path / "study.jsonl")
    return path


def test_chance_adds_columns_for_runs_and_items_and_changes_no_other(file: Path) -> None:
    metrics = ("--metrics", "bleu_1,distinct_1", "--level", "corpus", "--level", "item")
    plain, added = read(run("score", file, *metrics)), read(run("score", file, *metrics, "--chance"))
    assert list(plain.columns) == list(COLUMNS)
    pd.testing.assert_frame_equal(added.drop(columns=ADDED), plain)
    own = added[added.metric == "bleu_1"]
    assert len(own) == 10
    assert (own.chance_low <= own.chance).all()
    assert (own.chance <= own.chance_high).all()
    assert own.chance.nunique() > 5
    assert added[added.metric == "distinct_1"][ADDED].isna().all(axis=None)


def test_within_needs_chance_and_a_field_that_items_have(file: Path) -> None:
    metrics = ("--metrics", "bleu_1")
    refused = run("score", file, *metrics, "--chance-within", "length", expect=2)
    assert "--chance-within goes with --chance" in refused.stderr
    refused = run("score", file, *metrics, "--chance", "--chance-within", "genre", expect=2)
    assert "'genre'" in refused.stderr
    assert run("score", file, *metrics, "--chance", "--chance-within", "length").exit_code == 0
