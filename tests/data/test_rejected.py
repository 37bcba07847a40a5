"""Test captions that annotators reject, and columns of references distinguished by a letter or an ordinal."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd
import pytest

from data.load import load_study
from tests.data.test_values import PREDICTED, WRITTEN, as_file, found, rated, references


@pytest.mark.parametrize(
    ("field", "kept", "taken_back"),
    [
        ("AssignmentStatus", "Approved", "Rejected"),
        ("answer", "accept", "reject"),
        ("status", "reviewed", "rejected"),
        ("valid", True, False),
        ("is_approved", 1, 0),
        ("was_cancelled", False, True),
    ],
)
def test_captions_that_annotators_reject_are_no_references(field: str, kept: Any, taken_back: Any) -> None:
    """The captions are in COCO annotations, JSON Lines and a table; for a model's captions, the field has no effect."""
    rows = [{**row, field: kept} for row in rated()]
    rows[-1][field] = taken_back
    lines = "\n".join(map(json.dumps, rows)).encode()
    for file in (
        ("val.json", json.dumps({"images": [], "annotations": rows}).encode()),
        ("references.jsonl", lines),
        *([] if field == "answer" else [as_file(pd.DataFrame(rows), "references.csv")]),
    ):
        loaded = load_study([PREDICTED, file])
        assert {len(texts) for texts in references(loaded).values()} == {3}
        assert found(loaded, "withdrawn").count == 1
    both = pd.DataFrame({"image_id": ["1", "2"], "prediction": ["a dog", "a cat"], "reference": ["one dog", "one cat"]})
    if field not in ("AssignmentStatus", "was_cancelled"):
        loaded = load_study([as_file(both.assign(**{field: taken_back}), "x.csv")])
        assert {len(texts) for texts in references(loaded).values()} == {1}


@pytest.mark.parametrize("name", ["refs.json", "refs.csv", "refs.parquet"])
def test_lists_of_marks_withdraw_captions_in_the_list_beside_them(name: str) -> None:
    rows = [
        {
            "image_id": id,
            "caption": [f"{text} {n}" for n in range(3)],
            "is_rejected": [n == 1 for n in range(3)],
            "is_precanned": [False] * 3,
            "annotation_id": [0, 1, 2],
        }
        for id, text in (("1", "a dog"), ("2", "a cat"))
    ]
    file = (name, json.dumps(rows).encode()) if name.endswith("json") else as_file(pd.DataFrame(rows), name)
    loaded = load_study([PREDICTED, file])
    assert references(loaded) == {"1": ("a dog 0", "a dog 2"), "2": ("a cat 0", "a cat 2")}
    assert found(loaded, "withdrawn").count == 2


@pytest.mark.parametrize("of_cancelled", [[], [{"value": {"text": ["a d"]}, "type": "textarea"}]])
def test_annotations_that_were_cancelled_are_no_references(of_cancelled: list[Any]) -> None:
    """Label Studio exports annotations either in full, where some have no result, or as short rows."""
    said = {f"{k}.jpg": [f"a dog {k}", f"one dog {k}"] for k in range(3)}

    def annotation(result: list[Any], cancelled: bool) -> dict[str, Any]:
        return {"id": 7, "result": result, "was_cancelled": cancelled, "ground_truth": False}

    def result(text: str) -> list[Any]:
        return [{"value": {"text": [text]}, "from_name": "caption", "type": "textarea"}]

    tasks: list[dict[str, Any]] = [
        {"id": 90 + k, "data": {"image": f"/data/{id}"}, "annotations": [annotation(of_cancelled, True)]}
        for k, id in enumerate(said)
    ]
    rows: list[dict[str, Any]] = []
    for task, (id, texts) in zip(tasks, said.items()):
        task["annotations"][:0] = [annotation(result(text), False) for text in texts]
        rows += [{"id": task["id"], "image": f"/data/{id}", "caption": one, "was_cancelled": False} for one in texts]
        rows.append({"id": task["id"], "image": f"/data/{id}", "caption": "a d", "was_cancelled": True})
    run = [{"image": id, "caption": f"two dogs in {id}"} for id in said]
    for name, value in (("tasks.json", tasks), ("min.json", rows)):
        files = [("m.json", json.dumps(run).encode()), (name, json.dumps(value).encode())]
        loaded = load_study(files)
        assert list(references(loaded).values()) == [tuple(texts) for texts in said.values()]
        assert found(loaded, "withdrawn").count == 3


@pytest.mark.parametrize("many", [False, True])
def test_a_number_beside_the_name_of_the_image_is_the_id_only_if_the_other_file_says_so(many: bool) -> None:
    """The rows have an id, an image and a caption; the ids number either the captions or the images."""
    said = [(k, f"{k}.jpg", f"a dog {k} {n}") for k in range(4) for n in range(2)]
    rows = [
        {"id": n if many else 100 + k, "image": image, "caption": text} for n, (k, image, text) in enumerate(said, 50)
    ]
    run = [{"image": f"{k}.jpg", "caption": f"two dogs {k}"} for k in range(4)]
    loaded = load_study([("m.json", json.dumps(run).encode()), ("references.json", json.dumps(rows).encode())])
    assert loaded.study is not None
    assert [len(item.references) for item in loaded.study.items] == [2] * 4


@pytest.mark.parametrize(
    "columns",
    [
        ["ref_a", "ref_b", "ref_c"],
        ["Ref A", "Ref B", "Ref C"],
        ["first reference", "second reference", "third reference"],
    ],
)
def test_columns_with_a_letter_or_an_ordinal_are_those_of_one_kind(columns: list[str]) -> None:
    frame = pd.DataFrame({"image_id": list(WRITTEN), "caption": [f"a dog {id}" for id in WRITTEN]})
    frame[columns] = list(WRITTEN.values())
    loaded = load_study([as_file(frame, "x.csv")])
    assert {id: list(texts) for id, texts in references(loaded).items()} == {id: list(t) for id, t in WRITTEN.items()}
    assert "references_left" not in {finding.code for finding in loaded.findings}


def test_references_without_the_tag_correct_beside_others_with_it_are_no_references() -> None:
    """HELM marks correct answers like this; other tags withdraw nothing."""
    for tags, n in ((["correct"], 1), (["train"], 2)):
        told = [{"output": {"text": "a dog"}, "tags": tags}, {"output": {"text": "no dog"}, "tags": []}]
        rows = [{"id": id, "references": told, "prediction": f"dog {id}"} for id in ("p", "q")]
        loaded = load_study([("m.json", json.dumps(rows).encode())])
        assert references(loaded) == dict.fromkeys(("p", "q"), ("a dog", "no dog")[:n])
        assert [one.count for one in loaded.findings if one.code == "withdrawn"] == [2] * (n == 1)
