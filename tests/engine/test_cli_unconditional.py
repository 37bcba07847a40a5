"""Test `trilens unconditional`: a table made from text files, and their study in the format of the app."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cli import unconditional
from data.load import load_study
from metrics.analysis.feasibility import defaults, is_pool
from metrics.engine.scoring import score
from metrics.registry import resolve
from tests.command_line import trilens
from tests.second_route import slow

RNG = np.random.default_rng(8)
WORDS = [f"w{k}" for k in range(40)]


def texts(count: int, kinds: int) -> list[str]:
    return [" ".join(RNG.choice(WORDS[:kinds], RNG.integers(5, 11))) for _ in range(count)]


SAID = {"test": texts(90, 40), "train": texts(80, 40), "narrow": texts(70, 6), "wide": texts(60, 40)}
NAMES = "corpus_bleu_2,corpus_bleu_5,corpus_self_bleu_3,corpus_ms_jaccard_2"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, of in SAID.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(of) + "\n\n")
    return tmp_path


def run(*arguments: str, expect: int = 0) -> str:
    return trilens("unconditional", *arguments, "--no-cache", expect=expect).output


def test_every_row_and_column_by_the_definition(folder: Path) -> None:
    arguments = ["--test", "test.txt", "--train", "train.txt", "narrow.txt", "wide.txt", "--tokenizer", "whitespace"]
    told = run(*arguments, "--metrics", NAMES, "--out", "table.csv", "--study-out", "study.jsonl")
    assert "narrow: 60 of its 70 texts were drawn" in told.replace("\n", " ")
    table = pd.read_csv("table.csv").set_index("run")
    assert list(table.index) == ["Real", "narrow", "wide"]
    assert set(table["texts"]) == {60}
    assert set(table["references"]) == {90}
    study = load_study(["study.jsonl"]).study
    assert study is not None
    pool = [text.split() for text in SAID["test"]]
    for one in study.runs:
        (own,) = [[text.split() for text in of] for of in one.candidates.values()]
        for n in (2, 5):
            every = [slow.sentence_bleu(text, pool, n, "epsilon") for text in own]
            row = table.loc[one.name]
            assert row[f"corpus_bleu_{n}"] == pytest.approx(np.mean(every), abs=1e-12)
            half = 1.96 * np.std(every, ddof=1) / np.sqrt(len(every))
            assert row[f"corpus_bleu_{n}_high"] - row[f"corpus_bleu_{n}"] == pytest.approx(half, abs=1e-9)
        assert table.loc[one.name, "corpus_self_bleu_3"] == pytest.approx(slow.self_bleu(own, 3).mean())
    assert table.loc["narrow", "corpus_self_bleu_3"] > table.loc["wide", "corpus_self_bleu_3"]
    assert table.loc["wide", "corpus_ms_jaccard_2"] > table.loc["narrow", "corpus_ms_jaccard_2"]
    again = score(study, resolve(NAMES.split(","), "whitespace"))
    for (name, metric), result in again.items():
        assert result.corpus == pytest.approx(table.loc[name, metric], abs=1e-12)


def test_what_has_no_value_or_interval_says_why(folder: Path) -> None:
    (folder / "few.txt").write_text("\n".join(SAID["wide"][:9]))
    told = run("--test", "test.txt", "few.txt", "--metrics", "corpus_frechet_bert").replace("\n", " ")
    assert "needs 50 captions of the run, has 9" in told
    assert "one item cannot be resampled" in told


def test_files_that_cannot_be_rows_are_refused(folder: Path) -> None:
    (folder / "one.txt").write_text("alone\n")
    assert "two texts are needed" in run("--test", "test.txt", "one.txt", expect=2)
    assert "No such file" in run("--test", "test.txt", "gone.txt", expect=2)
    assert "the shortest file has 60 texts" in run("--test", "test.txt", "wide.txt", "--size", "61", expect=2)
    (folder / "b").mkdir()
    (folder / "b" / "wide.txt").write_text("a b\nc d\n")
    assert "two runs called wide" in run("--test", "test.txt", "wide.txt", "b/wide.txt", expect=2)


def test_one_item_with_many_texts_begins_with_metrics_of_whole_runs(folder: Path) -> None:
    many = {name: texts(250, 40) for name in ("test", "a")}
    for name, of in many.items():
        (folder / f"{name}.txt").write_text("\n".join(of))
    run("--test", "test.txt", "a.txt", "--metrics", "corpus_bleu_2", "--study-out", "study.jsonl")
    study = load_study(["study.jsonl"]).study
    assert study is not None
    assert is_pool(study)
    assert {"corpus_bleu_2", "corpus_ms_jaccard_4", "corpus_self_bleu_4"} <= set(defaults(study))
    assert not {"trm_meteor", "self_bleu_4"} & set(defaults(study))


def stated(folder: Path, name: str, count: int = 90) -> list[float]:
    found = [-float(k) / 7 - 5 for k in RNG.permutation(count)]
    (folder / name).write_text("".join(f"{value!r}\n" for value in found))
    return found


def test_nll_is_the_mean_of_the_stated_log_probabilities_of_the_test_set(folder: Path) -> None:
    (folder / "other").mkdir()
    values = {"wide": stated(folder, "wide.logprobs.txt"), "narrow": stated(folder, "other/narrow.txt")}
    given = ["--logprobs", "wide.logprobs.txt", "--logprobs", "other/narrow.txt"]
    arguments = ["--test", "test.txt", "--train", "train.txt", "narrow.txt", "wide.txt", *given]
    told = run(*arguments, "--metrics", "nll", "--out", "table.csv", "--study-out", "study.jsonl")
    table = pd.read_csv("table.csv").set_index("run")
    for name, of in values.items():
        assert table.loc[name, "nll"] == pytest.approx(-sum(of) / len(of), abs=1e-12)
    assert np.isnan(table.loc["Real", "nll"])
    assert "the files do not state reference_logprobs of this run; --logprobs FILE states" in told.replace("\n", " ")
    study = load_study(["study.jsonl"]).study
    assert study is not None
    again = score(study, resolve(["nll"]))
    assert again["wide", "nll"].corpus == pytest.approx(table.loc["wide", "nll"], abs=1e-12)


def test_log_probabilities_are_drawn_with_their_texts(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unconditional, "POOL", 30)
    of = dict(zip(SAID["test"], stated(folder, "wide.logprobs.txt")))
    given = ["--logprobs", "wide.logprobs.txt", "--metrics", "nll", "--out", "table.csv", "--study-out", "study.jsonl"]
    run("--test", "test.txt", "wide.txt", *given)
    study = load_study(["study.jsonl"]).study
    assert study is not None
    drawn = study.items[0].references
    assert len(drawn) == 30
    assert pd.read_csv("table.csv").nll[0] == pytest.approx(-np.mean([of[text] for text in drawn]), abs=1e-12)


def test_probability_0_leaves_nll_undefined_with_the_count(folder: Path) -> None:
    for name, zero in (("narrow", "-inf"), ("wide", "null")):
        (folder / f"{name}.logprobs.txt").write_text("\n".join([zero, *["-2.5"] * 89, ""]))
    given = ["--logprobs", "narrow.logprobs.txt", "--logprobs", "wide.logprobs.txt"]
    told = run("--test", "test.txt", "narrow.txt", "wide.txt", *given, "--metrics", "nll", "--out", "table.csv")
    assert pd.read_csv("table.csv").nll.isna().all()
    assert "infinite: the run gives 1 of 90 captions by people probability 0" in told.replace("\n", " ")


@pytest.mark.parametrize(
    ("name", "lines", "why"),
    [
        ("wide.logprobs.txt", ["-1"] * 89, "it has 89 numbers, but test.txt has 90 texts"),
        ("wide.logprobs.txt", ["-1", "", "two"], "line 3: two is not a log-probability"),
        ("wide.logprobs.txt", ["-1", "nan"], "line 2: nan is not a log-probability"),
        ("wide.logprobs.txt", ["3.5"] * 90, "line 1: 3.5 is above 0, as no natural logarithm of a probability is"),
        ("broad.logprobs.txt", ["-1"] * 90, "there is no model broad; name the file as that of one of wide"),
        ("Real.txt", ["-1"] * 90, "there is no model Real"),
        ("gone/wide.txt", None, "No such file"),
    ],
)
def test_log_probabilities_that_fit_no_model_or_text_are_refused(
    folder: Path, name: str, lines: list[str] | None, why: str
) -> None:
    if lines is not None:
        (folder / name).write_text("\n".join(lines))
    told = run("--test", "test.txt", "--train", "train.txt", "wide.txt", "--logprobs", name, expect=2)
    assert why in told.replace("\n", " ")


def test_log_probabilities_that_no_column_reads_are_refused(folder: Path) -> None:
    stated(folder, "wide.logprobs.txt")
    asked = ["--test", "test.txt", "wide.txt", "--logprobs", "wide.logprobs.txt"]
    assert "--metrics does not name" in run(*asked, "--metrics", "corpus_bleu_2", expect=2)
    assert "are given twice" in run(*asked, "--logprobs", "wide.logprobs.txt", expect=2)
