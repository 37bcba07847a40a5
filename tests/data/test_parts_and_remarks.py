"""Test texts beside captions that are not captions, events of videos, surveys, and settings on two levels."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from typing import Any

import pytest

from data.load import load_study
from tests.data.sheets import workbook
from tests.data.test_any_records import IDS, KNOWN, SAID, WRITTEN, File
from tests.data.test_published_layouts import codes, study

ALL = dict(zip(IDS, WRITTEN))
FIRST = {id: refs[:1] for id, refs in ALL.items()}
TOLD = {id: (text,) for id, text in zip(IDS, SAID)}
OTHER = tuple(f"{text} again" for text in SAID)
BOTH = {"BLIP": TOLD, "GIT": {id: (text,) for id, text in zip(IDS, OTHER)}}


def js(value: Any) -> bytes:
    return json.dumps(value).encode()


def table(name: str, *rows: Sequence[Any]) -> File:
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    return name, out.getvalue().encode()


@pytest.mark.parametrize("remarks", [("", "blurry", ""), ("dark photo", "two days old", "taken from afar")])
@pytest.mark.parametrize("name", ["Comment", "Text"])
def test_remarks_beside_runs_are_no_captions(name: str, remarks: tuple[str, ...]) -> None:
    rows = [[IDS[k], *WRITTEN[k][:1], SAID[k], OTHER[k], remarks[k]] for k in range(3)]
    assert study(table("s.csv", ["image", "Human", "BLIP", "GIT", name], *rows)) == (FIRST, BOTH)


def test_a_text_like_the_references_is_the_run_even_beside_another_like_them() -> None:
    rows = [[IDS[k], *WRITTEN[k][:1], SAID[k], f"{SAID[k]} in short"] for k in range(3)]
    assert study(table("s.csv", ["image", "reference", "caption", "heading"], *rows)) == (FIRST, {"s": TOLD})


def test_what_people_corrected_is_a_reference() -> None:
    rows = [[IDS[k], SAID[k], *WRITTEN[k][:1]] for k in range(3)]
    assert study(table("s.csv", ["image", "model caption", "corrected caption"], *rows)) == (FIRST, {"s": TOLD})


def test_numbers_of_lines_that_are_the_ids_of_references_need_no_warning() -> None:
    lines = ("s.txt", "".join(f"00{k}. {text}\n" for k, text in enumerate(SAID, 1)).encode())
    people = [[k, *of[:1]] for k, of in enumerate(WRITTEN[:3], 1)]
    loaded = load_study([lines, table("references.csv", ["id", "ref"], *people)])
    assert loaded.study is not None
    assert [*loaded.study.runs[0].candidates.values()] == [(text,) for text in SAID]
    assert "ids_by_place" not in codes(loaded)


def test_what_is_called_as_the_references_is_a_run() -> None:
    rows = [[IDS[k], f"{SAID[k]} at first", "So it went on", *WRITTEN[k][:1], SAID[k], OTHER[k]] for k in range(3)]
    header = ["id", "sentence1", "sentence2", "gold_ending", "BLIP_ending", "GIT_ending"]
    references, runs = study(table("s.csv", header, *rows))
    assert references == FIRST
    assert sorted(runs.values(), key=str) == sorted(BOTH.values(), key=str)


def test_numbered_columns_are_read_together() -> None:
    others = ("a tall ship", "six grey stones", "nobody at all")
    rows = [[IDS[k], SAID[k], others[k], OTHER[k], -1.5, *WRITTEN[k][:1]] for k in range(3)]
    header = ["img", "beam_1", "beam_2", "beam_3", "beam_2_score", "gt"]
    assert study(table("s.csv", header, *rows)) == (
        FIRST,
        {"s": {IDS[k]: (SAID[k], others[k], OTHER[k]) for k in range(3)}},
    )


def test_what_an_object_says_of_its_reference_is_no_candidate() -> None:
    said = {id: refs[: 2 + (id == "2")] for id, refs in ALL.items()}
    entries = [
        {id: {"category": "City", "lexicalisations": [{"comment": "good", "lex": one} for one in refs]}}
        for id, refs in said.items()
    ]
    files = ("test.json", js({"entries": entries})), ("bart.txt", "\n".join(SAID).encode())
    assert study(*files) == (said, {"bart": TOLD})


@pytest.mark.parametrize("models", [["GPT-4o", "Gemini"], ["caption (ours)", "caption (theirs)"]])
def test_sheets_named_by_settings_are_those_of_the_models_in_each(models: list[str]) -> None:
    def rows(heat: str) -> list[list[str]]:
        said = [[f"{k}", *(f"{one} saw {k} at {heat}" for one in models), f"people saw {k}", "so"] for k in range(4)]
        return [["Photo", *models, "Human 1", "Remark"], *said]

    study = load_study([("s.xlsx", workbook(**{f"T={heat}": rows(heat) for heat in ("0.2", "0.8")}))]).study
    assert study is not None
    names = [one.removeprefix("caption ").strip("()") for one in models]
    assert {(run.model, run.settings.temperature): run.candidates["1"][0] for run in study.runs} == {
        (name, float(heat)): f"{one} saw 1 at {heat}" for one, name in zip(models, names) for heat in ("0.2", "0.8")
    }
    assert [item.references for item in study.items] == [(f"people saw {k}",) for k in range(4)]


def test_sheets_without_known_names_are_read_beside_a_page_of_prose() -> None:
    said = {name: [["image", "sample 1", "sample 2"]] for name in ("OFA", "GIT")}
    for k in range(3):
        said["OFA"].append([f"{IDS[k]}.jpg", SAID[k], OTHER[k]])
        said["GIT"].append([f"{IDS[k]}.jpg", OTHER[k], SAID[k]])
    people = [["image", "caption A", "caption B"], *([f"{IDS[k]}.jpg", *WRITTEN[k][:1], SAID[k]] for k in range(3))]
    book = workbook(About=[["Captions of two models"], ["Ask a person"]], **said, Humans=people)
    references, runs = study(("s.xlsx", book))
    assert references == {IDS[k]: (WRITTEN[k][0], SAID[k]) for k in range(3)}
    assert {name: [*of.values()] for name, of in runs.items()} == {
        "OFA": [(SAID[k], OTHER[k]) for k in range(3)],
        "GIT": [(OTHER[k], SAID[k]) for k in range(3)],
    }
    assert "`About`" in codes(load_study([("s.xlsx", book)]))["other_sheets"]


def test_events_of_a_film_are_items() -> None:
    times = [[0.5, 20.1], [20.5, 80.0]]
    people = {f"v_{k}": {"duration": 80.0, "timestamps": times, "sentences": [SAID[k], OTHER[k]]} for k in range(3)}
    told = {
        f"v_{k}": [
            {"sentence": f"{one} too", "timestamp": times[place]} for place, one in enumerate((SAID[k], OTHER[k]))
        ]
        for k in range(3)
    }
    found = load_study([("val_1.json", js(people)), ("pdvc.json", js({"version": "1", "results": told}))])
    assert found.study is not None
    assert {item.id: item.references for item in found.study.items} == {
        f"v_{k}_{start}": (text,) for k in range(3) for start, text in (("0.5_20.1", SAID[k]), ("20.5_80", OTHER[k]))
    }
    assert found.study.runs[0].candidates["v_1_20.5_80"] == (f"{OTHER[1]} too",)
    assert "taken_as_references" in codes(found)


def test_numbers_of_events_do_not_hide_the_id_of_their_film() -> None:
    events = [
        [{"id": place, "timestamp": [place, place + 1], "sentence": text} for place, text in enumerate((one, other))]
        for one, other in zip(SAID, OTHER)
    ]
    films = [{"id": f"v{k}", "events": of} for k, of in enumerate(events)]
    found = load_study([("films.json", js(films))]).study
    assert found is not None
    assert {item.id: found.runs[0].candidates[item.id] for item in found.items} == {
        f"v{k}_{place}_{place + 1}": (event["sentence"],)
        for k, of in enumerate(events)
        for place, event in enumerate(of)
    }


def test_the_caption_of_a_whole_film_is_not_hidden_by_those_of_its_events() -> None:
    films = [
        {
            "video": f"v{k}",
            "caption": SAID[k],
            "events": [{"timestamp": [n, n + 1], "caption": OTHER[k]} for n in (0, 1)],
        }
        for k in range(3)
    ]
    loaded = load_study([("films.json", js(films))])
    assert loaded.study is not None
    assert dict(loaded.study.runs[0].candidates) == {f"v{k}": (SAID[k],) for k in range(3)}
    assert "events" in codes(loaded)["ignored_columns"]


def test_settings_may_stand_on_two_levels() -> None:
    value = {
        model: {f"T={heat}": {f"seed{seed}": {id: f"{SAID[k]} {model} {heat} {seed}" for k, id in enumerate(IDS)}
                              for seed in (0, 1)} for heat in (0.5, 1.0)}
        for model in ("BLIP", "GIT")
    }  # fmt: skip
    found = load_study([("all.json", js(value)), KNOWN]).study
    assert found is not None
    told = {(run.model, run.settings.temperature, run.settings.seed): run.candidates["2"] for run in found.runs}
    assert told == {
        (model, heat, seed): (f"{SAID[1]} {model} {heat} {seed}",)
        for model in ("BLIP", "GIT")
        for heat in (0.5, 1.0)
        for seed in (0, 1)
    }


def test_answers_of_workers_about_captions_are_ratings() -> None:
    header = [
        "HITId",
        "AssignmentStatus",
        "WorkerId",
        "Input.image_id",
        "Input.model",
        "Input.caption",
        "Answer.fluency",
    ]
    rows = [[f"h{k}", "Approved", f"w{n}", IDS[k], "m", SAID[k], k + n] for k in range(3) for n in range(2)]
    found = load_study([table("Batch_7_batch_results.csv", header, *rows), ("m.json", js(dict(zip(IDS, SAID)))), KNOWN])
    assert found.study is not None
    assert {item.id: item.references for item in found.study.items} == ALL
    (run,) = found.study.runs
    assert run.human is not None
    assert {id: of["fluency"] for id, of in run.human.items()} == {
        id: {"w0": k, "w1": k + 1} for k, id in enumerate(IDS)
    }


def test_translations_by_a_system_are_no_references() -> None:
    rows = [
        [name, IDS[k], "r1", f"source {k}", text[k]] for name, text in (("a", SAID), ("b", OTHER)) for k in range(3)
    ]
    header = ["system", "seg_id", "rater", "source", "target"]
    assert study(table("mqm.csv", header, *rows), KNOWN) == (ALL, {"a": BOTH["BLIP"], "b": BOTH["GIT"]})


def test_predictions_of_several_models_in_one_task_are_a_run_each() -> None:
    def said(text: str) -> list[dict[str, Any]]:
        return [{"value": {"text": [text]}, "from_name": "caption", "type": "textarea"}]

    tasks = [
        {
            "id": int(IDS[k]),
            "annotations": [{"result": said(one)} for one in WRITTEN[k]],
            "predictions": [
                {"model_version": "BLIP", "result": said(SAID[k])},
                {"model_version": "GIT", "result": said(OTHER[k])},
            ],
        }
        for k in range(3)
    ]
    assert study(("project.json", js(tasks))) == (ALL, BOTH)


def test_foils_are_no_references() -> None:
    made = [
        {
            "image_id": int(IDS[k]),
            "id": 2 * k + foil,
            "caption": f"{WRITTEN[k][0]}{' never' * foil}",
            "foil": bool(foil),
        }
        for k in range(3)
        for foil in (0, 1)
    ]
    found = load_study([("foil.json", js({"images": [], "annotations": made})), ("m.json", js(dict(zip(IDS, SAID))))])
    assert found.study is not None
    assert {item.id: item.references for item in found.study.items} == FIRST
    assert "withdrawn" in codes(found)


def test_rows_of_ids_and_numbers_are_no_captions() -> None:
    rows = "".join(f"{id}.jpg\t{id}.jpg#{k}\t1\t2\n" for k, id in enumerate(IDS))
    found = load_study([("ExpertAnnotations.txt", rows.encode()), KNOWN])
    assert found.study is not None
    assert not found.study.runs
    assert "no_texts" in codes(found)


def test_long_questions_above_numbers_are_a_header() -> None:
    header = ["Timestamp", "How well does this describe 1.jpg? [a dog]", "How well does this describe 2.jpg? [a cat]"]
    survey = table("survey.csv", header, ["3/1", "4", "5"], ["3/2", "2", "1"], ["3/3", "2", "4"])
    found = load_study([survey, KNOWN, ("m.json", js(dict(zip(IDS, SAID))))])
    assert found.study is not None
    assert [run.name for run in found.study.runs] == ["m"]
    assert "How well does this describe 1.jpg? [a dog]" in codes(found)["no_texts"]
    assert "no_header" not in codes(found)


@pytest.mark.parametrize("key", ["body", "params"])
def test_requests_beside_their_answers_are_no_captions(key: str) -> None:
    sent = {
        "model": "m",
        "n": 2,
        "temperature": 0.7,
        "messages": [{"role": "user", "content": "Describe the picture."}],
    }
    asked = "\n".join(json.dumps({"custom_id": id, key: sent}) for id in IDS)
    files = [("input.jsonl", asked.encode()), ("m.json", js(dict(zip(IDS, SAID)))), KNOWN]
    assert study(*files) == (ALL, {"m": TOLD})
    found = {one.code: one.severity for one in load_study(files).findings}
    assert found["requests_alone"] == "note"
    assert "error" not in found.values()


def test_names_of_columns_may_have_dots_for_blanks() -> None:
    rows = [[k, f"{IDS[k]}.jpg", *WRITTEN[k][:2], SAID[k], OTHER[k]] for k in range(3)]
    header = ["", "image.id", "ref.1", "ref.2", "caption.BLIP", "caption.GIT"]
    references, runs = study(table("data.csv", header, *rows))
    assert references == {id: refs[:2] for id, refs in ALL.items()}
    assert {name: [*of.values()] for name, of in runs.items()} == {
        "BLIP": [(text,) for text in SAID],
        "GIT": [(text,) for text in OTHER],
    }


@pytest.mark.parametrize("people", ["Humans", "Mensch"])
def test_columns_of_people_are_known_by_other_words(people: str) -> None:
    rows = [[IDS[k], *WRITTEN[k][:2], SAID[k], OTHER[k]] for k in range(3)]
    found = study(table("s.csv", ["Image", f"{people} 1", f"{people} 2", "BLIP T=0.2", "GIT T=0.2"], *rows))
    assert found[0] == {id: refs[:2] for id, refs in ALL.items()}
    assert list(found[1].values()) == list(BOTH.values())


def test_a_list_that_names_its_runs_holds_their_captions() -> None:
    made = [
        {
            "id": IDS[k],
            "output": WRITTEN[k][0],
            "candidates": [{"model": "BLIP", "text": SAID[k]}, {"model": "GIT", "text": OTHER[k]}],
        }
        for k in range(3)
    ]
    assert study(("test.json", js(made)), KNOWN) == (ALL, BOTH)


def test_folders_with_a_file_of_people_each_are_items() -> None:
    files = [
        (f"scene {id}/{name}.txt", f"{text}\n".encode())
        for k, id in enumerate(IDS)
        for name, text in (("human", "\n".join(WRITTEN[k])), ("BLIP", SAID[k]), ("GIT", OTHER[k]))
    ]
    references, runs = study(*files)
    assert references == {f"scene {id}": refs for id, refs in ALL.items()}
    assert runs == {name: {f"scene {id}": text for id, text in of.items()} for name, of in BOTH.items()}


def test_kinds_of_items_are_no_runs() -> None:
    def rows(kind: str) -> list[dict[str, Any]]:
        return [
            {"image": f"{kind}{id}", "caption_gt": list(WRITTEN[k]), "caption_model": SAID[k]}
            for k, id in enumerate(IDS)
        ]

    found = load_study([("s.json", js({"in": rows("a"), "out": rows("b")}))]).study
    assert found is not None
    assert {item.id: (item.references, item.metadata["category"]) for item in found.items} == {
        f"{kind}{id}": (refs, name) for name, kind in (("in", "a"), ("out", "b")) for id, refs in ALL.items()
    }
    (run,) = found.runs
    assert [*run.candidates.values()] == [(text,) for text in SAID] * 2


@pytest.mark.parametrize("name", ["completion", "caption"])
def test_an_empty_text_beside_an_error_is_a_failed_request(name: str) -> None:
    said = [{"id": id, name: SAID[k], "error": None, "status": "done"} for k, id in enumerate(IDS)]
    said[1] |= {name: "", "error": {"message": "Connection refused by host"}}
    said[2] |= {name: ""}
    found = load_study([("m.jsonl", "\n".join(map(json.dumps, said)).encode()), KNOWN])
    assert found.study is not None
    assert dict(found.study.runs[0].candidates) == {"1": (SAID[0],), "3": ("",)}
    assert "Connection refused by host" in codes(found)["failed_request"]
