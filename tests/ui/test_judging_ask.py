"""Test that the Judge page sends nothing to the judge named in the server's environment before a button is pressed."""

from __future__ import annotations

import json
import math
import re
import shlex
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cli.app import app
from data.adding import keeping
from data.check import repair
from data.convert import to_jsonl_bytes
from data.load import load_study
from data.study import Item, Run, Settings, Study
from metrics.judging.endpoint import KEY
from tests.judging import model
from tests.judging.unreliable import Answered, Server, said, serving
from tests.ui.shown import AppTest, markup, page, worked
from tests.ui.test_adding import opened
from ui import rooms
from ui.frame import look
from ui.jobs.judge_job import ADDRESS, LIMIT, MODEL

ITEMS = tuple(Item(str(k), (f"A dog number {k}.", f"The dog {k}.")) for k in range(4))
STUDY = Study(
    "study",
    ITEMS,
    (
        Run("m", "m", Settings(), {item.id: (f"A dog, {item.id}.",) for item in ITEMS}),
        Run("n", "n", Settings(), {item.id: (f"A cat, {item.id}.",) for item in ITEMS}),
    ),
)
SECRET = "sk-a-key-that-nobody-may-see"  # no real key


def score(number: int, body: dict[str, Any]) -> Answered:
    asked = body["messages"][0]["content"]
    return said(json.dumps({"score": 90 if "A dog, " in asked else 10, "reason": "I like dogs."}))


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Server, list[Any]]]:
    tells: list[Any] = [score]

    def last(number: int, body: dict[str, Any]) -> Answered:
        found: Answered = tells[-1](number, body)
        return found

    with serving(last) as server:
        name(monkeypatch, server.url)
        yield server, tells


def name(monkeypatch: pytest.MonkeyPatch, url: str, of: str = "tiny") -> None:
    monkeypatch.setenv(ADDRESS, url)
    monkeypatch.setenv(MODEL, of)
    monkeypatch.setenv(KEY, SECRET)


def told(at: AppTest) -> str:
    boxes = [*at.caption, *at.info, *at.error, *at.warning, *at.success]
    assert not at.exception
    every = " ".join([markup(at), *(box.value for box in boxes)])
    assert SECRET not in every
    return every.replace("\\", "")


def given(at: AppTest) -> Study:
    study = opened(at).study
    assert study is not None
    return study


def asked(at: AppTest) -> AppTest:
    at.button(key="judge_ask").click().run()
    worked()
    return at.run()


def test_without_a_judge_the_page_is_as_before_and_no_socket_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(ADDRESS, raising=False)
    seen: list[str] = []

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
            seen.append(event)

    sys.addaudithook(watch)
    at = page("judging", STUDY)
    assert "No judge was asked about this study" in told(at)
    assert not [button for button in at.button if button.key == "judge_ask"]
    assert "judging" in rooms.lacking(replace(STUDY))
    assert not seen


