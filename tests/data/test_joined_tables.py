"""Test tables that come from a join of captions and references."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd
import pytest

from data.load import Loaded, load_study
from tests.data.test_values import WRITTEN, as_file, candidates, references


def test_a_join_of_captions_and_references_reads_each_once() -> None:
    """After `preds.merge(refs)`, each caption was once read three times; rows of separate lists are still not
    merged.
    """
    said = pd.DataFrame([(id, f"one {id}") for id in WRITTEN], columns=["id", "prediction"])
    people = pd.DataFrame([(id, text) for id, texts in WRITTEN.items() for text in texts], columns=["id", "reference"])
    joined = load_study([as_file(said.merge(people), "x.csv")])
    assert {len(texts) for texts in candidates(joined).values()} == {1}
    assert references(joined) == {id: tuple(texts) for id, texts in WRITTEN.items()}
    two = said.assign(prediction=said.prediction + " twice")
    both = load_study([as_file(pd.concat([said, two]).merge(people), "x.csv")])
    assert {len(texts) for texts in candidates(both).values()} == {2}
    beside = pd.DataFrame(
        [(id, text, other) for id, texts in WRITTEN.items() for text, other in zip(["a", "a", "b"], texts)],
        columns=["id", "prediction", "reference"],
    )
    assert candidates(load_study([as_file(beside, "x.csv")]))["1"] == ("a", "a", "b")


@pytest.mark.parametrize("form", ["lines", "list", "items"])
def test_records_with_a_row_per_caption_or_reference_lose_none(form: str) -> None:
    """Of three records per image with `image_id`, `prediction` and `references`, only the first caption was once
    kept.
    """

    def read(rows: list[dict[str, Any]]) -> Loaded:
        text = "\n".join(map(json.dumps, rows)) if form == "lines" else json.dumps(rows)
        return load_study([("x.json", (f'{{"items": {text}}}' if form == "items" else text).encode())])

    drawn = {id: tuple(f"{number} {id}" for number in ("one", "two", "three")) for id in WRITTEN}
    whole = [
        {"image_id": id, "prediction": text, "references": WRITTEN[id]} for id, texts in drawn.items() for text in texts
    ]
    assert candidates(read(whole)) == drawn
    assert references(read(whole)) == {id: tuple(texts) for id, texts in WRITTEN.items()}
    listed = [{"_id": row["image_id"], "candidates": [row["prediction"]], "references": ["a"]} for row in whole]
    assert candidates(read(listed)) == drawn
    single = [{"id": id, "caption": texts[0], "reference": text} for id, texts in drawn.items() for text in WRITTEN[id]]
    assert candidates(read(single)) == {id: texts[:1] for id, texts in drawn.items()}
    assert references(read(single)) == {id: tuple(texts) for id, texts in WRITTEN.items()}
    assert references(read([{"id": row["id"], "reference": row["reference"]} for row in single])) == references(
        read(single)
    )


def test_a_join_reads_several_captions_in_each_row_once() -> None:
    said = {id: (f"one {id}", f"two {id}", f"one {id}") for id in WRITTEN}
    listed = [{"id": id, "predictions": said[id], "reference": text} for id, texts in WRITTEN.items() for text in texts]
    apart = [(id, *said[id], text) for id, texts in WRITTEN.items() for text in texts]
    names = ["id", *(f"caption_{k}" for k in (1, 2, 3)), "reference"]
    for file in (("x.json", json.dumps(listed).encode()), as_file(pd.DataFrame(apart, columns=names), "x.csv")):
        found = load_study([file])
        assert candidates(found) == said
        assert references(found) == {id: tuple(texts) for id, texts in WRITTEN.items()}


def test_one_id_taken_twice_is_no_row_per_caption() -> None:
    rows = [{"id": id, "prediction": f"one {id}", "references": texts} for id, texts in WRITTEN.items()]
    again = [*rows, {**rows[0], "prediction": "another"}]
    found = load_study([("x.json", json.dumps(again).encode())])
    assert {len(texts) for texts in candidates(found).values()} == {1}
    assert "duplicate_id" in {one.code for one in found.findings}


def test_a_join_of_several_runs_columns_and_references_reads_each_once() -> None:
    """With a row per reference, `image,reference,BLIP,GIT` once gave each run its caption three times."""
    told = {
        "1": ("a red car is parked", "one old car beside a wall", ("a car near a house", "somebody left a car here")),
        "2": ("two dogs run after a ball", "dogs play", ("two dogs in a park", "the dogs chase a ball")),
        "3": ("a boat on a lake", "three people in a small boat", ("people row a boat", "a boat far from the shore")),
        "4": ("a woman fixes a bike", "a bicycle without a wheel", ("she repairs a bicycle", "a broken bike")),
    }
    rows = [(id, text, *said) for id, (*said, people) in told.items() for text in people]
    found = load_study([as_file(pd.DataFrame(rows, columns=["image", "reference", "BLIP", "GIT"]), "x.csv")])
    assert found.study is not None
    said = {run.name: dict(run.candidates) for run in found.study.runs}
    assert said == {name: {id: (one[k],) for id, one in told.items()} for k, name in enumerate(("BLIP", "GIT"))}
    assert references(found) == {id: one[2] for id, one in told.items()}
    assert sum(one.count for one in found.findings if one.code == "captions_joined") == 2 * len(told)
    drawn = [(*row[:2], f"{number} {row[2]}", row[3]) for number, row in enumerate(rows)]
    apart = load_study([as_file(pd.DataFrame(drawn, columns=["image", "reference", "BLIP", "GIT"]), "x.csv")])
    assert apart.study is not None
    assert [{len(texts) for texts in run.candidates.values()} for run in apart.study.runs] == [{2}, {2}]
