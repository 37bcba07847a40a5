"""Test ratings of one caption by several people in one record."""

from __future__ import annotations

import io
import json
from typing import Any

import pandas as pd
import pytest

from data.load import load_study
from data.ratings.human_ratings import ratings_of
from data.study import Study
from tests.data.test_any_records import IDS, SAID, WRITTEN

FIRST, SECOND = {"coherence": 5, "fluency": 3}, {"coherence": 2, "fluency": 4}
BOTH = {"coherence": {"1": 5, "2": 2}, "fluency": {"1": 3, "2": 4}}
NAMED = {criterion: dict(zip(("ann", "bob"), of.values())) for criterion, of in BOTH.items()}


def read(rows: list[dict[str, Any]]) -> tuple[Study, set[str]]:
    found = load_study([("judged.json", json.dumps(rows).encode())])
    assert found.study is not None
    told = (one.problem for one in found.findings if one.code == "ignored_columns")
    return found.study, {name for text in told for name in text.split(": ")[1].rstrip(".").split(", ")}


def rated(study: Study) -> dict[str, dict[str, float]]:
    return {
        one.criterion: {one.raters[one.rater[k]]: float(one.value[k]) for k in range(len(one)) if one.item[k] == 0}
        for one in ratings_of(study)
    }


def records(**beside: Any) -> list[dict[str, Any]]:
    return [
        {"id": id, "decoded": text, "references": list(refs), "model_id": "m", **beside}
        for id, text, refs in zip(IDS, SAID, WRITTEN)
    ]


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ({"expert_annotations": [FIRST, SECOND]}, BOTH),
        ({"annotations": [{"annotator": "ann", **FIRST}, {"annotator": "bob", **SECOND}]}, NAMED),
        ({"annotations": [{"completed_by": {"id": "ann"}, **FIRST}, {"completed_by": {"id": "bob"}, **SECOND}]}, NAMED),
        ({"ratings": {"coherence": [5, 2], "fluency": [3, 4]}}, BOTH),
        ({"human_scores": {"ann": FIRST, "bob": SECOND}}, NAMED),
        ({"judgments": {"coherence": {"ann": 5, "bob": 2}, "fluency": {"ann": 3, "bob": 4}}}, NAMED),
        ({"coherence": [5, 2], "fluency": [3, 4]}, BOTH),
        ({"human_ratings": [5, 2]}, {"rating": BOTH["coherence"]}),
        ({"ratings": {"vividness": 3}}, {"vividness": {"": 3}}),
    ],
)
def test_ratings_within_a_record_are_by_rater(field: dict[str, Any], expected: dict[str, dict[str, float]]) -> None:
    study, unused = read(records(**field))
    assert rated(study) == expected
    assert not unused
    assert {item.id: item.references for item in study.items} == dict(zip(IDS, WRITTEN))


@pytest.mark.parametrize("names", [("ann", "bob", "cy"), ("r1", "r2", "r1"), ("first rater", "rater", "first rater")])
def test_names_that_differ_or_mean_people_are_raters(names: tuple[str, ...]) -> None:
    """In `{"ann": 3}`, ann is taken for a criterion only if no record has another name in that place."""
    rows = [{"id": id, "model": "m", "caption": said} for id, said in zip(IDS, SAID)]
    study, unused = read([row | {"ratings": {name: 3}} for row, name in zip(rows, names)])
    assert rated(study) == {"rating": {names[0]: 3}}
    assert not unused


def test_experts_and_crowd_rate_the_same_criteria_apart() -> None:
    """Records are like those of SummEval; if a rater gave no rating, the others keep their numbers."""
    crowd = [{"coherence": 1, "fluency": 1}, {"fluency": 2}, {"coherence": 3, "fluency": None}]
    study, unused = read(records(expert_annotations=[FIRST, SECOND], turker_annotations=crowd))
    assert rated(study) == {
        "expert_annotations.coherence": {"1": 5, "2": 2},
        "expert_annotations.fluency": {"1": 3, "2": 4},
        "turker_annotations.coherence": {"1": 1, "3": 3},
        "turker_annotations.fluency": {"1": 1, "2": 2},
    }
    assert not unused


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_ratings_in_the_cells_of_tables(kind: str) -> None:
    """A cell contains JSON or, in Parquet, a list of objects."""
    rows = records(expert_annotations=[FIRST, SECOND], human_ratings=[5, 2])
    out = io.BytesIO()
    if kind == "csv":
        told = [{key: json.dumps(of) if isinstance(of, list) else of for key, of in row.items()} for row in rows]
        pd.DataFrame(told).to_csv(out, index=False)
    else:
        pd.DataFrame(rows).to_parquet(out)
    found = load_study([(f"judged.{kind}", out.getvalue())])
    assert found.study is not None
    assert rated(found.study) == {"rating": BOTH["coherence"], **BOTH}
    assert not {one.code for one in found.findings} & {"ignored_columns", "references_left"}


def test_ratings_of_label_studio() -> None:
    """The name of the question is the criterion, and the only model of the predictions is the run."""

    def answer(name: str, kind: str, value: Any) -> dict[str, Any]:
        return {"from_name": name, "to_name": "image", "type": kind, "value": {kind: value}}

    rows = [
        {
            "id": id,
            "data": {"image": f"{id}.jpg"},
            "annotations": [
                {"id": 7, "completed_by": who, "lead_time": 2.5, "result": [answer("clear", "rating", k)]}
                for who, k in (("ann", 5), ("bob", 2))
            ],
            "predictions": [
                {"model_version": "blip-1", "result": [{**answer("c", "textarea", 0), "value": {"text": [text]}}]}
            ],
        }
        for id, text in zip(IDS, SAID)
    ]
    study, _ = read(rows)
    assert rated(study) == {"clear": {"ann": 5, "bob": 2}}
    assert [(run.name, run.candidates[IDS[0]]) for run in study.runs] == [("blip-1", (SAID[0],))]


def test_ratings_beside_several_captions() -> None:
    """A number rates all captions of an item together; a list of as many numbers as captions rates each."""
    rows = records(fluency=[3, 4], relevance=5)
    study, _ = read([{**row, "decoded": [row["decoded"], "A dog"]} for row in rows])
    found = {one.criterion: list(zip(one.place.tolist(), one.value.tolist()))[:2] for one in ratings_of(study)}
    assert found == {"fluency": [(0, 3.0), (1, 4.0)], "relevance": [(-1, 5.0), (-1, 5.0)]}


@pytest.mark.parametrize(
    "field",
    [
        {"gpt4_scores": {"coherence": 5}},
        {"annotations": [{"id": 3, "bbox": [1, 2]}]},
        {"annotations": [{"text": "a dog", "fluency": 3}]},
        {"sizes": [3, 4]},
    ],
)
def test_other_numbers_are_no_ratings(field: dict[str, Any]) -> None:
    """The numbers are scores by programs, scores of people's captions, or numbers of other kinds."""
    study, _ = read(records(**field))
    assert not rated(study)
