"""Records that list several runs within themselves: every run keeps its name, settings and captions."""

from __future__ import annotations

import json
from typing import Any

import pytest

from data.load import load_study
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
    """A record per item with the captions of two runs under `field`."""

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
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_each_run_keeps_its_name(layout: str) -> None:
    """They were refused, or read in silence as several captions by one run."""
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
