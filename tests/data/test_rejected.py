"""Captions that annotators reject, and columns of references that a letter or an ordinal tells apart."""

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
    ],
)
def test_captions_that_annotators_reject_are_no_references(field: str, kept: Any, taken_back: Any) -> None:
    """As COCO annotations, as lines of JSON, and as a table; a field beside a model's captions says nothing of them."""
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
    if field != "AssignmentStatus":
        loaded = load_study([as_file(both.assign(**{field: taken_back}), "x.csv")])
        assert {len(texts) for texts in references(loaded).values()} == {1}


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
