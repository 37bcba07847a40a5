"""Test results of promptfoo by version: records of answers, and tables with a column for each provider."""

from __future__ import annotations

import json
from typing import Any

import pytest

from data.load import load_study
from tests.data.test_any_records import IDS, KNOWN, SAID, WRITTEN

PROVIDERS = ("openai:a", "openai:b")
PROMPT = "Describe {{image}}"


def said(id: str, provider: str) -> str:
    return f"{SAID[IDS.index(id)]} by {provider[-1]}"


def table(prompts: str = "object", plain: bool = False, names: tuple[str, ...] = ("image",)) -> dict[str, Any]:
    shown = [f"[{provider}] {PROMPT}" for provider in PROVIDERS]
    heads: dict[str, list[Any]] = {
        "text": [*shown],
        "display": [{"raw": PROMPT, "display": text} for text in shown],
        "object": [{"provider": one, "raw": PROMPT, "label": PROMPT, "display": one} for one in PROVIDERS],
    }
    rows = [
        {
            "outputs": [
                said(id, one)
                if plain
                else {"text": said(id, one), "pass": True, "score": 0.5, "prompt": f"Describe {id}"}
                for one in PROVIDERS
            ],
            "vars": [id, *([WRITTEN[k][0]] if len(names) > 1 else [])],
            "test": {"vars": {"image": id}},
        }
        for k, id in enumerate(IDS)
    ]
    return {"head": {"prompts": heads[prompts], "vars": [*names]}, "body": rows}


RECORDS = [
    {"provider": {"id": one}, "prompt": {"label": PROMPT}, "vars": {"image": id}, "response": {"output": said(id, one)}}
    for id in IDS
    for one in PROVIDERS
]
STATS = {"successes": 6, "failures": 0}
RESULTS: dict[str, Any] = {
    "records alone": {"results": {"version": 3, "results": RECORDS, "stats": STATS}, "config": {}},
    "records and a table": {"results": {"version": 2, "results": RECORDS, "table": table()}, "config": {}},
    "a table in the results": {"results": {"version": 2, "table": table(), "stats": STATS}, "config": {}},
    "a table and no records": {"results": {"version": 1, "results": [], "table": table("display")}},
    "a table at the top": {"version": 1, "results": [], "table": table("display"), "stats": STATS},
    "a table of texts": {"table": table("text", plain=True)},
    "the table itself": table("text", plain=True),
}
EXPECTED = {one: {id: (said(id, one),) for id in IDS} for one in PROVIDERS}


def read(value: Any) -> dict[str, dict[str, tuple[str, ...]]]:
    loaded = load_study([("output.json", json.dumps(value).encode()), KNOWN])
    assert loaded.study is not None, loaded.findings
    return {run.name: dict(run.candidates) for run in loaded.study.runs}


@pytest.mark.parametrize("name", RESULTS)
def test_each_provider_is_a_run_in_every_version(name: str) -> None:
    assert read(RESULTS[name]) == EXPECTED


def test_references_may_stand_in_a_variable() -> None:
    loaded = load_study([("output.json", json.dumps(table(names=("image", "reference"))).encode())])
    assert loaded.study is not None
    assert {item.id: item.references for item in loaded.study.items} == {
        id: (refs[0],) for id, refs in zip(IDS, WRITTEN)
    }


def test_two_prompts_of_one_provider_are_two_runs() -> None:
    value = table("display")
    value["head"]["prompts"] = [{"raw": raw, "display": f"[openai:a] {raw}"} for raw in ("Describe it.", "In short.")]
    assert read(value) == {
        f"openai:a@prompt.label={raw}": EXPECTED[one] for raw, one in zip(("Describe it.", "In short."), PROVIDERS)
    }


