"""Test what each repair changes and leaves unchanged, and that it can be undone."""

from __future__ import annotations

import json
from typing import Any

import pytest

from data.check import DEFAULTS, REPAIRS, Loaded, repair
from data.load import load_study
from data.study import DataError, Item, Run, Settings, Study


def loaded(*rows: dict[str, Any]) -> Loaded:
    return load_study([("x.json", json.dumps(list(rows)).encode())])


def item(
    id: str, candidates: dict[str, list[str]], references: tuple[str, ...] = ("A dog.", "The dog.")
) -> dict[str, Any]:
    return {"id": id, "references": list(references), "candidates": candidates}


def captions(result: Loaded, run: str, id: str = "1") -> tuple[str, ...]:
    assert result.study is not None
    return result.study.run(run).candidates[id]


def ids(result: Loaded) -> list[str]:
    return [item.id for item in result.study.items] if result.study else []


def test_defaults_are_said_and_can_be_taken_away() -> None:
    rows = item("1", {"m": ["a\nb", "x" * 3000]}, ("One.", "", "Two."))
    study = loaded(rows)
    assert study.applied == DEFAULTS
    assert captions(study, "m") == ("a b", "x" * 3000), "a long caption is scored as a whole"
    assert study.study is not None
    assert study.study.items[0].references == ("One.", "Two.")
    assert captions(repair(study, ["cut_long"]), "m") == ("a b", "x" * 2000)
    bare = repair(study, [], without=["join_lines", "drop_empty_references"])
    assert captions(bare, "m") == ("a\nb", "x" * 3000)
    assert bare.study is not None
    assert bare.study.items[0].references == ("One.", "", "Two.")
    assert set(bare.applied) == set(DEFAULTS) - {"join_lines", "drop_empty_references"}


def test_match_ids_and_drop_same_files() -> None:
    references = ("references.json", b'{"images/7.jpg": ["a", "b"], "8": ["c", "d"]}')
    first, same = ("m.json", b'{"007": "x", "08": "y"}'), ("k.json", b'{"007": "x", "08": "y"}')
    study = load_study([references, first, same])
    assert ids(study) == ["images/7.jpg", "8"]
    assert study.study is not None
    assert [run.name for run in study.study.runs] == ["m"]
    both = repair(study, [], without=["drop_same_files"]).study
    assert both is not None
    assert [run.name for run in both.runs] == ["m", "k"]
    unmatched = repair(study, [], without=["match_ids"]).study
    assert unmatched is not None
    assert unmatched.runs == ()


def test_characters_that_no_file_can_hold_are_always_replaced() -> None:
    study = loaded(item("1", {"m": ["a\ud800b", "c\x07d"]}, ("e\udfff", "f")))
    assert captions(repair(study, [], without=DEFAULTS), "m") == captions(study, "m") == ("a\ufffdb", "c\ufffdd")
    assert study.study is not None
    assert study.study.items[0].references == ("e\ufffd", "f")


def test_two_ids_never_fall_together() -> None:
    references = ("references.json", b'{"7": ["a", "b"], "x.png": ["c", "d"], "x.jpg": ["e", "f"]}')
    study = load_study([references, ("m.json", b'{"007": "x", "07": "y", "x": "z", "x.png": "w"}')])
    assert study.study is not None
    # Either number could be the item, and `x` either picture, so that none is taken.
    assert study.study.runs[0].candidates == {"x.png": ("w",)}
    left = next(finding for finding in study.findings if finding.code == "predictions_without_references")
    assert (left.id, left.count) == ("007; 07; x", 3)


def test_merge_duplicates_keeps_the_captions_of_all() -> None:
    study = loaded(item("1", {"m": ["a"]}, ("One.",)), item("1", {"m": ["b"], "k": ["c"]}, ("Two.",)))
    assert captions(study, "m") == ("a",)
    merged = repair(study, ["merge_duplicates"])
    assert captions(merged, "m") == ("a", "b")
    assert captions(merged, "k") == ("c",)
    assert merged.study is not None
    assert merged.study.items[0].references == ("One.", "Two.")


def test_widest_runs() -> None:
    study = loaded(*(item(str(n), {"m": ["a", "b"], "k": ["a", "b"], **({"g": ["c"]} if n else {})}) for n in range(3)))
    assert ids(study) == ["1", "2"]
    widest = repair(study, ["widest_runs"])
    assert ids(widest) == ["0", "1", "2"]
    assert widest.study is not None
    assert [run.name for run in widest.study.runs] == ["m", "k"]
    # Runs that describe the most items may describe different sets: the items of the widest run are kept.
    disjoint = loaded(item("1", {"m": ["a", "b"]}), item("2", {"k": ["a", "b"]}))
    assert disjoint.study is None
    assert ids(repair(disjoint, ["widest_runs"])) == ["1"]


