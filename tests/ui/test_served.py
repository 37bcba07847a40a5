"""Test files passed to `serve` whose fields a person has to name: the app asks for the names, and reads the files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from data.load import load_study
from tests.ui.shown import ROOT, page
from ui.session import state

SCENES = ("dog on a lawn", "cat by a door", "boat at sea", "horse in snow", "cup on a desk")


@pytest.fixture
def serve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[bool], None]]:
    def made(people: bool) -> None:
        wide = [f"{k}.jpg,What is it?,one {scene},some {scene}" for k, scene in enumerate(SCENES)]
        said = [f"{k}.jpg,{a} {scene}" for k, scene in enumerate(SCENES) for a in ("a", "the")]
        (tmp_path / "wide.csv").write_text("\n".join(["image,about,llava,blip2", *wide, ""]), encoding="utf-8")
        (tmp_path / "people.csv").write_text("\n".join(["image,caption", *said, ""]), encoding="utf-8")
        files = [[str(tmp_path / "wide.csv")], [str(tmp_path / "people.csv")] if people else []]
        monkeypatch.setenv("TRILENS_FILES", json.dumps(files))

    state.given.cache_clear()
    state._given_tokens.clear()
    yield made
    state.given.cache_clear()
    state._given_tokens.clear()


@pytest.mark.parametrize("people", [True, False], ids=["with references", "alone"])
def test_the_app_asks_for_the_fields_of_a_served_file_and_reads_it(serve: Callable[[bool], None], people: bool) -> None:
    serve(people)
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run()
    assert people or any("No study could be made of these files" in one.value for one in at.error)
    at.switch_page("pages/dataset.py").run()
    at.button(key="mapping_read wide.csv").click().run()
    assert not at.exception
    assert not at.error
    token = at.query_params["study"]
    loaded = state.library().get(token if isinstance(token, str) else token[0])
    assert loaded is not None
    assert loaded.study is not None
    assert {run.name: run.candidates["2.jpg"] for run in loaded.study.runs} == {
        "llava": ("one boat at sea",),
        "blip2": ("some boat at sea",),
    }
    references = ("a cup on a desk", "the cup on a desk") if people else ()
    assert {item.id: item.references for item in loaded.study.items}["4.jpg"] == references
    at.button(key="mapping_undo wide.csv").click().run()
    assert not at.exception


def test_served_files_are_not_read_again_for_another_study(serve: Callable[[bool], None]) -> None:
    serve(False)
    said = [f"{k}.jpg,{a} {scene}" for k, scene in enumerate(SCENES) for a in ("a", "the")]
    other = load_study([("other.csv", "\n".join(["image,caption", *said]).encode())])
    at = page("dataset", other)
    assert not at.exception
    assert "fields_mapped" in {one.code for one in other.findings}
    assert not [one.key for one in at.button if (one.key or "").startswith("mapping_")]
