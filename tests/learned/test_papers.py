"""Test that every training command of docs/papers.md works on a small part of the demo and on made-up ratings."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from data import demo
from data.convert import write_jsonl
from tests.engine.test_papers import PAGE, TRAINED, ran
from tests.learned.small import small_networks
from tests.learned.test_cosmic import ratings_file


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("learned")
    whole = demo.load()
    items = tuple(replace(item, references=item.references[:3]) for item in whole.items[:20])
    run = replace(whole.runs[0], candidates={item.id: whole.runs[0].candidates[item.id][:1] for item in items})
    write_jsonl(replace(whole, items=items, runs=(run,)), folder / "demo.jsonl.gz")
    ratings_file(folder, 50).rename(folder / "cosmic_raccoon.tsv")
    return folder


@pytest.mark.parametrize("line", TRAINED, ids=lambda line: " ".join(line.split()[1:]))
def test_every_command_that_trains_works(line: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with small_networks():
        ran(line, folder, monkeypatch)
    assert pd.read_csv(line.split()[-1]).value.notna().any()


def test_what_a_paper_learns_has_a_command_that_runs() -> None:
    assert [line.split()[2] for line in TRAINED] == ["critique", "critique", "critique", "cosmic"]
    assert not re.search("`train [^`]*(FILES|RATINGS)", PAGE)
