"""Test ids and runs that only the first row of a block of a table states, as with merged cells."""

from __future__ import annotations

import json

import pytest

from data.adding import add
from data.check import Loaded, repair
from data.load import load_study
from tests.data.sheets import workbook

KNOWN = ("references.json", json.dumps({f"{k}.jpg": [f"a thing {k}", f"one {k}"] for k in (1, 2)}).encode())
TEXTS = [f"the {word} is here" for word in ("dog", "cat", "cup", "tree")]
IDS = ("1.jpg", "", "2.jpg", "")
RUNS = {"A": {"1.jpg": (TEXTS[0],), "2.jpg": (TEXTS[2],)}, "B": {"1.jpg": (TEXTS[1],), "2.jpg": (TEXTS[3],)}}
ROWS = [["image", "model", "caption"], *([id, "AB"[k % 2], text] for k, (id, text) in enumerate(zip(IDS, TEXTS)))]


def table(rows: list[list[str]]) -> bytes:
    return "\n".join(",".join(row) for row in rows).encode()


def said(loaded: Loaded) -> dict[str, dict[str, tuple[str, ...]]]:
    assert loaded.study is not None
    return {run.name: dict(run.candidates) for run in loaded.study.runs}


FILES = {
    "csv": ("x.csv", table(ROWS)),
    "xlsx": ("x.xlsx", workbook(S=ROWS)),
    "json": ("x.json", json.dumps([dict(zip(ROWS[0], [row[0] or None, *row[1:]])) for row in ROWS[1:]]).encode()),
}


@pytest.mark.parametrize("kind", FILES)
def test_rows_without_an_id_belong_to_the_one_above(kind: str) -> None:
    loaded = load_study([FILES[kind], KNOWN])
    assert said(loaded) == RUNS
    (found,) = [one for one in loaded.findings if one.code == "filled_down"]
    assert (found.count, found.fix, found.id) == (2, "fill_down", "1.jpg; 2.jpg")
    assert "missing_id" not in {one.code for one in loaded.findings}


@pytest.mark.parametrize("kind", FILES)
def test_taken_back_they_are_left_out_and_nothing_else_changes(kind: str) -> None:
    loaded = load_study([FILES[kind], KNOWN])
    plain = repair(loaded, [], without=["fill_down"])
    assert said(plain) == {"A": RUNS["A"]}
    (lost,) = [one for one in plain.findings if one.code == "missing_id"]
    assert lost.count == 2, "the rows that are left out are counted"
    whole = repair(plain, ["fill_down"])
    assert said(whole) == RUNS
    assert whole.findings == loaded.findings


def test_rows_that_are_left_out_are_counted_in_a_file_that_is_added_too() -> None:
    both = add(load_study([KNOWN]), load_study([FILES["csv"]]))
    plain = repair(both, [], without=["fill_down"])
    assert "missing_id" in {one.code for one in plain.findings} - {one.code for one in both.findings}


def test_cells_that_a_workbook_says_are_merged_need_no_finding() -> None:
    loaded = load_study([("x.xlsx", workbook(merged=("A2:A3", "A4:A5"), S=ROWS)), KNOWN])
    assert said(loaded) == RUNS
    assert "filled_down" not in {one.code for one in loaded.findings}


def test_runs_and_their_settings_below_merged_cells() -> None:
    head = ["image", "model", "temperature", "caption"]
    rows = [["1.jpg", "A", "0.2"], ["", "", ""], ["", "B", "0.7"], ["", "", ""], ["2.jpg", "A", "0.2"], ["", "", ""]]
    rows += [["", "B", "0.7"], ["", "", ""]]
    loaded = load_study([("x.csv", table([head, *([*row, f"text {k} here"] for k, row in enumerate(rows))])), KNOWN])
    found = {run.name: (run.settings.temperature, dict(run.candidates)) for run in loaded.study.runs}  # type: ignore[union-attr]
    assert found == {
        f"{name}@temperature={heat}": (heat, {id: (f"text {k} here", f"text {k + 1} here") for id, k in of.items()})
        for name, heat, of in (("A", 0.2, {"1.jpg": 0, "2.jpg": 4}), ("B", 0.7, {"1.jpg": 2, "2.jpg": 6}))
    }