def test_the_reason_of_a_failure_is_no_part_of_the_answer() -> None:
    value = table()
    value["body"][0]["outputs"][0] |= {"pass": False, "text": f"Expected a cat\n---\n{said(IDS[0], PROVIDERS[0])}"}
    value["body"][1]["outputs"][1] |= {"pass": False}
    assert read(value) == EXPECTED


@pytest.mark.parametrize(
    "cell",
    [
        {"failureReason": 2, "text": "TypeError: fetch failed"},
        {"error": "TypeError: fetch failed", "text": "TypeError: fetch failed"},
        {"error": "429", "text": "Expected a cat\n---\n429"},
    ],
)
def test_an_error_in_place_of_an_answer_is_no_caption(cell: dict[str, Any]) -> None:
    value = table()
    value["body"][1]["outputs"][1] = {"pass": False, "score": 0, **cell}
    loaded = load_study([("output.json", json.dumps(value).encode()), KNOWN])
    assert loaded.study is not None
    assert {run.name: dict(run.candidates) for run in loaded.study.runs} == {
        one: {id: texts for id, texts in of.items() if id != IDS[1]} for one, of in EXPECTED.items()
    }
    assert [one.count for one in loaded.findings if one.code == "failed_request"] == [1]


def test_the_reason_why_an_empty_answer_failed_is_no_caption() -> None:
    value = table()
    value["body"][1]["outputs"][1] = {"pass": False, "text": "Expected a cat\n---\n"}
    assert not any("Expected" in text for of in read(value).values() for texts in of.values() for text in texts)


def test_a_table_with_rows_of_another_shape_is_left_to_other_readers() -> None:
    value = table()
    value["body"][2]["outputs"].pop()
    assert not set(read(value)) & set(PROVIDERS)


@pytest.mark.parametrize("kind", [name for name in RESULTS if name not in ("the table itself",)])
@pytest.mark.parametrize("form", ["ids", "labels", "by id"])
def test_answers_have_the_settings_that_the_configuration_states_for_their_provider(kind: str, form: str) -> None:
    heats = dict(zip(PROVIDERS, (0.2, 0.9)))
    stated: list[Any] = [{"id": one, "config": {"temperature": t}} for one, t in heats.items()]
    if form == "labels":
        stated = [{"id": "openai:c", "label": one["id"], "config": one["config"]} for one in stated]
    if form == "by id":
        stated = [{one["id"]: {"config": one["config"]}} for one in stated]
    value = {**RESULTS[kind], "config": {"providers": ["openai:d", *stated]}}
    study = load_study([("results.json", json.dumps(value).encode()), KNOWN]).study
    assert study is not None
    assert {run.model: run.settings.temperature for run in study.runs} == heats
    assert {run.model: run.candidates for run in study.runs} == EXPECTED


@pytest.mark.parametrize("prompts", [("Describe",), ("Describe", "Caption")])
def test_each_prompt_to_one_provider_is_a_run_of_the_same_items_whatever_the_ids_of_answers(
    prompts: tuple[str, ...],
) -> None:
    rows = [
        {
            "id": f"r{k}{prompt}",
            "prompt": {"label": f"{prompt} {{{{image}}}}"},
            "provider": {"id": "openai:a"},
            "vars": {"image": f"{id}.png", "reference": refs[0]},
            "response": {"output": f"{text} {prompt}"},
        }
        for k, (id, text, refs) in enumerate(zip(IDS, SAID, WRITTEN))
        for prompt in prompts
    ]
    value = {"results": {"version": 3, "results": rows, "stats": STATS}}
    study = load_study([("output.json", json.dumps(value).encode())]).study
    assert study is not None
    names = [f"openai:a@prompt.label={prompt} {{{{image}}}}" for prompt in prompts] if prompts[1:] else ["openai:a"]
    assert {run.name: dict(run.candidates) for run in study.runs} == {
        name: {f"{id}.png": (f"{text} {prompt}",) for id, text in zip(IDS, SAID)}
        for name, prompt in zip(names, prompts)
    }