def test_drop_empty_candidates() -> None:
    study = loaded(item("1", {"m": ["a", " ", ""]}), item("2", {"m": [""]}))
    assert captions(study, "m") == ("a", "", "")
    dropped = repair(study, ["drop_empty_candidates"])
    assert ids(dropped) == ["1"]
    assert captions(dropped, "m") == ("a",)


def test_drop_few_references() -> None:
    study = loaded(item("1", {"m": ["a"]}), item("2", {"m": ["a"]}, ("One.",)), item("3", {"m": ["a"]}, ("One.", " ")))
    assert ids(study) == ["1", "2", "3"]
    assert ids(repair(study, ["drop_few_references"])) == ["1"]


def test_a_run_that_repairs_leave_nothing_of_is_taken_out() -> None:
    study = loaded(item("1", {"m": [""]}), item("2", {"m": ["a"]}, ("One.",)))
    result = repair(study, ["drop_empty_candidates", "drop_few_references"])
    assert ids(result) == ["1"]
    assert result.study is not None
    assert result.study.runs == ()
    assert [finding.code for finding in result.errors] == ["run_empty"]


@pytest.mark.parametrize(
    ("broken", "whole"),
    [
        ("a cafÃ©", "a café"),
        ("itâ€™s", "it’s"),
        ("ä½\xa0å¥½", "你好"),
        ("naÃ¯ve cafÃ© à Ã‰vry", "naïve café à Évry"),
        ("ðŸ\x90¶ dog", "🐶 dog"),
        ("São Paulo, Ärger, señor", "São Paulo, Ärger, señor"),
        ("AÃ‚", "AÂ"),
    ],
)
def test_fix_mojibake(broken: str, whole: str) -> None:
    study = loaded(item("1", {"m": [broken, "b"]}))
    assert captions(study, "m")[0] == broken
    assert captions(repair(study, ["fix_mojibake"]), "m")[0] == whole


def test_equal_counts_is_a_seeded_subsample_in_order() -> None:
    texts = [f"caption {n}" for n in range(9)]
    rows = [
        {**item(str(n), {"m": texts, "k": texts[:4], "g": ["a"]}), "logprobs": {"m": [float(-n) for n in range(9)]}}
        for n in range(20)
    ]
    study = loaded(*rows)
    equal = repair(study, ["equal_counts"])
    assert equal.study is not None
    assert {len(captions(equal, "m", id)) for id in ids(equal)} == {4}
    assert {len(captions(equal, "g", id)) for id in ids(equal)} == {1}
    drawn = {captions(equal, "m", id) for id in ids(equal)}
    assert len(drawn) > 10
    for id in ids(equal):
        numbers = [int(text.split()[1]) for text in captions(equal, "m", id)]
        assert numbers == sorted(set(numbers))
        assert equal.study.run("m").logprobs is not None
        assert equal.study.run("m").logprobs[id] == tuple(float(-n) for n in numbers)
    assert repair(study, ["equal_counts"]).study == equal.study
    # The draw for an item does not depend on other items and runs.
    alone = repair(loaded(*rows[3:5]), ["equal_counts"])
    assert captions(alone, "m", "3") == captions(equal, "m", "3")


def test_equal_counts_are_equal_item_by_item() -> None:
    study = loaded(item("1", {"m": ["a", "b", "c"], "k": ["d", "e"]}), item("2", {"m": ["f"], "k": ["g", "h"]}))
    equal = repair(study, ["equal_counts"])
    assert {run: [len(captions(equal, run, id)) for id in ("1", "2")] for run in "mk"} == {"m": [2, 1], "k": [2, 1]}


def test_one_each_sets_runs_of_one_and_of_several_side_by_side() -> None:
    rows = [item(str(n), {"m": ["a", "b", "c"], "g": ["d"]}) for n in range(9)]
    one = repair(loaded(*rows), ["one_each"])
    assert {captions(one, "g", id) for id in ids(one)} == {("d",)}
    drawn = [captions(one, "m", id) for id in ids(one)]
    assert {len(texts) for texts in drawn} == {1}
    assert len(set(drawn)) > 1
    assert repair(loaded(*rows), ["equal_counts", "one_each"]).study == one.study


def test_drop_leaking_runs() -> None:
    rows = [item(str(n), {"m": ["A dog.", "b"], "k": ["A dog." if n == 0 else "c"]}) for n in range(4)]
    kept = repair(loaded(*rows), ["drop_leaking_runs"]).study
    assert kept is not None
    assert [run.name for run in kept.runs] == ["k"]


