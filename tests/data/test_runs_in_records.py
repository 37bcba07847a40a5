"""Test that each of several runs in one record keeps its name, settings and captions."""

from __future__ import annotations

import io
import json
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cli.file_options import columns_of
from data.formats.nesting import whole_runs
from data.load import Columns, load_study
from data.study import Study
from tests.data.test_any_records import IDS, SAID, WRITTEN

OTHER = tuple(f"{text} again" for text in SAID)
REFERENCES = {id: tuple(refs) for id, refs in zip(IDS, WRITTEN)}


def read(value: Any, lines: bool = False) -> tuple[Study, list[str]]:
    content = "\n".join(map(json.dumps, value)) if lines else json.dumps(value)
    loaded = load_study([("captions.json", content.encode())])
    assert loaded.study is not None
    return loaded.study, [finding.code for finding in loaded.findings]


def records(field: str, name: str, text: str, as_list: bool = False, **beside: str) -> list[dict[str, Any]]:
    """Return one record per item with captions by two runs under `field`: one caption each, or two if `as_list`."""

    def said(run: str, caption: str) -> dict[str, Any]:
        return {name: run, text: [caption, f"{caption} twice"] if as_list else caption}

    names = beside or {"references": "references"}
    return [
        {"id": id, names["references"]: WRITTEN[k], field: [said("blip", SAID[k]), said("git", OTHER[k])]}
        for k, id in enumerate(IDS)
    ]


