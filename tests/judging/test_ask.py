"""Test that `trilens ask` sends each question to a real server once, caches the replies, and resumes."""

from __future__ import annotations

import json
import math
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from data.convert import to_jsonl_bytes
from data.load import load_study
from data.study import Item, Run, Settings, Study
from metrics.cache.disk import Cache
from metrics.judging import ask as judging
from metrics.judging.answers import keep, key
from metrics.judging.endpoint import KEY, Endpoint, Reply
from metrics.judging.plan import plan
from metrics.judging.questions import Ask, questions
from tests.command_line import trilens
from tests.judging.unreliable import Answered, Server, Tells, said, serving
from tests.test_architecture import SOURCES

ROOT = Path(__file__).parents[2]
SECRET = "sk-a-key-that-nobody-may-see"  # no real key
ITEMS = tuple(Item(str(k), (f"A dog number {k}.", f"The dog {k}.")) for k in range(6))
STUDY = Study(
    "study",
    ITEMS,
    (
        Run("m", "m", Settings(), {item.id: (f"A dog, {item.id}.",) for item in ITEMS}),
        Run("n", "n", Settings(), {item.id: ("A cat.",) if item.id < "3" else ("A dog, 3.",) for item in ITEMS}),
    ),
)
"""The two runs have the same caption for item 3."""


def score_of(body: dict[str, Any]) -> int:
    """Return the score by the judge of these tests, which depends on the caption and on the repeat."""
    caption = re.search(r"caption to (?:judge|rate), as a JSON list:\n\[\"(.*)\"\]", body["messages"][0]["content"])
    assert caption is not None
    return (len(caption[1]) + 10 * body["seed"]) % 100


def judging_by_length(number: int, body: dict[str, Any]) -> Answered:
    return said(json.dumps({"score": score_of(body), "reason": "It has this length."}))


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(KEY, SECRET)
    path = tmp_path / "study.jsonl"
    path.write_bytes(to_jsonl_bytes(STUDY))
    return path


def asked(file: Path, tells: Tells, *more: str, expect: int = 0) -> tuple[str, Server]:
    """Return the output of `trilens ask`, and the server with its requests.

    Fails if output or files contain the key.
    """
    with serving(tells) as server:
        usual = ["--judge", server.url, "--judge-model", "org/tiny", "--cache-dir", str(file.parent / "cache")]
        if "--plan" not in more:
            usual += ["--out", str(file.parent / "answers.jsonl")]
        found = trilens("ask", file, *usual, *more, expect=expect)
    written = [path.read_bytes() for path in file.parent.rglob("*") if path.is_file()]
    assert SECRET not in found.output
    assert not any(SECRET.encode() in raw for raw in written)
    return " ".join(found.output.split()), server


def rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (file.parent / "answers.jsonl").read_text().splitlines()]


def test_each_prompt_is_sent_once_per_repeat_and_kept(file: Path) -> None:
    output, server = asked(file, judging_by_length, "--repeats", "2")
    assert "24 answers of org/tiny" in output
    assert "22 calls (0 prompts are already answered)" in output
    assert Counter(Counter((b["messages"][0]["content"], b["seed"]) for b in server.bodies).values()) == {1: 22}
    assert all(one["Authorization"] == f"Bearer {SECRET}" for one in server.headers)
    first = rows(file)
    assert len(first) == 24
    again, server = asked(file, judging_by_length, "--repeats", "2")
    assert "0 calls (22 prompts are already answered)" in again
    assert not server.bodies
    assert rows(file) == first


def test_the_answers_are_scores_beside_the_captions(file: Path) -> None:
    asked(file, judging_by_length, "--repeats", "3", "--ask", "clair,rating", expect=0)
    study = load_study([file, file.parent / "answers.jsonl"]).study
    assert study is not None
    clair, rating = study.scores
    assert (clair.name, rating.name) == ("clair_org_tiny", "judged_rating_org_tiny")
    for run in STUDY.runs:
        for item in ITEMS:
            length = len(run.candidates[item.id][0])
            assert clair.values[run.name][item.id][0] == pytest.approx((length + 10) / 100)
    assert all(math.isnan(value) for of in rating.values["m"].values() for value in of), "they lie outside 0 to 5"
    scored = trilens("score", file, file.parent / "answers.jsonl", "--metrics", "clair_org_tiny", "--no-cache")
    assert "clair|v1|prompt:" in scored.output


