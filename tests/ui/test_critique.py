"""Test that the Critique page trains nothing before it is asked to; then, it shows a verdict, scores and details."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from html import unescape
from typing import Any

import pytest

from data.load import load_study
from figures.critique import words
from figures.report import commands
from metrics.analysis import artifacts
from metrics.analysis.bundle import checked, study_bundle
from metrics.analysis.critique import stored
from metrics.cache.disk import Cache
from metrics.cache.entry import Arrays
from metrics.engine import scoring
from metrics.learned.critique_metric import Critique
from metrics.progress import Hooks
from tests.studies import study as random_study
from tests.ui.shown import AppTest, markup, page
from ui import rooms
from ui.jobs import jobs

STUDY = random_study(items=24, references=3, candidates=1, runs=2, seed=8)
DESIGN = stored.Design(Critique(combination="linear"))
ASKED = {"network": "linear"}


@pytest.fixture(scope="module")
def arrays() -> Arrays:
    cache = Cache(None)
    return artifacts.critiques(STUDY, DESIGN, cache).compute(cache, Hooks())


def opened(arrays: Arrays, **more: str) -> AppTest:
    cache = jobs.jobs().cache
    cache.put(artifacts.critiques(STUDY, DESIGN, cache).key, arrays)
    return page("critique", STUDY, **ASKED, **more)


def _said(shown: str) -> str:
    return unescape(re.sub("<[^>]*>", "", shown))


def test_opening_the_page_trains_nothing_and_says_how_long_it_takes() -> None:
    at = page("critique", STUDY)
    assert not at.exception
    assert "2 critiques are trained twice" in markup(at)
    assert at.button(key="train_critiques").label.startswith("Train 2 critiques: ")
    assert not jobs.jobs()._jobs
    assert "from the demo study, none of your runs" in markup(at)
    assert len(at.get("plotly_chart")) == 2


def controls_in_sight(at: AppTest) -> set[str]:
    inside = {box.id for popover in at.get("popover") for box in popover.get("selectbox")}
    return {box.label for box in at.main.get("selectbox") if box.id not in inside}


def test_controls_are_in_sight_once_there_is_something_to_control(arrays: Arrays) -> None:
    assert not controls_in_sight(page("critique", STUDY))
    assert controls_in_sight(opened(arrays)) >= {"Judged beside", "Augmentation", "Critique"}


def test_the_verdict_and_the_scores_are_those_of_the_critiques(arrays: Arrays) -> None:
    at = opened(arrays)
    found = stored.from_arrays(STUDY, DESIGN, arrays)
    expected = "".join(words.verdict(STUDY, found, True))
    assert expected.strip() in _said(markup(at))
    assert len(expected.split()) <= 35
    assert len(at.get("plotly_chart")) == 2
    assert "taken for people's" in unescape(markup(at))
    best = words.ordered(found)[0].run
    assert at.selectbox(key="critic_select").value == best
    assert max(one.scores["run"].value for one in found) == next(o for o in found if o.run == best).scores["run"].value


@pytest.mark.parametrize(
    ("detail", "said"),
    [
        ("words", "Words of people and of run 1"),
        ("augmentation", "without augmentation is not trained yet"),
        ("settings", "4 of 5 are not trained yet"),
        ("learning", "Has the critique learned all that it can?"),
    ],
)
def test_details_of_the_chosen_run_open_in_place(arrays: Arrays, detail: str, said: str) -> None:
    at = opened(arrays, critic="run 1", detail=detail)
    assert not at.exception
    assert said in markup(at)
    offers = [button.key for button in at.button if button.key in ("train_other", "train_settings")]
    assert len(offers) == (detail in ("augmentation", "settings"))


def test_a_critique_of_other_captions_alone_is_another_one_with_its_own_command() -> None:
    at = page("critique", STUDY, **ASKED, made="others")
    assert not at.exception
    assert at.selectbox(key="made_select").value == "others"
    assert at.button(key="train_critiques")
    alone = stored.Design(replace(DESIGN.metric, negatives="random_captions"))
    assert stored.key(STUDY, alone) != stored.key(STUDY, DESIGN)
    assert "--negatives random_captions" in commands.train_critique(commands.CommandInputs(), alone)
    assert "--negatives" not in commands.train_critique(commands.CommandInputs(), DESIGN)


def test_the_menu_has_a_critique_only_where_one_can_be_trained() -> None:
    few, enough = (random_study(items=n, references=2, candidates=1, runs=2) for n in (19, 20))
    assert "critique" in rooms.lacking(few)
    assert "critique" not in rooms.lacking(enough)
    unanswered = replace(enough.runs[0], candidates=dict(list(enough.runs[0].candidates.items())[:19]))
    assert "critique" in rooms.lacking(replace(enough, runs=(unanswered,)))


def test_a_study_too_small_says_what_it_lacks_and_one_run_has_no_joint_critique() -> None:
    at = page("critique", random_study(items=8, references=2, candidates=1, runs=1))
    assert not at.exception
    assert "learns from at least 10 items of each half" in markup(at)
    assert at.selectbox(key="critic_select").options == ["of run 0"]


def test_critiques_that_were_trained_as_a_metric_are_shown_at_once() -> None:
    scoring.score(STUDY, [DESIGN.metric], jobs.OPTIONS, jobs.jobs().cache)
    at = page("critique", STUDY, **ASKED)
    _wait(at)
    assert re.search("No difference from people|significantly (?:below|above) people", markup(at))


def test_a_bundle_shows_the_page_and_the_metric_without_training(arrays: Arrays) -> None:
    cache = Cache(None)
    scored = scoring.score(STUDY, [Critique()], jobs.OPTIONS, cache)
    design = stored.Design(Critique())
    artifacts.critiques(STUDY, design, cache).compute(cache, Hooks())
    loaded = checked(load_study([("b.zip", study_bundle(STUDY, cache))]))
    assert len([key for key in loaded.numbers if key.startswith("critiques/")]) == 1
    at = page("critique", loaded)
    assert not at.exception
    assert re.search("No difference from people|significantly (?:below|above) people", markup(at))
    board = page("leaderboard", loaded, quality="critique", distribution=[], diversity=[], rank="critique")
    assert not board.exception
    best = max(STUDY.runs, key=lambda run: scored[run.name, "critique"].corpus)
    assert f"{best.name} has the highest Critique" in re.sub("<.*?>", "", markup(board))
    works = [job.work for job in jobs.jobs()._jobs.values()]
    assert not any(isinstance(metric, Critique) for work in works for metric in getattr(work, "metrics", ()))


def test_the_first_critiques_are_shown_while_the_others_are_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    study = random_study(items=24, references=2, candidates=1, runs=5, seed=3)
    at = page("critique", study, **ASKED)
    assert "Begin with" not in _said(markup(at)), "all of them take less than a minute, too"
    assert [button.label for button in at.button if "Train" in button.label] == [
        "Train 5 critiques: less than a minute"
    ]
    monkeypatch.setattr(stored, "seconds", lambda of, *_: 120 * len(of.runs))
    at = page("critique", study, **ASKED)
    assert "Begin with run 0 and run 1. 2 critiques are trained twice" in _said(markup(at))
    assert at.button(key="train_all").label.startswith("Train all 5: ")
    cache = jobs.jobs().cache
    artifacts.critiques(study.only(runs=["run 1", "run 2"]), DESIGN, cache).compute(cache, Hooks())
    at = page("critique", study, **ASKED)
    found = artifacts.trained_critiques(study, DESIGN, cache)
    said = "".join(words.verdict(study, found, True))
    assert said in _said(markup(at))
    assert "runs with a critique" in said
    assert at.button(key="train_all").label.startswith("Train the other 3: ")
    at = page("critique", study, **ASKED, critic="run 4")
    assert at.button(key="train_one").label.startswith("Train the one of run 4: ")


def test_training_is_a_job_that_can_be_cancelled_and_resumed(monkeypatch: pytest.MonkeyPatch) -> None:
    real, slow = stored.measure, [True]

    def measure(*given: Any) -> Arrays:
        while slow[0]:
            given[3].check()
            time.sleep(0.01)
        return real(*given)

    monkeypatch.setattr(stored, "measure", measure)
    at = page("critique", STUDY, **ASKED, critic="all")
    at.button(key="train_critiques").click().run()
    assert not at.exception
    next(button for button in at.button if button.label == "Cancel").click().run()
    assert any("Training critiques" in box.value for box in at.info)
    slow[0] = False
    next(button for button in at.button if button.label == "Resume").click().run()
    _wait(at)
    design = replace(DESIGN, one_for_all=True)
    stored_arrays = artifacts.critiques(STUDY, design, jobs.jobs().cache).stored(jobs.jobs().cache)
    assert stored_arrays is not None
    found = stored.from_arrays(STUDY, design, stored_arrays)
    assert "".join(words.verdict(STUDY, found, True)).strip() in _said(markup(at))


def _wait(at: AppTest) -> None:
    end = time.monotonic() + 60
    while not at.get("plotly_chart") and time.monotonic() < end:
        time.sleep(0.2)
        at.run()
    assert not at.exception
