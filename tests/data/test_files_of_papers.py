"""Test files as the authors of papers publish them: outputs, references and ratings, each in its own layout."""

from __future__ import annotations

import json
from typing import Any

import pytest

from data.load import load_study
from tests.data.test_any_records import IDS, KNOWN, SAID, WRITTEN, File, lines
from tests.data.test_further_layouts import js
from tests.data.test_published_layouts import FIRST, codes, study

TOLD = {id: (text,) for id, text in zip(IDS, SAID)}
FIRST_OF = {id: (text,) for id, text in zip(IDS, FIRST)}


def parted(k: int) -> dict[str, Any]:
    parts = [{"description": f"the upper part of a thing, {k}", "label": "thing"}, {"description": "sky", "label": "s"}]
    return {
        "reference": FIRST[k],
        "gitx": SAID[k],
        "verdicts": {"style": "Neutral"},
        "image/key": IDS[k],
        "parts": parts,
    }


def clip(k: int) -> dict[str, Any]:
    told = [{"desc": text, "desc_id": 10 * k + n} for n, text in enumerate(WRITTEN[k])]
    return {"vid_name": f"film_{k}", "duration": 9.5 + k, "ts": [0.5, 3.5], "clip_id": 100 + k, "descs": told}


def cut(k: int) -> dict[str, Any]:
    return {"vid_name": f"film_{k}", "clip_id": 100 + k, "ts": [0.5, 3.5], "descs": [{"desc": SAID[k]}]}


def rows(*columns: tuple[str, ...]) -> bytes:
    return "".join("\t".join(row) + "\n" for row in zip(*columns)).encode()


READ: dict[str, tuple[tuple[File, ...], dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]] = {
    "parts of a picture beside its descriptions": ((("m.jsonl", lines(parted)),), FIRST_OF, TOLD),
    "clips with their lengths": (
        (("tv_val_release.jsonl", lines(clip)), ("m_predictions.jsonl", lines(cut))),
        {str(100 + k): refs for k, refs in enumerate(WRITTEN)},
        {str(100 + k): (text,) for k, text in enumerate(SAID)},
    ),
    "labels beside references": (
        (("test.0.label", rows(FIRST, SAID, IDS)), ("reference.0", rows(FIRST, tuple(refs[1] for refs in WRITTEN)))),
        {id: (refs[1],) for id, refs in zip(IDS, WRITTEN)},
        TOLD,
    ),
}

BARE = [{"video_id": id, "caption": text} for id, text in zip(IDS, SAID)]
TRUE = [{"video_id": id, "caption": text} for id, text in zip(IDS, FIRST)]
READ |= {
    f"annotations of two fields beside {name}": (
        (("temp0.5_beam1.json", js({"annotations": BARE})), (name, js({"annotations": TRUE}))),
        FIRST_OF,
        TOLD,
    )
    for name in ("sample_true.json", "groundtruth.json", "gt_5.json")
}


def outputs(k: int) -> dict[str, Any]:
    told = {f"m{run}": {"model_summ": f"{SAID[k]}{run}", "rouge_score": {"R1": k / 7}} for run in ("", " too")}
    return {"revs": {"rev1": "quite good"}, "summ": FIRST[k], "case": k + 1, "model_output": told}


def answered(k: int) -> dict[str, Any]:
    review = {"annotations": [{"annotation": ["This is not true at all."]}], "worker_id": "3", "overall-rating": 10}
    told = {run: {"response": f"{SAID[k]}{run}", "reviews": [review]} for run in ("", " too")}
    return {"passage-id": f"p{k}", "questions": {"0": {f"m{run}": one for run, one in told.items()}}}


TWO_RUNS: dict[str, tuple[Any, dict[str, tuple[str, ...]], tuple[str, ...]]] = {
    "objects of runs with a text of any name": (outputs, FIRST_OF, IDS),
    "numbered parts of records": (answered, {f"p{k}_0": () for k in range(3)}, tuple(f"p{k}_0" for k in range(3))),
}


