"""Test several samples of one item with numbered ids, and ids that are the same in other files."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from data.load import load_study
from tests.data.test_any_records import IDS, KNOWN, SAID, WRITTEN

NUMBERED = [(id, k, f"{text} {k}") for k in (1, 0) for id, text in zip(IDS, SAID)]
"""Samples (id, number, caption) that are not in the order of their numbers."""


def answer(id: str, text: str) -> dict[str, Any]:
    said = {"model": "gpt-4o", "choices": [{"index": 0, "message": {"role": "assistant", "content": text}}]}
    return {"id": f"b{id}", "custom_id": id, "response": {"status_code": 200, "body": said}}


def lines(rows: list[dict[str, Any]]) -> bytes:
    return "\n".join(map(json.dumps, rows)).encode()


@pytest.mark.parametrize("first", [0, 1])
def test_answers_of_a_batch_are_samples_of_one_item(first: int) -> None:
    rows = [answer(f"{id}#{k + first}", text) for id, k, text in NUMBERED]
    found = load_study([("out.jsonl", lines(rows)), KNOWN])
    assert found.study is not None
    (run,) = found.study.runs
    assert run.candidates == {id: (f"{text} 0", f"{text} 1") for id, text in zip(IDS, SAID)}
    (said,) = [one for one in found.findings if one.code == "samples_joined"]
    assert (said.file, said.id, said.count) == ("out.jsonl", f"{IDS[0]}#{1 + first}", len(rows))
    (said,) = [one for one in found.findings if one.code == "differing_columns"]
    assert said.problem.endswith(": id.")


@pytest.mark.parametrize("ending", ["_{}", "-s{}", "::sample_{}"])
def test_other_endings_number_samples_of_items_whose_references_lack_them(ending: str) -> None:
    """Two models were asked with the same ids; without references, each id is an item."""
    rows = [answer(id + ending.format(k), text) for id, k, text in NUMBERED]
    files = [(f"{name}.jsonl", lines(rows).replace(b"gpt-4o", name.encode())) for name in ("m", "n")]
    found, alone = load_study([*files, KNOWN]).study, load_study(files).study
    assert found is not None
    assert [run.candidates for run in found.runs] == [
        {id: (f"{text} 0", f"{text} 1") for id, text in zip(IDS, SAID)}
    ] * 2
    assert alone is not None
    assert len(alone.items) == len(rows)


def test_ratings_of_samples_stay_with_their_caption() -> None:
    rows = [f"{id}#{k},m,{text},{k + 1}" for id, k, text in NUMBERED]
    found = load_study([("s.csv", "\n".join(["id,model,caption,fluency", *rows]).encode()), KNOWN])
    assert found.study is not None
    assert found.study.runs[0].human == {id: {"fluency": [{"": 1.0}, {"": 2.0}]} for id in IDS}


@pytest.mark.parametrize("folders", [("m/", "n/"), ("out/m/", "out/n/"), ("out\\m\\", "out\\n\\")])
def test_folders_that_the_references_lack_are_runs_with_their_ratings(folders: tuple[str, str]) -> None:
    """Without references, or if one folder has only few of the items, each id is an item."""
    rows = [
        f"{folder}{id}.jpg,{text} {folder[-2]},{k}"
        for k, folder in enumerate(folders, 1)
        for id, text in zip(IDS, SAID)
    ]
    table = ["image,caption,fluency,CIDEr", *(f"{row},0.{row[-1]}" for row in rows)]
    found = load_study([("s.csv", "\n".join(table).encode()), KNOWN]).study
    assert found is not None
    assert {run.model[-1]: run.candidates for run in found.runs} == {
        name: {id: (f"{text} {name}",) for id, text in zip(IDS, SAID)} for name in "mn"
    }
    assert [run.human for run in found.runs] == [{id: {"fluency": {"": k}} for id in IDS} for k in (1.0, 2.0)]
    assert [*found.scores[0].values.values()] == [dict.fromkeys(IDS, (k,)) for k in (0.1, 0.2)]
    for files in ([table], [[*table[: len(IDS) + 2]], KNOWN]):
        other = load_study([("s.csv", "\n".join(files[0]).encode()), *files[1:]]).study
        assert other is None or len(other.runs) == 1


@pytest.mark.parametrize("ids", [["a#0", "a#2"], ["a#0", "b"], ["a#0", "b#0"], ["a#7", "a#8"]])
def test_ids_that_do_not_count_captions_are_items(ids: list[str]) -> None:
    rows = [{"image_id": id, "caption": f"a dog {k}"} for k, id in enumerate(ids)]
    found = load_study([("m.json", json.dumps(rows).encode())])
    assert found.study is not None
    assert [item.id for item in found.study.items] == ids


def test_numbered_ids_that_another_file_has_are_items() -> None:
    rows = [{"image_id": f"a#{k}", "caption": f"a dog {k}"} for k in (0, 1)]
    people = {f"a#{k}": [f"one dog {k}"] for k in (0, 1)}
    found = load_study([("m.json", json.dumps(rows).encode())], references=[("r.json", json.dumps(people).encode())])
    assert found.study is not None
    assert [item.id for item in found.study.items] == ["a#0", "a#1"]


THINGS = ["red kite", "grey cat", "old train", "small boat", "tall horse", "green bus", "wet dog"]
SOUNDS = ["loud engine", "soft rain", "high whistle", "low hum", "far bell", "fast drum", "dry cough"]


def people(things: list[str], words: str) -> bytes:
    return json.dumps({str(k): [f"{words} {thing}"] for k, thing in enumerate(things)}).encode()


@pytest.mark.parametrize(
    ("second", "warned"),
    [(people(THINGS, "somebody sees one"), False), (people(SOUNDS, "a"), True), (people(SOUNDS, "one hears"), True)],
)
def test_equal_ids_with_other_references_are_a_warning(second: bytes, warned: bool) -> None:
    run = ("blip.json", people(THINGS, "this is a"))
    found = load_study([run], references=[("one.json", people(THINGS, "a")), ("two.json", second)])
    assert found.study is not None
    told = [(one.file, one.severity) for one in found.findings if one.code == "references_of_others"]
    assert told == ([("two.json", "warning")] if warned else [])
    assert all(len(item.references) == 2 for item in found.study.items)


@pytest.mark.parametrize("mark", ["{k}: {text}", "{text}", "{k}\t{text}"])
def test_comments_above_lines_are_no_captions(mark: str) -> None:
    rows = [mark.format(k=k, text=text) for k, text in enumerate(SAID, 1)]
    told = {str(k): [*refs] for k, refs in enumerate(WRITTEN, 1)}
    content = "\n".join(["# our captions", "# of 2024", *rows, ""]).encode()
    found = load_study([("m.txt", content), ("references.json", json.dumps(told).encode())])
    assert found.study is not None
    assert found.study.runs[0].candidates == {str(k): (text,) for k, text in enumerate(SAID, 1)}
    (said,) = [one.problem for one in found.findings if one.code == "comment_lines"]
    assert said.endswith(": # our captions # of 2024.")


def test_a_hash_in_captions_is_no_comment() -> None:
    rows = ["# a sign", "two dogs", "# another sign"]
    found = load_study([("m.txt", "\n".join(rows).encode())])
    assert found.study is not None
    assert [texts for (texts,) in found.study.runs[0].candidates.values()] == rows


def test_details_of_lighteval_are_named_by_the_folder_of_their_model(tmp_path: Path) -> None:
    rows = [
        {"doc": {"id": id, "choices": list(refs)}, "model_response": {"text": [text]}}
        for id, text, refs in zip(IDS, SAID, WRITTEN)
    ]
    out = io.BytesIO()
    pd.DataFrame(rows).to_parquet(out)
    folder = tmp_path / "results" / "details" / "org" / "some-model" / "2025-01-01T00-00-00.0"
    folder.mkdir(parents=True)
    (folder / "details_coco_2025-01-01T00-00-00.0.parquet").write_bytes(out.getvalue())
    found = load_study([next(folder.iterdir())])
    assert found.study is not None
    assert [run.name for run in found.study.runs] == ["some-model"]


@pytest.mark.parametrize("choices", [1, 2])
@pytest.mark.parametrize("turns", [1, 2])
def test_answers_of_mt_bench_are_the_last_turns(choices: int, turns: int) -> None:
    rows = [
        {
            "question_id": 81 + k,
            "answer_id": f"x{k}",
            "model_id": "vicuna-7b",
            "choices": [{"index": c, "turns": [f"{text} {c} {t}" for t in range(turns)]} for c in range(choices)],
            "tstamp": 1700000000.5 + k,
        }
        for k, text in enumerate(SAID)
    ]
    found = load_study([("model_answer.jsonl", lines(rows))])
    assert found.study is not None
    (run,) = found.study.runs
    last = {str(81 + k): tuple(f"{text} {c} {turns - 1}" for c in range(choices)) for k, text in enumerate(SAID)}
    assert (run.name, run.candidates) == ("vicuna-7b", last)


@pytest.mark.parametrize(("asked", "apart"), [("What sounds like {}?", True), ("What is {}?", False)])
def test_few_references_of_other_questions_are_of_other_items(asked: str, apart: bool) -> None:
    def task(things: list[str], question: str) -> bytes:
        told = [(k, f"a {one}", question.format(one if apart else k)) for k, one in enumerate(things[:3])]
        rows = [
            {"doc_id": k, "question": ask, "target": said, "filtered_resps": [f"it is {said}"]} for k, said, ask in told
        ]
        return "\n".join(map(json.dumps, rows)).encode()

    found = load_study([("samples_a.jsonl", task(THINGS, "What is {}?")), ("samples_b.jsonl", task(SOUNDS, asked))])
    assert found.study is not None
    assert len(found.study.items) == (6 if apart else 3)
    assert ("ids_restart" in {one.code for one in found.findings}) == apart
