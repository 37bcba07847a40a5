"""Test small files as researchers type them: folders with a file per caption, settings in words, lists of pairs."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from typing import Any

import pytest

from data.check import Loaded
from data.load import load_study
from data.study import Study

SCENES = {"beach": "red kite", "dog": "brown dog", "train": "long train", "market": "fruit stall"}
PEOPLE = {id: [f"A {what} in the morning.", f"There is a {what} today."] for id, what in SCENES.items()}


def said(model: str, id: str, heat: float | str = "") -> str:
    return f"{model} sees some {SCENES[id]} {heat}".strip()


def js(value: Any) -> bytes:
    return json.dumps(value).encode()


REFERENCES = ("references.json", js(PEOPLE))


def study(loaded: Loaded) -> Study:
    assert loaded.study is not None, loaded.findings
    return loaded.study


def packed(files: Mapping[str, str]) -> tuple[str, bytes]:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return "all.zip", stream.getvalue()


def codes(loaded: Loaded) -> set[str]:
    return {finding.code for finding in loaded.findings}


def read(result: Study) -> dict[tuple[str, float | None], dict[str, list[str]]]:
    """Return the captions by model and temperature."""
    return {
        (run.model, run.settings.temperature): {id: [*texts] for id, texts in run.candidates.items()}
        for run in result.runs
    }


def people(result: Study) -> dict[str, list[str]]:
    return {item.id: [*item.references] for item in result.items}


def test_folders_of_models_and_temperatures_with_a_file_per_caption() -> None:
    runs = [(model, heat) for model in ("blip", "git") for heat in (0.2, 0.8)]
    files = {f"out/{m}/T{t}/{id}.txt": said(m, id, t) for m, t in runs for id in SCENES}
    files |= {f"out/refs/{id}.txt": "\n".join(PEOPLE[id]) for id in SCENES}
    found = study(load_study([packed(files)]))
    assert read(found) == {(m, t): {id: [said(m, id, t)] for id in SCENES} for m, t in runs}
    assert people(found) == PEOPLE


def test_numbered_files_per_item_beside_folders_of_models() -> None:
    files = {f"human/{id}_{k}.txt": text for id in SCENES for k, text in enumerate(PEOPLE[id], 1)}
    files |= {f"{m}/{id}.txt": said(m, id) for m in ("gpt", "claude") for id in SCENES}
    found = study(load_study([packed(files)]))
    assert people(found) == PEOPLE
    assert read(found) == {(m, None): {id: [said(m, id)] for id in SCENES} for m in ("gpt", "claude")}


def test_files_of_items_whose_lines_say_who_wrote_them() -> None:
    lines = {id: [*(f"human: {text}" for text in PEOPLE[id]), f"blip: {said('blip', id)}"] for id in SCENES}
    found = study(load_study([packed({f"{id}.txt": "\n".join(of) for id, of in lines.items()})]))
    assert people(found) == PEOPLE
    assert read(found) == {("blip", None): {id: [said("blip", id)] for id in SCENES}}


@pytest.mark.parametrize("mark", ["/", " ", "_", "@"])
def test_numbers_after_several_models_are_temperatures(mark: str) -> None:
    runs = [(model, heat) for model in ("blip", "git") for heat in (0.2, 0.8)]
    rows = [{"id": id, "system": f"{m}{mark}{t}", "caption": said(m, id, t)} for m, t in runs for id in SCENES]
    assert {*read(study(load_study([("all.json", js(rows)), REFERENCES])))} == {*runs}
    one = [row for row in rows if row["system"].startswith("blip")]
    assert {heat for _, heat in read(study(load_study([("all.json", js(one)), REFERENCES])))} == {None}


def test_settings_in_words_that_never_change() -> None:
    rows = [{"img": id, "gen": said("m", id), "ref": PEOPLE[id], "params": "temp=0.7,top_p=0.9"} for id in SCENES]
    (run,) = study(load_study([("m.json", js(rows))])).runs
    assert (run.model, run.settings.temperature, run.settings.top_p) == ("m", 0.7, 0.9)
    rows = [row | {"params": "see the paper"} for row in rows]
    (run,) = study(load_study([("m.json", js(rows))])).runs
    assert (run.name, run.settings.temperature) == ("m", None)
