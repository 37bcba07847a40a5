"""Test Trilens in a notebook and `serve`: views, plain records, and the files that the app opens."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest
from typer.testing import CliRunner

import trilens
from cli import notebook_views, serve
from cli.app import app
from data.convert import left_out, write_jsonl
from data.demo import classic
from data.load import load_study
from data.study import DataError
from tests.data.test_convert import beside
from tests.studies import study as random_study


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRILENS_CACHE", str(tmp_path / "cache"))


@pytest.mark.usefixtures("cache")
def test_a_view_is_one_document_in_a_frame() -> None:
    view = trilens.show(random_study(8, runs=2), "leaderboard", "bleu_1,distinct_1")
    assert view._repr_html_().startswith('<iframe srcdoc="&lt;!doctype html&gt;')
    assert "prefers-color-scheme: dark" in view.html
    assert "<table" in view.html
    assert repr(view) == view.verdict != ""


def test_an_unknown_view_and_one_without_data_are_refused() -> None:
    study = random_study(8, runs=2)
    with pytest.raises(ValueError, match="there is no view 'x'; there are overview, leaderboard"):
        trilens.show(study, "x")
    with pytest.raises(ValueError, match="Sweeps: no model"):
        trilens.show(study, "sweeps", "bleu_1")
    with pytest.raises(ValueError, match="Unique vs correct: "):
        trilens.show(random_study(8, runs=2, references=1), "unique-correct", "bleu_1")


@pytest.mark.usefixtures("cache")
def test_triangles_show_the_image_that_was_asked_for_or_else_a_typical_one() -> None:
    study = random_study(8, runs=2)
    chosen = study.items[3].id
    view = trilens.show(study, "triangles", images=[chosen])
    assert "TRM" in view.verdict
    assert study.run("run 0").candidates[chosen][0] in view.html
    assert study.run("run 1").candidates[chosen][0] not in view.html
    assert "TRM" in trilens.show(study, "triangles").verdict
    with pytest.raises(ValueError, match="there is no item 'x' in this study"):
        trilens.show(study, "images", "bleu_1", images=["x"])
    with pytest.raises(ValueError, match="no TRM was asked for"):
        trilens.show(study, "triangles", "bleu_1")
    with pytest.raises(ValueError, match="too few captions for a verdict: 1 caption by people"):
        trilens.show(random_study(8, runs=2, references=1), "triangles")


def opened() -> None:
    import streamlit as st

    from ui.session import state

    st.write(state.whole_study().name, len(state.whole_study().items), state.token() != state.DEMO)


def test_a_session_opens_the_files_that_the_server_was_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ui.session import state

    path = tmp_path / "mine.jsonl"
    write_jsonl(random_study(5, runs=2), path)
    monkeypatch.setenv("TRILENS_FILES", json.dumps([[str(path)], []]))
    state.given.cache_clear()
    try:
        shown = AppTest.from_function(opened).run()
        assert not shown.exception
        assert "5" in shown.markdown[0].value
        assert "True" in shown.markdown[0].value
    finally:
        state.given.cache_clear()
        state._given_tokens.clear()


def test_serve_refuses_what_it_cannot_show_and_a_port_that_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "empty.jsonl"
    path.write_text("{}\n", encoding="utf-8")
    done = CliRunner().invoke(app, ["serve", str(path), "--no-browser"])
    assert done.exit_code == 2
    assert done.stderr.endswith("nothing to show: see the findings above\n")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = CliRunner().invoke(app, ["serve", "--host", "127.0.0.1", "--port", str(port)])
        assert done.exit_code == 2
        assert f"the port {port} is taken at 127.0.0.1: --port names another" in done.output
        assert serve.free_port("127.0.0.1", None) != port


def test_serve_classic_gives_the_server_the_files_of_the_classic_study(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[str] = []
    monkeypatch.setattr(serve.os, "execv", lambda _, command: given.append(serve.os.environ["TRILENS_FILES"]))
    monkeypatch.setattr(serve, "free_port", lambda *_: 8501)
    monkeypatch.setattr(serve.os, "environ", dict(serve.os.environ))
    done = CliRunner().invoke(app, ["serve", "--classic", "--no-browser"])
    assert done.exit_code == 0, done.output
    files, references = json.loads(given[0])
    assert [Path(name) for name in files] == classic.files()
    assert references == []


def test_demo_classic_writes_files_to_score_and_refuses_scores_of_the_other_demo(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["demo", "--classic", "--out", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    assert {path.name for path in classic.CLASSIC.iterdir()} < {path.name for path in (tmp_path / "out").iterdir()}
    refused = CliRunner().invoke(app, ["demo", "--classic", "--scores", "--out", str(tmp_path / "other")])
    assert refused.exit_code == 2
    assert "--scores works only for the first demo study" in refused.output
    assert not (tmp_path / "other").exists()


def test_a_file_without_texts_is_not_served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve.os, "execv", lambda *_: None)
    monkeypatch.setattr(serve, "free_port", lambda *_: 8501)
    monkeypatch.setattr(serve.os, "environ", dict(serve.os.environ))
    (tmp_path / "numbers.jsonl").write_text("\n".join(json.dumps({"a": f"k{k}", "b": 2.5 * k}) for k in range(5)))
    done = CliRunner().invoke(app, ["serve", str(tmp_path / "numbers.jsonl"), "--no-browser"])
    assert done.exit_code == 2
    assert "nothing to show: see the findings above" in done.output
    assert "it asks which field is what" not in done.output


@pytest.mark.slow
def test_the_app_starts_on_a_study_and_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(notebook_views.webbrowser, "open", opened.append)
    study, _ = beside()
    running = trilens.open_app(study)
    assert opened == [running.url]
    (given,) = Path(running._folder.name).iterdir()
    assert (found := load_study(given).study) is not None
    assert left_out(found) == left_out(study) != []
    running.stop()
    with socket.socket() as probe:
        assert probe.connect_ex(("localhost", int(running.url.rpartition(":")[2])))


@pytest.mark.parametrize("kind", ["list", "frame"])
def test_a_table_of_records_is_a_study(kind: str) -> None:
    rows = [
        {
            "id": str(k),
            "references": ["a dog runs", "the dog is here"],
            "candidates": {"m": ["dogs run"], "n": ["a cat"]},
        }
        for k in range(4)
    ]
    of = trilens.study(rows if kind == "list" else pd.DataFrame(rows))
    assert [run.name for run in of.runs] == ["m", "n"]
    assert len(of.items) == 4
    with pytest.raises(DataError, match="give a DataFrame"):
        trilens.study("a dog")
