"""`trilens cloud`: the numbers of the page Caption cloud."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from cli.app import app
from data.convert import write_jsonl
from metrics.text.encoder import Encoder
from tests.studies import study as random_study

MADE = random_study(items=8, references=4, candidates=3, runs=2)
OWN = {item.id: item.references[:3] for item in MADE.items}
STUDY = replace(MADE, runs=(MADE.runs[0], replace(MADE.runs[1], candidates=OWN)))


def test_the_table_says_how_often_a_run_is_nearest_to_people(tmp_path: Path) -> None:
    write_jsonl(STUDY, tmp_path / "study.jsonl")
    out = tmp_path / "cloud.csv"
    done = CliRunner().invoke(app, ["cloud", str(tmp_path / "study.jsonl"), "--no-cache", "--out", str(out)])
    assert done.exit_code == 0, done.output
    table = pd.read_csv(out).set_index("Set")
    assert table.loc["run 0", "Captions"] == 24
    for run in STUDY.runs:
        assert table.loc[run.name, "Different"] == len({text for own in run.candidates.values() for text in own})
        assert table.loc[run.name, "People's nearest"] == pytest.approx(nearest(run.candidates), abs=1e-9)


def nearest(candidates: Mapping[str, tuple[str, ...]]) -> float:
    """The share of people's captions whose nearest other caption of the item, by the encoder, is the run's."""
    shares = []
    for item in STUDY.items:
        people, own = (Encoder().encode(list(texts)).astype(float) for texts in (item.references, candidates[item.id]))
        apart = ((people[:, None] - people[None]) ** 2).sum(axis=2) + np.diag([np.inf] * len(people))
        to_run = ((people[:, None] - own[None]) ** 2).sum(axis=2).min(axis=1)
        least = apart.min(axis=1)
        shares += [(to_run < least - 1e-9) + 0.5 * (abs(to_run - least) <= 1e-9)]
    return float(np.mean(np.concatenate(shares)))


def test_with_too_few_captions_it_says_why(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_text('{"id": "1", "candidates": {"m": ["a dog"]}}\n')
    done = CliRunner().invoke(app, ["cloud", str(tmp_path / "empty.jsonl"), "--no-cache"])
    assert done.exit_code == 2
    assert "a cloud needs at least three captions" in done.output
