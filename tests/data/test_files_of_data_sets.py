"""Test files as data sets publish them, beside files of predictions; layouts are published ones, captions are
invented.
"""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest

from data.load import load_study
from data.records import Columns

SAID = ("a dog runs along the beach", "two cups stand on a table", "a woman repairs an old bicycle")
PEOPLE = (("a brown dog is running", "a dog at sea"), ("cups upon a table", "two mugs"), ("a lady mends it", "a bike"))
FIRST = tuple(texts[:1] for texts in PEOPLE)
N = range(len(SAID))
File = tuple[str, bytes]


def js(name: str, value: Any) -> File:
    return name, json.dumps(value).encode()


def lines(name: str, *rows: str) -> File:
    return name, "\n".join(rows).encode()


def table(name: str, *rows: list[Any], sep: str = ",") -> File:
    out = io.StringIO()
    csv.writer(out, delimiter=sep).writerows(rows)
    return name, out.getvalue().encode()


def by_id(ids: list[str]) -> File:
    return js("m.json", dict(zip(ids, SAID)))


VIDEOS = [f"v{k}" for k in N]
TRACKS = [f"t{k}-30-40" for k in N]
REPORTS = [{"id": f"v{k}", "report": PEOPLE[k][0], "image_path": [f"v{k}/0.png", f"v{k}/1.png"]} for k in N]
REGIONS = [
    {"id": f"v{k}", "regions": [{"region_id": j, "x": 1, "phrase": t} for j, t in enumerate(PEOPLE[k])]} for k in N
]
EXPRESSIONS = [
    {
        "ref_id": f"v{k}",
        "image_id": 7,
        "ann_id": k + 5,
        "sentences": [{"sent_id": j, "raw": t} for j, t in enumerate(of)],
    }
    for k, of in enumerate(PEOPLE)
]
EVALUATED = {"overall": {"CIDEr": 1}, "imgToEval": {f"v{k}": {"caption": SAID[k], "CIDEr": k / 2} for k in N}}
STUDIES = [{"study_id": f"v{k}", "findings": FIRST[k][0], "generated_findings": SAID[k]} for k in N]
FILES: dict[str, tuple[list[File], list[str], tuple[tuple[str, ...], ...]]] = {
    "splits under keys": ([js("annotation.json", {"val": [], "test": REPORTS}), by_id(VIDEOS)], VIDEOS, FIRST),
    "ids under splits": (
        [js("references.json", {"test": {f"v{k}": {"captions": PEOPLE[k]} for k in N}}), by_id(VIDEOS)],
        VIDEOS,
        PEOPLE,
    ),
    "a field and what a model generated for it": ([js("m.json", STUDIES)], VIDEOS, FIRST),
    "regions of images": ([js("region_descriptions.json", REGIONS), by_id(VIDEOS)], VIDEOS, PEOPLE),
    "expressions of one image": (
        [
            js("refs.json", EXPRESSIONS),
            js("m.json", {"predictions": [{"ref_id": f"v{k}", "sent": SAID[k]} for k in N]}),
        ],
        VIDEOS,
        PEOPLE,
    ),
    "scores and captions by image": (
        [js("m.json", EVALUATED), js("references.json", dict(zip(VIDEOS, PEOPLE)))],
        VIDEOS,
        PEOPLE,
    ),
    "parts of an id that never change": (
        [
            table(
                "musiccaps-public.csv",
                ["ytid", "start_s", "end_s", "caption"],
                *(["t" + str(k), 30, 40, *FIRST[k]] for k in N),
            ),
            by_id(TRACKS),
        ],
        TRACKS,
        FIRST,
    ),
    "comments in a file named results": (
        [
            table(
                "results.csv",
                ["image_name", " comment_number", " comment"],
                *([VIDEOS[k], f" {j}", f" {text}"] for k in N for j, text in enumerate(PEOPLE[k])),
                sep="|",
            ),
            table("m.csv", ["image_name", "caption"], *([VIDEOS[k], SAID[k]] for k in N)),
        ],
        VIDEOS,
        PEOPLE,
    ),
    "the second column has the ids": (
        [
            table("caption_test.tsv", *([f"u{k}", VIDEOS[k], "&&".join(PEOPLE[k]), ""] for k in N), sep="\t"),
            js("test_predict.json", [{"image_id": VIDEOS[k], "caption": SAID[k]} for k in N]),
        ],
        VIDEOS,
        PEOPLE,
    ),
    "keys with a language and a number": (
        [lines("captions.txt", *(f"v{k}#zhm#{j}\t{t}" for k in N for j, t in enumerate(PEOPLE[k]))), by_id(VIDEOS)],
        VIDEOS,
        PEOPLE,
    ),
    "text and hyp": (
        [lines("text", *(f"v{k} {FIRST[k][0]}" for k in N)), lines("hyp.trn", *(f"{SAID[k]} (v{k})" for k in N))],
        VIDEOS,
        FIRST,
    ),
    "people's sets beside the original": (
        [
            lines("asset.test.orig", *(f"{one}, and it was long" for one in SAID)),
            *(lines(f"asset.test.simp.{j}", *(of[j] for of in PEOPLE)) for j in (0, 1)),
            lines("ACCESS", *SAID),
        ],
        ["1", "2", "3"],
        PEOPLE,
    ),
    "folders of an original, people's sets and systems": (
        [
            lines("test_sets/tune.tok.norm", *(f"{one}, and it was long" for one in SAID)),
            *(lines(f"test_sets/tune.tok.turk.{j}", *(of[j] for of in PEOPLE)) for j in (0, 1)),
            lines("system_outputs/DRESS.lower", *SAID),
        ],
        ["1", "2", "3"],
        PEOPLE,
    ),
    "a data set's lines": (
        [lines("test_2016_flickr.en", *(of[0] for of in FIRST)), lines("hyp.txt", *SAID)],
        ["1", "2", "3"],
        FIRST,
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_captions_of_people_and_of_the_model_go_where_they_belong(name: str) -> None:
    files, ids, people = FILES[name]
    study = load_study(files).study
    assert study is not None
    assert {item.id: sorted(item.references) for item in study.items} == {
        id: sorted(texts) for id, texts in zip(ids, people)
    }
    (run,) = study.runs
    assert dict(run.candidates) == {id: (text,) for id, text in zip(ids, SAID)}


@pytest.mark.parametrize("name", ["test.src", "test.orig"])
def test_the_source_of_the_texts_is_a_fact_of_each_item(name: str) -> None:
    sets = [lines(f"test.simp.{j}", *(of[j] for of in PEOPLE)) for j in (0, 1)]
    study = load_study([lines(name, *(f"{text} or so" for text in SAID)), *sets, lines("m", *SAID)]).study
    assert study is not None
    assert [dict(item.metadata) for item in study.items] == [{"source": f"{text} or so"} for text in SAID]
    assert [run.name for run in study.runs] == ["m"]


def test_lines_of_two_models_stay_two_runs() -> None:
    study = load_study([lines("blip.txt", *SAID), lines("hyp.txt", *(of[0] for of in FIRST))]).study
    assert study is not None
    assert [run.name for run in study.runs] == ["blip", "hyp"]


def test_an_open_source_model_is_no_source() -> None:
    people = lines("references.txt", *(of[0] for of in FIRST))
    for name, runs in (("open_source_llama.txt", ["open_source_llama", "hyp"]), ("test_source.txt", ["hyp"])):
        study = load_study([lines(name, *SAID), lines("hyp.txt", *SAID[::-1]), people]).study
        assert study is not None
        assert [run.name for run in study.runs] == runs


TALK = [{"question": "is it sunny ?", "answer": "yes , it is"}]
BY_ANNOTATORS: dict[str, tuple[dict[str, Any], Any]] = {
    "a dialog about it": ({"dialog": TALK}, list),
    "a dialog of a film": ({"dialog": TALK, "summary": ""}, lambda rows: {"type": "test", "dialogs": rows}),
    "a dialog of shared texts": (
        {"dialog": [{"question": 0, "answer": 1}]},
        lambda rows: {"data": {"dialogs": rows, "questions": ["is it sunny"], "answers": ["yes it is", "no"]}},
    ),
    "narratives": ({"annotator_id": 3, "traces": [[{"x": 0.1}]], "voice_recording": "x.ogg"}, list),
}


@pytest.mark.parametrize("kind", BY_ANNOTATORS)
def test_fields_about_annotators_show_that_people_wrote_the_captions(kind: str) -> None:
    fields, whole = BY_ANNOTATORS[kind]
    rows = [{"image_id": f"v{k}", "caption": SAID[k], **fields} for k in N]
    found = load_study([js("train.json", whole(rows))])
    assert found.study is not None
    assert [item.references for item in found.study.items] == [(text,) for text in SAID]
    assert not found.study.runs
    assert "taken_as_references" in {finding.code for finding in found.findings}


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("train.json", {"annotator": "ann", "fluency": 3}),
        ("train.json", {"dialog": TALK, "model": "x"}),
        ("blip.json", {"worker_id": 3}),
        ("blip.json", {"dialog": TALK}),
    ],
)
def test_captions_that_people_judged_or_a_model_wrote_stay_a_run(name: str, fields: dict[str, Any]) -> None:
    """If no word in the name of a file suggests a data set, its captions may be a model's."""
    rows = [{"image_id": f"v{k}", "caption": SAID[k], **fields} for k in N]
    found = load_study([js(name, rows)])
    assert found.study is not None
    assert len(found.study.runs) == 1


