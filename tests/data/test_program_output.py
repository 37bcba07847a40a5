"""Test layouts of evaluation programs: steps beside answers, labels of columns, and names that state a prompt."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from data.formats.tables.header import of_levels
from data.load import load_study
from data.records import Columns
from tests.data.test_any_records import IDS, KNOWN, SAID, WRITTEN, csv, turn
from tests.data.test_archives import zipped, zstandard
from tests.data.test_published_layouts import codes

ALL = dict(zip(IDS, WRITTEN))
TOLD = {id: (text,) for id, text in zip(IDS, SAID)}
OTHER = {id: (f"{text} again",) for id, text in zip(IDS, SAID)}


def traced(k: int) -> dict[str, Any]:
    """Return a sample with the steps of the program, which repeat its captions and settings."""
    refs, answer = list(WRITTEN[k]), {"role": "assistant", "content": SAID[k], "model": "m"}
    said = {"completion": SAID[k], "model": "m", "choices": [{"message": answer}]}
    steps = [
        {"event": "sample_init", "sample": {"id": IDS[k], "target": refs}},
        {"event": "model", "model": "m", "config": {"temperature": 0.8}, "output": said},
        {"event": "score", "target": refs, "score": {"value": 0.5, "answer": SAID[k]}},
        {"event": "score", "target": refs, "score": {"value": "I", "answer": SAID[k]}},
    ]
    return {
        "id": IDS[k],
        "epoch": 1,
        "target": refs,
        "messages": [turn("user", "Describe it."), answer],
        "output": said,
        "events": steps,
    }


def test_steps_of_a_program_repeat_what_its_records_say() -> None:
    """Logs of Inspect, as JSON or as an archive compressed with Zstandard, repeat captions in their events."""
    told = {"eval": {"model": "lab/m", "model_generate_config": {"temperature": 0.8}, "config": {"epochs": 1}}}
    samples = {f"samples/{id}_epoch_1.json": json.dumps(traced(k)).encode() for k, id in enumerate(IDS)}
    log = json.dumps({**told, "samples": [traced(k) for k in range(3)]}).encode()
    packed = zstandard({**samples, "header.json": json.dumps(told).encode()})
    for file in (("x.eval", packed), ("x.json", log)):
        found = load_study([file])
        assert found.study is not None
        assert {item.id: item.references for item in found.study.items} == ALL
        (run,) = found.study.runs
        assert (run.settings.temperature, dict(run.candidates)) == (0.8, TOLD)
        assert "references: `target`" in codes(found)["fields_mapped"]
        assert not {"bad_settings", "references_repeated", "scores_read"} & set(codes(found))


def test_events_of_one_kind_are_no_steps_of_a_program() -> None:
    """Such events are turns of a conversation, or contain facts that are stated nowhere else."""
    rows = [
        {
            "id": id,
            "refs": refs,
            "messages": [{"event": "turn", **one} for one in (turn("user", "?"), turn("model", said))],
        }
        for id, refs, said in zip(IDS, WRITTEN, SAID)
    ]
    lines = [
        {"sample_id": id, "type": "caption", "data": {"prediction": text, "refs": list(refs)}}
        for id, refs, said in zip(IDS, WRITTEN, SAID)
        for text in (said, f"{said} again")
    ]
    both = {id: (*TOLD[id], *OTHER[id]) for id in IDS}
    logged = "\n".join(map(json.dumps, lines)).encode()
    for file, wanted in ((("m.json", json.dumps(rows).encode()), TOLD), (("m.jsonl", logged), both)):
        found = load_study([file])
        assert found.study is not None
        (run,) = found.study.runs
        assert dict(run.candidates) == wanted


def test_references_that_a_part_of_the_record_repeats_are_read_once() -> None:
    records = [
        {
            "id": id,
            "target": list(WRITTEN[k]),
            "prediction": SAID[k],
            "checks": [{"target": list(WRITTEN[k]), "name": name} for name in "ab"],
        }
        for k, id in enumerate(IDS)
    ]
    found = load_study([("m.json", json.dumps(records).encode())])
    assert found.study is not None
    assert {item.id: item.references for item in found.study.items} == ALL


def test_labels_of_promptfoo_need_no_colon() -> None:
    """Each column of answers is followed by a verdict and a score, and each test has a description."""
    head = "Description,image,reference,[m hot] Describe {{image}},Status,Score,[n] Describe {{image}},Status,Score"
    rows = [
        f"test-{id},{id}.jpg,{WRITTEN[k][0]},{SAID[k]},PASS,0.5,{SAID[k]} again,FAIL,0.25" for k, id in enumerate(IDS)
    ]
    found = load_study([("r.csv", csv(head, *rows))])
    assert found.study is not None
    assert {run.name: list(run.candidates.values()) for run in found.study.runs} == {
        "m hot": [*TOLD.values()],
        "n": [*OTHER.values()],
    }
    assert [item.metadata["Description"] for item in found.study.items] == [f"test-{id}" for id in IDS]


def test_a_column_with_a_remark_in_brackets_holds_no_answers() -> None:
    rows = [f"{id},{SAID[k]},{WRITTEN[k][0]},a rather long remark" for k, id in enumerate(IDS)]
    found = load_study([("m.csv", csv("image,caption,reference,[optional] remark", *rows))])
    assert found.study is not None
    (run,) = found.study.runs
    assert dict(run.candidates) == TOLD


def test_runs_whose_names_state_different_prompts_are_not_alike() -> None:
    rows = [
        {"provider": {"id": "m"}, "prompt": {"label": label}, "vars": {"image": id}, "response": {"output": text}}
        for label, texts in (("Describe it.", TOLD), ("Describe it in short.", OTHER))
        for id, (text,) in texts.items()
    ]
    found = load_study([("o.json", json.dumps(rows).encode())])
    assert found.study is not None
    assert [run.name for run in found.study.runs] == [
        "m@prompt.label=Describe it.",
        "m@prompt.label=Describe it in short.",
    ]
    assert "runs_alike_beside" not in codes(found)


def test_a_label_of_the_prompt_is_no_reference() -> None:
    rows = [
        {"prompt": {"label": "Describe the image."}, "vars": {"image": f"{id}.jpg"}, "response": {"output": text}}
        for id, text in zip(IDS, SAID)
    ]
    found = load_study([("o.json", json.dumps(rows).encode()), KNOWN])
    assert found.study is not None
    assert {item.id: item.references for item in found.study.items} == ALL


@pytest.mark.parametrize("name", ["model", "m", "system_", "method "])
def test_numbered_columns_of_models_are_a_run_each(name: str) -> None:
    rows = [f"{id},{SAID[k]},{SAID[k]} again" for k, id in enumerate(IDS)]
    found = load_study([("wide.csv", csv(f"image,{name}1,{name}2", *rows)), KNOWN])
    assert found.study is not None
    assert {run.name: dict(run.candidates) for run in found.study.runs} == {f"{name}1": TOLD, f"{name}2": OTHER}


def test_numbered_captions_beside_references_are_one_run() -> None:
    rows = [f"{id},{SAID[k]},{SAID[k]} again,{WRITTEN[k][0]}" for k, id in enumerate(IDS)]
    found = load_study([("m.csv", csv("image,caption1,caption2,reference", *rows))])
    assert found.study is not None
    (run,) = found.study.runs
    assert dict(run.candidates) == {id: (TOLD[id][0], OTHER[id][0]) for id in IDS}
    assert [item.references for item in found.study.items] == [(refs[0],) for refs in WRITTEN]


def test_a_column_of_images_that_says_the_same_in_each_row_names_none() -> None:
    """Tables of wandb have the word "Image" in place of a picture that was logged."""
    rows = {"columns": ["image_id", "image", "caption"], "data": [[id, "Image", text] for id, text in zip(IDS, SAID)]}
    found = load_study([("t.table.json", json.dumps(rows).encode()), KNOWN])
    assert found.study is not None
    assert {item.image for item in found.study.items} == {None}


def test_columns_of_two_levels_as_pandas_writes_them() -> None:
    rows = [
        (id, model, t, f"{text} {model} {t}")
        for id, text in zip(IDS, SAID)
        for model in ("blip", "git")
        for t in (0.2, 0.8)
    ]
    wide = pd.DataFrame(rows, columns=["image_id", "model", "temperature", "caption"])
    wide = wide.pivot(index="image_id", columns=["model", "temperature"], values="caption")
    found = load_study([("wide.csv", wide.to_csv().encode()), KNOWN])
    assert found.study is not None
    assert {(run.model, run.settings.temperature): dict(run.candidates) for run in found.study.runs} == {
        (model, t): {id: (f"{text} {model} {t}",) for id, text in zip(IDS, SAID)}
        for model in ("blip", "git")
        for t in (0.2, 0.8)
    }


def test_two_levels_of_columns_without_a_name_are_no_header_of_pandas() -> None:
    """Without the name of a level, the row below the header could be captions of an item without an id."""
    header, level, index = ["model", "blip", "blip"], ["", "a dog", "a cat"], ["image_id", "", ""]
    assert of_levels(header, [level, index]) is None
    assert of_levels(header, [["temperature", "0.2", "0.8"], index]) == [
        "image_id",
        "blip temperature=0.2",
        "blip temperature=0.8",
    ]


def test_files_named_by_the_time_are_named_after_their_folders(tmp_path: Path) -> None:
    """Times in the names of files and folders do not show which model wrote a file."""
    texts = {"lab__blip": TOLD, "lab__git": OTHER}
    for hour, (model, of) in enumerate(texts.items()):
        file = tmp_path / model / f"2026-11-28T0{hour}-24-05.0" / f"samples_caps_2026-11-28T0{hour}-24-05.0.jsonl"
        file.parent.mkdir(parents=True)
        file.write_text("\n".join(json.dumps({"id": id, "pred": text}) for id, (text,) in of.items()))
    files = sorted(tmp_path.rglob("*.jsonl"))
    for given in (files, [("runs.zip", zipped({str(one.relative_to(tmp_path)): one.read_bytes() for one in files}))]):
        found = load_study([*given, KNOWN])
        assert found.study is not None
        assert {run.name: dict(run.candidates) for run in found.study.runs} == texts
    again = [files[0], files[0].with_name("samples_caps_2026-11-28T07-00-00.0.jsonl")]
    again[1].write_bytes(files[1].read_bytes())
    found = load_study([*again, KNOWN])
    assert found.study is not None
    assert {run.name for run in found.study.runs} == {file.stem for file in again}
    assert [file.name for file in found.files[:2]] == [file.name for file in again]


def test_parts_of_an_answer_are_not_misspelt() -> None:
    """The details of lighteval have a field for each part of an answer."""
    rows = [
        {"doc": {"id": id, "choices": list(refs)}, "model_response": {"text": [text], "input": "Go", "logits": "none"}}
        for id, refs, text in zip(IDS, WRITTEN, SAID)
    ]
    found = load_study([("d.json", json.dumps(rows).encode())])
    assert found.study is not None
    assert {item.id: item.references for item in found.study.items} == ALL
    assert "misspelt_columns" not in codes(found)


def test_results_of_lm_eval_name_the_models_of_samples_with_their_time() -> None:
    files = []
    for day, model, texts in ((1, "lab/blip", TOLD), (2, "lab/llava", OTHER)):
        time = f"2025-05-0{day}T10-00-00.123"
        rows = [
            {"doc_id": k, "doc": {"image_id": id, "captions": list(WRITTEN[k])}, "filtered_resps": list(texts[id])}
            for k, id in enumerate(IDS)
        ]
        files += [
            (f"samples_coco_{time}.jsonl", "\n".join(map(json.dumps, rows)).encode()),
            (f"results_{time}.json", json.dumps({"results": {"coco": {"bleu": 0.5}}, "model_name": model}).encode()),
        ]
    found = load_study(files)
    assert found.study is not None
    assert {run.name: dict(run.candidates) for run in found.study.runs} == {"lab/blip": TOLD, "lab/llava": OTHER}
    alone = load_study(files[:1] + files[2:3]).study
    assert alone is not None
    assert all("2025-05-0" in run.name for run in alone.runs)


def test_the_nearest_folder_that_differs_names_a_run(tmp_path: Path) -> None:
    for step in (100, 300):
        file = tmp_path / f"checkpoint-{step}" / "infer_result" / "result.jsonl"
        file.parent.mkdir(parents=True)
        rows = [{"id": k, "response": f"step {step} saw {k} dogs", "labels": f"there are {k} dogs"} for k in range(3)]
        file.write_text("\n".join(map(json.dumps, rows)))
    study = load_study(sorted(tmp_path.rglob("*.jsonl"))).study
    assert study is not None
    assert {run.name: run.candidates["1"] for run in study.runs} == {
        f"checkpoint-{step}": (f"step {step} saw 1 dogs",) for step in (100, 300)
    }


def _given(k: int) -> dict[str, Any]:
    return {"prompt": {"text": f"It was day {k}"}, "generations": [SAID[k]]}


FIELDS: dict[str, tuple[Any, set[str], dict[str, Any]]] = {
    "the text of a prompt is no reference": (_given, {"prompt.text"}, {"m": SAID}),
    "a name that never changes is no id": (
        lambda k: {"context.span_id": f"s{k}", "name": "llm", "output": SAID[k]},
        {"name"},
        {"m": SAID},
    ),
    "measures of the effort are no scores": (
        lambda k: {"id": k, "output": SAID[k], "metrics": {"duration": 0.5, "tokens": 7.5}},
        {"metrics.duration", "metrics.tokens"},
        {"m": SAID},
    ),
}


@pytest.mark.parametrize("kind", FIELDS)
def test_fields_beside_answers_are_not_taken_for_more_than_they_are(kind: str) -> None:
    make, facts, runs = FIELDS[kind]
    loaded = load_study([("m.json", json.dumps([make(k) for k in range(3)]).encode())])
    assert loaded.study is not None
    items = loaded.study.items
    assert (len(items), {item.references for item in items}) == (3, {()})
    assert facts <= set(items[1].metadata)
    assert {run.name: tuple(run.candidates[item.id][0] for item in items) for run in loaded.study.runs} == runs
    assert not loaded.study.scores


def test_the_model_that_wrote_a_summary_is_its_run_whoever_is_called_its_summarizer() -> None:
    rows = [{"sample_id": k // 2, "summary": SAID[k % 2], "meta": {"summarizer": f"lab/{k % 2}"}} for k in range(4)]
    loaded = load_study([("m.json", json.dumps(rows).encode())])
    assert loaded.study is not None
    assert {run.name: set(run.candidates) for run in loaded.study.runs} == {"lab/0": {"0", "1"}, "lab/1": {"0", "1"}}


def test_scores_are_matched_by_a_column_whose_words_occur_once_for_each_run() -> None:
    said = [{"text_digest": f"d{k}", "model_name": m, "summary": f"{SAID[k]} {m}"} for k in range(3) for m in "ab"]
    told = [{"text_digest": f"d{k}", "model_name": m, "Truth": k / 3, "split": "test"} for k in range(3) for m in "ab"]
    loaded = load_study([("m.json", json.dumps(said).encode()), ("rated.json", json.dumps(told).encode())])
    assert loaded.study is not None
    (score,) = loaded.study.scores
    assert {run: {id: value[0] for id, value in of.items()} for run, of in score.values.items()} == {
        run: {f"d{k}": pytest.approx(k / 3) for k in range(3)} for run in "ab"
    }


def test_tasks_of_a_submission_are_no_items() -> None:
    tasks = {
        f"{task}_val": {"language": task, "values": [{"generated": f"{text} {task}"} for text in SAID]}
        for task in ("en", "de")
    }
    loaded = load_study([("s.json", json.dumps({"submission_name": "lab/m", "tasks": tasks}).encode())])
    assert loaded.study is not None
    assert [item.metadata["task"] for item in loaded.study.items] == ["en_val"] * 3 + ["de_val"] * 3
    assert loaded.study.runs[0].name == "lab/m"


def test_a_reference_within_a_list_that_a_person_names_leaves_no_runs_in_that_list() -> None:
    rows = [
        {
            "example_id": k,
            "sentence_annotations": [{"original_sentence": text, "final_sentence": f"{text} now"} for text in of],
        }
        for k, of in enumerate(WRITTEN)
    ]
    given = Columns(id=("example_id",), references=("sentence_annotations[].final_sentence",))
    loaded = load_study([("m.json", json.dumps(rows).encode())], columns=given)
    assert [record.references for record in loaded.study.items] == [
        tuple(f"{text} now" for text in of) for of in WRITTEN
    ]
    assert not loaded.study.runs


@pytest.mark.parametrize(("name", "people"), [("human_annotations.json", True), ("numbers.json", False)])
def test_numbers_in_a_file_named_after_people_are_ratings(name: str, people: bool) -> None:
    said = {str(k): SAID[k] for k in range(3)}
    told = [{"id": str(k), "model_name": "m", "Truth": k / 3, "LinkE": 1.0} for k in range(3)]
    loaded = load_study([("m.json", json.dumps(said).encode()), (name, json.dumps(told).encode())])
    assert loaded.study is not None
    (run,) = loaded.study.runs
    assert {score.name for score in loaded.study.scores} == (set() if people else {"Truth", "LinkE"})
    assert (run.human or {}).get("2") == ({"Truth": {"": pytest.approx(2 / 3)}, "LinkE": {"": 1.0}} if people else None)


AGAIN = [f"{text} again" for text in SAID]
ARENA = {"model_a": "x", "model_b": "y"}
WON = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
PAIRS: dict[str, list[dict[str, Any]]] = {
    "one column per outcome": [
        {"id": k, **ARENA, "response_a": json.dumps([SAID[k]]), "response_b": json.dumps([AGAIN[k]])}
        | dict(zip(("winner_model_a", "winner_model_b", "winner_tie"), WON[k]))
        for k in range(3)
    ],
    "conversations": [
        {"question_id": k, **ARENA, "winner": ("model_a", "model_b", "tie (bothbad)")[k]}
        | {
            f"conversation_{side}": [{"role": "assistant", "content": of[k]}]
            for side, of in (("a", SAID), ("b", AGAIN))
        }
        for k in range(3)
    ],
}


@pytest.mark.parametrize("kind", PAIRS)
def test_pairs_of_an_arena_are_preferences_between_its_models(kind: str) -> None:
    loaded = load_study([("a.jsonl", "\n".join(map(json.dumps, PAIRS[kind])).encode())])
    assert loaded.study is not None
    assert {run.name: list(run.candidates.values()) for run in loaded.study.runs} == {
        "x": [(text,) for text in SAID],
        "y": [(text,) for text in AGAIN],
    }
    assert [(one.first_votes, one.second_votes) for one in loaded.study.preferences] == [(1, 0), (0, 1), (0.5, 0.5)]