@pytest.mark.parametrize("kind", TWO_RUNS)
def test_runs_in_objects_of_records(kind: str) -> None:
    make, references, ids = TWO_RUNS[kind]
    found, runs = study(("x.jsonl", lines(make)))
    assert found == references
    assert runs == {f"m{run}": {id: (f"{text}{run}",) for id, text in zip(ids, SAID)} for run in ("", " too")}


@pytest.mark.parametrize("kind", READ)
def test_captions_and_references_are_told_apart(kind: str) -> None:
    files, references, candidates = READ[kind]
    found, runs = study(*files)
    assert found == references
    assert list(runs.values()) == [candidates]


GERMAN = ("ein Hund rennt", "zwei Tassen stehen da", "eine Frau mit ihrem Rad")
ASKED: dict[str, tuple[File, str, str]] = {
    "sentences and translations without a header": (
        ("dev.tsv", rows(("17", "23", "4"), SAID, GERMAN, ("[0, 0, 1]", "[1, 1, 1]", "[0, 0, 0]"), ("N", "E", "N"))),
        "no_columns",
        "column 2, column 3",
    ),
    "two columns of texts without a header": (("dev.csv", rows(IDS, SAID, FIRST)), "no_columns", "column 2, column 3"),
    "ratings by name instead of captions": (
        (
            "hits.csv",
            "\n".join(
                ["Input.id,Input.target,Input.mods,Answer.responses"]
                + [f"{id},funny,{text},fluency={k} style={k} topic=2" for k, (id, text) in enumerate(zip(IDS, SAID))]
            ).encode(),
        ),
        "unsure_fields",
        "sentences in `Input.mods`",
    ),
    "lists of different lengths under names that mean nobody": (
        (
            "x.json",
            js(
                [
                    {
                        "post_id": id,
                        "url": f"{id}.org",
                        "pic_captions": WRITTEN[k][: k + 1],
                        "joke_captions": WRITTEN[k][k:],
                    }
                    for k, id in enumerate(IDS)
                ]
            ),
        ),
        "unsure_fields",
        "as of people's",
    ),
    "a line of numbers and names in place of a header": (
        (
            "marks.csv",
            "".join(f"ann{k % 2},set1.hyp.sys{k}.txt,{k},eng,{k * 7},16657441{k}.351\n" for k in range(8)).encode(),
        ),
        "no_texts",
        "column 1, column 2",
    ),
    "answers of a survey": (
        (
            "survey.csv",
            b"id. Nr,R1Q1. Is it fluent?,R1Q1[comment]. Is it fluent?,time\n"
            b"1,4 : rather fluent,The table is in the way.,3.5\n2,5 : fluent,It is rather short.,8.5\n",
        ),
        "ratings_alone",
        "totals: `R1Q1. Is it fluent?`.",
    ),
}


@pytest.mark.parametrize("kind", ASKED)
def test_what_names_and_contents_do_not_say_is_asked(kind: str) -> None:
    file, code, words = ASKED[kind]
    found = load_study([file])
    assert found.study is None
    assert words in codes(found)[code]


@pytest.mark.parametrize("name", ["train:sentence:{}", "COCO_val:sentid:{}", "ex#{}", "data/part-{}"])
def test_names_of_captions_are_no_captions(name: str) -> None:
    text = "caption,image,score\n" + "".join(f"{name.format(k + 70)},{id}.jpg,{k}.5\n" for k, id in enumerate(IDS))
    found = load_study([("pairs.csv", text.encode())])
    assert found.study is None
    assert "facts_alone" in codes(found)


@pytest.mark.parametrize("container", ["table", "lines"])
def test_tabs_in_cells_separate_captions_and_those_in_lines_do_not(container: str) -> None:
    said = [f"{text}\ta quite different thing" for text in SAID]
    records = json.dumps([{"id": id, "prediction": text} for id, text in zip(IDS, said)])
    file = ("m.json", records.encode()) if container == "table" else ("m.txt", "\n".join(said).encode())
    _, runs = study(file, KNOWN)
    parts = {id: (text, "a quite different thing") for id, text in zip(IDS, SAID)}
    whole = {id: (text,) for id, text in zip(IDS, said)}
    assert list(runs.values()) == [parts if container == "table" else whole]


