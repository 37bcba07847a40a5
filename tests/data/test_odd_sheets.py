"""Test that layouts which people invent are read: one model per file, titles of blocks, comments, other languages."""

from __future__ import annotations

import json

import pytest

from data.load import load_study
from tests.data.sheets import workbook
from tests.data.test_handwritten import (
    BOTH,
    HEATS,
    IDS,
    MODELS,
    REFERENCES,
    WRITTEN,
    archive,
    by_id,
    captions,
    in_order,
    js,
    said,
    sheet,
    study_of,
)


def lines(titles: dict[str, list[str]]) -> bytes:
    return "\n".join(line for title, texts in titles.items() for line in (title, *texts, "")).encode()


ALPHA = [[id, *(said("alpha", t, id) for t in HEATS)] for id in IDS]
OF_ALPHA = {("alpha", t): in_order("alpha", t) for t in HEATS}
WIDE = {
    "numbers": sheet("alpha.csv", [["image", *HEATS], *ALPHA]),
    "headings above lines": ("alpha.txt", lines({f"## T={t}": in_order("alpha", t) for t in HEATS})),
    "settings": sheet("alpha.csv", [["image", *(f"T={t}" for t in HEATS)], *ALPHA]),
    "keys of records": js("alpha.json", {id: {f"temp_{t}": of for t, of in zip(HEATS, row)} for id, *row in ALPHA}),
    "lists beside lists": js("alpha.json", [{"image": id, "temperatures": HEATS, "captions": of} for id, *of in ALPHA]),
    "objects in lists by picture": js(
        "x.json", {id: [{"model": "alpha", "temp": t, "caption": said("alpha", t, id)} for t in HEATS] for id in IDS}
    ),
    "keys above a name": js("x.json", {"model": "alpha", **{f"T{t}": {"captions": by_id("alpha", t)} for t in HEATS}}),
    "texts of temperatures": sheet(
        "alpha.csv", [["image", "temp", "caption"], *([id, f"T{t}", said("alpha", t, id)] for t in HEATS for id in IDS)]
    ),
    "a column of settings": sheet(
        "alpha.csv",
        [["image", "setting", "caption"]]
        + [[id, f"T = {t}".replace(".", ","), said("alpha", t, id)] for t in HEATS for id in IDS],
        ";",
    ),
}


@pytest.mark.parametrize("kind", WIDE)
def test_settings_without_a_model_are_those_of_the_file(kind: str) -> None:
    assert captions(study_of(WIDE[kind], REFERENCES)) == OF_ALPHA


def test_a_decoder_in_a_column_of_settings_is_a_setting() -> None:
    rows = [[id, how, said("alpha", t, id)] for how, t in (("T = 0.2", 0.2), ("greedy", 0.7)) for id in IDS]
    loaded = study_of(sheet("alpha.csv", [["image", "setting", "caption"], *rows]), REFERENCES)
    assert loaded.study is not None
    found = {(run.model, run.settings.temperature, run.settings.decoder) for run in loaded.study.runs}
    assert found == {("alpha", 0.2, None), ("alpha", None, "greedy")}


def _two(*names: str) -> list[list[str]]:
    return [["image", *names], *([id, *(said(m, None, id) for m in MODELS)] for id in IDS)]