def test_two_texts_beside_a_dialog_are_proposed_as_references() -> None:
    rows = [{"image_id": f"v{k}", "caption": SAID[k], "summary": PEOPLE[k][0], "dialog": TALK} for k in N]
    found = load_study([js("train.json", {"type": "test", "dialogs": rows})])
    assert found.study is None
    (asked,) = [finding for finding in found.findings if finding.code == "unsure_fields"]
    assert "references=caption+summary" in asked.remedy


@pytest.mark.parametrize("models", [True, False])
@pytest.mark.parametrize("kind", ["csv", "json"])
def test_a_field_may_state_which_captions_people_wrote(kind: str, models: bool) -> None:
    rows = [[f"v{k}", said is not SAID, "blip" * (said is SAID), said[k]] for said in (SAID, SAID[::-1]) for k in N]
    head = ["image_id", "is_human", "model", "caption"]
    if not models:
        head, rows = [*head[:2], "caption"], [[*row[:2], row[3]] for row in rows]
    file = table("x.csv", head, *rows) if kind == "csv" else js("x.json", [dict(zip(head, row)) for row in rows])
    study = (found := load_study([file])).study
    assert study is not None
    assert [item.references for item in study.items] == [(text,) for text in SAID[::-1]]
    (run,) = study.runs
    assert (run.name, [*run.candidates.values()]) == ("blip" if models else "x", [(text,) for text in SAID])
    assert any("written by people or not: `is_human`" in one.problem for one in found.findings)


