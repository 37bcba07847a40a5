"""Test that a name misspelt by one letter is reported with its likely meaning, while a different name is not."""

from __future__ import annotations

import json
from typing import Any

import pytest

from data.check import Finding, repair
from data.load import load_study
from data.matching.near_names import nearest, same_items

IDS = [f"img_{n}" for n in range(1, 7)]
PEOPLE = ("references.json", json.dumps({id: [f"a dog {id}", "two dogs"] for id in IDS}).encode())


def found(code: str, *files: tuple[str, bytes]) -> Finding:
    (one,) = [finding for finding in load_study(files).findings if finding.code == code]
    return one


def run(ids: list[str]) -> tuple[str, bytes]:
    return "m.json", json.dumps(dict.fromkeys(ids, "a cat")).encode()


@pytest.mark.parametrize(
    ("header", "code", "hint"),
    [
        ("image,captoin", "no_columns", "Did you mean `caption` for `captoin`?"),
        ("imgae,caption", "no_columns", "Did you mean `image` for `imgae`?"),
        ("image,Captoin_1,captoin_2", "no_columns", "Did you mean `caption` for `captoin`, `caption` for `captoin`?"),
        ("image,caption,refrence", "misspelt_columns", "Did you mean `reference` for `refrence`?"),
        ("image,modle,caption", "misspelt_columns", "Did you mean `model` for `modle`?"),
    ],
)
def test_a_misspelt_column(header: str, code: str, hint: str) -> None:
    row = ",".join("abc"[: header.count(",") + 1])
    assert found(code, ("x.csv", f"{header}\n{row}\n".encode())).repair.endswith(f" {hint}")


@pytest.mark.parametrize("name", ["captions_de", "mood", "imageid", "text"])
def test_another_column_is_not_called_misspelt(name: str) -> None:
    loaded = load_study([("x.csv", f"id,model,caption,{name}\n1,m,a,b\n".encode())])
    assert "misspelt_columns" not in {one.code for one in loaded.findings}


@pytest.mark.parametrize(("key", "hint"), [("captoin", "`caption` for `captoin`"), ("txt", "")])
def test_a_misspelt_key_of_a_list(key: str, hint: str) -> None:
    said = found("no_columns", ("x.json", json.dumps([{"image_id": 1, key: "a dog"}]).encode())).repair
    assert f"--map id=image_id,candidates={key}" in said
    assert said.endswith(f" Did you mean {hint}?" if hint else f"{key}.")


def test_a_misspelt_name_of_people_is_asked_about_and_mended_by_the_same_repair() -> None:
    rows: list[dict[str, Any]] = [{"id": id, "candidates": {"A": ["a dog"], "humna": ["b", "c"]}} for id in IDS]
    before = load_study([("x.json", json.dumps(rows).encode())])
    (said,) = [one for one in before.findings if one.code == "people_as_run"]
    assert said.repair.endswith("Did you mean `human` for `humna`?")
    after = repair(before, ["people_as_references"]).study
    assert after is not None
    assert [one.name for one in after.runs] == ["A"]


@pytest.mark.parametrize("name", ["preference", "gtr", "humor", "gpt"])
def test_a_model_is_not_called_misspelt(name: str) -> None:
    rows = [{"id": id, "candidates": {"A": ["a dog"], name: ["b", "c"]}} for id in IDS]
    assert "people_as_run" not in {one.code for one in load_study([("x.json", json.dumps(rows).encode())]).findings}


@pytest.mark.parametrize("odd", ["img_33", "img_03", "igm_3", "imag_3"])
def test_an_id_that_is_off_by_a_letter(odd: str) -> None:
    said = found("predictions_without_references", PEOPLE, run([*IDS[:2], odd, *IDS[3:]])).repair
    assert said == f"They were left out; add their references. Is {odd} the same item as img_3?"


def test_ids_that_all_differ_are_asked_about_for_case_and_padding_alone() -> None:
    upper = repair(load_study([PEOPLE, run([id.upper() for id in IDS])]), [], without=["match_ids"])
    (asked,) = [one.repair for one in upper.findings if one.code == "predictions_without_references"]
    assert "Is IMG_1 the same item as img_1, or IMG_2 the same item as img_2, or IMG_3" in asked
    padded = found("predictions_without_references", PEOPLE, run([id.replace("_", "_00") for id in IDS])).repair
    assert "Is img_001 the same item as img_1, or" in padded
    others = found("predictions_without_references", PEOPLE, run([f"{id}x" for id in IDS])).repair
    assert "same item" not in others


def test_ids_of_two_runs_without_references() -> None:
    rows = [f"{id},A,a dog\n" for id in IDS] + [f"{id},B,a cat\n" for id in [*IDS[:2], "img_33", *IDS[3:]]]
    loaded = load_study([("x.csv", f"image,model,caption\n{''.join(rows)}".encode())])
    said = [one.repair for one in loaded.findings if one.code == "run_lacks_items"]
    assert said == [
        "Generate the missing captions. Is img_33 the same item as img_3?",
        "Generate the missing captions. Is img_3 the same item as img_33?",
    ]


def test_other_numbers_are_other_items() -> None:
    assert same_items(["img_107"], ["img_101", "img_102"], 100) == ""
    assert same_items(["391895"], ["391896"], 100) == ""


def test_nearest_begins_as_the_name_does() -> None:
    assert nearest("refrence", ["reference"]) == "reference"
    assert nearest("preference", ["reference"]) is None
