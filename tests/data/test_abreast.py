"""Test texts of several runs in one record: in numbered fields, beside the runs' names, or under those names."""

from __future__ import annotations

import json
from typing import Any

import pytest

from data.check import Loaded
from data.load import load_study
from data.records import Columns
from tests.data.test_any_records import IDS, KNOWN, SAID, WRITTEN, csv

RUNS = ("blip", "llava")
TOLD = {run: {id: (f"{text} by {run}",) for id, text in zip(IDS, SAID)} for run in RUNS}


def runs(loaded: Loaded) -> dict[str, dict[str, tuple[str, ...]]]:
    assert loaded.study is not None, loaded.findings
    return {run.name: dict(run.candidates) for run in loaded.study.runs}


def numbered(k: int, text: str, run: str, **beside: Any) -> dict[str, Any]:
    """Return a record with the runs' texts in numbered fields; the order of runs changes from item to item."""
    record: dict[str, Any] = {"image_id": IDS[k], **beside}
    for n, name in enumerate(RUNS if k % 2 else RUNS[::-1], 1):
        record |= {text.format(n): TOLD[name][IDS[k]][0], run.format(n): name, f"quality_{n}": n}
    return record


@pytest.mark.parametrize("file", ["pairs.json", "annotations.json"])
@pytest.mark.parametrize(
    ("text", "run"),
    [("output_{}", "generator_{}"), ("ref{}", "sys{}"), ("caption {}", "model {}"), ("text{}", "method{}")],
)
def test_the_name_beside_each_text_is_its_run(text: str, run: str, file: str) -> None:
    loaded = load_study([(file, json.dumps([numbered(k, text, run) for k in range(3)]).encode()), KNOWN])
    assert runs(loaded) == TOLD
    assert loaded.study is not None
    rated = {one.name: {id: dict(of)["quality"] for id, of in (one.human or {}).items()} for one in loaded.study.runs}
    said = {run: [2.0, 1.0, 2.0] if run == "blip" else [1.0, 2.0, 1.0] for run in RUNS}
    assert rated == {run: {id: {"": value} for id, value in zip(IDS, of)} for run, of in said.items()}


def test_findings_name_the_fields_as_the_file_has_them() -> None:
    rows = [{**numbered(k, "output_{}", "generator_{}"), "note_1": "x", "note_2": f"y{k}"} for k in range(3)]
    told = {one.code: one.problem for one in load_study([("m.json", json.dumps(rows).encode()), KNOWN]).findings}
    assert "candidates: `output_1`, `output_2`; run: `generator_1`, `generator_2`." in told["fields_mapped"]
    assert told["ignored_columns"].endswith(": note_1, note_2.")


def test_a_table_has_runs_abreast_too() -> None:
    records = [numbered(k, "ref{}", "sys{}") for k in range(3)]
    table = csv(",".join(records[0]), *(",".join(map(str, one.values())) for one in records))
    assert runs(load_study([("quality.csv", table), KNOWN])) == TOLD


@pytest.mark.parametrize("suffix", ["csv", "json"])
@pytest.mark.parametrize(
    ("names", "setting", "values"),
    [
        (("T=0,2", "T=1,0"), "temperature", (0.2, 1.0)),
        (("0.5", "1"), "temperature", (0.5, 1.0)),
        (("top_p=0.5", "top_p=0.9"), "top_p", (0.5, 0.9)),
    ],
)
@pytest.mark.parametrize("models", [("git",), ("git", "blip")])
def test_columns_named_by_settings_are_runs_of_the_model_beside_them(
    names: tuple[str, str], setting: str, values: tuple[float, float], models: tuple[str, ...], suffix: str
) -> None:
    said = {model: {id: [f"{text} {model}{n}" for n in (1, 2)] for id, text in zip(IDS, SAID)} for model in models}
    rows = [{"Bild": id, "Modell": model, **dict(zip(names, of[id]))} for model, of in said.items() for id in IDS]
    lines = (";".join(map(str, one)) for one in ([*rows[0]], *(row.values() for row in rows)))
    content = "\n".join(lines) if suffix == "csv" else json.dumps(rows)
    loaded = load_study([(f"x.{suffix}", content.encode()), KNOWN])
    assert loaded.study is not None, loaded.findings
    found = {(run.model, getattr(run.settings, setting)): dict(run.candidates) for run in loaded.study.runs}
    assert found == {
        (model, value): {id: (texts[n],) for id, texts in of.items()}
        for model, of in said.items()
        for n, value in enumerate(values)
    }
    assert len({run.name for run in loaded.study.runs}) == len(found)


