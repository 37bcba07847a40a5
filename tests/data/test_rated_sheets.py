"""Test sheets of captions rated by several people: each in separate rows or columns, with numbers or words."""

from __future__ import annotations

import json
from typing import Any

import pytest

from cli.file_options import columns_of
from data.load import load_study
from data.records import Columns, Reading

KNOWN = ("references.json", json.dumps({id: [f"a thing {id}", f"one {id}"] for id in "12"}).encode())
SAID = {(id, model): f"the thing {id} of {model}" for id in "12" for model in "AB"}
RATED = {"ann": 2.0, "bob": 5.0}


def sheet(name: str, *, reference: bool = False) -> bytes:
    head = ["id", "model", "caption", *(["reference"] if reference else []), "fluency (1-5)", "accuracy", name]
    rows = [
        [*place, text, *([f"a person saw {place[0]}"] if reference else []), str(value), "3", rater]
        for place, text in SAID.items()
        for rater, value in RATED.items()
    ]
    return "\n".join(",".join(row) for row in [head, *rows]).encode()


def read(
    content: bytes, *more: tuple[str, bytes], name: str = "sheet.csv"
) -> tuple[dict[Any, Any], dict[Any, Any], set[str]]:
    loaded = load_study([(name, content), *more])
    assert loaded.study is not None
    said = {(id, run.name): texts for run in loaded.study.runs for id, texts in run.candidates.items()}
    rated = {(id, run.name): of for run in loaded.study.runs for id, of in (run.human or {}).items()}
    return said, rated, {one.code for one in loaded.findings}


@pytest.mark.parametrize("name", ["rater", "annotator", "worker", "Worker ID", "annotator_id", "judge"])
@pytest.mark.parametrize("reference", [False, True])
def test_a_caption_is_read_once_with_the_ratings_of_all(name: str, reference: bool) -> None:
    said, rated, codes = read(sheet(name, reference=reference), *([] if reference else [KNOWN]))
    assert said == {place: (text,) for place, text in SAID.items()}
    expected = {"fluency (1-5)": RATED, "accuracy": dict.fromkeys(RATED, 3.0)}
    assert rated == dict.fromkeys(SAID, expected)
    assert not codes & {"rating_differs", "repeated_records", "ignored_columns", "metadata_columns"}


def test_what_a_rater_rated_twice_was_said_twice() -> None:
    rows = [("a dog", 1, "ann"), ("a dog", 2, "ann"), ("a cat", 3, "ann"), ("a dog", 4, "bob"), ("a dog", 5, "bob")]
    table = "\n".join(["id,model,caption,fluency,rater", *(f"1,A,{text},{n},{who}" for text, n, who in rows)])
    said, rated, _ = read(table.encode(), KNOWN)
    assert said == {("1", "A"): ("a dog", "a dog", "a cat")}
    assert rated[("1", "A")]["fluency"] == [{"ann": 1.0, "bob": 4.0}, {"ann": 2.0, "bob": 5.0}, {"ann": 3.0}]


def test_rows_that_differ_in_more_are_several_captions() -> None:
    rows = ["1,A,0.2,a dog,4,ann", "1,A,0.7,a dog,2,bob"]
    said, rated, _ = read("\n".join(["id,model,temperature,caption,fluency,rater", *rows]).encode(), KNOWN)
    assert said == {("1", f"A@temperature={heat}"): ("a dog",) for heat in (0.2, 0.7)}
    assert {name: of["fluency"] for (_, name), of in rated.items()} == {
        "A@temperature=0.2": {"ann": 4.0},
        "A@temperature=0.7": {"bob": 2.0},
    }


def test_beside_scores_a_rater_is_listed_as_not_used() -> None:
    rows = ["1,A,a dog,0.5,ann", "2,A,a cat,0.25,bob"]
    loaded = load_study([("sheet.csv", "\n".join(["id,model,caption,CIDEr,rater", *rows]).encode()), KNOWN])
    (told,) = [one.problem for one in loaded.findings if one.code in ("ignored_columns", "metadata_columns")]
    assert told.endswith(": rater.")