def test_without_a_judge_the_page_says_what_one_gives_and_the_command_plans_as_many_calls(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv(ADDRESS, raising=False)
    at = page("judging", STUDY)
    assert not at.exception
    assert "Its scores become metrics on the Leaderboard" in told(at)
    assert at.get("page_link")[-1].proto.label == "Then add answers.jsonl: Data →"
    (tmp_path / "study.jsonl").write_bytes(to_jsonl_bytes(STUDY))
    monkeypatch.chdir(tmp_path)
    program, *line = shlex.split(at.code[0].value)
    assert program == "trilens"
    done = CliRunner().invoke(app, line)
    assert done.exit_code == 0, done.output
    calls = len(ITEMS) * len(STUDY.runs)
    assert re.search(rf"\b{calls} calls\b", done.output), done.output
    assert f">{calls}<" in markup(at)
    assert not (tmp_path / "answers.jsonl").exists(), "a plan asks nothing"


def test_where_nobody_wrote_captions_a_judge_is_not_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(ADDRESS, raising=False)
    at = page("judging", replace(STUDY, items=tuple(replace(item, references=()) for item in ITEMS)))
    assert not at.exception
    assert "A judge needs captions by people" in told(at)
    assert not at.code, "no command that could not be followed"
    assert at.get("page_link")[-1].proto.label == "Open Data", "where captions are added"


def test_the_plan_is_shown_and_nothing_is_sent_before_the_button(judge: tuple[Server, list[Any]]) -> None:
    server, _ = judge
    assert "judging" not in rooms.lacking(replace(STUDY))
    at = page("judging", STUDY, asks=["clair", "pairwise"], times="2")
    words = told(at)
    assert f"Captions and references leave this machine for {server.url}" in words
    assert "32 answers of tiny" in words
    assert "32 calls (0 prompts are already answered)" in words
    assert "It costs" not in words
    at.number_input(key="judge_price_received").set_value(10.0).run()
    assert f"The cost is at most about {32 * 400 * 10 / 1e6:,.2f} at the stated prices" in told(at)
    assert not server.bodies


def test_answers_reach_the_study_and_asking_again_sends_nothing(judge: tuple[Server, list[Any]]) -> None:
    server, _ = judge
    at = asked(page("judging", STUDY))
    assert len(server.bodies) == 8
    study = given(at)
    assert {one.name: set(one.values["m"].values()) for one in study.scores} == {"clair_tiny": {(0.9,)}}
    assert len(study.answers) == 8
    assert "clair: 8 answers, 0 unusable." in told(at)
    assert "0 calls (8 prompts are already answered)" in told(at)
    at = asked(at)
    assert len(server.bodies) == 8
    assert given(at).answers == study.answers


def test_answers_reach_whichever_page_is_open_next(judge: tuple[Server, list[Any]]) -> None:
    at = page("judging", STUDY)
    at.button(key="judge_ask").click().run()
    worked()
    at = at.switch_page("pages/leaderboard.py").run()
    assert len(given(at).answers) == 8
    assert [one.name for one in given(at).scores] == ["clair_tiny"]


def test_the_plan_is_counted_once_for_the_same_questions(judge: tuple[Server, list[Any]]) -> None:
    at = page("judging", STUDY)
    first = at.session_state["_judge_plan"]
    at.number_input(key="judge_price_sent").set_value(1.0).run()
    assert at.session_state["_judge_plan"] is first
    at.segmented_control(key="times_segments").set_value("2").run()
    assert "16 calls" in told(at)
    at.segmented_control(key="times_segments").set_value("1").run()
    assert "0 calls (8 prompts are already answered)" in told(asked(at))


def test_temperature_and_json_mode_are_sent_as_chosen(judge: tuple[Server, list[Any]]) -> None:
    server, _ = judge
    asked(page("judging", STUDY))
    at = asked(page("judging", STUDY, judge_temperature="0.7", free_text="yes"))
    sent = [(body["temperature"], "response_format" in body) for body in server.bodies]
    assert sent == [(0.0, True)] * 8 + [(0.7, False)] * 8
    (signature,) = {one.signature for one in given(at).answers}
    assert "|temp:0.7|" in signature
    assert signature.endswith("|free text")


def test_what_was_not_answered_is_said_and_asked_again(judge: tuple[Server, list[Any]]) -> None:
    server, tells = judge
    tells.append(lambda number, body: Answered("{}", 400) if number == 3 else score(number, body))
    at = asked(page("judging", STUDY))
    assert "clair: 8 answers, 1 unusable (1: the server refuses the question: 400" in told(at)
    assert "1 call had no answer" in told(at)
    assert [math.isnan(one.score) for one in given(at).answers].count(True) == 1
    tells.append(score)
    at = asked(at)
    assert len(server.bodies) == 9
    assert not any(math.isnan(one.score) for one in given(at).answers)
    assert not opened(at).findings


def test_cancelled_asking_keeps_what_was_answered_and_is_resumed(judge: tuple[Server, list[Any]]) -> None:
    server, tells = judge
    waiting = threading.Event()

    def slow(number: int, body: dict[str, Any]) -> Answered:
        if number > 3:
            waiting.wait(30)
        return score(number, body)

    tells.append(slow)
    at = page("judging", STUDY)
    at.button(key="judge_ask").click().run()
    end = time.monotonic() + 30
    while len(server.bodies) < 8 and time.monotonic() < end:
        time.sleep(0.02)
    at.run()
    (cancel,) = (button for button in at.button if (button.key or "").startswith("cancel_"))
    cancel.click().run()
    worked()
    waiting.set()
    assert "Cancelled: Asking tiny" in told(at.run())
    assert not given(at).answers
    sent = len(server.bodies)
    (resume,) = (button for button in at.button if (button.key or "").startswith("resume_"))
    resume.click().run()
    worked()
    at.run()
    assert len(given(at).answers) == 8
    assert len(server.bodies) == sent + 4, "four were kept"


def test_nobody_at_the_address_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    name(monkeypatch, "http://127.0.0.1:9")
    at = asked(page("judging", STUDY))
    assert [box.value for box in at.error if "no server answers at" in box.value]
    assert len(at.error) == 1
    assert not given(at).answers


def test_more_calls_than_the_server_allows_cannot_be_sent(
    judge: tuple[Server, list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    server, _ = judge
    monkeypatch.setenv(LIMIT, "8")
    assert not page("judging", STUDY).button(key="judge_ask").disabled
    at = page("judging", STUDY, times="2")
    assert "more than the 8 calls that this server allows" in told(at)
    assert at.button(key="judge_ask").disabled
    at = page("judging", STUDY)
    monkeypatch.setenv(LIMIT, "7")
    assert "8 calls, more than the 7 that TRILENS" in told(asked(at)), "the job looks itself"
    assert not server.bodies


@pytest.mark.parametrize(
    ("setting", "value"),
    [(ADDRESS, "http://me:secret@localhost"), (ADDRESS, "http://localhost?secret"), (LIMIT, "secret")],
)
def test_settings_that_cannot_be_are_named_and_not_shown(
    monkeypatch: pytest.MonkeyPatch, setting: str, value: str
) -> None:
    name(monkeypatch, "http://localhost")
    monkeypatch.setenv(setting, value)
    words = told(page("judging", STUDY))
    assert f"No judge can be asked: {setting} is not" in words
    assert "secret" not in words


def test_answers_stay_when_repairs_change_and_leave_with_their_captions(judge: tuple[Server, list[Any]]) -> None:
    loaded = load_study([("study.jsonl", to_jsonl_bytes(STUDY))])
    at = asked(page("judging", loaded))
    now = opened(at)
    repaired = keeping(repair(now, (), ["drop_same_files"]), now)
    assert repaired.study is not None
    assert len(repaired.study.answers) == 8
    assert repaired.study.scores
    fewer = replace(STUDY, items=ITEMS[:3], runs=tuple(STUDY.only([item.id for item in ITEMS[:3]]).runs))
    kept = keeping(load_study([("fewer.jsonl", to_jsonl_bytes(fewer))]), now)
    assert kept.study is not None
    assert len(kept.study.answers) == 6


def test_a_real_model_is_asked_from_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    if lacks := model.missing():
        pytest.skip(f"{lacks} is not installed")
    server = model.started()
    name(monkeypatch, server.listening_address, model.NAME)
    one = STUDY.only(["0"], ["m"])
    at = asked(page("judging", one))
    (answer,) = given(at).answers
    assert answer.fingerprint.startswith(f"{model.NAME}@")
    assert math.isnan(answer.score) == bool(answer.fault)
    assert "clair: 1 answers" in told(at)
    del server


def test_the_colour_of_text_on_the_accent_is_for_buttons_that_have_the_accent() -> None:
    style = (Path(look.__file__).parent / "style.css").read_text(encoding="utf-8")
    marked = style.split('[data-testid="stBaseButton-primary"]')[1:]
    assert marked
    assert all(rest.startswith(":not(:disabled)") for rest in marked)  # without the accent, it is the page's own colour