BLOCKS = "\n\n".join(
    "\n".join([id, *(f"- {m}: {said(m, None, id)}" for m in MODELS), f"- human: {WRITTEN[id][0]}"]) for id in IDS
)
TITLED = [["image", "caption"]] + [row for m in MODELS for row in ([m, ""], *([id, said(m, None, id)] for id in IDS))]
IN_TWO = {
    "columns of numbered models": sheet("x.csv", _two("Caption Modell 1", "Caption Modell 2"), ";"),
    "titles of blocks": sheet("x.csv", TITLED),
    "headings above lines": ("x.txt", lines({f"=== {m} ===": in_order(m, None) for m in MODELS})),
    "headings that end in a colon": ("x.txt", lines({f"{m}:": in_order(m, None) for m in MODELS})),
    "headings in brackets": ("x.txt", lines({f"[{m}]": in_order(m, None) for m in MODELS})),
    "headings that say what they name": ("x.txt", lines({f"Model: {m}": in_order(m, None) for m in MODELS})),
    "underlined names above numbered lines": (
        "x.txt",
        lines({m: ["----", *(f"{k}. {text}" for k, text in enumerate(in_order(m, None), 1))] for m in MODELS}),
    ),
    "names above numbered lines": (
        "x.txt",
        lines({m: [f"{k}. {text}" for k, text in enumerate(in_order(m, None), 1)] for m in MODELS}),
    ),
    "names above lines with ids in another order": (
        "x.txt",
        lines(
            {f"**{m}**": sorted(f"{id}: {said(m, None, id)}" for id in IDS)[:: 1 - 2 * k] for k, m in enumerate(MODELS)}
        ),
    ),
    "titles in merged cells": ("x.xlsx", workbook(["A2:B2", f"A{len(IDS) + 3}:B{len(IDS) + 3}"], one=TITLED)),
    "blocks below names of pictures": ("x.txt", BLOCKS.encode()),
    "blocks below framed names of pictures": (
        "x.txt",
        "".join(
            "\n".join([f"== {id} ==", f"REF: {WRITTEN[id][0]}", *(f"{m}: {said(m, None, id)}" for m in MODELS), ""])
            for id in IDS
        ).encode(),
    ),
    "lists in the order of the pictures": js(
        "x.json", {"images": IDS, "references": [*WRITTEN.values()], **{m: in_order(m, None) for m in MODELS}}
    ),
    "a printed dictionary": ("x.txt", str({id: {m: said(m, None, id) for m in MODELS} for id in IDS}).encode()),
    "comments with commas above the header": (
        "x.csv",
        b"# by run.py, 12 May\n# beam search, 5 beams\n" + sheet("x.csv", _two(*MODELS))[1],
    ),
    "an id of the run": archive([js(f"{m}.json", {"id": m, "captions": by_id(m, None)}) for m in MODELS]),
    "experiments": js(
        "x.json",
        {"experiments": [{"name": m, "config": {"decoding": {"top_k": 5}}, "outputs": by_id(m, None)} for m in MODELS]},
    ),
}


@pytest.mark.parametrize("kind", IN_TWO)
def test_each_model_is_a_run(kind: str) -> None:
    loaded = study_of(IN_TWO[kind], REFERENCES)
    assert loaded.study is not None
    assert [[*run.candidates.values()] for run in loaded.study.runs] == [
        [(text,) for text in in_order(m, None)] for m in MODELS
    ]
    assert [one.code for one in loaded.findings if one.severity == "error"] == []


def test_numbered_captions_beside_a_setting_are_a_models() -> None:
    """Each temperature is a run, whose two captions of an item are in two columns."""
    rows = [[id, t, *(f"{said('alpha', t, id)} {k}" for k in (1, 2))] for t in HEATS for id in IDS]
    people = sheet("r.csv", [["image", "caption_1", "caption_2"], *([id, *texts] for id, texts in WRITTEN.items())])
    loaded = study_of(sheet("alpha.csv", [["image", "temperature", "caption_1", "caption_2"], *rows]), people)
    assert loaded.study is not None
    assert {run.settings.temperature: run.candidates[IDS[0]] for run in loaded.study.runs} == {
        t: tuple(f"{said('alpha', t, IDS[0])} {k}" for k in (1, 2)) for t in HEATS
    }


@pytest.mark.parametrize("people", ["Referenzen", "références", "参考"])
def test_files_of_people_are_known_by_names_in_other_languages(people: str) -> None:
    told = sheet(f"{people}.csv", [["image", "Text"], *([id, text] for id in IDS for text in WRITTEN[id])])
    loaded = load_study([sheet("alpha.csv", [["image", "Text"], *by_id("alpha", None).items()]), told])
    assert loaded.study is not None
    assert {item.id: item.references for item in loaded.study.items} == WRITTEN