@pytest.mark.parametrize("name", ["human_scores.csv", "human_eval.csv", "reference_study.csv", "sheet.csv"])
@pytest.mark.parametrize("beside", ["note", "Fluency (1-5)", "rating", "CIDEr"])
def test_a_file_named_after_people_keeps_the_captions_of_its_runs(name: str, beside: str) -> None:
    people = {id: (f"a person saw thing {id}", f"somebody drew a thing {id}") for id in "12"}
    rows = [[id, model, text, *people[id], "3"] for (id, model), text in SAID.items()]
    head = ["Image", "System", "Caption", "Human caption 1", "Human caption 2", beside]
    study = load_study((name, "\n".join(",".join(row) for row in [head, *rows]).encode())).study
    assert study is not None
    assert {item.id: item.references for item in study.items} == people
    said = {(id, run.name): texts for run in study.runs for id, texts in run.candidates.items()}
    assert said == {place: (text,) for place, text in SAID.items()}


def test_the_columns_that_became_ratings_are_named() -> None:
    loaded = load_study([("sheet.csv", sheet("rater")), KNOWN])
    (said,) = (one for one in loaded.findings if one.code == "ratings_read")
    assert (said.file, said.severity) == ("sheet.csv", "note")
    assert said.problem == "Numbers beside the captions were read as ratings by people: fluency (1-5), accuracy."
    assert "ratings by people: fluency (1-5), accuracy" in loaded.files[0].format
    people = {"references": ["a thing is seen", "one thing is here"]}
    rows = [{"id": id, "decoded": f"the thing {id}", **people, "ratings": {"fluency": [1, 2]}} for id in "12"]
    nested = load_study([("n.json", json.dumps(rows).encode())])
    (said,) = (one for one in nested.findings if one.code == "ratings_read")
    assert said.problem == "Numbers beside the captions were read as ratings by people: fluency."


ODD = sheet("who").replace(b"fluency (1-5)", b"mood")
"""A sheet in which neither the criterion nor the rater has a known name."""


@pytest.mark.parametrize("given", ["rating=mood,rater=who", "rating=mood+accuracy,rater=who,run=model,id=id"])
def test_a_person_names_ratings_and_their_rater(given: str) -> None:
    loaded = load_study([("sheet.csv", ODD), KNOWN], columns=columns_of(given))
    assert loaded.study is not None
    (rated,) = {str(of) for run in loaded.study.runs for of in (run.human or {}).values()}
    assert rated == str({"mood": RATED, "accuracy": dict.fromkeys(RATED, 3.0)})
    assert {len(texts) for run in loaded.study.runs for texts in run.candidates.values()} == {1}
    roles = loaded.fields["sheet.csv"].roles
    assert {name for name, role in roles.items() if role == "rating"} == {"mood", "accuracy"}
    assert roles["who"] == "rater"


def test_ratings_that_are_recognised_have_the_role_so_that_it_can_be_kept() -> None:
    """If the roles that the page fills in are given, the file is read as it is without any roles."""
    loaded = load_study([("sheet.csv", sheet("rater")), KNOWN])
    found = loaded.fields["sheet.csv"]
    of = {role: tuple(n for n, one in found.roles.items() if one == role) for role in found.roles.values()}
    assert (of["rating"], of["rater"]) == (("fluency (1-5)", "accuracy"), ("rater",))
    columns = Columns(of["id"], of["candidates"], (), of["run"][0], ratings=of["rating"], rater=of["rater"][0])
    again = load_study([("sheet.csv", sheet("rater")), KNOWN], overrides={"sheet.csv": Reading(columns=columns)})
    assert loaded.study is not None
    assert again.study is not None
    assert [run.human for run in again.study.runs] == [run.human for run in loaded.study.runs]


@pytest.mark.parametrize("head", ["clip,system,mood,who", "ort,system,mood,who"])
def test_a_table_of_named_ratings_needs_no_captions(head: str) -> None:
    rows = [f"{id},{model},{value},{who}" for id, model in SAID for who, value in RATED.items()]
    said = {model: {id: text for (id, of), text in SAID.items() if of == model} for model in "AB"}
    files = [(f"{model}.json", json.dumps(of).encode()) for model, of in said.items()]
    table = ("t.csv", "\n".join([head, *rows]).encode())
    given = columns_of(f"id={head.split(',')[0]},run=system,rating=mood,rater=who")
    loaded = load_study([table, *files, KNOWN], columns=given)
    assert loaded.study is not None
    assert {str(of) for run in loaded.study.runs for of in (run.human or {}).values()} == {str({"mood": RATED})}
    assert loaded.fields["t.csv"].roles == dict(zip(head.split(","), ["id", "run", "rating", "rater"]))


