"""Test a judge's client with servers that are absent, fail, stall or lie; no message may show a secret."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Sequence
from email.utils import formatdate

import pytest

from metrics.judging import endpoint
from metrics.judging.endpoint import KEY, Client, Endpoint, Stopped, Unanswered
from metrics.judging.plan import Plan, in_words
from metrics.progress import Unable
from tests.judging.unreliable import Answered, Server, said, serving

SECRET = "sk-a-key-that-nobody-may-see"  # no real key
GOOD = said('{"score": 80}')


def error(message: str, status: int, **headers: str) -> Answered:
    return Answered(json.dumps({"error": {"message": message}}), status, headers)


def asked(replies: Sequence[Answered], timeout: float = 5.0, longest: int = 400) -> tuple[str, Server]:
    """Return the text of the reply, or the error, and the server, which repeats the last of `replies`."""
    with (
        serving(lambda number, body: replies[min(number, len(replies) - 1)]) as server,
        Client(Endpoint(server.url, "tiny", timeout=timeout, longest=longest), pause=0.001) as client,
    ):
        try:
            return client.ask("How alike?", 2).text, server
        except (Unanswered, Unable) as why:
            return f"{type(why).__name__}: {why}", server


def test_what_is_sent_and_what_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, SECRET)
    with (
        serving(lambda number, body: GOOD) as server,
        Client(Endpoint(server.url, "tiny", temperature=0.5, seed=7)) as client,
    ):
        reply = client.ask("How alike?", repeat=2)
    assert (reply.text, reply.finish, reply.fingerprint) == ('{"score": 80}', "stop", "tiny@f1")
    assert (reply.tokens_in, reply.tokens_out) == (12, 3)
    assert server.paths == ["/v1/chat/completions"]
    assert server.headers[0]["Authorization"] == f"Bearer {SECRET}"
    assert server.bodies == [
        {
            "model": "tiny",
            "messages": [{"role": "user", "content": "How alike?"}],
            "temperature": 0.5,
            "seed": 9,
            "max_tokens": 400,
            "response_format": {"type": "json_object"},
        }
    ]


@pytest.mark.parametrize(
    ("given", "address"),
    [
        ("http://a:8080", "http://a:8080/v1/chat/completions"),
        ("http://a:8080/", "http://a:8080/v1/chat/completions"),
        ("https://a/v1/", "https://a/v1/chat/completions"),
        ("https://a/openai/v4", "https://a/openai/v4/chat/completions"),
    ],
)
def test_a_server_without_a_path_has_the_usual_one(given: str, address: str) -> None:
    assert Endpoint(given, "m").address == address


@pytest.mark.parametrize("url", ["localhost:8080", "ftp://a", "http://", "http://[::"])
def test_what_is_no_address_is_said_before_anything_is_sent(url: str) -> None:
    with pytest.raises(Unable, match="is not the address of a server"):
        Client(Endpoint(url, "m"))


@pytest.mark.parametrize("url", ["http://user:pass@a/v1", "http://a/v1?key=pass"])
def test_an_address_with_a_secret_is_refused_and_the_secret_not_repeated(url: str) -> None:
    with pytest.raises(Unable, match=r"^http://a/v1: name it without a user name, a password or a query"):
        Client(Endpoint(url, "m"))


def test_an_error_that_passes_is_tried_again() -> None:
    for status in (429, 500, 503):
        found, server = asked([error("busy", status), error("busy", status), GOOD])
        assert (found, len(server.bodies)) == ('{"score": 80}', 3)


def test_an_error_that_stays_is_said_with_the_words_of_the_server() -> None:
    found, server = asked([error("the engine is on fire", 500)])
    assert found == "Unanswered: the server says 500: the engine is on fire"
    assert len(server.bodies) == endpoint.TRIES


def test_a_limited_client_waits_as_long_as_it_is_told() -> None:
    started = time.monotonic()
    found, _ = asked([error("slow down", 429, **{"Retry-After": "0.4"}), GOOD])
    assert found == '{"score": 80}'
    assert time.monotonic() - started >= 0.4
    for header in ("600", formatdate(time.time() + 600, usegmt=True)):
        found, server = asked([error("slow down", 429, **{"Retry-After": header}), GOOD])
        assert found.startswith("Unanswered: the server says 429: slow down, and to wait ")
        assert len(server.bodies) == 1


@pytest.mark.parametrize("header", ["", "soon", "-5", "nan", "Fri, 99 Foo 2026"])
def test_a_wait_that_cannot_be_read_is_none(header: str) -> None:
    assert not endpoint._wait_asked(header) > 0


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (error("bad key", 401), "refuses the key: set TRILENS_JUDGE_KEY to a valid one (401: bad key)"),
        (error("no such model", 404), "has no such model or address (404: no such model)"),
        (
            Answered("", 302, {"Location": "http://elsewhere"}),
            "redirects elsewhere (302): name that address with --judge",
        ),
    ],
)
def test_what_every_question_would_meet_ends_the_asking_at_once(reply: Answered, why: str) -> None:
    found, server = asked([reply, GOOD])
    assert found == f"Unable: {server.url} {why}"
    assert len(server.bodies) == 1


@pytest.mark.parametrize(
    "body",
    [
        "<html>Welcome</html>",
        '{"choices": [{"message": {"content": "a',
        '{"choices": []}',
        '{"choices": [{"message": null}]}',
        "[]",
        "7",
        "",
        "[" * 100_000,
        '{"choices": [{"message": {"content": [7]}}]}',
    ],
)
def test_a_reply_of_another_kind_is_no_answer(body: str) -> None:
    found, server = asked([Answered(body)])
    assert found == "Unanswered: the reply is not what a server of this kind sends"
    assert len(server.bodies) == 1


def test_a_reply_in_parts_and_one_without_text() -> None:
    assert asked([said([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}])])[0] == "ab"
    assert asked([said(None)])[0] == ""


def test_a_reply_without_end_is_cut() -> None:
    assert asked([said("x" * 2_000_000)])[0] == "Unanswered: the reply is longer than 1 MB"


def test_a_server_that_stalls_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint, "TRIES", 2)
    found, server = asked([Answered("{}", seconds=1.0)], timeout=0.1)
    assert found == "Unanswered: no answer within 0.1 seconds"
    assert len(server.bodies) == 2


def test_nobody_at_the_address() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        with (
            Client(Endpoint(url, "m"), pause=0.001) as client,
            pytest.raises(Unable, match=r"no server answers at .*: start it"),
        ):
            client.ask("?")


def test_a_refused_question_is_this_one_alone() -> None:
    found, server = asked([error("too long", 400)])
    assert found == "Unanswered: the server refuses the question: 400: too long"
    assert len(server.bodies) == 1
    found, _ = asked([error("response_format is not supported", 400)])
    assert found.endswith("response_format is not supported; --no-json leaves it out")


def test_the_newer_name_of_the_limit_is_used_where_the_server_wants_it() -> None:
    found, server = asked([error("use max_completion_tokens", 400), GOOD], longest=50)
    assert found == '{"score": 80}'
    assert "max_tokens" not in server.bodies[1]
    assert server.bodies[1]["max_completion_tokens"] == 50


def test_the_key_is_in_no_message(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, SECRET)
    for status in (400, 401, 500):
        found, _ = asked([error(f"Incorrect key: {SECRET}", status)])
        assert SECRET not in found
        assert "(the key)" in found
    monkeypatch.setenv(KEY, f"{SECRET}\nX-Other: 1")
    with pytest.raises(Unable, match="contains characters that no key can have") as caught:
        Client(Endpoint("http://a", "m"))
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(("key", "kept"), [(SECRET, "(the key)"), ("80", "80")])
def test_no_reply_brings_the_key_back(key: str, kept: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, key)
    echo = said(f'{{"score": 80, "reason": "Bearer {key}"}}', key, refusal=key)
    sent = Answered(json.dumps({**json.loads(echo.body), "system_fingerprint": key}))
    with serving(lambda number, body: sent) as server, Client(Endpoint(server.url, "tiny")) as client:
        reply = client.ask("How alike?")
    assert (reply.text, reply.finish) == (f'{{"score": 80, "reason": "Bearer {kept}"}}', kept)
    assert (reply.refusal, reply.fingerprint) == (kept, f"tiny@{kept}")


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("http://host:8080/v1", "http://host:8080/v1"),
        (f"http://user:{SECRET}@host:1/a@b", "http://host:1/a@b"),
        (f"user:{SECRET}@host", "host"),
        (f"https://host?key={SECRET}", "https://host"),
        (f"https://host/{SECRET}/v1", "https://host/(the key)/v1"),
    ],
)
def test_no_secret_of_an_address_is_shown(address: str, shown: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, SECRET)
    endpoint = Endpoint(address, "m")
    assert endpoint.shown == shown
    assert in_words(Plan(1, 1, 0, 2, 3), endpoint).startswith(f"1 answers of m at {shown}: ")


def test_stopping_ends_a_wait() -> None:
    def stop_and_limit(number: int, body: object) -> Answered:
        client.stop.set()
        return error("slow down", 429, **{"Retry-After": "60"})

    with serving(stop_and_limit) as server, Client(Endpoint(server.url, "m")) as client, pytest.raises(Stopped):
        client.ask("?")