def test_over_the_limit_and_for_a_plan_nothing_is_sent(file: Path) -> None:
    output, server = asked(file, judging_by_length, "--judge-limit", "10", expect=2)
    assert "this takes 11 calls, more than --judge-limit 10 allows: nothing was sent" in output
    assert not server.bodies
    output, server = asked(
        file, judging_by_length, "--plan", "--price-in", "2.5", "--price-out", "10", "--tokens", "100"
    )
    words = sum(len(re.findall(r"\w+|[^\w\s]", text)) for text in {one.text for one in questions(STUDY, "clair")})
    cost = (round(words * 1.3) * 2.5 + 11 * 100 * 10) / 1e6
    assert f"about {round(words * 1.3):,} tokens sent" in output
    assert "at most 1,100 received" in output
    assert f"The cost is at most about {cost:.2f} at the stated prices" in output
    assert not server.bodies


def test_a_run_alone(file: Path) -> None:
    _, server = asked(file, judging_by_length, "--runs", "n")
    assert {row["runs"][0] for row in rows(file)} == {"n"}
    assert len(server.bodies) == 6


def test_what_was_answered_before_a_stop_is_not_asked_again(file: Path) -> None:
    def until_the_fifth(number: int, body: dict[str, Any]) -> Answered:
        refused = Answered('{"error": {"message": "key expired"}}', 401)
        return refused if number >= 5 else judging_by_length(number, body)

    output, server = asked(file, until_the_fifth, "--parallel", "1", expect=1)
    assert "refuses the key: set TRILENS_JUDGE_KEY to a valid one (401: key expired)" in output
    assert "the same command resumes from there" in output
    assert len(server.bodies) == 6
    _, server = asked(file, judging_by_length)
    assert len(server.bodies) == 6
    assert all(row["score"] is not None for row in rows(file))


def test_what_was_answered_before_ctrl_c_is_kept(file: Path) -> None:
    def stalling(number: int, body: dict[str, Any]) -> Answered:
        return replace(judging_by_length(number, body), seconds=0.0 if number < 4 else 30.0)

    out, cache = file.parent / "answers.jsonl", file.parent / "cache"
    with serving(stalling) as server:
        line = ["ask", str(file), "--judge", server.url, "--judge-model", "org/tiny", "--out", str(out)]
        program = [sys.executable, "-m", "metrics", *line, "--cache-dir", str(cache), "--parallel", "2"]
        with subprocess.Popen(program, cwd=ROOT, stdout=-1, stderr=subprocess.STDOUT, text=True) as running:
            while len(list(cache.rglob("*.npz"))) < 4 and running.poll() is None:
                time.sleep(0.05)
            running.send_signal(signal.SIGINT)
            output, _ = running.communicate()
    assert running.returncode == 130, output
    assert "the same command resumes from there" in output
    assert not out.exists()
    _, server = asked(file, judging_by_length)
    assert len(server.bodies) == 7


def test_a_server_out_of_order_is_left_after_failures_in_a_row(file: Path) -> None:
    output, server = asked(file, lambda number, body: Answered("<html>"), expect=1)
    assert "10 questions in a row had no answer; the last: the reply is not what a server of this kind sends" in output
    assert judging.MOST_IN_A_ROW <= len(server.bodies) <= judging.MOST_IN_A_ROW + 4