@pytest.mark.parametrize(
    ("four", "two"), [("4/5", "2 / 5"), ("4 out of 5", "2 of 5"), ("4,0/5", "2.0/5"), ("4%", "2 %")]
)
def test_ratings_may_state_the_end_of_their_scale(four: str, two: str) -> None:
    rows = [{"id": id, "run": "A", "caption": f"the thing {id}", "fluency": of} for id, of in (("1", four), ("2", two))]
    table = "\n".join(["id\tmodel\tcaption\tfluency", *("\t".join(row.values()) for row in rows)]).encode()
    nested = [
        {"id": r["id"], "systems": [{"system": of, "caption": r["caption"], "rating": r["fluency"]} for of in "AB"]}
        for r in rows
    ]
    apart = [("r.json", json.dumps([{**row, "rating": row["fluency"]} for row in rows]).encode())]
    for files in ([("t.tsv", table)], [("n.json", json.dumps(nested).encode())], apart):
        study = load_study([*files, KNOWN]).study
        assert study is not None
        run = study.runs[0]
        assert [next(iter(of.values())) for of in (run.human or {}).values()] == [{"": 4.0}, {"": 2.0}], files
        assert [run.candidates[id] for id in "12"] == [("the thing 1",), ("the thing 2",)]


@pytest.mark.parametrize("role", ["score", "metadata", "ignore"])
def test_a_column_with_another_role_is_not_rated(role: str) -> None:
    """The other criteria stay ratings, as they are without a map."""
    content = sheet("x").replace(b"fluency (1-5)", b"fluency")
    loaded = load_study([("sheet.csv", content), KNOWN], columns=columns_of(f"{role}=fluency"))
    assert loaded.study is not None
    assert {name for run in loaded.study.runs for of in (run.human or {}).values() for name in of} == {"accuracy"}
    assert [one.name for one in loaded.study.scores] == (["fluency"] if role == "score" else [])


WORDS: dict[str, tuple[tuple[Any, ...], tuple[float, ...]]] = {
    "yes and no": (("yes", "No"), (1, 0)),
    "true and false": (("TRUE", "false"), (1, 0)),
    "pass and fail": (("Pass", "fail"), (1, 0)),
    "good and bad": (("good", "bad"), (1, 0)),
    "with a middle": (("yes", "partially", "no"), (1, 0.5, 0)),
    "agreement": (("Strongly agree", "disagree", "neutral"), (5, 2, 3)),
    "quality": (("good", "very good", "poor"), (4, 5, 2)),
}


@pytest.mark.parametrize("kind", WORDS)
@pytest.mark.parametrize("shape", ["rows", "columns", "lists", "objects", "long"])
def test_ratings_in_words_are_numbers_by_rater(shape: str, kind: str) -> None:
    said, expected = WORDS[kind]
    who = [f"w{k}" for k in range(len(said))]
    text = {id: f"the thing {id}" for id in "12"}
    names = [f"rating_{k}" for k in range(1, len(said) + 1)]
    records = [{"id": id, "prediction": text[id], "references": [f"a thing {id}", f"one {id}"]} for id in "12"]
    by_row = [f"{id},{text[id]},{one},{of}" for id in "12" for one, of in zip(said, who)]
    files = {
        "rows": [("m.csv", "\n".join(["id,caption,correct,annotator", *by_row])), KNOWN],
        "columns": [
            (
                "m.csv",
                "\n".join([",".join(["id,caption", *names]), *(f"{i},{text[i]}," + ",".join(said) for i in "12")]),
            ),
            KNOWN,
        ],
        "lists": [("m.json", json.dumps([{**row, "ratings": {"fluency": said}} for row in records]))],
        "objects": [
            (
                "m.json",
                json.dumps(
                    [
                        {**row, "annotations": [{"rater": w, "correct": one} for w, one in zip(who, said)]}
                        for row in records
                    ]
                ),
            )
        ],
        "long": [("ratings.csv", "\n".join(["id,caption,rating,annotator", *by_row])), KNOWN],
    }[shape]
    loaded = load_study([(name, of if isinstance(of, bytes) else of.encode()) for name, of in files])
    assert loaded.study is not None, loaded.findings
    assert "rating_words" in {one.code for one in loaded.findings}
    (run,) = loaded.study.runs
    assert [run.candidates[id] for id in "12"] == [(text[id],) for id in "12"]
    for id in "12":
        ((criterion, rated),) = (run.human or {})[id].items()
        assert tuple(rated.values()) == expected, criterion


