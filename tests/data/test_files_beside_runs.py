"""Test what programs write beside captions: settings, totals, scores of a folder and foils; also sheets with blocks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from data.check import Loaded
from data.load import load_study
from tests.data.sheets import workbook
from tests.data.test_any_records import IDS, KNOWN, SAID, WRITTEN
from tests.data.test_names_of_folders import read
from tests.data.test_rated_by_models import raters
from tests.data.test_shapes_of_further_files import (
    BOTH,
    FIRST,
    OTHER,
    PICTURES,
    codes,
    each,
    jsonl,
    references_of,
    runs_of,
    table,
)

VOTED = [[id, said, other, "blip", "git"] for id, said, other in zip(IDS, SAID, OTHER)]


def scored(found: Loaded) -> dict[str, dict[str, list[float]]]:
    assert found.study is not None, found.findings
    return {
        one.name: {run: [value for (value,) in of.values()] for run, of in one.values.items()}
        for one in found.study.scores
    }


def helm(model: str, said: tuple[str, ...], first: float) -> dict[str, bytes]:
    spec = {"model": model, "temperature": 0.0}
    states = [
        {
            "instance": {"id": f"id{k}", "references": [{"output": {"text": text}} for text in WRITTEN[k]]},
            "request": spec,
            "result": {"completions": [{"text": said[k], "logprob": 0}]},
        }
        for k in range(3)
    ]
    total = {"name": {"name": "rouge_l", "split": "test"}, "count": 1, "sum": 0.5, "mean": 0.5}
    numbers = [{"instance_id": f"id{k}", "stats": [{**total, "mean": first + k}]} for k in range(3)]
    metric = {"class_name": "x.Basic", "args": {"names": ["exact_match"]}}
    written = {
        "run_spec": {"name": "coco", "adapter_spec": spec, "metric_specs": [metric]},
        "scenario_state": {"adapter_spec": spec, "request_states": states},
        "per_instance_stats": numbers,
        "stats": [total],
    }
    return {f"coco:model={model}/{name}.json": json.dumps(one).encode() for name, one in written.items()}


def test_settings_and_totals_of_helm_describe_no_item_and_scores_belong_to_their_folder(tmp_path: Path) -> None:
    found = read({**helm("a", SAID, 0.0), **helm("b", OTHER, 5.0)}, tmp_path)
    names = [f"{model}@temperature=0.0" for model in "ab"]
    assert runs_of(found) == dict(zip(names, (each(SAID), each(OTHER))))
    assert scored(found) == {"rouge_l": dict(zip(names, ([0.0, 1.0, 2.0], [5.0, 6.0, 7.0])))}
    assert {one.file.rpartition("/")[2] for one in found.findings if one.code == "facts_of_others"} == {
        "run_spec.json",
        "stats.json",
    }
    assert "empty_record" not in codes(found)


def test_scores_of_langsmith_in_objects_and_lists_within_objects() -> None:
    rows = [
        {
            "id": k,
            "outputs": {"caption": SAID[k]},
            "reference_outputs": {"caption": FIRST[k]},
            "feedback_stats": {"correctness": {"n": 1, "avg": k}},
            "evaluation_results": {"results": [{"key": "tone", "score": 1 - k, "comment": None}]},
            "metrics": {"start": 17.0 + k, "end": 18.0 + k},
        }
        for k in range(3)
    ]
    found = load_study([("m.jsonl", jsonl(*rows))])
    assert scored(found) == {
        "feedback_stats.correctness.avg": {"m": [0.0, 1.0, 2.0]},
        "tone": {"m": [1.0, 0.0, -1.0]},
    }


@pytest.mark.parametrize("name", ["negative_caption", "foil", "distractor"])
def test_captions_beside_foils_are_of_a_data_set(name: str) -> None:
    rows = {str(k): {"filename": PICTURES[k], "caption": FIRST[k], name: f"{FIRST[k]} not"} for k in range(3)}
    said = [{"image_id": id, "caption": text} for id, text in zip(PICTURES, SAID)]
    found = load_study([("replace_att.json", json.dumps(rows).encode()), ("blip.json", json.dumps(said).encode())])
    assert runs_of(found) == {"blip": each(SAID)}
    assert references_of(found) == each(FIRST)
    assert "texts_alike" not in codes(found)


def test_what_people_say_of_references_rates_no_caption() -> None:
    rows = [{"image_file": PICTURES[k], "description": FIRST[k], "quality": "good", "split": "test"} for k in range(3)]
    said = [{"image_file": PICTURES[k], "prediction": SAID[k]} for k in range(3)]
    found = load_study([("docci_descriptions.jsonl", jsonl(*rows)), ("llava.jsonl", jsonl(*said))])
    assert references_of(found) == each(FIRST)
    assert "ratings_beside" in codes(found)
    assert "rating_none" not in codes(found)


def test_votes_on_pairs_are_preferences_beside_references() -> None:
    rows = [
        {
            "image": IDS[k],
            "caption_1": SAID[k],
            "caption_2": OTHER[k],
            "votes_1": 30,
            "votes_2": 18,
            "references": WRITTEN[k],
        }
        for k in range(3)
    ]
    said = [(f"{run}.json", json.dumps(dict(zip(IDS, texts))).encode()) for run, texts in BOTH]
    found = load_study([("pascal50s.json", json.dumps(rows).encode()), *said])
    assert found.study
    assert [(one.first_votes, one.second_votes) for one in found.study.preferences] == [(30.0, 18.0)] * 3
    assert not found.study.scores
    assert references_of(found) == [tuple(refs) for refs in WRITTEN]


@pytest.mark.parametrize("question", ["Which is better?", "Preferred caption", "Better system"])
@pytest.mark.parametrize("prefix", ["", "Input."])
def test_a_question_may_name_the_better_side(question: str, prefix: str) -> None:
    swapped = [[id, other, said, "git", "blip"] for id, said, other, *_ in VOTED]
    head = [f"{prefix}{name}" for name in ("image", "caption_a", "caption_b", "model_a", "model_b")]
    rows = [
        [*row, "B" if row in swapped else "A", who] for who in ("Anna", "Ben") for row in (*VOTED[:2], *swapped[2:])
    ]
    found = load_study([("pairs.csv", table([*head, f"{'Answer.' if prefix else ''}{question}", "Rater"], rows))])
    assert runs_of(found) == {run: each(said) for run, said in BOTH}
    assert found.study
    won = {(one.first if one.first_votes else one.second)[0] for one in found.study.preferences}
    assert won == {"blip"}


def test_answers_that_differ_between_the_raters_of_a_caption_are_ratings() -> None:
    rows = [
        [k, run, said[k], ("yes", "no")[(k + who) % 2], f"w{who}", 9 + who]
        for run, said in BOTH
        for k in range(3)
        for who in range(3)
    ]
    found = load_study([("x.csv", table(["bbcid", "system", "summary", "is_factual", "worker_id", "seconds"], rows))])
    assert runs_of(found) == {run: each(said) for run, said in BOTH}
    assert raters(found) == {"is_factual": {"w0", "w1", "w2"}}


BLOCKS = {name: [["image", "caption"], *map(list, zip(PICTURES, said))] for name, said in BOTH}


@pytest.mark.parametrize("kind", ["xlsx", "commas", "lines"])
def test_tables_below_each_other_are_runs_named_by_their_titles(kind: str) -> None:
    rows = [row for name, block in BLOCKS.items() for row in ([name, ""], *block, ["", ""])]
    ends = {"commas": ",\n", "lines": "\n"}
    text = "".join(",".join(row) + "\n" if row[1] else row[0] + ends[kind] for row in rows) if kind in ends else ""
    file = ("x.csv", text.encode()) if text else ("x.xlsx", workbook(Sheet1=rows))
    assert runs_of(load_study([file])) == {run: each(said) for run, said in BOTH}


def test_a_repeated_header_alone_is_no_item() -> None:
    rows = [*zip(PICTURES, SAID)]
    found = load_study([("m.csv", table(["image", "caption"], [rows[0], ["image", "caption"], *rows[1:]]))])
    assert runs_of(found) == {"m": each(SAID)}


def test_an_answer_may_be_the_only_field_of_a_turn() -> None:
    rows = [
        {
            "uid": k,
            "model": "blip",
            "messages": [
                {"role": "user", "content": f"Describe picture {k} here"},
                {"role": "assistant", "content": {"answer": SAID[k]}},
            ],
        }
        for k in range(3)
    ]
    assert runs_of(load_study([("m.jsonl", jsonl(*rows))])) == {"blip": each(SAID)}


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (("★★★☆☆", "★★★★★", "★☆☆☆☆"), (3.0, 5.0, 1.0)),
        (("schlecht", "mittel", "sehr gut"), (2.0, 3.0, 5.0)),
        (("nein", "teilweise", "ja"), (0.0, 0.5, 1.0)),
    ],
)
def test_ratings_in_stars_and_german_words(cells: tuple[str, ...], numbers: tuple[float, ...]) -> None:
    rows = [[IDS[k], "blip", SAID[k], cells[k]] for k in range(3)]
    found = load_study([("r.csv", table(["image_id", "model", "caption", "rating"], rows))])
    assert found.study
    assert [of["rating"][""] for of in (found.study.runs[0].human or {}).values()] == [*numbers]


def test_ranks_are_read_once_the_columns_of_another_file_are_runs() -> None:
    names = ["BLIP", "GIT", "CoCa"]
    said = [[IDS[k], SAID[k], OTHER[k], WRITTEN[k][2]] for k in range(3)]
    ranks = [[id, who, 1, 2, 3] for id in IDS for who in ("Anna", "Ben")]
    files: list[Any] = [
        ("caps.csv", table(["image_id", *names], said)),
        ("ranks.csv", table(["image_id", "rater", *names], ranks)),
        KNOWN,
    ]
    found = load_study(files)
    assert list(runs_of(found)) == names
    assert found.study
    assert len(found.study.preferences) == 9
    assert not found.study.scores


def test_segments_are_items() -> None:
    rows = [[run, said[k], FIRST[k], 60 + k, k] for run, said in BOTH for k in range(3)]
    found = load_study([("wmt-da.csv", table(["sys", "mt", "ref", "raw", "segid"], rows))])
    assert runs_of(found) == {run: each(said) for run, said in BOTH}
