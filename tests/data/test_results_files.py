"""Test results as programs write them: prompts as headers, numbered lines, films with events, and logs with few
samples.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from data.load import load_study
from tests.data.test_any_records import IDS, KNOWN, SAID, WRITTEN, csv, read, turn

LINES = ("references.txt", "\n".join(refs[0] for refs in WRITTEN).encode())
FIRST = dict(zip(IDS, SAID))


def test_columns_of_promptfoo_may_be_headed_by_objects() -> None:
    shown = [
        json.dumps({"raw": "Describe\n{{image}}", "display": f"[openai:{one}] Describe"}).replace('"', '""')
        for one in "ab"
    ]
    rows = [f'[PASS] (1.00) {text},"[FAIL] (0.00) too long\n---\n{text} too",{id}' for id, text in FIRST.items()]
    loaded = load_study([("output.csv", csv(f'"{shown[0]}","{shown[1]}",image', *rows)), KNOWN])
    assert loaded.study is not None
    assert {run.name: dict(run.candidates) for run in loaded.study.runs} == {
        "openai:a": {id: (text,) for id, text in FIRST.items()},
        "openai:b": {id: (f"{text} too",) for id, text in FIRST.items()},
    }


@pytest.mark.parametrize("count", [1, 2])
def test_prompts_with_line_breaks_head_the_answers_below_them(count: int) -> None:
    """If no provider is named, the prompts are numbered."""
    prompt = '"[\n  {""role"": ""user"", ""content"": ""Describe {{image}}""}\n]"'
    rows = [",".join([*[f"[PASS] {text}"] * count, id]) for id, text in FIRST.items()]
    loaded = load_study([("output.csv", csv(",".join([*[prompt] * count, "image"]), *rows)), KNOWN])
    assert loaded.study is not None
    assert [run.name for run in loaded.study.runs] == (["output"] if count == 1 else ["prompt:1", "prompt:2"])
    assert all(dict(run.candidates) == {id: (text,) for id, text in FIRST.items()} for run in loaded.study.runs)


@pytest.mark.parametrize("first", [0, 1, 7])
def test_numbers_before_lines_are_ids(first: int) -> None:
    """Numbers that count lines from 0 or 1 are line numbers; all others are ids."""
    text = "".join(f"{k}: {one}\n" for k, one in enumerate(SAID, first)).encode()
    loaded = load_study([("m.txt", text), *([LINES] if first < 2 else [])])
    assert loaded.study is not None
    (run,) = loaded.study.runs
    ids = IDS if first < 2 else ("7", "8", "9")
    assert dict(run.candidates) == {id: (one,) for id, one in zip(ids, SAID)}
    assert [one.code for one in loaded.findings if one.code == "numbers_taken"] == ["numbers_taken"]


@pytest.mark.parametrize("numbers", [(1, 1, 2), (3, 2, 1), (1, 2)])
def test_numbers_that_do_not_grow_belong_to_the_lines(numbers: tuple[int, ...]) -> None:
    text = "".join(f"{k}. {one}\n" for k, one in zip(numbers, SAID)).encode()
    loaded = load_study([("m.txt", text)])
    assert loaded.study is not None
    (run,) = loaded.study.runs
    assert list(run.candidates.values()) == [(f"{k}. {one}",) for k, one in zip(numbers, SAID)]


@pytest.mark.parametrize("films", [1, 2])
def test_the_only_film_keeps_its_name(films: int) -> None:
    events = [{"sentence": text, "timestamp": [k, k + 1.5]} for k, text in enumerate(SAID)]
    results = {f"v_{k}abCd": events for k in range(films)}
    loaded = load_study([("m.json", json.dumps({"version": "1.0", "results": results}).encode())])
    assert loaded.study is not None
    wanted = [f"v_{k}abCd_{n}_{n + 1.5}" for k in range(films) for n in range(3)]
    assert [item.id for item in loaded.study.items] == wanted


def test_the_samples_of_a_log_are_read_and_not_their_scores() -> None:
    turns = [turn("user", "?"), turn("assistant", SAID[0])]
    sample = {"id": 1, "input": "?", "target": WRITTEN[0][0], "messages": turns}
    reduced = [{"scorer": "match", "samples": [{"value": 0, "answer": SAID[0], "sample_id": 1}]}]
    log: dict[str, Any] = {"eval": {"model": "m"}, "results": {"sample_reductions": reduced}, "samples": [sample]}
    assert read(("log.json", json.dumps(log).encode())) == {"1": ((WRITTEN[0][0],), (SAID[0],))}


def test_a_run_named_ref_is_taken_as_peoples() -> None:
    rows = [f"{id},{run},{text}" for id, text in FIRST.items() for run in ("blip", "ref")]
    loaded = load_study([("m.csv", csv("id,system,caption", *rows))])
    (said,) = [one.problem for one in loaded.findings if one.code == "people_taken"]
    assert "named ref " in said


def test_sympathy_is_no_refusal() -> None:
    texts = ["I'm sorry to hear that.", "I am so sorry for your loss.", "I'm sorry, I cannot see the image."]
    loaded = load_study([("m.json", json.dumps(dict(zip(IDS, texts))).encode()), KNOWN])
    assert [(one.id, one.count) for one in loaded.findings if one.code == "refusal"] == [("3", 1)]


def test_several_captions_per_item_may_be_references() -> None:
    loaded = load_study([("all.json", json.dumps(dict(zip(IDS, WRITTEN))).encode())])
    (said,) = [one.repair for one in loaded.findings if one.code == "no_references"]
    assert said.endswith("If all.json holds them, give it as references.")
