"""Test files of scores that contain captions, but not the ids that other files use."""

from __future__ import annotations

import json

import pytest

from data.load import load_study
from tests.data.sheets import workbook

TEXTS = ["A dog barks, twice.", "Rain falls on a roof", "A car passes by", "Rain falls on leaves"]
SCORES = [0.25, 0.5, 0.75, 1.0]


def model(name: str, texts: list[str]) -> tuple[str, bytes]:
    return f"{name}.json", json.dumps({f"{k}.wav": text for k, text in enumerate(texts)}).encode()


def sentences(order: list[int]) -> tuple[str, bytes]:
    """Return a file in the layout of aac-metrics: a number, the normalised caption, and a column for one metric."""
    rows = [f"{n},{TEXTS[k].lower().replace(',', '').replace('.', '')},{SCORES[k]}" for n, k in enumerate(order)]
    return "sentences.csv", "\n".join(["index,candidate,bleu_1", *rows]).encode()


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [2, 0, 3, 1]])
def test_they_are_scores_of_the_run_with_these_captions(order: list[int]) -> None:
    loaded = load_study([model("m1", TEXTS), model("m2", [f"{text} again" for text in TEXTS]), sentences(order)])
    assert loaded.study is not None
    assert [run.name for run in loaded.study.runs] == ["m1", "m2"]
    (scores,) = loaded.study.scores
    assert dict(scores.values["m1"]) == {f"{k}.wav": (value,) for k, value in enumerate(SCORES)}
    (told,) = [one for one in loaded.findings if one.code == "scores_by_text"]
    assert "run m1 in m1.json" in told.problem


@pytest.mark.parametrize("others", [[TEXTS, TEXTS], [[*TEXTS[:3], "Leaves rustle"]]])
def test_texts_of_two_runs_or_of_none_say_nothing(others: list[list[str]]) -> None:
    loaded = load_study([*(model(f"m{k}", texts) for k, texts in enumerate(others)), sentences([0, 1, 2, 3])])
    assert "scores_by_text" not in {one.code for one in loaded.findings}


def judged(texts: list[str], verdicts: bool) -> tuple[str, bytes]:
    columns = ["index", "answer", "prediction", *(["log", "score"] if verdicts else [])]
    rows = [[str(k), f"{text} too", text, *(["done", str(k / 4)] if verdicts else [])] for k, text in enumerate(texts)]
    return f"x_VQA{'_gpt-4_judge' if verdicts else ''}.xlsx", workbook(S=[columns, *rows])


@pytest.mark.parametrize("first", [False, True])
def test_captions_that_a_judge_repeats_are_read_once_with_its_scores(first: bool) -> None:
    loaded = load_study([judged(TEXTS, first), judged(TEXTS, not first)])
    assert loaded.study is not None
    assert "x_VQA" in [run.name for run in loaded.study.runs]
    assert not [run.name for run in loaded.study.runs if "judge" in run.name]
    (scores,) = loaded.study.scores
    assert dict(scores.values["x_VQA"]) == {str(k): (k / 4,) for k in range(4)}
    assert [len(item.references) for item in loaded.study.items] == [1] * 4
    (told,) = (one for one in loaded.findings if one.code == "judged_again")
    assert told.problem.endswith(
        "repeats run x_VQA of x_VQA.xlsx with a judge's verdicts; its captions were read once, with its scores (score)."
    )


def test_other_captions_beside_verdicts_are_a_run() -> None:
    loaded = load_study([judged(TEXTS, False), judged(TEXTS[::-1], True)])
    assert loaded.study is not None
    assert [run.name for run in loaded.study.runs] == ["x_VQA", "x_VQA_gpt-4_judge"]
