"""Test texts and rows whose names show that they are no captions of a run: references, remarks, descriptions."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from data.check import Loaded
from data.load import Columns, load_study
from tests.data.sheets import workbook
from tests.data.test_any_records import IDS, KNOWN, SAID, WRITTEN

WORDS = ["brown", "black", "white", "little", "young", "horse", "child", "woman", "jumps", "stands", "street", "garden"]


def caption(item: int, by: int = 0) -> str:
    """Return a caption of an item; all captions of an item share most of their words."""
    said = random.Random(item).sample(WORDS, 4)
    return " ".join(["a", *random.Random(f"{item} {by}").sample(said, 3), "up"])


def lines(**fields: object) -> bytes:
    """Return twelve records with these fields; each field is given as a value or as a function of the record's
    number.
    """
    rows = [{"id": k, **{name: of(k) if callable(of) else of for name, of in fields.items()}} for k in range(12)]
    return "\n".join(map(json.dumps, rows)).encode()


def said(found: Loaded, code: str) -> list[str]:
    return [one.problem for one in found.findings if one.code == code]


def run(k: int) -> str:
    return caption(k, 1)


@pytest.mark.parametrize(
    ("candidates", "references"),
    [
        ("hypothesis", "transcript"),
        ("pred_text", "transcription"),
        ("prediction", "ground_truth_text"),
        ("pred", "label_text"),
    ],
)
def test_names_that_only_references_have_beside_predictions(candidates: str, references: str) -> None:
    study = load_study([("x.jsonl", lines(**{candidates: run, references: caption}))]).study
    assert study is not None
    assert [item.references for item in study.items] == [(caption(k),) for k in range(12)]
    assert [one.candidates["3"] for one in study.runs] == [(run(3),)]


def test_what_is_said_in_a_film_is_no_reference() -> None:
    found = load_study([("x.jsonl", lines(prediction=run, transcript=lambda k: f"hello number {k} and welcome"))])
    assert found.study is not None
    assert not any(item.references for item in found.study.items)
    assert not said(found, "texts_alike")


@pytest.mark.parametrize("field", ["zeta", "output"])
def test_texts_like_those_of_runs_are_named_with_the_map_that_reads_them(field: str) -> None:
    models = {"candidates": lambda k: [{"model": name, "text": caption(k, by)} for by, name in enumerate("ab", 1)]}
    file = ("x.jsonl", lines(**({"prediction": run} if field == "zeta" else models), **{field: caption}))
    found = load_study([file])
    (problem,) = said(found, "texts_alike")
    assert problem.endswith(f"are in `{field}`.")
    (repair,) = (one.repair for one in found.findings if one.code == "texts_alike")
    written = repair.split("--map ")[1].partition(". If runs")[0].strip("'")
    told = dict(one.split("=") for one in written.split(","))
    columns = Columns((told["id"],), (told["candidates"],), (told["references"],), run=told.get("run"))
    study = load_study([file], columns=columns).study
    assert study is not None
    assert [item.references for item in study.items] == [(caption(k),) for k in range(12)]


def test_other_texts_are_not_named_nor_any_where_a_file_has_references() -> None:
    other = lines(prediction=run, zeta=lambda k: caption(k + 50), raw=lambda k: f"Sure: {run(k)}")
    assert not said(load_study([("x.jsonl", other)]), "texts_alike")
    alike = ("x.jsonl", lines(prediction=run, zeta=caption))
    known = ("references.json", json.dumps({str(k): [caption(k, 2), caption(k, 3)] for k in range(12)}).encode())
    assert not said(load_study([alike, known]), "texts_alike")
    assert said(load_study([alike]), "texts_alike")


HEADER = ["StartDate", "Progress", "ResponseId", "Q1"]
IMPORTED = ['{"ImportId":"startDate","timeZone":"UTC"}', *(f'{{"ImportId":"{name}"}}' for name in ("p", "_id", "QID1"))]
ASKED = ["Start Date", "Progress", "Response ID", "Please describe the picture in one sentence."]


def test_descriptions_below_the_header_of_a_survey_are_left_out_and_its_id_is_proposed() -> None:
    rows = [HEADER, ASKED, IMPORTED, *(["2024-01-01", "100", f"R_{k}", caption(k)] for k in range(5))]
    text = "\n".join(",".join('"' + cell.replace('"', '""') + '"' for cell in row) for row in rows).encode()
    for file in (("x.csv", text), ("x.xlsx", workbook(S=rows))):
        found = load_study([file])
        (why,) = (one for one in found.findings if one.code == "no_columns")
        assert "--map id=ResponseId,candidates=Q1." in why.repair
        assert "Did you mean" not in why.problem + why.repair
        assert len(said(found, "described_columns")) == 1
        study = load_study([file], columns=Columns(("ResponseId",), ("Q1",))).study
        assert study is not None
        assert {id: texts[0] for id, texts in study.runs[0].candidates.items()} == {
            f"R_{k}": caption(k) for k in range(5)
        }


def test_a_name_near_that_of_an_id_asks_nothing_beside_one_that_ends_in_id() -> None:
    found = load_study(
        [("x.jsonl", lines(gem_id=lambda k: f"x-{k}", question1=lambda k: f"w{k}", prediction=run, references=caption))]
    )
    assert found.study is not None
    assert not [one for one in found.findings if "Did you mean" in one.problem + one.repair]


@pytest.mark.parametrize("sheet", [False, True])
def test_remarks_below_a_table_are_no_captions(sheet: bool) -> None:
    rows = [["id", "caption", "reference"], *([f"{k}.jpg", run(k), caption(k)] for k in range(4)), ["4.jpg", "", ""]]
    rows += [["", "", ""], ["Captions were written in May", "", ""], ["Source: our own data", "", ""]]
    made = workbook(S=rows) if sheet else "\n".join(map(",".join, rows)).encode()
    found = load_study([("x.xlsx" if sheet else "x.csv", made)])
    assert found.study is not None
    assert [item.id for item in found.study.items] == [f"{k}.jpg" for k in range(4)]
    assert [one.partition(": ")[2] for one in said(found, "notes_below")] == [
        "Captions were written in May. It was not read.",
        "Source: our own data. It was not read.",
    ]
    assert "4.jpg" in str([one.id for one in found.findings]), "an item without a caption is no remark"
    amid = [*rows[:3], ["Captions were written in May", "", ""], *rows[3:5]]
    assert not said(load_study([("x.csv", "\n".join(map(",".join, amid)).encode())]), "notes_below")


def test_merged_cells_are_named() -> None:
    rows = [["id", "model", "caption", "reference"]]
    rows += [[f"{k}.jpg" if n == 0 else "", "AB"[n], caption(k, n + 1), caption(k)] for k in range(3) for n in (0, 1)]
    found = load_study([("x.xlsx", workbook(("A2:A3", "A4:A5", "A6:A7"), S=rows))])
    (one,) = (one for one in found.findings if one.code == "merged_filled")
    assert (one.count, one.record) == (3, "row 2")
    assert one.problem.startswith("Merged cells span several rows in `id`;")
    titled = [["Ours", "", "", ""], *rows[:2], ["1.jpg", *rows[3][1:]]]
    assert not said(load_study([("x.xlsx", workbook(("A1:D1",), S=titled))]), "merged_filled")


def test_totals_and_remarks_below_each_sheet_are_no_captions() -> None:
    rows = [["id", "caption", "reference"], *([f"{k}.jpg", run(k), caption(k)] for k in range(4))]
    below = [["Mean ± SD", "8.2 ± 0.4", ""], ["Captions were written in May", "", ""]]
    sheets = {"T=0.2": [*rows, *below], "T=0.7": [*rows, *below]}
    found = load_study([("x.xlsx", workbook(**sheets))])
    assert found.study is not None
    assert [item.id for item in found.study.items] == [f"{k}.jpg" for k in range(4)]
    assert [len(said(found, code)) for code in ("totals_below", "notes_below")] == [1, 1]
    assert [one.count for one in found.findings if one.code in ("totals_below", "notes_below")] == [2, 2]


@pytest.mark.parametrize("units", [["(file)", "(text)", "(text)", "(1-5)"], ["[file]", "[text]", "", "[1-5]"]])
def test_a_row_of_units_describes_the_columns(units: list[str]) -> None:
    rows = [
        ["id", "caption", "reference", "fluency"],
        units,
        *([f"{k}.jpg", run(k), caption(k), "3"] for k in range(4)),
    ]
    found = load_study([("x.csv", "\n".join(map(",".join, rows)).encode())])
    assert found.study is not None
    assert [item.id for item in found.study.items] == [f"{k}.jpg" for k in range(4)]
    assert len(said(found, "described_columns")) == 1
    assert len(found.study.runs[0].human or {}) == 4


def test_a_header_of_two_rows_below_a_title() -> None:
    rows = [
        ["Our captions", "", "", "", ""],
        ["image", "BLIP", "", "GIT", ""],
        ["", "T=0.2", "T=0.7", "T=0.2", "T=0.7"],
    ]
    rows += [[f"{k}.jpg", *(f"{caption(k)} {n}" for n in range(4))] for k in range(5)]
    people = ("references.json", json.dumps({f"{k}.jpg": [caption(k)] for k in range(5)}).encode())
    for merged in ((), ("A1:E1", "B2:C2", "D2:E2")):
        study = load_study([("x.xlsx", workbook(merged, S=rows)), people]).study
        assert study is not None
        told = {(one.model, one.settings.temperature): one.candidates["0.jpg"] for one in study.runs}
        places = [(model, heat) for model in ("BLIP", "GIT") for heat in (0.2, 0.7)]
        assert told == {place: (f"{caption(0)} {n}",) for n, place in enumerate(places)}


def test_pickles_in_a_folder_are_left_out_with_a_note(tmp_path: Path) -> None:
    (tmp_path / "blip.json").write_text(json.dumps([{"id": id, "pred": text} for id, text in zip(IDS, SAID)]))
    (tmp_path / "blip_PREV.pkl").write_bytes(b"\x80\x04K\x01.")
    found = load_study([tmp_path, KNOWN])
    assert not found.errors
    assert [(one.severity, one.record) for one in found.findings if one.code == "other_file"] == [
        ("note", "blip_PREV.pkl")
    ]
    (tmp_path / "blip.json").unlink()
    assert [one.code for one in load_study([tmp_path]).errors] == ["no_items"]
    assert [one.code for one in load_study([tmp_path / "blip_PREV.pkl"]).errors] == ["binary"]


def test_the_error_of_a_record_is_the_last_line_of_its_traceback_without_colours() -> None:
    told = (
        "\x1b[31m┌──\x1b[0m \x1b[1;31mTraceback \x1b[0m(most recent call last)\n"
        "│ x.py:1 │\n└──\n\x1b[1;91mKeyError: \x1b[0m'a'\n"
    )
    rows: list[dict[str, object]] = [{"id": id, "pred": text} for id, text in zip(IDS, SAID)]
    rows[0] |= {"pred": None, "error": {"message": "'a'", "traceback_ansi": told}}
    found = load_study([("x.json", json.dumps(rows).encode()), KNOWN])
    (failed,) = (one for one in found.findings if one.code == "failed_request")
    assert failed.problem == "The record has an error instead of a caption: KeyError: 'a'."


def test_more_fields_than_a_sentence_names_are_counted() -> None:
    for n, told in ((5, "`r_1`, `r_2`, `r_3`, `r_4`, `r_5`"), (7, "`r_1`, `r_2`, `r_3`, `r_4`, `r_5`, … (7 in all)")):
        rows = [
            {"id": id, "pred": text, **{f"r_{k}": f"{refs[0]} {k}" for k in range(1, n + 1)}}
            for id, text, refs in zip(IDS, SAID, WRITTEN)
        ]
        columns = Columns(id=("id",), captions=("pred",), references=tuple(f"r_{k}" for k in range(1, n + 1)))
        found = load_study([("x.json", json.dumps(rows).encode())], columns=columns)
        (read,) = (one.problem for one in found.findings if one.code == "fields_mapped")
        assert read == f"Read as id: `id`; candidates: `pred`; references: {told}."
