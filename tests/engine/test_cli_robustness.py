"""Test the table of `trilens robustness` (curves and areas) and its errors."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from data.convert import to_jsonl_bytes
from data.study import Item
from metrics.analysis.robustness import curves, measure
from metrics.analysis.robustness.design import Design
from metrics.analysis.robustness.tables import COLUMNS
from metrics.cache.disk import Cache
from metrics.progress import Hooks
from metrics.registry import METRICS
from metrics.transformations import TRANSFORMATIONS
from tests.command_line import trilens
from tests.studies import study as random_study

STUDY = random_study(items=10, references=3, candidates=1, runs=1, seed=4)


@pytest.fixture
def file(tmp_path: Path) -> str:
    (tmp_path / "study.jsonl").write_bytes(to_jsonl_bytes(STUDY))
    return str(tmp_path / "study.jsonl")


def damaged(*arguments: str, expect: int = 0) -> str:
    return trilens("robustness", *arguments, "--no-cache", expect=expect).output


def test_it_writes_what_the_analysis_finds(file: str, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    damaged(file, "--metrics", "bleu_1,rouge_l", "--transformations", "word_permutation,negation", "--gammas",
            "0,.5,1", "--seed", "2", "--items", "8", "--out", str(out))  # fmt: skip
    table = pd.read_csv(out)
    assert tuple(table.columns) == COLUMNS
    assert len(table) == 2 * (3 + 2)
    design = Design(tuple(TRANSFORMATIONS[n] for n in ("word_permutation", "negation")), (0.5, 1.0), 8, 2)
    metrics = (METRICS["bleu_1"], METRICS["rouge_l"])
    found = measure.from_arrays(design, metrics, measure.measure(STUDY, design, metrics, Cache(None), Hooks()))
    curve = curves.curve(found, TRANSFORMATIONS["word_permutation"], METRICS["rouge_l"])
    rows = table[(table.transformation == "word_permutation") & (table.metric == "rouge_l")]
    assert rows.value.tolist() == pytest.approx(curve.kept)
    assert rows.area.tolist() == pytest.approx([curve.area.value] * 3)
    assert rows.grid_area.tolist() == pytest.approx([curve.grid_area.value] * 3)
    assert rows.ci_low.tolist() == pytest.approx([curve.area.low] * 3)
    assert set(table.n) == {8}
    blind = table[(table.transformation == "word_permutation") & (table.metric == "bleu_1")]
    assert blind.value.tolist() == [1, 1, 1]
    share = table[(table.transformation == "negation") & (table.gamma == 1)].iloc[0]
    assert np.isnan([share.area, share.ci_low, share.ci_high]).all()
    assert share.value_ci_low < share.value < share.value_ci_high


def test_the_areas_are_printed(file: str) -> None:
    said = damaged(file, "--metrics", "bleu_1", "--transformations", "dropped_words")
    assert "dropped_words" in said
    assert "grid_area" in said


def test_what_cannot_be_done_is_said(file: str, tmp_path: Path) -> None:
    said = damaged(file, "--transformations", "x", expect=2)
    assert "there is no transformation 'x'; there are random_caption" in said
    assert "separated by commas: a strength is from 0 to 1, not 3" in damaged(file, "--gammas", "0,3", expect=2)
    assert "robustness takes metrics of captions" in damaged(file, "--metrics", "consensus_bleu", expect=2)
    said = damaged(file, "--metrics", "bleu_1,consensus_bleu", "--transformations", "typos")
    assert "left out" in said
    thin = random_study(items=3, references=1, candidates=1, runs=1)
    (tmp_path / "thin.jsonl").write_bytes(to_jsonl_bytes(thin))
    assert "two references" in damaged(str(tmp_path / "thin.jsonl"), "--metrics", "bleu_1", expect=2)


def test_metrics_of_sets_are_given_sets_and_captions_without_blanks_are_counted(tmp_path: Path) -> None:
    chinese = Item("zh", ("一只狗在跑", "狗在草地上跑", "有一只狗", "一只棕色的狗"))
    study = random_study(items=10, references=6, candidates=1, runs=1, seed=4)
    run = replace(study.runs[0], candidates={**study.runs[0].candidates, "zh": ("狗",)})
    study = replace(study, items=(*study.items, chinese), runs=(run,))
    (tmp_path / "study.jsonl").write_bytes(to_jsonl_bytes(study))
    out = tmp_path / "out.csv"
    said = damaged(str(tmp_path / "study.jsonl"), "--metrics", "bleu_1,distinct_2", "--transformations",
                   "photo_prefix", "--gammas", "0.5", "--out", str(out))  # fmt: skip
    assert "left out: 1 item without spaces between words, as in Chinese" in " ".join(said.split())
    table = pd.read_csv(out)
    assert table.groupby("of").metric.unique().map(list).to_dict() == {"captions": ["bleu_1"], "sets": ["distinct_2"]}
    design = Design((TRANSFORMATIONS["photo_prefix"],), (0.5, 1.0), sets=True)
    metrics = (METRICS["distinct_2"],)
    found = measure.from_arrays(design, metrics, measure.measure(study, design, metrics, Cache(None), Hooks()))
    curve = curves.curve(found, TRANSFORMATIONS["photo_prefix"], metrics[0])
    rows = table[table["of"] == "sets"]
    assert rows.value.tolist() == pytest.approx(curve.kept)
    assert rows.area.tolist() == pytest.approx([curve.area.value] * 3)
