"""Test the wheel in a separate environment, beside a project that has a `data.py` and a `metrics.py`."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import sysconfig
import time
import urllib.request
from pathlib import Path

import pytest

import wheel_backend
from data.convert import write_jsonl
from tests.command_line import trilens as checkout
from tests.studies import study as random_study
from tests.test_architecture import SOURCES

ROOT = Path(__file__).resolve().parents[1]
QUICK = (
    "analysis/test_feasibility.py",
    "data/test_misspelt.py",
    "data/test_run_settings.py",
    "data/test_study.py",
    "engine/test_cards.py",
    "engine/test_cli_short.py",
    "engine/test_fail_if.py",
    "engine/test_without_torch.py",
    "figures/test_markup.py",
    "figures/test_run_names.py",
    "figures/test_terms.py",
    "figures/test_words.py",
    "text/test_novelty.py",
)
"""Quick tests from all layers, since every layer is imported under a new name."""
SCORE = ("score", "study.jsonl", "--metrics", "bleu_4,cider_d,rouge_l,distinct_1", "--no-cache")
NOTEBOOK = """
from trilens import ItemMetric, score, show, study
import trilens, sys
of = [["a dog", "the dog"], ["a cat", "the cat"]]
print(score(of, {"m": [["one dog"], ["one cat"]]}, "bleu_1", tokenizer="whitespace", cache=None).value.notna().all())
assert not {"data", "metrics", "figures", "ui"} & sys.modules.keys()
"""
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = "import sys, wheel_backend; wheel_backend.build_wheel(sys.argv[1])"
    subprocess.run([sys.executable, "-c", build, folder], cwd=ROOT, check=True, capture_output=True)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "env"], check=True)
    python, wheel = folder / "env" / "bin" / "python", next(folder.glob("*.whl"))
    how = ["install", "--quiet", "--no-compile", "--no-deps", "--no-index"]
    subprocess.run([sys.executable, "-m", "pip", "--python", python, *how, wheel], check=True)
    (site,) = (folder / "env").glob("lib/python*/site-packages")
    assert {path.name.split("-")[0] for path in site.iterdir()} == {"trilens"}
    (site / "behind.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return folder / "env"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make another project, whose modules have the same names as ours and fail if they are imported."""
    folder = tmp_path_factory.mktemp("project")
    for name in ("data.py", "metrics.py", "ui.py", "figures.py"):
        (folder / name).write_text("raise ImportError('the module of another project')\n", encoding="utf-8")
    write_jsonl(random_study(6, runs=2), folder / "study.jsonl")
    return folder


def run(command: list[object], folder: Path) -> str:
    env = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(
        [*map(str, command)], cwd=folder, capture_output=True, text=True, env=env, timeout=200, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_it_holds_the_folders_of_the_checkout_under_their_new_names(installed: Path) -> None:
    (package,) = installed.glob("lib/python*/site-packages/trilens")
    files = {str(path.relative_to(package)): path.read_text(encoding="utf-8") for path in package.rglob("*.py")}
    ours = {path for path in SOURCES if path.split("/")[0] in wheel_backend.PACKAGES}
    assert files.keys() == {*ours, "app.py", "__init__.py", "__main__.py"}
    imported = re.compile(r"^\s*(?:from|import) (\w+)", re.MULTILINE)
    assert not set(wheel_backend.PACKAGES) & {name for text in files.values() for name in imported.findall(text)}


def test_its_scores_are_those_of_the_checkout(installed: Path, project: Path) -> None:
    trilens = installed / "bin" / "trilens"
    assert "6 items, 2 runs" in run([trilens, "check", "study.jsonl"], project)
    run([trilens, *SCORE, "--out", project / "installed.csv"], project)
    checkout(SCORE[0], project / "study.jsonl", *SCORE[2:], "--out", project / "checkout.csv")
    assert (project / "installed.csv").read_bytes() == (project / "checkout.csv").read_bytes()


def test_a_notebook_takes_its_names(installed: Path, project: Path) -> None:
    (project / "notebook.py").write_text(NOTEBOOK, encoding="utf-8")
    assert run([installed / "bin" / "python", "notebook.py"], project) == "True\n"


def test_it_serves_files(installed: Path, project: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [installed / "bin" / "trilens", "study.jsonl", "--no-browser", "--port", str(port), "--host", "127.0.0.1"]
    server = subprocess.Popen(command, cwd=project, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        assert _status(f"http://127.0.0.1:{port}/_stcore/health", server) == 200
        assert _status(f"http://127.0.0.1:{port}/", server) == 200
        font = f"http://127.0.0.1:{port}/app/static/ibm-plex-sans-latin-wght-normal.woff2"
        assert _status(font, server) == 200
    finally:
        server.terminate()
        said, _ = server.communicate(timeout=20)
    assert f"Trilens: http://127.0.0.1:{port} " in said


def _status(url: str, server: subprocess.Popen[str]) -> int:
    for _ in range(200):
        assert server.poll() is None, server.stdout.read() if server.stdout else ""
        try:
            return int(urllib.request.urlopen(url, timeout=5).status)
        except OSError:
            time.sleep(0.2)
    raise AssertionError(f"{url} does not answer")


def test_the_quick_part_of_the_tests_passes_against_it(installed: Path, project: Path) -> None:
    tests = project / "tests"
    for path in ROOT.glob("tests/*.py"):
        if path.name not in ("test_wheel.py", "test_installed.py", "test_architecture.py", "test_benchmarks.py"):
            _copy(path, tests / path.name)
    for name in QUICK:
        _copy(ROOT / "tests" / name, tests / name)
        _copy(ROOT / "tests" / Path(name).parent / "__init__.py", tests / Path(name).parent / "__init__.py")
    (project / "pytest.ini").write_text("[pytest]\nmarkers =\n    slow\n    browser\n    prove\n", encoding="utf-8")
    said = run(
        [installed / "bin" / "python", "-m", "pytest", "-q", "-p", "no:xdist", "-m", "not slow", "tests"], project
    )
    assert " passed" in said


def _copy(path: Path, to: Path) -> None:
    to.parent.mkdir(parents=True, exist_ok=True)
    to.write_text(wheel_backend.renamed(path.read_text(encoding="utf-8"), path.name), encoding="utf-8")
