"""Test files as people in a lab keep them: columns, sheets and file names that distinguish runs, ids and numbers."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from data.load import load_study
from tests.data.sheets import workbook

TEXTS = [
    f"a {what} stands near the {where}"
    for what, where in zip(("horse", "kitten", "bottle", "train"), ("door", "tree") * 2)
]
OTHER = [
    f"one {what} is seen by a {where}"
    for what, where in zip(("horse", "kitten", "bottle", "train"), ("gate", "wall") * 2)
]
PEOPLE = [f"there is a {what} outside" for what in ("horse", "kitten", "bottle", "train")]
KNOWN = ("references.json", json.dumps({f"{k}.jpg": [text] for k, text in enumerate(PEOPLE)}))


@dataclass(frozen=True)
class Case:
    """Files, and the study to be read from them: its runs' captions in order, its scores, and whether people rated
    it.
    """

    files: list[tuple[str, Any]]
    runs: dict[str, list[str]]
    scores: dict[str, dict[str, list[float]]] = field(default_factory=dict)
    rated: bool = False


def lines(rows: list[list[Any]], mark: str = ",") -> str:
    return "\n".join(mark.join(map(str, row)) for row in rows) + "\n"


def numbered(texts: list[str]) -> list[list[str]]:
    return [["No", "Caption"], *([str(k), text] for k, text in enumerate(texts, 1))]


ASKED = [["image", "question", "answer", "prediction", "score"]]
ASKED += [[f"{k}.jpg", "Describe.", PEOPLE[k], TEXTS[k], k / 2] for k in range(4)]
SINGLE = [["image", "model", "Bildunterschrift", "CLIPScore"]]
SINGLE += [[f"{k}.jpg", run, of[k], k / 8] for run, of in (("m", TEXTS), ("n", OTHER)) for k in range(4)]
STEPS = [["step", "image_id", "caption"]]
STEPS += [[step, f"{k}.jpg", of[k]] for step, of in ((0, PEOPLE), (1000, TEXTS), (2000, OTHER)) for k in range(4)]
RATERS = [["image", "caption", "rater_anna", "rater_ben"]]
RATERS += [[f"{k}.jpg", TEXTS[k], 1 + k, 5 - k] for k in range(4)]
COMMAS = [["image", "ours", "CLIPScore ours", "theirs", "CLIPScore theirs"]]
COMMAS += [[f"{k}.jpg", TEXTS[k], f"0,{k}1", OTHER[k], f"0,{k}2"] for k in range(4)]
SPLIT = {
    name: [[head, "text"], *([f"{k}.jpg", of[k]] for k in range(4))]
    for name, head, of in (("m", "Bild-ID", TEXTS), ("references", "Bild-ID", PEOPLE))
}
SCORED = {run: {f"{k}.jpg": k / add for k in range(4)} for run, add in (("sys_a", 2), ("sys_large_a", 4))}
NOTES = [["Captions of our pilot"], ["Written in May"]]
HEARD = [
    {
        "key": f"{k}.jpg",
        "response": {
            "candidates": [
                {
                    "content": {
                        "role": "model",
                        "parts": [{"text": "It may be a bird.", "thought": True}, {"text": TEXTS[k]}],
                    }
                }
            ]
        },
    }
    for k in range(4)
]

CASES = {
    "a question asked once of each image": Case(
        [("m.csv", lines(ASKED))], {"m": TEXTS}, {"score": {"m": [0, 0.5, 1, 1.5]}}
    ),
    "captions beside a run and a number": Case(
        [("all.csv", lines(SINGLE)), KNOWN],
        {"m": TEXTS, "n": OTHER},
        {"CLIPScore": {run: [0, 0.125, 0.25, 0.375] for run in "mn"}},
    ),
    "steps of a training": Case(
        [("m.csv", lines(STEPS)), KNOWN], {"m@step=0": PEOPLE, "m@step=1000": TEXTS, "m@step=2000": OTHER}
    ),
    "columns of raters": Case([("m.csv", lines(RATERS)), KNOWN], {"m": TEXTS}, rated=True),
    "decimal commas between tabs": Case(
        [("all.tsv", lines(COMMAS, "\t")), KNOWN],
        {"ours": TEXTS, "theirs": OTHER},
        {"CLIPScore": {"ours": [0.01, 0.11, 0.21, 0.31], "theirs": [0.02, 0.12, 0.22, 0.32]}},
    ),
    "ids with a name in German": Case([(f"{name}.csv", lines(rows)) for name, rows in SPLIT.items()], {"m": TEXTS}),
    "a sheet per run, and one to read": Case(
        [
            ("all.xlsx", workbook(Readme=NOTES, CogVLM=numbered(TEXTS), Emu2=numbered(OTHER))),
            ("references.csv", lines([["id", "reference"], *([k, text] for k, text in enumerate(PEOPLE, 1))])),
        ],
        {"CogVLM": TEXTS, "Emu2": OTHER},
    ),
    "scores in files named after the runs": Case(
        [
            *(
                (f"predictions_{run}.json", json.dumps([{"id": f"{k}.jpg", "caption": of[k]} for k in range(4)]))
                for run, of in (("sys_a", TEXTS), ("sys_large_a", OTHER))
            ),
            *(
                (f"scores_{run}.json", json.dumps([{"id": id, "CIDEr": value} for id, value in of.items()]))
                for run, of in SCORED.items()
            ),
            KNOWN,
        ],
        {"predictions_sys_a": TEXTS, "predictions_sys_large_a": OTHER},
        {"CIDEr": {f"predictions_{run}": list(of.values()) for run, of in SCORED.items()}},
    ),
    "parts of a message that are thoughts": Case([("m.jsonl", "\n".join(map(json.dumps, HEARD))), KNOWN], {"m": TEXTS}),
    "objects by number, and a file of one more run": Case(
        [
            (
                "blip.json",
                json.dumps(
                    {name: {str(k): of[k] for k in range(4)} for name, of in (("references", PEOPLE), ("blip", TEXTS))}
                ),
            ),
            ("git.json", json.dumps({str(k): OTHER[k] for k in range(4)})),
        ],
        {"blip": TEXTS, "git": OTHER},
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_files_of_a_lab_are_read_as_they_are_meant(case: Case) -> None:
    files = [(name, text.encode() if isinstance(text, str) else text) for name, text in case.files]
    loaded = load_study(files)
    study = loaded.study
    assert study is not None, loaded.findings
    assert {run.name: [*run.candidates.values()] for run in study.runs} == {
        name: [(text,) for text in of] for name, of in case.runs.items()
    }
    assert [item.references for item in study.items] == [(text,) for text in PEOPLE]
    found = {
        one.name: {run: [value for (value,) in of.values()] for run, of in one.values.items()} for one in study.scores
    }
    assert found == case.scores
    if case.rated:
        (run,) = study.runs
        assert [sorted(next(iter(of.values())).items()) for of in (run.human or {}).values()] == [
            [("anna", 1 + k), ("ben", 5 - k)] for k in range(4)
        ]
