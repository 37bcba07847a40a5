"""Test that runs of additional files are matched by id and named uniquely, and that nothing else changes."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from data.adding import add, brings, keeping, new_runs
from data.check import Loaded, repair, with_marks
from data.convert import to_jsonl_bytes
from data.load import load_study
from data.marks import Marks
from data.run_settings import regroup, relabel
from data.study import DataError, Settings, Study
from metrics.analysis.bundle import study_bundle
from metrics.cache.disk import Cache
from metrics.engine import scoring
from metrics.engine.tasks import Options
from metrics.registry import METRICS
from tests.studies import study as random_study

STUDY = random_study(items=5, runs=2, seed=13)
LOADED = load_study([("mine.jsonl", to_jsonl_bytes(STUDY))])
IDS = [item.id for item in STUDY.items]
FIRST, SECOND = (run.name for run in STUDY.runs)


def captions(ids: list[str], text: str = "a dog runs") -> bytes:
    return json.dumps({id: [f"{text} {k}", "two cats"] for k, id in enumerate(ids)}).encode()


def added(*files: tuple[str, bytes], to: Loaded = LOADED) -> Loaded:
    return add(to, load_study(list(files)))


def of(loaded: Loaded) -> Study:
    assert loaded.study is not None
    return loaded.study


def test_a_run_is_added_by_the_ids_of_its_items_and_numbers_of_others_stay() -> None:
    found = added(("new_t0.7.json", captions(IDS[::-1])))
    assert [run.name for run in of(found).runs] == [FIRST, SECOND, "new_t0.7"]
    assert new_runs(STUDY, of(found)) == ("new_t0.7",)
    assert of(found).run("new_t0.7").settings == Settings(0.7)
    assert of(found).run("new_t0.7").candidates[IDS[-1]][0] == "a dog runs 0"
    assert of(found).references_digest == STUDY.references_digest
    assert of(found).name == STUDY.name
    for name in ("cider_d", "trm_bow", "corpus_self_bleu_4"):
        for run in STUDY.runs:
            key = scoring.result_key(METRICS[name], run, STUDY, Options(p_values=True))
            again = of(found).run(run.name)
            assert scoring.result_key(METRICS[name], again, of(found), Options(p_values=True)) == key
    assert [file.name for file in found.files] == ["mine.jsonl", "new_t0.7.json"]


def test_names_that_collide_are_made_distinct_and_said() -> None:
    found = added((f"{FIRST}.json", captions(IDS)))
    assert [run.name for run in of(found).runs] == [FIRST, SECOND, f"{FIRST} (2)"]
    assert any(one.code == "run_name_taken" and f"{FIRST} (2)" in one.problem for one in found.findings)
    by_hand = with_marks(LOADED, Marks({FIRST: "new"}))
    found = added(("new.json", captions(IDS)), to=by_hand)
    assert [run.name for run in of(found).runs] == ["new", SECOND, "new (2)"]
    assert any(one.code == "run_name_taken" and "new (2)" in one.problem for one in found.findings)


def test_the_same_file_again_adds_nothing() -> None:
    once = added(("new.json", captions(IDS)))
    twice = added(("new.json", captions(IDS)), to=once)
    assert new_runs(of(once), of(twice)) == ()
    assert not brings(of(once), of(twice))
    assert any(one.code == "same_file_twice" for one in twice.findings)


def test_items_that_do_not_match_are_findings() -> None:
    fewer = added(("new.json", captions([*IDS[:3], "unknown"])))
    assert [item.id for item in of(fewer).items] == IDS[:3]
    codes = {one.code for one in fewer.findings}
    assert {"item_sets_differ", "run_lacks_items", "predictions_without_references"} <= codes
    none = added(("new.json", captions(["x", "y"])))
    assert of(none).contents == STUDY.contents
    assert not brings(STUDY, of(none))
    assert any(one.code == "run_empty" for one in none.findings)


def test_references_of_the_study_stay_as_they_are() -> None:
    other = json.dumps([{"id": id, "references": ["other"], "candidates": {"new": ["a", "b"]}} for id in IDS]).encode()
    found = added(("new.json", other))
    assert of(found).references_digest == STUDY.references_digest
    assert new_runs(STUDY, of(found)) == ("new",)
    alone = load_study([("alone.json", captions(IDS))])
    found = add(alone, load_study([("references.json", json.dumps({id: ["x", "y"] for id in IDS}).encode())]))
    assert {item.references for item in of(found).items} == {("x", "y")}, "a study without any takes them"


def test_scores_are_added_too() -> None:
    rows = [{"run": FIRST, "item": id, "metric": "SPICE", "value": 0.5, "higher_is_better": True} for id in IDS]
    found = added(("scores.json", json.dumps(rows).encode()))
    assert [one.name for one in of(found).scores] == ["SPICE"]
    assert brings(STUDY, of(found))
    assert new_runs(STUDY, of(found)) == ()


def test_what_was_changed_by_hand_stays() -> None:
    by_hand = with_marks(repair(LOADED, ["one_each"]), Marks({FIRST: "mine"}, frozenset({"mine"}), frozenset({IDS[0]})))
    study = regroup(relabel(of(by_hand), {"mine": ("my model", Settings(0.5))}), {"mine": "one", SECOND: "one"})
    by_hand = replace(by_hand, study=study)
    found = added(("new.json", captions(IDS)), to=by_hand)
    run = of(found).run("mine")
    assert (run.model, run.settings, run.setting) == ("my model", Settings(0.5), "one")
    assert len(of(found).run("new").candidates[IDS[0]]) == 1, "repairs hold for all"
    assert found.marks == by_hand.marks
    assert of(keeping(LOADED, found)).run("mine").model == "my model"


def test_marks_and_numbers_of_a_bundle_come_along() -> None:
    new = load_study([("new.json", captions(IDS))])
    new = replace(new, marks=Marks(stars=frozenset({IDS[1]})), numbers={"k": b""})
    found = add(replace(LOADED, marks=Marks(notes={IDS[0]: "mine"})), new)
    assert found.marks == Marks({}, frozenset(), frozenset({IDS[1]}), {IDS[0]: "mine"})
    assert found.numbers == {"k": b""}


def test_a_bundle_hides_no_run_of_another_file_that_is_called_the_same() -> None:
    new = load_study([(f"{FIRST}.json", captions(IDS))])
    new = replace(new, marks=Marks(hidden=frozenset({FIRST}), stars=frozenset({IDS[1]})))
    found = add(replace(LOADED, marks=Marks(hidden=frozenset({SECOND}))), new)
    assert found.marks == Marks(hidden=frozenset({SECOND}), stars=frozenset({IDS[1]}))
    packed = study_bundle(STUDY, Cache(None), marked=Marks(hidden=frozenset({FIRST, SECOND})))
    for files in ([f"{FIRST}.json", "study.zip"], ["study.zip", f"{FIRST}.json"], ["study.zip", "study.zip"]):
        read = load_study([(name, packed if name == "study.zip" else captions(IDS)) for name in files])
        assert read.marks.hidden == ({SECOND} if len(set(files)) > 1 else {FIRST, SECOND})


def test_a_study_without_files_says_so() -> None:
    with pytest.raises(DataError, match="keeps no record of its files; open all files together"):
        add(Loaded(STUDY, (), ()), LOADED)
