"""Test that the README's claims hold, that its commands work with an empty cache, and that those of all documents
exist.
"""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from typer.core import TyperGroup
from typer.exceptions import TyperException
from typer.main import get_command

from cli.app import app
from data.convert import write_jsonl
from data.judge_answers import Answer, to_jsonl_bytes
from data.load import load_study
from data.study import Study
from data.version import VERSION
from metrics.cache.disk import Cache, default_directory
from metrics.engine import scoring
from metrics.guide.documentation import how_tested
from metrics.registry import METRICS, resolve
from metrics.text.meteor import index as meteor
from tests.command_line import trilens
from tests.conftest import share_indexes
from tests.studies import study as random_study
from ui.jobs.jobs import VALUES, Jobs

README = Path(__file__).parents[2] / "README.md"
START = "trilens "
WRITTEN = ("scores.csv", "study.jsonl", "report.html", "study.zip")


@pytest.fixture
def own_index(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look for METEOR's index in the cache folder of each command, as outside tests, so that the first command
    builds it.
    """
    monkeypatch.setattr(meteor, "default_directory", default_directory)


def lines(page: Path = README) -> list[str]:
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", page.read_text(encoding="utf-8"), re.S | re.M)
    commands = [
        line
        for kind, block in blocks
        if kind in ("", "sh", "bash")
        for line in block.splitlines()
        if line.startswith(START)
    ]
    return [line for line in commands if not line.startswith(f"{START}serve ")]  # the app runs until it is stopped


def test_the_readme_calls_tests_exact_no_more_than_the_methods_do() -> None:
    """A run's p is sampled with more than a few items, and an item's p with more partitions than the budget allows."""
    when = "exact wherever all relabellings can be tried"
    assert f"permutation test, {when}" == how_tested(METRICS["trm_bow"])
    claims = re.findall(r"[^.,]*\bexact\b[^.,]*", README.read_text(encoding="utf-8"))
    assert [claim.strip() for claim in claims] == [when]


def test_the_version_is_that_of_the_files() -> None:
    assert run("trilens --version") == f"trilens {VERSION}\n"


def understand(line: str) -> None:
    """Parse a command as the command line does. Raises TyperException for anything that does not exist."""
    command, words = get_command(app), shlex.split(line, comments=True)
    with command.make_context(words[0], words[1:], resilient_parsing=True) as context:
        context.resilient_parsing = False
        while isinstance(command, TyperGroup):
            words = words[1:]
            _, command, _ = command.resolve_command(context, words)
        command.make_context(words[0], words[1:], parent=context)


def test_every_line_of_the_documents_is_understood() -> None:
    """All commands, options and values exist; tests/engine/test_own_metric.py tests the lines that load plug-ins."""
    documents = [line for page in sorted((README.parent / "docs").rglob("*.md")) for line in lines(page)]
    assert {line.split()[1] for line in documents} >= {"score", "train", "features", "ask", "layers", "idf"}
    for line in documents:
        if "plugin" not in line:
            understand(line)


@pytest.mark.parametrize(
    "line", ["scores a.json", "score a.json --metric x", "train critic a.json", "score a.json --level word"]
)
def test_a_line_that_is_wrong_is_not_understood(line: str) -> None:
    with pytest.raises(TyperException):
        understand(f"{START}{line}")


def run(line: str) -> str:
    return trilens(*shlex.split(line.removeprefix(START), comments=True)).output


def write(study: Study) -> None:
    labels = [{id: ("Visible",) * len(of) for id, of in run.candidates.items()} for run in study.runs]
    runs = tuple(replace(run, coherence=said) for run, said in zip(study.runs, labels))
    write_jsonl(replace(study, runs=runs), "study.jsonl")
    first = study.runs[0]
    Path("predictions.json").write_text(json.dumps(dict(first.candidates)))
    Path("refs.json").write_text(json.dumps({item.id: item.references for item in study.items}))
    said = {"test": [text for item in study.items for text in item.references]}
    said |= {f"model_{one}": [t for of in run.candidates.values() for t in of] for one, run in zip("ab", study.runs)}
    for name, texts in {**said, "train": said["test"][::-1]}.items():
        Path(f"{name}.txt").write_text("\n".join(texts))
    rated = [
        (item.id, run.name, k, (len(item.id) + 3 * k + n) % 5)
        for n, run in enumerate(study.runs)
        for item in study.items
        for k in range(len(run.candidates[item.id]))
    ]
    pd.DataFrame(rated, columns=["item", "run", "candidate", "rating"]).to_csv("ratings.csv", index=False)
    names = [run.name for run in study.runs]
    pairs = [(item.id, *names[k % 2 : k % 2 + 2], "ab"[k // 2 % 2]) for k, item in enumerate(study.items)]
    pd.DataFrame(pairs, columns=["item", "run_a", "run_b", "winner"]).to_csv("pairs.csv", index=False)
    answers = [
        Answer("small", "clair", "clair|v1", item.id, (run.name,), (0,), run.candidates[item.id][:1], score=k % 3 / 2)
        for run in study.runs
        for k, item in enumerate(study.items)
    ]
    Path("answers.jsonl").write_bytes(to_jsonl_bytes(answers))


@pytest.mark.usefixtures("own_index")
def test_every_line_of_the_readme_works_on_a_fresh_study(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, indexes: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    study = random_study(items=10, references=5, candidates=3, runs=2, seed=11)
    write(study)
    known = lines()
    assert {line.split()[1] for line in known} >= {"list", "check", "score", "convert", "report", "bundle", "cache"}
    for number, line in enumerate(known):
        # Run each line without another line's numbers, and on the original study, not on another line's output.
        cache = tmp_path / f"cache {number}"
        share_indexes(cache, indexes)
        monkeypatch.setenv("TRILENS_CACHE", str(cache))
        assert run(line).strip()
        assert all(Path(name).stat().st_size > 100 for name in WRITTEN if f"--out {name}" in line), line
        write(study)


def test_a_bundle_of_a_fresh_study_holds_every_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    study = random_study(items=4, references=4, candidates=4, runs=2, seed=12)
    write(study)
    monkeypatch.setenv("TRILENS_CACHE", str(tmp_path / "own"))
    (line,) = [line for line in lines() if line.split()[1] == "bundle"]
    run(line)
    monkeypatch.setenv("TRILENS_CACHE", str(tmp_path / "another"))
    monkeypatch.setattr("metrics.engine.workers.score_chunk", lambda *given: pytest.fail("computed"))
    run("trilens score study.zip --out read.csv")
    fast = resolve(["fast"], study=study)
    assert set(pd.read_csv("read.csv").metric) == {metric.name for metric in fast}
    loaded = load_study([("study.zip", Path("study.zip").read_bytes())])
    assert loaded.study is not None
    seen = Jobs(Cache(None))
    seen.attach_bundle("me", loaded.numbers)
    wanted = scoring.plan(loaded.study, fast, VALUES, Cache(tmp_path / "own")).ready
    found = seen.view(loaded.study, fast, "me", start=False).results
    assert {key: result.corpus for key, result in found.items()} == pytest.approx(
        {key: result.corpus for key, result in wanted.items()}, rel=0, abs=0, nan_ok=True
    )
