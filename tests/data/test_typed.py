"""Test small files as researchers type them: a folder with a file per caption, settings in words, and lists of
pairs.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from typing import Any

import pytest

from data.check import Loaded
from data.load import load_study
from data.study import Study
from tests.data.sheets import workbook

SCENES = {"beach": "red kite", "dog": "brown dog", "train": "long train", "market": "fruit stall"}
IDS = [*enumerate(SCENES, 1)]
PEOPLE = {id: [f"A {what} in the morning.", f"There is a {what} today."] for id, what in SCENES.items()}


def said(model: str, id: str, heat: float | str = "") -> str:
    return f"{model} sees some {SCENES[id]} {heat}".strip()


def js(value: Any) -> bytes:
    return json.dumps(value).encode()


REFERENCES = ("references.json", js(PEOPLE))


def study(loaded: Loaded) -> Study:
    assert loaded.study is not None, loaded.findings
    return loaded.study


def packed(files: Mapping[str, str]) -> tuple[str, bytes]:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return "all.zip", stream.getvalue()


def codes(loaded: Loaded) -> set[str]:
    return {finding.code for finding in loaded.findings}


def read(result: Study) -> dict[tuple[str, float | None], dict[str, list[str]]]:
    """Return the captions by model and temperature, then by item."""
    return {
        (run.model, run.settings.temperature): {id: [*texts] for id, texts in run.candidates.items()}
        for run in result.runs
    }


def people(result: Study) -> dict[str, list[str]]:
    return {item.id: [*item.references] for item in result.items}


def test_folders_of_models_and_temperatures_with_a_file_per_caption() -> None:
    runs = [(model, heat) for model in ("blip", "git") for heat in (0.2, 0.8)]
    files = {f"out/{m}/T{t}/{id}.txt": said(m, id, t) for m, t in runs for id in SCENES}
    files |= {f"out/refs/{id}.txt": "\n".join(PEOPLE[id]) for id in SCENES}
    found = study(load_study([packed(files)]))
    assert read(found) == {(m, t): {id: [said(m, id, t)] for id in SCENES} for m, t in runs}
    assert people(found) == PEOPLE


def test_numbered_files_per_item_beside_folders_of_models() -> None:
    files = {f"human/{id}_{k}.txt": text for id in SCENES for k, text in enumerate(PEOPLE[id], 1)}
    files |= {f"{m}/{id}.txt": said(m, id) for m in ("gpt", "claude") for id in SCENES}
    found = study(load_study([packed(files)]))
    assert people(found) == PEOPLE
    assert read(found) == {(m, None): {id: [said(m, id)] for id in SCENES} for m in ("gpt", "claude")}


def test_files_of_items_whose_lines_say_who_wrote_them() -> None:
    lines = {id: [*(f"human: {text}" for text in PEOPLE[id]), f"blip: {said('blip', id)}"] for id in SCENES}
    found = study(load_study([packed({f"{id}.txt": "\n".join(of) for id, of in lines.items()})]))
    assert people(found) == PEOPLE
    assert read(found) == {("blip", None): {id: [said("blip", id)] for id in SCENES}}


@pytest.mark.parametrize("mark", ["/", " ", "_", "@"])
def test_numbers_after_several_models_are_temperatures(mark: str) -> None:
    runs = [(model, heat) for model in ("blip", "git") for heat in (0.2, 0.8)]
    rows = [{"id": id, "system": f"{m}{mark}{t}", "caption": said(m, id, t)} for m, t in runs for id in SCENES]
    assert {*read(study(load_study([("all.json", js(rows)), REFERENCES])))} == {*runs}
    one = [row for row in rows if row["system"].startswith("blip")]
    assert {heat for _, heat in read(study(load_study([("all.json", js(one)), REFERENCES])))} == {None}


def test_settings_in_words_that_never_change() -> None:
    rows = [{"img": id, "gen": said("m", id), "ref": PEOPLE[id], "params": "temp=0.7,top_p=0.9"} for id in SCENES]
    (run,) = study(load_study([("m.json", js(rows))])).runs
    assert (run.model, run.settings.temperature, run.settings.top_p) == ("m", 0.7, 0.9)
    rows = [row | {"params": "see the paper"} for row in rows]
    (run,) = study(load_study([("m.json", js(rows))])).runs
    assert (run.name, run.settings.temperature) == ("m", None)


def test_pairs_of_an_item_and_its_caption() -> None:
    made = [
        {"name": model, "params": {"temperature": 0.5}, "outputs": [[f"{id}.jpg", said(model, id)] for id in SCENES]}
        for model in ("blip", "git")
    ]
    found = study(load_study([("experiments.json", js(made)), REFERENCES]))
    assert read(found) == {(m, 0.5): {id: [said(m, id)] for id in SCENES} for m in ("blip", "git")}


def test_rows_below_a_header() -> None:
    rows = [["image", "ref1", "ref2", "my model"], *([id, *PEOPLE[id], said("m", id)] for id in SCENES)]
    found = study(load_study([("rows.json", js(rows))]))
    assert people(found) == PEOPLE
    assert [*read(found).values()] == [{id: [said("m", id)] for id in SCENES}]


def test_captions_that_are_keys_of_their_scores() -> None:
    made = {id: {said("m", id, k): 0.1 * k for k in range(3)} for id in SCENES}
    found = study(load_study([("m.json", js(made)), REFERENCES]))
    assert read(found) == {("m", None): {id: [*of] for id, of in made.items()}}


def test_columns_that_pandas_indexes() -> None:
    ids = [*SCENES]
    made = {
        "img": {str(k): id for k, id in enumerate(ids)},
        "human": {str(k): PEOPLE[id] for k, id in enumerate(ids)},
        "pred_T0.5": {str(k): said("m", id) for k, id in enumerate(ids)},
    }
    found = study(load_study([("df.json", js(made))]))
    assert people(found) == PEOPLE
    assert read(found) == {("df", 0.5): {id: [said("m", id)] for id in ids}}


def test_lists_of_sources_references_and_outputs() -> None:
    """The sources are metadata rather than captions of a run."""
    texts = [f"Der Satz {what} steht hier." for what in SCENES.values()]
    made = {"src": texts, "ref": [of[0] for of in PEOPLE.values()], "mt_a": [said("a", id) for id in SCENES]}
    found = study(load_study([("mt.json", js(made | {"mt_b": [said("b", id) for id in SCENES]}))]))
    assert [run.name for run in found.runs] == ["mt_a", "mt_b"]
    assert [item.references for item in found.items] == [(of[0],) for of in PEOPLE.values()]
    assert [item.metadata["src"] for item in found.items] == texts


@pytest.mark.parametrize("several", [True, False])
def test_a_response_beside_a_generated_one_is_by_people(several: bool) -> None:
    runs = ("gpt", "blender") if several else ("gpt",)
    rows = [
        {
            "response": PEOPLE[id][0],
            "generated_response": {m: said(m, id) for m in runs} if several else said("gpt", id),
        }
        for id in SCENES
    ]
    found = study(load_study([("dialog.json", js(rows))]))
    assert [item.references for item in found.items] == [(of[0],) for of in PEOPLE.values()]
    assert [[*run.candidates.values()] for run in found.runs] == [[(said(m, id),) for id in SCENES] for m in runs]


def test_a_name_alone_beside_the_same_with_the_names_of_models() -> None:
    rows = [{"docstring": PEOPLE[id][0], **{f"{m}_docstring": said(m, id) for m in ("gpt", "t5")}} for id in SCENES]
    found = study(load_study([("code.json", js(rows))]))
    assert [item.references for item in found.items] == [(of[0],) for of in PEOPLE.values()]
    assert len(found.runs) == 2


def test_people_called_by_letters_numbers_and_files() -> None:
    rows = [{"image": id, "who": f"human {a}", "caption": text} for id in SCENES for a, text in zip("AB", PEOPLE[id])]
    rows += [{"image": id, "who": m, "caption": said(m, id)} for m in ("GPT", "Gemini") for id in SCENES]
    found = study(load_study([("long.json", js(rows))]))
    assert (people(found), {run.name for run in found.runs}) == (PEOPLE, {"GPT", "Gemini"})
    own = [{"image": id, "annotations": {f"worker_{k}": text for k, text in enumerate(PEOPLE[id])}} for id in SCENES]
    rows = [one | {"prediction": said("m", one["image"])} for one in own]
    assert people(study(load_study([("m.json", js(rows))]))) == PEOPLE
    files = [(f"annotator_{k}.json", js({id: PEOPLE[id][k] for id in SCENES})) for k in range(2)]
    found = study(load_study([*files, ("m.json", js({id: said("m", id) for id in SCENES}))]))
    assert people(found) == PEOPLE


def test_settings_in_headings_are_no_numbers_of_captions() -> None:
    rows = [{"image": id, "human": PEOPLE[id], **{f"GPT T={t}": said("g", id, t) for t in (0, 1)}} for id in SCENES]
    assert {*read(study(load_study([("m.json", js(rows))])))} == {("GPT", 0.0), ("GPT", 1.0)}


def test_french_headings_with_accents() -> None:
    rows = [{"image": id, "légende de référence": PEOPLE[id][0], "légende générée": said("m", id)} for id in SCENES]
    found = study(load_study([("légendes.json", js(rows))]))
    assert [item.references for item in found.items] == [(of[0],) for of in PEOPLE.values()]
    assert len(found.runs) == 1


def test_a_summary_beside_a_generated_one_and_its_text() -> None:
    rows = [
        {"id": id, "text": f"{PEOPLE[id][0]} {PEOPLE[id][1]} And so on.", "summary": PEOPLE[id][0]}
        | {"generated_summary": said("m", id)}
        for id in SCENES
    ]
    found = study(load_study([("m.json", js(rows))]))
    assert people(found) == {id: of[:1] for id, of in PEOPLE.items()}
    assert [*read(found).values()] == [{id: [said("m", id)] for id in SCENES}]


def test_short_answers_of_several_models() -> None:
    gold = ["Lima", "eight", "Jane Austen", "green"]
    told = {"GPT": ["The capital is Lima", "eight legs it has", "It was Jane Austen", "green I think"]}
    for answers in (told, {"GPT": ["Lima", "eight", "Austen", "green"]}):
        made = answers | {"Llama": ["Lima", "six", "Jane Austen", "blue"]}
        text = "\n\n".join(
            "\n".join([f"Q: What is {k}?", f"Gold: {gold[k]}", *(f"{m}: {of[k]}" for m, of in made.items())])
            for k in range(4)
        )
        found = study(load_study([("answers.txt", text.encode())]))
        assert {run.name: [*run.candidates.values()] for run in found.runs} == {
            m: [(one,) for one in of] for m, of in made.items()
        }


def test_numbered_lines_below_headings() -> None:
    lines = [row for t in (0.2, 0.8) for row in [f"=== T={t} ===", *(f"{k}. {said('m', id, t)}" for k, id in IDS), ""]]
    files = [
        ("m.txt", "\n".join(lines).encode()),
        ("references.txt", "\n".join(of[0] for of in PEOPLE.values()).encode()),
    ]
    found = study(load_study(files))
    assert read(found) == {("m", t): {str(k): [said("m", id, t)] for k, id in IDS} for t in (0.2, 0.8)}


def test_a_sheet_of_ratings_by_raters_beside_one_of_captions() -> None:
    book = workbook(
        References=[["image", "reference"], *([id, text] for id in SCENES for text in PEOPLE[id])],
        Captions=[["image", "model", "caption"], *([id, m, said(m, id)] for m in "ab" for id in SCENES)],
        Ratings=[
            ["image", "model", "rater", "adequacy"],
            *([id, m, who, "4"] for m in "ab" for id in SCENES for who in ("Eva", "Tim")),
        ],
    )
    loaded = load_study([("study.xlsx", book)])
    assert "other_sheets" not in codes(loaded)
    assert all(run.human for run in study(loaded).runs)


def test_numbered_columns_of_a_file_named_after_people() -> None:
    rows = [{"image": id, **{f"c{k}": text for k, text in enumerate(PEOPLE[id], 1)}} for id in SCENES]
    found = study(load_study([("GT.json", js(rows)), ("m.json", js({id: said("m", id) for id in SCENES}))]))
    assert people(found) == PEOPLE
