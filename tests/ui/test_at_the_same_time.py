"""Test that nothing is lost or overwritten if two people change one study at the same time."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import replace

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetStates

from data.check import Loaded, repair, repair_files
from data.convert import to_jsonl_bytes
from data.load import load_study
from data.marks import renamed
from data.study import Settings
from tests.studies import study as random_study
from tests.ui.shown import AppTest, markup, mend, page
from tests.ui.test_runs import edit, names, opened
from ui.session import runs, state
from ui.session.library import Library
from ui.session.runs import Change, RunLabel
from ui.views import dataset_findings, seeds

STUDY = random_study(items=4, runs=4, seed=5)
FIRST, SECOND, THIRD, FOURTH = (run.name for run in STUDY.runs)
ID = STUDY.items[0].id
EMPTY = replace(STUDY.runs[0], candidates={**STUDY.runs[0].candidates, ID: ("", "a dog")})
BROKEN = load_study([("mine.jsonl", to_jsonl_bytes(replace(STUDY, runs=(EMPTY, *STUDY.runs[1:]))))])


def token_of(at: AppTest) -> str:
    token = at.query_params["study"]
    return token if isinstance(token, str) else token[0]


def meanwhile(
    monkeypatch: pytest.MonkeyPatch, where: object, name: str, at: AppTest, change: Callable[[Loaded], Loaded]
) -> None:
    """Let another thread change the study before the first call of the function `name` ends."""
    whole, first = getattr(where, name), [True]

    def other() -> None:
        old = opened(at)
        assert state.library().replace(token_of(at), change(old), old)

    def called(*args: object, **kwargs: object) -> object:
        found = whole(*args, **kwargs)
        if first:
            first.pop()
            thread = threading.Thread(target=other)
            thread.start()
            thread.join()
        return found

    monkeypatch.setattr(where, name, called)


def theirs(old: Loaded) -> Loaded:
    assert old.study is not None
    marks = replace(old.marks, names={SECOND: "theirs"}, hidden=frozenset({THIRD}), formerly={SECOND: "theirs"})
    return replace(old, study=renamed(old.study, {SECOND: "theirs"}), marks=marks)


def repaired(name: str) -> Callable[[Loaded], Loaded]:
    return lambda old: repair(old, [name])


def test_a_repair_keeps_what_another_session_does_while_it_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    at = page("dataset", BROKEN)
    meanwhile(monkeypatch, dataset_findings, "repair_files", at, theirs)
    at = mend(at, "drop_empty_candidates")
    assert not at.exception
    assert names(at) == [FIRST, "theirs", THIRD, FOURTH]
    assert opened(at).marks.hidden == {THIRD}
    assert "drop_empty_candidates" in opened(at).applied
    assert opened(at).study.run(FIRST).candidates[ID] == ("a dog",)  # type: ignore[union-attr]


def test_two_repairs_at_once_are_both_made(monkeypatch: pytest.MonkeyPatch) -> None:
    at = page("dataset", BROKEN)
    meanwhile(monkeypatch, dataset_findings, "repair_files", at, repaired("equal_counts"))
    at = mend(at, "drop_empty_candidates")
    assert {"drop_empty_candidates", "equal_counts"} <= set(opened(at).applied)


def test_a_new_name_keeps_a_repair_that_another_session_makes_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    at = page("dataset", BROKEN)
    meanwhile(monkeypatch, runs, "renamed", at, repaired("drop_empty_candidates"))
    at = edit(at, {0: {"name": "mine"}})
    assert not at.exception
    assert names(at)[0] == "mine"
    assert "drop_empty_candidates" in opened(at).applied
    assert opened(at).study.run("mine").candidates[ID] == ("a dog",)  # type: ignore[union-attr]


def test_a_name_that_another_session_gives_meanwhile_is_not_given_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    at = page("dataset", BROKEN)
    meanwhile(monkeypatch, runs, "renamed", at, theirs)
    at = edit(at, {0: {"name": "theirs"}})
    assert at.error
    assert names(at) == [FIRST, "theirs", THIRD, FOURTH]


def test_a_group_of_seeds_keeps_a_name_that_another_session_gives_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    at = page("dataset", BROKEN)
    meanwhile(monkeypatch, seeds, "regroup", at, theirs)
    table = next(frame for frame in at.dataframe if "Setting" in frame.value.columns)
    at = sent_edit(at, table.proto.id, {1: {"Setting": "one"}})
    at.button(key="seeds_apply").click().run()
    assert not at.exception
    found = {run.name: run.setting for run in opened(at).study.runs}  # type: ignore[union-attr]
    assert found["theirs"] == "one"


def sent_edit(at: AppTest, table: str, rows: dict[int, dict[str, object]]) -> AppTest:
    states, said = WidgetStates(), {"edited_rows": rows, "added_rows": [], "deleted_rows": []}
    states.widgets.add(id=table, string_value=json.dumps(said))
    return at._run(states)


def test_a_study_that_is_closed_meanwhile_stays_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    at = page("dataset", BROKEN)
    token = token_of(at)

    def closed(old: Loaded, *args: object) -> Loaded:
        found = repair_files(old, *args)  # type: ignore[arg-type]
        state.library().close(token, "other")
        return found

    monkeypatch.setattr(dataset_findings, "repair_files", closed)
    at = mend(at, "drop_empty_candidates")
    assert not at.exception
    assert state.library().get(token) is None
    assert "What did this link show?" in markup(at)


def test_of_many_threads_one_wins_each_time() -> None:
    """Four threads set fifty stars each; each change is based on what the thread has read."""
    shelf = Library()
    token = shelf.add(Loaded(STUDY, (), ()))
    assert token is not None
    start = threading.Barrier(4)

    def session(who: int) -> None:
        start.wait()
        for k in range(50):
            done = False
            while not done:
                old = shelf.get(token)
                assert old is not None
                done = shelf.replace(token, replace(old, marks=old.marks.starred(f"{who} {k}", on=True)), old)

    threads = [threading.Thread(target=session, args=(who,)) for who in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = shelf.get(token)
    assert found is not None
    assert len(found.marks.stars) == 200


def label(name: str, model: str = "m", heat: float | None = None, top: float | None = None) -> RunLabel:
    return RunLabel(name, model, Settings(temperature=heat, top_p=top))


def test_only_what_was_changed_is_changed_and_undone() -> None:
    drawn = {"a": label("a", heat=1.0), "b": label("b")}
    change = Change.between(drawn, {"a": label("mine", heat=1.0, top=0.9), "b": label("b")})
    assert set(change.wanted) == {"a"}
    theirs = {"a": replace(label("a", "theirs", heat=0.5), shown=False), "b": label("b")}
    now = change.of(theirs)
    assert now["a"] == replace(label("mine", "theirs", heat=0.5, top=0.9), shown=False)
    after = {of.name: of for of in now.values()}
    assert change.undone().of(after)["mine"] == theirs["a"]


def test_what_two_sessions_change_of_one_run_is_both_kept() -> None:
    at = edit(page("dataset", BROKEN), {0: {"model": "mine"}})
    other = page("methods", BROKEN)
    other.query_params["study"] = token_of(at)
    other = edit(other.switch_page("pages/dataset.py").run(), {0: {"shown": False, "temperature": 0.25}})
    assert not at.error
    run = opened(at).study.runs[0]  # type: ignore[union-attr]
    assert (run.model, run.settings.temperature) == ("mine", 0.25)
    assert opened(at).marks.hidden == {FIRST}
    at.button(key="runs_undo").click().run()
    run = opened(at).study.runs[0]  # type: ignore[union-attr]
    assert (run.model, run.settings.temperature) == (STUDY.runs[0].model, 0.25)
    assert opened(at).marks.hidden == {FIRST}
