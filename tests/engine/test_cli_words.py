"""`trilens words`: the table of what runs say more, or less, often than people."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

from data.convert import to_jsonl_bytes
from metrics.analysis.words import usage as analysis
from metrics.analysis.words.table import COLUMNS, as_table
from metrics.cli.app import app
from tests.analysis.words.test_words import planted

STUDY = planted()


@pytest.fixture
def file(tmp_path: Path) -> str:
    (tmp_path / "study.jsonl").write_bytes(to_jsonl_bytes(STUDY))
    return str(tmp_path / "study.jsonl")


def run(*arguments: str, expect: int = 0) -> str:
    found = CliRunner().invoke(app, ["words", *arguments])
    assert found.exit_code == expect, found.output
    return found.output


def test_the_table_is_that_of_the_page(file: str, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    said = run(file, "--out", str(out))
    table = pd.read_csv(out)
    assert tuple(table.columns) == COLUMNS
    assert ((table.ci_low < table.log_odds) & (table.log_odds < table.ci_high)).all()
    assert "1 said more often than by people and 1 less often, after correction" in said
    design = analysis.Design("r", fewest=5)
    expected = as_table([analysis.usage(design, analysis.measure(STUDY, design))])
    pd.testing.assert_frame_equal(table, expected)


def test_phrases_of_one_run_on_more_images(file: str, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    run(file, "--run", "r", "--unit", "phrases", "--fewest", "20", "--draws", "99", "--out", str(out))
    table = pd.read_csv(out)
    assert set(table.term.str.count(" ")) == {1, 2}
    assert table.p_adjusted.min() >= 2 / 100
    assert "photo" in run(file)


def test_what_cannot_be_compared_is_said(file: str) -> None:
    assert "there is no run 'x'" in run(file, "--run", "x", expect=2)
    assert "lower --fewest" in run(file, "--fewest", "61")
