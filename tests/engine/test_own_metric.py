"""Test the example in docs/own-metric.md, and what `check-plugin` says about it and about broken files."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli.app import app
from data.convert import write_jsonl
from metrics import METRICS
from metrics.extensions import plugins
from metrics.laws import LAWS
from tests.studies import study

PAGE = (Path(__file__).parents[2] / "docs" / "own-metric.md").read_text(encoding="utf-8")
(EXAMPLE,) = re.findall(r"^```python\n(.*?)^```", PAGE, re.S | re.M)
LINES = re.findall(r"^(trilens .*?)(?: +#.*)?$", PAGE, re.M)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TRILENS_CACHE", str(tmp_path / "cache"))
    Path("my_metrics.py").write_text(EXAMPLE)
    write_jsonl(study(), "study.jsonl")
    yield
    unload()


def unload() -> None:
    for one in plugins.loaded():
        plugins.unload(one)


def run(line: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, shlex.split(line.removeprefix("trilens ")))
    return done.exit_code, done.output


def test_it_is_short() -> None:
    assert len([line for line in EXAMPLE.splitlines() if line]) <= 15
    assert max(map(len, EXAMPLE.splitlines())) <= 120


def test_every_line_of_the_page_works() -> None:
    assert [line.split()[1] for line in LINES] == ["check-plugin", "list", "score"]
    for line in LINES:
        code, said = run(line)
        assert code == 0, said
        assert "length_gap" in said
        unload()


def test_check_plugin_tries_all_laws_on_it() -> None:
    code, said = run("check-plugin my_metrics.py")
    assert (code, said.splitlines()[-1].rpartition(": ")[2]) == (0, f"all {len(LAWS)} laws hold")


@pytest.mark.parametrize(
    ("change", "into", "law"),
    [
        ("return abs(said - people)", "return -abs(said - people)", "the better side wins"),
        ('raise Undefined("needs a candidate and a reference")', "return 0.0", "undefined is nan with a reason"),
        ("sum(map(len, side[index]))", "len(side[index][0])", "every candidate counts"),
        ("return abs(said - people)", "return abs(said - people) / 0", "division by zero"),
    ],
)
def test_check_plugin_names_the_law_and_the_line(change: str, into: str, law: str) -> None:
    assert change in EXAMPLE
    Path("my_metrics.py").write_text(EXAMPLE.replace(change, into))
    code, said = run("check-plugin my_metrics.py")
    assert code == 2
    assert law in said
    assert said.startswith("my_metrics.py, line 6: length_gap: ")
    assert "Traceback" not in said


def test_an_edit_changes_the_signature() -> None:
    plugins.load(Path("my_metrics.py"))
    before = METRICS["length_gap"].signature
    unload()
    Path("my_metrics.py").write_text(EXAMPLE + "# another thought\n")
    plugins.load(Path("my_metrics.py"))
    assert METRICS["length_gap"].signature != before


def test_check_plugin_refuses_what_cannot_be_loaded() -> None:
    Path("my_metrics.py").write_text(EXAMPLE.replace("METRICS = (LengthGap(),)", "METRICS = (LengthGap,)"))
    assert run("check-plugin my_metrics.py") == (
        2,
        "my_metrics.py, line 20: METRICS holds the class LengthGap: write LengthGap()\n",
    )
