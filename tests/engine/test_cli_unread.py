"""Test files that are absent or cannot be read: exit status 2, the names of what is missing, and the option to go
on.
"""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from typer.testing import Result

from tests.command_line import trilens as run

ITEMS = ("1", "2", "3")


@pytest.fixture(autouse=True)
def given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRILENS_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    run = [{"image_id": id, "caption": f"a dog {id}"} for id in ITEMS]
    Path("refs.json").write_text(json.dumps({id: ["A dog.", "One dog."] for id in ITEMS}))
    Path("good.json").write_text(json.dumps(run))
    Path("broken.json").write_text('[{"image_id": "1", "caption": "a d')
    Path("empty.json").write_text("")
    Path("shape.json").write_text('{"foo": 1}')
    Path("columns.csv").write_text("alpha,beta\n1,2\n")
    Path("torn.json.gz").write_bytes(b"\x1f\x8b\x08\x00abc")
    Path("other.json").write_text(json.dumps([{"image_id": "99", "caption": "a cat"}]))
    with zipfile.ZipFile("runs.zip", "w") as archive:
        archive.writestr("fine.json", json.dumps([{**row, "caption": "x y"} for row in run]))
        archive.writestr("torn.json", "[")


def said(result: Result) -> str:
    return " ".join(result.output.split())


COMMANDS = {
    "check": (),
    "score": ("--metrics", "bleu_4", "--tokenizer", "whitespace"),
    "convert": ("--out", "out.jsonl"),
    "bundle": ("--out", "out.zip", "--metrics", "vocabulary"),
    "report": ("--out", "out.html", "--metrics", "vocabulary", "--pages", "leaderboard"),
    "unique-correct": ("--distance", "bow"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_exits_2_beside_a_good_file_and_goes_on_when_told(command: str) -> None:
    files = ("good.json", "broken.json", "--references", "refs.json")
    result = run(command, *files, *COMMANDS[command], expect=2)
    assert "broken.json could not be read: what it holds (run broken," in said(result)
    assert "--keep-going" in said(result)
    assert not list(Path().glob("out.*"))
    expected = 2 if command == "unique-correct" else 0  # two references are too few for its sets
    again = run(command, *files, *COMMANDS[command], "--keep-going", expect=expected)
    assert "broken.json could not be read" in said(again)
    assert len(list(Path().glob("out.*"))) == sum(name.startswith("out.") for name in COMMANDS[command])


@pytest.mark.parametrize("name", ["broken.json", "empty.json", "shape.json", "columns.csv", "torn.json.gz", "runs.zip"])
def test_whatever_kept_a_file_from_being_read(name: str) -> None:
    files = (name, "good.json", "--references", "refs.json")
    missing = "runs.zip/torn.json" if name == "runs.zip" else name
    for command in ("check", "score"):
        result = run(command, *files, *COMMANDS[command], expect=2)
        assert f"{missing} could not be read" in said(result)
        run(command, *files, *COMMANDS[command], "--keep-going")


def test_a_run_of_other_items_is_named_as_missing() -> None:
    files = ("good.json", "other.json", "--references", "refs.json")
    result = run("score", *files, *COMMANDS["score"], expect=2)
    assert "Run other describes none of the items with references; it was left out." in said(result)
    run("check", *files, "--keep-going")


@pytest.mark.parametrize("column", ["adequacy", "CIDEr"])
def test_ratings_or_scores_of_no_caption_are_named_as_missing(column: str) -> None:
    Path("judged.csv").write_text(f"image,run,{column}\nnowhere,good,3.5\nelsewhere,good,4.5\n")
    files = ("good.json", "judged.csv", "--references", "refs.json")
    for command in ("check", "score"):
        result = run(command, *files, *COMMANDS[command], expect=2)
        assert "belongs to a caption of this study. Fix this or leave it out" in said(result)
        run(command, *files, *COMMANDS[command], "--keep-going")


def test_alone_it_exits_2_whatever_is_wished() -> None:
    for command in ("check", "score"):
        run(command, "broken.json", *COMMANDS[command], expect=2)
        run(command, "broken.json", *COMMANDS[command], "--keep-going", expect=2)


def test_one_broken_line_leaves_the_rest(tmp_path: Path) -> None:
    rows = [json.dumps({"id": id, "references": ["A dog."], "candidates": {"m": ["A dog!"]}}) for id in ITEMS]
    Path("lines.jsonl").write_text("\n".join([*rows, '{"id": 4,']))
    run("check", "lines.jsonl")


def test_an_empty_folder_is_not_called_absent() -> None:
    Path("runs").mkdir()
    result = run("check", "runs", expect=2)
    assert "runs: this folder is empty" in said(result)


def test_a_folder_is_read_like_the_files_in_it() -> None:
    for model in ("blip", "git"):
        (Path("out") / model / ".cache").mkdir(parents=True)
        (Path("out") / model / "captions.json").write_text(Path("good.json").read_text().replace("dog", model))
        (Path("out") / model / ".cache" / "captions.json").write_text("[")
    Path("out/README.md").write_text("# Runs\n\nEach folder holds the captions of one model.\n")
    result = run("check", "out", "--references", "refs.json")
    assert "runs: blip, git" in said(result)
    assert "Hidden files in the archive or folder were not read" in said(result)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_file_that_is_not_there_is_named_and_done_without_when_told(command: str) -> None:
    files = ("good.json", "absent.json", "--references", "refs.json")
    result = run(command, *files, *COMMANDS[command], expect=2)
    assert "absent.json: there is no such file" in result.stderr
    assert not list(Path().glob("out.*"))
    again = run(command, *files, *COMMANDS[command], "--keep-going", expect=2 if command == "unique-correct" else 0)
    assert "absent.json: there is no such file. What it holds (run absent, unless it names others) is missing" in (
        " ".join(again.stderr.split())
    )


def test_nothing_but_absent_files_exits_2_whatever_is_wished() -> None:
    for files in (("absent.json",), ("good.json", "--references", "absent.json")):
        result = run("score", *files, *COMMANDS["score"], "--keep-going", expect=2)
        assert "absent.json: there is no such file" in result.stderr


def test_absent_frequencies_are_said_as_any_absent_file_is() -> None:
    result = run("score", "good.json", "--references", "refs.json", "--idf", "nope.npz", expect=2)
    assert result.stderr == "nope.npz: there is no such file\n"


@pytest.mark.parametrize("command", ["check", "score"])
def test_a_finding_is_a_line_where_no_person_reads(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    result = run(command, "good.json", "columns.csv", "--references", "refs.json", *COMMANDS[command], expect=2)
    (line,) = [line for line in result.output.splitlines() if line.startswith("error: columns.csv")]
    assert len(line) > 80
    assert "alpha" in line
