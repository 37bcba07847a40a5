"""Test logs of evaluation programs: ids of records, references in separate files, and several choices per answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from data.load import load_study
from tests.data.test_any_records import IDS, SAID, WRITTEN, expected, read, turn
from tests.data.test_program_output import ALL, OTHER, TOLD


def test_uuids_of_records_in_logs_are_ids_only_without_another() -> None:
    """LangSmith, Langfuse and promptfoo give each answer a uuid, so two runs have no such id in common."""

    def log(n: int, **inputs: list[str]) -> bytes:
        rows = [
            {
                "id": f"8bdb7ef1-2321-4311-982{n}-{k:012d}",
                "inputs": {name: of[k] for name, of in inputs.items()},
                "outputs": {"caption": f"{SAID[k]} {n}"},
                "reference_outputs": {"captions": list(WRITTEN[k])},
                "scores": [{"name": "rouge", "value": 0.25, "comment": "good overlap"}],
            }
            for k in range(3)
        ]
        return "\n".join(map(json.dumps, rows)).encode()

    loaded = load_study([(f"m{n}.jsonl", log(n, image=[f"in/{id}.jpg" for id in IDS])) for n in (1, 2)])
    assert loaded.study is not None
    assert {Path(item.id).stem: item.references for item in loaded.study.items} == ALL
    assert [len(run.candidates) for run in loaded.study.runs] == [3, 3]
    assert [score.name for score in loaded.study.scores] == ["rouge"]
    for other in (log(1, url=[*IDS]), log(1, task_id=["a", "a", "b"])):
        alone = load_study([("m.jsonl", other)]).study
        assert alone is not None
        assert alone.items[0].id == "8bdb7ef1-2321-4311-9821-000000000000"


BESIDE: dict[str, Any] = {
    "instances.json": [
        {
            "id": id,
            "input": {"text": f"Describe picture {id} in a sentence."},
            "references": [{"output": {"text": one}, "tags": ["correct"]} for one in refs],
        }
        for id, refs in ALL.items()
    ],
    "gold.json": {"annotations": [{"video_id": id, "sentences": of} for id, of in ALL.items()]},
}


@pytest.mark.parametrize("name", BESIDE)
def test_files_of_references_are_no_run(name: str) -> None:
    """Such files are HELM's instances, and annotations that are lists of sentences."""
    assert read(("m.json", json.dumps(TOLD).encode()), (name, json.dumps(BESIDE[name]).encode())) == expected()


def test_all_choices_of_an_answer_are_captions() -> None:
    """Inspect logs the first choice a second time, as the completion."""
    for n in (1, 2):
        rows = [
            {
                "id": id,
                "target": ALL[id],
                "output": {
                    "completion": TOLD[id][0],
                    "choices": [{"message": turn("assistant", of[id][0])} for of in (TOLD, OTHER)[:n]],
                },
            }
            for id in IDS
        ]
        said = {id: (ALL[id], (*TOLD[id], *OTHER[id])[:n]) for id in IDS}
        assert read(("m.json", json.dumps({"eval": {"task": "t"}, "samples": rows}).encode())) == said