def test_repairs_add_up_and_leave_the_findings() -> None:
    study = loaded(item("1", {"m": ["a", ""], "k": ["cafÃ©", "b", "c"]}))
    one = repair(study, ["fix_mojibake"])
    two = repair(one, ["equal_counts"])
    assert set(two.applied) == {*DEFAULTS, "fix_mojibake", "equal_counts"}
    assert two.study == repair(study, ["equal_counts", "fix_mojibake"]).study
    assert two.findings == study.findings
    assert repair(two, [], without=["fix_mojibake", "equal_counts"]).study == study.study


def test_a_study_made_elsewhere_can_be_repaired() -> None:
    made = Study("s", (Item("1", ("a", "b"), "1.png"),), (Run("m", "M", Settings(0.7), {"1": ("c\nd", "e")}),))
    result = repair(made, [])
    assert result.study is not None
    assert result.study.run("m") == Run("m", "M", Settings(0.7), {"1": ("c d", "e")})
    assert result.study.items == made.items


def test_unknown_repair_names_those_there_are() -> None:
    with pytest.raises(DataError, match=r"there is no repair 'magic'; there are match_ids, "):
        repair(loaded(item("1", {"m": ["a"]})), ["magic"])
    assert all(text.endswith(".") for text in REPAIRS.values())


@pytest.mark.parametrize(
    ("sets", "extra", "kept"),
    [
        ([["a"], ["b"], ["c"], ["a", "a", "a"]], 2, ["a"]),
        ([["a", "b"], ["c", "c"], ["d", "d", "e", "e"]], 2, ["d", "e"]),
        ([["a", "b"], ["c", "d"], ["e", "e", "e", "f"]], 0, ["e", "e", "e", "f"]),
        ([["a", "a"], ["b", "b"], ["c", "c"]], 0, ["c", "c"]),
        ([["a", "b", "c"], ["d", "e", "f"], ["g", "g", "h"]], 0, ["g", "g", "h"]),
    ],
)
def test_read_once(sets: list[list[str]], extra: int, kept: list[str]) -> None:
    """A batch may be padded with one or several records for each item.

    A set of captions that repeats a text is not padded.
    """
    rows = [{"image_id": str(k), "caption": text} for k, texts in enumerate(sets) for text in texts]
    last = str(len(sets) - 1)
    references = {str(k): ["One.", "Two."] for k in range(len(sets))}
    before = load_study([("m.json", json.dumps(rows).encode()), ("references.json", json.dumps(references).encode())])
    found = [finding.count for finding in before.findings if finding.code == "repeated_records"]
    assert found == ([extra] if extra else [])
    assert captions(before, "m", last) == tuple(sets[-1])
    assert captions(repair(before, ["read_once"]), "m", last) == tuple(kept)


LONG = b"item,model,text\n1,A,a dog\n1,GROUND-TRUTH,one dog\n1,human 1,the dog\n2,A,a cat\n2,human 1,the cat\n"
FORMS = {
    "x.csv": LONG,
    "x.json": b"""[{"id": "1", "candidates": {"A": ["a dog"], "GROUND-TRUTH": ["one dog"], "human 1": ["the dog"]}},
        {"id": "2", "candidates": {"A": ["a cat"], "human 1": ["the cat"]}}]""",
    "x.jsonl": b"""{"id": "1", "candidates": {"A": ["a dog"], "GROUND-TRUTH": ["one dog"], "human 1": ["the dog"]}}
        {"id": "2", "candidates": {"A": ["a cat"], "human 1": ["the cat"]}}""",
}


@pytest.mark.parametrize("name", FORMS)
def test_people_as_references(name: str) -> None:
    taken = load_study([(name, FORMS[name])])
    before = repair(taken, [], without=["people_as_references"])
    assert before.study is not None
    assert {finding.code for finding in before.findings} >= {"people_as_run", "no_references"}
    assert repair(before, ["people_as_references"]).study == taken.study
    assert taken.study is not None
    assert [run.name for run in taken.study.runs] == ["A"]
    assert [item.references for item in taken.study.items] == [("one dog", "the dog"), ("the cat",)]
    assert captions(taken, "A", "2") == ("a cat",)
    assert not {finding.code for finding in taken.findings} & {"no_references", "people_as_run", "people_as_run_too"}
    (said,) = (finding for finding in taken.findings if finding.code == "people_taken")
    assert (said.severity, said.fix) == ("note", "people_as_references")
    assert said.problem.startswith("Captions named ")
    assert said.problem.endswith(" were read as people's.")


