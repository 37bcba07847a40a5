"""Test `score --p-values` with MAUVE: one p for all captions of a run, which are relabelled within their items."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from data.convert import write_jsonl
from data.study import Study
from metrics.cache.disk import Cache, text_vectors
from metrics.chunk import Chunk
from metrics.suite.corpus_embeddings import Mauve
from tests.engine.test_cli import read, run
from tests.studies import study

MADE = study(items=26, references=3, candidates=2, runs=2)
METRICS = ("--metrics", "mauve_bert,bleu_1", "--seed", "3")


def scored(of: Study, folder: Path, monkeypatch: pytest.MonkeyPatch, *more: str) -> pd.DataFrame:
    monkeypatch.setenv("TRILENS_CACHE", str(folder / "cache"))
    write_jsonl(of, path := folder / "study.jsonl")
    return read(run("score", path, *METRICS, *more))


def test_p_is_that_of_all_captions_of_a_run_and_changes_no_other_cell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain, tested = (
        scored(MADE, tmp_path, monkeypatch, *more).query("metric == 'mauve_bert'") for more in ((), ("--p-values",))
    )
    added = ["p_value", "p_two_sided", "p_floor", "p_n", "p_error"]
    pd.testing.assert_frame_equal(tested.drop(columns=added), plain.drop(columns=added))
    assert plain.p_value.isna().all()
    kept = Cache(None).with_text_vectors(text_vectors())
    _, own = tested.to_dict("records")
    test = Mauve().test_run(Chunk.of(MADE.items, MADE.runs[1], kept), seed=3)
    assert (own["value"], own["p_value"]) == pytest.approx((test.statistic, test.p_value))
    assert (own["p_two_sided"], own["p_floor"], own["p_n"]) == pytest.approx((test.p_two_sided, 1e-4, 26))
    assert pd.isna(own["p_error"])
    assert tested.p_value.nunique() == 2


def test_too_few_captions_have_a_reason_and_no_p(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few = study(items=9, references=3, candidates=2, runs=1)
    table = scored(few, tmp_path, monkeypatch, "--p-values").query("metric == 'mauve_bert'")
    assert table.p_value.isna().all()
    assert table.error.str.contains("needs 50").all()
