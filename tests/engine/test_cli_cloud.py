"""Test `trilens cloud`: how often a run is nearest to people, its seed, and a study with too few captions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from data.convert import write_jsonl
from data.study import Item
from metrics.analysis.cloud import captions
from metrics.text.encoder import Encoder
from tests.command_line import trilens
from tests.studies import study as random_study

MADE = random_study(items=8, references=4, candidates=3, runs=2)
OWN = {item.id: item.references[:3] for item in MADE.items}
STUDY = replace(MADE, runs=(MADE.runs[0], replace(MADE.runs[1], candidates=OWN)))


def test_the_table_says_how_often_a_run_is_nearest_to_people(tmp_path: Path) -> None:
    write_jsonl(STUDY, tmp_path / "study.jsonl")
    out = tmp_path / "cloud.csv"
    trilens("cloud", tmp_path / "study.jsonl", "--no-cache", "--out", out)
    table = pd.read_csv(out).set_index("Set")
    assert table.loc["run 0", "Captions"] == 24
    for run in STUDY.runs:
        assert table.loc[run.name, "Different"] == len({text for own in run.candidates.values() for text in own})
        assert table.loc[run.name, "People's nearest"] == pytest.approx(nearest(run.candidates), abs=1e-9)


def test_the_seed_draws_the_images_of_a_large_study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit of 50 captions makes the study large, so that only five of the eight images are used."""
    monkeypatch.setattr(captions, "IMAGES", 2)
    monkeypatch.setattr(captions, "points", partial(captions.points, limit=50))
    run, first = STUDY.runs[0], STUDY.items[0].id
    repeats = replace(run, candidates={**run.candidates, first: run.candidates[first][:1] * 3})
    study = replace(STUDY, runs=(repeats, STUDY.runs[1]))
    other, drawn = (sorted({*captions.points(study, seed=seed).item.tolist()}) for seed in (0, 4))
    assert (0 in other, 0 in drawn) == (False, True)
    write_jsonl(study, tmp_path / "study.jsonl")
    out = tmp_path / "cloud.csv"
    command = ["cloud", str(tmp_path / "study.jsonl"), "--no-cache", "--out", str(out), "--seed", "4"]
    trilens(*command)
    table = pd.read_csv(out).set_index("Set")
    for run, different in zip(study.runs, (13, 15)):
        assert (table.loc[run.name, "Captions"], table.loc[run.name, "Different"]) == (15, different)
        wanted = nearest(run.candidates, [study.items[k] for k in drawn])
        assert table.loc[run.name, "People's nearest"] == pytest.approx(wanted, abs=1e-9)


def nearest(candidates: Mapping[str, tuple[str, ...]], items: Sequence[Item] = STUDY.items) -> float:
    """Return the share of people's captions whose nearest other caption of the item is by the run; ties count half."""
    shares = []
    for item in items:
        people, own = (Encoder().encode(list(texts)).astype(float) for texts in (item.references, candidates[item.id]))
        apart = ((people[:, None] - people[None]) ** 2).sum(axis=2) + np.diag([np.inf] * len(people))
        to_run = ((people[:, None] - own[None]) ** 2).sum(axis=2).min(axis=1)
        least = apart.min(axis=1)
        shares += [(to_run < least - 1e-9) + 0.5 * (abs(to_run - least) <= 1e-9)]
    return float(np.mean(np.concatenate(shares)))


def test_with_too_few_captions_it_says_why(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_text('{"id": "1", "candidates": {"m": ["a dog"]}}\n')
    done = trilens("cloud", tmp_path / "empty.jsonl", "--no-cache", expect=2)
    assert "a cloud needs at least three captions" in done.output