def test_a_person_may_name_the_numbered_fields() -> None:
    loaded = load_study(
        [("pairs.json", json.dumps([numbered(k, "output_{}", "generator_{}") for k in range(3)]).encode()), KNOWN],
        columns=Columns(captions=("output_1",)),
    )
    (run,) = runs(loaded).values()
    assert run == {id: TOLD[RUNS[k % 2 == 0]][id] for k, id in enumerate(IDS)}


def test_numbered_texts_without_names_are_captions_of_one_run() -> None:
    records = [{"image_id": id, "output_1": f"{text} one", "output_2": f"{text} two"} for id, text in zip(IDS, SAID)]
    (run,) = runs(load_study([("m.json", json.dumps(records).encode()), KNOWN])).values()
    assert run == {id: (f"{text} one", f"{text} two") for id, text in zip(IDS, SAID)}


def test_numbered_objects_name_their_runs() -> None:
    def summary(run: str, id: str) -> dict[str, Any]:
        return {"text": TOLD[run][id][0], "score": 5, "model": run}

    records = {id: {f"summary {n}": summary(run, id) for n, run in enumerate(RUNS, 1)} for id in IDS}
    assert runs(load_study([("m.json", json.dumps(records).encode()), KNOWN])) == TOLD


def test_runs_may_be_keys_of_what_a_model_generated() -> None:
    records = [
        {
            "doc_id": id,
            "reference": refs[0],
            "gen": {run: {"text": TOLD[run][id][0], "score": {"meteor": 0.5}} for run in RUNS},
        }
        for id, refs in zip(IDS, WRITTEN)
    ]
    loaded = load_study([("m.json", json.dumps(records).encode())])
    assert runs(loaded) == TOLD
    assert [item.references for item in loaded.study.items] == [refs[:1] for refs in WRITTEN]


def test_counted_objects_are_several_captions() -> None:
    def generated(text: str) -> dict[str, Any]:
        return {str(n): {"image_name": f"{n}.jpg", "generated_text": f"{text} {n}"} for n in range(3)}

    records = [
        {"prefix": f"p{id}", "reference": refs[0], "generated_result": generated(text)}
        for id, refs, text in zip(IDS, WRITTEN, SAID)
    ]
    (run,) = runs(load_study([("m.json", json.dumps({"results": records}).encode())])).values()
    assert run == {id: tuple(f"{text} {n}" for n in range(3)) for id, text in zip(IDS, SAID)}


@pytest.mark.parametrize("names", ["Actual German,Predicted German", "actual,generated", "actual,prediction"])
def test_actual_is_by_people_beside_what_a_model_says(names: str) -> None:
    rows = "".join(f"{id},{refs[0]},{text}\n" for id, refs, text in zip(IDS, WRITTEN, SAID))
    study = load_study([("m.csv", f"id,{names}\n{rows}".encode())]).study
    assert study is not None
    (run,) = study.runs
    assert dict(run.candidates) == {id: (text,) for id, text in zip(IDS, SAID)}
    assert [item.references for item in study.items] == [refs[:1] for refs in WRITTEN]


def test_actual_output_stays_a_models() -> None:
    rows = [{"id": id, "system_prompt": "Describe the image in words.", "actual": text} for id, text in zip(IDS, SAID)]
    study = load_study([("m.json", json.dumps(rows).encode())]).study
    assert study is not None
    assert [dict(run.candidates) for run in study.runs] == [{id: (text,) for id, text in zip(IDS, SAID)}]


@pytest.mark.parametrize("name", ["human_eval.csv", "human-ratings.csv", "human_evaluation_2.csv"])
def test_people_judge_what_models_say(name: str) -> None:
    rows = "".join(f"Rater {k},{id},{text},{k},Good answer\n" for k, (id, text) in enumerate(zip(IDS, SAID), 1))
    study = load_study([(name, f"Evaluator,id,Response,Clarity (1-5),Comments\n{rows}".encode())]).study
    assert study is not None
    assert not any(item.references for item in study.items)
    assert [dict(run.candidates) for run in study.runs] == [{id: (text,) for id, text in zip(IDS, SAID)}]


def test_a_field_is_never_replaced_by_those_that_stand_abreast() -> None:
    beside = {"output_1": "one dog runs on grass", "generator_1": "a", "output_2": "two dogs run", "generator_2": "b"}
    rows = [{"id": str(k), "candidates": f"a red dog number {k}", **beside} for k in range(4)]
    loaded = load_study([("x.json", json.dumps(rows).encode())])
    assert loaded.study is not None
    said = {text for run in loaded.study.runs for texts in run.candidates.values() for text in texts}
    assert {f"a red dog number {k}" for k in range(4)} <= said