def test_annotations_beside_given_references_are_a_run() -> None:
    files = [("m.json", js({"annotations": BARE}))]
    found = load_study(files, references=[("people.json", js({"annotations": TRUE}))])
    assert found.study is not None
    assert [dict(run.candidates) for run in found.study.runs] == [TOLD]
    assert {item.id: item.references for item in found.study.items} == FIRST_OF


def test_annotations_with_ids_of_their_own_stay_references() -> None:
    numbered = [{**row, "id": k} for k, row in enumerate(BARE)]
    found = load_study([("m.json", js({"annotations": numbered})), ("gt.json", js({"annotations": TRUE}))])
    assert found.study is not None
    assert not found.study.runs


@pytest.mark.parametrize("name", ["preds.json", "m_results.json"])
def test_bare_annotations_named_as_a_models_are_a_run_beside_cocos(name: str) -> None:
    whole = {"images": [{"id": 1}], "annotations": [{**row, "image_id": int(row["video_id"]), "id": 7} for row in TRUE]}
    _, runs = study((name, js({"annotations": BARE})), ("val.json", js(whole)))
    assert list(runs.values()) == [TOLD]


def test_columns_of_toloka_have_a_prefix() -> None:
    made = [
        {"INPUT:image": id, "INPUT:model": "m", "INPUT:text": text, "OUTPUT:fluency": k, "ASSIGNMENT:worker_id": "w"}
        for k, (id, text) in enumerate(zip(IDS, SAID), 1)
    ]
    table = "\n".join(["\t".join(made[0]), *("\t".join(map(str, row.values())) for row in made)]).encode()
    found = load_study([("pool.tsv", table), KNOWN])
    assert found.study is not None
    assert {run.name: run.human for run in found.study.runs} == {
        "m": {id: {"fluency": {"w": k}} for k, id in enumerate(IDS, 1)}
    }


@pytest.mark.parametrize("file", ["marks.txt", "labels.txt"])
@pytest.mark.parametrize("line", ["3,2,5\t4,4,1", "3 2 5", "0.25;1.5", "3|4"])
def test_lines_of_several_numbers_are_no_captions(line: str, file: str) -> None:
    found = load_study([(file, f"{line}\n{line}\n{line}\n".encode()), KNOWN, ("m.json", js(TOLD))])
    assert found.study is not None
    assert [run.name for run in found.study.runs] == ["m"]
    assert "numbers_left" in codes(found)


@pytest.mark.parametrize("names", [("rating_1", "rating_2"), ("fluency_1", "fluency_2"), ("Rater1", "Rater2")])
def test_numbered_ratings_beside_captions_are_those_of_as_many_raters(names: tuple[str, str]) -> None:
    made = [
        {"original_id": id, "generation": text, "system": "m", names[0]: k + 1, names[1]: 5 - k, f"{names[0]}_z": k / 7}
        for k, (id, text) in enumerate(zip(IDS, SAID))
    ]
    found = load_study([("x.json", js(made)), KNOWN])
    assert found.study is not None
    (run,) = found.study.runs
    criterion = "fluency" if names[0] == "fluency_1" else "rating"
    assert run.human is not None
    assert [[*of[criterion].values()] for of in run.human.values()] == [[1, 5], [2, 4], [3, 3]]
    assert [[*of] for of in run.human.values()] == [[criterion]] * 3