def test_an_unreadable_answer_and_none_are_gaps_with_reasons(file: Path) -> None:
    def some(number: int, body: dict[str, Any]) -> Answered:
        if "number 1." in body["messages"][0]["content"]:
            return said("It is rather good.")
        if "number 2." in body["messages"][0]["content"]:
            return Answered('{"error": {"message": "too long"}}', 400)
        return judging_by_length(number, body)

    output, server = asked(file, some, "--parallel", "1", expect=1)
    assert 'clair: 12 answers, 4 unusable (2: it has no JSON object with "score"; 2: the server refuses' in output
    assert "2 calls had no answer: run the same command to ask them again" in output
    kinds = Counter((row["item"], row["score"] is None, bool(row["fault"])) for row in rows(file))
    assert kinds == {(id, id in "12", id in "12"): 2 for id in "012345"}
    assert {row["reason"] for row in rows(file) if row["item"] == "1"} == {"It is rather good."}
    _, server = asked(file, judging_by_length)
    assert len(server.bodies) == 2, "what was answered, readable or not, is not asked again"
    loaded = load_study([file, file.parent / "answers.jsonl"])
    told = {one.code: one.count for one in loaded.findings if one.file == "answers.jsonl"}
    assert told == {"answer_faults": 2, "score_gaps": 1}


def test_a_server_that_changes_while_it_answers_is_a_finding(file: Path) -> None:
    def changing(number: int, body: dict[str, Any]) -> Answered:
        reply = judging_by_length(number, body)
        return Answered(reply.body.replace('"f1"', '"f2"')) if number > 3 else reply

    asked(file, changing, "--parallel", "1")
    loaded = load_study([file, file.parent / "answers.jsonl"])
    (found,) = (one for one in loaded.findings if one.code == "judge_changed")
    assert found.problem.endswith("gave 2 different names while it answered clair: tiny@f1, tiny@f2.")
    assert loaded.study is not None
    assert loaded.study.scores[0].signature.endswith("|fingerprint:tiny@f1+tiny@f2")


def test_facts_are_listed_and_then_checked(file: Path) -> None:
    def facts(number: int, body: dict[str, Any]) -> Answered:
        text = body["messages"][0]["content"]
        if "You list" in text:
            return said('{"facts": ["There is a dog.", "It has a number."]}')
        return said('{"held": [true, false], "reason": "No number."}')

    output, _ = asked(file, facts, "--ask", "facts", "--repeats", "2", "--plan")
    planned = re.search(r"([\d,]+) answers of .*: ([\d,]+) calls", output)
    output, server = asked(file, facts, "--ask", "facts", "--repeats", "2")
    assert Counter(row["prompt"] for row in rows(file)) == {"facts": 18, "coverage": 24, "precision": 24}
    assert planned is not None
    wanted, most = map(int, planned.groups())
    assert wanted == 66
    assert len(server.bodies) <= most, "facts that are the same for two items share a call"
    study = load_study([file, file.parent / "answers.jsonl"]).study
    assert study is not None
    assert {one.name: set(one.values["m"].values()) for one in study.scores} == {
        "fact_coverage_org_tiny": {(0.5,)},
        "fact_precision_org_tiny": {(0.5,)},
        "fact_f1_org_tiny": {(0.5,)},
    }
    assert {one.held for one in study.answers if one.prompt == "coverage"} == {(True, False)}


def test_pairs_and_likeness_become_preferences_and_distances(file: Path) -> None:
    def first(number: int, body: dict[str, Any]) -> Answered:
        text = body["messages"][0]["content"]
        return said('{"choice": "A"}' if "better of two" in text else '{"score": 40}')

    asked(file, first, "--ask", "pairwise,alike")
    study = load_study([file, file.parent / "answers.jsonl"]).study
    assert study is not None
    assert {one[3:6] for one in study.preferences} == {(0.5, 0.5, "judge:org_tiny")}
    assert len(study.preferences) == 5, "item 3 has the same caption twice"
    assert study.distances[0].matrices["m"]["0"].tolist() == [[0, 0.6, 0.6], [0.6, 0, 0.6], [0.6, 0.6, 0]]


