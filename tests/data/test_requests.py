"""Test the facts that files of requests or questions state about the answers in other files."""

from __future__ import annotations

import json
from typing import Any

import pytest

from data.load import load_study
from data.study import Study
from tests.data.test_any_records import IDS, KNOWN, SAID, WRITTEN
from tests.data.test_published_layouts import codes

TEMPERATURES = (0.2, 1.0)


def lined(name: str, rows: list[dict[str, Any]]) -> tuple[str, bytes]:
    return name, "\n".join(map(json.dumps, rows)).encode()


def asked(id: str, temperature: float, picture: str = "") -> dict[str, Any]:
    shown = [{"type": "image_url", "image_url": {"url": f"https://x.org/{picture}.jpg"}}] if picture else []
    content = [{"type": "text", "text": "Describe it."}, *shown]
    turns = [{"role": "system", "content": "You caption pictures."}, {"role": "user", "content": content}]
    body = {"model": "m", "temperature": temperature, "messages": turns}
    return {"custom_id": id, "method": "POST", "url": "/v1/chat/completions", "body": body}


def answered(id: str, text: str) -> dict[str, Any]:
    body = {"model": "m-1", "choices": [{"index": 0, "message": {"role": "assistant", "content": text}}]}
    return {"id": f"batch_{id}", "custom_id": id, "response": {"status_code": 200, "body": body}, "error": None}


def read(*files: tuple[str, bytes]) -> tuple[Study, dict[str, str]]:
    found = load_study([*files])
    assert found.study is not None
    return found.study, codes(found)


def runs(study: Study) -> dict[float | None, dict[str, tuple[str, ...]]]:
    return {run.settings.temperature: dict(run.candidates) for run in study.runs}


EXPECTED = {t: {id: (f"{text} at {t}",) for id, text in zip(IDS, SAID)} for t in TEMPERATURES}


def test_settings_of_requests_are_those_of_their_answers() -> None:
    """Two batches have the same ids, so the names of files show which requests and answers belong together."""
    files = []
    for t in TEMPERATURES:
        files.append(lined(f"batch_input_{t}.jsonl", [asked(id, t) for id in IDS]))
        files.append(lined(f"batch_output_{t}.jsonl", [answered(id, f"{text} at {t}") for id, text in zip(IDS, SAID)]))
    study, found = read(*files, KNOWN)
    assert runs(study) == EXPECTED
    assert "run_name_taken" not in found
    alone, _ = read(*files[:2], KNOWN)
    assert runs(alone) == {0.2: EXPECTED[0.2]}


def test_answers_at_two_temperatures_about_one_picture_are_two_runs() -> None:
    pairs = [(t, f"r-{k}-{t}", id, text) for t in TEMPERATURES for k, (id, text) in enumerate(zip(IDS, SAID))]
    requests = lined("in.jsonl", [asked(key, t, id) for t, key, id, _ in pairs])
    answers = lined("out.jsonl", [answered(key, f"{text} at {t}") for t, key, _, text in pairs])
    study, found = read(requests, answers, KNOWN)
    assert runs(study) == EXPECTED
    assert {item.id: item.references for item in study.items} == dict(zip(IDS, WRITTEN))
    assert not {"run_empty", "not_text"} & set(found)
    assert not any(name.startswith("body") for item in study.items for name in item.metadata)


@pytest.mark.parametrize("answers", [True, False])
def test_requests_without_settings_are_used_up_by_their_answers(answers: bool) -> None:
    """If the file of requests counted as unread, commands would refuse to compare the rest."""
    sent = [{"custom_id": id, "body": {"model": "m", "messages": [{"role": "user", "content": "Go"}]}} for id in IDS]
    made = lined("out.jsonl", [answered(id if answers else f"x{id}", text) for id, text in zip(IDS, SAID)])
    found = load_study([lined("in.jsonl", sent), made, KNOWN])
    expected = "requests whose answers another file has" if answers else "not read"
    assert [one.format for one in found.files if one.name == "in.jsonl"] == [expected]


def test_requests_that_do_not_have_all_answers_give_no_settings() -> None:
    requests = lined("in.jsonl", [asked(id, 0.2) for id in IDS[:2]])
    study, found = read(requests, lined("out.jsonl", [answered(id, text) for id, text in zip(IDS, SAID)]), KNOWN)
    assert list(runs(study)) == [None]
    assert "requests_joined" not in found


@pytest.mark.parametrize("name", ["questions.jsonl", "coco.jsonl"])
@pytest.mark.parametrize("several", [True, False])
def test_questions_are_no_run_and_give_their_facts(name: str, several: bool) -> None:
    """In LLaVA's files, the text of a question is the prompt of its answers.

    The name of a file can show, too, that it contains questions.
    """
    told = [f"What is in picture {k}?" if several else "Describe the picture." for k in range(3)]
    questions = [
        {"question_id": id, "image": f"{k}.jpg", "text": text, "category": "conv" if k else "detail"}
        for k, (id, text) in enumerate(zip(IDS, told))
    ]
    answers = [
        {"question_id": id, "prompt": asked, "text": text, "model_id": "llava"}
        for id, asked, text in zip(IDS, told, SAID)
    ]
    study, found = read(lined(name, questions), lined("llava.jsonl", answers), KNOWN)
    assert [(run.name, dict(run.candidates)) for run in study.runs] == [
        ("llava", {id: (text,) for id, text in zip(IDS, SAID)})
    ]
    assert [item.metadata["category"] for item in study.items] == ["detail", "conv", "conv"]
    assert "requests" in found


def test_captions_under_the_ids_of_another_run_are_no_questions() -> None:
    rows = [{"image_id": id, "caption": text, "note": f"n {k}"} for k, (id, text) in enumerate(zip(IDS, SAID))]
    other = [{**row, "caption": f"{row['caption']} again"} for row in rows]
    study, _ = read(lined("a.jsonl", rows), lined("b.jsonl", other), KNOWN)
    assert [run.name for run in study.runs] == ["a", "b"]