@pytest.mark.parametrize("name", ["human", "human_answer"])
def test_answers_by_people_are_no_ratings(name: str) -> None:
    rows = [{"id": k, "question": f"is there a dog {k}", "prediction": "yes", name: ["yes", "no"]} for k in range(3)]
    loaded = load_study([("m.json", json.dumps(rows).encode())])
    assert loaded.study is not None
    assert not any(run.human for run in loaded.study.runs)


def test_words_beside_numbers_or_of_no_scale_are_findings() -> None:
    for said in (("good", "3"), ("yes", "perhaps so")):
        rows = [f"{id},m,{text},{one}" for (id, text), one in zip({"1": "a dog", "2": "a cat"}.items(), said)]
        loaded = load_study([("m.csv", "\n".join(["id,model,caption,fluency", *rows]).encode()), KNOWN])
        assert [one.code for one in loaded.errors] == ["rating_not_number"], said


@pytest.mark.parametrize("named", [True, False])
def test_options_that_people_accepted_in_prodigy_are_rated(named: bool) -> None:
    """If ids are names, they are those of runs; an ignored task rates nothing."""
    ids = ("m", "n") if named else (0, 1)
    rows = [
        {
            "image": f"{k}.jpg",
            "options": [{"id": id, "text": f"the thing {k} {id}"} for id in ids],
            "accept": [ids[k]] if k < 2 else [],
            "answer": "accept" if k < 2 else "ignore",
            "_annotator_id": "ann",
        }
        for k in range(3)
    ]
    study = load_study([("m.jsonl", "\n".join(map(json.dumps, rows)).encode())]).study
    assert study is not None
    said = [text for run in study.runs for text in run.candidates["1.jpg"]]
    assert said == [f"the thing 1 {id}" for id in ids]
    told = {"m": {"accepted": {"ann": 0}}, "n": {"accepted": {"ann": 1}}}
    several = {"m": {"accepted": [{"ann": 0}, {"ann": 1}]}}
    assert {run.name: (run.human or {})["1.jpg"] for run in study.runs} == (told if named else several)
    assert all("2.jpg" not in (run.human or {}) for run in study.runs)


@pytest.mark.parametrize("rating", ["Ann_rating", "vividness rating", "model_rating", "product_rating"])
def test_a_rating_beside_references_is_read_unless_a_model_gave_it(rating: str) -> None:
    rows = [f"{id},the thing {id},a thing {id},{id}" for id in "12"]
    study = load_study([("m.csv", "\n".join([f"id,prediction,reference,{rating}", *rows]).encode())]).study
    assert study is not None
    told = {"1": {rating: {"": 1}}, "2": {rating: {"": 2}}}
    assert (study.runs[0].human or {}) == ({} if rating in ("model_rating", "product_rating") else told)


@pytest.mark.parametrize(
    "rated", [{"human_ratings": {"fluency": [4, 5]}}, {"fluency": 4}, {"annotations": [{"fluency": 4}]}]
)
def test_records_with_references_keep_the_ratings_beside_them(rated: dict[str, Any]) -> None:
    rows = [{"id": id, "prediction": f"the thing {id}", "references": [f"a thing {id}"], **rated} for id in "12"]
    study = load_study([("m.json", json.dumps(rows).encode())]).study
    assert study is not None
    assert [set(of) for of in (study.runs[0].human or {}).values()] == [{"fluency"}] * 2
    assert [item.references for item in study.items] == [("a thing 1",), ("a thing 2",)]