def test_score_asks_first_and_scores_then(file: Path) -> None:
    out, usual = file.parent / "scores.csv", ["--cache-dir", str(file.parent / "cache"), "--judge-model", "org/tiny"]
    line = ["score", str(file), "--metrics", "clair,bleu_1", "--out", str(out), *usual]
    with serving(judging_by_length) as server:
        for calls in (11, 11):
            trilens(*line, "--judge", server.url)
            assert len(server.bodies) == calls
        limited = trilens(*line, "--judge", server.url, "--judge-limit", "3", "--no-cache", expect=2)
        assert "this takes 11 calls, more than --judge-limit 3 allows: nothing was sent" in " ".join(
            limited.output.split()
        )
        assert len(server.bodies) == 11
    table = pd.read_csv(out).set_index(["metric", "run"])
    assert set(table.index.get_level_values("metric")) == {"clair_org_tiny", "bleu_1"}
    for run in STUDY.runs:
        mean = sum(len(texts[0]) for texts in run.candidates.values()) / len(ITEMS) / 100
        assert table.value["clair_org_tiny", run.name] == pytest.approx(mean)
    assert table.signature["clair_org_tiny", "m"].startswith("clair_org_tiny|v1|judged|clair|v1|prompt:")
    nobody = trilens(*line, expect=2)
    assert "name the judge's server and model: --judge URL and --judge-model NAME" in " ".join(nobody.output.split())


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (["--ask", "guess"], "--ask guess: a judge can be asked for clair, rating, facts, pairwise, alike"),
        (["--judge", ""], "name the judge's server and model: --judge URL and --judge-model NAME"),
        (["--runs", "q"], "there is no run 'q'"),
        (["--judge", "nowhere"], "nowhere is not the address of a server"),
    ],
)
def test_what_cannot_be_asked_is_said(file: Path, more: list[str], why: str) -> None:
    output, server = asked(file, judging_by_length, *more, expect=1 if "nowhere" in more else 2)
    assert why in output
    assert not server.bodies


def test_the_plan_of_kept_answers_is_empty() -> None:
    cache, endpoint = Cache(None), Endpoint("http://localhost", "m")
    made = plan(STUDY, ["clair", "pairwise"], endpoint, cache)
    assert (made.wanted, made.calls, made.kept) == (12 + 10, 11 + 10, 0)
    assert made.cost(0, 0) == 0


def test_a_plan_is_what_counting_every_prompt_gives() -> None:
    """The expected counts are those of distinct prompts; cached replies are counted separately."""
    asks: list[Ask] = ["clair", "rating", "pairwise", "alike"]
    cache, endpoint = Cache(None), Endpoint("http://localhost", "m")
    every = [one for ask in asks for one in questions(STUDY, ask, 2)]
    for one in every[::3]:
        keep(cache, key(endpoint, one.text, one.repeat), Reply("{}", "stop", "", "m"))
    asked = {(one.text, one.repeat) for one in every}
    new = {(text, repeat) for text, repeat in asked if not cache.has(key(endpoint, text, repeat))}
    words = sum(len(re.findall(r"\w+|[^\w\s]", text)) for text, _ in new)
    made = plan(STUDY, asks, endpoint, cache, 2)
    assert 0 < len(new) < len(asked)
    assert (made.wanted, made.calls, made.kept) == (len(every), len(new), len(asked) - len(new))
    assert (made.tokens_in, made.tokens_out) == (round(1.3 * words), 400 * len(new))


@pytest.fixture(scope="module")
def connections() -> list[str]:
    """Return a list of the network events of this process from now on.

    The audit hook that adds them cannot be removed.
    """
    seen: list[str] = []

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
            seen.append(event)

    sys.addaudithook(watch)
    return seen


def test_without_a_judge_no_connection_is_opened(file: Path, connections: list[str]) -> None:
    asked(file, judging_by_length)
    assert connections, "the hook sees those to a judge"
    connections.clear()
    files = [str(file), str(file.parent / "answers.jsonl")]
    done = trilens("score", *files, "--metrics", "clair_org_tiny,bleu_1", "--no-cache")
    assert "clair_org_tiny" in done.output
    assert not connections


def test_only_the_client_of_a_judge_knows_a_network_and_only_commands_and_one_job_know_the_client() -> None:
    clients = {path for path, source in SOURCES.items() if re.search(r"^\s*(?:import|from) httpx2\b", source, re.M)}
    assert clients == {"metrics/judging/endpoint.py"}
    users = {path for path, source in SOURCES.items() if re.search(r"(?:import|from) metrics\.judging\b", source)}
    assert all(path.startswith(("metrics/judging/", "cli/", "tests/", "ui/jobs/judge_job.py")) for path in users)
