"""Test links to a run or model by a former name, to a hidden run, and to one that does not exist."""

from __future__ import annotations

from dataclasses import replace

import pytest

from data.bundle.writing import pack
from data.convert import to_jsonl_bytes
from data.load import Loaded, load_study
from data.marks import Marks
from tests.studies import study as random_study
from tests.ui.shown import chosen, findings, markup, mend, page, score
from tests.ui.test_runs import edit, hidden_line, opened
from tests.ui.test_visit import other, query

STUDY = random_study(items=4, runs=4, seed=5)
LOADED = load_study([("mine.jsonl", to_jsonl_bytes(STUDY))])
FIRST, SECOND, THIRD, FOURTH = (run.name for run in STUDY.runs)
BOW = {"distance": "bag of words"}
SHOWN = {"quality": ["rouge_l"], "distribution": ["trm_bow"], "diversity": ["distinct_1"]}
LINKS = {
    "triangles": ("run", BOW),
    "central": ("run", BOW),
    "paired": ("b", {"main": "rouge_l", **SHOWN}),
    "images": ("beside", {**BOW, "measures": "rouge_l"}),
    "leaderboard": ("base", {"show": "Difference", **SHOWN}),
    "cloud": ("drawn", {"layout": "pca"}),
}
"""Pages on which a run can be chosen, the name of that choice, and other choices that make the page quick."""


def renamed(*steps: dict[int, str]) -> Loaded:
    at = page("dataset", LOADED)
    for names in steps:
        at = edit(at, {row: {"name": name} for row, name in names.items()})
        assert not at.error
    return opened(at)


@pytest.mark.parametrize("file", LINKS)
def test_a_link_finds_a_run_that_was_renamed_since(file: str) -> None:
    name, rest = LINKS[file]
    score(STUDY, ["rouge_l", "trm_bow", "distinct_1"])
    at = page(file, renamed({2: "for a while"}, {2: "mine"}), **{name: THIRD}, **rest)  # type: ignore[arg-type]
    assert not at.exception
    assert chosen(at)[name] == "mine"
    assert query(at).get(name, ["mine"]) == ["mine"]
    assert "There is no run" not in markup(at)
    at = page(file, renamed({2: "for a while"}, {2: "mine"}), **{name: "for a while"}, **rest)  # type: ignore[arg-type]
    assert chosen(at)[name] == "mine"


def test_a_link_by_a_former_name_works_after_the_bundle_is_opened_again() -> None:
    loaded = renamed({2: "mine"})
    assert loaded.study is not None
    packed = pack(loaded.study, {}, b"", {}, marks=loaded.marks)
    again = load_study([("study.zip", packed)])
    assert again.study is not None
    assert chosen(page("triangles", again, run=THIRD, **BOW))["run"] == "mine"
    without = load_study([("study.zip", pack(loaded.study, {}, b"", {}))])
    assert f"There is no run named <b>{THIRD}</b>" in markup(page("triangles", without, run=THIRD, **BOW))


def test_a_name_that_a_run_has_now_is_of_that_run() -> None:
    swapped = renamed({0: SECOND, 1: FIRST})
    assert chosen(page("triangles", swapped, run=FIRST, **BOW))["run"] == FIRST
    taken = renamed({0: "mine"}, {3: FIRST})
    assert chosen(page("triangles", taken, run=FIRST, **BOW))["run"] == FIRST
    back = renamed({0: "mine"}, {0: FIRST})
    assert chosen(page("triangles", back, run="mine", **BOW))["run"] == FIRST
    assert chosen(page("triangles", back, run=FIRST, **BOW))["run"] == FIRST


def test_a_name_that_no_run_ever_had_is_reported() -> None:
    at = page("triangles", renamed({0: "mine"}), run="never", **BOW)
    assert "There is no run named <b>never</b>" in markup(at)


def test_what_a_session_had_chosen_follows_a_new_name() -> None:
    at = page("triangles", LOADED, **BOW)
    at.selectbox(key="run_select").set_value(THIRD).run()
    other(at, "dataset")
    at = edit(at, {2: {"name": "mine"}})
    other(at, "triangles")
    assert chosen(at)["run"] == "mine"