def test_lines_begin_with_names_of_pictures() -> None:
    names = ["cat.jpg", "dog.jpg", "bus.jpg"]
    said_of = "".join(f"{name}: a {name[:3]} here\n" for name in names).encode()
    people = "".join(f"{name}: {text} {name[:3]}\n" for name in names for text in ("the", "one")).encode()
    loaded = load_study([("m.txt", said_of), ("references.txt", people)])
    assert loaded.study is not None
    assert {item.id: item.references for item in loaded.study.items} == {
        name: (f"the {name[:3]}", f"one {name[:3]}") for name in names
    }
    told = "".join(f"{name}\tthe {name[:3]}\tone {name[:3]} more\n" for name in names).encode()
    loaded = load_study([("m.txt", said_of.replace(b": ", b"\t")), ("references.txt", told)])
    assert loaded.study is not None
    assert {len(item.references) for item in loaded.study.items} == {2}


RATED = {
    "German": (["Flüssigkeit", "Richtigkeit"], [("1", "2"), ("2", "4"), ("3", "1"), ("4", "5"), ("5", "3")]),
    "a question": (["correct?", "quality"], [("yes", "2"), ("no", "4"), ("yes", "1"), ("no", "5"), ("yes", "3")]),
    "a statement": (
        ["The caption is accurate", "naturalness"],
        [("agree", "2"), ("strongly disagree", "4"), ("neutral", "1"), ("disagree", "5"), ("strongly agree", "3")],
    ),
}


@pytest.mark.parametrize("kind", RATED)
def test_criteria_in_other_words_are_read(kind: str) -> None:
    names, cells = RATED[kind]
    rows = [[id, "alpha", said("alpha", None, id), *own] for id, own in zip(IDS, cells)]
    loaded = study_of(sheet("x.csv", [["image", "model", "Bildunterschrift", *names], *rows]), REFERENCES)
    assert loaded.study is not None
    (run,) = loaded.study.runs
    assert run.human is not None
    assert {len(of) for of in run.human.values()} == {2}, run.human


def test_models_above_their_captions_and_ratings_are_runs() -> None:
    head = [["", "alpha", "", "beta", ""], ["Image", *["Caption", "Rating"] * 2]]
    rows = [[id, said("alpha", None, id), k, said("beta", None, id), k + 1] for k, id in enumerate(IDS, 1)]
    loaded = study_of(("ratings.xlsx", workbook(["B1:C1", "D1:E1"], one=[*head, *rows])), REFERENCES)
    assert captions(loaded) == {(m, None): in_order(m, None) for m in MODELS}
    assert loaded.study is not None
    assert [[of["Rating"][""] for of in (run.human or {}).values()] for run in loaded.study.runs] == [
        [k, k + 1, k + 2, k + 3, k + 4] for k in (1, 2)
    ]


def test_scores_with_decimal_commas_in_a_workbook_are_numbers() -> None:
    rows = [[id, "alpha", said("alpha", None, id), f"0,{k}2"] for k, id in enumerate(IDS)]
    book = workbook(one=[["Bild", "Modell", "Beschreibung", "CLIPScore"], *rows])
    loaded = study_of(("x.xlsx", book), REFERENCES)
    assert loaded.study is not None
    assert [one.values["alpha"][IDS[3]] for one in loaded.study.scores] == [(0.32,)]


def test_captions_of_temperatures_in_a_script_without_spaces_are_read() -> None:
    """Without spaces, only pairs of characters show that captions of an item have words in common."""
    said_of = {"0.2": ["一只狗在沙滩上跑", "红色公交车停在街上", "老人在长椅上看书", "白色厨房里有冰箱"]}
    said_of["1.0"] = ["狗在沙滩边玩", "街上的红色公交车", "老人坐在长椅上", "干净的白色厨房"]
    value = {"models": {"qwen": {t: {f"图{k}": text for k, text in enumerate(of)} for t, of in said_of.items()}}}
    loaded = load_study([("x.json", json.dumps(value | {"references": {f"图{k}": ["有"] for k in range(4)}}).encode())])
    assert loaded.study is not None
    assert {run.settings.temperature: [of for (of,) in run.candidates.values()] for run in loaded.study.runs} == {
        float(t): of for t, of in said_of.items()
    }


