"""Test runs on the Data page: they are renamed, grouped, hidden and shown, and the last change can be undone."""

from __future__ import annotations

import json
from dataclasses import replace

from streamlit.proto.WidgetStates_pb2 import WidgetStates

from data.convert import to_jsonl_bytes
from data.load import Loaded, load_study
from data.marks import Marks
from data.slices import encode
from data.study import SystemRatings
from metrics.analysis import bundle
from metrics.registry import METRICS
from tests.studies import study as random_study
from tests.ui.shown import ROOT, AppTest, markup, mend, page, score
from ui.jobs.jobs import jobs
from ui.session import state
from ui.session.runs import RunLabel
from ui.views import runs

STUDY = random_study(items=4, runs=4, seed=5)
LOADED = load_study([("mine.jsonl", to_jsonl_bytes(STUDY))])
FIRST, SECOND, THIRD, FOURTH = (run.name for run in STUDY.runs)
CHOSEN = {"quality": "cider_d", "distribution": "trm_bow", "diversity": "distinct_1"}
NAME = "$5 **mine** <b>x</b> :red[y]"


def opened(at: AppTest) -> Loaded:
    token = at.query_params["study"]
    found = state.library().get(token if isinstance(token, str) else token[0])
    assert found is not None
    return found


def names(at: AppTest) -> list[str]:
    study = opened(at).study
    assert study is not None
    return [run.name for run in study.runs]


def edit(at: AppTest, rows: dict[int, dict[str, object]]) -> AppTest:
    table = next(frame for frame in at.dataframe if "shown" in frame.value.columns)
    states, said = WidgetStates(), {"edited_rows": rows, "added_rows": [], "deleted_rows": []}
    states.widgets.add(id=table.proto.id, string_value=json.dumps(said))
    return at._run(states)


def together(at: AppTest, some: list[str], button: str) -> AppTest:
    at.button_group(key="runs_several").set_value(some).run()
    return at.button(key=button).click().run()


def leaderboard(loaded: Loaded) -> AppTest:
    assert loaded.study is not None
    score(loaded.study, CHOSEN.values())
    at = page("leaderboard", loaded, **CHOSEN)  # type: ignore[arg-type]
    assert not at.exception
    return at


def hidden_line(at: AppTest) -> str:
    return " ".join(one.value for one in at.caption if "hidden" in one.value)


def test_a_run_is_renamed_and_named_so_on_every_page() -> None:
    score(STUDY, ["cider_d"])
    at = edit(page("dataset", LOADED), {0: {"name": f"  {NAME} ", "model": "mine"}})
    assert not at.exception
    assert names(at) == [NAME, SECOND, THIRD, FOURTH]
    board = leaderboard(opened(at))
    assert "&lt;b&gt;x&lt;/b&gt;" in markup(board)
    assert FIRST not in markup(board)
    found = jobs().view(opened(at).study, [METRICS["cider_d"]], "", start=False)  # type: ignore[arg-type]
    assert {run for run, _ in found.results} == {NAME, SECOND, THIRD, FOURTH}, "their numbers are there"


def test_names_must_be_there_and_differ() -> None:
    labels = {run.name: RunLabel(run.name, run.model, run.settings) for run in STUDY.runs}
    table = runs.settings_table(labels)
    table.loc[0, "name"], table.loc[1, "name"], table.loc[2, "name"] = " ", "x" * 101, FOURTH
    _, wrong = runs.read_labels(table, labels)
    assert wrong == [
        f"{FIRST}: a run needs a name of 1 to 100 characters.",
        f"{SECOND}: a run needs a name of 1 to 100 characters.",
        f"{FOURTH}: two runs cannot have this name.",
    ]
    table = runs.settings_table(labels).assign(shown=False)
    assert runs.read_labels(table, labels)[1] == ["At least one run must be shown."]
    at = edit(page("dataset", LOADED), {0: {"name": SECOND}})
    assert "two runs cannot have this name" in at.error[0].value.replace("\\", "")
    assert names(at) == [FIRST, SECOND, THIRD, FOURTH]