BY_OBJECT = [
    {"id": id, "references": WRITTEN[k], "outputs": {"blip": {"caption": SAID[k]}, "git": {"caption": OTHER[k]}}}
    for k, id in enumerate(IDS)
]
LAYOUTS: dict[str, Any] = {
    "models by name": records("models", "name", "caption"),
    "predictions with their model": records("predictions", "model", "caption"),
    "outputs of systems, in an object": {"images": records("outputs", "system", "text")},
    "methods, in items": {"dataset": "x", "items": records("results", "method_name", "output")},
    "captions by people beside them": records("models", "name", "caption", references="captions"),
    "records by id": {row["id"]: {key: one for key, one in row.items() if key != "id"} for row in BY_OBJECT},
    "an object of runs": BY_OBJECT,
    "an object of captions by model": [
        {"id": id, "references": WRITTEN[k], "model_captions": {"blip": SAID[k], "git": OTHER[k]}}
        for k, id in enumerate(IDS)
    ],
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_each_run_keeps_its_name(layout: str) -> None:
    """Records that list runs were once rejected, or silently read as several captions by one run."""
    study, codes = read(LAYOUTS[layout])
    said = {run.name: dict(run.candidates) for run in study.runs}
    assert said == {"blip": {id: (t,) for id, t in zip(IDS, SAID)}, "git": {id: (t,) for id, t in zip(IDS, OTHER)}}
    assert {item.id: item.references for item in study.items} == REFERENCES
    assert not {"references_repeated", "ignored_columns"} & set(codes)


@pytest.mark.parametrize("lines", [False, True])
def test_several_captions_of_each_run(lines: bool) -> None:
    study, _ = read(records("runs", "model", "captions", as_list=True), lines)
    assert [len(texts) for run in study.runs for texts in run.candidates.values()] == [2] * 2 * len(IDS)
    assert {item.id: item.references for item in study.items} == REFERENCES


def test_parquet_keeps_runs_apart_too() -> None:
    pq.write_table(pa.Table.from_pylist(records("predictions", "model", "caption")), file := io.BytesIO())
    study = load_study([("captions.parquet", file.getvalue())]).study
    assert study is not None
    assert {run.name: run.candidates[IDS[1]] for run in study.runs} == {"blip": (SAID[1],), "git": (OTHER[1],)}


def test_settings_tell_runs_apart() -> None:
    made = [
        {"id": id, "references": WRITTEN[k], "captions": [{"temperature": t, "text": SAID[k]} for t in (0.5, 0.5, 1.0)]}
        for k, id in enumerate(IDS)
    ]
    study, _ = read(made)
    assert {run.settings.temperature: len(run.candidates[IDS[0]]) for run in study.runs} == {0.5: 2, 1.0: 1}


def test_what_people_wrote_twice_counts_twice() -> None:
    made = records("models", "name", "caption")
    made[0]["references"] = ["a dog", "a dog", "a cat"]
    study, _ = read(made)
    assert study.items[0].references == ("a dog", "a dog", "a cat")


@pytest.mark.parametrize("field", ["seed", "model"])
def test_samples_of_one_run_stay_together(field: str) -> None:
    made = [
        {"id": id, "references": WRITTEN[k], "candidates": [{"text": SAID[k], field: str(s)} for s in seeds]}
        for k, id in enumerate(IDS)
        for seeds in [(1, 2) if field == "seed" else (1, 1)]
    ]
    study, _ = read(made)
    (run,) = study.runs
    assert {len(texts) for texts in run.candidates.values()} == {2}


def by_id(texts: tuple[str, ...]) -> dict[str, list[str]]:
    return {id: [text] for id, text in zip(IDS, texts)}


def in_records(texts: tuple[str, ...]) -> list[dict[str, str]]:
    return [{"image_id": id, "caption": text} for id, text in zip(IDS, texts)]


BLIP, GIT = {"temperature": 0.5}, {"temperature": 0.7}
WHOLE: dict[str, Any] = {
    "parallel lists": {"ids": IDS, "references": WRITTEN, "models": {"blip": SAID, "git": OTHER}},
    "runs with captions by id": {
        "references": REFERENCES,
        "runs": [{"name": "blip", **BLIP, "captions": by_id(SAID)}, {"name": "git", **GIT, "captions": by_id(OTHER)}],
    },
    "runs with records": {
        "gt": REFERENCES,
        "systems": [
            {"model": "blip", "config": BLIP, "results": in_records(SAID)},
            {"model": "git", "config": GIT, "results": in_records(OTHER)},
        ],
    },
    "records of people and of runs": {
        "experiment": "captions",
        "settings": {"date": "today", "beam": 5},
        "gold": [{"img": id, "texts": texts} for id, texts in REFERENCES.items()],
        "systems": [
            {
                "name": "blip",
                "decoding": {**BLIP, "n": 1},
                "outputs": [{"img": k, "texts": [t]} for k, t in zip(IDS, SAID)],
            },
            {"name": "git", "decoding": GIT, "outputs": [{"img": k, "texts": [t]} for k, t in zip(IDS, OTHER)]},
        ],
    },
    "an object of runs with settings": {
        "references": REFERENCES,
        "models": {"blip": {**BLIP, "captions": by_id(SAID)}, "git": {**GIT, "captions": by_id(OTHER)}},
    },
}


@pytest.mark.parametrize("layout", WHOLE)
def test_runs_that_hold_all_of_their_captions(layout: str) -> None:
    """The contents of `runs` or `models` were once silently dropped, or read as a record without an item."""
    study, codes = read(WHOLE[layout])
    assert {run.model: dict(run.candidates) for run in study.runs} == {
        "blip": {id: (t,) for id, t in zip(IDS, SAID)},
        "git": {id: (t,) for id, t in zip(IDS, OTHER)},
    }
    told = [run.settings.temperature for run in study.runs]
    assert told == ([None, None] if layout == "parallel lists" else [0.5, 0.7])
    assert {item.id: item.references for item in study.items} == REFERENCES
    assert not {"references_repeated", "ignored_columns"} & set(codes)


def test_a_list_of_runs_without_references() -> None:
    value = [{"model": "blip", "results": in_records(SAID)}, {"model": "git", "results": in_records(OTHER)}]
    files = [("runs.json", json.dumps(value).encode()), ("references.json", json.dumps(REFERENCES).encode())]
    study = load_study(files).study
    assert study is not None
    assert [run.model for run in study.runs] == ["blip", "git"]
    assert study.runs[1].candidates[IDS[0]] == (OTHER[0],)


def test_an_item_that_no_run_describes_is_told() -> None:
    value = {**WHOLE["runs with captions by id"], "references": {**REFERENCES, "77": ["a cow", "the cow"]}}
    study, codes = read(value)
    assert len(study.items) == len(IDS)
    assert "references_without_predictions" in codes


@pytest.mark.parametrize(
    "value",
    [
        [{"name": f"{id}.jpg", "captions": [SAID[k], OTHER[k]]} for k, id in enumerate(IDS)],
        [{"name": f"{id}.jpg", "captions": {"blip": SAID[k], "git": OTHER[k]}} for k, id in enumerate(IDS)],
        {"references": REFERENCES, "predictions": {IDS[0]: {"blip": "a", "git": "b", "vit": "c"}}},
        {"id": dict(enumerate(IDS)), "caption": dict(enumerate(SAID)), "references": dict(enumerate(WRITTEN))},
        [{"name": id, "captions": [{"id": f"{id} {c}", "caption": SAID[k]} for c in "ab"]} for k, id in enumerate(IDS)],
    ],
)
def test_items_with_names_are_no_runs(value: Any) -> None:
    assert whole_runs.rows(value) is None


@pytest.mark.parametrize("name", ["image", "file_name"])
def test_captions_by_setting_of_items_that_are_named_by_their_picture(name: str) -> None:
    made = [
        {name: id, "refs": WRITTEN[k], "generated": {"greedy": SAID[k], "nucleus": [OTHER[k]] * 2}}
        for k, id in enumerate(IDS)
    ]
    study, _ = read(made)
    assert {run.name: len(run.candidates[study.items[0].id]) for run in study.runs} == {"greedy": 1, "nucleus": 2}
    assert len(study.items) == len(IDS)


def message(text: str, **beside: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": [{"type": "text", "text": text}], **beside}


MODEL = {"model": "lab-x-4"}
ANSWERS: dict[str, Any] = {
    "Anthropic": lambda text: {"result": {"type": "succeeded", "message": message(text, id="msg_1", **MODEL)}},
    "Bedrock": lambda text: {"modelInput": {"max_tokens": 9}, "modelOutput": message(text, **MODEL)},
    "Cohere": lambda text: {"response": {**MODEL, "message": message(text)}},
    "Gemini": lambda text: {
        "response": {
            "candidates": [{"content": {"role": "model", "parts": [{"text": text}]}}],
            "modelVersion": "lab-x-4",
        }
    },
    "Ollama": lambda text: {"response": {**MODEL, "message": {"role": "assistant", "content": text}}},
    "OpenAI": lambda text: {"response": {"body": {**MODEL, "choices": [{"message": message(text)}]}}},
    "OpenAI, responses": lambda text: {
        "response": {"body": {**MODEL, "output": [{"type": "message", **message(text)}]}}
    },
    "turns": lambda text: {"messages": [{"role": "user", "content": "Describe it."}, message(text, **MODEL)]},
}


@pytest.mark.parametrize("service", ANSWERS)
def test_an_answer_names_its_model(service: str) -> None:
    study, _ = read([{"custom_id": id, **ANSWERS[service](text)} for id, text in zip(IDS, SAID)], lines=True)
    assert [(run.name, run.model, run.candidates) for run in study.runs] == [
        ("lab-x-4", "lab-x-4", {id: (text,) for id, text in zip(IDS, SAID)})
    ]


def test_an_answer_states_its_settings() -> None:
    rows = [{"custom_id": id, "message": message(text, temperature=0.5, **MODEL)} for id, text in zip(IDS, SAID)]
    (run,) = read(rows, lines=True)[0].runs
    assert (run.model, run.settings.temperature) == ("lab-x-4", 0.5)


@pytest.mark.parametrize("name", ["sys", "captioner ", "m", "method_", "baseline", "run "])
@pytest.mark.parametrize("apart", [False, True])
def test_numbered_systems_are_a_run_each(name: str, apart: bool) -> None:
    """The references may be in another file, and the name of the fields may resemble a known word, such as
    `captioner`.
    """
    said = [f"{name}{k}" for k in (1, 2)]
    header, people = ["image", *said], [f"people see item {k} here" for k in range(4)]
    rows = [[f"{k}.jpg", *(f"run {one} sees item {k}" for one in said)] for k in range(4)]
    if apart:
        refs = [("refs.json", json.dumps({f"{k}.jpg": [text] for k, text in enumerate(people)}).encode())]
    else:
        header, rows, refs = [*header, "reference"], [[*row, text] for row, text in zip(rows, people)], []
    made = "\n".join(",".join(row) for row in [header, *rows])
    loaded = load_study([("out.csv", made.encode()), *refs])
    assert loaded.study is not None
    assert [[*run.candidates.values()] for run in loaded.study.runs] == [[(row[n],) for row in rows] for n in (1, 2)]
    assert not {"misspelt_columns", "numbered_columns"} & {one.code for one in loaded.findings}


@pytest.mark.parametrize("name", ["caption", "candidate_", "sample", "pred", "output ", "hyp"])
def test_numbered_captions_are_those_of_one_run_without_a_warning(name: str) -> None:
    rows = [
        f"image,reference,{name}1,{name}2",
        *(f"{k}.jpg,people see {k},a sees {k} now,b sees {k} now" for k in "123"),
    ]
    loaded = load_study([("out.csv", "\n".join(rows).encode())])
    assert loaded.study is not None
    (run,) = loaded.study.runs
    assert run.candidates["1.jpg"] == ("a sees 1 now", "b sees 1 now")
    assert "numbered_columns" not in {one.code for one in loaded.findings}


def test_numbers_are_captions_where_a_person_says_so() -> None:
    content = b"id,caption\n1,0.5\n2,3\n"
    assert load_study([("x.csv", content)]).study is None
    assert load_study([("x.csv", content)], columns=Columns(captions=("caption",))).study is not None


def test_sentences_beside_references_are_a_run_under_any_name() -> None:
    """The input of SPICE has this layout; `split`, which is a single word, is metadata of the item."""
    rows = [
        {"image_id": k, "split": "val", "test": f"{text} is seen", "refs": [f"{text} here", f"the {text}"]}
        for k, text in enumerate(["a dog", "two cats", "an old car"])
    ]
    study, _ = read(rows)
    (run,) = study.runs
    assert [*run.candidates.values()] == [("a dog is seen",), ("two cats is seen",), ("an old car is seen",)]
    assert [item.references for item in study.items] == [tuple(row["refs"]) for row in rows]


def test_a_person_says_whether_numbered_columns_are_runs() -> None:
    rows = ["image,reference,v1,v2", *(f"{k}.jpg,people see {k},a sees {k} now,b sees {k} now" for k in "123")]
    file = ("out.csv", "\n".join(rows).encode())
    (warned,) = (one for one in load_study([file]).findings if one.code == "numbered_columns")
    option = warned.repair.rpartition("--map ")[2].rstrip(".")
    assert option == "candidates=v1,candidates=v2"
    for given, runs in ((option, 2), ("candidates=v1+v2", 1)):
        found = load_study([file], columns=columns_of(given)).study
        assert found is not None
        assert len(found.runs) == runs
        texts = [text for run in found.runs for text in run.candidates["1.jpg"]]
        assert texts == ["a sees 1 now", "b sees 1 now"]