def test_misspelt_names_are_proposed_in_their_roles() -> None:
    rows = [{"imgage": id, "refrences": [*WRITTEN[id]], "canditates": [said("alpha", 1, id)]} for id in IDS]
    loaded = load_study(js("x.json", rows))
    (told,) = [one.repair for one in loaded.findings if one.code == "no_columns"]
    assert "--map id=imgage,candidates=canditates,references=refrences" in told


def test_totals_in_german_are_no_item() -> None:
    rows = [[id, said(m, t, id)] for m, t in BOTH[:1] for id in IDS]
    loaded = study_of(sheet("x.csv", [["image", "caption"], *rows, ["Mittelwert", ""]]), REFERENCES)
    assert "totals_below" in {one.code for one in loaded.findings}


def test_scores_in_another_file_find_the_runs_in_the_names_of_their_columns() -> None:
    scores = sheet(
        "cider.csv", [["image", *(f"{m} CIDEr" for m in MODELS)], *([id, k, k + 1] for k, id in enumerate(IDS))]
    )
    loaded = study_of(sheet("x.csv", _two(*MODELS)), REFERENCES, scores)
    assert loaded.study is not None
    (score,) = loaded.study.scores
    assert {run: of[IDS[2]] for run, of in score.values.items()} == {"alpha": (2.0,), "beta": (3.0,)}


@pytest.mark.parametrize("field", ["author", "source", "written by"])
def test_authors_in_lists_of_captions_are_runs_and_people(field: str) -> None:
    rows = [
        {
            "image": id,
            "captions": [{"text": text, field: "human"} for text in WRITTEN[id]]
            + [{"text": said(m, None, id), field: m} for m in MODELS],
        }
        for id in IDS
    ]
    study = study_of(js("x.json", rows)).study
    assert study is not None
    assert {item.id: item.references for item in study.items} == WRITTEN
    assert {run.name: [*run.candidates.values()] for run in study.runs} == {
        m: [(text,) for text in in_order(m, None)] for m in MODELS
    }


@pytest.mark.parametrize("third", [False, True])
def test_who_preferred_which_of_two_runs_in_a_table_of_its_own(third: bool) -> None:
    models = [*MODELS, *(["gamma"] if third else [])]
    captions = [["image", "model", "caption"], *([id, m, f"{m} sees {id}"] for m in models for id in IDS)]
    said_by = [[id, rater, "Alpha" if rater == "ann" else "tie"] for id in IDS for rater in ("ann", "bob")]
    votes = sheet("votes.csv", [["image", "annotator", "preferred"], *said_by])
    study = study_of(sheet("captions.csv", captions), votes, REFERENCES).study
    assert study is not None
    told = {(one.first[0], one.second[0], one.first_votes, one.second_votes) for one in study.preferences}
    assert (told, len(study.preferences)) == (set(), 0) if third else ({("alpha", "beta", 1.5, 0.5)}, 5)


def test_keys_of_settings_may_count_the_captions_of_a_run() -> None:
    rows = [
        {"image": id, **{f"T{t}_{k}": f"{said('alpha', t, id)}, {k}" for t in HEATS for k in (1, 2, 3)}} for id in IDS
    ]
    study = study_of(js("alpha.json", rows), REFERENCES).study
    assert study is not None
    assert {(run.model, run.settings.temperature): run.candidates[IDS[0]] for run in study.runs} == {
        ("alpha", t): tuple(f"{said('alpha', t, IDS[0])}, {k}" for k in (1, 2, 3)) for t in HEATS
    }


