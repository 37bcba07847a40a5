"""Test how items are identified if ids number requests or lines, or if records list answers of several runs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from data.check import Loaded
from data.load import load_study
from data.records import Columns
from tests.data.test_any_records import IDS, KNOWN, SAID, WRITTEN, expected, read
from tests.data.test_published_layouts import codes

OTHER = ("the photo shows a dog", "the photo shows mugs", "the photo shows a woman")


def jsonl(*rows: dict[str, Any]) -> bytes:
    return "\n".join(map(json.dumps, rows)).encode()


def tsv(*rows: Sequence[str]) -> bytes:
    return "\n".join(map("\t".join, rows)).encode()


def captions(loaded: Loaded) -> dict[str, dict[str, tuple[str, ...]]]:
    assert loaded.study is not None, loaded.findings
    return {run.name: dict(run.candidates) for run in loaded.study.runs}


@pytest.mark.parametrize("path", ["seed", "details.seed"])
def test_a_seed_of_each_request_distinguishes_no_runs(path: str) -> None:
    """Each answer of text-generation-inference has its own seed."""
    seeds = [{path: 77 * k} if "." not in path else {"details": {"seed": 77 * k}} for k in range(6)]
    rows = [{"image": id, "generated_text": text, "temperature": 0.5} for id, text in zip(IDS, SAID)]
    rows += [{"image": id, "generated_text": text, "temperature": 1.2} for id, text in zip(IDS, OTHER)]
    found = load_study([("tgi.jsonl", jsonl(*({**row, **seed} for row, seed in zip(rows, seeds)))), KNOWN])
    assert [list(of.values()) for of in captions(found).values()] == [[(text,) for text in of] for of in (SAID, OTHER)]
    assert found.study is not None
    assert [(run.settings.temperature, run.settings.seed) for run in found.study.runs] == [(0.5, None), (1.2, None)]
    assert path in codes(found)["ignored_columns"] + codes(found).get("metadata_columns", "")


def test_a_seed_of_several_items_distinguishes_runs() -> None:
    rows = [{"image": id, "caption": text, "seed": seed} for seed in (1, 2) for id, text in zip(IDS, SAID)]
    found = load_study([("blip.jsonl", jsonl(*rows)), KNOWN])
    assert found.study is not None
    assert [run.settings.seed for run in found.study.runs] == [1, 2]


def test_ids_that_count_from_0_are_the_places_of_references_without_ids() -> None:
    """A server's answers come in any order; if ids counted from 1, each would have the references of another item."""
    rows = [{"request_id": str(k), "outputs": [{"index": 0, "text": SAID[k]}]} for k in (2, 0, 1)]
    written = ("references.json", json.dumps(WRITTEN).encode())
    files = [("vllm.jsonl", jsonl(*rows)), written]
    assert read(*files) == expected(("0", "1", "2"))
    assert "ids_by_place" in codes(load_study(files))


def test_items_known_by_their_sources_meet_by_them_in_any_order() -> None:
    """The references repeat each source, so each file numbers its own items; names of columns differ in case."""
    sources = [f"name[The {name}], area[riverside]" for name in ("Aromi", "Cotto", "Zizzi")]
    people = tsv(["mr", "ref"], *([source, text] for source, refs in zip(sources, WRITTEN) for text in refs))
    model = tsv(["MR", "output"], *([sources[k], SAID[k]] for k in (2, 1, 0)))
    found = load_study([("refs.tsv", people), ("tgen.tsv", model)])
    assert found.study is not None
    (run,) = found.study.runs
    told = {item.references: run.candidates[item.id] for item in found.study.items}
    assert told == {refs: (text,) for refs, text in zip(WRITTEN, SAID)}


def test_an_id_of_each_answer_is_not_that_of_its_item() -> None:
    """In TruLens's records, each answer has an id, and two versions of a program get the same inputs."""
    rows = [
        [f"record_{version}{k}", version, f"Tell me of picture {k}", text]
        for k in range(3)
        for version, text in (("base", SAID[k]), ("rerank", OTHER[k]))
    ]
    found = load_study([("records.tsv", tsv(["record_id", "app_version", "input", "output"], *rows))])
    told = {run: [*of.values()] for run, of in captions(found).items()}
    assert told == {"base": [(text,) for text in SAID], "rerank": [(text,) for text in OTHER]}


def test_answers_in_one_record_belong_to_one_item_whatever_their_words() -> None:
    """In USR's ratings of dialogues, the answers of a record may have no word in common."""
    rows = [
        {
            "context": f"What do you like, number {k}?",
            "responses": [
                {"model": model, "response": f"{thing} {k}"}
                for model, thing in (("argmax", "museums are wonderful"), ("nucleus", "because bread tastes good"))
            ],
        }
        for k in range(4)
    ]
    told = captions(load_study([("tc_usr_data.json", json.dumps(rows).encode())]))
    assert {run: len(of) for run, of in told.items()} == {"argmax": 4, "nucleus": 4}


