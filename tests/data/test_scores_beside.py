"""Test scores by metrics of other programs in files of captions."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from typing import Any

import pytest

from cli.file_options import columns_of
from data.load import load_study
from data.study import Study

SAID = {"a": ("a dog runs", "a cat naps", "two cups stand"), "b": ("the dog rests", "one cat sits", "cups on wood")}
KNOWN = ("references.json", json.dumps({str(k): [f"there is a thing {k}", f"thing {k}"] for k in range(3)}).encode())
CIDER = {"a": (0.5, 1.25, 0.0), "b": (2.0, 0.75, 1.0)}
ROWS = [
    {"id": k, "model": run, "caption": SAID[run][k], "CIDEr": CIDER[run][k], "odd": k + 0.5}
    for k in range(3)
    for run in SAID
]


def values(study: Study | None) -> dict[str, Any]:
    assert study is not None
    return {one.name: (one.grain, {run: dict(of) for run, of in one.values.items()}) for one in study.scores}


def table(rows: list[dict[str, Any]]) -> tuple[str, bytes]:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return "all.csv", out.getvalue().encode()


EXPECTED = {run: {str(k): (value,) for k, value in enumerate(of)} for run, of in CIDER.items()}


@pytest.mark.parametrize("file", [table(ROWS), ("all.json", json.dumps(ROWS).encode())])
def test_numbers_named_as_metrics_are_the_scores_of_their_captions(file: tuple[str, bytes]) -> None:
    study = load_study([file, KNOWN]).study
    assert values(study) == {"CIDEr": ("candidate", EXPECTED)}
    assert study is not None
    assert {run.name: [of[0] for of in run.candidates.values()] for run in study.runs} == {
        run: list(of) for run, of in SAID.items()
    }


def test_a_map_gives_any_field_of_numbers_the_role() -> None:
    loaded = load_study([table(ROWS), KNOWN], columns=columns_of("score=odd"))
    found = values(loaded.study)
    assert found["CIDEr"] == ("candidate", EXPECTED)
    assert found["odd"] == ("candidate", {run: {str(k): (k + 0.5,) for k in range(3)} for run in SAID})
    roles = loaded.fields["all.csv"].roles
    assert [name for name, role in roles.items() if role == "score"] == ["odd", "CIDEr"]
    other = load_study([table(ROWS), KNOWN], columns=columns_of("ignore=CIDEr"))
    assert values(other.study) == {}


def test_beside_several_captions_a_score_is_of_the_item() -> None:
    rows = [{"id": k, "prediction": [SAID["a"][k], SAID["b"][k]], "spice": {"All": {"f": k / 4}}} for k in range(3)]
    study = load_study([("m.json", json.dumps(rows).encode()), KNOWN]).study
    assert values(study) == {"spice": ("item", {"m": {str(k): (k / 4,) for k in range(3)}})}


def test_rows_of_one_item_and_run_keep_the_order_of_their_captions() -> None:
    rows = [{"id": k, "caption": f"{SAID['a'][k]} {n}", "CIDEr": k + n / 8} for n in range(2) for k in range(3)]
    study = load_study([table(rows), KNOWN]).study
    assert values(study) == {"CIDEr": ("candidate", {"all": {str(k): (k, k + 1 / 8) for k in range(3)}})}


def test_equal_captions_of_one_item_keep_their_own_scores() -> None:
    """Equal captions are told apart only by their order."""
    rows = [{"id": k, "caption": SAID["a"][k], "CIDEr": k + n / 8} for n in range(2) for k in range(3)]
    study = load_study([table(rows), KNOWN]).study
    assert values(study) == {"CIDEr": ("candidate", {"all": {str(k): (k, k + 1 / 8) for k in range(3)}})}


def test_a_file_given_as_references_has_no_scores_of_runs() -> None:
    rows = [{"id": k, "caption": text, "CIDEr": k} for k, text in enumerate(SAID["b"])]
    model = ("m.json", json.dumps(dict(enumerate(SAID["a"]))).encode())
    assert values(load_study([model], table(rows)).study) == {}
    numbers = [{"id": k, "model": "m", "CIDEr": k / 8} for k in range(3)]
    assert values(load_study([model, table(numbers)], KNOWN).study)
    assert values(load_study([model], [KNOWN, table(numbers)]).study) == {}


def test_rows_without_ids_take_their_ratings_along() -> None:
    rows = [{"caption": text, "fluency": k + 1} for k, text in enumerate(SAID["a"])]
    study = load_study([table(rows), KNOWN]).study
    assert study is not None
    (run,) = study.runs
    assert run.human is not None
    assert {id: [*of["fluency"].values()] for id, of in run.human.items()} == {str(k): [k + 1.0] for k in range(3)}


def test_rows_without_ids_take_their_scores_along() -> None:
    """Rows are matched by position, or by a field whose values are in a different order in the other file."""
    rows = [{"caption": text, "bleu_4": k / 8} for k, text in enumerate(SAID["a"])]
    assert values(load_study([("m.json", json.dumps(rows).encode()), KNOWN]).study) == {
        "bleu_4": ("candidate", {"m": {str(k): (k / 8,) for k in range(3)}})
    }
    asked = [{"prompt": f"What is in picture {'xyz'[k]}?", "prediction": SAID["a"][k], "bleu": k} for k in range(3)]
    people = [{"prompt": one["prompt"], "reference": f"it is {k}"} for k, one in enumerate(asked)]
    files = [("m.json", json.dumps(asked[::-1]).encode()), ("r.json", json.dumps(people).encode())]
    study = load_study(files).study
    assert study is not None
    (run,) = study.runs
    (of,) = [one.values[run.name] for one in study.scores]
    assert {run.candidates[id][0]: score for id, (score,) in of.items()} == {
        text: k for k, text in enumerate(SAID["a"])
    }


def test_scores_of_the_captions_by_people_are_no_scores_of_runs() -> None:
    rows = [{"image": str(k), "caption": f"{text} there", "clip_score": k} for k in range(3) for text in ("it", "one")]
    study = load_study([("coco_train.json", json.dumps(rows).encode()), ("m.json", b'{"0": "a", "1": "b", "2": "c"}')])
    assert values(study.study) == {}
    assert [one.code for one in study.findings if one.code.startswith("scores_")] == ["scores_beside"]


def test_a_cell_that_is_no_number_is_a_finding() -> None:
    name, content = table(ROWS)
    loaded = load_study([(name, content.replace(b"1.25", b"high")), KNOWN], columns=columns_of("score=CIDEr"))
    assert any(one.code == "score_not_number" and one.id == "1" for one in loaded.findings)


@pytest.mark.parametrize("file", ["sheet.csv", "scores.csv", "eval_metrics.csv"])
@pytest.mark.parametrize("people", [("ref 1", "ref 2"), ("Human 1", "Human 2")])
@pytest.mark.parametrize("number", ["CLIPScore", "rating", "rating (1-5)", "mine"])
def test_no_number_takes_the_references_from_a_sheet(file: str, people: tuple[str, str], number: str) -> None:
    said = {"1": ("a cat sleeps here", "the cat lies down"), "2": ("two dogs run fast", "the dogs race by")}
    rows = [[id, run, f"{run} sees thing {id}", *said[id], f"{int(id)}.5"] for run in ("low", "high") for id in said]
    sheet = "\n".join(",".join(row) for row in [["id", "model", "caption", *people, number], *rows])
    study = load_study((file, sheet.encode())).study
    assert study is not None
    assert {item.id: item.references for item in study.items} == said
    assert {run.name: run.candidates["2"] for run in study.runs} == {
        run: (f"{run} sees thing 2",) for run in ("low", "high")
    }
    if number.startswith("rating"):
        assert all(run.human is not None for run in study.runs)
    elif number == "CLIPScore" or file != "sheet.csv":
        assert [dict(one.values)["low"] for one in study.scores] == [{"1": (1.5,), "2": (2.5,)}]


@pytest.mark.parametrize(
    ("named", "metric"),
    [
        ("{}_correct", ""),
        ("{}_bleu", "bleu"),
        ("bleu_{}", "bleu"),
        ("CLIPScore ({})", "CLIPScore"),
        ("{} rating", ""),
        ("{}.UFR", "UFR"),
    ],
)
@pytest.mark.parametrize("runs", [("blip", "git"), ("e0", "e1"), ("model A", "model B")])
def test_numbers_that_name_a_run_are_the_scores_or_ratings_of_its_captions(
    runs: tuple[str, str], named: str, metric: str
) -> None:
    numbers = {run: [k + of / 4 for k in range(3)] for of, run in enumerate(runs)}
    rows = [
        {"id": k, "reference": f"we saw {SAID['a'][k]} or {SAID['b'][k]}", "other": k}
        | {run: SAID[of][k] for run, of in zip(runs, SAID)}
        | {named.format(run.upper() if run == "e0" else run.removeprefix("model ")): numbers[run][k] for run in runs}
        for k in range(3)
    ]
    study = load_study([table(rows)]).study
    assert study is not None
    said = {run.name: [text for (text,) in run.candidates.values()] for run in study.runs}
    assert said == {run: list(SAID[of]) for run, of in zip(runs, SAID)}
    assert [dict(item.metadata) for item in study.items] == [{"other": k} for k in range(3)]
    if metric:
        expected = {run: {str(k): (value,) for k, value in enumerate(of)} for run, of in numbers.items()}
        assert values(study) == {metric: ("candidate", expected)}
    else:
        rated = {run.name: [next(iter(of.values())) for of in (run.human or {}).values()] for run in study.runs}
        assert rated == {run: [{"": value} for value in of] for run, of in numbers.items()}


@pytest.mark.parametrize("name", ["{}_length", "{}_id", "n_{}", "{}_time"])
def test_counts_that_name_a_run_are_no_scores(name: str) -> None:
    rows = [
        {"id": k, "blip": SAID["a"][k], "git": SAID["b"][k]} | {name.format(run): k for run in ("blip", "git")}
        for k in range(3)
    ]
    study = load_study([table(rows), KNOWN]).study
    assert study is not None
    assert not study.scores
    assert {run.name for run in study.runs} == {"blip", "git"}


def test_words_that_name_a_run_are_ratings_of_its_captions() -> None:
    said = {"blip": ("yes", "no", "yes"), "git": ("no", "no", "yes")}
    rows = [
        {"id": k, "blip": SAID["a"][k], "git": SAID["b"][k]} | {f"{run}_correct": of[k] for run, of in said.items()}
        for k in range(3)
    ]
    study = load_study([table(rows), KNOWN]).study
    assert study is not None
    rated = {run.name: [of["correct"][""] for of in (run.human or {}).values()] for run in study.runs}
    assert rated == {"blip": [1, 0, 1], "git": [0, 0, 1]}


@pytest.mark.parametrize("score", [lambda k: k / 2, lambda k: 1.0])
def test_numbers_with_the_number_of_a_caption_are_its_scores(score: Callable[[int], float]) -> None:
    """In WebGPT's comparisons, two answers have numbered scores, and neither answer is a reference."""
    rows = [
        {"question": f"why {k}", "answer_0": SAID["a"][k], "answer_1": SAID["b"][k]}
        | {"score_0": score(k), "score_1": -score(k)}
        for k in range(3)
    ]
    study = load_study([table(rows)]).study
    assert study is not None
    ((run,), (scores,)) = study.runs, study.scores
    assert list(run.candidates.values()) == list(zip(SAID["a"], SAID["b"]))
    assert list(scores.values[run.name].values()) == [(score(k), -score(k)) for k in range(3)]
    assert not any(item.references for item in study.items)
