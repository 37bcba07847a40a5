"""Test that fields, wrappers and folders are read the same however programs spell them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from data.load import load_study
from tests.data.test_any_records import IDS, KNOWN, SAID, WRITTEN

File = tuple[str, bytes]
RECORDS: list[dict[str, Any]] = [
    {"photo_id": int(id), "generated_caption": text, "gold_captions": list(refs)}
    for id, text, refs in zip(IDS, SAID, WRITTEN)
]


def js(name: str, value: Any) -> File:
    return name, json.dumps(value).encode()


def read(*files: Any) -> dict[str, dict[str, tuple[str, ...]]]:
    """Return, for each run, its captions by item. Fails unless every item has the known references."""
    loaded = load_study(list(files))
    assert loaded.study is not None, loaded.findings
    assert [set(item.references) for item in loaded.study.items] == [set(refs) for refs in WRITTEN]
    return {run.name: dict(run.candidates) for run in loaded.study.runs}


ONE = {id: (text,) for id, text in zip(IDS, SAID)}
TWO = {"blip": ONE, "git": {id: (f"{text} today",) for id, (text,) in ONE.items()}}


@pytest.mark.parametrize(
    "spell", ["photoId", "PhotoID", "Photo id", "PHOTO-ID", "imgId", "VID", "Coco Id", "pictureId"]
)
def test_an_id_is_known_in_every_spelling(spell: str) -> None:
    rows = [{spell: one["photo_id"], "Generated Caption": one["generated_caption"]} for one in RECORDS]
    assert read(js("m.json", rows), KNOWN) == {"m": ONE}
    told = [
        {spell: one["photo_id"], "modelOutput": one["generated_caption"], "GtCaptions": one["gold_captions"]}
        for one in RECORDS
    ]
    assert read(js("m.json", told)) == {"m": ONE}


@pytest.mark.parametrize("name", ["samplingTemperature", "sampling_temperature", "Temp", "T"])
def test_a_temperature_beside_the_records_is_the_runs(name: str) -> None:
    loaded = load_study(js("m.json", {"model": "blip", name: 0.7, "results": RECORDS}))
    assert loaded.study is not None
    assert [(run.model, run.settings.temperature) for run in loaded.study.runs] == [("blip", 0.7)]


BESIDE = {"config": {"model": "blip"}}
WRAPPED: dict[str, Any] = {
    "report": {"report": {**BESIDE, "samples": RECORDS}},
    "output": {"output": {"records": RECORDS}, "info": {"date": "May"}},
    "evaluation": {"evaluation": {**BESIDE, "results": RECORDS}},
    "annotations": {**BESIDE, "annotations": RECORDS},
    "predictions": {**BESIDE, "predictions": RECORDS},
    "items": {**BESIDE, "items": RECORDS},
}


@pytest.mark.parametrize("kind", WRAPPED)
def test_a_wrapper_is_neither_an_item_nor_a_run(kind: str) -> None:
    (captions,) = read(js("m.json", WRAPPED[kind])).values()
    assert captions == ONE


def test_nested_fields_under_unknown_names_are_read() -> None:
    rows = [
        {
            "sample": {"id": id},
            "ground_truth": {"captions": refs},
            "result": {"text": text},
            "config": {"model": "blip"},
        }
        for id, text, refs in zip(IDS, SAID, WRITTEN)
    ]
    assert read(js("m.json", rows)) == {"blip": ONE}


BY_RUN = {run: {id: text for id, (text,) in of.items()} for run, of in TWO.items()}
BY_ITEM = {id: {run: BY_RUN[run][id] for run in BY_RUN} for id in IDS}
REFS = dict(zip(IDS, WRITTEN))


@pytest.mark.parametrize("people", ["gold_captions", "CaptionsGt", "annotations", "ref-captions", "ground_truth"])
@pytest.mark.parametrize("models", ["predictions", "captions", "models", "outputs"])
def test_captions_by_people_are_found_beside_those_of_runs(people: str, models: str) -> None:
    assert read(js("all.json", {id: {people: REFS[id], **BY_ITEM[id]} for id in IDS})) == TWO
    assert read(js("all.json", {people: REFS, models: BY_RUN})) == TWO
    if models != "models":  # the keys of `models` are always runs
        assert read(js("all.json", {people: REFS, models: BY_ITEM})) == TWO


def test_columns_that_differ_in_a_seed_are_runs() -> None:
    rows = [{"id": id, "refs": REFS[id], **{f"blip_t0.7_seed{k}": f"{ONE[id][0]} {k}" for k in (1, 2)}} for id in IDS]
    loaded = load_study(js("all.json", rows))
    assert loaded.study is not None
    assert [(run.settings.temperature, run.settings.seed) for run in loaded.study.runs] == [(0.7, 1), (0.7, 2)]


def test_files_named_by_settings_have_the_model_of_their_folder(tmp_path: Path) -> None:
    given = [("blip", 0.3), ("blip", 0.7), ("git", 0.7), ("git", 1.0)]
    paths = [tmp_path / model / f"T={heat}.json" for model, heat in given]
    for k, path in enumerate(paths):
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps([{"id": id, "caption": f"{text} {k}"} for id, text in zip(IDS, SAID)]))
    loaded = load_study([*paths, KNOWN])
    assert loaded.study is not None
    assert [(run.model, run.settings.temperature) for run in loaded.study.runs] == given


def test_ratings_beside_references_and_nested_settings_lose_neither() -> None:
    rows = [
        {
            "id": id,
            "model": "blip",
            "decoding": {"top_p": p},
            "output": f"{text} {p}",
            "human_score": 3,
            "refs": REFS[id],
        }
        for p in (0.8, 0.9)
        for id, text in zip(IDS, SAID)
    ]
    loaded = load_study(js("all.json", rows))
    assert loaded.study is not None
    assert [item.references for item in loaded.study.items] == [tuple(refs) for refs in WRITTEN]
    assert [run.settings.top_p for run in loaded.study.runs] == [0.8, 0.9]
    assert all(len(run.human or {}) == len(IDS) for run in loaded.study.runs)


def test_a_number_beside_columns_of_sentences_makes_no_table_of_scores() -> None:
    rows = ["id,width,BLIP,GIT", *(f"{id},640,{BY_RUN['blip'][id]},{BY_RUN['git'][id]}" for id in IDS)]
    found = read(("all.csv", "\n".join(rows).encode()), KNOWN)
    assert found == {"BLIP": TWO["blip"], "GIT": TWO["git"]}


@pytest.mark.parametrize("folders", [("T=0.7", "seed1"), ("T=0.7", "seed1", "full")])
def test_every_folder_of_settings_counts(folders: tuple[str, ...], tmp_path: Path) -> None:
    heated = {model: tmp_path / model / "/".join(folders) / "captions.json" for model in TWO}
    for model, path in heated.items():
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps([{"id": id, "caption": text} for id, text in BY_RUN[model].items()]))
    loaded = load_study([*heated.values(), KNOWN])
    assert loaded.study is not None
    found = [(run.model, run.settings.temperature, run.settings.seed) for run in loaded.study.runs]
    assert found == [(model, 0.7, 1) for model in TWO]


def test_the_name_of_a_file_states_what_its_fields_leave_out() -> None:
    files = [
        js(
            f"blip_t{heat}.json",
            [{"id": id, "model": "blip", "caption": f"{text} {heat}"} for id, (text,) in ONE.items()],
        )
        for heat in (0.3, 0.7)
    ]
    loaded = load_study([*files, KNOWN])
    assert loaded.study is not None
    assert [(run.model, run.settings.temperature) for run in loaded.study.runs] == [("blip", 0.3), ("blip", 0.7)]
    assert "settings_from_name" in {one.code for one in loaded.findings}


def test_numbered_sentences_beside_references_are_the_captions_of_the_run_that_is_named() -> None:
    rows = [
        {"id": id, "run": "blip", "draft_1": ONE[id][0], "draft_2": f"{ONE[id][0]} today", "refs": REFS[id]}
        for id in IDS
    ]
    assert read(js("all.json", rows)) == {"blip": {id: (text, f"{text} today") for id, (text,) in ONE.items()}}


def test_captions_in_the_plural_are_the_ones_that_people_rate() -> None:
    rows = ["id,captions,adequacy", *(f"{id},{text},3" for id, (text,) in ONE.items())]
    loaded = load_study([("m.csv", "\n".join(rows).encode()), KNOWN])
    assert loaded.study is not None
    assert {id: dict(run.human or {}) != {} and run.candidates[id] for run in loaded.study.runs for id in IDS} == ONE


def test_a_score_beside_a_printed_list_of_one_caption_is_that_captions() -> None:
    rows = ["id;caption;CLIPScore", *(f"{id};{[text]!r};0.{id}" for id, (text,) in ONE.items())]
    loaded = load_study([("m.csv", "\n".join(rows).encode()), KNOWN])
    assert loaded.study is not None
    (score,) = loaded.study.scores
    assert dict(score.values["m"]) == {id: (float(f"0.{id}"),) for id in IDS}


@pytest.mark.parametrize("name", ["T", "temp"])
def test_rated_captions_at_several_temperatures_are_several_runs(name: str) -> None:
    cells = [(id, heat, f"{text} {heat}") for heat in (0.3, 0.7) for id, (text,) in ONE.items()]
    rows = [{"id": id, "model": "blip", name: heat, "pred": text, "adequacy": 4} for id, heat, text in cells]
    loaded = load_study([js("m.json", rows), KNOWN])
    assert loaded.study is not None
    assert [run.settings.temperature for run in loaded.study.runs] == [0.3, 0.7]


def test_names_of_runs_that_state_settings_are_no_ids() -> None:
    ids = ("LmrqGrnijB", "ivPsnyBzQ", "fsnevzPiW", "hKoPLAgvi", "pnJpmhauE")
    said = {f"{run}_t{heat}": {id: f"{run} {heat} {id}" for id in ids} for run in TWO for heat in (0.3, 0.7)}
    loaded = load_study(js("all.json", said))
    assert loaded.study is not None
    assert [item.id for item in loaded.study.items] == [*ids]
    assert [run.name for run in loaded.study.runs] == [*said]


def csv(*rows: str) -> bytes:
    return "\n".join(rows).encode()


@pytest.mark.parametrize("name", ["case_id", "Text_ID", "clipID", "videoUid", "shot_uid", "session_id"])
def test_a_distinct_column_called_an_id_is_the_id(name: str) -> None:
    runs = csv(f"{name},response", "c7,a dog runs along", "c9,two red cups stand", "c4,a cat on a mat")
    people = csv(f"{name},reference", "c4,the cat sits there", "c7,the dog is running", "c9,there are two cups")
    loaded = load_study([("m.csv", runs), ("people.csv", people)])
    assert loaded.study is not None
    assert loaded.study.runs[0].candidates["c4"] == ("a cat on a mat",)
    assert {item.id: item.references for item in loaded.study.items}["c7"] == ("the dog is running",)


@pytest.mark.parametrize("name", ["output_id", "worker_id", "batch_req_id", "session_id,rater"])
def test_ids_of_captions_and_of_people_are_not_those_of_items(name: str) -> None:
    who = [",r1" * ("," in name), ",r2" * ("," in name)]
    rows = (f"{name},response", f"c7{who[0]},a dog runs along", f"c9{who[1]},two red cups stand")
    loaded = load_study([("m.csv", csv(*rows))])
    assert loaded.study is not None
    assert [item.id for item in loaded.study.items] == ["1", "2"]


@pytest.mark.parametrize("remark", ["T1_Comment", "feedback", "rater_remark", "Justification"])
def test_remarks_of_judges_are_no_captions(remark: str) -> None:
    rows = ("Text_ID,T1_C1,T1_C2," + remark, "a,5,4,very clear and short", "b,3,2,too long by far", "MEAN,4,3,")
    loaded = load_study([("human_eval.csv", csv(*rows))])
    assert loaded.study is None
    (why,) = (one for one in loaded.findings if one.code == "ratings_alone")
    assert "id=Text_ID,rating=T1_C1+T1_C2;" in why.repair
    assert [one.problem for one in loaded.findings if one.code == "totals_below"]


def test_counts_and_totals_are_no_captions() -> None:
    rows = ("image_name,sentences,cleaned_text", "a.jpg,3,a wooden desk is ahead", "b.jpg,2,an exit sign in red")
    counted = load_study([("m.csv", csv(*rows))])
    assert counted.study is not None
    assert counted.study.runs[0].candidates["a.jpg"] == ("a wooden desk is ahead",)
    digits = load_study(
        [("m.csv", csv("image_name,problem,answer", "a,how many dogs are here,3", "b,what is two by two,4"))]
    )
    assert digits.study is not None
    assert digits.study.runs[0].candidates["a"] == ("3",)
    totals = csv("Approach,BLEU,Trainable params", "A: from scratch,98.8,0 / -", "B: frozen at first,90.4,11.5M / 615M")
    assert load_study([("comparison.csv", totals)]).study is None


def test_sentences_beside_an_empty_column_are_asked_for() -> None:
    rows = ("AudioID,Manx,English", "1,Gys y Jerusalem gial,", "2,Rere lheid breen dooghys,")
    loaded = load_study([("translations.csv", csv(*rows))])
    assert [one.code for one in loaded.errors] == ["no_columns"]


@pytest.mark.parametrize("name", ["direct_bleu", "evaluation.tone", "answer_correctness/v1/score"])
def test_scores_beside_captions_are_read_or_named(name: str) -> None:
    outer, _, inner = name.rpartition(".")
    score = [{outer: {inner: k / 4}} if outer else {name: k / 4} for k in (1, 3)]
    said = [("a dog runs along", "the dog is running"), ("two red cups stand", "there are two cups")]
    one = [{"id": k, "output": a, "reference": b, **of} for k, ((a, b), of) in enumerate(zip(said, score))]
    loaded = load_study(js("m.json", one))
    assert loaded.study is not None
    assert [metric.values for metric in loaded.study.scores]
    two = [
        {"id": row["id"], "direct_output": row["output"], "noisy_output": row["output"] + " x", **row} for row in one
    ]
    two = [{key: value for key, value in row.items() if key != "output"} for row in two]
    beside = load_study(js("m.json", two))
    assert name in next(found.problem for found in beside.findings if found.code == "scores_beside")
    assert beside.study is not None
    assert not beside.study.items[0].metadata


@pytest.mark.parametrize("said", [("A", "tie", "b"), ("response_a", "both", "response_b"), ("a", "", "a")])
def test_a_column_that_names_the_better_run_is_a_preference(said: tuple[str, ...]) -> None:
    rows = [f"{k},a dog runs along {k},two red cups stand {k},{one}" for k, one in enumerate(said)]
    loaded = load_study([("x.csv", csv("id,response_a,response_b,preferred", *rows))])
    assert loaded.study is not None
    assert loaded.study.preferences is not None
    assert len(loaded.study.preferences) == sum(map(bool, said))


@pytest.mark.parametrize("odd", ["modle_b", "unsure", "A/B", "?"])
@pytest.mark.parametrize("names", ["response_a,response_b", "model_a,model_b"])
def test_one_odd_cell_leaves_the_others_preferences(names: str, odd: str) -> None:
    rows = [f"{k},a dog runs along {k},two red cups stand {k},{one}" for k, one in enumerate(["a", "b", odd, "a"])]
    loaded = load_study([("x.csv", csv(f"id,{names},preferred", *rows))])
    assert [(one.code, one.id) for one in loaded.errors] == [("pair_unclear", "2")]
    assert odd in loaded.errors[0].problem
    assert loaded.study is not None
    assert {run.name for run in loaded.study.runs} == set(names.replace("response_", "").split(","))
    votes = {one.item: (one.first_votes, one.second_votes) for one in loaded.study.preferences}
    assert votes == {"0": (1, 0), "1": (0, 1), "3": (1, 0)}


@pytest.mark.parametrize(
    ("said", "is_one"),
    [("tie (both bad)", True), ("both good", True), ("no preference", True), ("equally good", True), ("tieA", False)],
)
def test_ties_in_other_words(said: str, is_one: bool) -> None:
    rows = [f"{k},blip,git,a dog runs,two cups,{one}" for k, one in enumerate(["a", "b", said, "a"])]
    study = load_study([("x.csv", csv("id,run_a,run_b,caption_a,caption_b,winner", *rows))]).study
    assert study is not None
    assert sum(one.ties for one in study.preferences) == int(is_one)
    assert len(study.preferences) == 3 + is_one


def test_a_preference_against_an_empty_caption_is_kept() -> None:
    rows = ["1,a dog runs,a dog sits,a", "2,,two red cups,b", "3,a car,a bus,tie"]
    study = load_study([("x.csv", csv("id,response_a,response_b,preferred", *rows))]).study
    assert study is not None
    assert study.preferences is not None
    assert [(one.first_votes, one.second_votes) for one in study.preferences] == [(1, 0), (0, 1), (0.5, 0.5)]


def test_a_number_too_large_for_a_score_is_no_rating() -> None:
    assert "no_texts" in {one.code for one in load_study(js("human.json", [{"mood": 10**400}, {"mood": 2}])).errors}


@pytest.mark.parametrize("name", ["condition", "config", "variant"])
@pytest.mark.parametrize("model", ["", "m,"])
@pytest.mark.parametrize("id", ["id", "case_id"])
def test_a_condition_that_tells_apart_the_rows_of_an_item_tells_apart_runs(id: str, model: str, name: str) -> None:
    rows = [
        f"c{k},{model}{of},a dog runs along {k} {of},two dogs play in the sand"
        for k in range(4)
        for of in ("one", "two")
    ]
    study = load_study([("x.csv", csv(f"{id},{'model,' if model else ''}{name},output,reference", *rows))]).study
    assert study is not None
    assert [item.id for item in study.items] == ["c0", "c1", "c2", "c3"]
    named = [f"m@{name}=one", f"m@{name}=two"] if model else ["one", "two"]
    assert [run.name for run in study.runs] == named


def test_whole_numbers_beside_ratings_of_a_file_without_captions_are_ratings() -> None:
    texts = csv("id,caption,reference", *(f"{k},a dog runs {k},two dogs play {k}" for k in range(1, 4)))
    rated = csv("id,Correctness,Readability,Usefulness,Words", "1,2,3,2,14", "2,5,4,5,9", "3,1,5,4,11")
    study = load_study([("m.csv", texts), ("human_eval.csv", rated)]).study
    assert study is not None
    assert study.runs[0].human is not None
    assert set(study.runs[0].human["1"]) == {"Correctness", "Readability", "Usefulness"}