def test_a_run_named_once_above_its_rows() -> None:
    rows = [["image", "model", "caption"]]
    rows += [[f"{k}.jpg", name if k == 1 else "", f"a {k} by {name}"] for name in "AB" for k in (1, 2)]
    loaded = load_study([("x.csv", table(rows)), KNOWN])
    assert said(loaded) == {name: {f"{k}.jpg": (f"a {k} by {name}",) for k in (1, 2)} for name in "AB"}
    plain = repair(loaded, [], without=["fill_down"])
    assert [one.code for one in plain.errors] == ["no_common_items"], "the file is a run of its own"


@pytest.mark.parametrize(
    "rows",
    [
        [["image", "caption"], ["1.jpg", TEXTS[0]], ["2.jpg", TEXTS[1]], ["3.jpg", TEXTS[2]], ["", TEXTS[3]]],
        [["image", "caption"], ["", TEXTS[0]], ["1.jpg", TEXTS[1]], ["", TEXTS[2]], ["2.jpg", TEXTS[3]]],
        [["image", "caption"], ["1.jpg", TEXTS[0]], ["", TEXTS[1]], ["1.jpg", TEXTS[2]], ["", TEXTS[3]]],
        [["image", "url", "caption"], ["1.jpg", "u", TEXTS[0]], ["2.jpg", "", TEXTS[1]]],
        [["image", "T", "caption"], ["1.jpg", "0.7", TEXTS[0]], ["2.jpg", "", TEXTS[1]]],
        [["image", "model", "caption"], ["1.jpg", "A", TEXTS[0]], ["1.jpg", "", TEXTS[1]], ["2.jpg", "A", TEXTS[2]]],
    ],
    ids=["one in four", "the first row", "ids twice", "another name", "a setting", "runs twice"],
)
def test_without_clear_blocks_nothing_is_filled_in(rows: list[list[str]]) -> None:
    loaded = load_study([("x.csv", table(rows)), KNOWN])
    assert "filled_down" not in {one.code for one in loaded.findings}


def test_ratings_and_scores_of_blocks() -> None:
    ratings = b"image,caption,correctness,rater\n1.jpg,a dog,4,ann\n,,5,bob\n2.jpg,a cat,3,ann\n,,1,bob\n"
    study = load_study([("ratings.csv", ratings), KNOWN]).study
    assert study is not None
    assert study.runs[0].human is not None
    assert {id: of["correctness"] for id, of in study.runs[0].human.items()} == {
        "1.jpg": {"ann": 4.0, "bob": 5.0},
        "2.jpg": {"ann": 3.0, "bob": 1.0},
    }
    scores = b"image,run,CLIPScore\n1.jpg,A,0.5\n,B,0.25\n2.jpg,A,0.75\n,B,1\n"
    loaded = load_study([FILES["csv"], KNOWN, ("scores.csv", scores)])
    (found,) = loaded.study.scores  # type: ignore[union-attr]
    assert {run: {id: of[0] for id, of in by.items()} for run, by in found.values.items()} == {
        "A": {"1.jpg": 0.5, "2.jpg": 0.75},
        "B": {"1.jpg": 0.25, "2.jpg": 1.0},
    }


def test_added_to_an_open_study_they_can_be_taken_back() -> None:
    first = load_study([("m.json", b'{"1.jpg": "a dog", "2.jpg": "a cat"}'), KNOWN])
    joined = add(first, load_study([FILES["csv"]]))
    assert {**said(joined)} == {"m": {"1.jpg": ("a dog",), "2.jpg": ("a cat",)}, **RUNS}
    assert "B" not in said(repair(joined, [], without=["fill_down"]))