def test_captions_of_one_id_need_not_all_share_words() -> None:
    """The first two captions of each picture have no word in common, but the third shares words with both."""
    written = [
        ("a brown dog sprints", "one hound runs", "the brown hound sprints"),
        ("grey cups", "big mugs", "grey mugs"),
    ]
    written += [("ladies fixing bikes", "someone with tools", "someone fixing bikes")]
    people = tsv(["image", "caption"], *([id, text] for id, refs in zip(IDS, written) for text in refs))
    found = load_study([("gt_captions.tsv", people), ("m.json", json.dumps(dict(zip(IDS, SAID))).encode())])
    assert found.study is not None
    assert [item.references for item in found.study.items] == [*map(tuple, written)]


def test_comments_above_lines_may_be_empty() -> None:
    """MSVD's descriptions have empty comments above them."""
    rows = [f"mv89{id}_3_{id} {text}" for id, refs in zip(IDS, WRITTEN) for text in refs]
    people = ("AllVideoDescriptions.txt", "\n".join(["# Descriptions", "#", "", *rows]).encode())
    model = ("s2vt.json", json.dumps({f"mv89{id}_3_{id}": text for id, text in zip(IDS, SAID)}).encode())
    assert read(people, model) == expected(tuple(f"mv89{id}_3_{id}" for id in IDS))


def test_several_files_named_and_made_like_data_sets_are_references() -> None:
    """ActivityNet's validation set has two files of references; here, a submission is beside them."""

    def film(said: tuple[str, ...]) -> dict[str, Any]:
        times = [[0.0, 2.5], [2.0, 4.0], [3.5, 9.0]]
        return {"v_1": {"duration": 9.0, "timestamps": times, "sentences": said}}

    people = [(f"val_{n + 1}.json", json.dumps(film(tuple(refs[n] for refs in WRITTEN))).encode()) for n in range(2)]
    told = [{"sentence": text, "timestamp": time} for text, time in zip(SAID, film(SAID)["v_1"]["timestamps"])]
    model = ("pdvc.json", json.dumps({"version": "1", "results": {"v_1": told}}).encode())
    assert [*read(*people, model).values()] == [(refs[:2], (text,)) for refs, text in zip(WRITTEN, SAID)]


def test_a_map_by_numbers_gives_the_columns_of_a_table_without_a_header_their_roles() -> None:
    """Only the order of the columns shows which are runs; the proposed map takes all texts but the last for runs."""
    values = json.dumps([[id, *of] for id, *of in zip(IDS, SAID, OTHER, (refs[0] for refs in WRITTEN))]).encode()
    found = load_study([("values.json", values)])
    assert "--map id=1,candidates=2,candidates=3,references=4" in next(
        one.repair for one in found.findings if one.code == "first_is_run"
    )
    mapped = load_study(
        [("values.json", values)], columns=Columns(id=("1",), captions=("2", "3"), references=("4",), each=True)
    )
    assert captions(mapped) == {
        "column 2": {k: (t,) for k, t in zip(IDS, SAID)},
        "column 3": {k: (t,) for k, t in zip(IDS, OTHER)},
    }
    assert mapped.study is not None
    assert [item.references for item in mapped.study.items] == [refs[:1] for refs in WRITTEN]


def test_names_of_files_with_their_endings_come_before_numbers() -> None:
    """In Label Studio's short export, task 1 has the picture 0.jpg, and task 2 has 1.jpg."""
    rows = [
        {"id": k + 1, "image": f"/data/upload/{k}.jpg", "caption": text, "annotator": n}
        for k, refs in enumerate(WRITTEN)
        for n, text in enumerate(refs)
    ]
    people = ("references.json", json.dumps(rows).encode())
    model = ("fuyu.json", json.dumps({f"{k}.jpg": text for k, text in enumerate(SAID)}).encode())
    assert read(people, model) == expected()


def test_captions_of_the_pictures_that_were_asked_about_are_people_s() -> None:
    """In LLaVA-Bench, answers state the ids of questions, whose pictures are the ids in a file with several captions
    each.
    """
    answers = [{"question_id": k, "text": text, "model_id": "llava"} for k, text in enumerate(SAID)]
    questions = [{"question_id": k, "image": f"0044{k}.jpg", "text": "Describe it."} for k in range(3)]
    boxes = [{"id": f"0044{k}", "captions": refs, "instances": [{"bbox": [0.1]}]} for k, refs in enumerate(WRITTEN)]
    made = {"answers.jsonl": answers, "questions.jsonl": questions, "caps_boxes_coco2014_val_80.jsonl": boxes}
    files = [(name, jsonl(*rows)) for name, rows in made.items()]
    assert read(*files) == expected(("00440", "00441", "00442"))
    assert [one.file for one in load_study(files).findings if one.code == "taken_as_references"] == [files[2][0]]