CRITERIA = ("fluency", "rating", "rating_out_of_5", "rater")
PER_RATER = [(name, form) for name in CRITERIA for form in ("{} ({})", "{}({})", "{} [{}]", "{}_{}")]
PER_RATER.remove(("rating_out_of_5", "{}_{}"))  # two numbers in one name


@pytest.mark.parametrize("reference", [False, True])
@pytest.mark.parametrize(("criterion", "form"), PER_RATER)
def test_a_column_per_rater(criterion: str, form: str, reference: bool) -> None:
    names = ("1", "2") if form == "{}_{}" else ("Ann", "Bob K.")
    head = ["id", "caption", *(form.format(criterion, who) for who in names), *(["reference"] if reference else [])]
    rows = [[id, f"the thing {id}", "2", "5", *([f"a person saw {id}"] if reference else [])] for id in "12"]
    said, rated, _ = read("\n".join(map(",".join, [head, *rows])).encode(), *([] if reference else [KNOWN]))
    assert said == {(id, "sheet"): (f"the thing {id}",) for id in "12"}
    for of in rated.values():
        assert list(of.values()) == [dict(zip(names, (2.0, 5.0)))]
    assert len(rated) == 2


LONG = [
    f"source of the text {k} was longer,a shorter text {k},{k},{aspect},{who},{40 + k + who}"
    for k in (1, 2, 3)
    for aspect in ("meaning", "fluency")
    for who in (1, 2)
]


@pytest.mark.parametrize("text", ["simplification", "generated story"])
def test_one_row_per_item_aspect_and_rater(text: str) -> None:
    """In ASSET's ratings, the columns of ids and texts have unknown names, and the source is metadata of the item."""
    head = f"original,{text},original_sentence_id,aspect,worker_id,rating"
    study = load_study([("human_ratings.csv", "\n".join([head, *LONG]).encode())]).study
    assert study is not None
    (run,) = study.runs
    assert dict(run.candidates) == {str(k): (f"a shorter text {k}",) for k in (1, 2, 3)}
    rated = {"1": 42.0, "2": 43.0}
    assert (run.human or {})["1"] == {"meaning": rated, "fluency": rated}
    assert study.items[0].metadata == {"original": "source of the text 1 was longer"}


@pytest.mark.parametrize("name", ["answer", "result", "summary", "simplification"])
def test_texts_of_these_names_beside_ratings_are_what_was_rated(name: str) -> None:
    rows = [f"{id},{model},{text},4,{'ab'[int(id) - 1]}" for (id, model), text in SAID.items()]
    loaded = load_study([("r.csv", "\n".join([f"id,model,{name},rating,split", *rows]).encode())])
    assert loaded.study is not None
    said = {(id, run.name): of[0] for run in loaded.study.runs for id, of in run.candidates.items()}
    assert said == SAID
    assert [dict(item.metadata) for item in loaded.study.items] == [{"split": "a"}, {"split": "b"}]


@pytest.mark.parametrize("thing", ["clip", "sample", "stimulus_name"])
@pytest.mark.parametrize("rated", ["rating", "note"])
def test_a_name_of_items_that_repeats_counts_before_a_uuid_of_each_row(thing: str, rated: str) -> None:
    rows = [f"{k:032x},s{id},{model},{text},4" for k, ((id, model), text) in enumerate(SAID.items())]
    loaded = load_study([("r.csv", "\n".join([f"uuid,{thing},model,caption,{rated}", *rows]).encode())])
    assert loaded.study is not None
    assert [item.id for item in loaded.study.items] == ["s1", "s2"]
    assert {run.name: len(run.candidates) for run in loaded.study.runs} == {"A": 2, "B": 2}


def test_a_time_that_two_raters_share_by_chance_makes_no_further_caption() -> None:
    rows = [
        f"{id},{model},{text},{rater},{value},{7 if (id, model) == ('1', 'A') else f'{id}{model}{rater}'}"
        for (id, model), text in SAID.items()
        for rater, value in (("ann", 4), ("bob", 5))
    ]
    said, rated, _ = read("\n".join(["id,model,caption,rater,fluency,seconds", *rows]).encode(), KNOWN)
    assert said == {place: (text,) for place, text in SAID.items()}
    assert rated[("2", "A")] == {"fluency": {"ann": 4.0, "bob": 5.0}}
