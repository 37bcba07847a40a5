"""Test names, hidden runs, stars and notes of a study, on their own and in bundles."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from data.adding import keeping
from data.check import Loaded, repair, repair_files, with_marks
from data.convert import to_jsonl_bytes
from data.load import load_study
from data.marks import (
    LONGEST_NOTE,
    MOST_NOTES,
    Marks,
    clean_note,
    distinct_names,
    from_json,
    merged,
    of_study,
    renamed,
    shown,
    to_json,
)
from data.study import ImportedScores, Preference, Study, SystemRatings
from metrics.engine import scoring
from metrics.engine.tasks import Options
from metrics.registry import METRICS
from tests.studies import study as random_study

STUDY = random_study(items=4, runs=3, seed=3)
A, B, C = (run.name for run in STUDY.runs)
FULL = Marks(
    {}, frozenset({A}), frozenset({STUDY.items[0].id}), {STUDY.items[1].id: "$5 **b** <i>x</i>\nsecond :red[x]"}
)


def told(study: Study) -> Study:
    scores = ImportedScores("spice", "run", True, 0.0, 1.0, {A: {"": (0.5,)}, B: {"": (0.25,)}})
    only_a = ImportedScores("mine", "run", True, 0.0, 1.0, {A: {"": (0.5,)}})
    pairs = tuple(Preference(study.items[0].id, (A, 0), (other, 1), 3.0, 1.0, "", "") for other in (B, C))
    systems = SystemRatings("s", (A, B, "other"), {"quality": (1.0, 2.0, 3.0)}, {"CIDEr": (4.0, 5.0, 6.0)})
    return replace(study, scores=(scores, only_a), preferences=pairs, systems=(systems,))


def test_a_study_without_its_hidden_runs_knows_nothing_of_them() -> None:
    part = shown(told(STUDY), {A})
    assert [run.name for run in part.runs] == [B, C]
    assert [one.name for one in part.scores] == ["spice"]
    assert part.preferences == ()
    assert part.systems[0].systems == (B, "other")
    assert part.systems[0].criteria == {"quality": (2.0, 3.0)}
    assert part.systems[0].metrics == {"CIDEr": (5.0, 6.0)}
    assert shown(STUDY, {A}) is shown(STUDY, {A}), "made once"
    assert shown(STUDY, ()) is STUDY
    assert shown(STUDY, {"no such run"}) is STUDY
    assert shown(STUDY, {A, B, C}) is STUDY, "some run is always shown"


def test_hiding_and_renaming_leave_the_key_of_every_number() -> None:
    new = renamed(STUDY, {A: "$5 **mine**"})
    part, options = shown(STUDY, {B}), Options(p_values=True)
    for name in ("cider_d", "trm_bow", "distinct_2", "corpus_self_bleu_4"):
        for k, run in enumerate(STUDY.runs):
            key = scoring.result_key(METRICS[name], run, STUDY, options)
            assert scoring.result_key(METRICS[name], new.runs[k], new, options) == key
            if run.name != B:
                assert scoring.result_key(METRICS[name], run, part, options) == key


def test_a_renamed_run_is_renamed_wherever_it_stands() -> None:
    new = renamed(told(STUDY), {A: "z", B: "y"})
    assert [run.name for run in new.runs] == ["z", "y", C]
    assert new.scores[0].values == {"z": {"": (0.5,)}, "y": {"": (0.25,)}}
    assert [(one.first, one.second, one.first_votes) for one in new.preferences] == [
        (("y", 1), ("z", 0), 1.0),
        ((C, 1), ("z", 0), 1.0),
    ], "in the order in which a file of them is read"
    assert new.systems[0].systems == ("z", "y", "other")
    assert renamed(new, {"z": A, "y": B}).preferences == told(STUDY).preferences


def test_names_by_hand_win_and_others_get_a_number() -> None:
    assert distinct_names(["a", "b", "c"], {"a": "b"}) == {"a": "b", "b": "b (2)"}
    assert distinct_names(["a", "b"], {"a": "b", "b": "a"}) == {"a": "b", "b": "a"}
    assert distinct_names(["a", "b"], {"a": "c", "b": "c"}) == {"a": "c"}
    assert distinct_names(["a", "b", "b (2)"], {"a": "b"}) == {"a": "b", "b": "b (2)", "b (2)": "b (2) (2)"}


def test_a_repair_keeps_marks_and_says_which_name_was_taken() -> None:
    loaded = load_study([("mine.jsonl", to_jsonl_bytes(STUDY))])
    marked = with_marks(loaded, replace(FULL, names={A: B}))
    assert marked.study is not None
    assert [run.name for run in marked.study.runs] == [B, f"{B} (2)", C]
    again = repair(marked, ["equal_counts"])
    for one in (marked, again):
        assert [f.problem for f in one.findings if f.code == "run_name_taken"] == [
            f"Another file has a run named {B} too; this one is called {B} (2)."
        ]
    assert again.study is not None
    assert [run.name for run in again.study.runs] == [B, f"{B} (2)", C]
    assert again.marks == marked.marks


def test_names_that_were_swapped_stay_so_through_a_repair() -> None:
    loaded = load_study([("mine.jsonl", to_jsonl_bytes(STUDY))])
    swapped = with_marks(loaded, Marks({A: B, B: A}))
    for found in (repair(swapped, ["equal_counts"]), keeping(repair_files(swapped, ["equal_counts"]), swapped)):
        assert found.study is not None
        assert [run.name for run in found.study.runs] == [B, A, C]
        assert found.study.run(B).candidates == STUDY.run(A).candidates
        assert found.marks == swapped.marks


def test_marks_read_back_as_they_were_written() -> None:
    assert from_json(to_json(FULL)) == FULL
    assert from_json(b"{}") == Marks()


def test_former_names_read_back_and_bundles_without_them_have_none() -> None:
    """Equality ignores former names, so they are compared separately."""
    former = Marks(formerly={"old": A, "older": A}, models={"was": "m"})
    found = from_json(to_json(former))
    assert (found.formerly, found.models) == (former.formerly, former.models)
    assert b"former" not in to_json(FULL)
    assert not from_json(to_json(FULL)).formerly
    both = merged([found, Marks(formerly={"old": B, "new": C})])
    assert both.formerly == {"old": A, "older": A, "new": C}
    assert both.models == former.models


def test_former_names_of_what_the_study_has_not_are_left_out() -> None:
    model = STUDY.run(A).model
    found = of_study(Marks(formerly={"old": A, "x": "gone", B: A}, models={"was": model, "y": "gone"}), STUDY)
    assert found.formerly == {"old": A}
    assert found.models == {"was": model}


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b'{"former_runs": ["a"]}', "`former_runs` is not present names by former ones"),
        (b'{"former_models": {"a": 1}}', "`former_models` is not present names by former ones"),
        (json.dumps({"former_runs": dict.fromkeys(map(str, range(1_001)), "x")}).encode(), "more than 1,000 names"),
        (b"{", "they are not valid JSON"),
        (b"[" * 100_000, "they are not valid JSON"),
        (b"\xff\xfe\x00", "they are not valid JSON"),
        (b"[]", "they are not an object"),
        (b'{"hidden": "a"}', "`hidden` is not a list of texts"),
        (b'{"stars": [1]}', "`stars` is not a list of texts"),
        (b'{"notes": []}', "`notes` is not texts by the id of an item"),
        (b'{"notes": {"a": {}}}', "`notes` is not texts by the id of an item"),
        (json.dumps({"notes": {"a": "x" * (LONGEST_NOTE + 1)}}).encode(), "there are more than 5,000 notes, or one"),
        (json.dumps({"notes": dict.fromkeys(map(str, range(MOST_NOTES + 1)), "x")}).encode(), "more than 5,000 notes"),
    ],
)
def test_unsound_marks_are_refused_with_the_reason(content: bytes, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        from_json(content)


def test_marks_of_other_studies_are_left_out() -> None:
    other = Marks({}, frozenset({A, "x"}), frozenset({"no item"}), {"no item": "note", STUDY.items[0].id: "kept"})
    assert of_study(other, STUDY) == Marks({}, frozenset({A}), frozenset(), {STUDY.items[0].id: "kept"})
    assert of_study(Marks({}, frozenset({A, B, C})), STUDY).hidden == frozenset(), "some run is always shown"


def test_notes_are_bounded_text() -> None:
    assert clean_note("  a\x00b\x1b[0m\ud800 \n c ") == "ab[0m? \n c"
    assert len(clean_note("x" * 5_000)) == LONGEST_NOTE
    full = Marks(notes={str(k): "x" for k in range(MOST_NOTES)})
    assert full.noted("new", "y") == full
    assert full.noted("3", "y").notes["3"] == "y"
    assert full.noted("3", " ").notes.keys() == full.notes.keys() - {"3"}
    assert Marks().starred("a", True).starred("b", True).starred("a", False).stars == {"b"}


def test_marks_take_memory_and_empty_ones_are_nothing() -> None:
    assert not Marks()
    assert FULL
    assert Marks(notes={"a": "x" * 1_000}).size > 1_000
    assert Loaded(STUDY, (), ()).marks == Marks()
