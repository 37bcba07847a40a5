"""Test the table of `trilens words` (words that runs use more or less often than people) and its errors."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from data.convert import to_jsonl_bytes
from figures.words.words import COLUMNS, table
from metrics.analysis.words import usage as analysis
from tests.analysis.words.test_words import planted
from tests.command_line import trilens

STUDY = planted()


@pytest.fixture
def file(tmp_path: Path) -> str:
    (tmp_path / "study.jsonl").write_bytes(to_jsonl_bytes(STUDY))
    return str(tmp_path / "study.jsonl")


def run(*arguments: str, expect: int = 0) -> str:
    return trilens("words", *arguments, expect=expect).output


def test_the_table_is_that_of_the_page(file: str, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    said = run(file, "--out", str(out))
    written = pd.read_csv(out)
    assert tuple(written.columns) == COLUMNS
    assert ((written.ci_low < written.log_odds) & (written.log_odds < written.ci_high)).all()
    assert ((written.times_low > 1) | (written.times_high < 1)).tolist() == (written.p_value <= 0.05).tolist()
    assert "r says “photo” more often than people and “red” less often." in said
    design = analysis.Design("r", fewest=5)
    expected = table(analysis.usage(design, analysis.measure(STUDY, design))).frame()
    pd.testing.assert_frame_equal(written, expected)


def test_runs_stand_below_each_other_and_in_a_table_of_their_own(tmp_path: Path) -> None:
    both = replace(STUDY, runs=(*STUDY.runs, replace(STUDY.runs[0], name="other")))
    (tmp_path / "study.jsonl").write_bytes(to_jsonl_bytes(both))
    file, out = str(tmp_path / "study.jsonl"), tmp_path / "out.csv"
    said = run(file, "--out", str(out))
    assert list(dict.fromkeys(pd.read_csv(out).run)) == ["r", "other"]
    assert "other says “photo”" in said
    run(file, "--panel", "words_runs", "--out", str(out))
    assert pd.read_csv(out).run.tolist() == ["r", "other"]
    run(file, "--run", "r", "--out", str(out))
    assert pd.read_csv(out).run.unique().tolist() == ["r"]


def test_phrases_of_one_run_on_more_images(file: str, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    run(file, "--run", "r", "--unit", "phrases", "--fewest", "20", "--draws", "99", "--out", str(out))
    table = pd.read_csv(out)
    assert set(table.term.str.count(" ")) == {1, 2}
    assert table.p_adjusted.min() >= 2 / 100
    assert "photo" in run(file)


def test_a_small_study_is_compared_where_fewer_images_are_asked_for(tmp_path: Path) -> None:
    few = replace(STUDY, items=STUDY.items[:4])
    (tmp_path / "study.jsonl").write_bytes(to_jsonl_bytes(few))
    file = str(tmp_path / "study.jsonl")
    assert "this study has 4; another --fewest may help" in run(file, expect=2)
    assert "words" in run(file, "--fewest", "2")


def test_what_cannot_be_compared_is_said(file: str) -> None:
    assert "there is no run 'x'" in run(file, "--run", "x", expect=2)
    assert "no words occur in 61 items or more" in run(file, "--fewest", "61", expect=2)
