"""Test `idf` and `--idf`: frequencies of one study are applied to another, and a pickle is refused."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

from cli.app import app
from data.convert import to_jsonl_bytes
from tests.studies import study

RUN = CliRunner()


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    own, elsewhere = tmp_path / "own.jsonl", tmp_path / "elsewhere.jsonl"
    own.write_bytes(to_jsonl_bytes(study(items=6, runs=1)))
    elsewhere.write_bytes(to_jsonl_bytes(study(items=30, runs=0, seed=3)))
    return own, elsewhere


def table(out: Path, *arguments: object) -> pd.DataFrame:
    done = RUN.invoke(
        app, ["score", *map(str, arguments), "--metrics", "cider_d,rouge_l", "--out", str(out), "--no-cache"]
    )
    assert done.exit_code == 0, done.output
    return pd.read_csv(out).set_index("metric")


def test_frequencies_of_another_study_change_cider_d_alone(files: tuple[Path, Path], tmp_path: Path) -> None:
    own, elsewhere = files
    made = tmp_path / "elsewhere.npz"
    done = RUN.invoke(app, ["idf", str(elsewhere), "--out", str(made)])
    assert done.exit_code == 0, done.output
    assert "of 30 items, idf:" in done.output
    plain, fixed = table(tmp_path / "a.csv", own), table(tmp_path / "b.csv", own, "--idf", made)
    digest = done.output.split("idf:")[1].split()[0]
    assert fixed.signature["cider_d"] == plain.signature["cider_d"].replace("idf:study", f"idf:{digest}")
    assert fixed.value["cider_d"] != plain.value["cider_d"]
    assert fixed.value["rouge_l"] == plain.value["rouge_l"]


@pytest.mark.parametrize("command", ["score", "compare", "report"])
def test_a_pickle_is_not_opened(files: tuple[Path, Path], tmp_path: Path, command: str) -> None:
    bad = tmp_path / "coco-val-df.p"
    bad.write_bytes(b"\x80\x04}\x94.")
    out = ["--out", str(tmp_path / "out.html")] if command == "report" else []
    done = RUN.invoke(app, [command, str(files[0]), "--idf", str(bad), *out])
    assert done.exit_code == 2
    assert "a pickle can run any program" in done.output
    gone = RUN.invoke(app, [command, str(files[0]), "--idf", str(tmp_path / "none.npz"), *out])
    assert gone.exit_code == 2
    assert "none.npz: there is no such file" in gone.output
