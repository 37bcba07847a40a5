"""Test raters who are named only in the headers of columns, and columns of numbers named after runs."""

from __future__ import annotations

import pytest

from data.load import load_study
from tests.data.sheets import workbook
from tests.data.test_rated_sheets import KNOWN, RATED, read

BY_NAME = {
    "Rating Ann,Rating Bob": {"rating": RATED},
    "Ann rating,Bob rating": {"rating": RATED},
    "Ann's rating,Bob's rating": {"rating": RATED},
    "Fluency_Ann,Fluency_Bob": {"Fluency": RATED},
    "fluency_ann,fluency_bob,accuracy_ann,accuracy_bob": {"fluency": RATED, "accuracy": RATED},
    "Ann: fluency,Bob: fluency,Ann: accuracy,Bob: accuracy": {"fluency": RATED, "accuracy": RATED},
}


@pytest.mark.parametrize("reference", [False, True])
@pytest.mark.parametrize("names", BY_NAME)
def test_a_word_beside_a_criterion_can_be_a_rater(names: str, reference: bool) -> None:
    head = f"id,caption,{names}" + ",reference" * reference
    rows = [
        f"{id},the thing {id}" + ",2,5" * (names.count(",") // 2 + 1) + f",a person saw {id}" * reference for id in "12"
    ]
    said, rated, codes = read("\n".join([head, *rows]).encode(), *([] if reference else [KNOWN]))
    assert said == {(id, "sheet"): (f"the thing {id}",) for id in "12"}
    for of in rated.values():
        told = {name: {who.lower(): value for who, value in by.items()} for name, by in of.items()}
        assert told == BY_NAME[names]
    assert len(rated) == 2
    assert ("raters_perhaps" in codes) == (len(BY_NAME[names]) == 1)


@pytest.mark.parametrize("reference", [False, True])
@pytest.mark.parametrize(
    "names",
    [
        "Fluency (Rater 1),Fluency (Rater 2),Accuracy (Rater 1),Accuracy (Rater 2)",
        "fluency_rater1,fluency_rater2,vividness_rater1,vividness_rater2",
        "annotator1_accuracy,annotator2_accuracy,annotator1_fluency,annotator2_fluency",
        "Safety (Annotator A),Safety (Annotator B),Vividness (Annotator A),Vividness (Annotator B)",
        "Accuracy R1,Accuracy R2,Fluency R1,Fluency R2",
        "accuracy_rater1,accuracy_rater2",
    ],
)
def test_raters_with_a_number_or_letter_may_rate_any_criterion(names: str, reference: bool) -> None:
    """At first, only `Fluency (Rater 1)` was read, not `Accuracy (Rater 1)` or `vividness_rater1`."""
    head = f"id,run,caption,{names}" + ",reference" * reference
    count = names.count(",") // 2 + 1
    rows = [f"{id},A,the thing {id}" + ",2,5" * count + f",a person saw {id}" * reference for id in "12"]
    _, rated, codes = read("\n".join([head, *rows]).encode(), *([] if reference else [KNOWN]))
    assert [len(of) for of in rated.values()] == [count] * 2
    assert all([*by.values()] == [2.0, 5.0] for of in rated.values() for by in of.values())
    assert not {"raters_perhaps", "ignored_columns", "metadata_columns"} & {*codes}


def test_times_and_metrics_beside_raters_are_no_ratings() -> None:
    head = "id,run,caption,rater1_fluency,rater2_fluency,rater1_seconds,rater2_seconds,bleu_1,bleu_2"
    rows = [f"{id},A,the thing {id},2,5,3,4,1,2" for id in "12"]
    _, rated, _ = read("\n".join([head, *rows]).encode(), KNOWN)
    assert [[*of] for of in rated.values()] == [["fluency"]] * 2


@pytest.mark.parametrize(
    "names",
    [
        "Rating Tone,Rating Style",
        "Rating Originality,Rating Ann",
        "Text quality,Visual quality",
        "Fluency_en,Fluency_de",
    ],
)
def test_a_quality_beside_a_criterion_is_no_rater(names: str) -> None:
    rows = [f"{id},A,the thing {id},2,5" for id in "12"]
    _, rated, codes = read("\n".join([f"id,run,caption,{names}", *rows]).encode(), KNOWN)
    assert "raters_perhaps" not in codes
    assert not any({"rating", "quality"} & {*of} for of in rated.values())


def test_raters_with_numbers_before_their_criteria() -> None:
    head = "id,caption,reference,Rater 1: Fluency,Rater 2: Fluency,Rater 1: Accuracy,Rater 2: Accuracy"
    rows = [f"{id},the thing {id},a person saw {id},2,5,2,5" for id in "12"]
    _, rated, codes = read("\n".join([head, *rows]).encode())
    given = {"Rater 1": 2.0, "Rater 2": 5.0}
    assert list(rated.values()) == [{"Fluency": given, "Accuracy": given}] * 2
    assert "ignored_columns" not in codes


def test_raters_of_each_run_beside_the_captions_of_all() -> None:
    head = "id,reference,BLIP,GIT,BLIP Ann,BLIP Bob,GIT Ann,GIT Bob"
    rows = [f"{id},a person saw {id},the thing {id},some thing {id},2,5,2,5" for id in "12"]
    _, rated, codes = read("\n".join([head, *rows]).encode())
    assert rated == {(id, run): {"rating": {"Ann": 2.0, "Bob": 5.0}} for id in "12" for run in ("BLIP", "GIT")}
    assert "scores_read" not in codes


NAMED = [(id, run, "2", "5") for run in "AB" for id in "12"]


@pytest.mark.parametrize("criterion", ["", "fluency"])
@pytest.mark.parametrize("names", [("Ann", "Bob"), ("Tone", "Style")])
def test_columns_called_as_people_in_a_file_of_ratings(names: tuple[str, str], criterion: str) -> None:
    head = ["id", "run", *(["criterion"] if criterion else []), *names]
    rows = [[id, run, *([criterion] if criterion else []), *values] for id, run, *values in NAMED]
    table = ("ratings.csv", "\n".join(map(",".join, [head, *rows])).encode())
    captions = "\n".join(["id,run,caption", *(f"{id},{run},the thing {id} of {run}" for id, run, *_ in NAMED)])
    _, rated, codes = read(captions.encode(), table, KNOWN)
    if names[0] == "Ann":
        assert list(rated.values()) == [{criterion or "rating": dict(zip(names, (2.0, 5.0)))}] * 4
    elif not criterion:
        assert {name for of in rated.values() for name in of} == {*names}
    assert ("raters_perhaps" in codes) == (names[0] == "Ann")


def test_a_sheet_of_ratings_beside_one_of_captions_is_read() -> None:
    captions = [["id", "run", "caption", "reference"]]
    captions += [[id, run, f"the thing {id} of {run}", f"a person saw {id}"] for id, run, *_ in NAMED]
    book = workbook(Captions=captions, Ratings=[["id", "run", "Ann", "Bob"], *NAMED])
    _, rated, codes = read(book, name="study.xlsx")
    assert list(rated.values()) == [{"rating": {"Ann": 2.0, "Bob": 5.0}}] * 4
    assert "other_sheets" not in codes


WIDE = {
    "fluency_a,fluency_b": ("ratings.csv", {"fluency"}),
    "A: fluency,B: fluency": ("ratings.csv", {"fluency"}),
    "A,B": ("people_in_may.csv", {"rating"}),
    "SPICE (A),SPICE (B)": ("x.csv", {"SPICE"}),
    "a,b": ("clipscore.csv", {"clipscore"}),
}


@pytest.mark.parametrize("names", WIDE)
def test_columns_named_after_the_runs_of_another_file(names: str) -> None:
    file, measures = WIDE[names]
    captions = "\n".join(["id,run,caption", *(f"{id},{run},the thing {id} of {run}" for id, run, *_ in NAMED)])
    table = "\n".join([f"id,{names}", "1,2,5", "2,3,4"])
    loaded = load_study([("captions.csv", captions.encode()), (file, table.encode()), KNOWN])
    assert loaded.study is not None
    told = {
        (one.name, run, id): value
        for one in loaded.study.scores
        for run, of in one.values.items()
        for id, (value,) in of.items()
    }
    for run in loaded.study.runs:
        told |= {(name, run.name, id): of[""] for id, given in (run.human or {}).items() for name, of in given.items()}
    values = {("A", "1"): 2.0, ("A", "2"): 3.0, ("B", "1"): 5.0, ("B", "2"): 4.0}
    assert told == {(name, *place): value for name in measures for place, value in values.items()}
    assert not loaded.errors


def table_of(values: str, run: bool) -> bytes:
    rows = [
        f"{id}{f',{one}' if run else ''},{value}" for one in ("AB" if run else "A") for id, value in zip("12", values)
    ]
    return "\n".join([f"id,{'run,' * run}rating", *rows]).encode()


@pytest.mark.parametrize("given", ["runs", "one run", "a file for each run"])
def test_files_of_ratings_that_name_no_rater(given: str) -> None:
    runs = "A" if given == "one run" else "AB"
    said = "\n".join(["id,run,caption", *(f"{id},{run},the thing {id} of {run}" for run in runs for id in "12")])
    names = ("A", "B") if given == "a file for each run" else ("ratings_anna", "ratings_anton")
    files = [(f"{name}.csv", table_of(values, given == "runs")) for name, values in zip(names, ("25", "34"))]
    loaded = load_study([("captions.csv", said.encode()), *files, KNOWN])
    assert loaded.study is not None
    told = {(run.name, id): of["rating"] for run in loaded.study.runs for id, of in (run.human or {}).items()}
    both = {"1": {"anna": 2.0, "anton": 3.0}, "2": {"anna": 5.0, "anton": 4.0}}
    codes = {one.code for one in loaded.findings}
    if given == "a file for each run":
        assert "raters_apart" not in codes
    else:
        assert told == {(run, id): both[id] for run in runs for id in "12"}
        assert "raters_apart" in codes