@pytest.mark.parametrize("declared", [True, False])
def test_a_field_may_state_that_people_are_in_a_picture(declared: bool) -> None:
    """The field states nothing about captions if a person declares so, or if it never differs within an item."""
    models = {"blip": SAID, "git": SAID[::-1]}
    rows = [[f"v{k}", run, said[k], int(k > 0 or declared)] for run, said in models.items() for k in N]
    columns = Columns(metadata=("is_human",)) if declared else Columns()
    study = load_study([table("x.csv", ["image_id", "model", "caption", "is_human"], *rows)], columns=columns).study
    assert study is not None
    assert {run.name: [text for (text,) in run.candidates.values()] for run in study.runs} == {
        run: [*said] for run, said in models.items()
    }
    assert not any(item.references for item in study.items)


@pytest.mark.parametrize("wrong", ["false_caption", "wrong_caption", "incorrect_caption", "negative_caption"])
def test_captions_that_are_meant_to_be_wrong_are_no_run(wrong: str) -> None:
    rows = [{"image_path": f"{k}.jpg", "true_caption": SAID[k], wrong: SAID[k - 1]} for k in N]
    study = load_study([js("aro.json", rows)]).study
    assert study is not None
    assert [item.references for item in study.items] == [(text,) for text in SAID]
    assert not study.runs


@pytest.mark.parametrize("wrong", ["incorrect_caption", "wrong_caption", "Incorrect caption"])
def test_captions_that_people_corrected_are_a_run(wrong: str) -> None:
    rows = [{"image_id": f"v{k}", wrong: SAID[k], "corrected_caption": PEOPLE[k][0]} for k in N]
    study = load_study([js("x.json", rows)]).study
    assert study is not None
    assert [item.references for item in study.items] == list(FIRST)
    assert [[*run.candidates.values()] for run in study.runs] == [[(text,) for text in SAID]]