@pytest.mark.parametrize("file", ["leaderboard", "sweeps"])
def test_a_link_finds_a_model_that_was_renamed_since(file: str) -> None:
    """If the runs of the old model now share another model, the link finds that one.

    If they have several models, the page says that the old one is gone.
    """
    score(STUDY, ["rouge_l", "trm_bow", "distinct_1"])
    of = [k for k, run in enumerate(STUDY.runs) if run.model == STUDY.runs[0].model]
    old = STUDY.runs[0].model
    assert 1 < len(of) < len(STUDY.runs), "else the test would be of one run, or of all"
    at = page("dataset", LOADED)
    at = edit(at, {row: {"model": "for a while"} for row in of})
    at = edit(at, {row: {"model": "my model"} for row in of})
    for former in (old, "for a while"):
        found = page(file, opened(at), models=former, **SHOWN)
        assert not found.exception
        assert chosen(found)["models"] == "my model"
        assert "There is no model" not in markup(found)
    split = edit(page("dataset", opened(at)), {of[0]: {"model": "another"}})
    assert chosen(page(file, opened(split), models=old, **SHOWN))["models"] == "my model", "most runs of it still are"


@pytest.mark.parametrize(("file", "name", "noun"), [("leaderboard", "models", "model"), ("leaderboard", "runs", "run")])
def test_a_filter_by_what_does_not_exist_is_said_and_shows_the_others(file: str, name: str, noun: str) -> None:
    score(STUDY, ["rouge_l", "trm_bow", "distinct_1"])
    real = STUDY.runs[0].model if name == "models" else FIRST
    at = page(file, LOADED, **{name: ["gone", real]}, **SHOWN)
    assert f"There is no {noun} named <b>gone</b> in this study; the others are shown." in markup(at)
    assert query(at)[name] == [real]
    at.run()
    assert "There is no" not in markup(at)
    at = page(file, LOADED, **{name: "gone"}, **SHOWN)
    assert f"There is no {noun} named <b>gone</b>" in markup(at)
    assert name not in query(at)
    assert all(run.name in markup(at) for run in STUDY.runs)


@pytest.mark.parametrize("file", LINKS)
def test_a_link_to_a_hidden_run_says_so_and_shows_it(file: str) -> None:
    name, rest = LINKS[file]
    score(STUDY, ["rouge_l", "trm_bow", "distinct_1"])
    hidden = replace(LOADED, marks=Marks(hidden=frozenset({THIRD, FOURTH})))
    at = page(file, hidden, **{name: THIRD}, **rest)  # type: ignore[arg-type]
    assert not at.exception
    assert hidden_line(at) == f"2 of 4 runs are hidden. This link names {THIRD}, which is not shown."
    assert "There is no run" not in markup(at)
    at = at.run()
    assert "This link names" in hidden_line(at), "until something is done about it"
    at.button(key="hidden_show_named").click().run()
    assert not at.exception
    assert hidden_line(at) == "1 of 4 runs is hidden."
    assert opened(at).marks.hidden == {FOURTH}
    assert chosen(at)[name] == THIRD
    assert query(at).get(name, [THIRD]) == [THIRD]


def test_a_link_by_a_former_name_to_a_run_that_is_hidden_shows_it() -> None:
    loaded = renamed({2: "mine"})
    hidden = replace(loaded, marks=replace(loaded.marks, hidden=frozenset({"mine"})))
    at = page("triangles", hidden, run=THIRD, **BOW)
    assert hidden_line(at) == "1 of 4 runs is hidden. This link names mine, which is not shown."
    assert not [one for one in at.button if one.key == "hidden_show"], "one button is enough"
    at.button(key="hidden_show_named").click().run()
    assert chosen(at)["run"] == "mine"
    assert hidden_line(at) == ""


def test_another_choice_or_page_ends_the_matter() -> None:
    hidden = replace(LOADED, marks=Marks(hidden=frozenset({THIRD, FOURTH})))
    at = page("triangles", hidden, run=THIRD, **BOW)
    at.selectbox(key="run_select").set_value(SECOND).run()
    assert hidden_line(at) == "2 of 4 runs are hidden."
    at = page("triangles", hidden, run=THIRD, **BOW)
    other(at, "methods")
    assert hidden_line(at) == "2 of 4 runs are hidden."


def test_former_names_stay_through_a_repair_and_are_bounded() -> None:
    broken = replace(STUDY.runs[0], candidates={**STUDY.runs[0].candidates, STUDY.items[0].id: ("", "a dog")})
    loaded = load_study([("mine.jsonl", to_jsonl_bytes(replace(STUDY, runs=(broken, *STUDY.runs[1:]))))])
    at = edit(page("dataset", loaded), {0: {"name": "mine"}})
    at = mend(at, "drop_empty_candidates")
    assert findings(at)
    assert opened(at).marks.formerly == {FIRST: "mine"}
    marks = Marks()
    for k in range(1_500):
        marks = marks.called({}, {f"run {k}": f"run {k + 1}"})
    assert len(marks.formerly) == 1_000
    assert set(marks.formerly.values()) == {"run 1500"}
    assert "run 1499" in marks.formerly
