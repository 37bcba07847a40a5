"""Test studies without references: which numbers remain, and runs that have no item in common."""

from __future__ import annotations

import json

import pytest

from data.check import repair
from data.load import Loaded, load_study
from data.ratings.human_ratings import SET, ratings_of, with_metadata
from data.study import DataError


def lines(*rows: dict[str, object]) -> Loaded:
    return load_study([("tasks.jsonl", "\n".join(map(json.dumps, rows)).encode())])


def row(id: str, run: str, temperature: float, rating: float) -> dict[str, object]:
    said = {run: [f"{run} says {id}", f"{run} again", "so"]}
    return {"id": id, "candidates": said, "human": {run: {"variety": rating}}, "metadata": {"temperature": temperature}}


ROWS = [row("1", "story", 0.5, 1), row("2", "story", 1.0, 2), row("3", "reply", 0.7, 4), row("4", "reply", 0.9, 3)]


def test_one_run_without_references_keeps_every_item() -> None:
    loaded = lines(*(one for one in ROWS if "story" in one["candidates"]))  # type: ignore[operator]
    assert loaded.study is not None
    assert [len(item.references) for item in loaded.study.items] == [0, 0]
    assert [run.name for run in loaded.study.runs] == ["story"]
    assert not loaded.errors
    assert [one.code for one in loaded.findings] == ["no_references"]


def test_the_lack_of_captions_by_people_is_the_first_warning() -> None:
    rows = [f"{k},{run},{said}\n" for k in (1, 2) for run in "AB" for said in ("a dog runs", " one dog", "", "ab")]
    found = load_study([("x.csv", f"id,model,caption\n{''.join(rows)}".encode())]).findings
    first, *rest = [one for one in found if one.severity == "warning"]
    assert rest
    assert first.problem.startswith("There are no captions by people: ")
    assert first.repair.startswith("Add them with the same ids")


def test_runs_without_a_common_item_become_one_with_their_ratings() -> None:
    loaded = lines(*ROWS)
    study = loaded.study
    assert study is not None
    assert [run.name for run in study.runs] == ["tasks"]
    assert [item.metadata["run"] for item in study.items] == ["story", "story", "reply", "reply"]
    (ratings,) = ratings_of(study)
    assert (ratings.criterion, ratings.value.tolist(), set(ratings.place)) == ("variety", [1, 2, 4, 3], {SET})


def test_ratings_in_another_file_find_the_run_that_became_part_of_one() -> None:
    table = b"item,run,rating\n1,story,5\n3,reply,2\n"
    files = [("tasks.jsonl", "\n".join(map(json.dumps, ROWS)).encode()), ("ratings.csv", table)]
    study = load_study(files).study
    assert study is not None
    assert sorted(next(r for r in ratings_of(study) if r.criterion == "rating").value.tolist()) == [2, 5]


def test_without_the_repair_they_stay_apart_and_cannot_be_compared() -> None:
    found = repair(lines(*ROWS), [], without=["join_runs"])
    assert found.study is None
    assert [one.code for one in found.errors] == ["no_common_items"]


def test_runs_that_share_an_item_or_have_references_are_not_joined() -> None:
    both = {"story": ["A.", "B."], "reply": ["Hm.", "Yes."]}
    shared = lines({"id": "1", "candidates": both}, *ROWS[1:])
    assert "runs_joined" not in {one.code for one in shared.findings}
    people = lines(*({**one, "references": ["a", "b"]} for one in ROWS))
    assert "runs_joined" not in {one.code for one in people.findings}
    assert people.study is None


def test_metadata_becomes_a_rating_of_each_set() -> None:
    study = lines(*ROWS).study
    assert study is not None
    for name in ("temperature", "metadata.temperature"):
        found = with_metadata(study, name)
        of = {ratings.criterion: ratings.value.tolist() for ratings in ratings_of(found)}
        assert of == {"variety": [1, 2, 4, 3], "metadata.temperature": [0.5, 1.0, 0.7, 0.9]}
    with pytest.raises(DataError, match="no item has a number 'run' in its metadata; there are temperature"):
        with_metadata(study, "run")