def test_hidden_runs_leave_every_page_until_all_are_shown() -> None:
    at = edit(page("dataset", LOADED), {1: {"shown": False}, 2: {"shown": False}})
    assert not at.exception
    assert hidden_line(at) == "2 of 4 runs are hidden."
    assert opened(at).marks.hidden == {SECOND, THIRD}
    board = leaderboard(opened(at))
    assert hidden_line(board) == "2 of 4 runs are hidden."
    assert SECOND not in markup(board)
    assert "2 runs" in markup(board)
    board.button(key="hidden_show").click().run()
    assert hidden_line(board) == ""
    assert not opened(board).marks.hidden


def test_several_runs_change_at_once_and_the_last_change_is_undone() -> None:
    at = together(page("dataset", LOADED), [FIRST, FOURTH], "runs_shown_False")
    assert opened(at).marks.hidden == {FIRST, FOURTH}
    at.text_input(key="runs_several_model").set_value("one model")
    at = together(at, [FIRST, SECOND], "runs_model")
    assert [run.model for run in opened(at).study.runs[:2]] == ["one model"] * 2  # type: ignore[union-attr]
    assert opened(at).marks.hidden == {FIRST, FOURTH}
    at.button(key="runs_undo").click().run()
    assert [run.model for run in opened(at).study.runs] == [run.model for run in STUDY.runs]  # type: ignore[union-attr]
    assert opened(at).marks.hidden == {FIRST, FOURTH}
    assert not [one for one in at.button if one.key == "runs_undo"], "one change"
    at = together(at, [FIRST], "runs_shown_True")
    own, at.query_params["study"] = at.query_params["study"], state.library().add(LOADED)
    assert not [one for one in at.run().button if one.key == "runs_undo"], "of another study with the same runs"
    at.query_params["study"] = own
    at.run().button(key="runs_undo").click().run()
    at = together(at, list(names(at)), "runs_shown_False")
    assert "at least one run must be shown" in at.error[0].value
    assert opened(at).marks.hidden == {FIRST, FOURTH}


def test_a_renamed_run_keeps_its_name_and_place_through_repairs_and_undo() -> None:
    broken = replace(STUDY.runs[0], candidates={**STUDY.runs[0].candidates, STUDY.items[0].id: ("", "a dog")})
    study = replace(STUDY, runs=(broken, *STUDY.runs[1:]))
    at = edit(page("dataset", load_study([("mine.jsonl", to_jsonl_bytes(study))])), {0: {"name": NAME, "shown": False}})
    at = edit(at, {0: {"name": "again"}})
    assert opened(at).marks == Marks({FIRST: "again"}, frozenset({"again"}))
    at = mend(at, "drop_empty_candidates")
    assert names(at)[0] == "again"
    assert opened(at).study.runs[0].candidates[STUDY.items[0].id] == ("a dog",)  # type: ignore[union-attr]
    at.button(key="runs_undo").click().run()
    assert opened(at).marks == Marks({FIRST: NAME}, frozenset({NAME}))


def test_runs_whose_names_were_swapped_keep_them_through_a_repair() -> None:
    broken = replace(STUDY.runs[0], candidates={**STUDY.runs[0].candidates, STUDY.items[0].id: ("", "a dog")})
    study = replace(STUDY, runs=(broken, *STUDY.runs[1:]))
    at = page("dataset", load_study([("mine.jsonl", to_jsonl_bytes(study))]))
    at = edit(at, {0: {"name": SECOND}, 1: {"name": FIRST}})
    at = mend(at, "drop_empty_candidates")
    assert names(at) == [SECOND, FIRST, THIRD, FOURTH]
    assert opened(at).study.run(SECOND).candidates[STUDY.items[0].id] == ("a dog",)  # type: ignore[union-attr]


def test_what_somebody_else_changed_meanwhile_stays_and_no_name_is_given_twice() -> None:
    at = page("dataset", LOADED)
    other = page("dataset", LOADED)
    other.query_params["study"] = at.query_params["study"]
    other = edit(other.run(), {1: {"name": "mine"}, 2: {"shown": False}, 3: {"model": "theirs"}})
    edited = edit(at, {0: {"name": "mine"}})
    assert "mine is the name of another run" in edited.error[0].value
    assert names(at) == [FIRST, "mine", THIRD, FOURTH]
    other = edit(other.run(), {2: {"model": "of others"}})
    edited = edit(edited, {0: {"name": "yours"}})
    assert not edited.error
    assert names(at) == ["yours", "mine", THIRD, FOURTH]
    study = opened(at).study
    assert study is not None
    assert [run.model for run in study.runs[2:]] == ["of others", "theirs"], "only what differs from what was drawn"
    assert opened(at).marks.hidden == {THIRD}
    other = edit(other.run(), {1: {"name": "sooner"}})
    edited = edit(edited, {1: {"name": "late"}})
    assert "somebody else has renamed or removed a run" in edited.error[0].value
    assert names(at) == ["yours", "sooner", THIRD, FOURTH]


