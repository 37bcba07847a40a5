"""Test names, folders and columns as people write them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from data.load import load_study
from data.study import Study
from metrics.notebook import study as read_named
from tests.data.sheets import workbook

SCENES = {
    "dog": (
        "A brown dog runs in the park.",
        "A dog in the park chases a ball.",
        "a dog in a park",
        "a brown dog in a green park",
    ),
    "bus": (
        "A red bus drives down a street.",
        "A red bus on a street in the city.",
        "a bus on a street",
        "a red bus on the street",
    ),
    "cat": ("A grey cat sleeps on a sofa.", "The grey cat naps.", "a cat on a sofa", "a grey cat on the sofa"),
    "sea": (
        "Two children play by the sea.",
        "Children dig in the sand.",
        "children at the sea",
        "two children at the sea",
    ),
}


def people(ending: str = "") -> dict[str, list[str]]:
    return {id + ending: [*of[:2]] for id, of in SCENES.items()}


def model(*places: int) -> dict[str, list[str]]:
    return {id: [of[2 + k] for k in places] for id, of in SCENES.items()}


def read(*files: tuple[str, Any]) -> tuple[Study, set[str]]:
    loaded = load_study(
        [(name, value if isinstance(value, bytes) else json.dumps(value).encode()) for name, value in files]
    )
    assert loaded.study is not None, loaded.findings
    return loaded.study, {one.code for one in loaded.findings if one.severity != "note"}


def table(header: list[str], rows: list[list[str]], mark: str = ";") -> bytes:
    return "\n".join(mark.join(row) for row in [header, *rows]).encode()


@pytest.mark.parametrize(
    "of", ["T=0.2 ({})", "T=0.2 #{}", "T=0.2 sample {}", "T=0.2_sample{}", "BLIP ({})", "BLIP [{}]"]
)
def test_numbered_columns_of_a_setting_or_model_are_captions_of_one_run(of: str) -> None:
    head = ["image", of.format(1), of.format(2), "GIT (1)", "GIT (2)"]
    rows = [[id, *said[2:], *said[2:][::-1]] for id, said in SCENES.items()]
    study, _ = read(("blip.csv", table(head, rows)), ("references.json", people()))
    assert [sorted(run.candidates["dog"]) for run in study.runs] == [sorted(SCENES["dog"][2:])] * 2


@pytest.mark.parametrize("name", ["τ", "tau", "softmax_temperature"])
def test_more_names_of_the_temperature(name: str) -> None:
    rows = [
        {"image": id, name: heat, "captions": [said[k]]}
        for k, heat in ((2, 0.2), (3, 0.8))
        for id, said in SCENES.items()
    ]
    study, _ = read(("out.json", rows), ("references.json", people()))
    assert [run.settings.temperature for run in study.runs] == [0.2, 0.8]


def test_numbers_behind_models_are_temperatures_beside_people() -> None:
    runs = {f"{name}@{heat}": model(k) for name in ("blip", "git") for k, heat in enumerate((0.2, 1.0))}
    rows = [
        [id, who, text]
        for who, of in ({"human": people()} | runs).items()
        for id, texts in of.items()
        for text in texts
    ]
    study, _ = read(("all.csv", table(["image", "model", "caption"], rows)))
    assert [(run.model, run.settings.temperature) for run in study.runs] == [
        (name, heat) for name in ("blip", "git") for heat in (0.2, 1.0)
    ]


def test_a_model_called_like_a_numbered_field_is_a_run_beside_others() -> None:
    rows = [
        {"id": id, "lang": "en", "refs": [*said[:2]], "mt5": said[2], "nllb": said[3]} for id, said in SCENES.items()
    ]
    study, _ = read(("multi.json", rows))
    assert [run.name for run in study.runs] == ["mt5", "nllb"]


def test_folders_on_disk_are_read_like_those_in_an_archive(tmp_path: Path) -> None:
    for folder, said in {
        "human": people(),
        "blip/T0.2": model(0),
        "blip/T1.0": model(1),
        "git/T0.2": model(0, 1),
    }.items():
        (tmp_path / "data" / folder).mkdir(parents=True)
        for id, texts in said.items():
            (tmp_path / "data" / folder / f"{id}.txt").write_text("\n".join(texts))
    loaded = load_study(sorted(tmp_path.glob("data/**/*.txt")))
    assert loaded.study is not None
    assert {item.id: [*item.references] for item in loaded.study.items} == people()
    assert {(run.model, run.settings.temperature) for run in loaded.study.runs} == {
        ("blip", 0.2),
        ("blip", 1.0),
        ("git", 0.2),
    }


def test_a_file_per_item_may_list_the_references() -> None:
    study, _ = read(
        *((f"res/{id}.json", {"references": [*of[:2]], "BLIP": of[2], "GIT": of[3]}) for id, of in SCENES.items())
    )
    assert {item.id: [*item.references] for item in study.items} == people()
    assert [(run.name, run.candidates["cat"]) for run in study.runs] == [
        ("BLIP", (SCENES["cat"][2],)),
        ("GIT", (SCENES["cat"][3],)),
    ]


def test_files_of_columns_are_not_taken_for_items() -> None:
    written = [*people().values()]
    runs = {
        f"{name}.json": {"references": written, "predictions": [of[0] for of in model(k).values()]}
        for k, name in enumerate("ab")
    }
    study, _ = read(*runs.items())
    assert (len(study.items), len(study.runs)) == (4, 2)


def test_rows_of_several_runs_about_one_text_belong_to_one_item() -> None:
    rows = [
        {"doc": f"A long text about the {id}.", "gold": [*of[:2]], "hyp": of[2 + k], "system": name}
        for k, name in enumerate(("bart", "t5"))
        for id, of in SCENES.items()
    ]
    study, _ = read(("summaries.json", rows))
    assert [len(run.candidates) for run in study.runs] == [4, 4]
    assert [[*item.references] for item in study.items] == [*people().values()]


def test_a_question_is_asked_of_people() -> None:
    rows = [[id, "blip", of[2], of[0], "yes" if id != "cat" else "no"] for id, of in SCENES.items()]
    study, _ = read(("x.csv", table(["image", "model", "caption", "reference", "correct?"], rows)))
    assert [study.runs[0].human[id] for id in ("dog", "cat")] == [{"correct?": {"": 1.0}}, {"correct?": {"": 0.0}}]  # type: ignore[index]


def test_columns_of_a_script_without_spaces_fit_their_references() -> None:
    rows = [
        ["a", "สุนัขสีน้ำตาลวิ่งในสวน", "สุนัขบนสนามหญ้า", "หมากับสุนัขในสวน"],
        ["b", "แมวนอนบนโซฟา", "แมวบนโซฟา", "แมวหลับ"],
        ["c", "รถบัสสีแดงในเมือง", "รถบัสสีแดง", "รถในเมือง"],
    ]
    study, _ = read(("x.csv", table(["image", "ref1", "BLIP", "GIT"], rows)))
    assert [run.name for run in study.runs] == ["BLIP", "GIT"]


def test_equally_many_references_are_no_sentences_of_one_text() -> None:
    apart = {
        "dog": ["A brown dog runs.", "Grass everywhere."],
        "bus": ["Red bus.", "The city wakes."],
        "cat": ["It naps.", "Sofa."],
    }
    said = {id: {"human": apart[id], "blip": of[2]} for id, of in SCENES.items() if id in apart}
    rows = [
        [id, who, text]
        for id, of in said.items()
        for who, texts in of.items()
        for text in ([texts] if who == "blip" else texts)
    ]
    _, codes = read(("all.csv", table(["image", "who", "sentence"], rows)))
    assert "sentences_listed" not in codes


def test_an_image_without_its_ending_is_the_same() -> None:
    said = {
        name: [{"image": id + end, "caption": of[2]} for id, of in SCENES.items()]
        for name, end in (("m", ".jpg"), ("n", ""))
    }
    _, codes = read(*((f"{name}.json", rows) for name, rows in said.items()), ("refs.json", people(".jpg")))
    assert "facts_differ" not in codes


def test_the_name_of_a_file_of_any_kind_is_read(tmp_path: Path) -> None:
    rows = [f"| {id} | {of[0]} | {of[2]} |" for id, of in SCENES.items()]
    for name in ("table.md", "without an ending"):
        path = tmp_path / name
        path.write_text("\n".join(["| image | reference | BLIP |", "|---|---|---|", *rows]))
        with pytest.warns(UserWarning, match="fewer than two references"):
            assert len(read_named([str(path)]).items) == 4


@pytest.mark.parametrize(("sheets", "rated"), [(("Fluency", "Adequacy"), True), (("CLIPScore", "SPICE"), False)])
@pytest.mark.parametrize("layout", ["columns", "sheets", "rows"])
def test_sheets_named_by_what_they_measure_have_a_column_for_each_run(
    sheets: tuple[str, str], rated: bool, layout: str
) -> None:
    said = {"BLIP": 2, "GIT": 3}
    book: dict[str, list[list[Any]]] = {
        "columns": {"Captions": [["Image", "Ref 1", *said], *([id, of[0], of[2], of[3]] for id, of in SCENES.items())]},
        "sheets": {
            name: [["Image", "Caption"], *([id, of[k]] for id, of in SCENES.items())] for name, k in said.items()
        },
        "rows": {
            "All": [
                ["Image", "Model", "Caption"],
                *([id, name, of[k]] for id, of in SCENES.items() for name, k in said.items()),
            ]
        },
    }[layout]
    numbers = {sheet: {id: (n + k, n + 1 - k) for n, id in enumerate(SCENES, 1)} for k, sheet in enumerate(sheets)}
    for sheet, of in numbers.items():
        book[sheet] = [["Image", *said], *([id, *two] for id, two in of.items())]
    study, _ = read(
        ("all.xlsx", workbook(**{name: [[*map(str, row)] for row in of] for name, of in book.items()})),
        ("references.json", people()),
    )
    if rated:
        human = {run.name: run.human for run in study.runs}
        expected = {name: {s: {"": float(of["cat"][k])} for s, of in numbers.items()} for k, name in enumerate(said)}
        assert {name: (of or {})["cat"] for name, of in human.items()} == expected
    else:
        assert sorted(one.name for one in study.scores) == sorted(sheets)


@pytest.mark.parametrize("apart", [True, False])
def test_a_sign_between_the_captions_of_people_separates_those_of_runs(apart: bool) -> None:
    parts = [("a small puppy", "an animal on grass"), ("a red vehicle", "cars in traffic")]
    parts += [("a grey pet", "fur and cushions"), ("two kids", "sand and waves")]
    texts = dict(zip(SCENES, parts))
    rows = {id: (" | ".join(of[:2]), " | ".join(texts[id]), " | ".join(texts[id][::-1])) for id, of in SCENES.items()}
    if apart:
        written = table(["image", "references"], [[id, of[0]] for id, of in rows.items()])
        said = table(["image", "BLIP", "GIT"], [[id, *of[1:]] for id, of in rows.items()])
        study, _ = read(("x.csv", said), ("refs.csv", written))
    else:
        study, _ = read(
            ("x.csv", table(["image", "references", "BLIP", "GIT"], [[id, *of] for id, of in rows.items()]))
        )
    assert [run.candidates["cat"] for run in study.runs] == [texts["cat"], texts["cat"][::-1]]
    assert study.items[0].references == SCENES["dog"][:2]


@pytest.mark.parametrize("name", ["preds.csv", "sheet.csv"])
def test_predictions_in_columns_of_unknown_names_beside_several_captions_of_each_item(name: str) -> None:
    written = table(["image", "caption"], [[id, text] for id, of in SCENES.items() for text in of[:2]])
    said = table(["image", "blip", "git"], [[id, *of[2:]] for id, of in SCENES.items()])
    loaded = load_study([("captions.txt", written), (name, said)])
    codes = {one.code for one in loaded.findings}
    assert ("no_columns" in codes) == (name == "sheet.csv")
    if name == "preds.csv":
        assert "taken_as_references" in codes
        assert loaded.study is not None
        assert [run.name for run in loaded.study.runs] == ["blip", "git"]
        assert {item.id: [*item.references] for item in loaded.study.items} == people()


def test_apologies_are_answers_where_people_make_them() -> None:
    rows = [
        ["1", "Can you come?", "I'm sorry, I can't come on Friday.", "I'm sorry, I have to work.", "Yes, I can."],
        ["2", "May I smoke?", "Sorry, smoking is forbidden here.", "Sorry, you can't smoke here.", "Of course."],
        ["3", "What is on it?", "There is a dog.", "I'm sorry, I can't describe this.", "There is a cat."],
    ]
    head = ["id", "context", "reference", "model_small", "model_large"]
    loaded = load_study([("x.csv", table(head, rows))])
    found = [one for one in loaded.findings if one.code == "refusal"]
    assert [(one.count, one.id) for one in found] == [(1, "3")]
    loaded = load_study([("x.csv", table(head, [[*row[:2], "Nobody knows.", *row[3:]] for row in rows]))])
    assert [one.count for one in loaded.findings if one.code == "refusal"] == [3]


@pytest.mark.parametrize("above", ["# model: blip\n# temperature: 0.7\n", "# 2024, model = blip, T=1, temp: 0.7\n"])
def test_comments_above_a_header_state_the_run_and_its_settings(above: str) -> None:
    said = above.encode() + table(["image", "caption"], [[id, of[2]] for id, of in SCENES.items()], ",")
    study, _ = read(("a.csv", said), ("references.json", people()))
    assert [(run.model, run.settings.temperature) for run in study.runs] == [("blip", 0.7)]
    stated = above.encode() + table(
        ["image", "model", "caption"], [[id, "git", of[2]] for id, of in SCENES.items()], ","
    )
    study, _ = read(("a.csv", stated), ("references.json", people()))
    assert [(run.model, run.settings.temperature) for run in study.runs] == [("git", 0.7)]


def test_a_comment_that_states_no_number_is_no_setting() -> None:
    said = b"# temperature: see the paper\n# model = one of those that we trained last year\n"
    said += table(["image", "caption"], [[id, of[2]] for id, of in SCENES.items()], ",")
    study, codes = read(("a.csv", said), ("references.json", people()))
    assert [(run.name, run.settings.temperature) for run in study.runs] == [("a", None)]
    assert "bad_settings" not in codes


def test_captions_in_lists_of_a_run_keep_what_is_beside_them() -> None:
    rows = {
        id: {
            "references": [*of[:2]],
            "models": {
                name: [{"caption": text, "scores": {"SPICE": 0.5}} for text in of[2:]] for name in ("blip", "git")
            },
        }
        for id, of in SCENES.items()
    }
    study, _ = read(("all.json", rows))
    assert [run.candidates["cat"] for run in study.runs] == [SCENES["cat"][2:]] * 2
    assert [one.name for one in study.scores] == ["scores.SPICE"]


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_tables_side_by_side_are_joined_by_their_ids(kind: str) -> None:
    left = [[id, *of[2:]] for id, of in SCENES.items()]
    right = [[id, text] for id, of in reversed(SCENES.items()) for text in of[:2]]
    left += [[""] * 3] * (len(right) - len(left))
    rows = [
        ["Image", "BLIP", "GIT", "", "Image", "Reference"],
        *([*one, "", *other] for one, other in zip(left, right)),
    ]
    content = table(rows[0], rows[1:]) if kind == "csv" else workbook(Sheet=rows)
    study, _ = read((f"x.{kind}", content))
    assert {item.id: [*item.references] for item in study.items} == people()
    assert [run.candidates["sea"] for run in study.runs] == [SCENES["sea"][2:3], SCENES["sea"][3:]]


def test_an_empty_column_within_one_table_is_left_alone() -> None:
    rows = [[id, of[2], "", of[0], of[1]] for id, of in SCENES.items()]
    study, _ = read(("x.csv", table(["image", "candidate", "", "ref 1", "ref 2"], rows)))
    assert {item.id: [*item.references] for item in study.items} == people()


def test_other_sheets_named_by_settings_are_one_run_each() -> None:
    said = {f"T={heat}": model(k) for k, heat in enumerate((0.2, 1.0))}
    sheets = {
        name: [["Image", "BLIP", "GIT"], *([id, *of * 2] for id, of in texts.items())] for name, texts in said.items()
    }
    written = {"References": [["Image", "Ref 1", "Ref 2"], *([id, *of] for id, of in people().items())]}
    study, codes = read(("x.xlsx", workbook(**sheets, **written)))
    assert {(run.model, run.settings.temperature) for run in study.runs} == {
        (name, heat) for name in ("BLIP", "GIT") for heat in (0.2, 1.0)
    }
    assert "run_name_taken" not in codes


@pytest.mark.parametrize("choices", [["left", "right", "same"], ["git", "git", "tie"]])
def test_sides_may_be_named_before_what_they_hold(choices: list[str]) -> None:
    rows = [[id, *of[2:], "blip", "git", choice] for (id, of), choice in zip(SCENES.items(), choices)]
    head = ["image", "left", "right", "left_model", "right_model", "choice"]
    study, _ = read(("pairs.csv", table(head, rows)), ("references.json", people()))
    assert [(run.name, run.candidates["dog"]) for run in study.runs] == [
        ("blip", SCENES["dog"][2:3]),
        ("git", SCENES["dog"][3:]),
    ]
    assert len(study.preferences) == 3


def test_runs_in_an_object_named_after_texts_have_names_of_their_own() -> None:
    rows = [
        {"id": id, "reference": of[0], "translations": dict(zip(("google", "deepl"), of[2:]))}
        for id, of in SCENES.items()
    ]
    study, _ = read(("x.json", rows))
    assert [run.name for run in study.runs] == ["google", "deepl"]


@pytest.mark.parametrize("name", ["T{}.csv", "preds_t{}.csv", "t={}/captions.csv"])
def test_a_file_for_each_temperature_tells_the_runs_of_its_columns_apart(name: str) -> None:
    files = [
        (
            name.format(t),
            "\n".join(
                ["image,reference,BLIP,GIT", *(f"{id},{of[0]},{of[2]} {t},{of[3]} {t}" for id, of in SCENES.items())]
            ).encode(),
        )
        for t in (0.2, 0.7)
    ]
    found = load_study(files)
    assert found.study is not None
    assert [(run.name, run.model, run.settings.temperature) for run in found.study.runs] == [
        ("BLIP", "BLIP", 0.2),
        ("GIT", "GIT", 0.2),
        ("BLIP@temperature=0.7", "BLIP", 0.7),
        ("GIT@temperature=0.7", "GIT", 0.7),
    ]
    assert "run_name_taken" not in {one.code for one in found.findings}
