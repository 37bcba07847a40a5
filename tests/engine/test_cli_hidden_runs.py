"""Test that commands leave out a bundle's hidden runs, say so, and use them with --all-runs; also unsound marks."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pandas as pd
import pytest

from data.bundle.writing import MARKS
from data.load import Loaded, load_study
from data.marks import Marks
from metrics.analysis import bundle
from metrics.cache.disk import Cache
from tests.command_line import trilens
from tests.studies import study as random_study

STUDY = random_study(items=4, runs=3, seed=8)
FIRST, SECOND, THIRD = (run.name for run in STUDY.runs)
MARKED = Marks({}, frozenset({SECOND}), frozenset({STUDY.items[0].id}), {STUDY.items[1].id: "look: $5 <b>x</b>"})


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "study.zip").write_bytes(bundle.study_bundle(STUDY, Cache(None), marked=MARKED))
    return tmp_path / "study.zip"


def run(*arguments: object) -> str:
    return trilens(*arguments).output


def with_marks(file: Path, content: bytes) -> Loaded:
    out = io.BytesIO()
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, content if name == MARKS else old.read(name))
    return bundle.checked(load_study([("study.zip", out.getvalue())]))


def test_commands_leave_hidden_runs_out_and_say_so(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "scores.csv"
    said = run("score", file, "--metrics", "bleu_4", "--out", out, "--no-cache")
    assert "1 of 3 runs is hidden in this study and left out" in said
    assert list(pd.read_csv(out).run) == [FIRST, THIRD]
    said = run("--all-runs", "score", file, "--metrics", "bleu_4", "--out", out, "--no-cache")
    assert "left out" not in said
    assert list(pd.read_csv(out).run) == [FIRST, SECOND, THIRD]
    assert "left out" in run("score", file, "--metrics", "bleu_4", "--out", out, "--no-cache"), "for one command"


def test_a_bundle_of_a_bundle_keeps_hidden_runs_stars_and_notes(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "again.zip"
    run("bundle", file, "--metrics", "bleu_4", "--out", out, "--cache-dir", tmp_path / "cache")
    again = bundle.checked(load_study([out]))
    assert again.study is not None
    assert again.study.digest == STUDY.digest
    assert again.marks == MARKED
    assert len([key for key in again.numbers if key.startswith("results/")]) >= 3, "of the hidden run, too"


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[1]", b"\x00\xff", b'{"hidden": {}}', b'{"notes": {"a": ["b"]}}', b'{"stars": [[' + b"[" * 99_999],
    ids=["empty", "cut", "a list", "bytes", "an object", "a list as note", "deep"],
)
def test_unsound_marks_cost_only_themselves(file: Path, content: bytes) -> None:
    loaded = with_marks(file, content)
    assert loaded.study is not None
    assert loaded.study.digest == STUDY.digest
    assert loaded.marks == Marks()
    (found,) = (one for one in loaded.findings if one.code == "bundle_marks")
    assert found.problem.startswith("The hidden runs, stars and notes in the bundle were not used: ")


def test_marks_of_another_study_are_left_out_and_counted(file: Path) -> None:
    other = {"hidden": [SECOND, "x"], "stars": ["no item"], "notes": {"no item": "y", STUDY.items[0].id: "\x00kept"}}
    loaded = with_marks(file, json.dumps(other).encode())
    assert loaded.marks == Marks({}, frozenset({SECOND}), frozenset(), {STUDY.items[0].id: "kept"})
    (found,) = (one for one in loaded.findings if one.code == "bundle_unknown")
    assert found.problem.startswith("3 of the entries in the bundle are unknown here")
    everything = with_marks(file, json.dumps({"hidden": [FIRST, SECOND, THIRD]}).encode())
    assert everything.marks == Marks(), "some run is always shown"


def test_enormous_marks_are_not_read(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("data.bundle.reading.LARGEST", 1 << 4)
    loaded = bundle.checked(load_study([file]))
    assert loaded.marks == Marks()
    assert [one.code for one in loaded.findings if one.severity == "warning"] == ["bundle_marks"]


def test_bundles_without_marks_are_as_they_were() -> None:
    with zipfile.ZipFile(io.BytesIO(bundle.study_bundle(STUDY, Cache(None)))) as archive:
        assert MARKS not in archive.namelist()