JUDGED = ("scores.csv", b"item,run,fluency\n1,A,2\n1,human,4\n")
DECLARED = [
    {"runs": {"A": {"model": "A"}, "human": {"model": "human"}}},
    {"id": "1", "candidates": {"A": ["a dog"], "human": ["one dog"]}},
]
KEPT = {
    "other items": [("x.csv", b"item,model,text\n1,A,a dog\n2,human,one dog\n")],
    "nobody else": [("x.csv", b"item,model,text\n1,human,a dog\n2,human,one dog\n")],
    "judged": [("x.csv", b"item,model,text\n1,A,a dog\n1,human,one dog\n"), JUDGED],
    "listed": [("x.jsonl", "\n".join(map(json.dumps, DECLARED)).encode())],
    "misspelt": [("x.csv", b"item,model,text\n1,A,a dog\n1,humna,one dog\n")],
}


@pytest.mark.parametrize("why", KEPT)
def test_a_run_named_after_people_that_is_compared_stays_one(why: str) -> None:
    assert "people_as_references" not in load_study(KEPT[why]).applied


def test_people_as_references_with_what_belongs_to_them() -> None:
    row = item("1", {"m": ["a b"], "Human": ["c", "d"]}, ("x", "y"))
    row["human"] = {"Human": {"rating": 3}, "m": {"rating": 2}}
    row["coherence"] = {"candidates": {"Human": ["Visible", "Story"]}}
    taken = repair(loaded(row), ["people_as_references"]).study
    assert taken is not None
    assert taken.items[0].references == ("x", "y", "c", "d")
    assert taken.items[0].coherence == ("", "", "Visible", "Story")
    assert [(run.name, run.human) for run in taken.runs] == [("m", {"1": {"rating": 2}})]


def test_a_file_named_after_people_is_theirs_at_one_click() -> None:
    run, people = ("A.json", b'{"1": ["a dog", "one dog"]}'), b'{"1": ["the dog", "a brown dog"]}'
    named = load_study([run, ("humans.json", people)]).study
    assert named is not None
    assert named.items[0].references == ("the dog", "a brown dog")
    before = load_study([run, ("humens.json", people)])
    (said,) = (finding for finding in before.findings if finding.code == "people_as_run")
    assert (said.file, said.record, said.fix) == ("humens.json", "record 1", "people_as_references")
    taken = repair(before, ["people_as_references"]).study
    assert taken is not None
    assert taken.items[0].references == ("the dog", "a brown dog")


def test_a_model_whose_name_holds_such_a_word_is_a_model() -> None:
    found = loaded(item("1", {"human-like gpt": ["a", "b"], "no reference": ["a", "c"], "gtr": ["a", "d"]}))
    assert not {finding.code for finding in found.findings} & {"people_as_run", "people_as_run_too"}


def test_trim_captions() -> None:
    rows = item("1", {"m": [" a dog", "a dog\t", " ", "a  dog", "dog\n"]}, ("  One.", "Two. ", "\u3000\u732b"))
    before = loaded(rows)
    assert captions(before, "m") == (" a dog", "a dog\t", "", "a  dog", "dog"), "as written: nothing is changed unasked"
    after = repair(before, ["trim_captions"])
    assert captions(after, "m") == ("a dog", "a dog", "", "a  dog", "dog")
    assert after.study is not None
    assert after.study.items[0].references == ("One.", "Two.", "\u732b")
    assert repair(after, [], without=["trim_captions"]).study == before.study


def test_captions_that_a_further_part_of_a_run_repeats_are_read_once_and_said() -> None:
    """A sampler may pad the last batch with repeats; if a caption differed, the file would be another run."""
    known = ("references.json", json.dumps({k: [f"one {k}", f"a {k}"] for k in "abcde"}).encode())

    def part(name: str, ids: str, of: str = "the") -> tuple[str, bytes]:
        return name, json.dumps([{"image_id": id, "caption": f"{of} {id}"} for id in ids]).encode()

    loaded = load_study([known, part("m_rank0.json", "ad"), part("m_rank1.json", "be"), part("m_rank2.json", "cab")])
    assert loaded.study is not None
    (run,) = loaded.study.runs
    assert dict(run.candidates) == {id: (f"the {id}",) for id in "abcde"}
    told = [(one.file, one.id, one.count) for one in loaded.findings if one.code == "repeated_in_file"]
    assert told == [("m_rank2.json", "a; b", 2)]
    twice = load_study([known, part("m_rank0.json", "aabc"), part("m_rank1.json", "dea")])
    assert twice.study is not None
    assert [dict(run.candidates) for run in twice.study.runs] == [
        {id: (f"the {id}",) * (2 if id == "a" else 1) for id in "abcde"}
    ]
    assert "repeated_records" in {one.code for one in twice.findings}
    other = load_study([known, part("m_rank0.json", "ade"), part("m_rank1.json", "abc", "some")])
    assert "repeated_in_file" not in {one.code for one in other.findings}
