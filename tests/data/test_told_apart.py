"""What tells runs, items, references and captions apart in files that people and programs write."""

from __future__ import annotations

from typing import Any

import pytest

from data.check import Loaded
from data.load import load_study
from tests.data.test_handwritten import (
    BOTH,
    HEATS,
    IDS,
    MODELS,
    REFERENCES,
    WRITTEN,
    File,
    by_id,
    js,
    long,
    said,
    sheet,
)


def told(loaded: Loaded) -> dict[tuple[str | None, float | None], dict[str, tuple[str, ...]]]:
    """The captions of each run by its model and temperature."""
    assert loaded.study is not None
    return {(run.model, run.settings.temperature): dict(run.candidates) for run in loaded.study.runs}


IN_FULL = {(m, t): {id: (said(m, t, id),) for id in IDS} for m, t in BOTH}
NAMED_ALIKE = {
    "rows": long(["image", "run", "temperature", "caption"]),
    "a list": js("all.json", {"models": [{"name": m, "temperature": t, "captions": by_id(m, t)} for m, t in BOTH]}),
    "records": js(
        "all.json",
        [{"image": id, "system": m, "temperature": t, "text": said(m, t, id)} for m, t in BOTH for id in IDS],
    ),
}


@pytest.mark.parametrize("file", NAMED_ALIKE.values(), ids=NAMED_ALIKE)
def test_runs_of_one_name_are_told_apart_by_their_settings(file: File) -> None:
    """A name of a run that stands at two temperatures is not one run with twice the captions."""
    assert told(load_study([file, REFERENCES])) == IN_FULL


def test_scores_in_another_file_find_runs_that_their_settings_tell_apart() -> None:
    captions = long(["image", "run", "temperature", "caption"])
    rows = [[id, m, t, k / 10] for k, (m, t) in enumerate(BOTH) for id in IDS]
    loaded = load_study([captions, sheet("scores.csv", [["image", "run", "temperature", "CLIPScore"], *rows])])
    assert loaded.study is not None
    assert [one.code for one in loaded.findings if one.severity == "error"] == []
    (score,) = loaded.study.scores
    assert {str(value) for of in score.values.values() for value in _flat(of)} == {"0.0", "0.1", "0.2", "0.3"}


def _flat(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [one for inner in value.values() for one in _flat(inner)]
    return [one for inner in value for one in _flat(inner)] if isinstance(value, list | tuple) else [value]


def test_seeds_of_a_run_are_its_captions() -> None:
    rows = [[id, m, seed, f"{said(m, None, id)} {seed}"] for m in MODELS for seed in (1, 2) for id in IDS]
    loaded = load_study([sheet("data.csv", [["image", "run", "seed", "caption"], *rows]), REFERENCES])
    assert loaded.study is not None
    assert {run.name: {len(of) for of in run.candidates.values()} for run in loaded.study.runs} == {
        m: {2} for m in MODELS
    }


HEATS_BEHIND = {
    "columns": sheet(
        "wide.csv",
        [["image", *(f"{m} {t}" for m, t in BOTH)], *([id, *(said(m, t, id) for m, t in BOTH)] for id in IDS)],
    ),
    "keys beside references": js(
        "all.json",
        {id: {"human": WRITTEN[id]} | {m: {str(t): [said(m, t, id)] for t in HEATS} for m in MODELS} for id in IDS},
    ),
}


@pytest.mark.parametrize("file", HEATS_BEHIND.values(), ids=HEATS_BEHIND)
def test_numbers_behind_several_names_are_temperatures(file: File) -> None:
    loaded = load_study([file] if "human" in str(file) else [file, REFERENCES])
    assert told(loaded) == IN_FULL


def test_numbers_behind_names_that_do_not_cross_are_versions() -> None:
    names = ["llava 1.5", "llava 1.6", "blip 1.0"]
    rows = [[id, *(said(name, None, id) for name in names)] for id in IDS]
    loaded = load_study([sheet("wide.csv", [["image", *names], *rows]), REFERENCES])
    assert loaded.study is not None
    assert [(run.name, run.settings.temperature) for run in loaded.study.runs] == [(name, None) for name in names]