def test_a_run_gets_no_name_of_a_system_that_people_rated() -> None:
    rated = SystemRatings("s", (FIRST, "other"), {"quality": (1.0, 2.0)}, {})
    at = edit(page("dataset", replace(STUDY, systems=(rated,))), {0: {"name": "other"}})
    assert "other is the name of another run or of a system that people rated" in at.error[0].value
    assert names(at) == [FIRST, SECOND, THIRD, FOURTH]


def test_some_run_is_shown_where_only_hidden_ones_are_left() -> None:
    at = page("dataset", replace(LOADED, marks=Marks(hidden=frozenset(run.name for run in STUDY.runs))))
    at = edit(at, {0: {"model": "mine"}})
    assert not at.error
    assert opened(at).study.runs[0].model == "mine"  # type: ignore[union-attr]
    assert not opened(at).marks.hidden


def test_a_bundle_holds_marks_of_its_own_runs_and_items_alone() -> None:
    marks = Marks(hidden=frozenset({SECOND, "gone"}), stars=frozenset({"no item"}), notes={"no item": "x"})

    def script() -> None:
        import streamlit as st

        from ui.views.dataset import whole_bundle

        st.session_state["packed"] = whole_bundle()()

    at = AppTest.from_function(script, default_timeout=60)
    at.query_params["study"] = state.library().add(replace(LOADED, marks=marks))
    again = bundle.checked(load_study([("mine.trilens.zip", at.run().session_state["packed"])]))
    assert again.marks == Marks(hidden=frozenset({SECOND}))
    assert not [one for one in again.findings if one.code == "bundle_unknown"]


def test_runs_of_the_demo_are_hidden_under_a_link_of_its_own() -> None:
    demo = state.demo().study
    assert demo is not None
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).switch_page("pages/dataset.py")
    at.query_params["slice_items"] = encode(demo, [item.id for item in demo.items[:9]])
    at.run()
    assert "study" not in dict(at.query_params)
    at = edit(at, {0: {"shown": False, "name": "mine"}})
    assert not at.exception
    assert opened(at).study is demo, "names are left alone"
    assert opened(at).marks == Marks(hidden=frozenset({demo.runs[0].name}))
    assert state.demo().marks == Marks()
    assert hidden_line(at) == f"1 of {len(demo.runs)} runs is hidden."
    assert "slice_items" in at.query_params, "the slice stays"
    own = at.query_params["study"]
    at.button(key="hidden_show").click().run()
    assert at.query_params["study"] == own
    assert opened(at).marks == Marks(), "for everybody who has the link"


def test_a_bundle_holds_names_and_hidden_runs_with_their_numbers() -> None:
    score(STUDY, ["cider_d"])
    at = edit(page("dataset", LOADED), {0: {"name": NAME}, 1: {"shown": False}})
    found = opened(at)
    assert found.study is not None
    packed = bundle.study_bundle(found.study, jobs().cache, marked=found.marks)
    again = bundle.checked(load_study([("mine.trilens.zip", packed)]))
    assert again.study is not None
    assert [run.name for run in again.study.runs] == [NAME, SECOND, THIRD, FOURTH]
    assert again.study.contents == found.study.contents
    assert again.marks == Marks(hidden=frozenset({SECOND}))
    assert len(again.numbers) == 5, "of all runs, and of people"
    assert hidden_line(leaderboard(again)) == "1 of 4 runs is hidden."


def test_what_tells_runs_apart_comes_before_their_numbers() -> None:
    at = page("dataset", LOADED)
    order = list(next(frame for frame in at.dataframe if "shown" in frame.value.columns).value.columns)
    assert order[:4] == ["shown", "name", "model", "decoder"]
    assert order[-4:] == ["captions", "words", "repeated", "rating"]
