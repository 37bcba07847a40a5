"""Test files of numbers that evaluation programs write next to captions: totals, and results of whole runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cli.app import app
from cli.file_options import columns_of
from data.load import load_study
from tests.data.sheets import workbook
from tests.data.test_any_records import IDS, SAID, WRITTEN

ROWS = [["index", "answer", "prediction"], *([str(k), str([*WRITTEN[k]]), SAID[k]] for k in range(3))]
PREDICTIONS = ("qwen_COCO_VAL.xlsx", workbook(Sheet1=ROWS))
TOTALS: dict[str, tuple[str, bytes]] = {
    "by metric": ("qwen_COCO_VAL_score.json", b'{"Bleu": [61.0, 42.5], "ROUGE_L": 45.2, "CIDEr": 88.0}'),
    "named as metrics": ("eval.json", b'{"testlen": 100, "reflen": 90, "CIDEr": 1}'),
    "a row of a split": ("qwen_COCO_VAL_acc.csv", b'"split","Overall","coarse"\n"none","0.55","0.6"\n'),
    "a row for each category": ("qwen_COCO_VAL_score.csv", b"category,tot,acc\nOverall,10,50.0\ncoarse one,4,75.0\n"),
    "a row for each metric": ("metrics.json", b'[{"metric": "CIDEr", "value": 0.5}, {"metric": "BLEU", "value": 1}]'),
    "lines": ("qwen_acc.txt", b"CIDEr: 0.88\nBLEU-4 = 31.5\n"),
    "a list": ("scores.json", b"[0.5, 0.25]"),
}


def test_totals_of_categories_are_one_warning() -> None:
    rows = [ROWS[0], *([str(k), f"a reference {k}", f"a dog {k}"] for k in range(9))]
    rating = ("x_rating.json", b'{"overall": {"CP": 1.5, "FP-S": 2}, "coarse": {"CP": 1.2}}')
    loaded = load_study([("x.xlsx", workbook(S=rows)), ("y.xlsx", workbook(S=[*rows[:9], ["8", "", "a cat"]])), rating])
    assert loaded.study is not None
    (one,) = (one for one in loaded.findings if one.file == "x_rating.json")
    assert (one.severity, one.code) == ("warning", "numbers_left")
    assert "numbers (CP, FP-S)" in one.problem
    assert (loaded.errors, loaded.unread, loaded.study.scores) == ((), (), ())
    misnamed = ("scores.json", b'{"item 0": {"CP": 1.5}, "item 1": {"CP": 1}}')
    found = load_study([("x.xlsx", workbook(S=rows)), misnamed])
    assert "numbers_left" not in {one.code for one in found.findings}, "ids with digits are no categories"


@pytest.mark.parametrize("name", TOTALS)
def test_totals_beside_captions_are_a_warning_and_no_failure(name: str, tmp_path: Path) -> None:
    file = TOTALS[name]
    loaded = load_study([PREDICTIONS, file])
    assert loaded.study is not None
    assert {run.name: [*run.candidates.values()] for run in loaded.study.runs} == {
        "qwen_COCO_VAL": [(text,) for text in SAID]
    }
    assert [(one.severity, one.code) for one in loaded.findings if one.file == file[0]] == [("warning", "numbers_left")]
    assert (loaded.errors, loaded.unread) == ((), ())
    for path, content in (PREDICTIONS, file):
        (tmp_path / path).write_bytes(content)
    result = CliRunner().invoke(app, ["check", *(str(tmp_path / path) for path, _ in (PREDICTIONS, file))])
    assert result.exit_code == 0, result.output
    assert "it was not used" in " ".join(result.output.split())


@pytest.mark.parametrize("name", TOTALS)
def test_alone_they_are_refused(name: str) -> None:
    loaded = load_study([TOTALS[name]])
    assert loaded.study is None
    assert loaded.errors


@pytest.mark.parametrize(
    "file",
    [
        ("m.csv", b"wort,farbe,anteil\nHund,braun,0.5\nKatze,grau,0.25\n"),
        ("m.csv", b"stelle;anteil\n0;0.5\n1;0.25\n2;0.75\n"),
        ("m.csv", b"alpha,beta\n1,2\n"),
        ("m.json", b'"a dog runs"'),
        ("m.csv", b"index,caption\n0,0.5\n1,0.25\n2,0.75\n"),
    ],
    ids=["words that may be captions", "rows of the items", "numbers of no metric", "a text", "named as captions"],
)
def test_what_may_hold_captions_or_scores_of_items_stays_refused(file: tuple[str, bytes]) -> None:
    loaded = load_study([PREDICTIONS, file])
    assert loaded.unread == (file[0],)
    assert "numbers_left" not in {one.code for one in loaded.findings}


def test_a_map_still_reads_the_captions_of_a_file_of_words_and_numbers() -> None:
    file = ("m.csv", b"wort,anteil\nHund,0.5\nKatze,0.25\nVogel,0.75\n")
    assert "numbers_left" in {one.code for one in load_study([PREDICTIONS, file]).findings}
    loaded = load_study([PREDICTIONS, file], columns=columns_of("candidates=wort"))
    assert loaded.study is not None
    assert [of for run in loaded.study.runs for of in run.candidates.values()][3:] == [
        ("Hund",),
        ("Katze",),
        ("Vogel",),
    ]


def samples(**beside: float) -> bytes:
    rows = [
        {"doc_id": id, "doc": {"captions": [*refs]}, "filtered_resps": [text], **beside}
        for id, refs, text in zip(IDS, WRITTEN, SAID)
    ]
    return "\n".join(map(json.dumps, rows)).encode()


def results(tasks: dict[str, dict[str, Any]], **more: Any) -> bytes:
    settings = {"configs": {name: {"generation_kwargs": {"temperature": 0.5}} for name in tasks}}
    return json.dumps({"results": tasks, **settings, "config": {"seed": 1}, "model_name": "lab/m", **more}).encode()


TIME = "2025-05-01T10-00-00.123"
OF_TASK = {"alias": "coco", "bleu,none": 0.25, "bleu_stderr,none": 0.0125, "ter,none": 12.5, "rouge,none": "N/A"}


@pytest.mark.parametrize(
    "names", [(f"samples_coco_{TIME}", f"results_{TIME}"), ("20250501_100000_samples_coco", "20250501_100000_results")]
)
def test_results_of_a_harness_are_scores_of_the_run_whose_samples_have_their_time(names: tuple[str, str]) -> None:
    of_task = results({"coco": OF_TASK}, higher_is_better={"coco": {"bleu": True, "ter": False}})
    loaded = load_study([(f"{names[0]}.jsonl", samples()), (f"{names[1]}.json", of_task)])
    assert loaded.study is not None
    (run,) = loaded.study.runs
    assert (run.name, [*run.candidates.values()]) == ("lab/m", [(text,) for text in SAID])
    found = {one.name: (one.grain, one.higher_is_better, one.values["lab/m"]) for one in loaded.study.scores}
    assert found == {"bleu": ("run", True, {"": (0.25,)}), "ter": ("run", False, {"": (12.5,)})}
    assert not [one for one in loaded.findings if one.code.startswith("score_")]


def test_several_tasks_and_filters_name_their_metrics_apart() -> None:
    tasks = {"a": {"bleu,none": 0.5}, "b": {"bleu,none": 0.25, "exact,strict": 1, "exact,loose": 0.5}}
    loaded = load_study([("lab/m.jsonl", samples()), ("r.json", results(tasks, model_name="m"))])
    assert loaded.study is not None
    assert {one.name: one.values["m"][""][0] for one in loaded.study.scores} == {
        "a.bleu": 0.5,
        "b.bleu": 0.25,
        "b.exact_strict": 1.0,
        "b.exact_loose": 0.5,
    }


def test_samples_of_two_tasks_of_one_model_keep_their_own_names() -> None:
    files = [(f"samples_{task}_{TIME}.jsonl", samples(version=k)) for k, task in enumerate("ab")]
    study = load_study([*files, (f"results_{TIME}.json", results({"a": OF_TASK}))]).study
    assert study is not None
    assert [run.name.partition("_2025")[0] for run in study.runs] == ["samples_a", "samples_b"]