@pytest.mark.parametrize("shape", ["spans", "spans and a title", "a score"])
def test_the_first_text_of_a_list_with_data_is_its_caption(shape: str) -> None:
    more = {"spans": [[0, 2]], "spans and a title": [[1], "a title", "a [X] on a [Y]"], "a score": [0.5]}[shape]
    file = ("references.json", js({id: [[text, *more] for text in refs] for id, refs in zip(IDS, WRITTEN)}))
    references, runs = study(file, ("m.json", js(TOLD)))
    assert references == dict(zip(IDS, WRITTEN))
    assert list(runs.values()) == [TOLD]
    assert ("fields_left" in codes(load_study([file]))) == (shape == "spans and a title")


@pytest.mark.parametrize("key", ["hash", "dialogue", "Case"])
@pytest.mark.parametrize("name", ["human_annotations.json", "judgments.csv"])
def test_numbers_in_a_file_of_people_are_ratings_of_items_that_runs_share(key: str, name: str) -> None:
    runs = [{"id": f"{id}a", "model": run, "prediction": text} for run in "xy" for id, text in zip(IDS, SAID)]
    told = [{key: f"{id}a", "model": run, "Errors": k / 2, "split": "t"} for run in "xy" for k, id in enumerate(IDS)]
    table = "\n".join([f"{key},model,Errors,split", *(",".join(map(str, row.values())) for row in told)]).encode()
    found = load_study([("m.json", js(runs)), (name, js(told) if name.endswith("json") else table)])
    assert found.study is not None
    rated = {run.name: run.human for run in found.study.runs}
    assert rated == {run: {f"{id}a": {"Errors": {"": k / 2}} for k, id in enumerate(IDS)} for run in "xy"}


@pytest.mark.parametrize("name", ["DialogModel", "caption_model", "Gen System", "INPUT:system"])
def test_the_last_word_of_a_name_may_mean_the_run(name: str) -> None:
    made = [{"id": id, name: run, "response": f"{text} {run}"} for run in "xy" for id, text in zip(IDS, SAID)]
    _, runs = study(("m.json", js(made)))
    assert runs == {run: {id: (f"{text} {run}",) for id, text in zip(IDS, SAID)} for run in "xy"}


@pytest.mark.parametrize("name", ["judge_model", "reward_model", "EmbeddingModel", "ref_model"])
def test_models_that_wrote_no_captions_are_no_runs(name: str) -> None:
    _, runs = study(("m.json", js([{"id": id, name: "big", "response": text} for id, text in zip(IDS, SAID)])))
    assert runs == {"m": TOLD}


def test_texts_beside_reasons_are_captions() -> None:
    made = [{"concepts": f"{id}#a", "scene": refs, "reason": f"because of {id}"} for id, refs in zip(IDS, WRITTEN)]
    file = ("dev.jsonl", "\n".join(map(json.dumps, made)).encode())
    run = [{"concepts": f"{id}#a", "pred_scene": [text]} for id, text in zip(IDS, SAID)]
    references, runs = study(file, ("m.json", js(run[::-1])))
    assert references == {f"{id}": refs for id, refs in zip(IDS, WRITTEN)}
    assert list(runs.values()) == [TOLD]


def pairs(same: bool) -> File:
    made = [
        {"code": f"{id}#{a}#{b}", "sum1": f"{text} {a}", "sys1": a, "sum2": f"{text} {b}{'' if same else a}", "sys2": b}
        for id, text in zip(IDS, SAID)
        for a, b in [("x", "y"), ("y", "z"), ("x", "z")]
    ]
    return "pairs.json", js(made)


def test_the_common_part_of_pairs_of_runs_is_their_item() -> None:
    _, runs = study(pairs(same=True))
    assert runs == {run: {id: (f"{text} {run}",) for id, text in zip(IDS, SAID)} for run in "xyz"}
    assert "the first part, `1`, of codes such as `1#x#y`" in codes(load_study([pairs(same=True)]))["pairs_of_runs"]


def test_pairs_of_runs_with_other_texts_are_items() -> None:
    found = load_study([pairs(same=False)])
    assert found.draft is not None
    (part,) = found.draft.parts
    assert [len(record.candidates) for record in part.records] == [2] * 9
