"""Test tables produced by joining captions and references."""

from __future__ import annotations

import pandas as pd

from data.load import load_study
from tests.data.test_values import WRITTEN, as_file, candidates, references


def test_a_join_of_captions_and_references_reads_each_once() -> None:
    """After `preds.merge(refs)`, the run appeared to have its caption three times. Rows side by side are no join."""
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
