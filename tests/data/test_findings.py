"""One case a kind of finding: its words, its place, its count, and what its repair does."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from dataclasses import dataclass, field
from typing import Any

import pytest

from data.catalogue import KINDS, REPAIRS
from data.check import DEFAULTS, Finding, Loaded, repair
from data.load import Reading, load_study

Files = list[tuple[str, bytes]]


def js(value: Any) -> bytes:
    return json.dumps(value).encode()


def item(id: Any, candidates: Any = None, references: Any = ("A dog.", "The dog."), **more: Any) -> dict[str, Any]:
    return {"id": id, "references": list(references), "candidates": candidates or {"m": ["One.", "Two."]}, **more}


def zipped(**members: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


GOOD, THREE = item("1"), "0.json; 1.json; 2.json; …"
REFERENCES = ("references.json", js({"1": ["A dog.", "The dog."], "2": ["A cat.", "The cat."]}))


@dataclass
class Case:
    """Files, and what the finding says of them."""

    files: Files
    problem: str
    record: str = ""
    id: str = ""
    count: int = 1
    fix: str | None = None
    file: str = "x.json"
    items: int | None = None  # of the study; None: there is no study
    overrides: dict[str, Reading] = field(default_factory=dict)


CASES: dict[str, Case] = {
    "archive_broken": Case(
        [("x.gz", gzip.compress(b"x" * 99)[:-9])], "The archive is damaged or not supported: ", file="x.gz"
    ),
    "archive_too_large": Case(
        [("x.gz", gzip.compress(b" " * (40 << 20)))],
        "The archive unpacks to too much: more than 250 times its size.",
        file="x.gz",
    ),
    "archive_path": Case(
        [("x.zip", zipped(**{"../x.json": js([GOOD])}))],
        "Not read, since its name leads out of the archive.",
        file="x.zip/../x.json",
    ),
    "archive_skipped": Case(
        [("x.gz", gzip.compress(gzip.compress(gzip.compress(js([GOOD])))))],
        "Not read, since it is an archive",
        file="x.gz",
    ),
    "empty_file": Case([("x.json", b" \n")], "The file is empty."),
    "binary": Case([("x.json", b"\x80\x04K\x01.")], "This is a pickle (which is never opened, since it can run code)"),
    "encoding": Case(
        [("x.json", '[{"id": "1", "references": ["café", "thé"]}]'.encode("cp1252"))],
        "The text is not UTF-8; it was read as Windows-1252.",
        items=1,
    ),
    "bad_json": Case([("x.json", b'{\n "1": ["a",, "b"]}')], "Not valid JSON: ", record="line 2, column 12"),
    "bad_line": Case(
        [("x.json", js(GOOD) + b'\n{"id": 2,\n' + js(item("3")))],
        "This line is not valid JSON: ",
        record="line 2, column 10",
        items=2,
    ),
    "wrong_top_level": Case(
        [("x.json", b"3")], "The file holds numbers at its top, where an object or a list was expected."
    ),
    "unknown_shape": Case(
        [("x.json", b'{"foo": 1, "bar": 2}')], "No known format has this shape: an object with the keys foo, bar."
    ),
    "unknown_override": Case(
        [("x.json", js([GOOD]))], "There is no format called xml.", overrides={"x.json": Reading(format="xml")}
    ),
    "bad_table": Case(
        [("x.csv", b'id,caption_1,caption_2\n1,a,b\n2,"a,b\n3,a,b\n')],
        "The table cannot be read: unexpected end of data.",
        record="line 3",
        file="x.csv",
        items=1,
    ),
    "bad_row": Case(
        [("x.csv", b"id,caption_1,caption_2\n1,a,b\n2,a,b,c\n")],
        "The row has more cells than the header (4 and 3).",
        record="line 3",
        file="x.csv",
        items=1,
    ),
    "no_columns": Case(
        [("x.csv", b"alpha,beta\n1,2\n")], "No column is known to hold the id; there are: alpha, beta.", file="x.csv"
    ),
    "ignored_columns": Case(
        [("x.csv", b"id,caption_1,caption_2,mood\n1,a,b,c\n")],
        "Columns without a known meaning were not used: mood.",
        file="x.csv",
        items=1,
    ),
    "record_type": Case(
        [("x.json", js([GOOD, 5, "x"]))], "The record is the number 5, not an object.", record="record 2", items=1
    ),
    "empty_record": Case(
        [("x.json", js([GOOD, {"id": "2", "references": []}]))],
        "The record has no captions.",
        record="record 2",
        id="2",
        items=1,
    ),
    "repeated_key": Case(
        [("references.json", b'{"1": ["a", "b"], "1": ["c", "d"]}')],
        "A key stands twice in one object; only its last value was read.",
        id="1",
        file="references.json",
        items=1,
    ),
    "missing_id": Case(
        [("x.json", js([GOOD, {"references": ["a", "b"]}]))], "The record has no id.", record="record 2", items=1
    ),
    "bad_id": Case(
        [("x.json", js([GOOD, item(1.5), item(2.5)]))],
        "The id is the number 1.5; an id is text or a whole number.",
        record="record 2",
        items=1,
    ),
    "duplicate_id": Case(
        [("x.json", js([GOOD, item("1", {"m": ["Three."]})]))],
        "The same id stands in more than one record.",
        record="record 2",
        id="1",
        fix="merge_duplicates",
        items=1,
    ),
    "not_text": Case(
        [("x.json", js([item("1", references=["a", 5, "b"])]))],
        "A reference is the number 5, not text.",
        record="record 1",
        id="1",
        items=1,
    ),
    "ignored_field": Case(
        [("x.json", js([{**GOOD, "logprobs": {"m": [0.5]}}]))],
        "`logprobs` was ignored: it is not one finite number a candidate.",
        record="record 1",
        id="1",
        items=1,
    ),
    "bad_settings": Case(
        [("x.json", js({"runs": {"m": {"temperature": "hot"}}, "items": [GOOD]}))],
        "Run m: `temperature` is the text 'hot', not a number from 0 up; it was ignored.",
        id="m",
        items=1,
    ),
    "settings_from_name": Case(
        [("x.json", js([item("1", {"m_t0.7": ["One.", "Two."]})]))],
        "Run settings were read from the name of the run.",
        id="m_t0.7: temperature 0.7",
        items=1,
    ),
    "line_count": Case(
        [("ref.txt", b"a\nb\n"), ("x.txt", b"a\n")],
        "The file has 1 lines, but ref.txt has 2; line-aligned files must have equally many.",
        file="x.txt",
        items=2,
    ),
    "same_file_twice": Case(
        [("a.json", js([GOOD])), ("x.json", js([GOOD]))], "The same content as a.json.", fix="drop_same_files", items=1
    ),
    "ids_matched": Case(
        [REFERENCES, ("x.json", js([{"image_id": "0001", "caption": "A dog!"}]))],
        "Ids differ from those of the references in zero padding.",
        record="record 1",
        id="0001",
        fix="match_ids",
        items=1,
    ),
    "run_name_taken": Case(
        [("a.json", js([GOOD])), ("x.json", js([item("1", {"m": ["Three.", "Four."]})]))],
        "Another file has a run named m too; this one is called m (2).",
        items=1,
    ),
    "references_joined": Case(
        [("a.json", js([GOOD])), ("x.json", js([item("1", references=["A dog.", "Some dog."])]))],
        "Other references than in an earlier file for the same items.",
        record="record 1",
        id="1",
        items=1,
    ),
    "predictions_without_references": Case(
        [REFERENCES, ("x.json", js({"1": ["a", "b"], "9": ["a", "b"]}))],
        "Run x describes items that have no references.",
        record="record 2",
        id="9",
        items=1,
    ),
    "references_without_predictions": Case(
        [REFERENCES, ("x.json", js({"1": ["a", "b"]}))],
        "1 of 2 items with references are described by no run.",
        file="",
        items=1,
    ),
    "no_references": Case([("x.json", js({"1": ["a", "b"]}))], "Nothing given holds references."),
    "no_predictions": Case([REFERENCES], "There are references only; no run.", file="", items=2),
    "no_items": Case([], "No captions could be read from what was given.", file=""),
    "run_empty": Case(
        [REFERENCES, ("x.json", js({"8": ["a", "b"]}))],
        "Run x describes none of the items with references; it was left out.",
        items=2,
    ),
    "run_lacks_items": Case(
        [("x.json", js([item("1", {"m": ["a", "b"], "k": ["a", "b"]}), item("2")]))],
        "Run k has no captions for 1 of 2 items.",
        id="2",
        items=1,
    ),
    "item_sets_differ": Case(
        [("x.json", js([item("1", {"m": ["a", "b"], "k": ["a", "b"]}), item("2")]))],
        "The runs describe different items: 1 of 2 are described by all 2.",
        file="",
        fix="widest_runs",
        items=1,
    ),
    "no_common_items": Case(
        [("x.json", js([item("1", {"k": ["a", "b"]}), item("2")]))],
        "No item is described by all 2 runs.",
        file="",
        count=2,
        fix="widest_runs",
    ),
    "empty_reference": Case(
        [("x.json", js([item("1", references=["a", "", " \t"])]))],
        "A reference is empty.",
        record="record 1",
        id="1",
        count=2,
        fix="drop_empty_references",
        items=1,
    ),
    "empty_candidate": Case(
        [("x.json", js([item("1", {"m": ["a", ""]})]))],
        "A candidate of run m is empty.",
        record="record 1",
        id="1",
        fix="drop_empty_candidates",
        items=1,
    ),
    "line_breaks": Case(
        [("x.json", js([item("1", {"m": ["a\nb", "c\u2028d", "e\n"]})]))],
        "A candidate has line breaks.",
        record="record 1",
        id="1",
        count=2,
        fix="join_lines",
        items=1,
    ),
    "long_caption": Case(
        [("x.json", js([item("1", {"m": ["a" * 2001, "b" * 2000]})]))],
        "A candidate is longer than 2,000 characters.",
        record="record 1",
        id="1",
        fix="cut_long",
        items=1,
    ),
    "bad_characters": Case(
        [("x.json", js([item("1", {"m": ["a\ud800b", "c\x07d"]})]))],
        "A candidate has control characters or half characters (lone surrogates).",
        record="record 1",
        id="1",
        count=2,
        items=1,
    ),
    "mojibake": Case(
        [("x.json", js([item("1", {"m": ["a cafÃ©", "a café"]})]))],
        "A candidate looks as if it was decoded wrongly (such as Ã© for é).",
        record="record 1",
        id="1",
        fix="fix_mojibake",
        items=1,
    ),
    "unequal_counts": Case(
        [("x.json", js([item("1", {"m": ["a", "b"], "k": ["a", "b", "c"], "g": ["a"]})]))],
        "The number of candidates an item differs: 3 (run k), 2 (run m), 1 (run g). TRM and set metrics depend on it.",
        file="",
        fix="equal_counts",
        items=1,
    ),
    "few_references": Case(
        [("x.json", js([GOOD, item("2", references=["a"])]))],
        "The item has fewer than two references; TRM and other set metrics need two.",
        record="record 2",
        id="2",
        fix="drop_few_references",
        items=2,
    ),
    "few_candidates": Case(
        [("x.json", js([item("1", {"m": ["a"]})]))],
        "The run has one candidate on some or all items; TRM and diversity need two.",
        id="m",
        items=1,
    ),
    "leak": Case(
        [("x.json", js([item("1", {"m": ["A dog.", "b"]})]))],
        "Run m repeats a reference word for word on 100 % of the items: the references may have leaked.",
        record="record 1",
        id="1",
        fix="drop_leaking_runs",
        items=1,
    ),
    "coincidence": Case(
        [("x.json", js([item("1", {"m": ["A dog.", "b"]}), item("2"), item("3")]))],
        "A candidate equals a reference in run m.",
        record="record 1",
        id="1",
        items=3,
    ),
}


def test_runs_that_say_a_reference_by_chance_share_one_row() -> None:
    one = js([item(str(k), {f"run {r}": ["A dog." if r == k else "b"] for r in range(5)}) for k in range(5)])
    own = (js([item(str(k), {f"run {r}": ["b" if k else "A dog."]}) for k in range(3)]) for r in range(5))
    for files, name in (([("x.json", one)], "x.json"), ([(f"{r}.json", rows) for r, rows in enumerate(own)], THREE)):
        (row,) = (f for f in load_study(files).findings if f.code == "coincidence")
        said = "A candidate equals a reference in 5 runs (run 0, run 1, run 2 and 2 more)."
        assert (row.file, row.count, row.problem) == (name, 5, said)


def test_every_kind_has_a_case() -> None:
    assert set(CASES) | {"unreadable"} == set(KINDS)
    assert {kind.fix for kind in KINDS.values() if kind.fix} == set(REPAIRS)
    assert set(DEFAULTS) <= set(REPAIRS)


def found(loaded: Loaded, code: str) -> Finding:
    return next(finding for finding in loaded.findings if finding.code == code)


@pytest.mark.parametrize("code", CASES)
def test_finding_says_what_where_and_how_often(code: str) -> None:
    case = CASES[code]
    loaded = load_study(case.files, overrides=case.overrides)
    finding = found(loaded, code)
    assert finding.problem.startswith(case.problem)
    assert (finding.record, finding.id, finding.count, finding.fix) == (case.record, case.id, case.count, case.fix)
    assert finding.file == case.file
    assert finding.severity == KINDS[code].severity
    assert finding.repair
    assert (len(loaded.study.items) if loaded.study else None) == case.items


def test_missing_file_is_a_finding() -> None:
    loaded = load_study(["nowhere/x.json"])
    finding = found(loaded, "unreadable")
    assert (finding.file, finding.problem) == ("x.json", "The file cannot be read: No such file or directory.")
    assert loaded.study is None


def test_equal_findings_are_one_row_with_a_count_and_the_first_places() -> None:
    loaded = load_study([("x.json", js([item(str(n), {"m": ["", "b"]}) for n in range(50)]))])
    finding = found(loaded, "empty_candidate")
    assert finding.count == 50
    assert finding.record == "record 1; record 2; record 3; …"
    assert finding.id == "0; 1; 2; …"


def test_errors_come_first_and_stop_only_what_they_concern() -> None:
    loaded = load_study([REFERENCES, ("broken.json", b"{"), ("m.json", js({"1": ["a", "b"], "2": ["c", "d"]}))])
    assert loaded.findings[0].severity == "error"
    assert loaded.study is not None
    assert [run.name for run in loaded.study.runs] == ["m"]
    assert (loaded.files[1].name, loaded.files[1].format) == ("broken.json", "not read")


def test_a_repair_that_could_change_nothing_is_not_offered() -> None:
    loaded = load_study([("x.json", js([item("1", {"m": ["a", "b"], "g": ["a"]}, references=["a"])]))])
    counts, few = found(loaded, "unequal_counts"), found(loaded, "few_references")
    assert (counts.fix, counts.repair) == (None, "Compare set metrics only between runs with equally many.")
    assert (few.fix, few.repair) == (None, "Add references; metrics of single captions work without.")
    assert repair(loaded, ["equal_counts", "drop_few_references"]).study == loaded.study
