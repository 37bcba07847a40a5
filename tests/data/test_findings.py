"""Test one case per kind of finding: its wording, its location, its count, and the effect of its repair."""

from __future__ import annotations

import pytest

from data.check import DEFAULTS, Finding, Loaded, repair
from data.finding_kinds.catalogue import KINDS, REPAIRS
from data.findings import Log
from data.load import load_study
from tests.data.alignment_cases import MISPLACED
from tests.data.caption_cases import VALUES
from tests.data.cluster_cases import CLUSTERS
from tests.data.finding_cases import GOOD, READING, REFERENCES, THREE, Case, item, js, zipped
from tests.data.picture_cases import PICTURES
from tests.data.rating_cases import JUDGMENTS
from tests.data.sample_cases import SAMPLES
from tests.data.score_cases import SCORES

CASES: dict[str, Case] = {
    **READING,
    **MISPLACED,
    **SCORES,
    **SAMPLES,
    **JUDGMENTS,
    **PICTURES,
    **VALUES,
    **CLUSTERS,
    "people_as_run": Case(
        [("x.csv", b"item,model,text\n1,A,a dog\n1,A,one dog\n1,Referense,a brown dog\n1,humna,the dog\n")],
        "Captions named Referense, humna were read as a model's, and there are none by people.",
        record="line 4, column model",
        id="1",
        fix="people_as_references",
        file="x.csv",
        items=1,
    ),
    "people_as_run_too": Case(
        [("x.json", js([item("1", {"m": ["a", "b"]}), item("2", {"m": ["a", "b"], "Human": ["c", "d"]})]))],
        "Captions named Human were read as a model's, beside captions by people.",
        record="record 2",
        id="2",
        fix="people_as_references",
        items=1,
    ),
    "other_file": Case(
        [("x.zip", zipped(**{"a.json": js([GOOD]), "a.pkl": b"\x80\x04K\x01."}))],
        "Files of kinds that are never read, such as pickles, were left out of the archive or folder.",
        file="x.zip",
        record="a.pkl",
        items=1,
    ),
    "pointer": Case(
        [("x.json", b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345\n")],
        "The file is a pointer of Git LFS",
    ),
    "same_file_twice": Case(
        [("a.json", js([GOOD])), ("x.json", js([GOOD]))],
        "x.json has the same content as a.json.",
        fix="drop_same_files",
        items=1,
    ),
    "ids_matched": Case(
        [REFERENCES, ("x.json", js([{"image_id": "0001", "caption": "A dog!"}]))],
        "Ids differ from those of the references in zero padding.",
        record="record 1",
        id="0001",
        fix="match_ids",
        items=1,
    ),
    "ids_unclear": Case(
        [REFERENCES, ("x.json", js({"a/1.jpg": "A dog!", "b/1.jpg": "A cat!"}))],
        "Several ids of the file differ from one of the references in folders, case or the like: none was matched.",
        record="record 1; record 2",
        id="a/1.jpg; b/1.jpg",
        count=2,
        items=2,
    ),
    "run_name_taken": Case(
        [("a.json", js([GOOD])), ("x.json", js([item("1", {"m": ["Three.", "Four."]})]))],
        "Another file has a run named m too; this one is called m (2).",
        items=1,
    ),
    "other_settings": Case(
        [
            ("a.json", js({"runs": {"m": {"temperature": 1}}, "items": [GOOD]})),
            ("x.json", js({"runs": {"m": {"temperature": 0.5}}, "items": [item("2")]})),
        ],
        "Run m has the temperature 0.5 here, but 1.0 in a.json, which counts.",
        id="m",
        items=2,
    ),
    "facts_differ": Case(
        [("a.json", js([item("1", metadata={"g": 1})])), ("x.json", js([item("1", metadata={"g": 2})]))],
        "`metadata: g` differs from the value in an earlier record of the same item, which counts.",
        record="record 1",
        id="1",
        items=1,
    ),
    "references_joined": Case(
        [("a.json", js([GOOD])), ("x.json", js([item("1", references=["A dog.", "Some dog."])]))],
        "The references differ from those of an earlier file for the same items.",
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
    "no_references": Case(
        [("x.json", js({"1": ["a", "b"]}))],
        "There are no captions by people: metrics that compare with them, such as BLEU,",
        items=1,
    ),
    "runs_joined": Case(
        [("x.json", js([item("1", {"k": ["a", "b"]}, ()), item("2", {"m": ["c", "d"]}, ())]))],
        "No item is described by two of the 2 runs (k, m):",
        fix="join_runs",
        items=2,
    ),
    "no_predictions": Case([REFERENCES], "There are only references, and no run.", file="", items=2),
    "too_many_runs": Case(
        [("x.json", js([item("1", {f"r{n}": ["a"] for n in range(501)})]))],
        "There are 501 runs (r0, r1, r2, …); at most 500 can be compared at once.",
    ),
    "no_items": Case([], "No captions could be read from the given files.", file=""),
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
        "The runs describe different items: 1 of 2 are described by every run.",
        file="",
        fix="widest_runs",
        items=1,
    ),
    "no_common_items": Case(
        [("x.json", js([item("1", {"k": ["a", "b"]}), item("2")]))],
        "No item is described by every run.",
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
        "A caption of run m is empty.",
        record="record 1",
        id="1",
        fix="drop_empty_candidates",
        items=1,
    ),
    "line_breaks": Case(
        [("x.json", js([item("1", {"m": ["a\nb", "c\u2028d", "e\n"]})]))],
        "A caption has line breaks.",
        record="record 1",
        id="1",
        count=2,
        fix="join_lines",
        items=1,
    ),
    "long_caption": Case(
        [("x.json", js([item("1", {"m": ["a" * 2001, "b" * 2000]})]))],
        "A caption is longer than 2,000 characters.",
        record="record 1",
        id="1",
        fix="cut_long",
        items=1,
    ),
    "endless_caption": Case(
        [("x.json", js([item("1", {"m": ["a" * 100_001, "b" * 100_000]})]))],
        "A caption is longer than 100,000 characters; it was left out.",
        record="record 1",
        id="1",
        fix="cut_long",
        items=1,
    ),
    "bad_characters": Case(
        [("x.json", js([item("1", {"m": ["a\ud800b", "c\x07d"]})]))],
        "A caption has control characters or half characters (lone surrogates).",
        record="record 1",
        id="1",
        count=2,
        items=1,
    ),
    "mojibake": Case(
        [("x.json", js([item("1", {"m": ["a cafÃ©", "a café"]})]))],
        "A caption looks as if it was decoded wrongly (such as Ã© for é).",
        record="record 1",
        id="1",
        fix="fix_mojibake",
        items=1,
    ),
    "outer_spaces": Case(
        [
            (
                "x.json",
                js([item("1", {"m": [" a", "b\t", "c", " "]}), item("2", {"m": ["a", "\u3000\u732b", "b", "c"]})]),
            )
        ],
        "A caption begins or ends with spaces.",
        record="record 1; record 2",
        id="1; 2",
        count=3,
        fix="trim_captions",
        items=2,
    ),
    "unequal_counts": Case(
        [("x.json", js([item("1", {"m": ["a", "b"], "k": ["a", "b", "c"], "g": ["a"]})]))],
        "The number of captions for each item differs: 3 (run k), 2 (run m), 1 (run g). TRM and set metrics depend "
        "on it.",
        file="",
        fix="equal_counts",
        items=1,
    ),
    "one_or_several": Case(
        [("x.json", js([item("1", {"m": ["a", "b"], "k": ["a", "b"], "g": ["a"]})]))],
        "Runs with one caption for each item: 1, runs with several: 2. Metrics computed from all "
        "captions of a run together cannot compare these.",
        file="",
        fix="one_each",
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
        "The run has one caption for some or all items; TRM and diversity need two.",
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
    "degenerate_run": Case(
        [("x.json", js([item(str(k), {"m": ["A cat."]}, [f"A {k} dog.", f"The {k} dog."]) for k in range(6)]))],
        "Run m gives one caption to all 6 items.",
        id="m",
        items=6,
    ),
    "same_captions": Case(
        [("x.json", js([item(str(k), {run: [f"A {k} cat."] for run in "mn"}) for k in range(6)]))],
        "Runs have the same captions for every item: m, n.",
        id="m; n",
        items=6,
    ),
    "coincidence": Case(
        [("x.json", js([item("1", {"m": ["A dog.", "b"]}), item("2"), item("3")]))],
        "A caption equals a reference in run m.",
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
        said = "A caption equals a reference in 5 runs (run 0, run 1, run 2 and 2 more)."
        assert (row.file, row.count, row.problem) == (name, 5, said)


# The others are in test_repairs.py, test_told_apart.py and tests/engine, such as test_cli_unread.py and
# test_cli_hidden_runs.py; pictures have test_pictures.py and test_limits.py.
ELSEWHERE = {
    *("people_taken", "mark_missing", "unsure_fields"),
    *("unreadable", "bundle_damaged", "bundle_idf", "bundle_given", "bundle_marks", "bundle_unknown"),
    *("pictures_too_many", "pictures_too_large"),
    *("beyond_encoder", "not_english"),
    "same_pictures",
    "other_sheets",
    *("texts_alike", "described_columns", "notes_below", "merged_filled", "judged_again"),
    *("keys_read", "languages_read", "repeated_texts", "fields_left", "references_unread"),
}


def test_every_kind_has_a_case() -> None:
    assert set(CASES) | ELSEWHERE == set(KINDS)
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


@pytest.mark.parametrize("name", ["x.jsonl", "x.json"])
@pytest.mark.parametrize("content", [b'{"id": "1", "references": ["a"\n', b'{"id": "1",\n{"id": "2",\n'])
def test_a_broken_file_is_not_called_empty(name: str, content: bytes) -> None:
    (only,) = load_study([(name, content)]).findings
    assert (only.code, only.problem[:15]) == ("bad_json", "Not valid JSON:")
    assert only.record.startswith("line ")
    assert "other lines were read" not in only.repair


def test_errors_come_first_and_stop_only_what_they_concern() -> None:
    loaded = load_study([REFERENCES, ("broken.json", b"{"), ("m.json", js({"1": ["a", "b"], "2": ["c", "d"]}))])
    assert loaded.findings[0].severity == "error"
    assert loaded.study is not None
    assert [run.name for run in loaded.study.runs] == ["m"]
    assert (loaded.files[1].name, loaded.files[1].format) == ("broken.json", "not read")


def test_a_repair_that_could_change_nothing_is_not_offered() -> None:
    loaded = load_study([("x.json", js([item("1", {"m": ["a", "b"], "g": ["a"]}, references=["a"])]))])
    counts, few = found(loaded, "unequal_counts"), found(loaded, "few_references")
    assert (counts.fix, counts.repair) == (None, "Compare set metrics only between runs with equal numbers.")
    assert (few.fix, few.repair) == (None, "Add references; metrics of single captions work without them.")
    assert repair(loaded, ["equal_counts", "drop_few_references"]).study == loaded.study


def test_a_finding_keeps_the_run_that_it_names_whatever_its_name() -> None:
    log = Log()
    for name in ("m", "of run m", ""):
        log.add("no_blanks", "x.json", run=name)
    log.add("run_empty", "x.json", run="m")
    assert [(one.run, one.problem.partition(" has")[0].partition(" describes")[0]) for one in log.findings()] == [
        ("m", "Run m"),
        ("m", "A caption of run m"),
        ("of run m", "A caption of run of run m"),
        ("", "A caption by people"),
    ]