@pytest.mark.parametrize("judged", ["winner", "votes"])
def test_photos_with_numbers_and_what_people_said_of_two_systems(judged: str) -> None:
    head = ["Photo No.", "System A", "System B", "Gold 1", "Gold 2"]
    head += ["Better system"] if judged == "winner" else ["votes A", "votes B"]
    cells = [["A"], ["B"], ["="], ["A"], ["A"]] if judged == "winner" else [[4, 1], [0, 3], [2, 2], [1, 0], [5, 0]]
    rows = [[7 + k, *(said(m, None, id) for m in MODELS), *WRITTEN[id], *cells[k]] for k, id in enumerate(IDS)]
    study = study_of(sheet("x.csv", [head, *rows])).study
    assert study is not None
    assert [item.id for item in study.items] == [str(7 + k) for k in range(5)]
    assert [item.references for item in study.items] == [*WRITTEN.values()]
    assert [run.name for run in study.runs] == ["System A", "System B"]
    won = [(one.first[0][-1], one.first_votes, one.second_votes) for one in study.preferences]
    votes = [(1.0, 0.0), (0.0, 1.0), (0.5, 0.5), (1.0, 0.0), (1.0, 0.0)] if judged == "winner" else cells
    assert won == [("A", *of) for of in votes]
    assert not study.scores


def test_letters_before_the_names_of_runs_say_which_is_preferred() -> None:
    head, *rows = _two("A: alpha", "B: beta")
    told = [[*row, side] for row, side in zip(rows, "ABBAB")]
    loaded = study_of(sheet("x.csv", [[*head, "preferred"], *told]), REFERENCES)
    assert loaded.study is not None
    assert [one.first_votes for one in loaded.study.preferences] == [1, 0, 0, 1, 0]


def test_raters_are_known_before_the_names_of_criteria() -> None:
    names = [f"{who}_{what}" for what in ("fluency", "adequacy") for who in ("A1", "A2")]
    rows = [[id, said("alpha", None, id), 1, 2, 3, 4] for id in IDS]
    loaded = study_of(sheet("alpha.csv", [["image", "caption", *names], *rows]), REFERENCES)
    assert loaded.study is not None
    (run,) = loaded.study.runs
    assert run.human is not None
    assert {name: [*of.values()] for name, of in run.human[IDS[0]].items()} == {"fluency": [1, 2], "adequacy": [3, 4]}


def test_a_number_and_a_picture_name_the_same_item() -> None:
    rows = [[k, id, said("alpha", None, id)] for k, id in enumerate(IDS, 1)]
    people = sheet(
        "ref.csv", [["Nr.", "Text"], *([k, text] for k, id in enumerate(IDS, 1) for text in WRITTEN[id])], ";"
    )
    loaded = study_of(sheet("alpha.csv", [["Nr.", "Bild", "Text"], *rows], ";"), people)
    assert loaded.study is not None
    assert [item.references for item in loaded.study.items] == [*WRITTEN.values()]
    assert [len(run.candidates) for run in loaded.study.runs] == [len(IDS)]


def test_what_people_ask_in_a_chat_is_no_reference() -> None:
    told = "\n".join(
        f"Human: What is in picture {k}?\nAssistant: {said('alpha', None, id)}" for k, id in enumerate(IDS)
    )
    loaded = load_study(("chat.txt", told.encode()))
    assert loaded.study is not None
    assert not any(item.references for item in loaded.study.items)


@pytest.mark.parametrize("mark", [";", "\t", "|"])
@pytest.mark.parametrize("first", ["\ufeffsep={}\r\n", '"sep={}"\n'])
def test_a_first_line_may_state_the_separator(first: str, mark: str) -> None:
    name, content = sheet("alpha.csv", [["image", "caption, whole"], *([id, f"{id}, a dog"] for id in IDS)], mark)
    study = study_of((name, first.format(mark).encode() + content), REFERENCES).study
    assert study is not None
    assert [text for run in study.runs for (text,) in run.candidates.values()] == [f"{id}, a dog" for id in IDS]


def test_the_line_that_states_the_separator_is_no_title() -> None:
    rows = "".join(f"{id};{id} is a dog\n" for id in IDS)
    found = study_of(("alpha.csv", f"sep=;\nimage_id;caption\n{rows}".encode()))
    assert len(found.study.items) == len(IDS)
    assert "title_rows" not in {one.code for one in found.findings}
