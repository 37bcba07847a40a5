"""Test that records without ids are matched by a field that identifies the same items in several files."""

from __future__ import annotations

import json
from typing import Any

import pytest

from data.load import Loaded, load_study

SCENES = ("a red bus turns left", "an old man paints a fence", "two girls share an umbrella", "a cat sleeps on a roof")
TOLD = [f"Tell me about scene {k}" for k in range(4)]


def file(name: str, rows: Any) -> tuple[str, bytes]:
    return name, json.dumps(rows).encode()


def said(texts: tuple[str, ...], model: str, order: range | list[int], field: str = "instruction") -> list[Any]:
    return [{field: TOLD[k], "output": f"{model}: {texts[k]}", "generator": model} for k in order]


def by_field(loaded: Loaded, field: str = "instruction") -> dict[str, dict[str, tuple[str, ...]]]:
    assert loaded.study is not None, loaded.findings
    names = {item.id: str(item.metadata[field]) for item in loaded.study.items}
    return {run.name: {names[id]: texts for id, texts in run.candidates.items()} for run in loaded.study.runs}


def codes(loaded: Loaded) -> list[str]:
    return [one.code for one in loaded.findings]


@pytest.mark.parametrize("order", [range(4), range(3, -1, -1), [2, 0, 3, 1], [1, 2, 3]])
def test_outputs_without_ids_are_matched_by_their_instruction(order: range | list[int]) -> None:
    files = [file("a.json", said(SCENES, "a", range(4))), file("b.json", said(SCENES, "b", order))]
    files.append(file("references.json", [{"instruction": TOLD[k], "references": [SCENES[k]] * 2} for k in order]))
    loaded = load_study(files)
    both = {name: {TOLD[k]: (f"{name}: {SCENES[k]}",) for k in sorted(order)} for name in "ab"}
    assert by_field(loaded) == both
    assert loaded.study is not None
    assert {item.references for item in loaded.study.items} == {(SCENES[k],) * 2 for k in order}
    assert ("ids_by_field" in codes(loaded)) == (list(order) != [0, 1, 2, 3])


def test_a_field_whose_values_are_the_ids_of_another_file_is_the_id() -> None:
    rows = [{"scene": f"s-{k}", "output": SCENES[k]} for k in (3, 1, 0, 2)]
    known = {f"img/s-{k}.jpg": [SCENES[k], f"{SCENES[k]} now"] for k in range(4)}
    loaded = load_study([file("m.json", rows), file("references.json", known)])
    assert loaded.study is not None
    assert {item.id: item.references[0] for item in loaded.study.items} == {id: text for id, (text, _) in known.items()}
    assert {id: text for id, (text,) in loaded.study.runs[0].candidates.items()} == {
        id: text for id, (text, _) in known.items()
    }


def test_numbers_that_two_files_share_by_chance_match_nothing() -> None:
    seconds = [
        file(f"{name}.json", [{"seconds": k + start, "output": SCENES[k]} for k in range(4)])
        for name, start in zip("ab", (1, 2))
    ]
    loaded = load_study(seconds)
    assert "ids_by_field" not in codes(loaded)
    assert loaded.study is not None
    assert [dict(run.candidates) for run in loaded.study.runs] == [
        {str(k): (text,) for k, text in enumerate(SCENES, 1)}
    ] * 2


def test_a_field_with_one_value_in_all_records_matches_nothing() -> None:
    rows = [[{"prompt": "Describe", "output": f"{name} {text}"} for text in SCENES] for name in "ab"]
    loaded = load_study([file(f"{k}.json", one) for k, one in enumerate(rows)])
    assert "ids_by_field" not in codes(loaded)
    assert loaded.study is not None
    assert len(loaded.study.items) == 4


@pytest.mark.parametrize("answers", [2, 3])
def test_answers_to_one_request_are_candidates_of_one_item(answers: int) -> None:
    rows = [{"prompt": ask, "completion": f"{text} {n}"} for ask, text in zip(TOLD, SCENES) for n in range(answers)]
    loaded = load_study(file("completions.json", rows))
    assert by_field(loaded, "prompt") == {
        "completions": {ask: tuple(f"{text} {n}" for n in range(answers)) for ask, text in zip(TOLD, SCENES)}
    }
    assert "told_by" in codes(loaded)


@pytest.mark.parametrize("asked", [["Describe the scene"] * 2 + ["Tell what is there"] * 2, [*TOLD[:3], TOLD[0]]])
def test_few_or_unequal_requests_tell_no_items_apart(asked: list[str]) -> None:
    loaded = load_study(file("completions.json", [{"prompt": a, "completion": b} for a, b in zip(asked, SCENES)]))
    assert loaded.study is not None
    assert len(loaded.study.items) == 4


def test_a_stimulus_is_an_item_and_its_conditions_are_runs() -> None:
    pairs = [(f"s{k}", how, f"{SCENES[k]} {how}") for k in range(4) for how in ("careful", "fast")]
    rows = [dict(zip(("stimulus", "condition", "response"), one)) | {"gold": SCENES[int(one[0][1])]} for one in pairs]
    study = load_study(file("r.json", rows)).study
    assert study is not None
    runs = {how: {id: (text,) for id, of, text in pairs if of == how} for how in ("careful", "fast")}
    assert {run.name: dict(run.candidates) for run in study.runs} == runs
    assert [item.references for item in study.items] == [(text,) for text in SCENES]
