"""Test runs whose captions do not match their items: shifted or shuffled files, and models that ignore the image."""

from __future__ import annotations

import json
import random
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from data.checks import alignment
from data.demo import load as load_demo
from data.load import load_study
from data.marks import renamed
from data.study import Study
from figures.notes.hazards import faulty, hazards_of

THINGS = [f"{kind}{k}" for kind in ("tree", "boat", "cup", "road") for k in range(12)]


def write(folder: Path, order: list[int], cluster: int = 1, words: str = "a {} near a {}") -> Path:
    """Write a study in which item k has the caption for item `order[k]`.

    Each `cluster` consecutive items show the same things.
    """
    source = random.Random(0)
    things = [source.sample(THINGS, 2) for _ in range(-(-len(order) // cluster))]
    path = folder / "study.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for k, of in enumerate(order):
            own, told = things[k // cluster], things[of // cluster]
            record = {
                "id": f"image {k}",
                "references": ["there is a {} and a {}".format(*own), f"one {own[0]} of clip {k}"],
                "candidates": {"model": [words.format(*told)]},
            }
            if cluster > 1:
                record["cluster"] = f"{k // cluster}"
            file.write(json.dumps(record) + "\n")
    return path


def found(path: Path) -> dict[str, str]:
    codes = ("shifted_run", "run_at_chance", "run_not_nearer")
    return {one.code: one.problem for one in load_study([path]).findings if one.code in codes}


def test_a_file_in_its_order_has_no_finding(tmp_path: Path) -> None:
    for items in (*range(1, 6), 40, 200):
        assert not found(write(tmp_path, list(range(items)))), items


@pytest.mark.parametrize("by", [1, -1, 7])
def test_a_shifted_file_is_found_with_its_shift(tmp_path: Path, by: int) -> None:
    said = found(write(tmp_path, np.roll(np.arange(60), -by).tolist()))
    assert set(said) == {"shifted_run"}
    assert said["shifted_run"].endswith(f"shifted by {abs(by)}.")
    assert "From item image 0 on" in said["shifted_run"]


def test_a_line_missing_in_the_middle_is_found_where_it_is_missing(tmp_path: Path) -> None:
    said = found(write(tmp_path, [*range(100), *range(101, 200), 100]))
    assert set(said) == {"shifted_run"}
    assert "From item image 100 on" in said["shifted_run"]
    assert said["shifted_run"].endswith("(the first fits the references of image 101): lines or ids are shifted by 1.")


def test_shuffled_captions_and_those_of_nothing_are_at_chance(tmp_path: Path) -> None:
    order = list(range(60))
    random.Random(1).shuffle(order)
    assert set(found(write(tmp_path, order))) == {"run_at_chance"}
    assert set(found(write(tmp_path, list(range(60)), words="un {} près"[:2]))) == {"run_at_chance"}


def test_a_run_at_chance_is_said_with_the_difference_that_would_have_been_found(tmp_path: Path) -> None:
    order = list(range(60))
    random.Random(1).shuffle(order)
    said = found(write(tmp_path, order))["run_at_chance"]
    own, others, least = (float(number) for number in re.findall(r"-?\d\.\d{3}", said))
    assert least > own - others
    values = np.random.default_rng(0).normal(size=40)
    error, critical = values.std(ddof=1) / np.sqrt(40), stats.t.ppf(1 - alignment.ALPHA, 39)
    assert stats.nct.sf(critical, 39, alignment._least(values) / error) == pytest.approx(alignment.POWER, abs=0.01)


def test_few_items_are_reported_only_if_no_nearer_than_others(tmp_path: Path) -> None:
    for items in range(1, 5):
        assert not found(write(tmp_path, np.roll(np.arange(items), 1).tolist())), items
    for items in (5, 12, 29):
        assert not found(write(tmp_path, list(range(items)))), items
        assert set(found(write(tmp_path, np.roll(np.arange(items), 1).tolist()))) == {"run_not_nearer"}, items
        assert set(found(write(tmp_path, list(range(items)), words="un {} près"[:2]))) == {"run_not_nearer"}, items
        assert not found(write(tmp_path, list(range(items)), words=" "[:0])), "an empty run"


def test_items_of_a_cluster_count_as_one(tmp_path: Path) -> None:
    assert not found(write(tmp_path, np.roll(np.arange(80), 1).tolist(), cluster=4)), "three of four are in their own"
    assert not found(write(tmp_path, list(range(160)), cluster=4))
    for by in (1, 4):
        assert "shifted_run" in found(write(tmp_path, np.roll(np.arange(160), by).tolist(), cluster=4)), by


def test_the_finding_names_file_run_and_remedy(tmp_path: Path) -> None:
    loaded = load_study([write(tmp_path, np.roll(np.arange(60), 1).tolist())])
    (one,) = (one for one in loaded.findings if one.code == "shifted_run")
    assert (one.severity, one.file, one.id) == ("warning", "study.jsonl", "image 0")
    study = loaded.study
    assert study is not None
    assert hazards_of(study, "model") == ("fits other items better than its own",)
    assert faulty(study.only(items=[item.id for item in study.items[:20]])) == {"model"}, "as *Data* names it"
    assert faulty(renamed(study, {"model": "other"})) == {"other"}
    assert "run model" in one.problem
    assert "missing or additional line" in one.repair


def test_no_run_of_the_demo_is_reported_and_each_is_where_it_is_shuffled() -> None:
    from data.checks import alignment

    study: Study = load_demo()
    words, order = alignment.Words(study), np.random.default_rng(0).permutation(len(study.items))
    for run in study.runs:
        own = alignment.Nearness(study, *words.against(run))
        assert own.above_chance()
        assert own.shift() is None
        mixed = {item.id: run.candidates[study.items[k].id] for item, k in zip(study.items, order)}
        assert not alignment.Nearness(study, *words.against(replace(run, candidates=mixed))).above_chance()
